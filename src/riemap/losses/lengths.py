r"""Losses that compare lengths: :math:`\delta` in the graph, ``d`` in the embedding, each pair for itself.

References
----------
[Cruceru2020] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph embeddings.
    2020.
[Gu2019] Gu, Sala, Gunel, Ré. Learning mixed-curvature representations in product spaces. ICLR 2019.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numba import prange

from riemap.losses.base import CLOSE, Loss
from riemap.triangle import row_and_end
from riemap.types import Array
from riemap.vmath import kernel


@final
@dataclass(frozen=True)
class Stress(Loss):
    r"""Mean over pairs of :math:`(\delta - d)^2`  [Cruceru2020, sec. 4]; distant pairs count most."""

    symbol: ClassVar[str] = "stress"

    def rows(
        self, target: Array, sqdist: Array, first: int, statistics: Array, both: bool, out: Array
    ) -> float:
        """Each pair for itself."""
        return _total(_stress, target, sqdist, first, both, False, out)

    def lower(self, target: Array, sqdist: Array, out: Array) -> float:
        """Each pair once."""
        return _total(_stress, target, sqdist, 0, True, True, out)


@final
@dataclass(frozen=True)
class Distortion(Loss):
    r"""Mean over pairs of :math:`|d^2/\delta^2 - 1|`  [Gu2019], [Cruceru2020, sec. 4].

    Close pairs count most.
    """

    symbol: ClassVar[str] = "distortion"

    def rows(
        self, target: Array, sqdist: Array, first: int, statistics: Array, both: bool, out: Array
    ) -> float:
        """Each pair for itself."""
        return _total(_distortion, target, sqdist, first, both, False, out)

    def lower(self, target: Array, sqdist: Array, out: Array) -> float:
        """Each pair once."""
        return _total(_distortion, target, sqdist, 0, True, True, out)


@final
@dataclass(frozen=True)
class AverageDistortion(Loss):
    r"""Mean over pairs of :math:`|d/\delta - 1|`: the very average distortion that is reported."""

    symbol: ClassVar[str] = "ad"

    def rows(
        self, target: Array, sqdist: Array, first: int, statistics: Array, both: bool, out: Array
    ) -> float:
        """Each pair for itself."""
        return _total(_average, target, sqdist, first, both, False, out)

    def lower(self, target: Array, sqdist: Array, out: Array) -> float:
        """Each pair once."""
        return _total(_average, target, sqdist, 0, True, True, out)


def _total(
    run: Callable[..., Array],
    target: Array,
    sqdist: Array,
    first: int,
    both: bool,
    symmetric: bool,
    out: Array,
) -> float:
    """Share of these rows in the mean; a pair's two weights are equal, so that both are twice one of them."""
    n = sqdist.shape[1]
    share = 1.0 / (n * (n - 1))
    value = float(run(target, sqdist, first, 2.0 * share if both else share, symmetric, out).sum())
    return (2.0 * share if symmetric else share) * value


@kernel
def _stress(target: Array, sqdist: Array, first: int, share: float, symmetric: bool, out: Array) -> Array:
    r"""The slope of :math:`(\delta-d)^2` in :math:`d^2` is :math:`1 - \delta/d`."""
    rows, n = sqdist.shape
    values = np.empty(rows)
    for number in prange(rows):
        i, end = row_and_end(number, rows, n, symmetric)
        total = 0.0
        t, s = target[i], sqdist[i]
        w = out[i]  # by itself: Numba loses writes through an array that came out of a mixed tuple
        for j in range(end):
            d, delta = math.sqrt(s[j]), math.sqrt(t[j])
            total += (delta - d) * (delta - d)
            w[j] = share * (1.0 - delta / max(d, CLOSE))
        w[first + i] = 0.0
        values[i] = total
    return values


@kernel
def _distortion(target: Array, sqdist: Array, first: int, share: float, symmetric: bool, out: Array) -> Array:
    r"""The slope of :math:`|d^2/\delta^2-1|` in :math:`d^2` is :math:`\pm 1/\delta^2`."""
    rows, n = sqdist.shape
    values = np.empty(rows)
    for number in prange(rows):
        i, end = row_and_end(number, rows, n, symmetric)
        total = 0.0
        t, s = target[i], sqdist[i]
        w = out[i]
        for j in range(end):
            own = 1.0 if j == first + i else 0.0
            inverse = 1.0 / (t[j] + own)
            w[j] = share * inverse if s[j] * inverse > 1.0 else -share * inverse
        for j in range(end):  # a loop to itself: with the other, the sum took two ways
            own = 1.0 if j == first + i else 0.0
            total += abs(s[j] / (t[j] + own) - 1.0 + own)
        w[first + i] = 0.0
        values[i] = total
    return values


@kernel
def _average(target: Array, sqdist: Array, first: int, share: float, symmetric: bool, out: Array) -> Array:
    r"""The slope of :math:`|d/\delta-1|` in :math:`d^2` is :math:`\pm 1/(2d\delta)`."""
    rows, n = sqdist.shape
    values = np.empty(rows)
    for number in prange(rows):
        i, end = row_and_end(number, rows, n, symmetric)
        total = 0.0
        t, s = target[i], sqdist[i]
        w = out[i]
        for j in range(end):
            own = 1.0 if j == first + i else 0.0
            d, inverse = math.sqrt(s[j]), 1.0 / (math.sqrt(t[j]) + own)
            error = d * inverse - 1.0 + own
            total += abs(error)
            slope = 0.5 * share * inverse / max(d, CLOSE)
            w[j] = slope if error > 0.0 else -slope
        w[first + i] = 0.0
        values[i] = total
    return values
