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
)
from riemap.manifolds.spd import SPD
from riemap.triangle import mirror, row_and_end
from riemap.types import Array
from riemap.vmath import inline, kernel, log1p

FAR = 1e6
"""Trace up to which determinants are used for sizes above three. They lose as many digits as it has;
the singular values that serve beyond it lose half as many."""


@kernel
def _forward2(x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    """Divergences ``S`` and ``exp(-S)``; the difference of ``det^(1/4)`` ratios is ``2 sinh(δ/2)``."""
    n, m = out.shape
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(end):
            flat = y[6, j] * x[7, i] - x[6, i] * y[7, j]
            rise = 0.25 * (flat * flat + chord2(near2(x, i, y, j), x, i, y, j))
            out[i, j] = log1p(rise)
            slopes[i, j] = 1.0 / (1.0 + rise)
    if symmetric:
        mirror(slopes, slopes)


@kernel
def _gradient2(x: Array, y: Array, slopes: Array, w: Array) -> Array:
    n, m = w.shape
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
    n, m = out.shape
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
        mirror(slopes, slopes)


@kernel
def _entries(x: Array, n: int) -> Array:
    """Lower entries of the matrices at unit determinant (6) and of their inverses (6).

    Then what the sums run over: the same divided and multiplied by ``t`` (6 each), and ``t³``, ``t⁻³``.
    """
    out = np.empty((26, x.shape[1]))
    for i in prange(n):
        a = square((x[0, i], x[1, i], x[2, i], x[3, i], x[4, i], x[5, i]))
        b = cosquare((x[6, i], x[7, i], x[8, i], x[9, i], x[10, i], x[11, i]))
        t, inverse = x[13, i], x[14, i]
        for k in range(6):
            out[k, i], out[6 + k, i] = a[k], b[k]
            out[12 + k, i], out[18 + k, i] = a[k] * inverse, b[k] * t
        out[24, i], out[25, i] = t * t * t, inverse * inverse * inverse
    return out


@kernel
def _gradient3(x: Array, ours: Array, theirs: Array, slopes: Array, w: Array) -> Array:
    r"""Row ``i``: the sum of :math:`w\,\mathrm{grad}\,S`.

    At the identity it is :math:`(I+M)^{-1} - \frac12 I`, a combination of ``M``, its inverse and ``I``.
    The first two are sums over :math:`\hat B` and :math:`\hat B^{-1}`, brought to ``A`` once, at the end.
    """
    n, m = w.shape
    out = np.empty((n, 3, 3))
    for i in prange(n):
        s0 = s1 = s2 = s3 = s4 = s5 = up = 0.0
        r0 = r1 = r2 = r3 = r4 = r5 = down = 0.0
        for j in range(m):
            factor = w[i, j] * slopes[i, j]
            s0 += factor * theirs[12, j]
            s1 += factor * theirs[13, j]
            s2 += factor * theirs[14, j]
            s3 += factor * theirs[15, j]
            s4 += factor * theirs[16, j]
            s5 += factor * theirs[17, j]
            r0 += factor * theirs[18, j]
            r1 += factor * theirs[19, j]
            r2 += factor * theirs[20, j]
            r3 += factor * theirs[21, j]
            r4 += factor * theirs[22, j]
            r5 += factor * theirs[23, j]
            up += factor * theirs[24, j]
            down += factor * theirs[25, j]
        t, inverse = x[13, i], x[14, i]
        s = (-t * s0, -t * s1, -t * s2, -t * s3, -t * s4, -t * s5)
        r = (inverse * r0, inverse * r1, inverse * r2, inverse * r3, inverse * r4, inverse * r5)
        _bring(out[i], t, ours, i, s, r, up * ours[25, i] - down * ours[24, i])
    return out


@inline
def _bring(
    out: Array, t: float, ours: Array, i: int, s: tuple[float, ...], r: tuple[float, ...], trace: float
) -> None:
    r"""Write :math:`t^2(S + \hat AR\hat A + c\hat A)`, where ``c`` makes the trace at the identity right."""
    a0, a1, a2, a3, a4, a5 = ours[0, i], ours[1, i], ours[2, i], ours[3, i], ours[4, i], ours[5, i]
    b0, b1, b2, b3, b4, b5 = ours[6, i], ours[7, i], ours[8, i], ours[9, i], ours[10, i], ours[11, i]
    p0, p1, p2 = (
        a0 * r[0] + a1 * r[1] + a3 * r[3],
        a0 * r[1] + a1 * r[2] + a3 * r[4],
        a0 * r[3] + a1 * r[4] + a3 * r[5],
    )
    q0, q1, q2 = (
        a1 * r[0] + a2 * r[1] + a4 * r[3],
        a1 * r[1] + a2 * r[2] + a4 * r[4],
        a1 * r[3] + a2 * r[4] + a4 * r[5],
    )
    o0, o1, o2 = (
        a3 * r[0] + a4 * r[1] + a5 * r[3],
        a3 * r[1] + a4 * r[2] + a5 * r[4],
        a3 * r[3] + a4 * r[4] + a5 * r[5],
    )
    white = b0 * s[0] + b2 * s[2] + b5 * s[5] + 2.0 * (b1 * s[1] + b3 * s[3] + b4 * s[4])
    c = -0.5 * (trace + white + p0 + q1 + o2)
    t *= t
    out[0, 0] = t * (s[0] + p0 * a0 + p1 * a1 + p2 * a3 + c * a0)
    out[1, 1] = t * (s[2] + q0 * a1 + q1 * a2 + q2 * a4 + c * a2)
    out[2, 2] = t * (s[5] + o0 * a3 + o1 * a4 + o2 * a5 + c * a5)
    out[0, 1] = out[1, 0] = t * (s[1] + q0 * a0 + q1 * a1 + q2 * a3 + c * a1)
    out[0, 2] = out[2, 0] = t * (s[3] + o0 * a0 + o1 * a1 + o2 * a3 + c * a3)
    out[1, 2] = out[2, 1] = t * (s[4] + o0 * a1 + o1 * a2 + o2 * a4 + c * a4)


# --- any size: determinants where that is exact enough, else singular values ----------------------------


@inline
def _divergence(s: float) -> float:
    """``log((1 + s) / (2 sqrt s))``, which is a small number near ``s = 1``."""
    root = math.sqrt(s)
    return log1p(0.5 * (root - 1.0) ** 2 / root)


@inline
def _largest_trace(a: Array) -> float:
    largest = 0.0
    for lane in range(LANES):
        trace = 0.0
        for p in range(a.shape[0]):
            trace += a[p, p, lane]
        largest = max(largest, trace)
    return largest


@inline
def _excess(g: Array, h: Array, z: Array) -> float:
    r"""``z`` becomes :math:`\frac14(G - H^\top)(G - H^\top)^\top`, and ``g`` the difference.

    Returns the largest trace.
    """
    size = g.shape[0]
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
    return _largest_trace(z)


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
    size = g.shape[0]
    for p in range(size):
        for q in range(size):
            for lane in range(LANES):
                a[p, q, lane] = 1.0 if p == q else 0.0
            for k in range(min(p, q) + 1):
                for lane in range(LANES):
                    a[p, q, lane] += g[p, k, lane] * g[q, k, lane]
    return _largest_trace(a)


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
    ours = _entries(rows, len(x))
    theirs = ours if y is x else _entries(others, len(y))
    return Pairs(sqdist, lambda w: _gradient3(rows, ours, theirs, slopes, w))


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

    def move(self, x: Array, u: Array, v: Array) -> tuple[Array, Array]:
        """As SPD."""
        return self._spd.move(x, u, v)

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
