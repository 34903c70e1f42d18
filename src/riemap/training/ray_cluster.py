"""A Ray cluster: how to join one, and the tasks of a run on a large graph on its nodes.

The process that starts a run holds its state, and sends a task all that it needs. A task whose worker dies is
done again by another one, with the same result. Nodes have riemap installed, and need no file of ours.
"""

import functools
import itertools
import logging
import os
import re
import socket
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar, final

import numpy as np

import riemap
from riemap import threads
from riemap.errors import InputError, MissingExtraError
from riemap.graphs import Graph
from riemap.spaces import Space
from riemap.specs import expect, shown
from riemap.training.large_start import cluster_needs
from riemap.training.malloc import keep_freed_memory
from riemap.training.workers import Task, Workers

RETRIES = 3
"""Number of times that a task is begun again if its worker dies: in a cluster, single machines fail."""

DEFAULT_PORT = 6379
"""Port of a cluster whose address names none; Ray's own default."""

CONNECT_SECONDS = 5.0
"""Longest time to wait for a cluster to answer."""

TASKS_PER_CORE = 8
"""Number of tasks for each core that are sent before the first result is waited for. A core that is done
finds its next task on its own machine."""

ASK_MILLISECONDS = "20"
"""Time after which Ray asks for a result again. Its own default is a second, and at times it misses that a
result has come from another machine: half of the clusters then took 4 s instead of 1 for a round of 200,000
nodes."""

MOST_INLINE = {"RAY_max_direct_call_object_size": str(8_000_000)}
"""Ray's setting of the number of bytes up to which an argument or a result travels within the message about
its task, and not by the object store. Ray's own default is 100,000. By the store, the 1.2 MB of a shard take
5 ms more of a core there and back; Ray's messages have at most 10 MB of them."""

T = TypeVar("T")


