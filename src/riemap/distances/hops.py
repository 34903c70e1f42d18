r"""Hop counts between all nodes, by bit-parallel breadth-first search from 512 sources at a time [Then2014].

Each node has a row of :data:`WORDS` 64-bit words, with one bit per source of the batch. The *front* of a node
holds the sources whose search reached the node in the last step. One step of all searches is

.. math:: \text{new}_v = \bigvee_{u\sim v} \text{front}_u \wedge \lnot\,\text{seen}_v,

which takes a few vector instructions per edge. The counts are stored as bit planes: bit ``p`` of a count is
in plane ``p``. The nodes that are new in step ``t`` are added to the planes of the binary digits of ``t``
that are one. At the end the planes are converted to integers by transposing blocks of 8 by 8 bits
[Warren2012, sec. 7-3].

The distance matrix is symmetric, so the counts from a batch of sources are written as columns: each node then
writes up to 512 adjacent entries.

A step costs the same if few searches reach something new, so a graph with a large diameter, such as a path,
would take long. Such a graph is searched from one source at a time, with a queue, in time proportional to its
edges. The search from the first source tells the two kinds of graphs apart. A few sources are searched with a
queue in any graph.

References
----------
[Then2014] Then et al. The more the merrier: efficient multi-source graph traversal. VLDB 2014.
[Warren2012] Warren. Hacker's delight, 2nd edition. Addison-Wesley 2012.
"""

from functools import reduce
from operator import or_
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riemap import threads
from riemap.compiling import for_loops_only
from riemap.distances.queued_hops import QUEUED_SOURCES, depth_from, queued_columns
from riemap.graphs.graph import Graph
from riemap.loops import compiled, exact_loop
from riemap.specs import expect
from riemap.threads import Part, begin

FEW_NODES = 300
"""Largest number of nodes that are searched by Python itself. It takes up to a tenth of a second, for a path,
and a few milliseconds for most graphs. Compiled loops take one, but three seconds to compile."""

WORDS = 8
"""64-bit words per node. Eight words are one cache line and one AVX-512 register."""

BATCH = 64 * WORDS
"""Number of sources that are searched at once: one per bit."""

COUNT_TYPES = (np.uint8, np.uint16, np.uint32)
"""Types of a count, tried in this order. Most graphs have a diameter below 256, so that bytes are enough."""

MANY_STEPS = 256
"""Largest hop count of the first source from which on sources are searched one at a time. On grids and paths
both methods take equally long at about 200 to 400 steps."""

FEW_SOURCES = 32
"""Largest number of sources that are searched with a queue in any graph. A batch takes at least as long as
about 50 such searches, and much more memory."""

CALL_PAIRS = 1 << 28
"""Most pairs of nodes in one compiled call, unless a batch for each thread has more. Ctrl-C is heard between
two calls: within about two seconds for 100,000 nodes, and 15 for a million."""

