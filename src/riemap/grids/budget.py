"""How long runs take, and whether there is time for one more."""

import time
from collections.abc import Callable, Iterable
from statistics import fmean
from typing import final

from riemap.grids.record import RunRecord
from riemap.grids.records import GridFolder
from riemap.runs.spec import RunSpec


@final
class Budget:
    """A time limit; it tells whether a run is likely to be done before it.

    The estimate is the mean time of the most similar runs that are recorded: those of the same graph, space
    and loss; else of the same graph and loss; else of the same graph. If there is none, the run is begun as
    long as any time is left.

    Parameters
    ----------
    folder
        The folder of the grid, whose records tell how long runs take.
    minutes
        The limit, from now on.
    clock
        Gives the time in seconds.
    """

    def __init__(
        self, folder: GridFolder, minutes: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.folder, self.clock, self.until = folder, clock, clock() + 60.0 * minutes

    def allows(self, run: RunSpec) -> bool:
        """Whether there is time for a run."""
        left = self.until - self.clock()
        return left > 0.0 and (estimate(run, self.folder.records()) or 0.0) <= left


def estimate(run: RunSpec, records: Iterable[RunRecord]) -> float | None:
    """Estimate the seconds that a run takes from the records of similar ones; ``None`` if there are none."""
    done = [(r, s) for r in records if r["run"]["graph"] == run.graph and (s := r.get("seconds"))]
    for keys in (("space", "loss"), ("loss",), ()):
        alike = [s for r, s in done if all(r["run"][key] == getattr(run, key) for key in keys)]
        if alike:
            return fmean(alike)
    return None
