r"""Euclidean space :math:`\mathbb{R}^n`, the flat space with the usual dot product."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from riemap.coordinate_tuples import by_coordinate
from riemap.manifolds.base import Manifold
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.shared import flat_loops
from riemap.types import Array


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

    @property
    def pair_kernel(self) -> PairKernel[Array]:
        return PairKernel(by_coordinate, flat_loops.forward, self._gradient)

    def project(self, x: Array) -> Array:
        """Return a copy: every array is a point."""
        return np.array(x, dtype=np.float64)

    def to_tangent(self, x: Array, u: Array) -> Array:
        """Return a copy: every array is a tangent."""
        return u + np.zeros_like(x)

    def inner(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`u\cdot v`."""
        return np.add.reduce(u * v + np.zeros_like(x), axis=-1)

    def exp(self, x: Array, u: Array) -> Array:
        r""":math:`x + u`."""
        return x + u

    def move(self, x: Array, u: Array, v: Array) -> tuple[Array, Array]:
        """Tangents stay as they are."""
        y = x + u
        return y, v + np.zeros_like(y)

    def log(self, x: Array, y: Array) -> Array:
        r""":math:`y - x`."""
        return y - x

    def transport(self, x: Array, y: Array, u: Array) -> Array:
        """Parallel transport leaves ``u`` as it is."""
        return u + np.zeros_like(x) + np.zeros_like(y)

    def sqdist(self, x: Array, y: Array) -> Array:
        r""":math:`\|x-y\|^2`."""
        return np.sum((x - y) ** 2, axis=-1)

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        """Zero everywhere."""
        return np.zeros_like(self.inner(x, u, v))

    def _gradient(self, x: Array, y: Array, w: Array) -> Array:
        return flat_loops.gradient(x, y, w)[:, : self.n]
