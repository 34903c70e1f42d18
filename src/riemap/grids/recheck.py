"""Runs done anew, and whether they come to what is recorded."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from riemap.grids.grid import Run
from riemap.grids.local_executor import execute
from riemap.grids.records import Folder

SAME = 1e-6
"""Relative difference of scores that are the same, as they are with the same versions and processor."""

CLOSE = 0.03
"""Of scores that confirm each other: the last digits of a distance depend on the processor, and a thousand
steps make of them what another seed would."""

UNSTEADY = ("worst",)
"""What hangs on a single pair of nodes."""


class Checked(NamedTuple):
    """A run that was done again; what is not the same, and whether it confirms the record all the same."""

    run: Run
    differences: tuple[str, ...]
    confirmed: bool


def check(folder: Folder, runs: Sequence[Run], workers: int = 1) -> Iterator[Checked]:
    """Do runs again, elsewhere, and compare their scores with the records."""
    with tempfile.TemporaryDirectory() as elsewhere:
        again = Folder(Path(elsewhere), compact=True)
        with closing(execute(again, runs, workers)) as outcomes:
            for run, _ in outcomes:
                yield _checked(folder, again, run)


def _checked(folder: Folder, again: Folder, run: Run) -> Checked:
    old, new = folder.record(run.id), again.record(run.id)
    if old is None or new is None or "error" in new:
        return Checked(run, ("it failed",), False)
    found, confirmed = [], True
    for name, before in old["scores"].items():
        now = new["scores"].get(name)
        apart = 1.0 if (before is None) != (now is None) else 0.0 if now is None else _apart(before, now)
        if apart > SAME:
            found.append(f"{name} is {now}, and was {before}")
        confirmed = confirmed and (apart <= CLOSE or name in UNSTEADY)
    return Checked(run, tuple(found), confirmed)


def _apart(a: float, b: float) -> float:
    """Relative difference."""
    return abs(a - b) / max(abs(a), abs(b)) if a != b else 0.0
