"""The runs of a grid that are still to be done; all executors take them from here."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias, final

from riemap.grids.outcomes import Outcome, RunOutcome
from riemap.grids.records import GridFolder
from riemap.locks import remove_stale_locks
from riemap.runs.spec import RunSpec

Wanted: TypeAlias = Callable[[RunSpec], bool]
"""Is asked before a run is begun whether it should be, such as whether there is time for it."""

WAIT_SECONDS = 0.3
"""Time before a run that another process does is looked at again."""


def always(run: RunSpec) -> bool:
    """Want every run."""
    return True


def unfinished(folder: GridFolder, runs: Sequence[RunSpec], retry: bool = False) -> list[RunSpec]:
    """Select the runs without a record and, if they are to be tried again, those that failed.

    Parameters
    ----------
    folder
        The folder of the grid.
    runs
        The runs to choose from.
    retry
        Whether failed runs are tried again.

    Returns
    -------
    list of RunSpec
        The runs to do, in the same order.
    """
    records = ((run, folder.record(run)) for run in runs)
    return [run for run, record in records if record is None or (retry and "error" in record)]


class Todo(NamedTuple):
    """A run to do, how many times it was recorded when that was decided, and whether it should be begun."""

    run: RunSpec
    attempts: int
    wanted: bool


@final
class RunQueue:
    """Runs to do, first in, first out."""

    def __init__(self, folder: GridFolder, runs: Sequence[RunSpec], wanted: Wanted = always) -> None:
        self.wanted = wanted
        remove_stale_locks(folder.locks)
        self._runs = deque((run, folder.attempts(run)) for run in runs)

    def __len__(self) -> int:
        return len(self._runs)

    def take(self) -> Todo | None:
        """Take the next run, if there is one; several threads may."""
        try:
            run, attempts = self._runs.popleft()
        except IndexError:
            return None
        return Todo(run, attempts, self.wanted(run))

    def settle(self, todo: Todo, outcome: Outcome) -> RunOutcome | None:
        """Account for a run; one that another process does now goes back to the end of the queue."""
        if outcome is Outcome.HELD:
            self._runs.append((todo.run, todo.attempts))
            return None
        return RunOutcome(todo.run, outcome)
