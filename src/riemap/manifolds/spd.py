r"""Symmetric positive definite matrices with the affine-invariant metric.

.. math::
    \langle P, Q\rangle_A = \operatorname{tr} A^{-1}PA^{-1}Q, \qquad
    d(A, B) = \|\log(A^{-1}B)\|_F = \Big(\sum_i\log^2\lambda_i(A^{-1}B)\Big)^{1/2}.

The distance does not change under congruence :math:`A\mapsto XAX^\top` nor inversion. Curvature is in
:math:`[-\frac12, 0]`: matrices of determinant one carry the negative part, and the determinant is a
flat line.

With the Cholesky factor :math:`A = LL^\top` every formula is one at the identity, for
:math:`L^{-1}BL^{-\top} = GG^\top`, :math:`G = L_A^{-1}L_B`: the :math:`\lambda_i` are the squared
singular values of ``G``, so that condition numbers enter by their square root.

Sizes 2 and 3 have closed forms; :mod:`riemap.manifolds.positive` explains them. For 3 x 3 and
determinant one, :math:`\mu = \lambda - 1` solves :math:`\mu^3 - a\mu^2 - (2a-b)\mu - (a-b) = 0` with
:math:`a = e_1 - 3`, :math:`b = e_2 - 3`; the largest root is
:math:`a/3 + 2\sqrt{p/3}\cos(\frac13\arccos r)` [Cruceru2021, app. D]. The smallest eigenvalue is found
as the largest of the inverse, by exchanging ``a`` and ``b``.

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021. Table 1 and appendix D.
[Bhatia2007] Bhatia. Positive definite matrices. Princeton, 2007.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numba import prange

from riemap import linalg
from riemap.linalg import (
    LANES,
    congruence,
    svd_lanes,
    symmetric,
    transpose,
)
from riemap.manifolds import affine
from riemap.manifolds import hyperboloid as hyperbolic
from riemap.manifolds.base import TINY, Manifold, Pairs, check_size, contiguous, sectional_from
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
from riemap.triangle import mirror, row_and_end
from riemap.types import Array
from riemap.vmath import cos_third, inline, kernel, log, log1p

SERIES = 1e-4
"""Below this ``P`` (distances below 0.01) a series in ``P`` and ``Q`` replaces the roots of the cubic,
which could not be told apart there. Its error is of the order of ``P³``, relative."""

THIRD = 1.0 / 3.0

CLOSE = 0.05
"""Half the difference of two logarithms below which its quotient with the difference of the numbers is
a series."""


# --- 2 x 2: a hyperbolic plane times a line ---------------------------------------------------------


@kernel
def _forward2(x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    n, m = out.shape
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(end):
            s = chord2(near2(x, i, y, j), x, i, y, j)
            theta = hyperbolic.distance(s)
            flat = y[5, j] - x[5, i]
            out[i, j] = 2.0 * theta * theta + 0.5 * flat * flat
            slopes[i, j] = theta / (hyperbolic.sinh(s) + TINY)
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
            weight = -2.0 * w[i, j]
            factor = weight * slopes[i, j]
            along += factor * radial2(near2(x, i, y, j), cosh, x, i, y, j)
            across += factor * y[2, j] * (y[0, j] - x[0, i])
            across1 += factor * y[2, j] * (y[1, j] - x[1, i])
            flat += weight * (y[5, j] - x[5, i])
        write2(out, x, i, along, across, across1, flat)
    return out


# --- 3 x 3: roots of a cubic ------------------------------------------------------------------------


@inline
def _largest(a: float, b: float, q: float) -> float:
    """Largest eigenvalue, less one."""
    linear = 2.0 * a - b
    s = math.sqrt(max(a * a + 3.0 * linear, 0.0))  # sqrt(3 p)
    r = (a * (a * a + 4.5 * linear) + 13.5 * q) / (s * s * s)
    return THIRD * (a + 2.0 * s * cos_third(min(max(r, -1.0), 1.0)))


@inline
def _series(p: float, q: float) -> float:
    """Sum of the squared logarithms of the eigenvalues, for small ``p``."""
    return p * (1.0 + p * (-1.0 / 24.0 + p * (1.0 / 288.0 - 1.0 / 1440.0))) - q * q * (1.0 / 120.0)


@inline
def _slope(s: float, t: float, x: float, y: float, scale: float) -> float:
    """``(log x - log y) / (x - y)`` from the logarithms ``s``, ``t``, and ``1 / sqrt(x y)``."""
    h = 0.5 * (s - t)
    z = h * h
    series = 1.0 + z * (-1.0 / 6.0 + z * (7.0 / 360.0 + z * (-31.0 / 15120.0 + z * (127.0 / 604800.0))))
    return series * scale if h < CLOSE else (s - t) / (x - y)


@inline
def _slopes3(a: float, b: float, p: float, q: float) -> tuple[float, float, float]:
    """Squared distance at determinant one, and its derivatives in ``e1`` and (negated) ``e2``.

    The derivatives are second divided differences, over the eigenvalues ``x > y > z``, of
    ``2 λ log λ`` and of ``-2 log λ``.
    """
    high, deep = _largest(a, b, q), _largest(b, a, -q)
    log_x, log_z = log1p(high), -log1p(deep)
    log_y = -(log_x + log_z)
    x, z = 1.0 + high, 1.0 / (1.0 + deep)
    y = (1.0 + deep) / x
    xy = _slope(log_x, log_y, x, y, math.sqrt(z))
    yz = _slope(log_y, log_z, y, z, math.sqrt(x))
    width = 2.0 / (x - z)
    second = (yz - xy) * width
    first = (log_x - log_z) * width - y * second
    close = p < SERIES
    slope = 1.0 + p * (-1.0 / 12.0 + p * (1.0 / 96.0 - 1.0 / 480.0))
    first = slope - q * (1.0 / 60.0) if close else first
    second = slope + q * (1.0 / 60.0) if close else second
    square = log_x * log_x + log_y * log_y + log_z * log_z
    return (_series(p, q) if close else square), first, second


@kernel
def _forward3(x: Array, y: Array, symmetric: bool, out: Array, first: Array, second: Array) -> None:
    n, m = out.shape
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(end):
            a, b, p, q = invariants(triangles(x, i, y, j), triangles(y, j, x, i))
            d, first[i, j], second[i, j] = _slopes3(a, b, p, q)
            flat = y[12, j] - x[12, i]
            out[i, j] = d + THIRD * flat * flat
    if symmetric:
        mirror(first, second)
        mirror(second, first)


@kernel
def _gradient3(x: Array, y: Array, first: Array, second: Array, w: Array) -> Array:
    n, m = w.shape
    out = np.empty((n, 3, 3))
    for i in prange(n):
        s0 = s1 = s2 = s3 = s4 = s5 = trace = 0.0
        for j in range(m):
            u, v = square(triangles(x, i, y, j)), cosquare(triangles(y, j, x, i))
            a, b = -w[i, j] * first[i, j], w[i, j] * second[i, j]
            s0 += a * u[0] + b * v[0]
            s1 += a * u[1] + b * v[1]
            s2 += a * u[2] + b * v[2]
            s3 += a * u[3] + b * v[3]
            s4 += a * u[4] + b * v[4]
            s5 += a * u[5] + b * v[5]
            trace -= 2.0 * w[i, j] * (y[12, j] - x[12, i])
        write3(out, x, i, (s0, s1, s2, s3, s4, s5), trace)
    return out


# --- any size: singular values by Jacobi rotations --------------------------------------------------


@kernel
def _forward_any(inverse: Array, lower: Array, symmetric: bool, out: Array) -> None:
    n, m, size = inverse.shape[0], lower.shape[2], inverse.shape[1]
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        g, v, s = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty(LANES)
        for j in range(0, end, LANES):
            whiten(inverse[i], lower, j, g)
            svd_lanes(g, v)
            for lane in range(min(LANES, end - j)):
                out[i, j + lane] = 0.0
            for k in range(size):
                squared_lengths(g, k, s)
                for lane in range(min(LANES, end - j)):
                    out[i, j + lane] += log(s[lane]) ** 2


@kernel
def _gradient_any(inverse: Array, lower: Array, w: Array) -> Array:
    """Row ``i``: the sum of ``-2 w log`` at the identity."""
    n, m, size = inverse.shape[0], lower.shape[2], inverse.shape[1]
    out = np.zeros((n, size, size))
    for i in prange(n):
        g, v, s = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty(LANES)
        for j in range(0, m, LANES):
            whiten(inverse[i], lower, j, g)
            svd_lanes(g, v)
            for k in range(size):
                squared_lengths(g, k, s)
                for lane in range(LANES):
                    s[lane] = -2.0 * w[i, j + lane] * log(s[lane]) / s[lane] if j + lane < m else 0.0
                add_outer(out[i], g, k, s)
    return out


def _pairs_any(x: Array, y: Array) -> Pairs:
    lower, inverse = linalg.cholesky(x)
    others = lanes(lower if y is x else linalg.cholesky(y)[0])
    sqdist = np.empty((len(x), len(y)))
    _forward_any(inverse, others, y is x, sqdist)
    return Pairs(sqdist, lambda w: congruence(lower, _gradient_any(inverse, others, w)))


def _pairs2(x: Array, y: Array) -> Pairs:
    rows = planar(x)
    others = rows if y is x else planar(y)
    sqdist, slopes = np.empty((2, len(x), len(y)))
    _forward2(rows, others, y is x, sqdist, slopes)
    return Pairs(sqdist, lambda w: _gradient2(rows, others, slopes, w))


def _pairs3(x: Array, y: Array) -> Pairs:
    rows = spatial(x)
    others = rows if y is x else spatial(y)
    sqdist, first, second = np.empty((3, len(x), len(y)))
    _forward3(rows, others, y is x, sqdist, first, second)
    return Pairs(sqdist, lambda w: _gradient3(rows, others, first, second, w))


@final
@dataclass(frozen=True)
class SPD(Manifold):
    r""":math:`n\times n` symmetric positive definite matrices, affine-invariant metric.

    >>> m = SPD(3)
    >>> m.shape, m.dim, str(m)
    ((3, 3), 6, 'SPD3')
    """

    n: int
    symbol: ClassVar[str] = "SPD"
    name: ClassVar[str] = "SPD, affine-invariant"
    formula: ClassVar[str] = "‖log(A⁻¹B)‖_F"
    examples: ClassVar[tuple[tuple[int, ...], ...]] = ((2,), (3,), (4,))

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
        return (0.0 if self.n == 1 else -0.5, 0.0)

    @property
    def origin(self) -> Array:
        return np.eye(self.n)

    def kernel(self, x: Array, y: Array) -> Pairs:
        return {2: _pairs2, 3: _pairs3}.get(self.n, _pairs_any)(x, y)

    def project(self, x: Array) -> Array:
        """Symmetric part, with eigenvalues lifted to the rounding error of the largest."""
        return nearest_positive(x)

    def to_tangent(self, x: Array, u: Array) -> Array:
        r""":math:`(u + u^\top)/2`."""
        return symmetric(u) + np.zeros_like(x)

    def inner(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`\operatorname{tr} x^{-1}ux^{-1}v`."""
        *lead, n, _ = np.broadcast_shapes(x.shape, u.shape, v.shape)
        return affine.inner(*(a.reshape(-1, n, n) for a in contiguous(x, u, v))).reshape(lead)

    def exp(self, x: Array, u: Array) -> Array:
        r""":math:`L\exp(L^{-1}uL^{-\top})L^\top`."""
        lower, inverse = linalg.cholesky(x)
        values, vectors = linalg.eigh(congruence(inverse, u))
        root = lower @ (vectors * np.exp(0.5 * values)[..., None, :])
        return root @ transpose(root)

    def retract(self, x: Array, u: Array) -> Array:
        r""":math:`x + u + \frac12 ux^{-1}u`, the exponential to second order [Cruceru2021, table 1]."""
        _, inverse = linalg.cholesky(x)
        half = inverse @ u
        return symmetric(x + u + 0.5 * transpose(half) @ half)

    def log(self, x: Array, y: Array) -> Array:
        r""":math:`L\log(L^{-1}yL^{-\top})L^\top`."""
        lower, inverse = linalg.cholesky(x)
        values, vectors = linalg.left_svd(inverse @ linalg.cholesky(y)[0])
        return symmetric(congruence(lower, linalg.apply(twice_log, values, vectors)))

    def move(self, x: Array, u: Array, v: Array) -> tuple[Array, Array]:
        r"""To :math:`KK^\top` with :math:`K = Le^{A/2}`, :math:`A = L^{-1}uL^{-\top}`; ``v`` likewise."""
        y, moved, inside = affine.move(*contiguous(x, u, v))
        doubtful = np.flatnonzero(inside == 0.0)
        if len(doubtful):
            y[doubtful] = self.project(y[doubtful])
        return y, moved

    def transport(self, x: Array, y: Array, u: Array) -> Array:
        r"""Parallel: :math:`EuE^\top` with :math:`E = (yx^{-1})^{1/2}` [Bhatia2007, ch. 6]."""
        lower, inverse = linalg.cholesky(x)
        values, vectors = linalg.left_svd(inverse @ linalg.cholesky(y)[0])
        return symmetric(congruence(lower @ linalg.apply(np.asarray, values, vectors) @ inverse, u))

    def sqdist(self, x: Array, y: Array) -> Array:
        """Squared logarithms of the squared singular values of ``G``."""
        values, _ = linalg.left_svd(linalg.cholesky(x)[1] @ linalg.cholesky(y)[0])
        return np.sum(twice_log(values) ** 2, axis=-1)

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`-\frac14\|[u, v]\|^2` at the identity, over the squared area."""
        _, inverse = linalg.cholesky(x)
        u, v = congruence(inverse, u), congruence(inverse, v)
        return sectional_from(-0.25 * _sum(u @ v - v @ u, u @ v - v @ u), _sum(u, u), _sum(v, v), _sum(u, v))


def nearest_positive(x: Array) -> Array:
    """Symmetric part, with eigenvalues lifted to the rounding error of the largest."""
    values, vectors = linalg.eigh(symmetric(x))
    floor = np.finfo(np.float64).eps * np.abs(values).max(axis=-1, keepdims=True) + TINY
    lifted = linalg.apply(lambda s: np.maximum(s, floor), values, vectors)
    inside = np.all(values >= floor, axis=-1)[..., None, None]
    return np.where(inside, symmetric(x), symmetric(lifted))


def twice_log(values: Array) -> Array:
    """Logarithms of the squares."""
    return 2.0 * np.log(values)


def _sum(u: Array, v: Array) -> Array:
    return np.sum(u * v, axis=(-2, -1))
