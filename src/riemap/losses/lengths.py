r"""Losses that compare the length of each pair: :math:`\delta` in the graph and ``d`` in the embedding.

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph embeddings.
    AAAI 2021.
[Gu2019] Gu, Sala, Gunel, Ré. Learning mixed-curvature representations in product spaces. ICLR 2019.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from riemap.loops import pair_loop
from riemap.losses.base import LEAST_DISTANCE, Loss, RowBlock
from riemap.lower_triangle import row_and_end
from riemap.threads import Part, begin
from riemap.types import Array


def _stress(target: Array, sqdist: Array, first: int, share: float, symmetric: bool, out: Array) -> Array:
    r"""Sum :math:`(\delta-d)^2` over rows; the derivative in :math:`d^2` is :math:`1 - \delta/d`."""
    values = np.empty(len(sqdist))
    _stress_rows(len(sqdist), target, sqdist, first, share, symmetric, out, values)
    return values


@pair_loop
def _stress_rows(
    part: Part,
    target: Array,
    sqdist: Array,
    first: int,
    share: float,
    symmetric: bool,
    out: Array,
    values: Array,
) -> None:
    rows, n = sqdist.shape
    start, stop = begin(part)
    for number in range(start, stop):
        i, end = row_and_end(number, rows, n, symmetric)
        total = 0.0
        t, s = target[i], sqdist[i]
        w = out[i]  # a statement of its own: Numba loses writes to an array unpacked from a mixed tuple
        for j in range(end):
            w[j] = share * (1.0 - math.sqrt(t[j]) / max(math.sqrt(s[j]), LEAST_DISTANCE))
        for j in range(end):  # a separate loop, here and below: see :data:`riemap.loops.pair_loop`
            error = math.sqrt(t[j]) - math.sqrt(s[j])
            total += error * error
        w[first + i] = 0.0
        values[i] = total


def _distortion(target: Array, sqdist: Array, first: int, share: float, symmetric: bool, out: Array) -> Array:
    r"""Sum :math:`|d^2/\delta^2-1|` over rows; the derivative in :math:`d^2` is :math:`\pm 1/\delta^2`."""
    values = np.empty(len(sqdist))
    _distortion_rows(len(sqdist), target, sqdist, first, share, symmetric, out, values)
    return values


@pair_loop
def _distortion_rows(
    part: Part,
    target: Array,
    sqdist: Array,
    first: int,
    share: float,
    symmetric: bool,
    out: Array,
    values: Array,
) -> None:
    rows, n = sqdist.shape
    start, stop = begin(part)
    for number in range(start, stop):
        i, end = row_and_end(number, rows, n, symmetric)
        total = 0.0
        t, s = target[i], sqdist[i]
        w = out[i]
        for j in range(end):
            own = 1.0 if j == first + i else 0.0
            inverse = 1.0 / (t[j] + own)
            w[j] = share * inverse if s[j] * inverse > 1.0 else -share * inverse
        for j in range(end):
            own = 1.0 if j == first + i else 0.0
            total += abs(s[j] / (t[j] + own) - 1.0 + own)
        w[first + i] = 0.0
        values[i] = total


def _average(target: Array, sqdist: Array, first: int, share: float, symmetric: bool, out: Array) -> Array:
    r"""Sum :math:`|d/\delta-1|` over rows; the derivative in :math:`d^2` is :math:`\pm 1/(2d\delta)`."""
    values = np.empty(len(sqdist))
    _average_rows(len(sqdist), target, sqdist, first, share, symmetric, out, values)
    return values


@pair_loop
def _average_rows(
    part: Part,
    target: Array,
    sqdist: Array,
    first: int,
    share: float,
    symmetric: bool,
    out: Array,
    values: Array,
) -> None:
    rows, n = sqdist.shape
    start, stop = begin(part)
    for number in range(start, stop):
        i, end = row_and_end(number, rows, n, symmetric)
        total = 0.0
        t, s = target[i], sqdist[i]
        w = out[i]
        for j in range(end):
            own = 1.0 if j == first + i else 0.0
            d, inverse = math.sqrt(s[j]), 1.0 / (math.sqrt(t[j]) + own)
            slope = 0.5 * share * inverse / max(d, LEAST_DISTANCE)
            w[j] = slope if d * inverse - 1.0 + own > 0.0 else -slope
        for j in range(end):
            own = 1.0 if j == first + i else 0.0
            total += abs(math.sqrt(s[j]) / (math.sqrt(t[j]) + own) - 1.0 + own)
        w[first + i] = 0.0
        values[i] = total


class _Lengths(Loss):
    """A mean of terms that depend on one pair each, so that both weights of a pair are equal."""

    _pairs: ClassVar[Callable[..., Array]]  # the kernel: row sums, of whole rows or of the lower triangle

    @property
    def reads_both_triangles(self) -> bool:
        """No: the terms of a pair are the same in both triangles."""
        return False

    def rows(self, block: RowBlock, *, statistics: Array, both_ends: bool, out: Array) -> float:
        """Compute the contribution of a block; the weights of both ends are twice the weights of one."""
        share = _pair_share(block.sqdist)
        weight = 2.0 * share if both_ends else share
        return share * float(self._pairs(*block, weight, False, out).sum())

    def lower(self, target: Array, sqdist: Array, *, out: Array) -> float:
        """Visit each unordered pair once and count it twice."""
        twice = 2.0 * _pair_share(sqdist)
        return twice * float(self._pairs(target, sqdist, 0, twice, True, out).sum())


def _pair_share(sqdist: Array) -> float:
    """The weight of one ordered pair in the mean over all pairs."""
    n = sqdist.shape[1]
    return 1.0 / (n * (n - 1))


@final
@dataclass(frozen=True)
class Stress(_Lengths):
    r"""Mean over pairs of :math:`(\delta - d)^2`  [Cruceru2021, sec. 4].

    Distant pairs count most.

    Examples
    --------
    >>> import numpy as np
    >>> Stress()(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[0.0, 4.0], [4.0, 0.0]]))[0]
    1.0
    """

    symbol: ClassVar[str] = "stress"
    _pairs = staticmethod(_stress)


@final
@dataclass(frozen=True)
class Distortion(_Lengths):
    r"""Mean over pairs of :math:`|d^2/\delta^2 - 1|`  [Gu2019], [Cruceru2021, sec. 4].

    Close pairs count most.
    """

    symbol: ClassVar[str] = "distortion"
    _pairs = staticmethod(_distortion)


@final
@dataclass(frozen=True)
class AverageDistortion(_Lengths):
    r"""Mean over pairs of :math:`|d/\delta - 1|`, the average distortion that is also reported as a score."""

    symbol: ClassVar[str] = "ad"
    _pairs = staticmethod(_average)
