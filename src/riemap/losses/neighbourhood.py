r"""Losses that compare the edges of a node with its pairs that are not edges  [NickelKiela2017].

References
----------
[NickelKiela2017] Nickel, Kiela. Poincaré embeddings for learning hierarchical representations. NeurIPS 2017.
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph embeddings.
    AAAI 2021.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Self, final

import numpy as np

from riemap.loops import inline, pair_loop
from riemap.losses.base import LEAST_DISTANCE, Loss, RowBlock
from riemap.losses.few_edges import few_statistics, few_weights
from riemap.losses.schedule import Schedule
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import exp

EDGE_TOLERANCE = 1e-9
"""Relative difference up to which squared distances count as equal; it covers rounding of path lengths."""


FEW_PAIRS = 1 << 13
"""Number of pairs up to which NumPy is used. It takes longer than a loop, and needs no compilation, which
takes half a second."""

DEFAULT_EDGE_TEMPERATURE = Schedule(1.0, 0.03)
"""Temperature of :class:`Edges` unless another is given, in units of the smallest distance of the graph.

At the start the nearest few pairs that are no edges count, at the end the nearest one alone."""


class _EdgeLikelihood(Loss):
    """What these losses share, given the largest target of a pair that is an edge."""

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

    def _temperature(self, edge: float) -> float:
        """Return what distances are divided by in the exponents."""
        return 1.0

    def _row_weights(self, degrees: Array, edge: float) -> Array:
        """Return the weight of each row, given its number of edges."""
        return np.ones_like(degrees)

    def statistics(self, block: RowBlock) -> Array:
        """Compute per row: log of the sum over non-neighbours, their common derivative, value, and weight."""
        edge = self._edge_threshold(block.target)
        compute = few_statistics if block.sqdist.size <= FEW_PAIRS else _statistics
        found = compute(*block, edge, 1.0 / self._temperature(edge))
        found[3] = self._row_weights(found[3], edge)
        found[1:3] *= found[3]
        return found

    def rows(self, block: RowBlock, *, statistics: Array, both_ends: bool, out: Array) -> float:
        """Compute the contribution of a block to the mean over nodes, and the weights."""
        target, sqdist, first = block
        edge = self._edge_threshold(target)
        inverse = 1.0 / self._temperature(edge)
        if sqdist.size <= FEW_PAIRS:
            few_weights(target, sqdist, first, edge, inverse, statistics, both_ends, out)
        else:
            _weights_rows(len(sqdist), target, sqdist, first, edge, inverse, statistics, both_ends, out)
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
        return _smallest(target)


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


class _EdgesOfTemperature(_EdgeLikelihood):
    """What the two forms of :class:`Edges` share."""

    symbol: ClassVar[str] = "edges"
    T: Schedule

    def __str__(self) -> str:
        return self.symbol if self.T == DEFAULT_EDGE_TEMPERATURE else f"{self.symbol}(T={self.T})"

    @property
    def refines(self) -> bool:
        """Yes: pairs that are in order have no weight."""
        return True

    def at_progress(self, progress: float) -> Self:
        """Return the loss with the temperature of that moment."""
        now = self.T.value_at(progress)
        return self if now == self.T.start == self.T.end else replace(self, T=Schedule(now, now))  # type: ignore[type-var]

    def _temperature(self, edge: float) -> float:
        return self.T.start * math.sqrt(edge)

    def _row_weights(self, degrees: Array, edge: float) -> Array:
        return self._temperature(edge) / np.maximum(degrees, 1.0)


@final
@dataclass(frozen=True)
class Edges(_EdgesOfTemperature):
    r"""How much longer edges are than the nearest pairs that are no edges: a mean over nodes and their edges.

    .. math:: \tau \log\Bigl(1 + \sum_{k \not\sim i} e^{(d_{ij} - d_{ik}) / \tau}\Bigr),
        \qquad \tau = T \delta_{\min}.

    For small temperatures this is :math:`\max(0, d_{ij} - \min_k d_{ik})`: an edge has a cost only if another
    node is nearer than the neighbour. What is in order is left alone, so that in a sum with a loss of lengths
    it takes little from these. The pairs at the smallest distance :math:`\delta_{\min}` count as edges: in an
    unweighted graph they are its edges.

    Parameters
    ----------
    T
        The temperature in units of the smallest distance, or a schedule of it.

    Examples
    --------
    >>> str(Edges()), str(Edges(T="2->0.1"))
    ('edges', 'edges(T=2->0.1)')
    """

    T: Schedule = DEFAULT_EDGE_TEMPERATURE

    def __post_init__(self) -> None:
        if not isinstance(self.T, Schedule):
            object.__setattr__(self, "T", Schedule.parse(str(self.T)))

    def for_target(self, least: float) -> "BoundEdges":
        """Return the loss whose edges are the pairs at the distance ``least``."""
        return BoundEdges(self.T, least * (1.0 + EDGE_TOLERANCE))

    def _edge_threshold(self, target: Array) -> float:
        return _smallest(target)


@final
@dataclass(frozen=True)
class BoundEdges(_EdgesOfTemperature):
    """:class:`Edges` for the target of one graph, as :meth:`Edges.for_target` returns it.

    Parameters
    ----------
    T
        The temperature, or a schedule of it.
    edge
        The largest target of an edge.
    """

    T: Schedule
    edge: float

    def _edge_threshold(self, target: Array) -> float:
        return self.edge


def _smallest(target: Array) -> float:
    """Return the smallest distance in a square matrix, which is that of edges."""
    return float(target[~np.eye(len(target), dtype=bool)].min()) * (1.0 + EDGE_TOLERANCE)


def _statistics(target: Array, sqdist: Array, first: int, edge: float, inverse: float) -> Array:
    r"""Compute the statistics of each row.

    With ``S`` the sum over non-neighbours and :math:`x = d_{ij} + \log S`, the term of a neighbour is
    :math:`\log(1 + e^x)`. Distances are multiplied by ``inverse``, and taken relative to the nearest
    non-neighbour, so that ``S`` does not underflow. The last row has the numbers of neighbours.
    """
    found = np.empty((4, len(sqdist)))
    _statistics_rows(len(sqdist), target, sqdist, first, edge, inverse, found)
    return found


@pair_loop
def _statistics_rows(
    part: Part, target: Array, sqdist: Array, first: int, edge: float, inverse: float, found: Array
) -> None:
    n = sqdist.shape[1]
    start, stop = begin(part)
    for i in range(start, stop):
        t, s = target[i], sqdist[i]
        nearest, strangers, push, total, degree = np.inf, 0.0, 0.0, 0.0, 0.0
        for j in range(n):
            nearest = min(nearest, s[j] if t[j] > edge else np.inf)
        nearest = inverse * math.sqrt(nearest)
        for j in range(n):
            strangers += exp(nearest - inverse * math.sqrt(s[j])) if t[j] > edge else 0.0
        log_sum = math.log(strangers) - nearest if strangers > 0.0 else -np.inf
        for j in range(n):
            if t[j] <= edge and j != first + i:
                x = inverse * math.sqrt(s[j]) + log_sum
                total += max(x, 0.0) + math.log1p(math.exp(-abs(x)))
                push += 1.0 / (1.0 + math.exp(-x))
                degree += 1.0
        found[0, i], found[1, i], found[2, i], found[3, i] = log_sum, push, total, degree


@inline
def _share(d: float, log_sum: float) -> float:
    """Return ``e^(-d) / S``, which is infinite where there are no non-neighbours and ``S`` is zero."""
    exponent = -d - log_sum
    return np.inf if exponent > 700.0 else exp(exponent)


@pair_loop
def _weights_rows(
    part: Part,
    target: Array,
    sqdist: Array,
    first: int,
    edge: float,
    inverse: float,
    statistics: Array,
    both_ends: bool,
    out: Array,
) -> None:
    """Write the weights; the derivative of a neighbour's term in ``x`` is ``1 / (1 + e^-x)``."""
    n = sqdist.shape[1]
    log_sum, push, weight = statistics[0], statistics[1], statistics[3]
    start, stop = begin(part)
    for i in range(start, stop):
        t, s = target[i], sqdist[i]
        w = out[i]  # a statement of its own: Numba loses writes to an array unpacked from a mixed tuple
        own, own_push, own_weight = log_sum[first + i], push[first + i], weight[first + i]
        for j in range(n):
            d = math.sqrt(s[j])
            near = _share(inverse * d, own)
            slope = -near * own_push if t[j] > edge else own_weight / (1.0 + near)
            if both_ends:
                near = _share(inverse * d, log_sum[j])
                slope += -near * push[j] if t[j] > edge else weight[j] / (1.0 + near)
            w[j] = 0.5 * inverse * slope / (max(d, LEAST_DISTANCE) * n)
        w[first + i] = 0.0
