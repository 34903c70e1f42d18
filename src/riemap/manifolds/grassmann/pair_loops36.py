r"""Loops over pairs of three-dimensional subspaces of six dimensions.

The matrix ``R`` that turns the basis ``B`` towards ``A`` is the orthogonal factor of :math:`C = B^\top A`
(:mod:`riemap.manifolds.shared.orthogonal_factor3`), and :math:`D = BR - A` has the singular values
:math:`2\sin\frac\theta2`. So the eigenvalues of :math:`\frac14D^\top D`, the roots of a cubic, are
:math:`q = \sin^2\frac\theta2`.

The gradient is the tangent part of :math:`-2BW`, where ``W`` has the singular vectors of ``C``, and the
singular values :math:`f(q) = \theta/\sin\theta`. With the polynomial of degree two that interpolates ``f`` at
the three ``q``, it is a combination of ``C``, :math:`CC^\top C` and the cofactors of ``C``, as ``R`` is. The
forward pass saves its coefficients, which are the same for both ends of a pair.

Where two angles are nearly right ones, many ``R`` are equally near. For such pairs, singular vectors are
computed as for other sizes (:mod:`riemap.manifolds.grassmann.any_pairs`).

Coordinates have a row for each entry of a basis, in row order, and a column for each point.
"""

import math

import numpy as np

from riemap.loops import inline, inline_sum, pair_loop
from riemap.lower_triangle import row_and_end
from riemap.manifolds.grassmann.any_pairs import add_marked, marked_distances
from riemap.manifolds.shared.formulas import VECTOR_PAIRS
from riemap.manifolds.shared.orthogonal_factor3 import (
    Nine,
    coefficients,
    combination,
    orthogonal_factor,
)
from riemap.manifolds.shared.over_sine import over_sine_differences
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import NAN, TINY, cos_third

LEAST_GAP = 0.01
"""Smallest ratio of the sum of the lesser two singular values of ``C`` to the greatest for which the closed
form is used. There, its gradients have errors of 1e-13."""

Three = tuple[float, float, float]
Six = tuple[float, float, float, float, float, float]


# --- one row of the bases at a time: k is the first of its three coordinates ------------------------------


@inline
def _add_products(c: Nine, x: Array, i: int, y: Array, j: int, k: int) -> Nine:
    """``c`` plus the product of one column of ``Bᵀ`` and one row of ``A``."""
    p, q, r, a, b, d = y[k, j], y[k + 1, j], y[k + 2, j], x[k, i], x[k + 1, i], x[k + 2, i]
    return (
        c[0] + p * a,
        c[1] + p * b,
        c[2] + p * d,
        c[3] + q * a,
        c[4] + q * b,
        c[5] + q * d,
        c[6] + r * a,
        c[7] + r * b,
        c[8] + r * d,
    )


@inline
def _cross(x: Array, i: int, y: Array, j: int) -> Nine:
    """``C = Bᵀ A``."""
    c = _add_products((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), x, i, y, j, 0)
    c = _add_products(_add_products(c, x, i, y, j, 3), x, i, y, j, 6)
    return _add_products(_add_products(_add_products(c, x, i, y, j, 9), x, i, y, j, 12), x, i, y, j, 15)


@inline
def _turned(y: Array, j: int, k: int, r: Nine) -> Three:
    """One row of ``B R``."""
    a, b, c = y[k, j], y[k + 1, j], y[k + 2, j]
    return (
        a * r[0] + b * r[3] + c * r[6],
        a * r[1] + b * r[4] + c * r[7],
        a * r[2] + b * r[5] + c * r[8],
    )


@inline
def _add_squares(g: Six, x: Array, i: int, y: Array, j: int, k: int, r: Nine) -> Six:
    """``g`` plus the lower entries of the square of one row of ``D``."""
    p, q, s = _turned(y, j, k, r)
    d, e, f = p - x[k, i], q - x[k + 1, i], s - x[k + 2, i]
    return g[0] + d * d, g[1] + d * e, g[2] + e * e, g[3] + d * f, g[4] + e * f, g[5] + f * f


@inline
def _squares(x: Array, i: int, y: Array, j: int, r: Nine) -> Six:
    """Lower entries of ``DᵀD``."""
    g = _add_squares((0.0, 0.0, 0.0, 0.0, 0.0, 0.0), x, i, y, j, 0, r)
    g = _add_squares(_add_squares(g, x, i, y, j, 3, r), x, i, y, j, 6, r)
    g = _add_squares(_add_squares(g, x, i, y, j, 9, r), x, i, y, j, 12, r)
    return _add_squares(g, x, i, y, j, 15, r)


@inline_sum
def _add_turned(total: Three, y: Array, j: int, k: int, w: Nine) -> Three:
    """``total`` plus one row of ``B W``."""
    row = _turned(y, j, k, w)
    return total[0] + row[0], total[1] + row[1], total[2] + row[2]


# --- angles and their coefficients ------------------------------------------------------------------------


