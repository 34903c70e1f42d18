r"""A step in the affine-invariant metric, point by point: lengths of gradients, and moves.

In the frame of ``x = L Lᵀ`` a tangent vector is :math:`L^{-1}uL^{-\top}`, and the metric is that of matrices.
"""

import math

import numpy as np
from numba import prange

from riemap.linalg import cholesky_inplace, device, eigh_inplace
from riemap.types import Array
from riemap.vmath import inline, pair_loop

SURELY = 1e-14
"""Least eigenvalue over trace that needs no look; :func:`nearest_positive` lifts those below 2e-16."""

SHORT, DEGREE = 0.5, 13
"""Length of half a step up to which so many terms give its exponential: 0.5^14 is below 14! times 1e-15."""

BLOCK = 32
"""Points that share their scratch."""


@pair_loop
def move(x: Array, u: Array, v: Array) -> tuple[Array, Array, Array]:
    r"""One factorisation and one set of eigenvectors a point for both the way and what is carried along.

    Third is whether the new point is surely no nearer to the boundary than rounding error.
    """
    count, n = x.shape[0], x.shape[1]
    y, moved, inside = np.empty_like(x), np.empty_like(x), np.empty(count)
    for block in prange((count + BLOCK - 1) // BLOCK):
        scratch = np.empty((6, n, n))
        for i in range(BLOCK * block, min(count, BLOCK * block + BLOCK)):
            if n == 3:
                inside[i] = _move(3, x[i], u[i], v[i], scratch, y[i], moved[i])
            else:
                inside[i] = _move(n, x[i], u[i], v[i], scratch, y[i], moved[i])
    return y, moved, inside


@pair_loop
def inner(x: Array, u: Array, v: Array) -> Array:
    r""":math:`\operatorname{tr} x^{-1}ux^{-1}v`."""
    count, n = x.shape[0], x.shape[1]
    out = np.empty(count)
    for block in prange((count + BLOCK - 1) // BLOCK):
        scratch = np.empty((5, n, n))
        for i in range(BLOCK * block, min(count, BLOCK * block + BLOCK)):
            if n == 3:
                out[i] = _inner(3, x[i], u[i], v[i], scratch)
            else:
                out[i] = _inner(n, x[i], u[i], v[i], scratch)
    return out


@inline
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


@inline
def _move(n: int, x: Array, u: Array, v: Array, scratch: Array, y: Array, moved: Array) -> float:
    r"""With :math:`A = L^{-1}uL^{-\top}` and :math:`K = Le^{A/2}`, to :math:`KK^\top`.

    The least eigenvalue of the new point ``y`` is at least
    :math:`\det y\,((n-1)/\operatorname{tr}y)^{n-1}`, by the means of the others: one if that is enough.
    """
    lower, inverse, a, q, k, b = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4], scratch[5]
    cholesky_inplace(n, x, lower, inverse, k, b)
    _congruence(n, inverse, u, b, a)
    root = 1.0  # of the determinant
    for j in range(n):
        root *= lower[j, j] * math.exp(0.5 * a[j, j])
    _exponential_of_half(n, a, q, b)
    for r in range(n):
        for c in range(n):
            total = 0.0
            for j in range(r + 1):
                total += lower[r, j] * b[j, c]
            k[r, c] = total
    trace = 0.0
    for r in range(n):
        for c in range(r + 1):
            total = 0.0
            for j in range(n):
                total += k[r, j] * k[c, j]
            y[r, c] = y[c, r] = total
        trace += y[r, r]
    _congruence(n, inverse, v, b, a)
    _congruence(n, k, a, b, moved)
    return 1.0 if root * root * ((n - 1) / trace) ** (n - 1) > SURELY * trace else 0.0


@inline
def _exponential_of_half(n: int, a: Array, square: Array, out: Array) -> None:
    r"""Write :math:`e^{A/2}`; ``a`` and ``square`` are scratch afterwards.

    Up to size three :math:`A^3 = e_1A^2 - e_2A + e_3`, so that the powers of a short step are sums of three
    matrices, and their series, by Horner's rule, is one of three numbers.
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
    if n > 3 or not second < SHORT * SHORT:
        _exponential_of_any_half(a, square, out)
        return
    e2 = 0.5 * (first * first - second)
    e3 = (first * first * first - 3.0 * first * second + 2.0 * third) / 6.0
    p0, p1, p2 = 1.0, 0.0, 0.0
    for degree in range(DEGREE, 0, -1):
        inverse = 1.0 / degree
        p0, p1, p2 = 1.0 + inverse * p2 * e3, inverse * (p0 - p2 * e2), inverse * (p1 + p2 * first)
    for r in range(n):
        for c in range(n):
            out[r, c] = 0.5 * p1 * a[r, c] + p2 * square[r, c] + (p0 if r == c else 0.0)


@device
def _exponential_of_any_half(a: Array, vectors: Array, out: Array) -> None:
    """The same by eigenvectors."""
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


@inline
def _congruence(n: int, m: Array, u: Array, scratch: Array, out: Array) -> None:
    """``m u mᵀ`` for a symmetric ``u``, exactly symmetric."""
    for r in range(n):
        for c in range(n):
            total = 0.0
            for j in range(n):
                total += m[r, j] * u[j, c]
            scratch[r, c] = total
    for r in range(n):
        for c in range(r + 1):
            total = 0.0
            for j in range(n):
                total += scratch[r, j] * m[c, j]
            out[r, c] = out[c, r] = total
