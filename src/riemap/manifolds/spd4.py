r"""The affine-invariant distance of all pairs, for size 4.

With :math:`G = L_A^{-1}L_B`, the eigenvalues of :math:`M = GG^\top` give the distance, and
:math:`-2\log M` is the gradient at the identity: :mod:`riemap.manifolds.eigenvalues4` has both. The same
polynomial serves both ends of a pair, for in the frame of ``B`` it is :math:`G^\top G`, the inverse of what
``B`` sees of ``A``, that has the eigenvalues of ``M``.

Pairs too far apart for the digits of ``M`` get singular values and vectors of ``G`` itself.
"""

import math

import numpy as np
from numba import prange

from riemap.linalg import LANES, device, svd_lanes
from riemap.manifolds.base import Pairs
from riemap.manifolds.eigenvalues4 import coefficients, eigenvalues, polynomial
from riemap.manifolds.positive import add_outer, squared_lengths
from riemap.manifolds.positive4 import WIDTH, at, cosquare, factors, square, whitened, write4
from riemap.triangle import mirror, row_and_end
from riemap.types import Array
from riemap.vmath import NAN, inline, kernel, log

FLAT = 0.01
"""Least eigenvalue over their mean for which ``M`` serves; its rounding errors are relative to the mean."""


@inline
def _squares(a: tuple[float, ...]) -> float:
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]


