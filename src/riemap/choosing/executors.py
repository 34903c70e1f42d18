"""Where trials are done: in this process, in processes of this machine, or on the nodes of a Ray cluster.

A trial has the same scores wherever it is done. Several that are done at a time are trained on one thread
each.
"""

import logging
import multiprocessing
import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, TypeAlias, final

import riemap
from riemap import threads
from riemap.choosing.splits import Problem
from riemap.choosing.trial_record import OutOfTime, Trial
from riemap.choosing.trials import run_trial
from riemap.errors import InputError
from riemap.forks import begin_fork, can_fork
from riemap.kernel_cache import working_seconds
from riemap.spaces import Space
from riemap.training.process import ONE_THREAD_NODES
from riemap.training.ray_cluster import RETRIES, connected

logger = logging.getLogger(__name__)

PROCESS_NODES = 1500
"""Largest number of nodes for which each core does a trial of its own. On more nodes, the threads of one
trial use all cores about as well, and need the memory once."""

POLL_SECONDS = 0.1
"""How often we look whether the time is over while other processes work."""


class TrialJob(NamedTuple):
    """What a trial is: a space, a seed, and a number of epochs, ``None`` for the whole plan."""

    space: str
    seed: int
    epochs: int | None


Finished: TypeAlias = tuple[TrialJob, Trial | None]
"""A trial and its result; ``None`` if it took longer than it may."""


class Executor(Protocol):
    """Does trials."""

    @property
    def at_once(self) -> int:
        """How many trials it does at a time."""

    def trials(
        self, jobs: Sequence[TrialJob], seconds: float, left: Callable[[], float]
    ) -> Iterator[Finished]:
        """Do trials, and give each in its turn when it is done.

        Parameters
        ----------
        jobs
            What to do.
        seconds
            Longest time of one trial, without compilation.
        left
            Tells how many seconds are left for all of them; at zero, the trials end without a result.
        """


@final
class InTurn:
    """Does one trial after the other in this process.

    Parameters
    ----------
    problem
        What spaces compete in.
    """

    at_once = 1

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def trials(
        self, jobs: Sequence[TrialJob], seconds: float, left: Callable[[], float]
    ) -> Iterator[Finished]:
        """Do trials; see :class:`Executor`."""
        with threads.limited(1 if self.problem.n <= ONE_THREAD_NODES else threads.count()):
            for job in jobs:
                if left() <= 0.0:
                    return
                found = _done(self.problem, job, seconds, left)
                if found is None and left() <= 0.0:
                    return
                yield job, found


def _done(problem: Problem, job: TrialJob, seconds: float, left: Callable[[], float]) -> Trial | None:
    """Do a trial; ``None`` if it takes too long."""
    until = working_seconds() + seconds
    try:
        return run_trial(
            problem,
            Space.parse(job.space),
            job.seed,
            job.epochs,
            lambda: left() <= 0.0 or working_seconds() > until,
        )
    except OutOfTime:
        return None


def elsewhere(problem: Problem, job: TrialJob, seconds: float, left: float) -> Trial | None:
    """Do a trial on one thread, within so many seconds; for processes that do not know our clock."""
    until = time.monotonic() + left
    with threads.limited(1):
        return _done(problem, job, seconds, lambda: until - time.monotonic())


def remote_trial(version: str, problem: Problem, job: TrialJob, seconds: float, left: float) -> Trial | None:
    """Do a trial on a node of a cluster."""
    if version != riemap.__version__:
        raise InputError(f"a node has riemap {riemap.__version__}")
    return elsewhere(problem, job, seconds, left)


_forked: list[Problem] = []
"""The problem of the processes that are forked, which inherit it."""


def _in_fork(job: TrialJob, seconds: float, left: float) -> Trial | None:
    return elsewhere(_forked[-1], job, seconds, left)


@final
class InProcesses:
    """Does as many trials at a time as there are cores, in processes that are forked from this one."""

    def __init__(self, problem: Problem, pool: ProcessPoolExecutor, at_once: int) -> None:
        self.problem, self.pool, self.at_once = problem, pool, at_once

    def trials(
        self, jobs: Sequence[TrialJob], seconds: float, left: Callable[[], float]
    ) -> Iterator[Finished]:
        """Do trials; see :class:`Executor`. What a process that died leaves undone is done here."""
        futures: list[Future[Trial | None]] = []
        done = 0
        try:
            futures += [self.pool.submit(_in_fork, job, seconds, left()) for job in jobs]
            for job, future in zip(jobs, futures, strict=True):
                while not future.done() and left() > 0.0:
                    wait([future], POLL_SECONDS)
                if not future.done() or (future.result() is None and left() <= 0.0):
                    return
                done += 1
                yield job, future.result()
        except BrokenProcessPool:
            logger.warning("a process with trials died; the others are done in turn")
            yield from InTurn(self.problem).trials(jobs[done:], seconds, left)
        finally:
            for future in futures:
                future.cancel()


@final
class OnRay:
    """Does trials on the nodes of a Ray cluster, one for each core; they need no file of ours.

    Trials end by themselves when the time is over, and Ray ends what is left when we leave the cluster.
    """

    def __init__(self, problem: Problem, ray: Any) -> None:
        self.ray = ray
        self.at_once = max(int(ray.cluster_resources().get("CPU", 1)), 1)
        if problem.task is None:
            _ = problem.distances  # computed once, here
        self.problem = ray.put(problem)
        self.task = ray.remote(num_cpus=1, max_retries=RETRIES)(remote_trial)

    def trials(
        self, jobs: Sequence[TrialJob], seconds: float, left: Callable[[], float]
    ) -> Iterator[Finished]:
        """Do trials; see :class:`Executor`."""
        if left() <= 0.0:
            return
        version = riemap.__version__
        refs = [self.task.remote(version, self.problem, job, seconds, left()) for job in jobs]
        for job, ref in zip(jobs, refs, strict=True):
            while not (ready := self.ray.wait([ref], timeout=POLL_SECONDS)[0]) and left() > 0.0:
                pass
            found = self._result(ref) if ready else None
            if found is None and left() <= 0.0:
                return
            yield job, found

    def _result(self, ref: Any) -> Trial | None:
        try:
            found: Trial | None = self.ray.get(ref)
        except self.ray.exceptions.RayError as error:
            reason = str(error).strip().splitlines()[-1]
            raise InputError(
                f"the cluster cannot do trials of riemap {riemap.__version__}: {reason}"
            ) from None
        return found


@contextmanager
def executor(problem: Problem, address: str = "") -> Generator[Executor, None, None]:
    """Choose where to do trials.

    Parameters
    ----------
    problem
        What spaces compete in.
    address
        Address of a Ray cluster; without it, this machine.

    Yields
    ------
    Executor
        Processes on as many cores as kernels may use, if the graph is small and processes can be forked.

    Raises
    ------
    InputError
        If there is no such cluster.
    """
    if address:
        ray = connected(address)
        try:
            yield OnRay(problem, ray)
        finally:
            ray.shutdown()
        return
    count = threads.count()
    if count == 1 or problem.n > PROCESS_NODES or not can_fork():
        yield InTurn(problem)
        return
    if problem.task is None:
        _ = problem.distances  # computed before the processes are forked
    _forked.append(problem)
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("fork"), begin_fork, (os.getpid(),))
    processes: dict[int, Any] = pool._processes  # type: ignore[assignment]  # filled as they are started
    try:
        yield InProcesses(problem, pool, count)
    finally:
        _forked.pop()
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(processes.values()):  # what they still do is not wanted any more
            process.kill()
            process.join()
