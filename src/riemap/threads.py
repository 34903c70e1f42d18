"""Threads that run the rows of a kernel side by side.

A kernel is a compiled loop over the rows ``start`` to ``stop`` that does not need Python's lock (see
:func:`riemap.loops.pair_loop`). :func:`run` gives each thread an equal part of the rows. The machine code is
the same for every part, and a row does not depend on the other rows, so results have the same bytes on any
number of threads.

Threads that wait for the next kernel spin for a while before they sleep, since waking a thread takes as long
as a small kernel. That is fastest while every thread has a core of its own. Where another program occupies a
core, all threads wait for the one that has to share it, and kernels would take thirty times as long. So
``riemap.core_share`` notices that, and for a while there are fewer threads.

Numba's own threads are not used: its parallel loops take twice as long to compile, GNU OpenMP hangs in forked
processes, and Numba's other pool aborts the process if two threads of Python use it.
"""

import os
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from riemap.atomics import load, relax, store
from riemap.compiling import for_loops_only, for_python
from riemap.core_share import CoreShare
from riemap.errors import InputError
from riemap.kernel_cache import keep_on_disk

Part = NDArray[np.int64]
"""What a thread does in one call of a kernel: see the names of the cells below."""

START, STOP, SIGNAL, TICKET = range(4)
"""Cells of a part: the first row, the row after the last, and the address and the value by which the thread
that calls the kernel tells the others that it has let go of Python's lock. An address of zero is none."""

SPINS = 50_000
"""How often a thread looks for its next part before it sleeps: for 1 to 2 milliseconds on the processor
measured, longer than the pause between two kernels of a training step."""

CROWDED_SPINS = 50
"""As :data:`SPINS`, if there are more threads than cores: then another thread needs the core."""

KEPT_DIVISIONS = 256
"""How many divisions of rows among threads are kept; making one takes as long as to start a kernel."""

CORES: int = numba.config.NUMBA_DEFAULT_NUM_THREADS  # type: ignore[attr-defined]
"""Number of cores that this process may use."""


@for_loops_only(forceinline=True)
def begin(part: Part) -> tuple[int, int]:
    """Let the other threads begin; returns the first row to do, and the row after the last.

    They are unsigned, which saves a test for indices that count from the end.
    """
    store(part[SIGNAL], part[TICKET])
    return np.uint64(part[START]), np.uint64(part[STOP])  # type: ignore[return-value]


@keep_on_disk
@for_python(nogil=True)
def _next_signal(signal: int, seen: int, finished: int, ticket: int, spins: int) -> int:
    """Report what is finished, and wait for a signal; returns it, or ``seen`` if there is none for long.

    The report comes from here because the thread that waits for it needs Python's lock next, and this
    function does not hold it.
    """
    store(finished, ticket)
    for _ in range(spins):
        value = load(signal)
        if value != seen:
            return value
        relax()
    return seen


@keep_on_disk
@for_python(nogil=True)
def _has_finished(finished: int, ticket: int, spins: int) -> bool:
    """Wait until a thread has reported; returns whether it has, after so many looks at most."""
    for _ in range(spins):
        if load(finished) == ticket:
            return True
        relax()
    return False


class _Cell:
    """An integer that threads read and write while others do, on cache lines of its own."""

    def __init__(self) -> None:
        self.memory = np.zeros(24, np.int64)
        self.address = int(self.memory[8:].ctypes.data)


class _Worker:
    """A thread that takes part in every kernel, and sleeps when there has been none for a while."""

    def __init__(self, signal: _Cell) -> None:
        self._cell = _Cell()
        self.finished = self._cell.address
        self.job: tuple[int, Any, Part | None, tuple[Any, ...]] = (0, None, None, ())
        self.error: BaseException | None = None
        self.spins = SPINS
        self._signal = signal
        self._sleeping = False
        self._alarm: queue.SimpleQueue[None] = queue.SimpleQueue()
        threading.Thread(target=self._serve, name="riemap", daemon=True).start()

    def give(self, ticket: int, kernel: Any, part: Part, args: tuple[Any, ...]) -> None:
        self.error = None
        self.job = (ticket, kernel, part, args)
        if self._sleeping:
            self._alarm.put(None)

    def _serve(self) -> None:
        signal, finished = self._signal.address, self.finished
        done = seen = 0
        while True:
            begun = _next_signal(signal, seen, finished, done, self.spins)
            job = self.job
            if job[0] != done:
                done, kernel, part, args = job
                try:
                    kernel(part, *args)
                except BaseException as error:
                    self.error = error
                del kernel, args
                if self.job is job:
                    self.job = (done, None, part, ())  # lets go of the arrays
            elif begun == seen:
                self._sleeping = True
                if self.job is job:
                    self._alarm.get()
                self._sleeping = False
            seen = begun


