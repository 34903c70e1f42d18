r"""All pairs of subspaces: the squares of their principal angles, and gradients.

Bases are orthonormal, :math:`A, B\in\mathbb{R}^{n\times k}`, and the cosines of the principal angles
:math:`\theta_i` are the singular values of :math:`A^\top B`. A cosine near one hides a small angle. So
the basis of ``B`` is first turned towards that of ``A``, by the orthogonal factor ``R`` of
:math:`B^\top A`; then :math:`D = BR - A` has the singular values :math:`2\sin\frac{\theta_i}{2}`, and
those keep their digits. For ``k = 1``, ``R`` is a sign; for ``k = 2`` it is a rotation or reflection in
closed form.

Orthogonal complements have the same angles, apart from right ones and zeros that they gain or lose
together, and take them with ``n - k`` columns. With an orthonormal basis ``C`` of that of ``A``, a tangent
``P`` at ``C`` is :math:`-CP^\top A` at ``A``, of the same length: the projector on one space falls as that
on the other rises.
"""

import math

import numpy as np
from numba import prange

from riemap.linalg import LANES, svd_lanes, transpose
from riemap.lower_triangle import mirror, row_and_end
from riemap.manifolds.base import CUT, TINY, Pairs
from riemap.manifolds.complements import complements
from riemap.manifolds.sphere import columns, near_and_far, project_row
from riemap.types import Array
from riemap.vmath import atan2, inline, over_sine, pair_loop

# --- k = 1: the sphere, up to sign ------------------------------------------------------------------


@pair_loop
def forward1(x: Array, y: Array, symmetric: bool, factor: float, out: Array, slopes: Array) -> None:
    """Squared angles between lines, times a factor; and ``d / sin d``, negative where a vector was turned."""
    n, m = out.shape
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        near_and_far(x, i, y, out[i, :end], slopes[i, :end])
        for j in range(end):
            near, far = out[i, j], slopes[i, j]
            flip = near > far
            slope = over_sine(0.25 * (far if flip else near))
            out[i, j] = 0.25 * factor * near * far * slope * slope  # sin² d = |x - y|² |x + y|² / 4
            slopes[i, j] = -slope if flip else slope
    if symmetric:
        mirror(slopes, slopes)


@pair_loop
def gradient1(x: Array, y: Array, slopes: Array, w: Array) -> Array:
    """Row ``i``: the sum of ``-2 w log``."""
    n, m = w.shape
    out = np.empty((n, x.shape[0]))
    for i in prange(n):
        for k in range(0, x.shape[0], 2):
            first = second = 0.0
            for j in range(m):
                turned = -2.0 * w[i, j] * slopes[i, j]
                straight = -2.0 * w[i, j] * abs(slopes[i, j])
                first += turned * y[k, j] - straight * x[k, i]
                second += turned * y[k + 1, j] - straight * x[k + 1, i]
            out[i, k], out[i, k + 1] = first, second
        project_row(x, i, out)
    return out


def _pairs1(x: Array, y: Array) -> Pairs:
    rows = columns(x.reshape(len(x), -1))
    others = rows if y is x else columns(y.reshape(len(y), -1))
    sqdist, slopes = np.empty((2, len(x), len(y)))
    forward1(rows, others, y is x, 1.0, sqdist, slopes)
    return Pairs(sqdist, lambda w: gradient1(rows, others, slopes, w)[:, : x.shape[1], None])


# --- k = 2: rows 2 i and 2 i + 1 hold the entries of the two basis vectors -------------------------


@inline
def _turn(a: float, b: float, c: float, d: float) -> tuple[float, float, float]:
    """``p``, ``q``, ``s`` of the orthogonal ``R = [[p, -s q], [q, s p]]`` nearest to ``[[a, c], [b, d]]``."""
    s = 1.0 if a * d - b * c >= 0.0 else -1.0
    p, q = a + s * d, b - s * c
    norm = math.sqrt(p * p + q * q)
    flat = norm == 0.0  # subspaces at right angles: every R is as good
    norm = 1.0 if flat else norm
    return (1.0 if flat else p / norm), q / norm, s


