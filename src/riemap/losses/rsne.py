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
from riemap.lower_triangle import row_and_end
from riemap.types import Array
from riemap.vmath import exp, from_bits, inline, pair_loop

NARROW = 300.0
"""Largest logarithm of a normaliser, against the middle one, whose exponential is safe in a product."""

LEAST_SUM = 1e-290
"""Least normaliser of exponentials that are taken as they are; smaller ones have lost their digits."""

SHARES = 16
"""Parts of the work that are summed up separately."""

FARSIGHTED = 0.1
"""Temperature from which on, with distances up to one, most nodes of a graph count for a node."""

USUAL = Schedule(0.02, 0.02)
"""The temperature unless another is given."""


@final
@dataclass(frozen=True)
class RSNE(Loss):
    r"""Mean over nodes of :math:`\mathrm{KL}(p_i\,\|\,q_i)`, which punishes lost neighbours most.

    If ``exclusive``, of :math:`\mathrm{KL}(q_i\,\|\,p_i)`, which punishes strangers that come close.

    If ``same_temperature``, :math:`q_{j|i} \propto e^{-d_{ij}^2 / T}` too: least where the
    embedded distances are the target, and not :math:`T^{-1/2}` times as long, so that in a sum with
    a loss of lengths both agree.

    >>> str(RSNE(T="0.5->0.02"))
    'rsne(T=0.5->0.02)'
    """

    T: Schedule = USUAL
    exclusive: bool = False
    same_temperature: bool = False
    symbol: ClassVar[str] = "rsne"
    compares_rows: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.T, Schedule):
            object.__setattr__(self, "T", Schedule.parse(str(self.T)))
        object.__setattr__(self, "needs_near_pairs", min(self.T.start, self.T.end) < FARSIGHTED)

    def at_progress(self, progress: float) -> "RSNE":
        """With the temperature of that moment."""
        now = self.T.value_at(progress)
        return self if now == self.T.start == self.T.end else replace(self, T=Schedule(now, now))

    @property
    def _inverses(self) -> tuple[float, float]:
        """What target and squared distances are multiplied by in the exponents."""
        return 1.0 / self.T.start, 1.0 / self.T.start if self.same_temperature else 1.0

    def statistics(self, target: Array, sqdist: Array, first: int) -> Array:
        """Logarithms of both_ends normalisers, and the divergence."""
        return _statistics(target, sqdist, *self._inverses, first, self.exclusive)

    def rows(
        self, target: Array, sqdist: Array, first: int, statistics: Array, both_ends: bool, out: Array
    ) -> float:
        """The mean of the divergences, and its slopes."""
        weigh = _exclusive if self.exclusive else _inclusive
        weigh(target, sqdist, *self._inverses, first, statistics, both_ends, out)
        return float(statistics[2, first : first + len(sqdist)].sum()) / sqdist.shape[1]

    def lower(self, target: Array, sqdist: Array, out: Array) -> float:
        """With half the exponentials: those of the statistics are kept for the weights."""
        if self.exclusive:
            return super().lower(target, sqdist, out)
        sums = _exponentials(target, sqdist, *self._inverses, out).sum(axis=0)
        if not sums[:2].min() > LEAST_SUM:
            return super().lower(target, sqdist, out)
        _combine(sums, self._inverses[1], out)
        return float(np.mean(sums[2] / sums[0] - np.log(sums[0] / sums[1])))


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


@pair_loop
def _statistics(
    target: Array, sqdist: Array, inverse: float, own: float, first: int, exclusive: bool
) -> Array:
    """Logarithms of both_ends normalisers and the divergence, of each row."""
    rows, n = sqdist.shape
    found = np.empty((3, rows))
    for i in prange(rows):
        t, s = target[i], sqdist[i]
        p, q = np.empty(n), np.empty(n)
        for j in range(n):
            p[j] = t[j]
            q[j] = s[j]
        p[first + i] = q[first + i] = np.inf  # a node is no neighbour of its own
        nearest_t, nearest_s = _least(p), _least(q)
        for j in range(n):
            p[j], q[j] = exp((nearest_t - p[j]) * inverse), exp((nearest_s - q[j]) * own)
        sum_p, sum_q, mean_p, mean_q = 0.0, 0.0, 0.0, 0.0
        for j in range(n):
            ratio = (nearest_t - t[j]) * inverse - (nearest_s - s[j]) * own  # log p/q but for normalisers
            sum_p += p[j]
            sum_q += q[j]
            mean_p += p[j] * ratio
            mean_q -= q[j] * ratio
        log_p, log_q = math.log(sum_p), math.log(sum_q)
        found[0, i] = log_p - nearest_t * inverse
        found[1, i] = log_q - nearest_s * own
        found[2, i] = mean_q / sum_q - log_q + log_p if exclusive else mean_p / sum_p - log_p + log_q
    return found


