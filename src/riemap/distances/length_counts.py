"""Diameter of a graph, and the number of pairs of nodes at each distance.

References
----------
[Crescenzi2013] Crescenzi et al. On computing the diameter of real-world undirected graphs. Theoretical
    Computer Science 2013.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riemap.distances.hops import BATCH
from riemap.distances.paths import SAME_LENGTH_RTOL, DistanceMatrix, all_rows, rows_from
from riemap.graphs.dissimilarities import AnyGraph, Dissimilarities, check_graph
from riemap.graphs.graph import Graph
from riemap.types import Array

MAX_DISTINCT_LENGTHS = 1000
"""Largest number of different lengths that a :class:`Spread` lists one by one. A table or a plot of more is
not readable."""

LENGTH_RANGES = 20
"""Number of equal ranges in which a :class:`Spread` counts more lengths than that: enough for a histogram."""


def diameter(graph: AnyGraph) -> float:
    """Compute the largest distance between two nodes.

    Without weights, two nodes within ``k`` hops of a third are at most ``2k`` hops apart. So we search from
    the nodes in the order of their distance from a central one, the farthest first. We stop when the largest
    distance found is at least ``2k``, where ``k`` is the largest distance of the remaining nodes from the
    centre [Crescenzi2013]. In most graphs few searches are enough.

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
    check_graph(graph)
    if isinstance(graph, Dissimilarities) or graph.weights is not None:
        return max(float(rows.max()) for rows in all_rows(graph))
    levels = rows_from(graph, np.array([_central(graph)]))[0].astype(np.int64)
    nodes = np.argsort(-levels, kind="stable")
    found, first = int(levels[nodes[0]]), 0
    while first < graph.n and found < 2 * levels[nodes[first]]:
        block = nodes[first : first + BATCH]
        found, first = max(found, int(rows_from(graph, block).max())), first + BATCH
    return float(found)


def _central(graph: Graph) -> int:
    """A node in the middle of a long shortest path, and of several the one with the most neighbours."""
    first = rows_from(graph, np.array([0]))[0]
    one = rows_from(graph, np.array([np.argmax(first)]))[0]
    other = rows_from(graph, np.array([np.argmax(one)]))[0]
    far = np.maximum(one, other).astype(np.int64)
    return int(np.lexsort((-graph.degrees, far))[0])


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


def spread(
    graph: AnyGraph,
    *,
    sources: NDArray[np.int64] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Spread:
    """Count the pairs of nodes at each distance.

    Parameters
    ----------
    graph
        A graph or dissimilarities.
    sources
        Count only the pairs from these nodes to any other. A pair of two of them counts twice.
    progress
        Function that is called with the fraction of the work that is done.

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
        for rows in _with_progress(graph, sources, progress):
            for row in rows:
                counts = np.bincount(row)
                seen[: len(counts)] += counts
        lengths = 1 + np.flatnonzero(seen[1:])
        counts = seen[lengths] // (
            2 if sources is None else 1
        )  # all pairs were seen from both of their nodes
        return Spread(lengths, counts, float(lengths @ counts / counts.sum()), True)
    return _spread_of_lengths(graph, sources, progress)


def _with_progress(
    graph: AnyGraph,
    sources: NDArray[np.int64] | None,
    progress: Callable[[float], None] | None,
    passes: tuple[int, int] = (0, 1),
) -> Iterator[DistanceMatrix]:
    """Yield the rows of :func:`all_rows`, and tell the progress.

    ``passes`` are the number of passes over all rows that are done, and the number of all passes.
    """
    done, total = 0, graph.n if sources is None else len(sources)
    for rows in all_rows(graph, sources):
        yield rows
        done += len(rows)
        if progress is not None:
            progress((passes[0] + done / total) / passes[1])


def _spread_of_lengths(
    graph: AnyGraph, sources: NDArray[np.int64] | None, progress: Callable[[float], None] | None
) -> Spread:
    """Count pairs by distinct lengths, and by ranges once there are too many lengths."""
    top = max(float(rows.max()) for rows in _with_progress(graph, sources, progress, (0, 2)))
    mean, pairs = 0.0, graph.n * (graph.n - 1) // 2 if sources is None else len(sources) * (graph.n - 1)
    edges = np.linspace(0.0, top, LENGTH_RANGES + 1)
    ranges = np.zeros(LENGTH_RANGES, np.int64)
    values, counts = np.zeros(0), np.zeros(0, np.int64)
    exact = True
    for lengths in _pair_lengths(graph, sources, progress):
        mean += float(lengths.sum()) / pairs
        ranges += np.histogram(lengths, edges)[0]
        if exact:
            new_values, new_counts = np.unique(lengths, return_counts=True)
            values, counts = _merge_equal_lengths(
                np.concatenate([values, new_values]), np.concatenate([counts, new_counts])
            )
            exact = len(values) <= MAX_DISTINCT_LENGTHS
    return Spread(values, counts, mean, True) if exact else Spread(edges[1:], ranges, mean, False)


def _pair_lengths(
    graph: AnyGraph, sources: NDArray[np.int64] | None, progress: Callable[[float], None] | None
) -> Iterator[Array]:
    """Yield the lengths between all unordered pairs of nodes, or from the sources to all nodes, in blocks."""
    start, others = 0, np.arange(graph.n)
    for rows in _with_progress(graph, sources, progress, (1, 2)):
        end = start + len(rows)
        if sources is None:
            yield rows[others > others[start:end, None]]
        else:
            yield rows[others != sources[start:end, None]]
        start = end


def _merge_equal_lengths(values: Array, counts: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
    """Merge values that are equal up to rounding, and add up their counts."""
    order = np.argsort(values)
    values, counts = values[order], counts[order]
    first = np.ones(len(values), dtype=bool)
    first[1:] = values[1:] > values[:-1] * (1.0 + SAME_LENGTH_RTOL)
    return values[first], np.bincount(np.cumsum(first) - 1, counts).astype(np.int64)
