r"""The likelihood of a graph's edges against pairs that are none  [NickelKiela2017].

References
----------
[NickelKiela2017] Nickel, Kiela. Poincaré embeddings for learning hierarchical representations. NeurIPS 2017.
[Cruceru2020] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph embeddings.
    2020.
"""

import math
from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np
from numba import prange

from riemap.losses.base import CLOSE, Loss
from riemap.types import Array
from riemap.vmath import exp, inline, pair_loop

SAME = 1e-9
"""Relative difference up to which two targets are the same distance."""


@final
@dataclass(frozen=True)
class Neighbourhood(Loss):
    r"""How likely edges are: the mean over nodes ``i`` of a sum over their neighbours ``j``.

    .. math:: -\log \frac{e^{-d_{ij}}}{e^{-d_{ij}} + \sum_{k \not\sim i} e^{-d_{ik}}}.

    The paper's formula sums the denominator over the neighbours of ``i``  [Cruceru2020, eq. 4], which nothing
    would keep apart; here it runs over ``j`` and the nodes of the batch that are no neighbours, as in the
    original. Neighbours are the pairs at the least distance of the batch: the edges of an unweighted graph.
    Edges pull without end, so that the loss is not least at the graph's own distances.
    """

    symbol: ClassVar[str] = "neighbourhood"
    compares_rows: ClassVar[bool] = True
    needs_near_pairs: ClassVar[bool] = True
    least_at_target: ClassVar[bool] = False
    edge: float = field(default=0.0, init=False)

    def for_target(self, least: float) -> "Neighbourhood":
        """Edges are the pairs at the least distance."""
        found = Neighbourhood()
        object.__setattr__(found, "edge", least * (1.0 + SAME))
        return found

    def statistics(self, target: Array, sqdist: Array, first: int) -> Array:
        """Logarithm of the sum over strangers, how much all neighbours push one, and the value."""
        return _statistics(target, sqdist, first, self._edge(target))

    def rows(
        self, target: Array, sqdist: Array, first: int, statistics: Array, both_ends: bool, out: Array
    ) -> float:
        """The likelihood, and its slopes."""
        _weights(target, sqdist, first, self._edge(target), statistics, both_ends, out)
        return float(statistics[2, first : first + len(sqdist)].sum()) / sqdist.shape[1]

    def _edge(self, target: Array) -> float:
        """The largest target of an edge; of a square whose graph is not known, the least one in it."""
        if self.edge > 0.0:
            return self.edge
        return float(target[~np.eye(len(target), dtype=bool)].min()) * (1.0 + SAME)


@pair_loop
def _statistics(target: Array, sqdist: Array, first: int, edge: float) -> Array:
    r"""With :math:`x = d_{ij} + \log S`, a neighbour costs :math:`\log(1 + e^x)`.

    No sum is ever lost to underflow.
    """
    rows, n = sqdist.shape
    found = np.empty((3, rows))
    for i in prange(rows):
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
    return found


@inline
def _share(d: float, log_sum: float) -> float:
    """``e^(-d) / S``; without strangers ``S`` is zero."""
    exponent = -d - log_sum
    return np.inf if exponent > 700.0 else exp(exponent)


@pair_loop
def _weights(
    target: Array, sqdist: Array, first: int, edge: float, statistics: Array, both_ends: bool, out: Array
) -> None:
    r"""With ``S`` the sum over strangers, a neighbour's slope in ``d`` is :math:`1/(1+e^{-d_{ij}}/S)`."""
    rows, n = sqdist.shape
    log_sum, push = statistics[0], statistics[1]
    for i in prange(rows):
        t, s = target[i], sqdist[i]
        w = out[i]  # by itself: Numba loses writes through an array that came out of a mixed tuple
        own, own_push = log_sum[first + i], push[first + i]
        for j in range(n):
            d = math.sqrt(s[j])
            near = _share(d, own)
            slope = -near * own_push if t[j] > edge else 1.0 / (1.0 + near)
            if both_ends:
                near = _share(d, log_sum[j])
                slope += -near * push[j] if t[j] > edge else 1.0 / (1.0 + near)
            w[j] = 0.5 * slope / (max(d, CLOSE) * n)
        w[first + i] = 0.0
