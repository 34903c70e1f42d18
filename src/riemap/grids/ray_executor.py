"""Runs of a grid on many machines, by Ray.

Whoever starts the grid has its folder, and holds the lock of a run while a node is at it. Nodes have riemap
installed, and no file of ours: a graph and its distances go into the object store once, from where each node
takes them once, and records and embeddings come back.
"""

import logging
import re
import socket
import time
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numba

import riemap
from riemap.distances import given, shortest_paths
from riemap.errors import InputError
from riemap.grids.grid import GraphSource, Run
from riemap.grids.local_executor import PATIENCE, Outcome, Wanted, always
from riemap.grids.records import Folder
from riemap.grids.worker import DONE, FAILED, FOUND, LEFT, computed, failure
from riemap.specs import shown

if TYPE_CHECKING:
    from riemap.embeddings import Embedding

RETRIES = 3
"""Times that a run is begun anew whose worker dies: of many machines, one or the other fails."""

PORT = 6379
"""Of a cluster whose address does not tell."""

ANSWER = 5.0
"""Seconds to wait for a cluster to answer."""


def execute_on_ray(
    folder: Folder, runs: Sequence[Run], address: str, wanted: Wanted = always
) -> Generator[Outcome, None, None]:
    """Do runs on a Ray cluster, as many at a time as it has cores; otherwise like :func:`execute`.

    Parameters
    ----------
    folder
        Of the grid, on this machine.
    runs
        What to do; a failed record that is there now is done again.
    address
        Of the cluster, ``host:port``; ``auto`` is the one on this machine.
    wanted
        Asked of a run before it is begun, such as whether there is time for it.
    """
    if not runs:
        return
    ray = connected(address)
    pool = RayPool(ray, folder, runs, wanted)
    try:
        yield from pool.outcomes()
    finally:
        pool.close()
        ray.shutdown()


def connected(address: str) -> Any:
    """Ray, connected to the cluster at an address; or what is missing."""
    try:
        import ray
    except ImportError:
        raise ImportError("clusters need Ray; install it with: pip install 'riemap[ray]'") from None
    if address != "auto":
        address = _answering(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(f"cannot join the Ray cluster at {address}: {reason[0]}") from None
    return ray


def _answering(address: str) -> str:
    """The address in full, if anyone is there."""
    parts = re.fullmatch(r"(ray://)?([\w.-]+|\[[0-9a-fA-F:]+\])(?::([0-9]{1,5}))?", address)
    if parts is None:
        raise InputError(
            f"{shown(address)} is not the address of a Ray cluster, e.g. 127.0.0.1:6379, or auto"
        )
    scheme, host, port = parts[1] or "", parts[2], int(parts[3] or PORT)
    try:
        socket.create_connection((host.strip("[]"), port), ANSWER).close()
    except (OSError, OverflowError) as error:
        raise InputError(
            f"no Ray cluster answers at {host}:{port} ({error}); 'ray start --head' starts one"
        ) from None
    return f"{scheme}{host}:{port}"


def remote_run(
    version: str, spec: dict[str, Any], graph: Any, matrix: Any, compact: bool
) -> "tuple[dict[str, Any], Embedding | None]":
    """What a node does: a run, on one core, with distances from its object store."""
    if version != riemap.__version__:
        raise InputError(f"a node has riemap {riemap.__version__}")
    numba.set_num_threads(1)
    with given(graph, matrix):
        record, embedding = computed(Run.from_json(spec), lambda: graph)
    return record, None if compact else embedding


class _Flight(NamedTuple):
    """A run that a node is at, and our lock of it."""

    run: Run
    lock: ExitStack


@final
class RayPool:
    """Runs to do, those that nodes are at, and what is in the object store for them."""

    def __init__(self, ray: Any, folder: Folder, runs: Sequence[Run], wanted: Wanted) -> None:
        self.ray, self.folder, self.wanted = ray, folder, wanted
        self.todo = deque((run, folder.stamp(run.id)) for run in runs)
        self.flights: dict[Any, _Flight] = {}
        self.task = ray.remote(num_cpus=1, max_retries=RETRIES)(remote_run)
        self.shipped: tuple[GraphSource | None, tuple[Any, Any]] = (None, (None, None))

    def outcomes(self) -> Generator[Outcome, None, None]:
        """Send runs out while there are cores, and tell of each that came back."""
        while self.todo or self.flights:
            yield from self._send()
            if not self.flights:
                time.sleep(PATIENCE)  # all that is left is with other processes
                continue
            ready, _ = self.ray.wait(list(self.flights), timeout=PATIENCE if self.todo else None)
            for ref in ready:
                yield self._land(ref)

    def _send(self) -> Generator[Outcome, None, None]:
        cores = int(self.ray.cluster_resources().get("CPU", 1))
        for _ in range(len(self.todo)):
            if len(self.flights) >= cores:
                return
            run, stamp = self.todo.popleft()
            if not self.wanted(run):
                yield Outcome(run, LEFT)
                continue
            lock = ExitStack()
            if not lock.enter_context(self.folder.claim(run.id)):
                self.todo.append((run, stamp))
            elif self.folder.stamp(run.id) != stamp:
                lock.close()
                yield Outcome(run, FOUND)
            else:
                graph, matrix = self._ship(run.source)
                ref = self.task.remote(riemap.__version__, asdict(run), graph, matrix, self.folder.compact)
                self.flights[ref] = _Flight(run, lock)

    def _ship(self, source: GraphSource) -> tuple[Any, Any]:
        """A graph and its distances in the object store, which keeps them as long as a run needs them."""
        if self.shipped[0] != source:
            graph = source.open()
            self.shipped = source, (self.ray.put(graph), self.ray.put(shortest_paths(graph)))
        return self.shipped[1]

    def _land(self, ref: Any) -> Outcome:
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
                record, embedding = {**failure(run, 1, "WorkerError", reason), "seconds": None}, None
            if embedding is not None:
                embedding.save(self.folder.embedding(run.id))
            self.folder.write(run.id, record)
        return Outcome(run, FAILED if "error" in record else DONE)

    def close(self) -> None:
        """Call back what is out; no run is begun any more."""
        for ref, flight in self.flights.items():
            self.ray.cancel(ref, force=True)
            flight.lock.close()


def _last_line(error: Exception) -> str:
    return str(error).strip().splitlines()[-1]
