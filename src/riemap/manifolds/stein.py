r"""Symmetric positive definite matrices with the Stein divergence as squared distance.

.. math:: S(A, B) = \log\det\tfrac{A+B}{2} - \tfrac12\log\det(AB) = \sum_i\log\cosh\tfrac12\log\lambda_i(A^{-1}B).

:math:`\sqrt S` is a metric, invariant to congruence and inversion [Sra2012], and close to
:math:`d/\sqrt8` for the affine-invariant distance ``d`` of nearby matrices. Everything Riemannian (metric, exponential,
logarithm, transport, curvature) is that of :class:`riemap.manifolds.spd.SPD`, as in the paper; only the squared
distance and its gradient differ:

.. math:: \mathrm{grad}_A S = A\big((A+B)^{-1} - \tfrac12 A^{-1}\big)A.

([Cruceru2021, sec. 3.1] prints :math:`\frac12(A+B)^{-1}` in it, which differs by a factor from the derivative of ``S``.)

At determinant one, in the invariants of :mod:`riemap.manifolds.positive`, :math:`e^S` is rational: with :math:`e = \sqrt{t_B^2/t_A^2}`
for 3 x 3, :math:`8e^S = e^3 + e^{-3} + e_1/e + e_2\,e`, and for 2 x 2, :math:`2e^S = \cosh\theta + \cosh\delta`. In both,
:math:`e^S - 1` is a sum of small terms as :math:`B\to A`.

References
----------
[Sra2012] Sra. A new metric on the manifold of kernel matrices with application to matrix geometric
    means. NIPS 2012.
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numba import prange

from riemap import linalg
from riemap.linalg import congruence
from riemap.manifolds.base import Manifold, Pairs, check_size
from riemap.manifolds.positive import (
    chord2,
    cosquare,
    invariants,
    near2,
    planar,
    radial2,
    spatial,
    spectral_pairs,
    square,
    triangles,
    write2,
    write3,
)
from riemap.manifolds.spd import SPD
from riemap.manifolds.triangle import mirror, row_and_end
from riemap.types import Array
from riemap.vmath import kernel, log1p


@kernel
def _forward2(x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    """Divergences ``S`` and ``exp(-S)``; the difference of ``det^(1/4)`` ratios is ``2 sinh(δ/2)``."""
    n, m = x.shape[1], y.shape[1]
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(end):
            flat = y[6, j] * x[7, i] - x[6, i] * y[7, j]
            rise = 0.25 * (flat * flat + chord2(near2(x, i, y, j), x, i, y, j))
            out[i, j] = log1p(rise)
            slopes[i, j] = 1.0 / (1.0 + rise)
    if symmetric:
        mirror(out, out)
        mirror(slopes, slopes)


@kernel
def _gradient2(x: Array, y: Array, slopes: Array, w: Array) -> Array:
    n, m = x.shape[1], y.shape[1]
    out = np.empty((n, 2, 2))
    for i in prange(n):
        cosh = math.sqrt(1.0 + x[2, i] * x[2, i])
        along = across = across1 = flat = 0.0
        for j in range(m):
            factor = -0.25 * w[i, j] * slopes[i, j]
            along += factor * radial2(near2(x, i, y, j), cosh, x, i, y, j)
            across += factor * y[2, j] * (y[0, j] - x[0, i])
            across1 += factor * y[2, j] * (y[1, j] - x[1, i])
            up, down = y[6, j] * x[7, i], x[6, i] * y[7, j]
            flat += factor * (up - down) * (up + down)
        write2(out, x, i, along, across, across1, flat)
    return out


@kernel
def _forward3(x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    """Divergences ``S`` and ``exp(-S) / 8``."""
    n, m = x.shape[1], y.shape[1]
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(end):
            a, b, _, _ = invariants(triangles(x, i, y, j), triangles(y, j, x, i))
            up, down = y[13, j] * x[14, i], x[13, i] * y[14, j]
            c = 0.5 * (up - 1.0) * (1.0 - down)  # cosh - 1
            rise = c * (3.0 + c * (3.0 + c)) + 0.125 * (a * down + b * up)
            out[i, j] = log1p(rise)
            slopes[i, j] = 0.125 / (1.0 + rise)
    if symmetric:
        mirror(out, out)
        mirror(slopes, slopes)


@kernel
def _gradient3(x: Array, y: Array, slopes: Array, w: Array) -> Array:
    r"""Rows of :math:`(I+M)^{-1} - \frac12 I` at the identity; traceless, a combination of ``M`` and its inverse."""
    n, m = x.shape[1], y.shape[1]
    out = np.empty((n, 3, 3))
    for i in prange(n):
        s0 = s1 = s2 = s3 = s4 = s5 = trace = 0.0
        for j in range(m):
            up, down = y[13, j] * x[14, i], x[13, i] * y[14, j]
            factor = w[i, j] * slopes[i, j]
            u, v = square(triangles(x, i, y, j)), cosquare(triangles(y, j, x, i))
            a, b = -factor * down, factor * up
            s0 += a * u[0] + b * v[0]
            s1 += a * u[1] + b * v[1]
            s2 += a * u[2] + b * v[2]
            s3 += a * u[3] + b * v[3]
            s4 += a * u[4] + b * v[4]
            s5 += a * u[5] + b * v[5]
            trace += factor * (up * up * up - down * down * down)
        write3(out, x, i, (s0, s1, s2, s3, s4, s5), -1.5 * trace - 0.5 * (s0 + s2 + s5))
    return out


def _pairs2(x: Array, y: Array) -> Pairs:
    rows = planar(x)
    others = rows if y is x else planar(y)
    sqdist, slopes = np.empty((2, len(x), len(y)))
    _forward2(rows, others, y is x, sqdist, slopes)
    return Pairs(sqdist, lambda w: _gradient2(rows, others, slopes, w))


def _pairs3(x: Array, y: Array) -> Pairs:
    rows = spatial(x)
    others = rows if y is x else spatial(y)
    sqdist, slopes = np.empty((2, len(x), len(y)))
    _forward3(rows, others, y is x, sqdist, slopes)
    return Pairs(sqdist, lambda w: _gradient3(rows, others, slopes, w))


@final
@dataclass(frozen=True)
class Stein(Manifold):
    r""":math:`n\times n` symmetric positive definite matrices, Stein divergence.

    >>> m = Stein(3)
    >>> m.shape, m.dim, str(m)
    ((3, 3), 6, 'Stein3')
    """

    n: int
    symbol: ClassVar[str] = "Stein"
    name: ClassVar[str] = "SPD, Stein divergence"
    formula: ClassVar[str] = "√(log det((A+B)/2) − ½ log det(AB))"
    examples: ClassVar[tuple[tuple[int, ...], ...]] = ((2,), (3,), (4,))
    geodesic: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_size(self.n, 1, str(self))

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n, self.n)

    @property
    def dim(self) -> int:
        return self._spd.dim

    @property
    def curvature(self) -> tuple[float, float]:
        return self._spd.curvature

    @property
    def origin(self) -> Array:
        return self._spd.origin

    @property
    def _spd(self) -> SPD:
        return SPD(self.n)

    def kernel(self, x: Array, y: Array) -> Pairs:
        if self.n not in (2, 3):
            return spectral_pairs(x, y, divergence=True)
        return _pairs2(x, y) if self.n == 2 else _pairs3(x, y)

    def project(self, x: Array) -> Array:
        """As SPD."""
        return self._spd.project(x)

    def to_tangent(self, x: Array, u: Array) -> Array:
        """As SPD."""
        return self._spd.to_tangent(x, u)

    def inner(self, x: Array, u: Array, v: Array) -> Array:
        """As SPD."""
        return self._spd.inner(x, u, v)

    def exp(self, x: Array, u: Array) -> Array:
        """As SPD."""
        return self._spd.exp(x, u)

    def retract(self, x: Array, u: Array) -> Array:
        """As SPD."""
        return self._spd.retract(x, u)

    def log(self, x: Array, y: Array) -> Array:
        """As SPD."""
        return self._spd.log(x, y)

    def transport(self, x: Array, y: Array, u: Array) -> Array:
        """As SPD."""
        return self._spd.transport(x, y, u)

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        """As SPD."""
        return self._spd.sectional(x, u, v)

    def sqdist(self, x: Array, y: Array) -> Array:
        r""":math:`\sum_i\log\frac{\sigma_i + 1/\sigma_i}{2}` over the singular values of :math:`L_x^{-1}L_y`."""
        values, _ = linalg.left_svd(linalg.cholesky(x)[1] @ linalg.cholesky(y)[0])
        return np.sum(np.log1p(0.5 * (values - 1.0) ** 2 / values), axis=-1)

    def sqdist_grad(self, x: Array, y: Array) -> Array:
        r""":math:`L\big((I+M)^{-1} - \frac12I\big)L^\top` with :math:`M = L^{-1}yL^{-\top}`."""
        lower, inverse = linalg.cholesky(x)
        values, vectors = linalg.left_svd(inverse @ linalg.cholesky(y)[0])
        slopes = linalg.apply(lambda s: 0.5 * (1.0 - s) * (1.0 + s) / (1.0 + s * s), values, vectors)
        return congruence(lower, slopes)
