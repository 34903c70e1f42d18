"""Attack by the number of threads: one to four threads give the same bytes."""

import warnings
from pathlib import Path
from random import Random
from typing import final

from thread_helpers import exactly

import riemap
from fuzz.attack import Attack, Case
from fuzz.settings import any_loss, any_space
from fuzz.verdict import SilentChangeError, Verdict, judge

COUNTS = (1, 2, 3, 4)
"""Numbers of threads. The worker starts Numba with four, whatever the number of cores."""


@final
class Threads(Attack):
    """Trainings on graphs whose sizes move the remainders of chunks and vectors."""

    name = "threads"
    seconds = 900.0
    short = 1

    def draw(self, rng: Random, number: int) -> Case:
        graph = rng.choice(("random-tree(n={n},seed={seed})", "barabasi-albert(n={n},m=3,seed={seed})"))
        return {
            "graph": graph.format(n=rng.randrange(200, 401), seed=rng.randrange(1000)),
            "space": any_space(rng),
            "loss": any_loss(rng),
            "preset": rng.choice(("default", "steady", "paper")),
            "seed": rng.randrange(10**6),
            "epochs": 6,
        }

    def check(self, case: Case, folder: Path) -> Verdict:
        def action() -> None:
            found = {count: _trained(case, count) for count in COUNTS}
            wrong = [count for count, data in found.items() if data != found[1]]
            if wrong:
                raise SilentChangeError(
                    f"{case['space']}, {case['loss']}: {wrong} threads give other bytes than one"
                )

        return judge(action)


def _trained(case: Case, count: int) -> bytes:
    choice = {name: case[name] for name in ("loss", "preset", "seed", "epochs")}
    with warnings.catch_warnings(), exactly(count):
        warnings.simplefilter("ignore", UserWarning)
        embedding = riemap.embed(case["graph"], case["space"], **choice).embedding
    return b"".join(x.tobytes() for x in (*embedding.points, embedding.log_scales))
