"""Two distances over the same nodes, compared a block of rows at a time.

The graph's distances :math:`d_G` are scaled so that the largest between any two nodes is one; the embedded
ones :math:`d_M` are taken as they are. Everything a metric needs from them is gathered here: sums over
pairs in one pass, and for every node the order in which it sees the others in another.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.graphs.graph import Graph
from riemap.metrics.order import Ranking, rank_rows
from riemap.types import Array

BLOCK = 1 << 21
"""Pairs in a block: enough to share out between threads, few enough to stay small."""

KEPT = 1 << 26
"""Pairs whose embedded distances are kept in memory (0.5 GB) and not computed again for each pass."""


class Rows(NamedTuple):
    """What some sources see: row ``i`` belongs to ``sources[i]``, column ``j`` to node ``j``."""

    sources: NDArray[np.int64]
    graph: NDArray[Any]  # distances in the graph: hop counts, or lengths
    sqdist: Array  # squared distances in the embedding


class Sums(NamedTuple):
    """Sums over ordered pairs of nodes, with g the graph's scaled distance and d the embedded one."""

    pairs: int
    deviation: float  # of |d/g - 1|
    least: float  # ratio d/g
    greatest: float  # ratio d/g
    residual: float  # of (d - g)²
    d: float
    g: float
    dd: float
    gg: float
    dg: float


@final
@dataclass(frozen=True, eq=False)
class Comparison:
    """The distances that ``sources`` see in a graph and in an embedding of it.

    Parameters
    ----------
    sources
        Numbers of the nodes whose rows count.
    distances
        ``(len(sources), n)``, from them to all nodes, in the graph.
    sqdist
        Gives the squared distances in the embedding from any sources to all nodes.
    maximum
        Largest distance between any two nodes of the graph.
    graph
        Where there is one: the edges, for metrics that need them.
    """

    sources: NDArray[np.int64]
    distances: NDArray[Any]
    sqdist: Callable[[NDArray[np.int64]], Array]
    maximum: float
    graph: Graph | None = None
    _kept: dict[int, Array] = field(default_factory=dict, init=False, repr=False)

    @property
    def n(self) -> int:
        """Number of nodes."""
        return self.distances.shape[1]

    @property
    def all_pairs(self) -> bool:
        """Whether every node is a source, so that each pair is seen from both its ends."""
        return len(self.sources) == self.n

    def part(self, rows: slice) -> "Comparison":
        """The same for some of the sources."""
        return replace(self, sources=self.sources[rows], distances=self.distances[rows])

    def rows(self) -> Iterator[Rows]:
        """All rows, in blocks; the embedded distances are kept for the next pass if they are few."""
        size = max(BLOCK // self.n, 1)
        for start in range(0, len(self.sources), size):
            sources = self.sources[start : start + size]
            sqdist = self._kept.get(start)
            if sqdist is None:
                sqdist = np.asarray(self.sqdist(sources), np.float64) + 0.0  # a zero with a sign loses it
                _check(sqdist, sources)
                if self.distances.size <= KEPT:
                    self._kept[start] = sqdist
            yield Rows(sources, self.distances[start : start + size], sqdist)

    def pairs(self) -> Iterator[tuple[NDArray[Any], Array]]:
        """The graph's distances and the embedding's squared ones, in blocks; each pair once if all count."""
        column = np.arange(self.n)
        for rows in self.rows():
            row = rows.sources[:, None]
            chosen = column > row if self.all_pairs else column != row
            yield rows.graph[chosen], rows.sqdist[chosen]

    @cached_property
    def sums(self) -> Sums:
        """Everything that is a sum over pairs."""
        parts = np.concatenate([_row_sums(*rows, self.maximum) for rows in self.rows()])
        total = parts.sum(axis=0)
        return Sums(
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
        """Everything that depends on the order in which a node sees the others."""
        return Ranking.total([rank_rows(*rows, self.graph) for rows in self.rows()])


def _check(sqdist: Array, sources: NDArray[np.int64]) -> None:
    bad = ~np.isfinite(sqdist) | (sqdist < 0.0)
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise InputError(
            f"the embedding has no distance between nodes {sources[i]} and {j}: its square came out as "
            f"{sqdist[i, j]:g}"
        )


@njit(cache=True, parallel=True, error_model="numpy")
def _row_sums(sources: Any, graph: Any, sqdist: Any, maximum: float) -> Any:
    """What :class:`Sums` adds up, for each row."""
    found = np.zeros((len(sources), 9))
    for i in prange(len(sources)):
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
    return found
