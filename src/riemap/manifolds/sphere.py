r"""The unit sphere :math:`\mathbb{S}^n\subset\mathbb{R}^{n+1}`.

The textbook distance :math:`\arccos(x\cdot y)` loses its digits near 0 and near :math:`\pi`. We use

.. math:: d(x, y) = 2\operatorname{atan2}(\|x-y\|, \|x+y\|),

after [Kahan2006, §12]. With it, :math:`\sin d = \frac12\|x-y\|\,\|x+y\|`.

References
----------
[Kahan2006] Kahan. How futile are mindless assessments of roundoff in floating-point
    computation? 2006.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from riemap.coordinate_tuples import by_coordinate, no_coordinates
from riemap.loops import pair_loop
from riemap.lower_triangle import row_and_line_end
from riemap.manifolds.base import CUT
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.compact import CompactManifold
from riemap.manifolds.shared.formulas import contiguous
from riemap.manifolds.shared.quadric import Quadric
from riemap.manifolds.shared.unit_vectors import (
    angle_and_slope,
    gradient,
    move,
    near_and_far,
)
from riemap.threads import Part, begin
from riemap.types import Array, Rng


def _forward(x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    """Write squared distances and ``d / sin d`` between the columns of ``x`` and of ``y``."""
    _forward_rows(len(out), x, y, symmetric, out, slopes, no_coordinates(len(x)))


@pair_loop
def _forward_rows(
    part: Part, x: Array, y: Array, symmetric: bool, out: Array, slopes: Array, none: Any
) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_line_end(t, n, m, symmetric)
        near_and_far(x, i, y, out[i, :end], slopes[i, :end], none)
        for j in range(end):
            d, slopes[i, j] = angle_and_slope(out[i, j], slopes[i, j])
            out[i, j] = d * d


@final
@dataclass(frozen=True)
class Sphere(Quadric, CompactManifold):
    r""":math:`\mathbb{S}^n` of curvature 1; ``n`` is the intrinsic dimension.

    >>> s = Sphere(2)
    >>> s.shape, s.dim, str(s)
    ((3,), 2, 'S2')
    """

    symbol: ClassVar[str] = "S"
    name: ClassVar[str] = "sphere"
    formula: ClassVar[str] = "2·atan2(‖x−y‖, ‖x+y‖)"

    @property
    def curvature(self) -> tuple[float, float]:
        return (1.0, 1.0)

    @property
    def pair_kernel(self) -> PairKernel[Array]:
        return PairKernel(by_coordinate, _forward, self._trimmed(gradient), saved=1)

    def uniform(self, rng: Rng, n: int) -> Array:
        """Directions of Gaussian vectors."""
        return self.project(rng.standard_normal((n, *self.shape)))

    def around(self, rng: Rng, y: Array) -> Array:
        """Take the directions of the layout."""
        return self.project(y)

    def project(self, x: Array) -> Array:
        r""":math:`x/\|x\|`."""
        return np.asarray(x / np.linalg.norm(x, axis=-1, keepdims=True))

    def to_tangent(self, x: Array, u: Array) -> Array:
        r""":math:`u - (x\cdot u)\,x`."""
        return _tangent(x, u)

    def inner(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`u\cdot v`."""
        return np.sum(u * v + np.zeros_like(x), axis=-1)

    def exp(self, x: Array, u: Array) -> Array:
        r""":math:`\cos(\|u\|)\,x + \sin(\|u\|)\,u/\|u\|`."""
        t = self.norm(x, u)[..., None]
        return self.project(np.cos(t) * x + np.sinc(t / np.pi) * u)

    def move(self, x: Array, u: Array, v: Array) -> tuple[Array, Array]:
        """In one loop."""
        return move(*contiguous(x, u, v))

    def log(self, x: Array, y: Array) -> Array:
        r""":math:`\frac{d}{\sin d}\,\mathrm{proj}_x(y - x)` with :math:`d = d(x, y)`."""
        near = np.linalg.norm(x - y, axis=-1, keepdims=True)
        far = np.linalg.norm(x + y, axis=-1, keepdims=True)
        d = 2.0 * np.arctan2(near, far)
        return d / np.maximum(0.5 * near * far, CUT) * _tangent(x, y - x)

    def transport(self, x: Array, y: Array, u: Array) -> Array:
        r"""Parallel: :math:`u - \frac{y\cdot u}{1 + x\cdot y}(x + y)`; at the antipode, ``u`` itself."""
        far = np.sum((x + y) ** 2, axis=-1, keepdims=True)  # 2 (1 + x.y)
        slope = np.sum((y - x) * u, axis=-1, keepdims=True)
        return _tangent(y, u - 2.0 * slope / np.maximum(far, CUT) * (x + y))

    def sqdist(self, x: Array, y: Array) -> Array:
        """The atan2 form above, squared."""
        near, far = np.linalg.norm(x - y, axis=-1), np.linalg.norm(x + y, axis=-1)
        return np.asarray((2.0 * np.arctan2(near, far)) ** 2)

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        """One everywhere."""
        return np.ones_like(self.inner(x, u, v))


def _tangent(x: Array, u: Array) -> Array:
    return u - np.sum(x * u, axis=-1, keepdims=True) * x
