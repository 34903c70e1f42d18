r"""Loops over pairs of four-dimensional subspaces.

Let :math:`C = B^\top A`, whose singular values are the cosines of the principal angles, and :math:`E = B -
AC^\top`, whose singular values are the sines. The eigenvalues of :math:`E^\top E`
(:mod:`riemap.manifolds.shared.eigenvalues4`) are :math:`\sin^2\theta`, with the digits of small angles.
:math:`\cos\theta = \sqrt{1-\sin^2\theta}` would lose those of nearly right ones, so the least cosine is
:math:`|\det C|` over the product of the other three. Then

.. math:: q = \sin^2\frac\theta2 = \frac{\sin^2\theta}{2(1 + \cos\theta)},\qquad d^2 = \sum_i\theta_i^2.

The gradient is the tangent part of :math:`-2BW`, where ``W`` has the singular vectors of ``C``, and the
singular values :math:`f(q) = \theta/\sin\theta`. It is a combination of ``C``, :math:`CC^\top C`,
:math:`CC^\top CC^\top C` and the cofactors of ``C`` (:mod:`riemap.manifolds.grassmann.singular_functions4`).
The forward pass saves its coefficients, which are the same for both ends of a pair.

Where two angles or more are nearly right ones, singular vectors are computed as for other sizes
(:mod:`riemap.manifolds.grassmann.any_pairs`).

Coordinates have a row for each entry of a basis, in row order, and a column for each point. A tuple of zeros,
``none``, tells the compiler how many entries there are.
"""

import math
from typing import Any

import numpy as np

from riemap.coordinate_tuples import coordinates, plus
from riemap.loops import inline, pair_loop
from riemap.lower_triangle import row_and_end, row_and_line_end
from riemap.manifolds.grassmann.any_pairs import add_marked, marked_distances
from riemap.manifolds.grassmann.singular_functions4 import Four, coefficients, combination, determinant
from riemap.manifolds.shared.eigenvalues4 import eigenvalues
from riemap.manifolds.shared.over_sine import over_sine_differences
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.unrolled import lower_pairs, sum_of, unrolled
from riemap.vmath import NAN, TINY

LEAST_COSINE = 0.03
"""Least cosine but one for which the closed form is used. An angle has errors of 1e-16 over its cosine. Seven
of a million pairs of random subspaces of eight dimensions have less."""


# --- bases ------------------------------------------------------------------------------------------------


def _cross(a: Any, b: Any) -> Any:
    """``C = Bᵀ A``."""
    rows = range(0, len(a), 4)
    return [sum_of(b[r + p] * a[r + q] for r in rows) for p in range(4) for q in range(4)]


def _squares(a: Any, b: Any, c: Any) -> Any:
    """Lower entries of ``EᵀE``."""
    rows = range(0, len(a), 4)
    e = {(r, q): b[r + q] - sum_of(a[r + k] * c[4 * q + k] for k in range(4)) for r in rows for q in range(4)}
    return [sum_of(e[r, p] * e[r, q] for r in rows) for p, q in lower_pairs(4)]


def _turned(b: Any, w: Any) -> Any:
    """``B W``."""
    return [sum_of(b[r + k] * w[4 * k + q] for k in range(4)) for r in range(0, len(b), 4) for q in range(4)]


cross, squares, turned = unrolled(_cross), unrolled(_squares), unrolled(_turned)


# --- angles -----------------------------------------------------------------------------------------------


@inline
def _ordered(a: float, b: float) -> tuple[float, float]:
    """Both numbers between zero and one, the greater first."""
    return min(max(a, b), 1.0), max(min(a, b), 0.0)


@inline
def _sines_and_cosines(g: Any, det: float) -> tuple[Four, Four]:
    """``sin²(θ/2)`` and ``cos θ``, the least cosine first, from ``EᵀE`` and ``|det C|``."""
    rest = eigenvalues((g[0] + 4.0 * TINY, *g[1:]))[1]
    mean = 0.25 * (g[0] + g[2] + g[5] + g[9])
    a, b = _ordered(mean * (1.0 + rest[0]), mean * (1.0 + rest[1]))
    c, d = _ordered(mean * (1.0 + rest[2]), mean * (1.0 + rest[3]))
    a, c = max(a, c), min(a, c)
    q, r, t = math.sqrt(1.0 - b), math.sqrt(1.0 - c), math.sqrt(1.0 - d)
    p = det / (q * r * t + TINY)
    return (0.5 * a / (1.0 + p), 0.5 * b / (1.0 + q), 0.5 * c / (1.0 + r), 0.5 * d / (1.0 + t)), (p, q, r, t)