class _Pool:
    """The threads of a process. One kernel at a time uses them; others that run meanwhile use one thread."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.share = CoreShare()
        self._signal = _Cell()
        self._ticket = 0
        self._workers: list[_Worker] = []
        self._parts: dict[tuple[int, int, int], list[tuple[Any, Part]]] = {}

    def run(self, kernel: Any, rows: int, args: tuple[Any, ...], threads: int, grain: int) -> None:
        self._ticket = ticket = self._ticket + 1
        parts = self._parts.get((rows, threads, grain)) or self._divide(rows, threads, grain)
        spins = SPINS if threads <= CORES else CROWDED_SPINS
        for worker, part in parts[1:]:
            worker.spins = spins
            worker.give(ticket, kernel, part, args)
        mine = parts[0][1]
        mine[TICKET] = ticket
        try:
            kernel(mine, *args)
        finally:
            for worker, _ in parts[1:]:
                while not _has_finished(worker.finished, ticket, spins):
                    time.sleep(0.0)  # another thread may need this core
        for worker, _ in parts[1:]:
            if worker.error is not None:
                raise worker.error

    def _divide(self, rows: int, threads: int, grain: int) -> list[tuple[Any, Part]]:
        """Divide so many rows among threads, the first of which is the caller; kept for the next kernel."""
        while len(self._workers) < threads - 1:
            self._workers.append(_Worker(self._signal))
        ends = [k * rows // threads // grain * grain for k in range(threads)] + [rows]
        signals = [self._signal.address] + [0] * (threads - 1)
        parts = [np.array([ends[k], ends[k + 1], signals[k], 0]) for k in range(threads)]
        if len(self._parts) >= KEPT_DIVISIONS:
            self._parts.clear()
        found = list(zip([None, *self._workers], parts, strict=False))
        self._parts[rows, threads, grain] = found
        return found


class _Limit(threading.local):
    """How many threads the kernels of this thread of Python may use."""

    threads: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]


_limit = _Limit()
_pool = _Pool()


def _forget_threads() -> None:
    """In a forked process: the threads of the pool are not there."""
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


def count() -> int:
    """Return how many threads kernels may use: the number of cores, or what the user has chosen.

    Returns
    -------
    int
        The number given to :func:`limited`; else ``$NUMBA_NUM_THREADS``; else the number of cores.
    """
    return _limit.threads


def set_count(threads: int) -> None:
    """Set how many threads the kernels that this thread of Python starts may use.

    Results have the same bytes on any number of threads.

    Parameters
    ----------
    threads
        Number of threads, at least 1. More than there are cores only makes kernels slower.

    Raises
    ------
    InputError
        If it is not a positive integer.
    """
    if not isinstance(threads, int | np.integer) or isinstance(threads, bool) or threads < 1:
        raise InputError(f"the number of threads is {threads!r}; give a positive integer, for example 2")
    _limit.threads = int(threads)


@contextmanager
def limited(threads: int) -> Iterator[None]:
    """Set the number of threads, as :func:`set_count` does, and restore it afterwards.

    Parameters
    ----------
    threads
        Number of threads, at least 1.

    Examples
    --------
    >>> with limited(1):
    ...     count()
    1
    """
    before = _limit.threads
    set_count(threads)
    try:
        yield
    finally:
        _limit.threads = before


def run(kernel: Any, rows: int, args: tuple[Any, ...], least: int, grain: int) -> None:
    """Run a kernel on so many rows, as :class:`RowLoop` says."""
    allowed = _limit.threads
    if allowed > 1 and rows >= least and _pool.lock.acquire(blocking=False):
        try:
            threads = _pool.share.threads(allowed)
            if threads > 1:
                _pool.run(kernel, rows, args, threads, grain)
                return
        finally:
            _pool.lock.release()
    kernel(_all_rows(rows), *args)


@lru_cache(maxsize=KEPT_DIVISIONS)
def _all_rows(rows: int) -> Part:
    """Return the part of a thread that does all rows."""
    return np.array([0, rows, 0, 0])
