"""The tasks of a run on a large graph in several processes of this machine.

A round has many short loops with some Python between them. Two threads gain nothing there: they wait for each
other at the end of each loop. So the tasks of a call are divided among processes with one thread each, which
are forked from this one when the call begins. A fork sees all arrays without a copy, and they do not change
while it works. Only results are sent, through a pipe. This process takes part.
"""

import os
import queue
import signal
import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from typing import Any, NamedTuple, TypeVar, final

from riemap import threads
from riemap.forks import begin_fork, can_fork
from riemap.training.sampled_objective import SHARD_NODES
from riemap.training.workers import InProcess, Task, Workers

NUMBER_BYTES = 4
"""Bytes of a task's number in the pipe from which all processes take them."""

T = TypeVar("T")

Result = tuple[int, Any]
"""The number of a task, and its result."""


def workers_here(n: int) -> Workers:
    """Choose where the tasks of a graph with ``n`` nodes are done on this machine.

    Parameters
    ----------
    n
        Number of nodes.

    Returns
    -------
    Workers
        Processes, if they can be forked and the graph has more than one shard; otherwise this process.
    """
    return ForkedWorkers() if can_fork() and n > SHARD_NODES else InProcess()


@final
class ForkedWorkers(Workers):
    """Does tasks in as many processes as kernels may use threads. This process is one of them."""

    @property
    def size(self) -> int:
        """Number of processes."""
        return threads.count()

    def share(self, value: T) -> T:
        """Return the value itself, which forks inherit."""
        return value

    def results(
        self, tasks: Iterable[Task], first: int = 1, *, anywhere: bool = False
    ) -> Generator[Any, None, None]:
        """Do the first task here, and each other one in the process that is free first."""
        todo = list(tasks)
        count = min(threads.count(), len(todo))
        if count <= 1:
            yield from InProcess().results(todo)
            return
        with threads.limited(1):
            yield from _divided(todo, count)


def _divided(todo: Sequence[Task], count: int) -> Generator[Any, None, None]:
    """Do tasks in so many processes, and give their results in order.

    What a process leaves undone because it died, or because a task failed there, is done here, where an error
    is raised as usual. If no more processes can be made, there are fewer.
    """
    numbers, sink = os.pipe()
    os.write(sink, b"".join(k.to_bytes(NUMBER_BYTES, "little") for k in range(1, len(todo))))
    os.close(sink)
    received: queue.SimpleQueue[Result | None] = queue.SimpleQueue()
    forks: list[_Fork] = []
    ready: dict[int, Any] = {}
    mine: int | None = 0
    try:
        with suppress(OSError):
            while len(forks) < count - 1:
                forks.append(_Fork.begun(todo, numbers, received))
        at_work = len(forks)
        for following in range(len(todo)):
            while following not in ready:
                if not received.empty() or (mine is None and at_work):
                    found = received.get()
                    if found is None:
                        at_work -= 1
                    else:
                        ready[found[0]] = found[1]
                elif mine is None:  # a process left it undone
                    ready[following] = _done(todo[following])
                else:
                    ready[mine] = _done(todo[mine])
                    mine = _next_number(numbers)
            yield ready.pop(following)
    finally:
        os.close(numbers)
        for fork in forks:
            fork.end()


def _done(task: Task) -> Any:
    function, *arguments = task
    return function(*arguments)


def _next_number(numbers: int) -> int | None:
    """Take the number of a task that nobody has begun, if there is one."""
    data = os.read(numbers, NUMBER_BYTES)
    return int.from_bytes(data, "little") if data else None


class _Fork(NamedTuple):
    """A process that does tasks, and the thread that receives its results."""

    process: int
    receiver: threading.Thread

    @classmethod
    def begun(
        cls, todo: Sequence[Task], numbers: int, received: "queue.SimpleQueue[Result | None]"
    ) -> "_Fork":
        """Fork a process, and begin to receive its results; ``None`` is the last of them."""
        ours, its = Pipe(duplex=False)
        parent = os.getpid()
        try:
            process = os.fork()
        except OSError:
            ours.close()
            its.close()
            raise
        if process == 0:
            try:
                begin_fork(parent)
                ours.close()
                _serve(todo, numbers, its)
            finally:
                os._exit(0)
        its.close()
        receiver = threading.Thread(target=_receive, args=(ours, received), daemon=True)
        receiver.start()
        return cls(process, receiver)

    def end(self) -> None:
        """End the process, whatever it does, and the thread."""
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        self.receiver.join()


def _serve(todo: Sequence[Task], numbers: int, results: "Connection[Any, Any]") -> None:
    """Do tasks in a fork, until there are none left or one fails."""
    with suppress(Exception):
        while (number := _next_number(numbers)) is not None:
            results.send((number, _done(todo[number])))


def _receive(results: "Connection[Any, Any]", received: "queue.SimpleQueue[Result | None]") -> None:
    """Receive the results of a fork until it ends."""
    with suppress(EOFError, OSError), results:
        while True:
            received.put(results.recv())
    received.put(None)
