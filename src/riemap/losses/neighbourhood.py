r"""The likelihood of the edges of a graph against the pairs that are not edges  [NickelKiela2017].

References
----------
[NickelKiela2017] Nickel, Kiela. Poincaré embeddings for learning hierarchical representations. NeurIPS 2017.
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph embeddings.
    AAAI 2021.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from riemap.loops import inline, pair_loop
from riemap.losses.base import LEAST_DISTANCE, Loss, RowBlock
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import exp

EDGE_TOLERANCE = 1e-9
"""Relative difference up to which squared distances count as equal; it covers rounding of path lengths."""


class _EdgeLikelihood(Loss):
    """The likelihood, given the largest target of a pair that is an edge."""

    symbol: ClassVar[str] = "neighbourhood"

    @property
    def compares_rows(self) -> bool:
        """Yes: the denominator sums over a row."""
        return True

    @property
    def needs_near_pairs(self) -> bool:
        """Yes: a batch of random nodes of a sparse graph holds few edges."""
        return True

    @property
    def least_at_target(self) -> bool:
        """No: shorter edges are always more likely."""
        return False

    @abstractmethod
    def _edge_threshold(self, target: Array) -> float:
        """Return the largest target of an edge."""

    def statistics(self, block: RowBlock) -> Array:
        """Compute per row: log of the sum over non-neighbours, their common derivative, and the value."""
        return _statistics(*block, self._edge_threshold(block.target))

    def rows(self, block: RowBlock, *, statistics: Array, both_ends: bool, out: Array) -> float:
        """Compute the contribution of a block to the negative log-likelihood, and the weights."""
        target, sqdist, first = block
        _weights(target, sqdist, first, self._edge_threshold(target), statistics, both_ends, out)
        return float(statistics[2, first : first + len(sqdist)].sum()) / sqdist.shape[1]


@final
@dataclass(frozen=True)
class Neighbourhood(_EdgeLikelihood):
    r"""Negative log-likelihood of the edges: the mean over nodes ``i`` of a sum over their neighbours ``j``.

    .. math:: -\log \frac{e^{-d_{ij}}}{e^{-d_{ij}} + \sum_{k \not\sim i} e^{-d_{ik}}}.

    In [Cruceru2021, eq. 4] the denominator sums over the neighbours of ``i``, and then no term pushes nodes
    apart. Here it sums over ``j`` and the nodes that are not neighbours of ``i``, as in the original. The
    pairs at the smallest distance count as edges: in an unweighted graph they are its edges. Shorter edges
    are always more likely, so that the loss does not have its minimum at the distances of the graph.
    """

    def for_target(self, least: float) -> "BoundNeighbourhood":
        """Return the loss whose edges are the pairs at the distance ``least``."""
        return BoundNeighbourhood(least * (1.0 + EDGE_TOLERANCE))

    def _edge_threshold(self, target: Array) -> float:
        """Take the smallest distance in the matrix; it must be square."""
        return float(target[~np.eye(len(target), dtype=bool)].min()) * (1.0 + EDGE_TOLERANCE)


@final
@dataclass(frozen=True)
class BoundNeighbourhood(_EdgeLikelihood):
    """:class:`Neighbourhood` for the target of one graph, as :meth:`Neighbourhood.for_target` returns it.

    Parameters
    ----------
    edge
        The largest target of an edge.
    """

    edge: float

    def _edge_threshold(self, target: Array) -> float:
        return self.edge

    def __str__(self) -> str:
        return self.symbol


def _statistics(target: Array, sqdist: Array, first: int, edge: float) -> Array:
    r"""Compute the statistics of each row.

    With ``S`` the sum over non-neighbours and :math:`x = d_{ij} + \log S`, the term of a neighbour is
    :math:`\log(1 + e^x)`. Distances are taken relative to the nearest non-neighbour, so that ``S`` does not
    underflow.
    """
    found = np.empty((3, len(sqdist)))
    _statistics_rows(len(sqdist), target, sqdist, first, edge, found)
    return found


@pair_loop
def _statistics_rows(part: Part, target: Array, sqdist: Array, first: int, edge: float, found: Array) -> None:
    n = sqdist.shape[1]
    start, stop = begin(part)
    for i in range(start, stop):
        t, s = target[i], sqdist[i]
        nearest, strangers, push, total = np.inf, 0.0, 0.0, 0.0
        for j in range(n):
            nearest = min(nearest, s[j] if t[j] > edge else np.inf)
        nearest = math.sqrt(nearest)
        for j in range(n):
            strangers += exp(nearest - math.sqrt(s[j])) if t[j] > edge else 0.0
        log_sum = math.log(strangers) - nearest if strangers > 0.0 else -np.inf
        for j in range(n):
            if t[j] <= edge and j != first + i:
                x = math.sqrt(s[j]) + log_sum
                total += max(x, 0.0) + math.log1p(math.exp(-abs(x)))
                push += 1.0 / (1.0 + math.exp(-x))
        found[0, i], found[1, i], found[2, i] = log_sum, push, total


@inline
def _share(d: float, log_sum: float) -> float:
    """Return ``e^(-d) / S``, which is infinite where there are no non-neighbours and ``S`` is zero."""
    exponent = -d - log_sum
    return np.inf if exponent > 700.0 else exp(exponent)


def _weights(
    target: Array, sqdist: Array, first: int, edge: float, statistics: Array, both_ends: bool, out: Array
) -> None:
    r"""Write the weights; the derivative of a neighbour's term in ``d`` is :math:`1/(1+e^{-d_{ij}}/S)`."""
    _weights_rows(len(sqdist), target, sqdist, first, edge, statistics, both_ends, out)


@pair_loop
def _weights_rows(
    part: Part,
    target: Array,
    sqdist: Array,
    first: int,
    edge: float,
    statistics: Array,
    both_ends: bool,
    out: Array,
) -> None:
    n = sqdist.shape[1]
    log_sum, push = statistics[0], statistics[1]
    start, stop = begin(part)
    for i in range(start, stop):
        t, s = target[i], sqdist[i]
        w = out[i]  # a statement of its own: Numba loses writes to an array unpacked from a mixed tuple
        own, own_push = log_sum[first + i], push[first + i]
        for j in range(n):
            d = math.sqrt(s[j])
            near = _share(d, own)
            slope = -near * own_push if t[j] > edge else 1.0 / (1.0 + near)
            if both_ends:
                near = _share(d, log_sum[j])
                slope += -near * push[j] if t[j] > edge else 1.0 / (1.0 + near)
            w[j] = 0.5 * slope / (max(d, LEAST_DISTANCE) * n)
        w[first + i] = 0.0
