r"""Euclidean space :math:`\mathbb{R}^n`, where everything is what it seems."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numba import prange

from riemap.manifolds.base import Manifold, Pairs, check_size
from riemap.types import Array
from riemap.vmath import pair_loop


@pair_loop
def forward(x: Array, y: Array) -> Array:
    """All squared distances between the columns of ``x`` and of ``y``."""
    n, m = x.shape[1], y.shape[1]
    out = np.empty((n, m))
    for i in prange(n):
        for j in range(m):
            d = x[0, i] - y[0, j]
            out[i, j] = d * d
        for k in range(1, x.shape[0]):
            for j in range(m):
                d = x[k, i] - y[k, j]
                out[i, j] += d * d
    return out


@pair_loop
def gradient(x: Array, y: Array, w: Array) -> Array:
    """Row ``i``: the sum over ``j`` of ``2 w (x_i - y_j)``."""
    n, m = x.shape[1], y.shape[1]
    out = np.empty((n, x.shape[0]))
    for i in prange(n):
        for k in range(x.shape[0]):
            slope = 0.0
            for j in range(m):
                slope += w[i, j] * (x[k, i] - y[k, j])
            out[i, k] = 2.0 * slope
    return out


@final
@dataclass(frozen=True)
class Euclidean(Manifold):
    r""":math:`\mathbb{R}^n`.

    >>> e = Euclidean(3)
    >>> e.shape, e.dim, str(e)
    ((3,), 3, 'E3')
    """

    n: int
    symbol: ClassVar[str] = "E"
    name: ClassVar[str] = "Euclidean"
    formula: ClassVar[str] = "‖x − y‖"

    def __post_init__(self) -> None:
        check_size(self.n, 1, str(self))

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n,)

    @property
    def dim(self) -> int:
        return self.n

    @property
    def curvature(self) -> tuple[float, float]:
        return (0.0, 0.0)

    @property
    def origin(self) -> Array:
        return np.zeros(self.n)

    def kernel(self, x: Array, y: Array) -> Pairs:
        columns, others = x.T.copy(), y.T.copy()
        return Pairs(forward(columns, others), lambda w: gradient(columns, others, w))

    def project(self, x: Array) -> Array:
        """Every array is a point."""
        return np.array(x, dtype=np.float64)

    def to_tangent(self, x: Array, u: Array) -> Array:
        """Every array is a tangent."""
        return u + np.zeros_like(x)

    def inner(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`u\cdot v`."""
        return np.sum(u * v + np.zeros_like(x), axis=-1)

    def exp(self, x: Array, u: Array) -> Array:
        r""":math:`x + u`."""
        return x + u

    def log(self, x: Array, y: Array) -> Array:
        r""":math:`y - x`."""
        return y - x

    def transport(self, x: Array, y: Array, u: Array) -> Array:
        """Parallel: ``u`` itself."""
        return u + np.zeros_like(x) + np.zeros_like(y)

    def sqdist(self, x: Array, y: Array) -> Array:
        r""":math:`\|x-y\|^2`."""
        return np.sum((x - y) ** 2, axis=-1)

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        """0 everywhere."""
        return np.zeros_like(self.inner(x, u, v))