@kernel
def _forward(
    x: Array, y: Array, symmetric: bool, out: Array, first: Array, second: Array, third: Array
) -> None:
    """Squared distances and coefficients, of which the first is NaN where a pair is too far apart."""
    n, m = out.shape
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        far = 0
        for j in range(min(m, (end + WIDTH - 1) // WIDTH * WIDTH)):
            mean, v = eigenvalues(square(whitened(x, i, y, j)))
            flat = not 1.0 + min(min(v[0], v[1]), min(v[2], v[3])) > FLAT
            far += 1 if flat else 0
            logs = (
                log(mean * (1.0 + v[0])),
                log(mean * (1.0 + v[1])),
                log(mean * (1.0 + v[2])),
                log(mean * (1.0 + v[3])),
            )
            out[i, j] = _squares(logs)
            b1, b2, b3 = coefficients(v, logs)
            first[i, j] = NAN if flat else b1
            second[i, j], third[i, j] = 0.0 if flat else b2, 0.0 if flat else b3
        if far:
            _far_distances(x, i, y, end, first[i], out[i])
    if symmetric:
        mirror(first, first)
        mirror(second, second)
        mirror(third, third)


@device
def _far_distances(x: Array, i: int, y: Array, end: int, marks: Array, out: Array) -> None:
    """Those at NaN among the marks of row ``i``."""
    g, v, s = np.empty((4, 4, LANES)), np.empty((4, 4, LANES)), np.empty(LANES)
    for j in range(0, end, LANES):
        if _columns(x, i, y, j, end, marks, g):
            svd_lanes(g, v)
            for lane in range(min(LANES, end - j)):
                if math.isnan(marks[j + lane]):
                    out[j + lane] = 0.0
            for k in range(4):
                squared_lengths(g, k, s)
                for lane in range(min(LANES, end - j)):
                    if math.isnan(marks[j + lane]):
                        out[j + lane] += log(s[lane]) ** 2


@inline
def _columns(x: Array, i: int, y: Array, j: int, end: int, marks: Array, g: Array) -> bool:
    """``g`` becomes ``L_x⁻¹ L_y`` for the lanes from ``j`` on, if any of them has a mark."""
    found = False
    for lane in range(min(LANES, end - j)):
        found |= math.isnan(marks[j + lane])
    if found:
        for p in range(4):
            for q in range(4):
                for lane in range(LANES):
                    total = 0.0
                    for k in range(q, p + 1):
                        total += x[10 + at(p, k), i] * y[at(k, q), min(j + lane, end - 1)]
                    g[p, q, lane] = total
    return found


@device
def _far_slopes(x: Array, i: int, y: Array, marks: Array, w: Array) -> tuple[float, ...]:
    """Lower entries of the sum of ``-2 w log`` at the identity, over those pairs of row ``i``."""
    g, v, s = np.empty((4, 4, LANES)), np.empty((4, 4, LANES)), np.empty(LANES)
    out, end = np.zeros((4, 4)), len(w)
    for j in range(0, end, LANES):
        if _columns(x, i, y, j, end, marks, g):
            svd_lanes(g, v)
            for k in range(4):
                squared_lengths(g, k, s)
                for lane in range(LANES):
                    counts = j + lane < end and math.isnan(marks[min(j + lane, end - 1)])
                    s[lane] = -2.0 * w[j + lane] * log(s[lane]) / s[lane] if counts else 0.0
                add_outer(out, g, k, s)
    return (
        out[0, 0],
        out[1, 0],
        out[1, 1],
        out[2, 0],
        out[2, 1],
        out[2, 2],
        out[3, 0],
        out[3, 1],
        out[3, 2],
        out[3, 3],
    )


@kernel
def _gradient(
    x: Array, y: Array, symmetric: bool, first: Array, second: Array, third: Array, w: Array
) -> Array:
    """Row ``i``: the sum of ``-2 w log``."""
    n, m = w.shape
    out = np.empty((n, 4, 4))
    for i in prange(n):
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = s8 = s9 = trace = 0.0
        far = 0
        split = i + 1 if symmetric else m
        for j in range(split):
            flat = first[i, j] != first[i, j]
            far += 1 if flat else 0
            trace -= 2.0 * w[i, j] * (y[20, j] - x[20, i])
            weight = 0.0 if flat else -2.0 * w[i, j]
            b1, b2, b3 = 0.0 if flat else first[i, j], second[i, j], third[i, j]
            a = polynomial(square(whitened(x, i, y, j)), weight * b1, weight * b2, weight * b3)
            s0 += a[0]
            s1 += a[1]
            s2 += a[2]
            s3 += a[3]
            s4 += a[4]
            s5 += a[5]
            s6 += a[6]
            s7 += a[7]
            s8 += a[8]
            s9 += a[9]
        for j in range(split, m):
            flat = first[i, j] != first[i, j]
            far += 1 if flat else 0
            trace -= 2.0 * w[i, j] * (y[20, j] - x[20, i])
            weight = 0.0 if flat else 2.0 * w[i, j]
            b1, b2, b3 = 0.0 if flat else first[i, j], second[i, j], third[i, j]
            a = polynomial(cosquare(whitened(y, j, x, i)), weight * b1, weight * b2, weight * b3)
            s0 += a[0]
            s1 += a[1]
            s2 += a[2]
            s3 += a[3]
            s4 += a[4]
            s5 += a[5]
            s6 += a[6]
            s7 += a[7]
            s8 += a[8]
            s9 += a[9]
        if far:
            a = _far_slopes(x, i, y, first[i], w[i])
            s0, s1, s2, s3, s4 = s0 + a[0], s1 + a[1], s2 + a[2], s3 + a[3], s4 + a[4]
            s5, s6, s7, s8, s9 = s5 + a[5], s6 + a[6], s7 + a[7], s8 + a[8], s9 + a[9]
        shift = 0.25 * (trace - (s0 + s2 + s5 + s9))
        write4(out, x, i, (s0 + shift, s1, s2 + shift, s3, s4, s5 + shift, s6, s7, s8, s9 + shift))
    return out


def pairs4(x: Array, y: Array) -> Pairs:
    """All pairs of 4 x 4 matrices."""
    rows = factors(x)
    others = rows if y is x else factors(y)
    sqdist, first, second, third = np.empty((4, len(x), len(y)))
    _forward(rows, others, y is x, sqdist, first, second, third)
    return Pairs(sqdist, lambda w: _gradient(rows, others, y is x, first, second, third, w))
