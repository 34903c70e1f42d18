r"""Hop counts between all nodes, by breadth-first searches that run 512 at a time.

A batch of sources is one bit each in a row of :data:`WORDS` words at every node. A node's *front* holds
the sources that reached it in the last step; one step of all searches is

.. math:: \text{new}_v = \bigvee_{u\sim v} \text{front}_u \wedge \lnot\,\text{seen}_v,

a few vector instructions an edge [Then2014]. The counts are kept as bit planes too: what is new in
step ``t`` is added to the planes that are set in the binary digits of ``t``. They become bytes once, at the
end, by transposing squares of 8 by 8 bits [Warren2012, sec. 7-3].

A graph's matrix is symmetric, so the counts of a batch are written as columns: 512 bytes in a row.

References
----------
[Then2014] Then et al. The more the merrier: efficient multi-source graph traversal. VLDB 2014.
[Warren2012] Warren. Hacker's delight, 2nd edition. Addison-Wesley 2012.
"""

from typing import Any, TypeAlias

import numpy as np
from numba import get_num_threads, njit, prange
from numpy.typing import ArrayLike, NDArray

from riemap.graphs.graph import Graph

WORDS = 8
"""64-bit words of sources at a node: a whole cache line, and one AVX-512 register."""

BATCH = 64 * WORDS
"""How many sources are searched at once."""

COUNT_TYPES = (np.uint8, np.uint16, np.uint32)
"""What a count is stored in: the narrowest that holds the largest."""

Counts: TypeAlias = NDArray[np.unsignedinteger[Any]]


def hop_counts(graph: Graph, sources: NDArray[np.int64] | None = None) -> Counts:
    """Number of edges on a shortest path, whatever their weights, from ``sources`` to every node.

    Parameters
    ----------
    graph
        Its nodes must all be within reach of each other, as those of a :class:`Graph` are.
    sources
        Numbers of nodes; all of them unless given.

    Returns
    -------
    ``(len(sources), n)`` unsigned integers of the narrowest type that holds the largest.

    >>> hop_counts(Graph.from_edges([(0, 1), (1, 2)]))
    array([[0, 1, 2],
           [1, 0, 1],
           [2, 1, 0]], dtype=uint8)
    """
    chosen = np.arange(graph.n) if sources is None else checked_nodes(sources, graph.n)
    for width in COUNT_TYPES:
        columns = np.empty((graph.n, len(chosen)), width)
        if _fill(graph, chosen, columns):
            return columns if sources is None else np.ascontiguousarray(columns.T)
        del columns  # before the wider one is made
    raise AssertionError("a path has fewer than 2**32 edges")


def checked_nodes(nodes: ArrayLike, n: int) -> NDArray[np.int64]:
    """Numbers of nodes as an array; compiled loops would read past the end for one that is out of range."""
    numbers = np.asarray(nodes)
    if numbers.size == 0:
        return np.zeros(0, np.int64)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or numbers.min() < 0 or numbers.max() >= n:
        raise IndexError(f"nodes are whole numbers from 0 to {n - 1}, in one dimension")
    return numbers.astype(np.int64, copy=False)


def _fill(graph: Graph, sources: NDArray[np.int64], columns: Counts) -> bool:
    """Compute all columns, a few batches at a time so that Ctrl-C is heard; whether they were wide enough."""
    stride = 4 * BATCH * get_num_threads()
    return all(
        _columns(graph.indptr, graph.indices, sources, k, min(k + stride, len(sources)), columns)
        for k in range(0, len(sources), stride)
    )


@njit(cache=True, parallel=True)
def _columns(indptr: Any, indices: Any, sources: Any, begin: Any, end: Any, columns: Any) -> Any:
    """Columns ``begin`` to ``end``: counts from their sources, one batch a thread. Whether all counts fit."""
    batches = (end - begin + BATCH - 1) // BATCH
    digits = 8 * columns.itemsize
    fits = np.ones(batches, np.bool_)
    for b in prange(batches):
        start = begin + np.int64(b) * BATCH
        stop = min(start + BATCH, end)
        planes = np.empty((digits, len(indptr) - 1, WORDS), np.uint64)
        used = _search(indptr, indices, sources[start:stop], planes)
        fits[b] = used >= 0
        if fits[b]:
            _unpack(planes, used, columns, start, stop)
    return fits.all()