@inline
def _sines(g: Six) -> Three:
    """A quarter of the eigenvalues of ``DᵀD``, least first: the ``sin²(θ/2)``."""
    g0, g1, g2, g3, g4, g5 = g
    mean = (g0 + g2 + g5) * (1.0 / 3.0)
    a, b, c = g0 - mean, g2 - mean, g5 - mean
    square = (a * a + b * b + c * c) * (1.0 / 6.0) + (g1 * g1 + g3 * g3 + g4 * g4) * (1.0 / 3.0)
    root = math.sqrt(square)
    det = a * (b * c - g4 * g4) - g1 * (g1 * c - g4 * g3) + g3 * (g1 * g4 - b * g3)
    r = min(max(0.5 * det / (root * square + TINY), -1.0), 1.0)
    high, low = mean + 2.0 * root * cos_third(r), mean - 2.0 * root * cos_third(-r)
    p, q = min(max(0.25 * low, 0.0), 0.5), min(max(0.25 * high, 0.0), 0.5)
    # errors of two roots that nearly coincide cancel in their sum, so the third follows from the first two
    return p, min(max(0.75 * mean - (p + q), p), q), q


@inline
def _square_and_coefficients(sines: Three, a: float, b: float, k: float) -> tuple[float, float, float, float]:
    """The squared distance, and multiples of ``C``, ``C Cᵀ C`` and the cofactors whose sum is ``W``.

    ``a``, ``b`` and ``k`` are the multiples whose sum is ``R``. Let ``C = R H``, so that the cosines are the
    eigenvalues of ``H``. Then ``W = R (same + first H + second H²)``, and ``R H² = e1 C - e2 R ± cof C`` with
    the elementary symmetric polynomials of the cosines.
    """
    p, q, r = sines
    f, slope, bend = over_sine_differences((p, q, r))
    g, h = f + slope * (q - p), f + (slope + bend * (r - q)) * (r - p)
    sqdist = 4.0 * (p * (1.0 - p) * f * f + q * (1.0 - q) * g * g + r * (1.0 - r) * h * h)
    s, t, u = 1.0 - 2.0 * p, 1.0 - 2.0 * q, 1.0 - 2.0 * r
    second = 0.25 * bend
    first, same = -0.5 * slope - second * (s + t), f + 0.5 * slope * s + second * s * t
    same -= second * (s * t + s * u + t * u)
    return (
        sqdist,
        same * a + first + second * (s + t + u),
        same * b,
        same * k + (-second if k < 0.0 else second),
    )


# --- the loops --------------------------------------------------------------------------------------------


def forward(bases: Array, x: Array, y: Array, symmetric: bool, out: Array, *saved: Array) -> None:
    """Write squared distances and coefficients of ``W``; the first is NaN where singular vectors are used."""
    _forward_rows(len(out), bases, x, y, y.reshape(6, 3, -1), symmetric, out, *saved)


@pair_loop
def _forward_rows(
    part: Part,
    bases: Array,
    x: Array,
    y: Array,
    columns: Array,
    symmetric: bool,
    out: Array,
    first: Array,
    second: Array,
    third: Array,
) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        marked = 0
        for j in range(min(m, (end + VECTOR_PAIRS - 1) // VECTOR_PAIRS * VECTOR_PAIRS)):
            c = _cross(x, i, y, j)
            a, b, k = coefficients(c, LEAST_GAP)
            flat = a != a
            marked += 1 if flat else 0
            sines = _sines(_squares(x, i, y, j, orthogonal_factor(c, 0.0 if flat else a, b, k)))
            out[i, j], a, second[i, j], third[i, j] = _square_and_coefficients(sines, a, b, k)
            first[i, j] = NAN if flat else a
        if marked:
            marked_distances(bases[i], columns, first[i], end, out[i])


def gradient(bases: Array, x: Array, y: Array, first: Array, second: Array, third: Array, w: Array) -> Array:
    """Row ``i``: the sum of ``-2 w B W``, unprojected."""
    out = np.zeros(bases.shape)
    _gradient_rows(len(w), bases, x, y, y.reshape(6, 3, -1), first, second, third, w, out)
    return out


@pair_loop
def _gradient_rows(
    part: Part,
    bases: Array,
    x: Array,
    y: Array,
    columns: Array,
    first: Array,
    second: Array,
    third: Array,
    w: Array,
    out: Array,
) -> None:
    n, m = w.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        marked = 0
        a0 = a1 = a2 = a3 = a4 = a5 = (0.0, 0.0, 0.0)
        for j in range(m):
            flat = first[i, j] != first[i, j]
            marked += 1 if flat else 0
            f = 0.0 if flat else -2.0 * w[i, j]
            a = 0.0 if flat else first[i, j]
            r = combination(_cross(x, i, y, j), f * a, f * second[i, j], f * third[i, j])
            a0, a1, a2 = _add_turned(a0, y, j, 0, r), _add_turned(a1, y, j, 3, r), _add_turned(a2, y, j, 6, r)
            a3, a4, a5 = (
                _add_turned(a3, y, j, 9, r),
                _add_turned(a4, y, j, 12, r),
                _add_turned(a5, y, j, 15, r),
            )
        for k in range(3):
            out[i, 0, k], out[i, 1, k], out[i, 2, k] = a0[k], a1[k], a2[k]
            out[i, 3, k], out[i, 4, k], out[i, 5, k] = a3[k], a4[k], a5[k]
        if marked:
            add_marked(bases[i], columns, first[i], w[i], out[i])
