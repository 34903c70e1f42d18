"""Shortest paths of a graph: hop counts where edges are all alike, lengths where they have weights."""

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riemap.distances import memory, store
from riemap.distances.hops import checked_nodes, hop_counts
from riemap.graphs.dissimilarities import Dissimilarities
from riemap.graphs.graph import Graph
from riemap.types import Array

DistanceMatrix: TypeAlias = NDArray[Any]
"""Hop counts in the narrowest unsigned integers, or float64 lengths."""

STORED_FROM = 1 << 20
"""Bytes of the smallest matrix that is kept on disk; a smaller one is computed as fast as it is read."""

SAME = 1e-12
"""Relative difference up to which two lengths are one: what summing in another order may change."""

DISTINCT = 1000
"""Different lengths that are told apart in a :class:`Spread`; hop counts always are."""

RANGES = 20
"""Ranges that lengths are counted in otherwise."""

_BLOCK = 1 << 24
"""Pairs in a block of rows."""


def shortest_paths(graph: Graph | Dissimilarities, *, stored: bool = True) -> DistanceMatrix:
    """Distances between all nodes, ``(n, n)``, not to be written to.

    Hop counts are one byte a pair where the diameter allows, lengths of weighted paths are float64. A matrix
    of a megabyte or more is kept in the user's cache and mapped into memory from there; ``stored=False``
    leaves the disk alone. Of :class:`Dissimilarities` it is the matrix itself.

    >>> shortest_paths(Graph.from_edges([(0, 1), (1, 2)], weights=[0.5, 2.0]))
    array([[0. , 0.5, 2.5],
           [0.5, 0. , 2. ],
           [2.5, 2. , 0. ]])
    """
    if isinstance(graph, Dissimilarities):
        return graph.matrix
    if not isinstance(graph, Graph):
        given = type(graph).__name__
        raise TypeError(f"a graph is read by read_graph, load_dataset or as_graph, not {given}")
    found = store.load(graph) if stored else None
    if found is not None:
        return found
    width = 1 if graph.weights is None else 2 * 8  # SciPy's answer, and its mirror image
    memory.require(
        graph.n**2 * width,
        f"the distances between all {graph.n} nodes of {graph.name}",
        "scores can be estimated from some of the nodes: evaluate(…, sources=1000), "
        "or --sources 1000 on the command line",
    )
    matrix: DistanceMatrix = hop_counts(graph) if graph.weights is None else _lengths(graph)
    matrix.flags.writeable = False
    if stored and matrix.nbytes >= STORED_FROM:
        return store.save(graph, matrix)
    return matrix


def rows_from(graph: Graph | Dissimilarities, sources: NDArray[np.int64]) -> DistanceMatrix:
    """Distances from a few nodes to all, ``(len(sources), n)``, without computing the others."""
    sources = checked_nodes(sources, graph.n)
    if isinstance(graph, Dissimilarities):
        return graph.matrix[sources]
    memory.require(
        len(sources) * graph.n * (2 if graph.weights is None else 8),
        f"the distances from {len(sources)} of {graph.n} nodes of {graph.name}",
        "take fewer nodes",
    )
    return hop_counts(graph, sources) if graph.weights is None else _dijkstra(graph, sources)


def all_rows(graph: Graph | Dissimilarities) -> Iterator[DistanceMatrix]:
    """The matrix of :func:`shortest_paths`, a block of rows after the other, never all of them at once."""
    found = graph.matrix if isinstance(graph, Dissimilarities) else store.load(graph)
    size = max(_BLOCK // graph.n, 1)
    for start in range(0, graph.n, size):
        nodes = np.arange(start, min(start + size, graph.n))
        yield rows_from(graph, nodes) if found is None else found[nodes]


def diameter(graph: Graph | Dissimilarities) -> float:
    """Largest distance between two nodes."""
    return max(float(rows.max()) for rows in all_rows(graph))


class Spread(NamedTuple):
    """How many pairs of nodes are how far apart.

    ``lengths`` are the different distances, in increasing order. Where there are more of them than
    :data:`DISTINCT`, they are the upper ends of equal ranges, and ``exact`` is false; ``mean`` always is.
    """

    lengths: NDArray[Any]
    counts: NDArray[np.int64]
    mean: float
    exact: bool


def spread(graph: Graph | Dissimilarities) -> Spread:
    """The different distances between nodes, and how many pairs have each.

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
        counts = seen[lengths] // 2  # from either end
        return Spread(lengths, counts, float(lengths @ counts / counts.sum()), True)
    return _spread_of_lengths(graph)


def _spread_of_lengths(graph: Graph | Dissimilarities) -> Spread:
    """By distinct lengths as long as they are few, and by ranges from then on."""
    top, mean, pairs = diameter(graph), 0.0, graph.n * (graph.n - 1) // 2
    edges = np.linspace(0.0, top, RANGES + 1)
    ranges = np.zeros(RANGES, np.int64)
    values, counts = np.zeros(0), np.zeros(0, np.int64)
    exact = True
    for lengths in _pairs(graph):
        mean += float(lengths.sum()) / pairs
        ranges += np.histogram(lengths, edges)[0]
        if exact:
            found, often = np.unique(lengths, return_counts=True)
            values, counts = _joined(np.concatenate([values, found]), np.concatenate([counts, often]))
            exact = len(values) <= DISTINCT
    return Spread(values, counts, mean, True) if exact else Spread(edges[1:], ranges, mean, False)


def _pairs(graph: Graph | Dissimilarities) -> Iterator[Array]:
    """Lengths between all pairs of nodes, each once, in blocks."""
    start = 0
    for rows in all_rows(graph):
        nodes = np.arange(start, start + len(rows))
        yield rows[np.arange(graph.n) > nodes[:, None]]
        start += len(rows)


def _joined(values: Array, counts: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
    """Each value once, those that differ by rounding together."""
    order = np.argsort(values)
    values, counts = values[order], counts[order]
    first = np.ones(len(values), dtype=bool)
    first[1:] = values[1:] > values[:-1] * (1.0 + SAME)
    return values[first], np.bincount(np.cumsum(first) - 1, counts).astype(np.int64)


def _lengths(graph: Graph) -> Array:
    """Both ways along a path the lengths are summed in another order; the smaller sum counts."""
    there = _dijkstra(graph, None)
    return np.minimum(there, there.T)


def _dijkstra(graph: Graph, sources: NDArray[np.int64] | None) -> Array:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    rows: Any = (graph.weights, graph.indices, graph.indptr)
    adjacency: Any = csr_array(rows, shape=(graph.n, graph.n))
    return np.asarray(dijkstra(adjacency, directed=True, indices=sources))
