r"""Gromov's δ: how far a metric is from that of a tree, by the four-point condition.

Of four nodes, let :math:`S_1 \ge S_2 \ge S_3` be the sums :math:`d(a,b)+d(c,e)`, :math:`d(a,c)+d(b,e)` and
:math:`d(a,e)+d(b,c)`. Then

.. math:: \delta(a, b, c, e) = (S_1 - S_2) / 2,

which is zero in a tree, and a multiple of one half where distances are hop counts [Gromov1987]. The δ of a
graph is the largest of any four nodes; its distribution over four drawn at random says more.

References
----------
[Gromov1987] Gromov. Hyperbolic groups. 1987.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from riemap.curvature.summary import checked_count
from riemap.distances import DistanceMatrix, shortest_paths
from riemap.graphs.dissimilarities import Dissimilarities
from riemap.graphs.graph import Graph
from riemap.types import Array

SAMPLES = 1_000_000
"""Quadruples to draw: the mean of nine graphs of the paper is then known to 0.003 or better."""

CHUNK = 1 << 16
"""Quadruples with a stream of random numbers of their own."""

RANGES = 20
"""Ranges that δ is counted in where it is not a multiple of one half."""


@final
@dataclass(frozen=True, eq=False)
class Hyperbolicity:
    """Distribution of δ over quadruples of different nodes, drawn uniformly.

    Parameters
    ----------
    values
        The values of δ that occurred, in increasing order, or the upper ends of equal ranges.
    counts
        How often each did.
    ranges
        Whether values are ranges: where distances are no hop counts.
    mean, se
        Of δ, and the standard error of that mean.
    max
        Largest δ that was drawn: a lower bound of the graph's.
    seed
        Of the random numbers.
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
    graph: Graph | Dissimilarities,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    distances: DistanceMatrix | None = None,
) -> Hyperbolicity:
    """Distribution of δ over random quadruples.

    Parameters
    ----------
    graph
        With lengths or without, or dissimilarities. Fewer than four nodes have δ = 0.
    samples
        How many quadruples to draw.
    seed
        The same seed gives the same numbers, whatever the number of threads.
    distances
        Distances between all nodes, if they are known already; computed otherwise.

    Examples
    --------
    >>> found = delta_sampled(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)]), samples=10)
    >>> found.values.tolist(), found.counts.tolist(), found.mean, found.se
    ([1.0], [10], 1.0, 0.0)
    """
    samples, seed = checked_count("samples", samples, 1, SAMPLES), checked_count("seed", seed, 0, 0)
    distances = np.asarray(shortest_paths(graph) if distances is None else distances)
    twice = np.zeros(samples)
    if graph.n >= 4:
        for k, start in enumerate(range(0, samples, CHUNK)):
            part = twice[start : start + CHUNK]
            sizes = graph.n - np.arange(4)
            _fill(distances, np.random.default_rng([seed, k]).integers(sizes, size=(len(part), 4)), part)
    deltas, ranges = twice / 2.0, distances.dtype.kind != "u"
    values, counts = _ranges(deltas) if ranges else np.unique(deltas, return_counts=True)
    se = float(deltas.std() / np.sqrt(samples))
    return Hyperbolicity(values, counts, ranges, float(deltas.mean()), se, float(deltas.max()), seed)


def _ranges(deltas: Array) -> tuple[Array, NDArray[np.int64]]:
    counts, edges = np.histogram(deltas, RANGES, (0.0, float(deltas.max()) or 1.0))
    return edges[1:], counts


@njit(cache=True, parallel=True)
def _fill(distances: Any, draws: Any, twice: Any) -> None:
    """2δ of four different nodes each, of which the k-th is drawn from those that are left."""
    for i in prange(len(draws)):
        four = np.empty(4, np.int64)
        for k in range(4):
            node, place = draws[i, k], k
            for p in range(k):  # in increasing order: the node counts those left out before it
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
