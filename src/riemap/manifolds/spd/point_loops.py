r"""Loops over single points for the affine-invariant metric: inner products, and steps.

In the frame of ``x = L Lᵀ`` a tangent ``u`` is the matrix :math:`L^{-1}uL^{-\top}`, and the metric is the dot
product of matrices.
"""

import math

import numpy as np

from riemap.linalg import cholesky_inplace, eigh_inplace, multiply, square_symmetric
from riemap.loops import inline_point, task_loop
from riemap.manifolds.shared.formulas import POINTS_PER_TASK
from riemap.manifolds.spd.symmetric_positive import LEAST_RATIO
from riemap.threads import Part, begin
from riemap.types import Array

SHORT_HALF_STEP, SERIES_DEGREE = 0.5, 13
"""Length of half a step up to which a series gives its exponential, and the degree of that series. The first
term left out is at most 0.5^14 / 14!, which is below 1e-15."""


def move(x: Array, u: Array, v: Array) -> tuple[Array, Array, Array]:
    r"""Exponential of ``u`` and parallel transport of ``v``, from one factorisation of each point.

    The third result is 1 where the new point is certainly positive definite, and 0 where that must be
    checked.
    """
    count = x.shape[0]
    y, moved, inside = np.empty_like(x), np.empty_like(x), np.empty(count)
    rows = _move3_rows if x.shape[1] == 3 else _move_rows
    rows((count + POINTS_PER_TASK - 1) // POINTS_PER_TASK, x, u, v, y, moved, inside)
    return y, moved, inside


@task_loop
def _move_rows(part: Part, x: Array, u: Array, v: Array, y: Array, moved: Array, inside: Array) -> None:
    count, n = x.shape[0], x.shape[1]
    scratch = np.empty((6, n, n))
    start, stop = begin(part)
    for block in range(start, stop):
        for i in range(POINTS_PER_TASK * block, min(count, POINTS_PER_TASK * block + POINTS_PER_TASK)):
            inside[i] = _move(n, x[i], u[i], v[i], scratch, y[i], moved[i])


@task_loop
def _move3_rows(part: Part, x: Array, u: Array, v: Array, y: Array, moved: Array, inside: Array) -> None:
    """A loop of its own: with the size known, the loops over entries are unrolled."""
    count = x.shape[0]
    scratch = np.empty((6, 3, 3))
    start, stop = begin(part)
    for block in range(start, stop):
        for i in range(POINTS_PER_TASK * block, min(count, POINTS_PER_TASK * block + POINTS_PER_TASK)):
            inside[i] = _move(3, x[i], u[i], v[i], scratch, y[i], moved[i])


def inner(x: Array, u: Array, v: Array) -> Array:
    r""":math:`\operatorname{tr} x^{-1}ux^{-1}v`."""
    count = x.shape[0]
    out = np.empty(count)
    rows = _inner3_rows if x.shape[1] == 3 else _inner_rows
    rows((count + POINTS_PER_TASK - 1) // POINTS_PER_TASK, x, u, v, out)
    return out


@task_loop
def _inner_rows(part: Part, x: Array, u: Array, v: Array, out: Array) -> None:
    count, n = x.shape[0], x.shape[1]
    scratch = np.empty((5, n, n))
    start, stop = begin(part)
    for block in range(start, stop):
        for i in range(POINTS_PER_TASK * block, min(count, POINTS_PER_TASK * block + POINTS_PER_TASK)):
            out[i] = _inner(n, x[i], u[i], v[i], scratch)


@task_loop
def _inner3_rows(part: Part, x: Array, u: Array, v: Array, out: Array) -> None:
    count = x.shape[0]
    scratch = np.empty((5, 3, 3))
    start, stop = begin(part)
    for block in range(start, stop):
        for i in range(POINTS_PER_TASK * block, min(count, POINTS_PER_TASK * block + POINTS_PER_TASK)):
            out[i] = _inner(3, x[i], u[i], v[i], scratch)


@inline_point
def _inner(n: int, x: Array, u: Array, v: Array, scratch: Array) -> float:
    a, inverse, b, c, d = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    cholesky_inplace(n, x, a, inverse, b, c)
    _congruence(n, inverse, u, d, a)
    _congruence(n, inverse, v, d, b)
    total = 0.0
    for r in range(n):
        for s in range(n):
            total += a[r, s] * b[r, s]
    return total


@inline_point
def _move(n: int, x: Array, u: Array, v: Array, scratch: Array, y: Array, moved: Array) -> float:
    r"""Write :math:`y = KK^\top` and the transport, with :math:`K = Le^{A/2}`, :math:`A = L^{-1}uL^{-\top}`.

    By the inequality of arithmetic and geometric means of the other eigenvalues, the least eigenvalue of
    ``y`` is at least :math:`\det y\,((n-1)/\operatorname{tr}y)^{n-1}`. Return 1 if this bound is large
    enough that ``project`` would leave ``y`` as it is.
    """
    lower, inverse, a, q, k, b = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4], scratch[5]
    cholesky_inplace(n, x, lower, inverse, k, b)
    _congruence(n, inverse, u, b, a)
    root = 1.0  # the square root of the determinant
    for j in range(n):
        root *= lower[j, j] * math.exp(0.5 * a[j, j])
    _exponential_of_half(n, a, q, b)
    for r in range(n):
        for c in range(n):
            total = 0.0
            for j in range(r + 1):
                total += lower[r, j] * b[j, c]
            k[r, c] = total
    square_symmetric(n, n, k, k, y)
    trace = 0.0
    for r in range(n):
        trace += y[r, r]
    _congruence(n, inverse, v, b, a)
    _congruence(n, k, a, b, moved)
    return 1.0 if root * root * ((n - 1) / trace) ** (n - 1) > LEAST_RATIO * trace else 0.0


@inline_point
def _exponential_of_half(n: int, a: Array, square: Array, out: Array) -> None:
    r"""Write :math:`e^{A/2}` to ``out``; ``a`` and ``square`` are overwritten.

    Up to size three :math:`A^3 = e_1A^2 - e_2A + e_3`, so every power of ``A`` is a combination of ``I``,
    ``A`` and ``A²``. For a short step Horner's rule sums the series in these three coefficients.
    """
    first = second = third = 0.0  # traces of powers
    for r in range(n):
        for c in range(n):
            total = 0.0
            for j in range(n):
                total += 0.25 * a[r, j] * a[j, c]
            square[r, c] = total
            third += 0.5 * a[r, c] * total
        first += 0.5 * a[r, r]
        second += square[r, r]
    if n > 3 or not second < SHORT_HALF_STEP * SHORT_HALF_STEP:
        _exponential_of_any_half(a, square, out)
        return
    e2 = 0.5 * (first * first - second)
    e3 = (first * first * first - 3.0 * first * second + 2.0 * third) / 6.0
    p0, p1, p2 = 1.0, 0.0, 0.0
    for degree in range(SERIES_DEGREE, 0, -1):
        inverse = 1.0 / degree
        p0, p1, p2 = 1.0 + inverse * p2 * e3, inverse * (p0 - p2 * e2), inverse * (p1 + p2 * first)
    for r in range(n):
        for c in range(n):
            out[r, c] = 0.5 * p1 * a[r, c] + p2 * square[r, c] + (p0 if r == c else 0.0)


@inline_point
def _exponential_of_any_half(a: Array, vectors: Array, out: Array) -> None:
    """Write the same exponential, computed from eigenvectors."""
    eigh_inplace(a, vectors)
    n = len(a)
    for j in range(n):
        a[j, j] = math.exp(0.5 * a[j, j])
    for r in range(n):
        for c in range(n):
            total = 0.0
            for j in range(n):
                total += vectors[r, j] * a[j, j] * vectors[c, j]
            out[r, c] = total


@inline_point
def _congruence(n: int, m: Array, u: Array, scratch: Array, out: Array) -> None:
    """Write ``m u mᵀ`` for a symmetric ``u``; the result is exactly symmetric."""
    multiply(n, n, n, m, u, scratch)
    square_symmetric(n, n, scratch, m, out)
