"""Do recorded runs again, and compare the scores with the records."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from riemap.grids.local_executor import execute_locally
from riemap.grids.records import GridFolder
from riemap.runs.spec import RunSpec

SAME_SCORE = 1e-6
"""Largest relative difference of scores that count as the same, as with the same versions and processor."""

CLOSE_SCORE = 0.03
"""Largest relative difference of scores that confirm a record. The last digits of a distance depend on the
processor, and a thousand steps make as much of them as another seed does."""

UNSTEADY = ("worst",)
"""Scores that depend on a single pair of nodes, and do not count."""


class Checked(NamedTuple):
    """A run that was done again: the scores that differ, and whether they still confirm the record."""

    run: RunSpec
    differences: tuple[str, ...]
    confirmed: bool


def check(folder: GridFolder, runs: Sequence[RunSpec], workers: int = 1) -> Iterator[Checked]:
    """Do runs again, in a temporary folder, and compare their scores with the records.

    Parameters
    ----------
    folder
        The folder of the grid.
    runs
        Runs that are recorded there.
    workers
        Number of processes.

    Yields
    ------
    Checked
        A run, and how it compares.
    """
    with tempfile.TemporaryDirectory() as elsewhere:
        again = GridFolder(Path(elsewhere), compact=True)
        with closing(execute_locally(again, runs, workers)) as outcomes:
            for run, _ in outcomes:
                yield _checked(folder, again, run)


def _checked(folder: GridFolder, again: GridFolder, run: RunSpec) -> Checked:
    old, new = folder.record(run), again.record(run)
    if old is None or new is None or "error" in old or "error" in new:
        return Checked(run, ("it failed",), False)
    found, confirmed = [], True
    for name, before in old["scores"].items():
        now = new["scores"].get(name)
        apart = 1.0 if (before is None) != (now is None) else _relative_difference(before or 0.0, now or 0.0)
        if apart > SAME_SCORE:
            found.append(f"{name} is {now}, and was {before}")
        confirmed = confirmed and (apart <= CLOSE_SCORE or name in UNSTEADY)
    return Checked(run, tuple(found), confirmed)


def _relative_difference(a: float, b: float) -> float:
    return abs(a - b) / max(abs(a), abs(b)) if a != b else 0.0
