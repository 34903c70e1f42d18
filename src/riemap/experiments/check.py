"""Runs done anew, and whether they come to what is recorded."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from riemap.experiments.execute import execute
from riemap.experiments.grid import Run
from riemap.experiments.records import Folder

CLOSE = 1e-6
"""Relative difference of scores that are the same; with the same versions they are the same to the last
digit that is recorded."""


class Checked(NamedTuple):
    """A run that was done again; what differs, if anything does."""

    run: Run
    differences: tuple[str, ...]


def check(folder: Folder, runs: Sequence[Run], workers: int = 1) -> Iterator[Checked]:
    """Do runs again, elsewhere, and compare their scores with the records."""
    with tempfile.TemporaryDirectory() as elsewhere:
        again = Folder(Path(elsewhere), compact=True)
        with closing(execute(again, runs, workers)) as outcomes:
            for run, _ in outcomes:
                yield Checked(run, _differences(folder, again, run))


def _differences(folder: Folder, again: Folder, run: Run) -> tuple[str, ...]:
    old, new = folder.record(run.id), again.record(run.id)
    if old is None or new is None or "error" in new:
        return ("it failed",)
    found = []
    for name, before in old["scores"].items():
        now = new["scores"].get(name)
        if (before is None) != (now is None) or (
            before is not None and abs(now - before) > CLOSE * max(abs(before), abs(now))
        ):
            found.append(f"{name} is {now}, and was {before}")
    return tuple(found)
