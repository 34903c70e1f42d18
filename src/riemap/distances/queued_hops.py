"""Hop counts by breadth-first search from one source at a time, for graphs with a large diameter.

A search visits each node and each edge once, whatever the diameter.
"""

from typing import Any

import numpy as np
from numba import njit, prange

QUEUED_SOURCES = 64
"""Number of sources that a thread searches before it writes their counts: the bytes of a cache line."""


@njit(cache=True)
def depth_from(indptr: Any, indices: Any, source: Any) -> Any:
    """Return the largest hop count from one source."""
    n = len(indptr) - 1
    return _queued_search(indptr, indices, source, n, np.empty(n, indices.dtype), np.zeros(n, np.int64))


@njit(cache=True, parallel=True, nogil=True)
def queued_columns(indptr: Any, indices: Any, sources: Any, begin: Any, end: Any, columns: Any) -> Any:
    """Compute columns ``begin`` to ``end``, some sources per thread; return whether all counts fit."""
    n, batches = len(indptr) - 1, (end - begin + QUEUED_SOURCES - 1) // QUEUED_SOURCES
    most = (1 << (8 * columns.itemsize)) - 1
    fits = np.ones(batches, np.bool_)
    for b in prange(batches):
        start = begin + np.int64(b) * QUEUED_SOURCES
        stop = min(start + QUEUED_SOURCES, end)
        queue = np.empty(n, indices.dtype)
        hops = np.zeros((stop - start, n), columns.dtype)
        for k in range(stop - start):
            if _queued_search(indptr, indices, sources[start + k], most, queue, hops[k]) < 0:
                fits[b] = False
                break
        for v in range(n):
            for k in range(stop - start):
                columns[v, start + k] = hops[k, v]
    return fits.all()


@njit(cache=True)
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