@inline
def _chords(a: float, b: float, c: float) -> tuple[float, float]:
    """A quarter of the eigenvalues of ``DᵀD = [[a, c], [c, b]]``, greater first: the ``sin²(θ/2)``."""
    mean, half = 0.125 * (a + b), 0.125 * (a - b)
    radius = math.sqrt(half * half + 0.0625 * c * c)
    return min(mean + radius, 0.5), max(mean - radius, 0.0)


@inline
def _align2(x: Array, i: int, y: Array, end: int, work: Array) -> None:
    """Fill rows 0 to 2 of ``work`` with the turn for every ``j``, rows 3 to 5 with ``DᵀD``."""
    for r in range(6):
        for j in range(end):
            work[r, j] = 0.0
    for k in range(0, x.shape[0], 2):
        for j in range(end):
            work[0, j] += x[k, i] * y[k, j]
            work[1, j] += x[k, i] * y[k + 1, j]
            work[2, j] += x[k + 1, i] * y[k, j]
            work[3, j] += x[k + 1, i] * y[k + 1, j]
    for j in range(end):
        work[0, j], work[1, j], work[2, j] = _turn(work[0, j], work[1, j], work[2, j], work[3, j])
        work[3, j] = 0.0
    for k in range(0, x.shape[0], 2):
        for j in range(end):
            p, q, s = work[0, j], work[1, j], work[2, j]
            d = p * y[k, j] + q * y[k + 1, j] - x[k, i]
            e = s * (p * y[k + 1, j] - q * y[k, j]) - x[k + 1, i]
            work[3, j] += d * d
            work[4, j] += e * e
            work[5, j] += d * e


@pair_loop
def _forward2(x: Array, y: Array, symmetric: bool, out: Array) -> None:
    n, m = out.shape
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        work = np.empty((6, m))
        _align2(x, i, y, end, work)
        for j in range(end):
            p, q = _chords(work[3, j], work[4, j], work[5, j])
            first, second = over_sine(p), over_sine(q)
            out[i, j] = 4.0 * (p * (1.0 - p) * first * first + q * (1.0 - q) * second * second)


@pair_loop
def _gradient2(x: Array, y: Array, w: Array) -> Array:
    r"""Row ``i``: the sum of :math:`-2wBRK`, yet to be projected.

    Here :math:`K = g(D^\top D)` with :math:`g = \theta/\sin\theta`.
    """
    n, m = w.shape
    out = np.empty((n, x.shape[0]))
    for i in prange(n):
        work = np.empty((6, m))
        _align2(x, i, y, m, work)
        for j in range(m):
            a, b, c = work[3, j], work[4, j], work[5, j]
            high, low = _chords(a, b, c)
            base = over_sine(low)
            rise = (over_sine(high) - base) / (4.0 * (high - low) + TINY)
            weight, low = -2.0 * w[i, j], 4.0 * low
            a, b, c = (
                weight * (base + rise * (a - low)),
                weight * (base + rise * (b - low)),
                weight * rise * c,
            )
            p, q, s = work[0, j], work[1, j], work[2, j]
            work[0, j], work[1, j] = p * a - s * q * c, p * c - s * q * b
            work[2, j], work[3, j] = q * a + s * p * c, q * c + s * p * b
        for k in range(0, x.shape[0], 2):
            first = second = 0.0
            for j in range(m):
                first += work[0, j] * y[k, j] + work[2, j] * y[k + 1, j]
                second += work[1, j] * y[k, j] + work[3, j] * y[k + 1, j]
            out[i, k], out[i, k + 1] = first, second
    return out


def _pairs2(x: Array, y: Array) -> Pairs:
    rows = x.reshape(len(x), -1).T.copy()
    others = rows if y is x else y.reshape(len(y), -1).T.copy()
    sqdist = np.empty((len(x), len(y)))
    _forward2(rows, others, y is x, sqdist)
    return Pairs(sqdist, lambda w: tangent(x, _gradient2(rows, others, w).reshape(x.shape)))


# --- any k: singular vectors by Jacobi rotations ----------------------------------------------------


