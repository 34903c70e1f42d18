"""The search: short trials of all spaces, longer ones of the better part, the whole plan for the last few.

A space is given up when it is clearly worse than the best one, or when the time does not suffice for all that
are left. The latter are not called worse.
"""

import math
import time
from collections.abc import Callable, Sequence
from enum import Enum
from typing import TypeAlias, final

from riemap.choosing.candidates import is_flat
from riemap.choosing.comparisons import SELDOM_WRONG, Board
from riemap.choosing.executors import Executor, InTurn, TrialJob
from riemap.choosing.splits import Problem
from riemap.choosing.trial_record import OutOfTime, Trial, TrialRecord
from riemap.choosing.trials import full_epochs
from riemap.metrics.registry import Metric
from riemap.spaces import Space
from riemap.training.trainer import never

SHORT_SHARE, LONGER_SHARE = 1 / 8, 1 / 3
"""Length of short and of longer trials, as a share of the epochs of the whole plan."""

SHORT_SEEDS, LONGER_SEEDS = 2, 3
"""Number of seeds of short and of longer trials. Two are the fewest that have a standard error."""

FEWEST_RACED_SEEDS = 2
"""Number of seeds of the whole plan before a space is given up in the middle of it."""

LONGER_TIME_SHARE = 0.4
"""Share of the time left that longer trials may take, so that enough is left for the whole plan."""

FEWEST_FINALISTS = 2
"""Number of spaces that are tried with the whole plan even if the time does not suffice for all seeds."""

SLOW_FACTOR = 4.0
"""A space is too slow if a short trial takes more than so many times its share of half of the budget."""

Told: TypeAlias = Callable[[Trial], None]
"""Is called after each trial."""


class SearchEnd(Enum):
    """Why the search ended; the value is the sentence to show."""

    FINISHED = "all trials are done"
    BUDGET = "the budget is used up"
    INTERRUPTED = "it was interrupted"