def connected(address: str) -> Any:
    """Connect to the cluster at an address.

    Parameters
    ----------
    address
        ``host:port``, or ``auto``.

    Returns
    -------
    module
        Ray, connected.

    Raises
    ------
    InputError
        If Ray is not installed, or if no cluster answers.
    """
    expect(address, str, "the address of a Ray cluster", "e.g. 127.0.0.1:6379, or auto")
    for name, value in {
        "RAY_get_check_signal_interval_milliseconds": ASK_MILLISECONDS,
        **MOST_INLINE,
    }.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise MissingExtraError("clusters need Ray; install it with: pip install 'riemap[ray]'") from None
    if address != "auto":
        address = _answering(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(f"cannot join the Ray cluster at {address}: {reason[0]}") from None
    return ray


def _answering(address: str) -> str:
    """The address in full, if something answers there."""
    parts = re.fullmatch(r"(ray://)?([\w.-]+|\[[0-9a-fA-F:]+\])(?::([0-9]{1,5}))?", address)
    if parts is None:
        raise InputError(
            f"{shown(address)} is not the address of a Ray cluster, e.g. 127.0.0.1:6379, or auto"
        )
    scheme, host, port = parts[1] or "", parts[2], int(parts[3] or DEFAULT_PORT)
    try:
        socket.create_connection((host.strip("[]"), port), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise InputError(
            f"no Ray cluster answers at {host}:{port} ({error}); 'ray start --head' starts one"
        ) from None
    return f"{scheme}{host}:{port}"


@contextmanager
def ray_workers(address: str) -> Iterator["RayWorkers"]:
    """Join a cluster for a while.

    Parameters
    ----------
    address
        Address of the cluster, ``host:port``; ``auto`` is the one on this machine.

    Yields
    ------
    RayWorkers
        Its workers.

    Raises
    ------
    InputError
        If Ray is not installed, or if no cluster answers.
    """
    ray = connected(address)
    try:
        yield RayWorkers(ray)
    finally:
        ray.shutdown()


def remote_task(version: str, function: Any, *arguments: Any) -> Any:
    """Do a task on a node of the cluster, on one core."""
    if version != riemap.__version__:
        raise InputError(f"a node has riemap {riemap.__version__}")
    _prepare_worker()
    return function(*arguments)


def dealt(nodes: Sequence[T], first: int) -> Iterator[T]:
    """Deal tasks to nodes in turn, where the first task takes as long as so many others.

    >>> "".join(itertools.islice(dealt("ab", 3), 9))
    'abbbababa'
    """
    yield nodes[0]
    for turn in itertools.count(1):
        yield from nodes[turn <= first :]


@functools.cache
def _prepare_worker() -> None:
    """Use one thread in this process, which is a worker of the cluster, and keep freed memory for later."""
    threads.set_count(1)
    keep_freed_memory()


@final
class RayWorkers(Workers):
    """Does tasks on the nodes of a cluster, each on one core.

    The tasks with the same number among those of a call go to the same node while the nodes stay the same.
    So a node keeps what was shared for its own tasks, and not what was shared for all.

    Parameters
    ----------
    ray
        Ray, connected.
    """

    def __init__(self, ray: Any) -> None:
        self.ray = ray
        workers: Any = {"env_vars": MOST_INLINE}
        self._task = ray.remote(num_cpus=1, max_retries=RETRIES, runtime_env=workers)(remote_task)
        self._task_on: dict[str, Any] = {}

    @property
    def nodes(self) -> list[str]:
        """The node of each core, one after the other from every node that has one left."""
        cores = {
            node["NodeID"]: int(node["Resources"].get("CPU", 0))
            for node in sorted(self.ray.nodes(), key=lambda node: str(node["NodeID"]))
            if node["Alive"]
        }
        return [node for k in range(max(cores.values(), default=0)) for node in cores if cores[node] > k]

    @property
    def size(self) -> int:
        """Number of cores."""
        return max(len(self.nodes), 1)

    def needs(self, graph: Graph, space: Space) -> str:
        """Say in one line how much memory a run needs on this cluster."""
        nodes = self.nodes
        return cluster_needs(graph, space, max(len(nodes), 1), max(len(set(nodes)), 1))

    def share(self, value: T) -> T:
        """Put a value into the object store; a node takes it from there once."""
        return self.ray.put(value)

    def results(
        self, tasks: Iterable[Task], first: int = 1, *, anywhere: bool = False
    ) -> Generator[Any, None, None]:
        """Send some tasks at once and the others in time, and wait for the results in their order."""
        nodes: list[Any] = self.nodes or [None]
        if anywhere:
            return self._by_free_cores(tasks, nodes)
        refs = (self._sent(task, node) for task, node in zip(tasks, dealt(nodes, first), strict=False))
        return self._in_turn(deque(itertools.islice(refs, TASKS_PER_CORE * len(nodes))), refs)

    def _in_turn(self, ahead: deque[Any], refs: Iterator[Any]) -> Generator[Any, None, None]:
        """Take one more task for each result."""
        with self._cancelled(ahead):
            while ahead:
                found = self._result(ahead.popleft())
                ahead.extend(itertools.islice(refs, 1))
                yield found

    def _by_free_cores(self, tasks: Iterable[Task], nodes: list[Any]) -> Generator[Any, None, None]:
        """Send two tasks for each core, and then each task to a node that is done with one."""
        free, busy, ahead = deque(nodes * 2), dict[Any, Any](), deque[Any]()
        with self._cancelled(ahead):
            for task in tasks:
                if not free:
                    (done,), _ = self.ray.wait(list(busy), num_returns=1)
                    free.append(busy.pop(done))
                ahead.append(self._sent(task, free[0]))
                busy[ahead[-1]] = free.popleft()
                while ahead[0] not in busy:
                    yield self._result(ahead.popleft())
            yield from self._in_turn(ahead, iter(()))

    @contextmanager
    def _cancelled(self, refs: deque[Any]) -> Iterator[None]:
        """Cancel the tasks that are left in a queue at the end."""
        try:
            yield
        finally:
            for ref in refs:
                with suppress(self.ray.exceptions.RayError):
                    self.ray.cancel(ref)

    def _sent(self, task: Task, node: str | None) -> Any:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        if node is None:
            return self._task.remote(riemap.__version__, *task)
        if node not in self._task_on:
            chosen = NodeAffinitySchedulingStrategy(node, soft=True)
            self._task_on[node] = self._task.options(scheduling_strategy=chosen)
        return self._task_on[node].remote(riemap.__version__, *task)

    def _result(self, ref: Any) -> Any:
        errors = self.ray.exceptions
        try:
            return self.ray.get(ref)
        except errors.RayTaskError as error:
            if isinstance(error.cause, FloatingPointError | np.linalg.LinAlgError):
                raise error.cause from None
            if isinstance(error.cause, InputError | ImportError):
                raise InputError(
                    f"the cluster cannot do a run of riemap {riemap.__version__}: {error.cause}"
                ) from None
            raise
        except errors.RayError as error:
            raise InputError(
                f"the cluster gave a task up after {RETRIES + 1} attempts ({type(error).__name__}); where a "
                "run has a folder, the same command with --resume continues it"
            ) from None