Counts: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""Array of hop counts, in one of :data:`COUNT_TYPES`."""


def hop_counts(graph: Graph, sources: NDArray[np.int64] | None = None) -> Counts:
    """Count the edges on a shortest path from each source to each node. Weights are ignored.

    Parameters
    ----------
    graph
        A connected graph.
    sources
        Node numbers; by default all nodes.

    Returns
    -------
    NDArray
        ``(len(sources), n)`` unsigned integers, of the smallest type that holds the largest count.

    Raises
    ------
    IndexError
        If a source is not a node number.

    Examples
    --------
    >>> hop_counts(Graph.from_edges([(0, 1), (1, 2)]))
    array([[0, 1, 2],
           [1, 0, 1],
           [2, 1, 0]], dtype=uint8)
    """
    expect(graph, Graph, "a graph", "it is read by read_graph, load_dataset or as_graph")
    chosen = np.arange(graph.n) if sources is None else checked_nodes(sources, graph.n)
    if graph.n <= FEW_NODES:
        return _few_hop_counts(graph, chosen)
    depth = depth_from(graph.indptr, graph.indices, chosen[0]) if len(chosen) else 0
    for width in COUNT_TYPES:
        if depth > np.iinfo(width).max:
            continue
        columns = np.empty((graph.n, len(chosen)), width)
        if _fill(graph, chosen, columns, depth):
            return columns if sources is None else np.ascontiguousarray(columns.T)
        del columns  # frees the memory before the next array is allocated
    raise AssertionError("a path has fewer than 2**32 edges")


def _few_hop_counts(graph: Graph, sources: NDArray[np.int64]) -> Counts:
    """Count edges by the same search, where the bits of a node are one integer of Python."""
    neighbours = [row.tolist() for row in np.split(graph.indices, graph.indptr[1:-1])]
    front = [0] * graph.n
    for k, source in enumerate(sources.tolist()):
        front[source] |= 1 << k
    seen, step, octets = front, 0, -(-len(sources) // 8)
    counts = np.zeros((graph.n, len(sources)), np.uint16)  # zero for nodes of other components
    while any(front):
        step += 1
        reached = [reduce(or_, map(front.__getitem__, row), 0) for row in neighbours]
        front = [now & ~before for now, before in zip(reached, seen, strict=True)]
        seen = [now | before for now, before in zip(front, seen, strict=True)]
        packed = np.frombuffer(b"".join(bits.to_bytes(octets, "little") for bits in front), np.uint8)
        new = np.unpackbits(packed.reshape(graph.n, octets), axis=1, count=len(sources), bitorder="little")
        counts += new * np.uint16(step)
    return np.ascontiguousarray(counts.T, np.min_scalar_type(int(counts.max(initial=0))))


def checked_nodes(nodes: ArrayLike, n: int) -> NDArray[np.int64]:
    """Convert node numbers to an array, and check their range, which compiled loops do not.

    Parameters
    ----------
    nodes
        Node numbers.
    n
        Number of nodes of the graph.

    Returns
    -------
    NDArray[np.int64]
        The node numbers.

    Raises
    ------
    IndexError
        If a number is not between 0 and ``n - 1``.
    """
    try:
        numbers = np.asarray(nodes)
    except ValueError:  # lists of different lengths
        numbers = np.full(1, np.nan)
    if numbers.size == 0:
        return np.zeros(0, np.int64)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or numbers.min() < 0 or numbers.max() >= n:
        raise IndexError(f"nodes are whole numbers from 0 to {n - 1}, in one dimension")
    return numbers.astype(np.int64, copy=False)


def _fill(graph: Graph, sources: NDArray[np.int64], columns: Counts, depth: int) -> bool:
    """Compute all columns; return whether all counts fit into their type.

    Each compiled call does only a few batches, so that Ctrl-C works between calls.
    """
    queued = depth >= MANY_STEPS or len(sources) <= FEW_SOURCES
    compute, batch = (queued_columns, QUEUED_SOURCES) if queued else (_columns, BATCH)
    together = batch * threads.count()
    stride = together * min(max(CALL_PAIRS // (together * graph.n), 1), 4)
    return all(
        compute(graph.indptr, graph.indices, sources, k, min(k + stride, len(sources)), columns)
        for k in range(0, len(sources), stride)
    )


def _columns(indptr: Any, indices: Any, sources: Any, low: Any, high: Any, columns: Any) -> Any:
    """Compute columns ``low`` to ``high``, one batch per thread; return whether all counts fit."""
    batches = (high - low + BATCH - 1) // BATCH
    fits = np.ones(batches, np.bool_)
    _columns_rows(batches, indptr, indices, sources, low, high, columns, fits)
    return fits.all()


@exact_loop
def _columns_rows(
    part: Part, indptr: Any, indices: Any, sources: Any, low: Any, high: Any, columns: Any, fits: Any
) -> None:
    digits = 8 * columns.itemsize
    planes = np.empty((digits, len(indptr) - 1, WORDS), np.uint64)
    start, stop = begin(part)
    for b in range(start, stop):
        first = low + np.int64(b) * BATCH
        last = min(first + BATCH, high)
        used = _search(indptr, indices, sources[first:last], planes)
        fits[b] = used >= 0
        if fits[b]:
            _unpack(planes, used, columns, first, last)


@compiled
def _search(indptr: Any, indices: Any, sources: Any, planes: Any) -> Any:
    """Fill ``planes`` for one batch; return how many were needed, or -1 if there are too few."""
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


@compiled
def _advance(indptr: Any, indices: Any, front: Any, new: Any, unseen: Any, planes: Any, step: Any) -> Any:
    """Do one step of all searches and add it to ``planes``; return whether any search reached a new node."""
    found = np.empty(WORDS, np.uint64)
    moved = np.uint64(0)
    for v in range(len(unseen)):
        left = np.uint64(0)
        for w in range(WORDS):
            left |= unseen[v, w]
        if left == 0:  # all searches have reached this node
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


@for_loops_only(forceinline=True)
def _gather(indices: Any, first: Any, last: Any, front: Any, found: Any) -> Any:
    """Compute the bitwise OR of the fronts of a node's neighbours into ``found``."""
    for w in range(WORDS):
        found[w] = 0
    for e in range(first, last):
        u = indices[e]
        for w in range(WORDS):
            found[w] |= front[u, w]


@compiled
def _unpack(planes: Any, used: Any, columns: Any, start: Any, stop: Any) -> Any:
    """Convert the first ``used`` planes of a batch to counts."""
    squares = np.empty(8 * WORDS, np.uint64)
    counts = squares.view(np.uint8)
    octets = planes.view(np.uint8)  # (digits, n, 8 * WORDS): eight sources per byte
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


@for_loops_only(forceinline=True)
def _transposed(x: Any) -> Any:
    """Transpose a word as a matrix of 8 by 8 bits."""
    t = (x ^ (x >> np.uint64(7))) & np.uint64(0x00AA00AA00AA00AA)
    x = x ^ t ^ (t << np.uint64(7))
    t = (x ^ (x >> np.uint64(14))) & np.uint64(0x0000CCCC0000CCCC)
    x = x ^ t ^ (t << np.uint64(14))
    t = (x ^ (x >> np.uint64(28))) & np.uint64(0x00000000F0F0F0F0)
    return x ^ t ^ (t << np.uint64(28))
