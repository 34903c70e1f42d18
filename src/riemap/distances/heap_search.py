"""Shortest weighted paths from one source, by Dijkstra's search with a heap in arrays.

The heap holds lengths beside nodes, so that comparing two entries reads no other memory. A node whose path
becomes shorter is added once more, and the longer entry is ignored when it comes up.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.compiling import for_loops_only
from riemap.distances.hops import checked_nodes
from riemap.distances.landmark_hops import Told, nothing_told
from riemap.graphs.graph import Graph
from riemap.loops import exact_loop
from riemap.threads import Part, begin
from riemap.types import Array

CALL_SOURCES = 16
"""Number of sources in one compiled call: a cache line of results. Ctrl-C is heard between two calls."""

SYMMETRIC_TILE = 64
"""Rows and columns of a tile of a matrix that is made symmetric: two tiles fit into a cache of 64 kB."""


def source_lengths(
    graph: Graph, sources: NDArray[np.int64], told: Told = nothing_told
) -> NDArray[np.float32]:
    """Compute the lengths of the shortest weighted paths from some sources to all nodes.

    Parameters
    ----------
    graph
        A connected graph with weights.
    sources
        Node numbers.
    told
        Is told which share of the sources is done.

    Returns
    -------
    NDArray[np.float32]
        ``(n, len(sources))`` lengths, rounded to seven digits, which halves the memory.

    Raises
    ------
    IndexError
        If a source is not a node number.

    Examples
    --------
    >>> source_lengths(Graph.from_edges([(0, 1), (1, 2)], weights=[0.5, 2.0]), np.array([2]))
    array([[2.5],
           [2. ],
           [0. ]], dtype=float32)
    """
    sources = checked_nodes(sources, graph.n)
    assert graph.weights is not None
    columns = np.empty((graph.n, len(sources)), np.float32)
    for first in range(0, len(sources), CALL_SOURCES):
        block = sources[first : first + CALL_SOURCES]
        _lengths_rows(len(block), graph.indptr, graph.indices, graph.weights, block, first, columns)
        told((first + len(block)) / len(sources))
    return columns


def fill_lengths(graph: Graph, sources: NDArray[np.int64], rows: Array) -> None:
    """Compute the lengths of the shortest weighted paths from some sources, in one compiled call.

    Parameters
    ----------
    graph
        A graph with weights.
    sources
        Node numbers.
    rows
        ``(len(sources), n)`` array for the lengths. They are infinite for nodes of other components.
    """
    _fill_rows(len(sources), graph.indptr, graph.indices, graph.weights, sources, rows)


@exact_loop
def _fill_rows(part: Part, indptr: Any, indices: Any, weights: Any, sources: Any, rows: Any) -> None:
    keys, nodes = np.empty(len(indices) + 1), np.empty(len(indices) + 1, np.int32)
    start, stop = begin(part)
    for k in range(start, stop):
        rows[k] = np.inf
        search(indptr, indices, weights, sources[k], rows[k], keys, nodes)


def keep_shorter(lengths: Array) -> None:
    """Make a square matrix symmetric, in place: the smaller of two numbers is kept for both.

    Parameters
    ----------
    lengths
        ``(n, n)`` array.
    """
    _keep_shorter_rows(-(-len(lengths) // SYMMETRIC_TILE), lengths)


@exact_loop
def _keep_shorter_rows(part: Part, lengths: Any) -> None:
    n, size = len(lengths), SYMMETRIC_TILE
    start, stop = begin(part)
    for a in range(start, stop):
        for b in range(a + 1):
            for i in range(a * size, min(a * size + size, n)):
                for j in range(b * size, min(b * size + size, i)):
                    least = min(lengths[i, j], lengths[j, i])
                    lengths[i, j] = lengths[j, i] = least


@exact_loop
def _lengths_rows(
    part: Part, indptr: Any, indices: Any, weights: Any, sources: Any, first: Any, columns: Any
) -> None:
    n = len(indptr) - 1
    lengths, keys, nodes = np.empty(n), np.empty(len(indices) + 1), np.empty(len(indices) + 1, np.int32)
    start, stop = begin(part)
    for k in range(start, stop):
        lengths[:] = np.inf
        search(indptr, indices, weights, sources[k], lengths, keys, nodes)
        for v in range(n):
            columns[v, first + k] = lengths[v]


@for_loops_only()
def search(indptr: Any, indices: Any, weights: Any, source: Any, lengths: Any, keys: Any, nodes: Any) -> None:
    """Compute the lengths from a source; all are infinite before. ``keys`` and ``nodes`` hold the heap."""
    keys[0], nodes[0], lengths[source] = 0.0, source, 0.0
    size = 1
    while size > 0:
        u, length = nodes[0], keys[0]
        size -= 1
        sink(keys, nodes, size)
        if length > lengths[u]:
            continue
        for e in range(indptr[u], indptr[u + 1]):
            v, longer = indices[e], length + weights[e]
            if longer < lengths[v]:
                lengths[v] = longer
                rise(keys, nodes, size, longer, v)
                size += 1


@for_loops_only(forceinline=True)
def sink(keys: Any, nodes: Any, size: Any) -> None:
    """Move the entry after the last one to the root, and below all shorter ones."""
    key, node, k = keys[size], nodes[size], np.int64(0)
    while 2 * k + 1 < size:
        child = 2 * k + 1
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[k], nodes[k] = keys[child], nodes[child]
        k = child
    keys[k], nodes[k] = key, node


@for_loops_only(forceinline=True)
def rise(keys: Any, nodes: Any, k: Any, key: Any, node: Any) -> None:
    """Add an entry at the place ``k``, and move it above all longer ones."""
    while k > 0 and keys[(k - 1) >> 1] > key:
        keys[k], nodes[k] = keys[(k - 1) >> 1], nodes[(k - 1) >> 1]
        k = (k - 1) >> 1
    keys[k], nodes[k] = key, node