@pair_loop
def _exponentials(target: Array, sqdist: Array, inverse: float, own: float, out: Array) -> Array:
    """Both exponentials of every pair, and the sums over each node's pairs of ``p``, ``q``, ``p log p/q``.

    They are symmetric. Of pair ``(i, j)``, ``j < i``, that of ``p`` goes to ``out[i, j]``; those of ``q`` go,
    row by row, to the upper triangle, whose rows from the last up are as long as the lower one's from the
    first down. Every share of rows adds up its columns by itself, and there are as many shares on any
    machine. A loop that adds up a row stores nothing; see :data:`riemap.vmath.pair_loop`.
    """
    n = len(out)
    sums = np.zeros((SHARES, 3, n))
    for share in prange(SHARES):
        sum_p, sum_q, mean = sums[share, 0], sums[share, 1], sums[share, 2]
        for number in range(n * share // SHARES, n * (share + 1) // SHARES):
            i = row_and_end(number, n, n, True)[0]
            t, s = target[i], sqdist[i]
            p, q = out[i], out[n - 1 - i, n - i :]
            for j in range(i):
                p[j] = exp(-t[j] * inverse)
            for j in range(i):
                q[j] = exp(-s[j] * own)
            for j in range(i):
                sum_p[j] += p[j]
            for j in range(i):
                sum_q[j] += q[j]
            for j in range(i):
                mean[j] += p[j] * (s[j] * own - t[j] * inverse)
            sum_of_p, sum_of_q, sum_of_terms = 0.0, 0.0, 0.0
            for j in range(i):
                sum_of_p += p[j]
                sum_of_q += q[j]
                sum_of_terms += p[j] * (s[j] * own - t[j] * inverse)
            sum_p[i] += sum_of_p
            sum_q[i] += sum_of_q
            mean[i] += sum_of_terms
    return sums


@pair_loop
def _combine(sums: Array, own: float, out: Array) -> None:
    """Weights of both_ends ends, from what :func:`_exponentials` left in ``out``."""
    n = len(out)
    inverse_p, inverse_q = own / (n * sums[0]), own / (n * sums[1])
    for number in prange(n):
        i = row_and_end(number, n, n, True)[0]
        q, w = out[n - 1 - i, n - i :], out[i]
        for j in range(i):
            w[j] = w[j] * (inverse_p[i] + inverse_p[j]) - q[j] * (inverse_q[i] + inverse_q[j])
        w[i] = 0.0


@pair_loop
def _inclusive(
    target: Array,
    sqdist: Array,
    inverse: float,
    own: float,
    first: int,
    statistics: Array,
    both_ends: bool,
    out: Array,
) -> None:
    r""":math:`w_{ij} = (p_{j|i} - q_{j|i})/n`, times the factor ``own`` of the squared distances.

    Of ``both_ends``, :math:`e^{-a}/Z_i + e^{-a}/Z_j = e^{-a}/Z_i\,(1 + Z_i/Z_j)`: an exponential a pair, if
    those of the normalisers, taken against their middle, are within the range of floats; two if they are not.
    """
    rows, n = sqdist.shape
    share = own / n
    log_p, log_q = statistics[0], statistics[1]
    middle_p, middle_q = 0.5 * (log_p.min() + log_p.max()), 0.5 * (log_q.min() + log_q.max())
    narrow = both_ends and max(log_p.max() - middle_p, log_q.max() - middle_q) < NARROW
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
                w[j] = (of_p - exp(-s[j] * own - own_q) * (1.0 + sum_q * inverse_q[j])) * share
        else:
            for j in range(n):
                w[j] = (exp(-t[j] * inverse - own_p) - exp(-s[j] * own - own_q)) * share
            if both_ends:
                for j in range(n):
                    w[j] += (exp(-t[j] * inverse - log_p[j]) - exp(-s[j] * own - log_q[j])) * share
        w[first + i] = 0.0


@pair_loop
def _exclusive(
    target: Array,
    sqdist: Array,
    inverse: float,
    own: float,
    first: int,
    statistics: Array,
    both_ends: bool,
    out: Array,
) -> None:
    r""":math:`w_{ij} = q_{j|i}(\mathrm{KL}_i - \log q_{j|i}/p_{j|i})/n`."""
    rows, n = sqdist.shape
    share = own / n
    log_p, log_q, divergence = statistics[0], statistics[1], statistics[2]
    for i in prange(rows):
        t, s = target[i], sqdist[i]
        w = out[i]
        own_p, own_q, level = log_p[first + i], log_q[first + i], divergence[first + i]
        for j in range(n):
            ratio = t[j] * inverse - s[j] * own
            w[j] = exp(-s[j] * own - own_q) * (level - ratio + own_q - own_p) * share
        if both_ends:
            for j in range(n):
                ratio = t[j] * inverse - s[j] * own
                w[j] += exp(-s[j] * own - log_q[j]) * (divergence[j] - ratio + log_q[j] - log_p[j]) * share
        w[first + i] = 0.0
