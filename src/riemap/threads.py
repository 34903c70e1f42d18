"""How many threads the kernels use, and what they cannot do.

Every kernel ends at a barrier. GNU OpenMP lets a thread that arrives early spin there for some ten
milliseconds before it sleeps, which is fastest while every thread has a core of its own: waking a thread
takes as long as a small kernel. Where another program occupies a core, two of our threads share the other
core, and each spins away the time that the other one needs: a kernel of one millisecond takes thirty to
eighty. So :func:`sharing_cores` compares the processor time that our threads got with the time that passed.
Threads that spin are never idle, so what is missing went to other programs, and for a while the kernels use
fewer threads. Results have the same bytes on any number of threads.
"""

import functools
import math
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

import numba
from numba.np.ufunc.parallel import threading_layer

from riemap.errors import InputError

if sys.platform != "win32":
    from resource import RUSAGE_SELF, getrusage

P = ParamSpec("P")
R = TypeVar("R")

MEASURED_SECONDS = 0.02
"""For how long the processor time is measured before the number of threads is decided: several time slices
of Linux, which are 3 to 4 milliseconds."""

LOST_CORES = 0.3
"""How many cores may be missing before a thread is given up. On a quiet machine less than 0.05 are missing,
and beside one other busy process 0.5 to 1."""

SWITCHES_PER_SECOND = 40
"""How often a second the system may take a core away before we look at the time lost. Beside one other busy
process it does so 130 to 300 times. Without this rule, work that one thread does would look as if the other
threads had lost their cores."""

LONGEST_SECONDS = 0.1
"""Longer measurements are ignored: one thread compiled or loaded a kernel meanwhile, or the kernels are so
long that waiting at their ends does not matter."""

OUTSIDE_SHARE = 0.1
"""Largest share of a measurement that may have passed between the calls, when threads fall asleep; otherwise
the measurement says nothing."""

FIRST_REST_SECONDS, LONGEST_REST_SECONDS = 0.5, 4.0
"""For how long fewer threads are used before all are tried again, and the limit of this time, which doubles
with each trial that fails."""


class _Share(threading.local):
    """What one thread of Python knows about the cores that its kernels get."""

    inside = False
    allowed = 0  # threads that the user allows
    used = 0
    began = 0.0  # when the measurement began
    processor_began = 0.0  # processor time of the process then
    switches_began = 0  # how often the system had taken a core away by then
    left = 0.0  # when the last call ended
    outside = 0.0  # seconds of the measurement between calls, when threads may have been idle
    rest = FIRST_REST_SECONDS
    rest_ends = 0.0

    def enter(self, allowed: int) -> None:
        self.inside = True
        if allowed != self.allowed:
            self.allowed = self.used = allowed
        self.outside += time.perf_counter() - self.left
        self.decide()
        if self.used != allowed:
            numba.set_num_threads(self.used)

    def leave(self) -> None:
        self.inside = False
        self.left = time.perf_counter()
        if self.used != self.allowed:
            numba.set_num_threads(self.allowed)

    def decide(self) -> None:
        """Decide on the number of threads, if they were measured for long enough."""
        now = time.perf_counter()
        seconds = now - self.began
        if seconds < MEASURED_SECONDS:
            return
        usage = getrusage(RUSAGE_SELF)
        processor = usage.ru_utime + usage.ru_stime
        lost = self.used - (processor - self.processor_began) / seconds
        interrupted = usage.ru_nivcsw - self.switches_began > SWITCHES_PER_SECOND * seconds
        valid = seconds < LONGEST_SECONDS and self.outside < OUTSIDE_SHARE * seconds
        busy = valid and interrupted and lost > LOST_CORES
        self.began, self.outside = now, 0.0
        self.processor_began, self.switches_began = processor, usage.ru_nivcsw
        if busy and self.used == self.allowed:
            self.rest_ends = now + self.rest
            self.rest = min(2.0 * self.rest, LONGEST_REST_SECONDS)
            self._use(max(1, self.used - math.ceil(lost - LOST_CORES)))
        elif self.used == self.allowed:
            self.rest = FIRST_REST_SECONDS
        elif now > self.rest_ends:
            self._use(self.allowed)

    def _use(self, threads: int) -> None:
        self.used = threads
        numba.set_num_threads(threads)


_share = _Share()
_one_at_a_time = threading.RLock()


class _Layer:
    """What Numba runs its threads with: ``omp``, ``tbb`` or ``workqueue``; empty before they first run."""

    name = ""
    forked = False  # whether this process was forked from one whose threads had run

    def safe_in_threads(self) -> bool:
        """Tell whether two threads of Python may run kernels at once."""
        if not self.name:
            with suppress(ValueError):  # no kernel has run yet
                self.name = str(threading_layer())  # type: ignore[no-untyped-call]
        return self.name in ("omp", "tbb")

    @property
    def spins(self) -> bool:
        """Whether threads spin while they wait, and their processor time can be measured."""
        return self.name == "omp" and not _WAIT_POLICY_CHOSEN and sys.platform != "win32"

    def note_fork(self) -> None:
        self.safe_in_threads()
        self.forked = self.name == "omp"


_layer = _Layer()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_layer.note_fork)


def sharing_cores(run: Callable[P, R]) -> Callable[P, R]:
    """Make a function whose kernels use fewer threads while other programs occupy cores.

    The number of threads stays as it is for a user who allows one, or who chose by an environment variable
    how threads wait. Where Numba has neither OpenMP nor TBB, one thread of Python at a time runs such
    functions: Numba's own threads would abort the process.

    Raises
    ------
    InputError
        By the function, in a process that was forked after kernels of OpenMP had run: they would wait
        forever for threads that the new process does not have.
    """

    @functools.wraps(run)
    def shared(*args: P.args, **kwargs: P.kwargs) -> R:
        if _share.inside:
            _share.decide()
            return run(*args, **kwargs)
        if _layer.forked:
            raise InputError(
                "this process was forked from one in which riemap had run, and its threads (OpenMP) do not "
                "survive that. Start processes another way, for example by "
                "multiprocessing.get_context('spawn').Pool()"
            )
        if not _layer.safe_in_threads():
            with _one_at_a_time:
                return run(*args, **kwargs)
        allowed = numba.get_num_threads()
        if allowed == 1 or not _layer.spins:
            return run(*args, **kwargs)
        _share.enter(allowed)
        try:
            return run(*args, **kwargs)
        finally:
            _share.leave()

    return shared


_WAIT_POLICY_CHOSEN = any(name in os.environ for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"))
"""Whether the user has decided how the threads of OpenMP wait; then they may sleep, and use less time."""