@inline
def _square_and_coefficients(sines: Four, cosines: Four, sign: float) -> tuple[float, Four]:
    """The squared distance, and the coefficients of ``W``; the sign is that of ``det C``."""
    p, q, r, t = sines
    f, slope, bend, twist = over_sine_differences(sines)
    g = f + slope * (q - p)
    h = f + (slope + bend * (r - q)) * (r - p)
    k = f + (slope + (bend + twist * (t - r)) * (t - q)) * (t - p)
    square = p * (1.0 - p) * f * f + q * (1.0 - q) * g * g + r * (1.0 - r) * h * h + t * (1.0 - t) * k * k
    # q = (1 - cos θ)/2
    return 4.0 * square, coefficients(cosines, (f, -0.5 * slope, 0.25 * bend, -0.125 * twist), sign)


# --- the loops --------------------------------------------------------------------------------------------


def _no_entries(x: Array) -> tuple[float, ...]:
    return (0.0,) * len(x)


def _columns(y: Array) -> Array:
    """Coordinates, with one axis for the rows of a basis and one for its vectors."""
    return y.reshape(len(y) // 4, 4, -1)


def forward(bases: Array, x: Array, y: Array, symmetric: bool, out: Array, *saved: Array) -> None:
    """Write squared distances and coefficients of ``W``; the first is NaN where singular vectors are used."""
    _forward_rows(len(out), bases, x, y, _columns(y), _no_entries(x), symmetric, out, *saved)


@pair_loop
def _forward_rows(
    part: Part,
    bases: Array,
    x: Array,
    y: Array,
    columns: Array,
    none: Any,
    symmetric: bool,
    out: Array,
    first: Array,
    second: Array,
    third: Array,
    fourth: Array,
) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for row in range(start, stop):
        i, end = row_and_line_end(row, n, m, symmetric)
        a, marked = coordinates(x, 0, i, none), 0
        for j in range(end):
            b = coordinates(y, 0, j, none)
            c = cross(a, b)
            det = determinant(c)
            sines, cosines = _sines_and_cosines(squares(a, b, c), abs(det))
            flat = not min(min(cosines[1], cosines[2]), cosines[3]) > LEAST_COSINE
            marked += 1 if flat else 0
            out[i, j], k = _square_and_coefficients(sines, cosines, -1.0 if det < 0.0 else 1.0)
            first[i, j], second[i, j] = NAN if flat else k[0], 0.0 if flat else k[1]
            third[i, j], fourth[i, j] = 0.0 if flat else k[2], 0.0 if flat else k[3]
        if marked:
            marked_distances(bases[i], columns, first[i], end, out[i])


def gradient(bases: Array, x: Array, y: Array, *saved_and_weights: Array) -> Array:
    """Row ``i``: the sum of ``-2 w B W``, unprojected."""
    out = np.zeros(bases.shape)
    _gradient_rows(len(out), bases, x, y, _columns(y), _no_entries(x), *saved_and_weights, out)
    return out


@pair_loop
def _gradient_rows(
    part: Part,
    bases: Array,
    x: Array,
    y: Array,
    columns: Array,
    none: Any,
    first: Array,
    second: Array,
    third: Array,
    fourth: Array,
    w: Array,
    out: Array,
) -> None:
    n, m = w.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        a, total, marked = coordinates(x, 0, i, none), none, 0
        for j in range(m):
            b = coordinates(y, 0, j, none)
            flat = first[i, j] != first[i, j]
            marked += 1 if flat else 0
            f = 0.0 if flat else -2.0 * w[i, j]
            k = 0.0 if flat else f * first[i, j], f * second[i, j], f * third[i, j], f * fourth[i, j]
            total = plus(total, 1.0, turned(b, combination(cross(a, b), k)))
        if marked:
            add_marked(bases[i], columns, first[i], w[i], out[i])
        for p in range(len(none)):
            out[i, p // 4, p % 4] += total[p]
