"""Runs of a grid on this machine: some worker processes, which share the cores."""

import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import suppress
from typing import final

from riemap.grids.machine import cores
from riemap.grids.outcomes import Outcome, RunOutcome
from riemap.grids.queue import WAIT_SECONDS, RunQueue, Todo, Wanted, always
from riemap.grids.record import failure
from riemap.grids.records import GridFolder
from riemap.grids.worker import job
from riemap.runs.spec import RunSpec

TRIES = 2
"""Number of times that a run is begun if its worker process dies: one death may be an accident."""

THREAD_VARIABLES = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Environment variables that limit the threads of a worker."""


def execute_locally(
    folder: GridFolder, runs: Sequence[RunSpec], workers: int = 1, wanted: Wanted = always
) -> Generator[RunOutcome, None, None]:
    """Do runs, several at a time, and report each when it is accounted for.

    A run that another process does is waited for. Leaving early, by closing the iterator or by an exception
    such as Ctrl-C, ends the workers; records of finished runs are kept.

    Parameters
    ----------
    folder
        The folder of the grid.
    runs
        What to do; a run that has a failed record now is done again.
    workers
        Number of processes; at most as many as there are cores, which they share.
    wanted
        Is asked before a run is begun, such as whether there is time for it.

    Yields
    ------
    RunOutcome
        A run and its outcome.
    """
    count = max(1, min(workers, cores(), len(runs)))
    pool = WorkerPool(folder, RunQueue(folder, runs, wanted), _threads(count))
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
    """Number of threads for each of so many workers; fewer if the user wants fewer."""
    share = max(1, cores() // workers)
    wanted = os.environ.get("NUMBA_NUM_THREADS", "")
    return min(share, int(wanted)) if wanted.isdecimal() and int(wanted) else share


class Worker:
    """A process that does runs; see :mod:`riemap.grids.worker`."""

    def __init__(self, threads: int) -> None:
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 -- open as long as the process
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", "from riemap.grids.worker import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env={**os.environ, **dict.fromkeys(THREAD_VARIABLES, str(threads))},
            start_new_session=True,  # Ctrl-C is for us, and we end the workers
        )

    def ask(self, job: str) -> Outcome | None:
        """Have a run done; ``None`` if the process ended before it answered."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(job.encode() + b"\n")
            self.process.stdin.flush()
        line = self.process.stdout.readline()
        return Outcome(line.decode().strip()) if line.endswith(b"\n") else None

    def reason(self) -> str:
        """Say why a process ended that was not told to."""
        code = self.process.wait()
        if code < 0:
            return f"its process was ended by {signal.Signals(-code).name}"
        self.errors.seek(0)
        said = self.errors.read().decode(errors="replace").splitlines() or ["nothing"]
        return f"its process ended with code {code}, and said: {said[-1]}"

    def kill(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.errors):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()


@final
class WorkerPool:
    """Worker processes, and a thread for each that gives it runs of a queue."""

    def __init__(self, folder: GridFolder, todo: RunQueue, threads: int) -> None:
        self.folder, self.queue, self.threads = folder, todo, threads
        self.events: queue.SimpleQueue[RunOutcome | BaseException] = queue.SimpleQueue()
        self.lock, self.workers, self.closed = threading.Lock(), set[Worker](), False

    def serve(self) -> None:
        """Have one worker do runs until none is left."""
        worker: Worker | None = None
        try:
            while not self.closed and (todo := self.queue.take()) is not None:
                outcome = Outcome.LEFT
                if todo.wanted:
                    worker, outcome = self._do(worker, todo)
                settled = self.queue.settle(todo, outcome)
                if settled is None:
                    time.sleep(WAIT_SECONDS)
                else:
                    self.events.put(settled)
        except BaseException as error:
            self.events.put(error)
        finally:
            self._dismiss(worker)

    def _do(self, worker: Worker | None, todo: Todo) -> tuple[Worker | None, Outcome]:
        """Have a run done, by a new worker if the one we have dies."""
        reason = ""
        for _ in range(TRIES):
            worker = worker or self._hire()
            if worker is None:
                return None, Outcome.HELD
            outcome = worker.ask(job(self.folder, todo.run, todo.attempts))
            if outcome is not None:
                return worker, outcome
            reason = worker.reason()
            self._dismiss(worker)
            worker = None
        return None, self._give_up(todo, reason)

    def _give_up(self, todo: Todo, reason: str) -> Outcome:
        """Record that a run ends its workers."""
        with self.folder.claim(todo.run, todo.attempts) as taken:
            if self.closed or taken is not None:
                return Outcome.HELD
            return self.folder.save(failure(todo.run, self.threads, "WorkerError", reason))

    def _hire(self) -> Worker | None:
        with self.lock:
            if self.closed:
                return None
            worker = Worker(self.threads)
            self.workers.add(worker)
            return worker

    def _dismiss(self, worker: Worker | None) -> None:
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
