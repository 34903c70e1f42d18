r"""Losses that compare neighbourhoods rather than lengths.

Each node ``i`` has two distributions over the other nodes, one from the graph and one from the embedding,

.. math:: p_{j|i} \propto e^{-\delta_{ij}^2 / T}, \qquad q_{j|i} \propto e^{-d_{ij}^2},

and the loss is the mean over ``i`` of a divergence between them  [Cruceru2020, sec. 4]. A small ``T`` looks
only at the nearest nodes, a large one at all.

References
----------
[HintonRoweis2002] Hinton, Roweis. Stochastic neighbor embedding. NIPS 2002.
[Cruceru2020] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph embeddings.
    2020.
"""

import math
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np
from numba import prange

from riemap.losses.base import Loss
from riemap.losses.schedule import Schedule
from riemap.types import Array
from riemap.vmath import exp, from_bits, inline, kernel

NARROW = 300.0
"""Largest logarithm of a normaliser, against the middle one, whose exponential is safe in a product."""

UNWANTED = np.empty((0, 0))

FARSIGHTED = 0.1
"""Temperature from which on, with distances up to one, most nodes of a graph count for a node."""

USUAL = Schedule(0.02, 0.02)
"""The temperature unless another is given."""


@final
@dataclass(frozen=True)
class RSNE(Loss):
    r"""Mean over nodes of :math:`\mathrm{KL}(p_i\,\|\,q_i)`, which punishes lost neighbours most.

    If ``exclusive``, of :math:`\mathrm{KL}(q_i\,\|\,p_i)`, which punishes strangers that come close.

    >>> str(RSNE(T="0.5->0.02"))
    'rsne(T=0.5->0.02)'
    """

    T: Schedule = USUAL
    exclusive: bool = False
    symbol: ClassVar[str] = "rsne"
    compares_rows: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.T, Schedule):
            object.__setattr__(self, "T", Schedule.parse(str(self.T)))
        object.__setattr__(self, "nearsighted", min(self.T.start, self.T.end) < FARSIGHTED)

    def at(self, progress: float) -> "RSNE":
        """With the temperature of that moment."""
        now = self.T.at(progress)
        return self if now == self.T.start == self.T.end else replace(self, T=Schedule(now, now))

    def statistics(self, target: Array, sqdist: Array, first: int) -> Array:
        """Logarithms of both normalisers, and the divergence."""
        return _statistics(target, sqdist, 1.0 / self.T.start, first, self.exclusive, UNWANTED, UNWANTED)

    def rows(
        self, target: Array, sqdist: Array, first: int, statistics: Array, both: bool, out: Array
    ) -> float:
        """The mean of the divergences, and its slopes."""
        weigh = _exclusive if self.exclusive else _inclusive
        weigh(target, sqdist, 1.0 / self.T.start, first, statistics, both, out)
        return float(statistics[2, first : first + len(sqdist)].sum()) / sqdist.shape[1]

    def dense(self, target: Array, sqdist: Array, out: Array) -> float:
        """With half the exponentials: those of the statistics are kept for the weights."""
        if self.exclusive:
            return super().dense(target, sqdist, out)
        p = np.empty_like(sqdist)
        statistics = _statistics(target, sqdist, 1.0 / self.T.start, 0, False, p, out)
        if not _combine(p, statistics, out):
            return self.rows(target, sqdist, 0, statistics, True, out)
        return float(statistics[2].sum()) / len(sqdist)


@inline
def _least(values: Array) -> float:
    """Least of numbers from zero up, whose bits are ordered as they are.

    Unlike floats', this loop vectorises.
    """
    bits = values.view(np.int64)
    least = bits[0]
    for j in range(len(bits)):
        least = min(least, bits[j])
    return from_bits(least)


@kernel
def _statistics(
    target: Array, sqdist: Array, inverse: float, first: int, exclusive: bool, p_out: Array, q_out: Array
) -> Array:
    """Logarithms of both normalisers and the divergence, of each row; and both distributions, if wanted."""
    rows, n = sqdist.shape
    found, keep = np.empty((3, rows)), len(p_out) > 0
    for i in prange(rows):
        t, s = target[i], sqdist[i]
        p, q = (p_out[i], q_out[i]) if keep else (np.empty(n), np.empty(n))
        for j in range(n):
            p[j] = t[j]
            q[j] = s[j]
        p[first + i] = q[first + i] = np.inf  # a node is no neighbour of its own
        nearest_t, nearest_s = _least(p), _least(q)
        sum_p, sum_q, mean_p, mean_q = 0.0, 0.0, 0.0, 0.0
        for j in range(n):
            own_p, own_q = exp((nearest_t - p[j]) * inverse), exp(nearest_s - q[j])
            ratio = (nearest_t - t[j]) * inverse - (nearest_s - s[j])  # log p/q but for normalisers
            p[j], q[j] = own_p, own_q
            sum_p += own_p
            sum_q += own_q
            mean_p += own_p * ratio
            mean_q -= own_q * ratio
        if keep:
            scale_p, scale_q = 1.0 / sum_p, 1.0 / sum_q
            for j in range(n):
                p[j] *= scale_p
                q[j] *= scale_q
        log_p, log_q = math.log(sum_p), math.log(sum_q)
        found[0, i] = log_p - nearest_t * inverse
        found[1, i] = log_q - nearest_s
        found[2, i] = mean_q / sum_q - log_q + log_p if exclusive else mean_p / sum_p - log_p + log_q
    return found


