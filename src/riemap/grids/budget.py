"""How long runs take, and whether there is time for one more."""

import time
from collections.abc import Callable, Iterable, Mapping
from statistics import fmean
from typing import Any, final

from riemap.grids.grid import Run
from riemap.grids.records import Folder


@final
class Budget:
    """A time by which to be done; asked of a run, whether it is likely to be.

    The mean of the most similar runs that are done tells: the same graph, space and loss; the same graph and
    loss; the same graph. Where there is none, nothing is known, and the run is begun while there is time.
    """

    def __init__(self, folder: Folder, minutes: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder, self.clock, self.until = folder, clock, clock() + 60.0 * minutes

    def allows(self, run: Run) -> bool:
        """Whether there is time for a run."""
        left = self.until - self.clock()
        return left > 0.0 and (estimate(run, self.folder.records()) or 0.0) <= left


def estimate(run: Run, records: Iterable[Mapping[str, Any]]) -> float | None:
    """Seconds that a run may take, by those that are done."""
    done = [r for r in records if r["run"]["graph"] == run.graph and r.get("seconds")]
    for keys in (("space", "loss"), ("loss",), ()):
        alike = [r["seconds"] for r in done if all(r["run"][key] == getattr(run, key) for key in keys)]
        if alike:
            return fmean(alike)
    return None
