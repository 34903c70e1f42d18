"""Settings of the whole process for the time of a training run.

The library changes no process: :func:`riemap.embed` and :func:`riemap.training.fit` leave signals, the memory
allocator and the number of threads alone. The command line and the workers of a grid own their process and
enter :func:`training_process`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from riemap import threads
from riemap.training.interrupts import deferred_interrupts
from riemap.training.malloc import freed_memory_kept

ONE_THREAD_NODES = 150
"""Largest number of nodes that are trained on one thread.

A second thread gains nothing on so few, and on a busy machine all threads wait for the slowest.
"""


@contextmanager
def training_process(nodes: int) -> Iterator[Callable[[], bool]]:
    """Prepare this process for training, and restore it afterwards.

    Freed memory stays with the process, the first Ctrl-C is noted and not raised, and a small graph is
    trained on one thread. The embedding has the same bytes with and without it.

    Parameters
    ----------
    nodes
        Number of nodes of the graph.

    Yields
    ------
    Callable
        A function that tells whether Ctrl-C was pressed, for the parameter ``interrupted`` of
        :func:`riemap.training.fit`.

    Examples
    --------
    >>> with training_process(34) as interrupted:
    ...     interrupted(), threads.count()
    (False, 1)
    """
    count = 1 if nodes <= ONE_THREAD_NODES else threads.count()
    with freed_memory_kept(), threads.limited(count), deferred_interrupts() as interrupted:
        yield interrupted
