r"""The unit sphere :math:`\mathbb{S}^n\subset\mathbb{R}^{n+1}`.

The textbook distance :math:`\arccos(x\cdot y)` loses its digits near 0 and near :math:`\pi`. We use

.. math:: d(x, y) = 2\operatorname{atan2}(\|x-y\|, \|x+y\|),

after [Kahan2006, §12]. With it, :math:`\sin d = \frac12\|x-y\|\,\|x+y\|`.

References
----------
[Kahan2006] Kahan. How futile are mindless assessments of roundoff in floating-point
    computation? 2006.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numba import prange

from riemap.lower_triangle import mirror, row_and_end, stride
from riemap.manifolds.base import CUT, CompactManifold, Pairs, check_size, contiguous
from riemap.types import Array, Rng
from riemap.vmath import inline, over_sine, pair_loop


@inline
def angle_and_slope(near: float, far: float) -> tuple[float, float]:
    r"""``d`` and ``d / sin d`` from :math:`\|x-y\|^2` and :math:`\|x+y\|^2`.

    The smaller of the two angles with ``y`` and ``-y`` has :math:`\sin^2\frac d2` at most a half, where
    its quotient with the sine is a polynomial. The sine has the floor :data:`CUT`.
    """
    sine = 0.5 * math.sqrt(near * far)
    obtuse = near > far
    ratio = over_sine(0.25 * (far if obtuse else near))
    d = math.pi - sine * ratio if obtuse else sine * ratio
    return d, d / max(sine, CUT) if obtuse else ratio


@inline
def near_and_far(x: Array, i: int, y: Array, near: Array, far: Array) -> None:
    """Squared lengths of ``x_i - y_j`` and ``x_i + y_j`` for all ``j``, two coordinates at a time."""
    a, b = x[0, i], x[1, i]
    for j in range(near.size):
        c, d = y[0, j], y[1, j]
        near[j] = (a - c) ** 2 + (b - d) ** 2
        far[j] = (a + c) ** 2 + (b + d) ** 2
    for k in range(2, x.shape[0], 2):
        a, b = x[k, i], x[k + 1, i]
        for j in range(near.size):
            c, d = y[k, j], y[k + 1, j]
            near[j] += (a - c) ** 2 + (b - d) ** 2
            far[j] += (a + c) ** 2 + (b + d) ** 2


@inline
def project_row(x: Array, i: int, out: Array) -> None:
    """Take from row ``i`` of ``out`` its part along ``x_i``."""
    excess = 0.0
    for k in range(x.shape[0]):
        excess += out[i, k] * x[k, i]
    for k in range(x.shape[0]):
        out[i, k] -= excess * x[k, i]


@pair_loop
def columns(x: Array) -> Array:
    """One row a coordinate, as the kernels read them; and one of zeros if that makes their number even."""
    n, size = x.shape
    out = np.zeros((size + size % 2, stride(n)))
    for i in prange(n):
        for k in range(size):
            out[k, i] = x[i, k]
    return out


@pair_loop
def _forward(x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    """Squared distances, and ``d / sin d``, between the columns of ``x`` and of ``y``."""
    n, m = out.shape
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        near_and_far(x, i, y, out[i, :end], slopes[i, :end])
        for j in range(end):
            d, slopes[i, j] = angle_and_slope(out[i, j], slopes[i, j])
            out[i, j] = d * d
    if symmetric:
        mirror(slopes, slopes)


@pair_loop
def _gradient(x: Array, y: Array, slopes: Array, w: Array) -> Array:
    """Row ``i``: the sum of ``-2 w log``."""
    n, m = w.shape
    out = np.empty((n, x.shape[0]))
    for i in prange(n):
        for k in range(0, x.shape[0], 2):
            first = second = 0.0
            for j in range(m):
                factor = -2.0 * w[i, j] * slopes[i, j]
                first += factor * (y[k, j] - x[k, i])
                second += factor * (y[k + 1, j] - x[k + 1, i])
            out[i, k], out[i, k + 1] = first, second
        project_row(x, i, out)
    return out


@pair_loop
def _move(x: Array, u: Array, v: Array) -> tuple[Array, Array]:
    """``exp`` and ``transport``, a point at a time."""
    n, size = x.shape
    y, moved = np.empty_like(x), np.empty_like(x)
    for i in prange(n):
        square = 0.0
        for k in range(size):
            square += u[i, k] * u[i, k]
        t = math.sqrt(square)
        cos, sinc = math.cos(t), math.sin(t) / t if t > 0.0 else 1.0
        square = 0.0
        for k in range(size):
            y[i, k] = cos * x[i, k] + sinc * u[i, k]
            square += y[i, k] * y[i, k]
        length = math.sqrt(square)
        far = slope = 0.0
        for k in range(size):
            y[i, k] /= length
            far += (x[i, k] + y[i, k]) ** 2
            slope += (y[i, k] - x[i, k]) * v[i, k]
        slope *= 2.0 / max(far, CUT)
        excess = 0.0
        for k in range(size):
            moved[i, k] = v[i, k] - slope * (x[i, k] + y[i, k])
            excess += moved[i, k] * y[i, k]
        for k in range(size):
            moved[i, k] -= excess * y[i, k]
    return y, moved


@final
@dataclass(frozen=True)
class Sphere(CompactManifold):
    r""":math:`\mathbb{S}^n` of curvature 1; ``n`` is the intrinsic dimension.

    >>> s = Sphere(2)
    >>> s.shape, s.dim, str(s)
    ((3,), 2, 'S2')
    """

    n: int
    symbol: ClassVar[str] = "S"
    name: ClassVar[str] = "sphere"
    formula: ClassVar[str] = "2·atan2(‖x−y‖, ‖x+y‖)"

    def __post_init__(self) -> None:
        check_size(self.n, 1, str(self))

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n + 1,)

    @property
    def dim(self) -> int:
        return self.n

    @property
    def curvature(self) -> tuple[float, float]:
        return (1.0, 1.0)

    @property
    def origin(self) -> Array:
        return np.eye(1, self.n + 1)[0]

    def kernel(self, x: Array, y: Array) -> Pairs:
        rows = columns(x)
        others = rows if y is x else columns(y)
        sqdist, slopes = np.empty((2, len(x), len(y)))
        _forward(rows, others, y is x, sqdist, slopes)
        return Pairs(sqdist, lambda w: _gradient(rows, others, slopes, w)[:, : x.shape[1]])

    def uniform(self, rng: Rng, n: int) -> Array:
        """Directions of Gaussian vectors."""
        return self.project(rng.standard_normal((n, *self.shape)))

    def around(self, rng: Rng, y: Array) -> Array:
        """Directions as seen from zero."""
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
        """In one pass."""
        return _move(*contiguous(x, u, v))

    def log(self, x: Array, y: Array) -> Array:
        r""":math:`\frac{d}{\sin d}\,\mathrm{proj}_x(y - x)` with :math:`d = d(x, y)`."""
        near = np.linalg.norm(x - y, axis=-1, keepdims=True)
        far = np.linalg.norm(x + y, axis=-1, keepdims=True)
        d = 2.0 * np.arctan2(near, far)
        return d / np.maximum(0.5 * near * far, CUT) * _tangent(x, y - x)

    def transport(self, x: Array, y: Array, u: Array) -> Array:
        r"""Parallel: :math:`u - \frac{y\cdot u}{1 + x\cdot y}(x + y)`; ``u`` itself to the antipode."""
        far = np.sum((x + y) ** 2, axis=-1, keepdims=True)  # 2 (1 + x.y)
        slope = np.sum((y - x) * u, axis=-1, keepdims=True)
        return _tangent(y, u - 2.0 * slope / np.maximum(far, CUT) * (x + y))

    def sqdist(self, x: Array, y: Array) -> Array:
        """The atan2 form above, squared."""
        near, far = np.linalg.norm(x - y, axis=-1), np.linalg.norm(x + y, axis=-1)
        return np.asarray((2.0 * np.arctan2(near, far)) ** 2)

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        """1 everywhere."""
        return np.ones_like(self.inner(x, u, v))


def _tangent(x: Array, u: Array) -> Array:
    return u - np.sum(x * u, axis=-1, keepdims=True) * x
