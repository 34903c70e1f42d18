r"""Symmetric positive definite matrices with the Bures-Wasserstein metric.

The distance of optimal transport between centred Gaussians of these covariances,

.. math:: d^2(A, B) = \operatorname{tr}A + \operatorname{tr}B - 2\operatorname{tr}(A^{1/2}BA^{1/2})^{1/2}
    = \min_{R\in O(n)}\|X - YR\|_F^2 \quad\text{for any } A = XX^\top,\ B = YY^\top.

The second form is the one computed: it is a sum of squares that vanish as :math:`B\to A`, and the best
``R`` is the orthogonal factor of :math:`Y^\top X`. It says that :math:`X\mapsto XX^\top` is a
Riemannian submersion from flat matrices [BhatiaJainLim2019], whence everything else follows: with the
solution ``S`` of :math:`SA + AS = P`, the tangent ``P`` lifts to :math:`SX`,
:math:`\langle P, Q\rangle_A = \frac12\operatorname{tr}SQ`, geodesics are :math:`(I+tS)A(I+tS)`, and the
curvature is non-negative by O'Neill's formula.

The cone is not complete: its boundary is at distance :math:`\sqrt{\lambda_{\min}(A)}` from ``A``, and
exp and log are inverse only within that.

References
----------
[BhatiaJainLim2019] Bhatia, Jain, Lim. On the Bures-Wasserstein distance between positive definite
    matrices. Expositiones Mathematicae 37(2), 2019.
[ONeill1966] O'Neill. The fundamental equations of a submersion. Michigan Math. J. 13(4), 1966.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numba import prange

from riemap import linalg
from riemap.linalg import LANES, congruence, svd_lanes, symmetric, transpose
from riemap.lower_triangle import row_and_end
from riemap.manifolds.base import TINY, Manifold, Pairs, check_size, sectional_from
from riemap.manifolds.spd import nearest_positive
from riemap.types import Array
from riemap.vmath import inline, pair_loop

ORIGIN = 9.0
"""Multiple of the identity about which points are drawn. The boundary is then three units away, so that
unit balls about points near the origin stay inside; from the identity it would be one."""


# --- 2 x 2: the best rotation in closed form --------------------------------------------------------


@inline
def _difference(x: Array, i: int, y: Array, j: int) -> tuple[float, float, float, float]:
    """``Y R - X`` by rows, for lower triangles ``X`` and ``Y`` in rows 0 to 2."""
    c = y[0, j] * x[0, i] + y[1, j] * x[1, i] + y[2, j] * x[2, i]
    s = y[2, j] * x[1, i] - y[1, j] * x[2, i]
    norm = 1.0 / math.sqrt(c * c + s * s)
    c, s = c * norm, s * norm
    return (
        y[0, j] * c - x[0, i],
        -y[0, j] * s,
        y[1, j] * c + y[2, j] * s - x[1, i],
        y[2, j] * c - y[1, j] * s - x[2, i],
    )


@pair_loop
def _forward2(x: Array, y: Array, symmetric: bool, out: Array) -> None:
    n, m = x.shape[1], y.shape[1]
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(end):
            a, b, c, d = _difference(x, i, y, j)
            out[i, j] = a * a + b * b + c * c + d * d


@pair_loop
def _gradient2(x: Array, y: Array, w: Array) -> Array:
    """Row ``i``: the sum of ``w (Y R - X)``."""
    n, m = x.shape[1], y.shape[1]
    out = np.empty((n, 2, 2))
    for i in prange(n):
        s0 = s1 = s2 = s3 = 0.0
        for j in range(m):
            a, b, c, d = _difference(x, i, y, j)
            s0 += w[i, j] * a
            s1 += w[i, j] * b
            s2 += w[i, j] * c
            s3 += w[i, j] * d
        out[i, 0, 0], out[i, 0, 1], out[i, 1, 0], out[i, 1, 1] = s0, s1, s2, s3
    return out


# --- any size: the best rotation from singular vectors ----------------------------------------------


@inline
def _align(x: Array, y: Array, j: int, c: Array, v: Array, d: Array) -> None:
    """Write ``Y R - X`` into ``d`` for the ``Y`` from ``j`` on; ``c`` and ``v`` are scratch."""
    size, last = x.shape[0], y.shape[2] - 1
    for p in range(size):
        for q in range(size):
            for lane in range(LANES):
                c[p, q, lane] = 0.0
            for k in range(max(p, q), size):
                for lane in range(LANES):
                    c[p, q, lane] += y[k, p, min(j + lane, last)] * x[k, q]
    svd_lanes(c, v)
    for k in range(size):
        for lane in range(LANES):
            norm = 0.0
            for p in range(size):
                norm += c[p, k, lane] * c[p, k, lane]
            norm = 1.0 / (math.sqrt(norm) + TINY)
            for p in range(size):
                c[p, k, lane] *= norm
    for p in range(size):
        for q in range(size):
            for lane in range(LANES):
                d[p, q, lane] = -x[p, q]
            for k in range(p + 1):
                for lane in range(LANES):
                    rotation = 0.0
                    for r in range(size):
                        rotation += c[k, r, lane] * v[q, r, lane]
                    d[p, q, lane] += y[p, k, min(j + lane, last)] * rotation


@pair_loop
def _forward_any(x: Array, y: Array, symmetric: bool, out: Array) -> None:
    n, m, size = x.shape[0], y.shape[2], x.shape[1]
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        c, v, d = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty((size, size, LANES))
        for j in range(0, end, LANES):
            _align(x[i], y, j, c, v, d)
            for lane in range(min(LANES, end - j)):
                total = 0.0
                for p in range(size):
                    for q in range(size):
                        total += d[p, q, lane] * d[p, q, lane]
                out[i, j + lane] = total


@pair_loop
def _gradient_any(x: Array, y: Array, w: Array) -> Array:
    n, m, size = x.shape[0], y.shape[2], x.shape[1]
    out = np.zeros((n, size, size))
    for i in prange(n):
        c, v, d = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty((size, size, LANES))
        for j in range(0, m, LANES):
            _align(x[i], y, j, c, v, d)
            for p in range(size):
                for q in range(size):
                    for lane in range(min(LANES, m - j)):
                        out[i, p, q] += w[i, j + lane] * d[p, q, lane]
    return out


def _lower_rows(lower: Array) -> Array:
    return np.ascontiguousarray([lower[:, 0, 0], lower[:, 1, 0], lower[:, 1, 1]])


@final
@dataclass(frozen=True)
class BuresWasserstein(Manifold):
    r""":math:`n\times n` symmetric positive definite matrices, Bures-Wasserstein metric.

    >>> m = BuresWasserstein(3)
    >>> m.shape, m.dim, str(m)
    ((3, 3), 6, 'BW3')
    """

    n: int
    symbol: ClassVar[str] = "BW"
    name: ClassVar[str] = "SPD, Bures-Wasserstein"
    formula: ClassVar[str] = "√(tr(A + B) − 2 tr√(√A B √A))"
    parallel: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_size(self.n, 1, str(self))

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n, self.n)

    @property
    def dim(self) -> int:
        return self.n * (self.n + 1) // 2

    @property
    def curvature(self) -> tuple[float, float]:
        return (0.0, 0.0 if self.n == 1 else np.inf)

    @property
    def origin(self) -> Array:
        return ORIGIN * np.eye(self.n)

    def kernel(self, x: Array, y: Array) -> Pairs:
        lower, _ = linalg.cholesky(x)
        others = lower if y is x else linalg.cholesky(y)[0]
        sqdist = np.empty((len(x), len(y)))
        if self.n == 2:
            rows = _lower_rows(lower)
            other_rows = rows if y is x else _lower_rows(others)
            _forward2(rows, other_rows, y is x, sqdist)
            return Pairs(sqdist, lambda w: -2.0 * _push(lower, _gradient2(rows, other_rows, w)))
        lanes = np.moveaxis(others, 0, 2).copy()
        _forward_any(lower, lanes, y is x, sqdist)
        return Pairs(sqdist, lambda w: -2.0 * _push(lower, _gradient_any(lower, lanes, w)))

    def project(self, x: Array) -> Array:
        """Symmetric part, with eigenvalues lifted to the rounding error of the largest."""
        return nearest_positive(x)

    def to_tangent(self, x: Array, u: Array) -> Array:
        r""":math:`(u + u^\top)/2`."""
        return symmetric(u) + np.zeros_like(x)

    def inner(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`\frac12\operatorname{tr}S_uv`."""
        return 0.5 * np.sum(_lyapunov(x, u) * v, axis=(-2, -1))

    def exp(self, x: Array, u: Array) -> Array:
        r""":math:`(I+S)x(I+S) = x + u + SxS`."""
        s = _lyapunov(x, u)
        return symmetric(x + u + s @ x @ s)

    def log(self, x: Array, y: Array) -> Array:
        r""":math:`(xy)^{1/2} + (yx)^{1/2} - 2x`, as :math:`DX^\top + XD^\top` with :math:`D = YR - X`."""
        lower, difference = _best_difference(x, y)
        return _push(lower, difference)

    def transport(self, x: Array, y: Array, u: Array) -> Array:
        """Lift to matrices, aligned with the geodesic, and push down at ``y``: first-order only.

        The parallel transport solves a differential equation without closed solution.
        """
        lower, difference = _best_difference(x, y)
        return _push(lower + difference, _lyapunov(x, u) @ lower)

    def sqdist(self, x: Array, y: Array) -> Array:
        r""":math:`\|YR - X\|^2`."""
        return np.sum(_best_difference(x, y)[1] ** 2, axis=(-2, -1))

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        r"""Three times the squared vertical part of :math:`S_vS_uX`, over the squared area [ONeill1966].

        The vertical part is :math:`X\Omega` with skew :math:`\Omega` and
        :math:`x\Omega + \Omega x = X(S_vS_u - S_uS_v)X` for the symmetric root ``X``.
        """
        values, vectors = linalg.eigh(x)
        root = linalg.apply(np.sqrt, values, vectors)
        s, t = _lyapunov(x, u), _lyapunov(x, v)
        omega = _lyapunov(x, congruence(root, t @ s - s @ t))
        return sectional_from(
            3.0 * np.sum((root @ omega) ** 2, axis=(-2, -1)),
            self.inner(x, u, u),
            self.inner(x, v, v),
            self.inner(x, u, v),
        )


def _push(x: Array, d: Array) -> Array:
    """Derivative of ``X Xᵀ`` in direction ``d``."""
    half = d @ transpose(x)
    return half + transpose(half)


def _lyapunov(x: Array, u: Array) -> Array:
    """The ``S`` with ``S x + x S = u``."""
    values, vectors = linalg.eigh(x)
    inside = congruence(transpose(vectors), u) / (values[..., :, None] + values[..., None, :])
    return congruence(vectors, inside)


def _best_difference(x: Array, y: Array) -> tuple[Array, Array]:
    """The Cholesky factor ``X`` of ``x``, and ``Y R - X`` for the nearest root of ``y``."""
    lower, other = linalg.cholesky(x)[0], linalg.cholesky(y)[0]
    u, _, vt = np.linalg.svd(transpose(other) @ lower)
    return lower, other @ (u @ vt) - lower
