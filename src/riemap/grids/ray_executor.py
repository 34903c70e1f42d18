"""Runs of a grid on many machines, by Ray.

The process that starts the grid has its folder, and holds the lock of a run while a node does it. Nodes have
riemap installed and need no file of ours: a graph and its distances are put into the object store once, each
node takes them from there once, and records and embeddings are sent back.
"""

import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple, final

import riemap
from riemap import threads
from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.grids.outcomes import Outcome, RunOutcome
from riemap.grids.queue import WAIT_SECONDS, RunQueue, Todo, Wanted, always
from riemap.grids.record import RunRecord, failure
from riemap.grids.records import GridFolder
from riemap.grids.task_runs import RunInputs
from riemap.grids.worker import computed
from riemap.runs import RunSpec
from riemap.training.ray_cluster import connected

RETRIES = 3
"""Number of times that a run is begun again if its worker dies: in a cluster, single machines fail."""


def execute_on_ray(
    folder: GridFolder, runs: Sequence[RunSpec], address: str, wanted: Wanted = always
) -> Generator[RunOutcome, None, None]:
    """Do runs on a Ray cluster, as many at a time as it has cores.

    Parameters
    ----------
    folder
        The folder of the grid, on this machine.
    runs
        What to do; a run that has a failed record now is done again.
    address
        Address of the cluster, ``host:port``; ``auto`` is the one on this machine.
    wanted
        Is asked before a run is begun, such as whether there is time for it.

    Yields
    ------
    RunOutcome
        A run and its outcome.

    Raises
    ------
    InputError
        If there is no such cluster, or if its nodes cannot do the runs.
    """
    if not runs:
        return
    ray = connected(address)
    pool = RayPool(ray, folder, RunQueue(folder, runs, wanted))
    try:
        yield from pool.outcomes()
    finally:
        pool.close()
        ray.shutdown()


def remote_run(
    version: str, spec: dict[str, Any], graph: Any, shared: Any, compact: bool
) -> tuple[RunRecord, Embedding | None]:
    """Do a run on a node of the cluster, on one core, with distances or labels from the object store."""
    if version != riemap.__version__:
        raise InputError(f"a node has riemap {riemap.__version__}")
    threads.set_count(1)
    record, embedding = computed(RunSpec.from_json(spec), lambda: (graph, shared))
    return record, None if compact else embedding


class _Flight(NamedTuple):
    """A run that a node does, and our lock of it."""

    run: RunSpec
    lock: ExitStack


@final
class RayPool:
    """Runs that nodes of a cluster do, and what is in the object store for them."""

    def __init__(self, ray: Any, folder: GridFolder, todo: RunQueue) -> None:
        self.ray, self.folder, self.queue = ray, folder, todo
        self.flights: dict[Any, _Flight] = {}
        self.task = ray.remote(num_cpus=1, max_retries=RETRIES)(remote_run)
        self.shipped: tuple[RunInputs | None, tuple[Any, Any]] = (None, (None, None))

    def outcomes(self) -> Generator[RunOutcome, None, None]:
        """Send runs out while there are free cores, and report each that came back."""
        while self.queue or self.flights:
            yield from self._send_all()
            if not self.flights:
                time.sleep(WAIT_SECONDS)  # other processes do all that is left
                continue
            ready, _ = self.ray.wait(list(self.flights), timeout=WAIT_SECONDS if self.queue else None)
            for ref in ready:
                yield self._land(ref)

    def _send_all(self) -> Generator[RunOutcome, None, None]:
        cores = int(self.ray.cluster_resources().get("CPU", 1))
        for _ in range(len(self.queue)):
            if len(self.flights) >= cores or (todo := self.queue.take()) is None:
                return
            outcome = self._send(todo) if todo.wanted else Outcome.LEFT
            settled = None if outcome is None else self.queue.settle(todo, outcome)
            if settled is not None:
                yield settled

    def _send(self, todo: Todo) -> Outcome | None:
        """Send out a run; or say why it is not ours to do."""
        lock = ExitStack()
        taken = lock.enter_context(self.folder.claim(todo.run, todo.attempts))
        if taken is not None:
            lock.close()
            return taken
        graph, shared = self._ship(RunInputs.of(todo.run))
        spec = todo.run.as_json()
        ref = self.task.remote(riemap.__version__, spec, graph, shared, self.folder.compact)
        self.flights[ref] = _Flight(todo.run, lock)
        return None

    def _ship(self, inputs: RunInputs) -> tuple[Any, Any]:
        """Put a graph, and its distances or labels, into the object store while runs need them."""
        if self.shipped[0] != inputs:
            graph, shared = inputs.open()
            self.shipped = inputs, (self.ray.put(graph), self.ray.put(shared))
        return self.shipped[1]

    def _land(self, ref: Any) -> RunOutcome:
        """Keep what a node sent back."""
        run, lock = self.flights.pop(ref)
        with lock:
            try:
                record, embedding = self.ray.get(ref)
            except self.ray.exceptions.RayTaskError as error:
                raise InputError(
                    f"the cluster cannot do the runs of riemap {riemap.__version__}: {_last_line(error)}"
                ) from None
            except self.ray.exceptions.RayError as error:
                reason = f"its worker died {RETRIES + 1} times ({type(error).__name__})"
                record, embedding = failure(run, 1, "WorkerError", reason), None
            return RunOutcome(run, self.folder.save(record, embedding))

    def close(self) -> None:
        """Cancel the runs that nodes do; no run is begun any more."""
        for ref, flight in self.flights.items():
            self.ray.cancel(ref, force=True)
            flight.lock.close()


def _last_line(error: Exception) -> str:
    return str(error).strip().splitlines()[-1]
