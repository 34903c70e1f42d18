"""Shortest-path distances: hop counts for a graph without weights, sums of weights otherwise."""

import logging
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riemap.distances import memory, store
from riemap.distances.hops import checked_nodes, hop_counts
from riemap.graphs.dissimilarities import AnyGraph, Dissimilarities, check_graph
from riemap.graphs.graph import Graph
from riemap.types import Array

DistanceMatrix: TypeAlias = NDArray[Any]
"""``(n, n)`` hop counts in the smallest sufficient unsigned type, or float64 lengths."""

STORE_MIN_BYTES = 1 << 20
"""Size in bytes of the smallest matrix that is stored on disk. Smaller ones are computed as fast as read."""

SAME_LENGTH_RTOL = 1e-12
"""Relative difference up to which two path lengths count as equal. Summing the same weights in another order
changes a length by less than this."""

MAX_DISTINCT_LENGTHS = 1000
"""Largest number of different lengths that a :class:`Spread` lists one by one. A table or a plot of more is
not readable."""

LENGTH_RANGES = 20
"""Number of equal ranges in which a :class:`Spread` counts more lengths than that: enough for a histogram."""

ROW_BLOCK_PAIRS = 1 << 24
"""Number of pairs in a block of rows: 16 million, which take 16 MB as bytes and 128 MB as float64."""

_LOGGER = logging.getLogger(__name__)


def shortest_paths(graph: AnyGraph, *, stored: bool = True) -> DistanceMatrix:
    """Compute the distances between all nodes.

    A matrix of a megabyte or more is stored in the user's cache and mapped into memory from there.

    Parameters
    ----------
    graph
        A graph, or dissimilarities, whose matrix is returned.
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
    width = 1 if graph.weights is None else 2 * 8  # bytes per pair: SciPy's result, and the symmetric one
    memory.require(
        graph.n**2 * width,
        f"the distances between all {graph.n} nodes of {graph.name}",
        "scores can be estimated from some of the nodes: evaluate(…, sources=1000), "
        "or --sources 1000 on the command line",
    )
    if graph.n**2 * width >= STORE_MIN_BYTES:
        _LOGGER.info("%s: computing the distances between all %d nodes", graph.name, graph.n)
    return hop_counts(graph) if graph.weights is None else _lengths(graph)


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
    return hop_counts(graph, sources) if graph.weights is None else _dijkstra(graph, sources)


def all_rows(graph: AnyGraph) -> Iterator[DistanceMatrix]:
    """Compute the matrix of :func:`shortest_paths` in blocks of rows, without holding all rows in memory.

    Parameters
    ----------
    graph
        A graph or dissimilarities.

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
    size = max(ROW_BLOCK_PAIRS // graph.n, 1)
    for start in range(0, graph.n, size):
        nodes = np.arange(start, min(start + size, graph.n))
        yield rows_from(graph, nodes) if found is None else found[nodes]


def diameter(graph: AnyGraph) -> float:
    """Compute the largest distance between two nodes.

    Parameters
    ----------
    graph
        A graph or dissimilarities.

    Returns
    -------
    float
        The diameter.

    Examples
    --------
    >>> diameter(Graph.from_edges([(0, 1), (1, 2)], weights=[0.5, 2.0]))
    2.5
    """
    return max(float(rows.max()) for rows in all_rows(graph))


class Spread(NamedTuple):
    """Distribution of the distances between nodes.

    Parameters
    ----------
    lengths
        The different distances, in increasing order. If there are more than :data:`MAX_DISTINCT_LENGTHS`,
        these are the upper ends of :data:`LENGTH_RANGES` equal ranges.
    counts
        Number of pairs of nodes at each length, or in each range. Each unordered pair counts once.
    mean
        Exact mean distance.
    exact
        True if ``lengths`` are distances, false if they are ranges.
    """

    lengths: NDArray[Any]
    counts: NDArray[np.int64]
    mean: float
    exact: bool


def spread(graph: AnyGraph) -> Spread:
    """Count the pairs of nodes at each distance.

    Parameters
    ----------
    graph
        A graph or dissimilarities.

    Returns
    -------
    Spread
        The different distances, and the number of pairs at each.

    Examples
    --------
    >>> spread(Graph.from_edges([(0, 1), (1, 2)]))
    Spread(lengths=array([1, 2]), counts=array([2, 1]), mean=1.3333333333333333, exact=True)
    """
    if isinstance(graph, Graph) and graph.weights is None:
        seen = np.zeros(graph.n, np.int64)
        for rows in all_rows(graph):
            for row in rows:
                counts = np.bincount(row)
                seen[: len(counts)] += counts
        lengths = 1 + np.flatnonzero(seen[1:])
        counts = seen[lengths] // 2  # each pair was seen from both of its nodes
        return Spread(lengths, counts, float(lengths @ counts / counts.sum()), True)
    return _spread_of_lengths(graph)


def _spread_of_lengths(graph: AnyGraph) -> Spread:
    """Count pairs by distinct lengths, and by ranges once there are too many lengths."""
    top, mean, pairs = diameter(graph), 0.0, graph.n * (graph.n - 1) // 2
    edges = np.linspace(0.0, top, LENGTH_RANGES + 1)
    ranges = np.zeros(LENGTH_RANGES, np.int64)
    values, counts = np.zeros(0), np.zeros(0, np.int64)
    exact = True
    for lengths in _pair_lengths(graph):
        mean += float(lengths.sum()) / pairs
        ranges += np.histogram(lengths, edges)[0]
        if exact:
            new_values, new_counts = np.unique(lengths, return_counts=True)
            values, counts = _merge_equal_lengths(
                np.concatenate([values, new_values]), np.concatenate([counts, new_counts])
            )
            exact = len(values) <= MAX_DISTINCT_LENGTHS
    return Spread(values, counts, mean, True) if exact else Spread(edges[1:], ranges, mean, False)


def _pair_lengths(graph: AnyGraph) -> Iterator[Array]:
    """Yield the lengths between all unordered pairs of nodes, in blocks."""
    start = 0
    for rows in all_rows(graph):
        nodes = np.arange(start, start + len(rows))
        yield rows[np.arange(graph.n) > nodes[:, None]]
        start += len(rows)


def _merge_equal_lengths(values: Array, counts: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
    """Merge values that are equal up to rounding, and add up their counts."""
    order = np.argsort(values)
    values, counts = values[order], counts[order]
    first = np.ones(len(values), dtype=bool)
    first[1:] = values[1:] > values[:-1] * (1.0 + SAME_LENGTH_RTOL)
    return values[first], np.bincount(np.cumsum(first) - 1, counts).astype(np.int64)


def _lengths(graph: Graph) -> Array:
    """Compute the lengths of all weighted paths, as an exactly symmetric matrix.

    The two directions of a path sum its weights in different orders; the smaller sum is kept for both.
    """
    there = _dijkstra(graph, None)
    return np.minimum(there, there.T)


def _dijkstra(graph: Graph, sources: NDArray[np.int64] | None) -> Array:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    rows: Any = (graph.weights, graph.indices, graph.indptr)
    adjacency: Any = csr_array(rows, shape=(graph.n, graph.n))
    return np.asarray(dijkstra(adjacency, directed=True, indices=sources))
