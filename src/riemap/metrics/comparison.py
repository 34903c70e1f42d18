"""Distances in a graph and in its embedding, compared one block of rows at a time.

The graph's distances :math:`d_G` are divided by the largest distance between any two nodes. The embedded
distances :math:`d_M` are not rescaled. :class:`Comparison` collects what the metrics need: one pass over the
pairs for the sums, and another pass for the order in which each node sees the others.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.graphs.graph import Graph
from riemap.loops import exact_loop
from riemap.metrics.order import Ranking, rank_rows
from riemap.threads import Part, begin
from riemap.types import Array

COMPARISON_BLOCK_PAIRS = 1 << 21
"""Number of pairs in a block: large enough to occupy all threads, small enough (16 MB) to need little
memory."""

FEW_PAIRS = 1 << 14
"""Number of pairs that are summed without compiled loops, which take half a second to compile on the first
run and save a millisecond."""

LARGEST_CACHED_PAIRS = 1 << 26
"""Largest number of pairs whose embedded distances stay in memory (0.5 GB). With more pairs, each pass
computes them again."""


class ComparedRows(NamedTuple):
    """A block of rows: row ``i`` belongs to node ``sources[i]``, column ``j`` to node ``j``.

    Parameters
    ----------
    sources
        ``(k,)``, node numbers of the rows.
    graph
        ``(k, n)``, distances in the graph: hop counts, or path lengths if the edges have lengths.
    sqdist
        ``(k, n)``, squared distances in the embedding.
    """

    sources: NDArray[np.int64]
    graph: NDArray[Any]
    sqdist: Array


class PairSums(NamedTuple):
    """Sums over ordered pairs of nodes, with ``g`` the scaled graph distance and ``d`` the embedded one.

    Parameters
    ----------
    pairs
        Number of ordered pairs.
    deviation, residual
        Sums of ``|d/g - 1|`` and of ``(d - g)²``.
    least, greatest
        Smallest and largest ratio ``d/g``.
    d, g, dd, gg, dg
        Sums of ``d``, ``g``, ``d²``, ``g²`` and ``d·g``.
    """

    pairs: int
    deviation: float
    least: float
    greatest: float
    residual: float
    d: float
    g: float
    dd: float
    gg: float
    dg: float


@final
@dataclass(frozen=True, eq=False)
class Comparison:
    """Distances from some source nodes to all nodes, in a graph and in an embedding of it.

    :func:`riemap.metrics.compare` makes one from an embedding and a graph.

    Parameters
    ----------
    sources
        ``(k,)``, numbers of the source nodes.
    distances
        ``(k, n)``, distances in the graph from the sources to all nodes.
    sqdist
        Function from an array of node numbers to their squared distances to all nodes in the embedding.
    maximum
        Largest distance between any two nodes of the graph.
    graph
        The graph, for metrics that need its edges. ``None`` if there are only dissimilarities.

    Examples
    --------
    >>> sqdist = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> c = Comparison(np.arange(2), np.array([[0, 3], [3, 0]]), sqdist.__getitem__, maximum=3.0)
    >>> c.n, c.all_pairs
    (2, True)
    """

    sources: NDArray[np.int64]
    distances: NDArray[Any]
    sqdist: Callable[[NDArray[np.int64]], Array]
    maximum: float
    graph: Graph | None = None
    _cached: dict[int, Array] = field(default_factory=dict, init=False, repr=False)

    @property
    def n(self) -> int:
        """Number of nodes."""
        return self.distances.shape[1]

    @property
    def all_pairs(self) -> bool:
        """Whether every node is a source, so that each pair occurs twice, once from each end."""
        return len(self.sources) == self.n

    def part(self, rows: slice) -> "Comparison":
        """Return the comparison restricted to some of the sources.

        Parameters
        ----------
        rows
            Positions within ``sources``.

        Returns
        -------
        Comparison
            With ``sources[rows]`` as its sources.
        """
        return replace(self, sources=self.sources[rows], distances=self.distances[rows])

    def rows(self) -> Iterator[ComparedRows]:
        """Yield all rows in blocks.

        Embedded distances are cached for the next pass if there are at most :data:`LARGEST_CACHED_PAIRS`.

        Yields
        ------
        ComparedRows
            Blocks of consecutive sources, of about :data:`COMPARISON_BLOCK_PAIRS` pairs each.

        Raises
        ------
        InputError
            If an embedded distance is negative, NaN or infinite.
        """
        size = max(COMPARISON_BLOCK_PAIRS // self.n, 1)
        for start in range(0, len(self.sources), size):
            sources = self.sources[start : start + size]
            sqdist = self._cached.get(start)
            if sqdist is None:
                sqdist = np.asarray(self.sqdist(sources), np.float64) + 0.0  # turns -0.0 into 0.0
                _check(sqdist, sources)
                if self.distances.size <= LARGEST_CACHED_PAIRS:
                    self._cached[start] = sqdist
            yield ComparedRows(sources, self.distances[start : start + size], sqdist)

    def pairs(self) -> Iterator[tuple[NDArray[Any], Array]]:
        """Yield the distances of pairs of different nodes, in blocks.

        If all nodes are sources, each unordered pair occurs once. Otherwise each source is paired with every
        other node.

        Yields
        ------
        tuple
            Two arrays ``(p,)``: distances in the graph, and squared distances in the embedding.
        """
        column = np.arange(self.n)
        for rows in self.rows():
            row = rows.sources[:, None]
            chosen = column > row if self.all_pairs else column != row
            yield rows.graph[chosen], rows.sqdist[chosen]

    @cached_property
    def sums(self) -> PairSums:
        """Sums over all ordered pairs from a source to another node; computed once, then cached."""
        parts = np.concatenate([_row_sums(*rows, self.maximum) for rows in self.rows()])
        total = parts.sum(axis=0)
        return PairSums(
            pairs=len(self.sources) * (self.n - 1),
            deviation=float(total[0]),
            least=float(parts[:, 1].min()),
            greatest=float(parts[:, 2].max()),
            residual=float(total[3]),
            d=float(total[4]),
            g=float(total[5]),
            dd=float(total[6]),
            gg=float(total[7]),
            dg=float(total[8]),
        )

    @cached_property
    def ranking(self) -> Ranking:
        """Sums that depend on the order in which each source sees the others; computed once, then cached."""
        return Ranking.total([rank_rows(*rows, self.graph) for rows in self.rows()])


def _check(sqdist: Array, sources: NDArray[np.int64]) -> None:
    bad = ~np.isfinite(sqdist) | (sqdist < 0.0)
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise InputError(
            f"the embedding has no distance between nodes {sources[i]} and {j}: the squared distance is "
            f"{sqdist[i, j]:g}; distances must be finite and not negative"
        )


def _row_sums(sources: Any, graph: Any, sqdist: Any, maximum: float) -> Any:
    """For each row, the sums and extremes that :class:`PairSums` combines."""
    if graph.size <= FEW_PAIRS:
        return _few_row_sums(sources, graph, sqdist, maximum)
    found = np.zeros((len(sources), 9))
    _row_sums_rows(len(sources), sources, graph, sqdist, maximum, found)
    return found


def _few_row_sums(sources: Any, graph: Any, sqdist: Any, maximum: float) -> Any:
    """Compute the same without a compiled loop; ``cumsum`` adds in the same order."""
    others = np.arange(graph.shape[1]) != sources[:, None]
    shape = (len(sources), -1)
    g, d = (graph[others] / maximum).reshape(shape), np.sqrt(sqdist[others]).reshape(shape)
    ratio = d / g
    terms = (np.abs(ratio - 1.0), d, d, (d - g) * (d - g), d, g, d * d, g * g, d * g)
    found = np.stack([np.cumsum(term, axis=1)[:, -1] for term in terms], axis=1)
    found[:, 1], found[:, 2] = ratio.min(axis=1), ratio.max(axis=1)
    return found


@exact_loop
def _row_sums_rows(part: Part, sources: Any, graph: Any, sqdist: Any, maximum: float, found: Array) -> None:
    start, stop = begin(part)
    for i in range(start, stop):
        deviation, least, greatest, residual = 0.0, np.inf, 0.0, 0.0
        sum_d, sum_g, sum_dd, sum_gg, sum_dg = 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(graph.shape[1]):
            if j != sources[i]:
                g = graph[i, j] / maximum
                d = np.sqrt(sqdist[i, j])
                ratio = d / g
                deviation += abs(ratio - 1.0)
                least = min(least, ratio)
                greatest = max(greatest, ratio)
                residual += (d - g) * (d - g)
                sum_d += d
                sum_g += g
                sum_dd += d * d
                sum_gg += g * g
                sum_dg += d * g
        found[i, 0], found[i, 1], found[i, 2], found[i, 3] = deviation, least, greatest, residual
        found[i, 4], found[i, 5], found[i, 6] = sum_d, sum_g, sum_dd
        found[i, 7], found[i, 8] = sum_gg, sum_dg