@inline
def _cross(a: Array, y: Array, j: int, c: Array, v: Array) -> None:
    """``c`` becomes ``aᵀ b`` for the ``b`` from ``j`` on, with orthogonal columns, rotated by ``v``."""
    n, size, last = a.shape[0], a.shape[1], y.shape[2] - 1
    for p in range(size):
        for q in range(size):
            for lane in range(LANES):
                c[p, q, lane] = 0.0
            for r in range(n):
                for lane in range(LANES):
                    c[p, q, lane] += a[r, p] * y[r, q, min(j + lane, last)]
    svd_lanes(c, v)


@inline
def _principal(a: Array, y: Array, j: int, c: Array, v: Array, e: Array, k: int) -> None:
    """After :func:`_cross`: rows of ``e`` are vector ``k``'s part normal to ``a``, then sine and cosine."""
    n, size, last = a.shape[0], a.shape[1], y.shape[2] - 1
    for lane in range(LANES):
        sin = cos = 0.0
        for q in range(size):
            cos += c[q, k, lane] * c[q, k, lane]
        for p in range(n):
            total = 0.0
            for q in range(size):
                total += y[p, q, min(j + lane, last)] * v[q, k, lane] - a[p, q] * c[q, k, lane]
            e[p, lane] = total
            sin += total * total
        e[n, lane], e[n + 1, lane] = math.sqrt(sin), math.sqrt(cos)


@pair_loop
def _forward_any(x: Array, y: Array, symmetric: bool, out: Array) -> None:
    n, m, rows, size = x.shape[0], y.shape[2], x.shape[1], x.shape[2]
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        c, v, e = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty((rows + 2, LANES))
        for j in range(0, end, LANES):
            _cross(x[i], y, j, c, v)
            for lane in range(min(LANES, end - j)):
                out[i, j + lane] = 0.0
            for k in range(size):
                _principal(x[i], y, j, c, v, e, k)
                for lane in range(min(LANES, end - j)):
                    theta = atan2(e[rows, lane], e[rows + 1, lane])
                    out[i, j + lane] += theta * theta


@pair_loop
def _gradient_any(x: Array, y: Array, w: Array) -> Array:
    """Row ``i``: the sum of ``-2 w log``; an angle of ninety degrees, with two directions, gives none."""
    n, m, rows, size = x.shape[0], y.shape[2], x.shape[1], x.shape[2]
    out = np.zeros(x.shape)
    for i in prange(n):
        c, v, e = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty((rows + 2, LANES))
        for j in range(0, m, LANES):
            _cross(x[i], y, j, c, v)
            for k in range(size):
                _principal(x[i], y, j, c, v, e, k)
                for lane in range(min(LANES, m - j)):
                    sin, cos = e[rows, lane], e[rows + 1, lane]
                    factor = -2.0 * w[i, j + lane] * atan2(sin, cos) / (max(sin, CUT) * (cos + TINY))
                    for p in range(rows):
                        for q in range(size):
                            out[i, p, q] += factor * e[p, lane] * c[q, k, lane]
    return out


def _pairs_any(x: Array, y: Array) -> Pairs:
    sqdist, lanes = np.empty((len(x), len(y))), np.moveaxis(y, 0, 2).copy()
    _forward_any(x, lanes, y is x, sqdist)
    return Pairs(sqdist, lambda w: _gradient_any(x, lanes, w))


# --- k > n / 2: the complements --------------------------------------------------------------------


def _pairs_of_complements(x: Array, y: Array) -> Pairs:
    c = complements(x)
    sqdist, gradient = pairs(c, c if y is x else complements(y))
    return Pairs(sqdist, lambda w: -c @ (transpose(gradient(w)) @ x))


def pairs(x: Array, y: Array) -> Pairs:
    """All pairs of bases, ``(m, n, k)``, by the fastest way for their size."""
    _, n, k = x.shape
    if 2 * k > n:
        return _pairs_of_complements(x, y)
    return {1: _pairs1, 2: _pairs2}.get(k, _pairs_any)(x, y)


def tangent(x: Array, u: Array) -> Array:
    r""":math:`(I - xx^\top)u`."""
    return u - x @ (transpose(x) @ u)
