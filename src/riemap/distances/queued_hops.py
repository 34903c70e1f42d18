"""Hop counts by breadth-first search from one source at a time, for graphs with a large diameter.

A search visits each node and each edge once, whatever the diameter.
"""

from typing import Any

import numpy as np

from riemap.loops import compiled, exact_loop
from riemap.threads import Part, begin

QUEUED_SOURCES = 64
"""Number of sources that a thread searches before it writes their counts: the bytes of a cache line."""


@compiled
def depth_from(indptr: Any, indices: Any, source: Any) -> Any:
    """Return the largest hop count from one source."""
    n = len(indptr) - 1
    return _queued_search(indptr, indices, source, n, np.empty(n, indices.dtype), np.zeros(n, np.int64))


def queued_columns(indptr: Any, indices: Any, sources: Any, low: Any, high: Any, columns: Any) -> Any:
    """Compute columns ``low`` to ``high``, some sources per thread; return whether all counts fit."""
    batches = (high - low + QUEUED_SOURCES - 1) // QUEUED_SOURCES
    fits = np.ones(batches, np.bool_)
    _queued_columns_rows(batches, indptr, indices, sources, low, high, columns, fits)
    return fits.all()


@exact_loop
def _queued_columns_rows(
    part: Part, indptr: Any, indices: Any, sources: Any, low: Any, high: Any, columns: Any, fits: Any
) -> None:
    n, most = len(indptr) - 1, (1 << (8 * columns.itemsize)) - 1
    queue = np.empty(n, indices.dtype)
    start, stop = begin(part)
    for b in range(start, stop):
        first = low + np.int64(b) * QUEUED_SOURCES
        last = min(first + QUEUED_SOURCES, high)
        hops = np.zeros((last - first, n), columns.dtype)
        for k in range(last - first):
            if _queued_search(indptr, indices, sources[first + k], most, queue, hops[k]) < 0:
                fits[b] = False
                break
        for v in range(n):
            for k in range(last - first):
                columns[v, first + k] = hops[k, v]


@compiled
def _queued_search(indptr: Any, indices: Any, source: Any, most: Any, queue: Any, hops: Any) -> Any:
    """Count the edges from a source to each node in ``hops``, which is zero before.

    Return the largest count, or -1 if it is over ``most``.
    """
    queue[0] = source
    done, found, level = 0, 1, 0
    while True:
        reached = found
        for k in range(done, reached):
            for e in range(indptr[queue[k]], indptr[queue[k] + 1]):
                v = indices[e]
                if hops[v] == 0 and v != source:
                    if level == most:
                        return -1
                    hops[v] = level + 1
                    queue[found] = v
                    found += 1
        if found == reached:
            return level
        done, level = reached, level + 1
