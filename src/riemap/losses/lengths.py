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
        return _total(_stress, target, sqdist, first, both, out)


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
        return _total(_distortion, target, sqdist, first, both, out)


@final
@dataclass(frozen=True)
class AverageDistortion(Loss):
    r"""Mean over pairs of :math:`|d/\delta - 1|`: the very average distortion that is reported."""

    symbol: ClassVar[str] = "ad"

    def rows(
        self, target: Array, sqdist: Array, first: int, statistics: Array, both: bool, out: Array
    ) -> float:
        """Each pair for itself."""
        return _total(_average, target, sqdist, first, both, out)


def _total(
    run: Callable[..., Array], target: Array, sqdist: Array, first: int, both: bool, out: Array
) -> float:
    """Share of these rows in the mean; a pair's two weights are equal, so that both are twice one of them."""
    n = sqdist.shape[1]
    share = 1.0 / (n * (n - 1))
    return share * float(run(target, sqdist, first, 2.0 * share if both else share, out).sum())


@kernel
def _stress(target: Array, sqdist: Array, first: int, share: float, out: Array) -> Array:
    r"""The slope of :math:`(\delta-d)^2` in :math:`d^2` is :math:`1 - \delta/d`."""
    rows, n = sqdist.shape
    values = np.empty(rows)
    for i in prange(rows):
        total = 0.0
        t, s = target[i], sqdist[i]
        w = out[i]  # by itself: Numba loses writes through an array that came out of a mixed tuple
        for j in range(n):
            d, delta = math.sqrt(s[j]), math.sqrt(t[j])
            total += (delta - d) * (delta - d)
            w[j] = share * (1.0 - delta / max(d, CLOSE))
        w[first + i] = 0.0
        values[i] = total
    return values


@kernel
def _distortion(target: Array, sqdist: Array, first: int, share: float, out: Array) -> Array:
    r"""The slope of :math:`|d^2/\delta^2-1|` in :math:`d^2` is :math:`\pm 1/\delta^2`."""
    rows, n = sqdist.shape
    values = np.empty(rows)
    for i in prange(rows):
        total = 0.0
        t, s = target[i], sqdist[i]
        w = out[i]
        for j in range(n):
            own = 1.0 if j == first + i else 0.0
            inverse = 1.0 / (t[j] + own)
            error = s[j] * inverse - 1.0 + own
            total += abs(error)
            w[j] = share * inverse if error > 0.0 else -share * inverse
        w[first + i] = 0.0
        values[i] = total
    return values


@kernel
def _average(target: Array, sqdist: Array, first: int, share: float, out: Array) -> Array:
    r"""The slope of :math:`|d/\delta-1|` in :math:`d^2` is :math:`\pm 1/(2d\delta)`."""
    rows, n = sqdist.shape
    values = np.empty(rows)
    for i in prange(rows):
        total = 0.0
        t, s = target[i], sqdist[i]
        w = out[i]
        for j in range(n):
            own = 1.0 if j == first + i else 0.0
            d, inverse = math.sqrt(s[j]), 1.0 / (math.sqrt(t[j]) + own)
            error = d * inverse - 1.0 + own
            total += abs(error)
            slope = 0.5 * share * inverse / max(d, CLOSE)
            w[j] = slope if error > 0.0 else -slope
        w[first + i] = 0.0
        values[i] = total
    return values
