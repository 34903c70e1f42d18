"""Distances of a large graph, estimated from those of some random nodes, with standard errors."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riemap.distances.length_counts import LENGTH_RANGES, MAX_DISTINCT_LENGTHS, Spread, diameter
from riemap.distances.paths import SAME_LENGTH_RTOL, rows_from
from riemap.graphs.dissimilarities import AnyGraph
from riemap.graphs.graph import Graph
from riemap.types import Array

ROWS_AT_ONCE = 64
"""Number of nodes that are searched from between two calls of the progress function. A bit-parallel search
from 64 nodes takes a third of the time of one from 512."""

MAX_SWEEPS = 8
"""Most searches for a longer distance. On the graphs of the paper, two find what more of them find."""


LARGEST_EXACT_DIAMETER, LARGEST_EXACT_DIAMETER_WEIGHTED = 50_000, 10_000
"""Largest numbers of nodes, without and with weights, whose distances are divided by the exact diameter where
not all of them are known. To find it takes as long as all distances in the worst case."""

FINE_RANGES = 64 * LENGTH_RANGES
"""Number of ranges in which lengths are counted before the longest one is known: so many that a whole number
of them, joined, ends near the longest."""


class SampledSpread(NamedTuple):
    """Distribution of the distances from some random nodes to all others.

    Parameters
    ----------
    spread
        The lengths, the number of pairs at each, and the mean.
    mean_se
        Standard error of the mean; infinite for one source.
    share_se
        Standard error of the share of pairs at each length.
    among
        ``(s, s)`` distances between the sources.
    longest
        The longest distance found: a lower bound of the diameter.
    """

    spread: Spread
    mean_se: float
    share_se: Array
    among: NDArray[np.float64]
    longest: float


def sampled_spread(
    graph: AnyGraph, sources: NDArray[np.int64], progress: Callable[[float], None] | None = None
) -> SampledSpread:
    """Estimate the distribution of distances, and bound the diameter from below by a double sweep.

    A sweep goes from the farthest node found so far to the one that is farthest from it, until the distance
    no longer grows. Memory is bounded: rows are looked at a few at a time.

    Parameters
    ----------
    graph
        A graph or dissimilarities.
    sources
        Different random nodes. Standard errors are over them.
    progress
        Function that is called with the fraction of the work that is done.

    Returns
    -------
    SampledSpread
        The estimates and their standard errors.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> found = sampled_spread(path, np.array([1, 2]))
    >>> found.spread.mean, found.mean_se, found.longest
    (1.3333333333333333, 0.0, 3.0)
    """
    among, found = np.empty((len(sources), len(sources))), _Counts()
    longest, farthest, means = 0.0, 0, []
    for start in range(0, len(sources), ROWS_AT_ONCE):
        block = sources[start : start + ROWS_AT_ONCE]
        rows = rows_from(graph, block)
        among[start : start + len(block)] = rows[:, sources]
        means += (rows.sum(axis=1, dtype=np.float64) / (graph.n - 1)).tolist()
        for row, source in zip(rows, block, strict=True):
            found.add(np.delete(row, source))
        if rows.max() > longest:
            longest, farthest = float(rows.max()), int(np.unravel_index(rows.argmax(), rows.shape)[1])
        if progress is not None:
            progress((start + len(block)) / (len(sources) + 1))
    longest = _sweep(graph, longest, farthest)
    lengths, table, exact = found.table()
    spread = Spread(lengths, table.sum(axis=0), float(np.mean(means)), exact)
    mean_se = _standard_error(np.array(means), graph.n)
    share_se = _standard_error(table / (graph.n - 1), graph.n)
    return SampledSpread(spread, float(mean_se), share_se, among, longest)


class _Counts:
    """How often each length occurs in each row: hop counts, few different lengths, or ranges of many."""

    def __init__(self) -> None:
        self._rows: list[tuple[NDArray[Any], NDArray[np.int64]]] = []
        self._exact = True
        self._bound = 0.0

    def add(self, lengths: NDArray[Any]) -> None:
        """Count the lengths of a row."""
        if lengths.dtype.kind == "u":
            counts = np.bincount(lengths)
            values = np.flatnonzero(counts)
            self._rows.append((values, counts[values]))
            return
        # No distance is longer than twice the longest one from any node.
        self._bound = self._bound or 2.0 * float(lengths.max())
        if self._exact:
            values, counts = np.unique(lengths, return_counts=True)
            self._rows.append((values, counts))
            merged = _without_equal_lengths(np.concatenate([values for values, _ in self._rows]))
            if len(merged) > MAX_DISTINCT_LENGTHS:
                self._exact = False
                self._rows = [self._in_ranges(values, counts) for values, counts in self._rows]
        else:
            self._rows.append(self._in_ranges(lengths, None))

    def _in_ranges(
        self, values: NDArray[Any], counts: NDArray[np.int64] | None
    ) -> tuple[NDArray[Any], NDArray[np.int64]]:
        found, _ = np.histogram(values, FINE_RANGES, (0.0, self._bound), weights=counts)
        used = np.flatnonzero(found)
        return used, found[used].astype(np.int64)

    def table(self) -> tuple[NDArray[Any], NDArray[np.int64], bool]:
        """Return the lengths or upper ends of ranges, ``(sources, lengths)`` counts, and which of both."""
        values = np.concatenate([values for values, _ in self._rows])
        if self._exact:
            lengths = _without_equal_lengths(values)
            places = [
                np.searchsorted(lengths, v * (1.0 + SAME_LENGTH_RTOL), "right") - 1 for v, _ in self._rows
            ]
        else:
            step = int(values.max()) // LENGTH_RANGES + 1  # ranges that share a line of the result
            lengths = np.arange(1, LENGTH_RANGES + 1) * (step * self._bound / FINE_RANGES)
            places = [v // step for v, _ in self._rows]
        table = np.zeros((len(self._rows), len(lengths)), np.int64)
        for row, place, (_, counts) in zip(table, places, self._rows, strict=True):
            np.add.at(row, place, counts)
        return lengths, table, self._exact


def _without_equal_lengths(values: NDArray[Any]) -> NDArray[Any]:
    """The different values in increasing order; those that are equal up to rounding count as one."""
    values = np.unique(values)
    return values[np.concatenate([[True], values[1:] > values[:-1] * (1.0 + SAME_LENGTH_RTOL)])]


def pseudo_diameter(graph: AnyGraph) -> float:
    """Bound the diameter from below: sweep from the node with the most neighbours while distances grow.

    Parameters
    ----------
    graph
        A graph or dissimilarities.

    Returns
    -------
    float
        A distance between two nodes; at least half of the largest one, and mostly the largest.

    Examples
    --------
    >>> pseudo_diameter(Graph.from_edges([(0, 1), (1, 2), (2, 3)]))
    3.0
    """
    start = int(np.argmax(graph.degrees)) if isinstance(graph, Graph) else 0
    return _sweep(graph, 0.0, start)


def longest_distance(graph: AnyGraph) -> float:
    """Return what the distances of a large graph are divided by, in training and in scores.

    Parameters
    ----------
    graph
        A graph or dissimilarities.

    Returns
    -------
    float
        The diameter of up to 50,000 nodes, or 10,000 with weights; of more nodes, :func:`pseudo_diameter`.

    Examples
    --------
    >>> longest_distance(Graph.from_edges([(0, 1), (1, 2), (2, 3)]))
    3.0
    """
    if not isinstance(graph, Graph):
        return diameter(graph)
    most = LARGEST_EXACT_DIAMETER if graph.weights is None else LARGEST_EXACT_DIAMETER_WEIGHTED
    return diameter(graph) if graph.n <= most else pseudo_diameter(graph)


def _sweep(graph: AnyGraph, longest: float, farthest: int) -> float:
    """Search from the farthest node, then from the one farthest from it, while the distance grows."""
    for _ in range(MAX_SWEEPS):
        (row,) = rows_from(graph, np.array([farthest]))
        if row.max() <= longest:
            break
        longest, farthest = float(row.max()), int(row.argmax())
    return longest


def _standard_error(values: Array, nodes: int) -> Array:
    """Standard error of the mean over sources, which were drawn without replacement from all nodes.

    It is infinite for one source.
    """
    count = len(values)
    if count < 2:
        return np.full(values.shape[1:], np.inf)
    left = 1.0 - count / nodes
    return np.asarray(np.sqrt(left * values.var(axis=0, ddof=1) / count))
