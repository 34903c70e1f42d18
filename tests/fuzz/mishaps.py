"""An attack that fails in every way, by which the harness itself is tested."""

import os
import time
from pathlib import Path
from random import Random
from typing import final

from fuzz.attack import Attack, Case
from fuzz.verdict import SilentChangeError, Verdict, judge
from riemap.errors import InputError

WAYS = ("accepted", "refused", "empty message", "error", "change", "hang", "abort", "bomb")


@final
class Mishaps(Attack):
    """Case number i goes wrong in the i-th way."""

    name = "mishaps"
    seconds = 1.0

    def draw(self, rng: Random, number: int) -> Case:
        return {"way": WAYS[number % len(WAYS)]}

    def check(self, case: Case, folder: Path) -> Verdict:
        def action() -> None:
            match case["way"]:
                case "refused":
                    raise InputError("no such thing, e.g. this")
                case "empty message":
                    raise InputError("")
                case "error":
                    raise KeyError("x")
                case "change":
                    raise SilentChangeError("2 instead of 3")
                case "hang":
                    time.sleep(1000.0)
                case "abort":
                    os.abort()
                case "bomb":
                    bytearray(1 << 40)

        return judge(action)
