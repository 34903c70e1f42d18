r"""Hop counts from some sources to all nodes, laid out by node: a row has the counts of one node.

The search is bit-parallel, as in :mod:`riemap.distances.hops`, but threads divide the nodes of a step among
themselves instead of the batches, and a new bit is written at once as a count. So two threads need the memory
of one search, and there is no second pass over bit planes. Three things save memory traffic, which is what
such a search costs:

* a node that all searches of the batch have reached is skipped, after one byte of it was read;
* while few nodes are in the front, only the neighbours of these nodes look at their own neighbours;
* a neighbour that is not in the front is recognised by one byte, and its words are not read.

Training reads the distances of a block of nodes to some landmarks, which are neighbours in this layout.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riemap import threads
from riemap.distances.hops import COUNT_TYPES, Counts, checked_nodes
from riemap.distances.queued_hops import QUEUED_SOURCES, depth_from, queued_columns
from riemap.graphs.graph import Graph
from riemap.loops import exact_loop, inline
from riemap.threads import Part, begin

WIDTHS = (8, 1)
"""64-bit words of a node in a batch. Eight words are a cache line; one word takes a third of the time."""

FEW_WORDS = 3
"""Largest number of words that are searched one by one; more are searched as a batch of eight."""

SPARSE_FRONT = 16
"""A step marks the neighbours of the front first if it has less than one in so many nodes. Marking took
about a twentieth of the time of a whole step."""

MOST_STEPS = 255
"""Largest count that fits into a byte."""

UNSEEN, NEAR, DONE = 2, 2, 3
"""Places in the arrays of a batch, after those of the fronts of even and odd steps: the sources that have not
reached a node; whether a node is a neighbour of the front; whether all sources have reached it."""

Told: TypeAlias = Callable[[float], None]
"""A function that is told which share of the work is done, from 0 to 1."""


def nothing_told(share: float) -> None:
    """Ignore which share of the work is done."""


def source_columns(graph: Graph, sources: NDArray[np.int64], told: Told = nothing_told) -> Counts:
    """Count the edges on a shortest path from each node to each source. Weights are ignored.

    Parameters
    ----------
    graph
        A connected graph.
    sources
        Node numbers.
    told
        Is told which share of the sources is done.

    Returns
    -------
    NDArray
        ``(n, len(sources))`` unsigned integers, of the smallest type that holds the largest count.

    Raises
    ------
    IndexError
        If a source is not a node number.

    Examples
    --------
    >>> source_columns(Graph.from_edges([(0, 1), (1, 2)]), np.array([2]))
    array([[2],
           [1],
           [0]], dtype=uint8)
    """
    sources = checked_nodes(sources, graph.n)
    depth = depth_from(graph.indptr, graph.indices, sources[0]) if len(sources) else 0
    for width in COUNT_TYPES:
        if depth > np.iinfo(width).max:
            continue
        columns = np.zeros((graph.n, -(-len(sources) // 8) * 8), width)  # whole words of eight bytes
        if _filled(graph, sources, columns, told):
            return columns if columns.shape[1] == len(sources) else columns[:, : len(sources)].copy()
        del columns  # frees the memory before the next array is allocated
    raise AssertionError("a path has fewer than 2**32 edges")


def _filled(graph: Graph, sources: NDArray[np.int64], columns: Counts, told: Told) -> bool:
    """Compute all columns, batch by batch; return whether all counts fit into their type.

    A graph whose counts do not fit into bytes is searched with a queue, since a step of a batch costs the
    same if few searches reach something new.
    """
    first = 0
    while first < len(sources):
        if columns.itemsize > 1:
            last = min(first + QUEUED_SOURCES * threads.count(), len(sources))
            fits = queued_columns(graph.indptr, graph.indices, sources, first, last, columns)
        else:
            words = WIDTHS[0] if len(sources) - first > 64 * FEW_WORDS else WIDTHS[1]
            last = min(first + 64 * words, len(sources))
            fits = _searched(graph, sources[first:last], first, words, columns.view(np.uint64))
        if not fits:
            return False
        first = last
        told(first / len(sources))
    return True


def _searched(
    graph: Graph, sources: NDArray[np.int64], first: int, words: int, octets: NDArray[np.uint64]
) -> bool:
    """Search from one batch of sources, whose columns start at ``first``; return whether all counts fit.

    ``octets`` are eight counts of a byte each.
    """
    bits = np.zeros((3, graph.n, words), np.uint64)  # the fronts of even and odd steps; what is not reached
    numbers = np.arange(len(sources), dtype=np.uint64)
    own = np.uint64(1) << (numbers & np.uint64(63))
    np.bitwise_or.at(bits[0], (sources, (numbers >> np.uint64(6)).astype(np.int64)), own)
    np.bitwise_and(~bits[0], np.bitwise_or.reduce(bits[0]), out=bits[UNSEEN])
    flags = np.zeros((4, graph.n), np.uint8)  # whether a node is in these fronts, near the front, and done
    flags[0, sources] = 1
    step = 0
    while count := int(np.count_nonzero(flags[step & 1])):
        step += 1
        if step > MOST_STEPS:
            return bool(flags[DONE].all())
        sparse = count * SPARSE_FRONT < graph.n
        flags[NEAR] = 0 if sparse else 1
        if sparse:
            _mark_rows(graph.n, graph.indptr, graph.indices, flags[(step + 1) & 1], flags[NEAR])
        steps = (step,) * words  # the compiler knows the length of a tuple, and unrolls the loops over words
        _advance_rows(graph.n, graph.indptr, graph.indices, bits, flags, steps, np.uint64(first >> 3), octets)
    return True


@exact_loop
def _mark_rows(part: Part, indptr: Any, indices: Any, moved: Any, near: Any) -> None:
    """Mark the neighbours of the front. Two threads may mark the same node, and write the same value."""
    start, stop = begin(part)
    for v in range(start, stop):
        if moved[v]:
            for e in range(indptr[v], indptr[v + 1]):
                near[indices[e]] = 1


@exact_loop
def _advance_rows(
    part: Part, indptr: Any, indices: Any, bits: Any, flags: Any, steps: Any, first: Any, octets: Any
) -> None:
    """Do one step of all searches of a batch, for some of the nodes."""
    step, words = np.uint64(steps[0]), len(steps)
    front, new, unseen = bits[(step + 1) & 1], bits[step & 1], bits[UNSEEN]
    moved, arrived, near, done = flags[(step + 1) & 1], flags[step & 1], flags[NEAR], flags[DONE]
    found = np.empty(words, np.uint64)
    start, stop = begin(part)
    for v in range(start, stop):
        arrived[v] = 0
        if done[v] or not near[v]:
            continue
        for w in range(words):
            found[w] = 0
        for e in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
            u = np.uint64(indices[e])
            if moved[u]:
                for w in range(words):
                    found[w] |= front[u, w]
        some, left = np.uint64(0), np.uint64(0)
        for w in range(words):
            found[w] &= unseen[v, w]
            some |= found[w]
            left |= unseen[v, w] ^ found[w]
        if some:
            arrived[v], done[v] = 1, left == 0
            for w in range(words):
                new[v, w] = found[w]
                unseen[v, w] ^= found[w]
                _write(found[w], first + np.uint64(8) * w, step, octets[v])


@inline
def _write(bits: Any, k: Any, step: Any, octets: Any) -> None:
    """Write the number of the step into the counts whose bits are set; they are zero before."""
    while bits:
        if bits & np.uint64(0xFF):
            octets[k] |= _spread(bits & np.uint64(0xFF)) * step
        bits >>= np.uint64(8)
        k += np.uint64(1)


@inline
def _spread(octet: Any) -> Any:
    """Return eight bytes, each of which is one of the eight bits."""
    each = (octet * np.uint64(0x0101010101010101)) & np.uint64(0x8040201008040201)
    return ((each + np.uint64(0x7F7F7F7F7F7F7F7F)) >> np.uint64(7)) & np.uint64(0x0101010101010101)
