r"""Gromov's δ: how far a metric is from that of a tree, by the four-point condition.

For four nodes, let :math:`S_1 \ge S_2 \ge S_3` be the sums :math:`d(a,b)+d(c,e)`, :math:`d(a,c)+d(b,e)` and
:math:`d(a,e)+d(b,c)` in decreasing order. Then

.. math:: \delta(a, b, c, e) = (S_1 - S_2) / 2,

which is zero in a tree, and a multiple of one half if distances are hop counts [Gromov1987]. The δ of a graph
is the largest value over all quadruples of nodes. The distribution over random quadruples says more.

References
----------
[Gromov1987] Gromov. Hyperbolic groups. 1987.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from riemap.distances import DistanceMatrix
from riemap.distances.target import distances_of
from riemap.errors import InputError
from riemap.graphs.dissimilarities import AnyGraph
from riemap.loops import exact_loop
from riemap.specs import checked_seed, whole_number
from riemap.threads import Part, begin
from riemap.types import Array

DEFAULT_QUADRUPLES = 1_000_000
"""Default number of quadruples to draw. The standard error of the mean is then at most 0.003 for nine graphs
of the paper."""

QUADRUPLES_PER_STREAM = 1 << 16
"""Number of quadruples drawn from one random stream. Changing it changes which quadruples a seed draws."""

DELTA_GROUPS = 16
"""Number of groups of nodes from which the standard error of δ in a large graph is computed."""

DELTA_RANGES = 20
"""Number of equal ranges in which δ is counted if it is not a multiple of one half: enough for a
histogram."""


@final
@dataclass(frozen=True, eq=False)
class Hyperbolicity:
    """Distribution of δ over uniformly drawn quadruples of different nodes.

    Parameters
    ----------
    values
        The values of δ that occurred, in increasing order, or the upper bounds of equal ranges.
    counts
        Number of quadruples for each value or range.
    ranges
        Whether ``values`` are ranges. They are if distances are not hop counts.
    mean, se
        Mean of δ, and the standard error of that mean.
    max
        Largest δ that was drawn: a lower bound for the δ of the graph.
    seed
        Seed of the draw.
    """

    values: Array
    counts: NDArray[np.int64]
    ranges: bool
    mean: float
    se: float
    max: float
    seed: int

    @property
    def samples(self) -> int:
        """Number of quadruples that were drawn."""
        return int(self.counts.sum())


def delta_sampled(
    graph: AnyGraph,
    *,
    samples: int = DEFAULT_QUADRUPLES,
    seed: int = 0,
    distances: DistanceMatrix | None = None,
) -> Hyperbolicity:
    """Estimate the distribution of δ from random quadruples of nodes.

    Parameters
    ----------
    graph
        A graph with or without edge lengths, or dissimilarities. With fewer than four nodes, δ is zero.
    samples
        Number of quadruples to draw.
    seed
        Seed of the draw. The result does not depend on the number of threads.
    distances
        Distances between all nodes, as from :func:`shortest_paths`; computed if they are not given.

    Returns
    -------
    Hyperbolicity
        Values of δ and how often they occurred, with mean and standard error.

    Raises
    ------
    InputError
        If ``samples`` is not a positive whole number, or ``seed`` is negative.

    Examples
    --------
    >>> from riemap.graphs import Graph
    >>> found = delta_sampled(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)]), samples=10)
    >>> found.values.tolist(), found.counts.tolist(), found.mean, found.se
    ([1.0], [10], 1.0, 0.0)
    """
    samples = whole_number("samples", samples, 1, DEFAULT_QUADRUPLES)
    seed = checked_seed(seed)
    distances = distances_of(graph, distances)
    deltas = _draw_deltas(distances, samples, seed)
    se = float(deltas.std() / np.sqrt(samples))
    return _summarised(deltas, distances.dtype.kind != "u", se, seed)


def delta_among(
    distances: DistanceMatrix, *, samples: int = DEFAULT_QUADRUPLES, seed: int = 0, hops: bool = True
) -> Hyperbolicity:
    """Estimate the distribution of δ in a large graph from the distances between some of its nodes.

    The nodes are dealt into groups, and δ is drawn within each group. The standard error is that of the mean
    over groups, since quadruples of the same nodes are not independent.

    Parameters
    ----------
    distances
        ``(s, s)`` distances between nodes that were drawn at random, eight or more.
    samples
        Number of quadruples to draw from these nodes.
    seed
        Seed of the draw.
    hops
        Whether the distances are hop counts.

    Returns
    -------
    Hyperbolicity
        Values of δ and how often they occurred. The standard error counts that the nodes are a sample.

    Raises
    ------
    InputError
        If there are fewer than eight nodes, ``samples`` is not a positive whole number, or ``seed`` is
        negative.

    Examples
    --------
    >>> line = np.arange(16.0)
    >>> delta_among(abs(line[:, None] - line)).max
    0.0
    """
    samples = whole_number("samples", samples, 1, DEFAULT_QUADRUPLES)
    seed = checked_seed(seed)
    if len(distances) < 8:
        raise InputError(f"δ needs the distances between eight nodes or more, not {len(distances)}")
    groups = min(DELTA_GROUPS, len(distances) // 4)
    each = max(samples // groups, 1)
    found = np.empty((groups, each))
    for k in range(groups):
        some = np.arange(k, len(distances), groups)
        found[k] = _draw_deltas(np.ascontiguousarray(distances[np.ix_(some, some)]), each, seed + k)
    se = float(found.mean(axis=1).std(ddof=1) / np.sqrt(groups))
    return _summarised(found.ravel(), not hops, se, seed)


def _draw_deltas(distances: DistanceMatrix, samples: int, seed: int) -> Array:
    """Draw quadruples of different nodes, and compute δ of each; zero if there are fewer than four nodes."""
    twice = np.zeros(samples)
    if len(distances) >= 4:
        for k, start in enumerate(range(0, samples, QUADRUPLES_PER_STREAM)):
            part = twice[start : start + QUADRUPLES_PER_STREAM]
            sizes = len(distances) - np.arange(4)
            _fill(distances, np.random.default_rng([seed, k]).integers(sizes, size=(len(part), 4)), part)
    return twice / 2.0


def _summarised(deltas: Array, ranges: bool, se: float, seed: int) -> Hyperbolicity:
    values, counts = _ranges(deltas) if ranges else np.unique(deltas, return_counts=True)
    return Hyperbolicity(values, counts, ranges, float(deltas.mean()), se, float(deltas.max()), seed)


def _ranges(deltas: Array) -> tuple[Array, NDArray[np.int64]]:
    """Upper bounds of equal ranges of δ, and the number of values in each."""
    counts, edges = np.histogram(deltas, DELTA_RANGES, (0.0, float(deltas.max()) or 1.0))
    return edges[1:], counts


def _fill(distances: Any, draws: Any, twice: Any) -> None:
    """Write 2δ of each quadruple to ``twice``. Column ``k`` of a draw picks from the ``n - k`` nodes left."""
    _fill_rows(len(draws), distances, draws, twice)


@exact_loop
def _fill_rows(part: Part, distances: Any, draws: Any, twice: Any) -> None:
    four = np.empty(4, np.int64)
    start, stop = begin(part)
    for i in range(start, stop):
        for k in range(4):
            node, place = draws[i, k], k
            for p in range(k):  # ``four`` is sorted: skip the nodes already drawn
                if node >= four[p]:
                    node += 1
            while place > 0 and four[place - 1] > node:
                four[place] = four[place - 1]
                place -= 1
            four[place] = node
        a, b, c, e = four
        r = float(distances[a, b]) + float(distances[c, e])
        s = float(distances[a, c]) + float(distances[b, e])
        t = float(distances[a, e]) + float(distances[b, c])
        low, high = min(r, s), max(r, s)
        twice[i] = max(high, t) - max(low, min(high, t))