@njit(cache=True)
def _search(indptr: Any, indices: Any, sources: Any, planes: Any) -> Any:
    """Fill ``planes`` for one batch; how many of them were needed, or -1 if there are too few."""
    n = len(indptr) - 1
    front = np.zeros((n, WORDS), np.uint64)
    everyone = np.zeros(WORDS, np.uint64)
    for k in range(len(sources)):
        everyone[k >> 6] |= np.uint64(1) << np.uint64(k & 63)
        front[sources[k], k >> 6] |= np.uint64(1) << np.uint64(k & 63)
    unseen = everyone & ~front
    new = np.empty((n, WORDS), np.uint64)
    step, used = 0, 0
    while True:
        step += 1
        if step == 1 << used:
            if used == len(planes):
                return -1 if _advance(indptr, indices, front, new, unseen, planes, step) else used
            planes[used] = 0
            used += 1
        if not _advance(indptr, indices, front, new, unseen, planes[:used], step):
            return used
        front, new = new, front


@njit(cache=True)
def _advance(indptr: Any, indices: Any, front: Any, new: Any, unseen: Any, planes: Any, step: Any) -> Any:
    """One step of every search, counted in ``planes``; whether any of them reached a new node."""
    found = np.empty(WORDS, np.uint64)
    moved = np.uint64(0)
    for v in range(len(unseen)):
        left = np.uint64(0)
        for w in range(WORDS):
            left |= unseen[v, w]
        if left == 0:  # every search has been here
            new[v] = 0
            continue
        _gather(indices, indptr[v], indptr[v + 1], front, found)
        arrived = np.uint64(0)
        for w in range(WORDS):
            found[w] &= unseen[v, w]
            new[v, w] = found[w]
            arrived |= found[w]
        if arrived == 0:
            continue
        moved |= arrived
        for w in range(WORDS):
            unseen[v, w] ^= found[w]
        for p in range(len(planes)):
            if (step >> p) & 1:
                for w in range(WORDS):
                    planes[p, v, w] |= found[w]
    return moved != 0


@njit(forceinline=True)
def _gather(indices: Any, first: Any, last: Any, front: Any, found: Any) -> Any:
    """The fronts of a node's neighbours, joined."""
    for w in range(WORDS):
        found[w] = 0
    for e in range(first, last):
        u = indices[e]
        for w in range(WORDS):
            found[w] |= front[u, w]


@njit(cache=True)
def _unpack(planes: Any, used: Any, columns: Any, start: Any, stop: Any) -> Any:
    """Turn the first ``used`` planes of a batch into counts."""
    squares = np.empty(8 * WORDS, np.uint64)
    counts = squares.view(np.uint8)
    octets = planes.view(np.uint8)  # (digits, n, 8 * WORDS): eight sources in each
    for v in range(columns.shape[0]):
        row = columns[v, start:stop]
        row[:] = 0
        for low in range(0, used, 8):
            squares[:] = 0
            for p in range(low, min(low + 8, used)):
                for j in range(8 * WORDS):
                    squares[j] |= np.uint64(octets[p, v, j]) << np.uint64(8 * (p - low))
            for j in range(8 * WORDS):
                squares[j] = _transposed(squares[j])
            for k in range(len(row)):
                row[k] |= columns.dtype.type(counts[k]) << columns.dtype.type(low)


@njit(forceinline=True)
def _transposed(x: Any) -> Any:
    """The 8 by 8 bits of a word, rows and columns exchanged."""
    t = (x ^ (x >> np.uint64(7))) & np.uint64(0x00AA00AA00AA00AA)
    x = x ^ t ^ (t << np.uint64(7))
    t = (x ^ (x >> np.uint64(14))) & np.uint64(0x0000CCCC0000CCCC)
    x = x ^ t ^ (t << np.uint64(14))
    t = (x ^ (x >> np.uint64(28))) & np.uint64(0x00000000F0F0F0F0)
    return x ^ t ^ (t << np.uint64(28))
