"""What an attack is: it draws cases from a seed, and checks them."""

import base64
from abc import ABC, abstractmethod
from pathlib import Path
from random import Random
from typing import Any, ClassVar, TypeAlias

from fuzz.verdict import Verdict

Case: TypeAlias = dict[str, Any]
"""Everything that a case needs, as JSON has it, so that a failure can be repeated from its file."""


class Attack(ABC):
    """A kind of hostile input.

    ``prepare`` makes, once, the files that all cases share. ``draw`` makes a case of random numbers; it must
    not depend on anything else. ``check`` does what the case says, in an empty folder.
    """

    name: ClassVar[str]
    seconds: ClassVar[float] = 60.0
    """A case that takes longer hangs. The first use of a kernel may compile it, which takes ten seconds."""

    share: ClassVar[float] = 1.0
    """Share of the time, relative to the other attacks."""

    short: ClassVar[int] = 40
    """Number of cases in the test suite."""

    def prepare(self, shared: Path) -> int:
        """Make shared files; return the number of cases after which everything was tried, or 0 if endless."""
        return 0

    @abstractmethod
    def draw(self, rng: Random, number: int) -> Case: ...

    @abstractmethod
    def check(self, case: Case, folder: Path) -> Verdict: ...


def packed(data: bytes) -> str:
    """Bytes as text, for a case."""
    return base64.b64encode(data).decode()


def unpacked(text: str) -> bytes:
    """The bytes of such a text."""
    return base64.b64decode(text)