@kernel
def _combine(p: Array, statistics: Array, out: Array) -> bool:
    """Weights of both ends, from ``p`` and, in ``out``, ``q``; False if the normalisers differ too much."""
    n = len(p)
    log_p, log_q = statistics[0], statistics[1]
    middle_p, middle_q = 0.5 * (log_p.min() + log_p.max()), 0.5 * (log_q.min() + log_q.max())
    if not max(log_p.max() - middle_p, log_q.max() - middle_q) < NARROW:
        return False
    inverse_p, inverse_q = np.exp(middle_p - log_p), np.exp(middle_q - log_q)
    for i in prange(n):
        a, w = p[i], out[i]
        sum_p, sum_q = 1.0 / inverse_p[i], 1.0 / inverse_q[i]
        for j in range(n):
            w[j] = (a[j] * (1.0 + sum_p * inverse_p[j]) - w[j] * (1.0 + sum_q * inverse_q[j])) / n
        w[i] = 0.0
    return True


@kernel
def _inclusive(
    target: Array, sqdist: Array, inverse: float, first: int, statistics: Array, both: bool, out: Array
) -> None:
    r""":math:`w_{ij} = (p_{j|i} - q_{j|i})/n`.

    Of ``both`` ends, :math:`e^{-a}/Z_i + e^{-a}/Z_j = e^{-a}/Z_i\,(1 + Z_i/Z_j)`: an exponential a pair, if
    those of the normalisers, taken against their middle, are within the range of floats; two if they are not.
    """
    rows, n = sqdist.shape
    log_p, log_q = statistics[0], statistics[1]
    middle_p, middle_q = 0.5 * (log_p.min() + log_p.max()), 0.5 * (log_q.min() + log_q.max())
    narrow = both and max(log_p.max() - middle_p, log_q.max() - middle_q) < NARROW
    inverse_p, inverse_q = (
        np.exp(middle_p - log_p) if narrow else log_p,
        np.exp(middle_q - log_q) if narrow else log_q,
    )
    for i in prange(rows):
        t, s = target[i], sqdist[i]
        w = out[i]  # by itself: Numba loses writes through an array that came out of a mixed tuple
        own_p, own_q = log_p[first + i], log_q[first + i]
        if narrow:
            sum_p, sum_q = 1.0 / inverse_p[first + i], 1.0 / inverse_q[first + i]
            for j in range(n):
                of_p = exp(-t[j] * inverse - own_p) * (1.0 + sum_p * inverse_p[j])
                w[j] = (of_p - exp(-s[j] - own_q) * (1.0 + sum_q * inverse_q[j])) / n
        else:
            for j in range(n):
                w[j] = (exp(-t[j] * inverse - own_p) - exp(-s[j] - own_q)) / n
            if both:
                for j in range(n):
                    w[j] += (exp(-t[j] * inverse - log_p[j]) - exp(-s[j] - log_q[j])) / n
        w[first + i] = 0.0


@kernel
def _exclusive(
    target: Array, sqdist: Array, inverse: float, first: int, statistics: Array, both: bool, out: Array
) -> None:
    r""":math:`w_{ij} = q_{j|i}(\mathrm{KL}_i - \log q_{j|i}/p_{j|i})/n`."""
    rows, n = sqdist.shape
    log_p, log_q, divergence = statistics[0], statistics[1], statistics[2]
    for i in prange(rows):
        t, s = target[i], sqdist[i]
        w = out[i]
        own_p, own_q, own = log_p[first + i], log_q[first + i], divergence[first + i]
        for j in range(n):
            ratio = t[j] * inverse - s[j]
            w[j] = exp(-s[j] - own_q) * (own - ratio + own_q - own_p) / n
        if both:
            for j in range(n):
                ratio = t[j] * inverse - s[j]
                w[j] += exp(-s[j] - log_q[j]) * (divergence[j] - ratio + log_q[j] - log_p[j]) / n
        w[first + i] = 0.0
