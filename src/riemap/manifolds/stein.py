r"""Symmetric positive definite matrices with the Stein divergence as squared distance.

.. math:: S(A, B) = \log\det\tfrac{A+B}{2} - \tfrac12\log\det(AB)
    = \sum_i\log\cosh\tfrac12\log\lambda_i(A^{-1}B).

:math:`\sqrt S` is a metric, invariant to congruence and inversion [Sra2012], and close to
:math:`d/\sqrt8` for the affine-invariant distance ``d`` of nearby matrices. Everything Riemannian
(metric, exponential, logarithm, transport, curvature) is that of :class:`riemap.manifolds.spd.SPD`, as
in the paper; only the squared distance and its gradient differ:

.. math:: \mathrm{grad}_A S = A\big((A+B)^{-1} - \tfrac12 A^{-1}\big)A.

([Cruceru2021, sec. 3.1] prints :math:`\frac12(A+B)^{-1}` in it, which differs by a factor from the
derivative of ``S``.)

At determinant one, in the invariants of :mod:`riemap.manifolds.positive`, :math:`e^S` is rational: with
:math:`e = \sqrt{t_B^2/t_A^2}` for 3 x 3, :math:`8e^S = e^3 + e^{-3} + e_1/e + e_2\,e`, and for 2 x 2,
:math:`2e^S = \cosh\theta + \cosh\delta`. In both, :math:`e^S - 1` is a sum of small terms as
:math:`B\to A`.

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
from riemap.linalg import LANES, congruence, svd_lanes
from riemap.manifolds.base import Manifold, Pairs, check_size
from riemap.manifolds.positive import (
    add_outer,
    chord2,
    cosquare,
    invariants,
    lanes,
    near2,
    planar,
    radial2,
    spatial,
    square,
    squared_lengths,
    triangles,
    whiten,
    write2,
    write3,
)
from riemap.manifolds.spd import SPD
from riemap.manifolds.triangle import mirror, row_and_end
from riemap.types import Array
from riemap.vmath import inline, kernel, log1p

FAR = 1e6
"""Trace up to which determinants are used for sizes above three. They lose as many digits as it has;
the singular values that serve beyond it lose half as many."""


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
            c = 0.5 * (up - 1.0) ** 2 * down  # cosh - 1
            rise = c * (3.0 + c * (3.0 + c)) + 0.125 * (a * down + b * up)
            rise = 0.0 if rise < 0.0 else rise  # rounding, at equal points
            out[i, j] = log1p(rise)
            slopes[i, j] = 0.125 / (1.0 + rise)
    if symmetric:
        mirror(out, out)
        mirror(slopes, slopes)


@kernel
def _gradient3(x: Array, y: Array, slopes: Array, w: Array) -> Array:
    r"""Rows of :math:`(I+M)^{-1} - \frac12 I` at the identity.

    Without its trace it is a combination of ``M`` and its inverse.
    """
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


# --- any size: determinants where that is exact enough, else singular values ----------------------------


@inline
def _divergence(s: float) -> float:
    """``log((1 + s) / (2 sqrt s))``, which is a small number near ``s = 1``."""
    root = math.sqrt(s)
    return log1p(0.5 * (root - 1.0) ** 2 / root)


@inline
def _excess(g: Array, h: Array, z: Array) -> float:
    r"""``z`` becomes :math:`\frac14(G - H^\top)(G - H^\top)^\top`, and ``g`` the difference.

    Returns the largest trace.
    """
    size, largest = g.shape[0], 0.0
    for p in range(size):
        for q in range(size):
            for lane in range(LANES):
                g[p, q, lane] -= h[q, p, lane]
    for p in range(size):
        for q in range(size):
            for lane in range(LANES):
                z[p, q, lane] = 0.0
            for k in range(size):
                for lane in range(LANES):
                    z[p, q, lane] += 0.25 * g[p, k, lane] * g[q, k, lane]
    for lane in range(LANES):
        trace = 0.0
        for p in range(size):
            trace += z[p, p, lane]
        largest = max(largest, trace)
    return largest


@inline
def _determinant(z: Array, rise: Array) -> None:
    """``det(I + z) - 1``, by elimination that keeps the distance of each pivot from one."""
    size = z.shape[0]
    for lane in range(LANES):
        rise[lane] = 0.0
    for k in range(size):
        for lane in range(LANES):
            rise[lane] += z[k, k, lane] + rise[lane] * z[k, k, lane]
        for p in range(k + 1, size):
            for q in range(k + 1, p + 1):
                for lane in range(LANES):
                    z[p, q, lane] -= z[p, k, lane] * z[q, k, lane] / (1.0 + z[k, k, lane])


@inline
def _invert(a: Array) -> None:
    """Gauss and Jordan, in place; fit for symmetric positive definite matrices."""
    size = a.shape[0]
    for k in range(size):
        for lane in range(LANES):
            pivot = 1.0 / a[k, k, lane]
            a[k, k, lane] = 1.0
            for q in range(size):
                a[k, q, lane] *= pivot
        for p in range(size):
            if p != k:
                for lane in range(LANES):
                    factor = a[p, k, lane]
                    a[p, k, lane] = 0.0
                    for q in range(size):
                        a[p, q, lane] -= factor * a[k, q, lane]


@kernel
def _forward_any(
    lower: Array, inverse: Array, lowers: Array, inverses: Array, symmetric: bool, out: Array
) -> None:
    n, m, size = inverse.shape[0], lowers.shape[2], inverse.shape[1]
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        g, h, z = (
            np.empty((size, size, LANES)),
            np.empty((size, size, LANES)),
            np.empty((size, size, LANES)),
        )
        s = np.empty(LANES)
        for j in range(0, end, LANES):
            count = min(LANES, end - j)
            whiten(inverse[i], lowers, j, g)
            _unwhiten(lower[i], inverses, j, h)
            if _excess(g, h, z) < FAR:
                _determinant(z, s)
                for lane in range(count):
                    out[i, j + lane] = 0.5 * log1p(s[lane])
                continue
            whiten(inverse[i], lowers, j, g)
            svd_lanes(g, h)
            for lane in range(count):
                out[i, j + lane] = 0.0
            for k in range(size):
                squared_lengths(g, k, s)
                for lane in range(count):
                    out[i, j + lane] += _divergence(s[lane])
    if symmetric:
        mirror(out, out)


@inline
def _unwhiten(lower: Array, inverses: Array, j: int, h: Array) -> None:
    """``h`` becomes ``L_B⁻¹ L_A`` for the ``B`` from ``j`` on; past the end, the last one again."""
    size, last = h.shape[0], inverses.shape[2] - 1
    for p in range(size):
        for q in range(size):
            for lane in range(LANES):
                h[p, q, lane] = 0.0
            for k in range(q, p + 1):
                for lane in range(LANES):
                    h[p, q, lane] += inverses[p, k, min(j + lane, last)] * lower[k, q]


@kernel
def _gradient_any(inverse: Array, lowers: Array, w: Array) -> Array:
    r"""Row ``i``: the sum of :math:`w\big((I+M)^{-1} - \frac12I\big)`."""
    n, m, size = inverse.shape[0], lowers.shape[2], inverse.shape[1]
    out = np.zeros((n, size, size))
    for i in prange(n):
        g, a, s = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty(LANES)
        for j in range(0, m, LANES):
            whiten(inverse[i], lowers, j, g)
            if _gram(g, a) < FAR:
                _invert(a)
                for p in range(size):
                    for q in range(size):
                        total = 0.0
                        for lane in range(min(LANES, m - j)):
                            total += w[i, j + lane] * (a[p, q, lane] - (0.5 if p == q else 0.0))
                        out[i, p, q] += total
                continue
            svd_lanes(g, a)
            for k in range(size):
                squared_lengths(g, k, s)
                for lane in range(LANES):
                    s[lane] = (
                        w[i, j + lane] * 0.5 * (1.0 - s[lane]) / ((1.0 + s[lane]) * s[lane])
                        if j + lane < m
                        else 0.0
                    )
                add_outer(out[i], g, k, s)
    return out


@inline
def _gram(g: Array, a: Array) -> float:
    """``a`` becomes ``I + g gᵀ``; returns the largest trace."""
    size, largest = g.shape[0], 0.0
    for p in range(size):
        for q in range(size):
            for lane in range(LANES):
                a[p, q, lane] = 1.0 if p == q else 0.0
            for k in range(min(p, q) + 1):
                for lane in range(LANES):
                    a[p, q, lane] += g[p, k, lane] * g[q, k, lane]
    for lane in range(LANES):
        trace = 0.0
        for p in range(size):
            trace += a[p, p, lane]
        largest = max(largest, trace)
    return largest


def _pairs_any(x: Array, y: Array) -> Pairs:
    lower, inverse = linalg.cholesky(x)
    other = (lower, inverse) if y is x else linalg.cholesky(y)
    lowers, inverses = lanes(other[0]), lanes(other[1])
    sqdist = np.empty((len(x), len(y)))
    _forward_any(lower, inverse, lowers, inverses, y is x, sqdist)
    return Pairs(sqdist, lambda w: congruence(lower, _gradient_any(inverse, lowers, w)))


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
    formula: ClassVar[str] = "√(log(det ½(A+B) / √det AB))"
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
        return {2: _pairs2, 3: _pairs3}.get(self.n, _pairs_any)(x, y)

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
        r""":math:`\sum_i\log\frac{\sigma_i + 1/\sigma_i}{2}` over singular values of :math:`L_x^{-1}L_y`."""
        values, _ = linalg.left_svd(linalg.cholesky(x)[1] @ linalg.cholesky(y)[0])
        return np.sum(np.log1p(0.5 * (values - 1.0) ** 2 / values), axis=-1)

    def sqdist_grad(self, x: Array, y: Array) -> Array:
        r""":math:`L\big((I+M)^{-1} - \frac12I\big)L^\top` with :math:`M = L^{-1}yL^{-\top}`."""
        lower, inverse = linalg.cholesky(x)
        values, vectors = linalg.left_svd(inverse @ linalg.cholesky(y)[0])
        slopes = linalg.apply(lambda s: 0.5 * (1.0 - s) * (1.0 + s) / (1.0 + s * s), values, vectors)
        return congruence(lower, slopes)
