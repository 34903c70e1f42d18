"""Shortest-path distances: hop counts for a graph without weights, sums of weights otherwise."""

import logging
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riemap import memory, threads
from riemap.distances import store
from riemap.distances.gaps import fill_gaps
from riemap.distances.heap_search import fill_lengths, keep_shorter
from riemap.distances.hops import BATCH, checked_nodes, hop_counts
from riemap.graphs.dissimilarities import AnyGraph, Dissimilarities, check_graph
from riemap.graphs.graph import Graph
from riemap.graphs.open_graph import take_graph
from riemap.types import Array

DistanceMatrix: TypeAlias = NDArray[Any]
"""``(n, n)`` hop counts in the smallest sufficient unsigned type, or float64 lengths."""

STORE_MIN_BYTES = 1 << 20
"""Size in bytes of the smallest matrix that is stored on disk. Smaller ones are computed as fast as read."""

SAME_LENGTH_RTOL = 1e-12
"""Relative difference up to which two path lengths count as equal. Summing the same weights in another order
changes a length by less than this."""

ROW_BLOCK_PAIRS = 1 << 24
"""Number of pairs in a block of rows: 16 million, which take 16 MB as bytes and 128 MB as float64."""

DIJKSTRA_CALL_PAIRS = 1 << 20
"""Number of pairs that a thread does in one compiled call of Dijkstra's search. Ctrl-C is heard between two
calls, about a third of a second."""

_LOGGER = logging.getLogger(__name__)


def shortest_paths(graph: Any, *, stored: bool = True) -> DistanceMatrix:
    """Compute the distances between all nodes.

    A matrix of a megabyte or more is stored in the user's cache and mapped into memory from there.

    Parameters
    ----------
    graph
        A graph in any form that :func:`riemap.embed` takes, or dissimilarities, whose matrix is returned.
    stored
        Read the distances from the cache, and write them to it. If false, the disk is not used.

    Returns
    -------
    NDArray
        ``(n, n)`` read-only distances. Without weights they are hop counts, of one byte each if the diameter
        is below 256; with weights they are float64.

    Raises
    ------
    MemoryError
        If the matrix does not fit into memory.

    Examples
    --------
    >>> shortest_paths(Graph.from_edges([(0, 1), (1, 2)], weights=[0.5, 2.0]))
    array([[0. , 0.5, 2.5],
           [0.5, 0. , 2. ],
           [2.5, 2. , 0. ]])
    """
    graph = take_graph(graph)
    if isinstance(graph, Dissimilarities):
        return graph.matrix
    check_graph(graph)
    found = store.load(graph) if stored else None
    if found is not None:
        return found
    matrix = _computed(graph)
    matrix.flags.writeable = False
    if stored and matrix.nbytes >= STORE_MIN_BYTES:
        return store.save(graph, matrix)
    return matrix


def _computed(graph: Graph) -> DistanceMatrix:
    width = 1 if graph.weights is None else 8
    memory.require(
        graph.n**2 * width,
        f"the distances between all {graph.n} nodes of {graph.name}",
        f"training with landmarks does without them: {_asking_for_landmarks(graph)}; "
        "'riemap evaluate' and 'riemap describe' can do with some of the nodes: --sources 1000",
    )
    if graph.n**2 * width >= STORE_MIN_BYTES:
        _LOGGER.info("%s: computing the distances between all %d nodes", graph.name, graph.n)
    found: DistanceMatrix = hop_counts(graph) if graph.weights is None else _lengths(graph)
    return fill_gaps(graph, found, None)


def _asking_for_landmarks(graph: Graph) -> str:
    """Name the option that trains a large graph with landmarks, which need a connected graph."""
    if graph.component_numbers[0] == 1:
        return "--sampler landmarks (in Python, sampler='landmarks')"
    return "take the largest connected part, --components largest (in Python, components='largest')"


def rows_from(graph: AnyGraph, sources: NDArray[np.int64]) -> DistanceMatrix:
    """Compute the distances from some nodes to all nodes.

    Parameters
    ----------
    graph
        A graph or dissimilarities.
    sources
        Node numbers.

    Returns
    -------
    NDArray
        ``(len(sources), n)`` distances.

    Raises
    ------
    IndexError
        If a source is not a node number.
    MemoryError
        If the rows do not fit into memory.

    Examples
    --------
    >>> rows_from(Graph.from_edges([(0, 1), (1, 2)]), np.array([2]))
    array([[2, 1, 0]], dtype=uint8)
    """
    check_graph(graph)
    sources = checked_nodes(sources, graph.n)
    if isinstance(graph, Dissimilarities):
        return graph.matrix[sources]
    memory.require(
        len(sources) * graph.n * (2 if graph.weights is None else 8),
        f"the distances from {len(sources)} of {graph.n} nodes of {graph.name}",
        "take fewer nodes",
    )
    found: DistanceMatrix = hop_counts(graph, sources) if graph.weights is None else _dijkstra(graph, sources)
    return fill_gaps(graph, found, sources)


def all_rows(graph: AnyGraph, sources: NDArray[np.int64] | None = None) -> Iterator[DistanceMatrix]:
    """Compute the matrix of :func:`shortest_paths` in blocks of rows, without holding all rows in memory.

    Parameters
    ----------
    graph
        A graph or dissimilarities.
    sources
        Node numbers of the rows; by default all nodes.

    Yields
    ------
    NDArray
        ``(b, n)`` next rows of the matrix.

    Examples
    --------
    >>> [block.shape for block in all_rows(Graph.from_edges([(0, 1), (1, 2)]))]
    [(3, 3)]
    """
    check_graph(graph)
    found = graph.matrix if isinstance(graph, Dissimilarities) else store.load(graph)
    hops = isinstance(graph, Graph) and graph.weights is None
    size = max(ROW_BLOCK_PAIRS // graph.n, BATCH if hops else 1)  # a smaller batch takes as long
    nodes = np.arange(graph.n) if sources is None else checked_nodes(sources, graph.n)
    for start in range(0, len(nodes), size):
        block = nodes[start : start + size]
        yield rows_from(graph, block) if found is None else found[block]


def _lengths(graph: Graph) -> Array:
    """Compute the lengths of all weighted paths, as an exactly symmetric matrix.

    The two directions of a path sum its weights in different orders; the smaller sum is kept for both.
    """
    lengths = _dijkstra(graph, None)
    keep_shorter(lengths)
    return lengths


def _dijkstra(graph: Graph, sources: NDArray[np.int64] | None) -> Array:
    nodes = np.arange(graph.n) if sources is None else sources
    found, size = np.empty((len(nodes), graph.n)), max(DIJKSTRA_CALL_PAIRS // graph.n, 1) * threads.count()
    for start in range(0, len(nodes), size):
        block = slice(start, start + size)
        fill_lengths(graph, nodes[block], found[block])
    return found
