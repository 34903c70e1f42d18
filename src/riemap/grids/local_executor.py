"""Runs of a grid on this machine: some worker processes, and the cores shared out among them."""

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import NamedTuple, TypeAlias, final

from riemap.grids.grid import Run
from riemap.grids.records import Folder, cores
from riemap.grids.worker import FAILED, HELD, LEFT, failure

TRIES = 2
"""Times that a run is begun whose worker dies of it."""

PATIENCE = 0.3
"""Seconds before a run is looked at again that another process has."""

_POOLS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Outcome(NamedTuple):
    """That a run is accounted for: done, failed, found to be one or the other already, or left."""

    run: Run
    outcome: str


Wanted: TypeAlias = Callable[[Run], bool]


def always(run: Run) -> bool:
    """Every run is wanted."""
    return True


def unfinished(folder: Folder, runs: Sequence[Run], retry: bool = False) -> list[Run]:
    """Runs without a record, and, to be tried again, those that failed."""
    records = ((run, folder.record(run.id)) for run in runs)
    return [run for run, record in records if record is None or (retry and "error" in record)]


def execute(
    folder: Folder, runs: Sequence[Run], workers: int = 1, wanted: Wanted = always
) -> Generator[Outcome, None, None]:
    """Do runs, some at a time, and tell of each when it is accounted for.

    A run that another process has is waited for. Leaving early, by closing the iterator or by an exception
    such as Ctrl-C, ends the workers; the records of finished runs are there.

    Parameters
    ----------
    folder
        Of the grid.
    runs
        What to do; a failed record that is there now is done again.
    workers
        Processes; at most as many as there are cores, which they share.
    wanted
        Asked of a run before it is begun, such as whether there is time for it.
    """
    count = max(1, min(workers, cores(), len(runs)))
    pool = WorkerPool(folder, runs, _threads(count), wanted)
    threads = [threading.Thread(target=pool.serve, daemon=True) for _ in range(count)]
    try:
        for thread in threads:
            thread.start()
        for _ in runs:
            found = pool.events.get()
            if isinstance(found, BaseException):
                raise found
            yield found
    finally:
        pool.close()
        for thread in threads:
            thread.join()


def _threads(workers: int) -> int:
    """For each of so many workers; fewer if the user wants fewer."""
    share = max(1, cores() // workers)
    wanted = os.environ.get("NUMBA_NUM_THREADS", "")
    return min(share, int(wanted)) if wanted.isdecimal() and int(wanted) else share


class _Worker:
    """A process that does runs; see :mod:`riemap.grids.worker`."""

    def __init__(self, threads: int) -> None:
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 -- open as long as the process
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "riemap.grids.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env={**os.environ, **dict.fromkeys(_POOLS, str(threads))},
            start_new_session=True,  # Ctrl-C is for us, and we see to the workers
        )

    def ask(self, job: Mapping[str, object]) -> str | None:
        """The outcome of a run, or nothing if the process ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(job).encode() + b"\n")
            self.process.stdin.flush()
        line = self.process.stdout.readline()
        return line.decode().strip() if line.endswith(b"\n") else None

    def reason(self) -> str:
        """Why a process ended by itself."""
        code = self.process.wait()
        if code < 0:
            return f"its process was ended by {signal.Signals(-code).name}"
        self.errors.seek(0)
        said = self.errors.read().decode(errors="replace").splitlines() or ["nothing"]
        return f"its process ended with code {code}, and said: {said[-1]}"

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.errors):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()


@final
class WorkerPool:
    """Runs to do, and threads of ours that each have a worker do some of them."""

    def __init__(self, folder: Folder, runs: Sequence[Run], threads: int, wanted: Wanted) -> None:
        self.folder, self.threads, self.wanted = folder, threads, wanted
        self.todo = deque((run, folder.stamp(run.id)) for run in runs)
        self.events: queue.SimpleQueue[Outcome | BaseException] = queue.SimpleQueue()
        self.lock, self.workers, self.closed = threading.Lock(), set[_Worker](), False

    def serve(self) -> None:
        """Do runs until none is left."""
        worker: _Worker | None = None
        try:
            while not self.closed:
                try:
                    run, stamp = self.todo.popleft()
                except IndexError:
                    break
                if not self.wanted(run):
                    self.events.put(Outcome(run, LEFT))
                    continue
                worker, outcome = self._do(worker, run, stamp)
                if outcome == HELD:
                    self.todo.append((run, stamp))
                    time.sleep(PATIENCE)
                else:
                    self.events.put(Outcome(run, outcome))
        except BaseException as error:
            self.events.put(error)
        finally:
            self._dismiss(worker)

    def _do(self, worker: _Worker | None, run: Run, stamp: str) -> tuple[_Worker | None, str]:
        """Have a run done, by a new worker if the one we have dies."""
        job = {
            "folder": str(self.folder.path),
            "compact": self.folder.compact,
            "run": asdict(run),
            "replaces": stamp,
        }
        reason = ""
        for _ in range(TRIES):
            worker = worker or self._hire()
            if worker is None:
                return None, HELD
            outcome = worker.ask(job)
            if outcome is not None:
                return worker, outcome
            reason = worker.reason()
            self._dismiss(worker)
            worker = None
        return None, self._give_up(run, stamp, reason)

    def _give_up(self, run: Run, stamp: str, reason: str) -> str:
        """Record that a run ends its workers."""
        with self.folder.claim(run.id) as ours:
            if self.closed or not ours or self.folder.stamp(run.id) != stamp:
                return HELD
            self.folder.write(run.id, {**failure(run, self.threads, "WorkerError", reason), "seconds": None})
        return FAILED

    def _hire(self) -> _Worker | None:
        with self.lock:
            if self.closed:
                return None
            worker = _Worker(self.threads)
            self.workers.add(worker)
            return worker

    def _dismiss(self, worker: _Worker | None) -> None:
        with self.lock:
            if worker in self.workers:
                self.workers.remove(worker)
                worker.kill()

    def close(self) -> None:
        """End all workers; no run is begun any more."""
        with self.lock:
            self.closed = True
            for worker in self.workers:
                worker.process.kill()