@final
class Search:
    """Tries spaces until it is clear which are best, or the time is over.

    Parameters
    ----------
    problem
        The distances to fit.
    spaces
        The candidates. Euclidean space is the baseline, or the first one if it is not among them. It always
        gets the whole plan.
    metric
        The metric that decides.
    seeds
        Number of seeds of the whole plan.
    seconds
        Time for all trials.
    known
        Trials that are done already, which are not done again.
    told
        Is called after each trial.
    interrupted
        Ends the search by returning ``True``.
    executor
        Where trials are done; in this process by default.
    """

    def __init__(
        self,
        problem: Problem,
        spaces: Sequence[Space],
        metric: Metric,
        seeds: int,
        seconds: float,
        *,
        known: Sequence[TrialRecord] = (),
        told: Told = lambda trial: None,
        interrupted: Callable[[], bool] = never,
        executor: Executor | None = None,
    ) -> None:
        self.executor = executor or InTurn(problem)
        self.problem, self.metric, self.seeds = problem, metric, seeds
        self.spaces = {str(space): space for space in spaces}
        self.baseline = str(next((s for s in spaces if is_flat(s)), spaces[0]))
        self.seconds, self.told, self.interrupted = seconds, told, interrupted
        self.until = time.monotonic() + seconds
        self.full = full_epochs(problem)
        self.board = Board(metric, self.full, known)
        self.slow: set[str] = set()
        self._done = {(r["space"], r["seed"], r["epochs"]) for r in known}

    def run(self) -> SearchEnd:
        """Do all trials that there is time for."""
        try:
            left = self._shorter(list(self.spaces), SHORT_SHARE, SHORT_SEEDS)
            if not self._fits(left):
                begun = [s for s in left if self.board.values(s, self.full)]  # in an earlier session
                left = begun or self._longer(left)
            self._whole_plan(left)
            if (more := self.undecided()) and self._fits(more):  # short trials had another best space
                self._whole_plan([*filter(None, [self.board.best()]), *more])
        except OutOfTime:
            return SearchEnd.INTERRUPTED if self.interrupted() else SearchEnd.BUDGET
        return SearchEnd.BUDGET if self.undecided() else SearchEnd.FINISHED

    def undecided(self) -> list[str]:
        """List the spaces that lack trials although they are not clearly worse than the best one."""
        best = self.board.best()
        lacking = [s for s in self.spaces if len(self.board.values(s, self.full)) < self._wanted_seeds]
        others = [s for s in lacking if s != best and s not in self.slow]
        return [s for s in others if best is None or not self.board.is_worse(s, best)]

    def missing_seconds(self) -> float:
        """Estimate the time that the trials which are missing for a whole answer take."""
        spaces = self.undecided()
        spaces += [best] if spaces and (best := self.board.best()) is not None else []
        return sum(self._missing(s, self.full, self.seeds) for s in spaces)

    @property
    def _wanted_seeds(self) -> int:
        """Number of seeds that have a score; a metric may be undefined for all spaces with some seed."""
        done = {seed for _, seed, epochs in self._done if epochs == self.full}
        known = {s for space in self.spaces for s in self.board.values(space, self.full)}
        return min(self.seeds, len(known) + self.seeds - len(done))

    def _shorter(self, spaces: Sequence[str], share: float, seeds: int) -> list[str]:
        """Do trials of a part of the plan; return the spaces that are not clearly worse, the best first."""
        epochs = max(round(share * self.full), 1)
        for seed in range(min(seeds, self.seeds)):
            self._trials([s for s in spaces if s not in self.slow], seed, epochs, limited=True)
        ranked = self.board.ranked(spaces, epochs)
        return [s for s in ranked if not self.board.is_worse(s, ranked[0], SELDOM_WRONG)]

    def _longer(self, spaces: Sequence[str]) -> list[str]:
        """Do longer trials of the first of the spaces; return those that are not clearly worse."""
        some = self._affordable(spaces, LONGER_SHARE, LONGER_SEEDS, LONGER_TIME_SHARE)
        return self._shorter(some, LONGER_SHARE, LONGER_SEEDS)

    def _whole_plan(self, spaces: Sequence[str]) -> None:
        """Do the whole plan with one seed after the other, and give up spaces that are clearly worse."""
        left = self._affordable(spaces, 1.0, self.seeds, 1.0)
        if self.baseline not in left and self.baseline not in self.board.diverged | self.slow:
            left = [*left, self.baseline]
        for seed in range(self.seeds):
            self._trials(left, seed, self.full)
            if seed + 1 >= FEWEST_RACED_SEEDS and (best := self.board.best()) is not None:
                left = [s for s in left if not self.board.is_worse(s, best, SELDOM_WRONG)]
            if len(left) == 1:
                break

    def _fits(self, spaces: Sequence[str]) -> bool:
        """Whether the whole plan with all seeds of these spaces is likely to be done in time."""
        cost = sum(self._missing(s, self.full, self.seeds) for s in spaces)
        return cost <= self.until - time.monotonic()

    def _affordable(self, spaces: Sequence[str], share: float, seeds: int, part: float) -> list[str]:
        """Take the first of the spaces, as many as there is time for, and at least two."""
        left = part * (self.until - time.monotonic())
        found: list[str] = []
        for space in spaces:
            left -= self._missing(space, max(round(share * self.full), 1), seeds)
            if left < 0.0 and len(found) >= FEWEST_FINALISTS:
                break
            found.append(space)
        return found

    def _missing(self, space: str, epochs: int, seeds: int) -> float:
        """Seconds that the trials of a space take which are not done yet, if all cores do some."""
        count = sum((space, seed, epochs) not in self._done for seed in range(seeds))
        return count * self._estimate(space, epochs) / self.executor.at_once

    def _estimate(self, space: str, epochs: int) -> float:
        """Seconds of a trial, from those of the longest trials of this space, or of all spaces."""
        if times := self.board.seconds.get(space):
            longest = max(times)
            return min(times[longest]) * epochs / longest
        others = [self._estimate(s, epochs) for s in self.board.seconds]
        return sum(others) / len(others) if others else 0.0

    def _left(self) -> float:
        """Seconds that are left; none after an interruption."""
        return 0.0 if self.interrupted() else self.until - time.monotonic()

    def _trials(self, spaces: Sequence[str], seed: int, epochs: int, limited: bool = False) -> None:
        """Do the trials of some spaces that are not done yet."""
        share = 0.5 * self.seconds * self.executor.at_once / (SHORT_SEEDS * len(self.spaces))
        limit = SLOW_FACTOR * share if limited else math.inf
        length = None if epochs == self.full else epochs
        todo = [space for space in spaces if (space, seed, epochs) not in self._done]
        jobs = [TrialJob(space, seed, length) for space in todo if space not in self.board.diverged]
        ended = 0
        for job, trial in self.executor.trials(jobs, limit, self._left):
            ended += 1
            if trial is None:
                self.slow.add(job.space)
                continue
            self._done.add((job.space, seed, epochs))
            self.board.add(trial.record)
            self.told(trial)
        if ended < len(jobs):
            raise OutOfTime
