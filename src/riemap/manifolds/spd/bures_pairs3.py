r"""Loops over pairs for the Bures-Wasserstein distance, size 3.

The matrix ``R`` that brings the Cholesky factor ``Y`` closest to ``X`` is the orthogonal factor of
:math:`Y^\top X`, in closed form (:mod:`riemap.manifolds.shared.orthogonal_factor3`). Where that has too few
digits, because two eigenvalues of ``A`` and of ``B`` are tiny, singular vectors give ``R``, as they do for
other sizes.
"""

import math

import numpy as np

from riemap.aligned import by_coordinate
from riemap.linalg import LANES, cholesky, device
from riemap.loops import inline, inline_sum, pair_loop
from riemap.lower_triangle import row_and_end
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.shared.formulas import VECTOR_PAIRS
from riemap.manifolds.shared.orthogonal_factor3 import Nine, any_marked, coefficients, orthogonal_factor
from riemap.manifolds.spd.bures_pairs import Roots, align, push
from riemap.threads import Part, begin
from riemap.types import Array

LEAST_GAP = 1e-5
"""Smallest ratio of the sum of the lesser two singular values of ``Yᵀ X`` to the greatest for which the
closed form is used. There, ``R`` is orthogonal to eight digits before the Newton step, which doubles them."""

ZEROS: Nine = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inline
def _cross(x: Array, i: int, y: Array, j: int) -> Nine:
    """``Yᵀ X`` for lower triangles ``X`` and ``Y``."""
    return (
        y[0, 0, j] * x[0, 0, i] + y[1, 0, j] * x[1, 0, i] + y[2, 0, j] * x[2, 0, i],
        y[1, 0, j] * x[1, 1, i] + y[2, 0, j] * x[2, 1, i],
        y[2, 0, j] * x[2, 2, i],
        y[1, 1, j] * x[1, 0, i] + y[2, 1, j] * x[2, 0, i],
        y[1, 1, j] * x[1, 1, i] + y[2, 1, j] * x[2, 1, i],
        y[2, 1, j] * x[2, 2, i],
        y[2, 2, j] * x[2, 0, i],
        y[2, 2, j] * x[2, 1, i],
        y[2, 2, j] * x[2, 2, i],
    )


@inline
def _difference(x: Array, i: int, y: Array, j: int, r: Nine) -> Nine:
    """``Y R - X``."""
    return (
        y[0, 0, j] * r[0] - x[0, 0, i],
        y[0, 0, j] * r[1],
        y[0, 0, j] * r[2],
        y[1, 0, j] * r[0] + y[1, 1, j] * r[3] - x[1, 0, i],
        y[1, 0, j] * r[1] + y[1, 1, j] * r[4] - x[1, 1, i],
        y[1, 0, j] * r[2] + y[1, 1, j] * r[5],
        y[2, 0, j] * r[0] + y[2, 1, j] * r[3] + y[2, 2, j] * r[6] - x[2, 0, i],
        y[2, 0, j] * r[1] + y[2, 1, j] * r[4] + y[2, 2, j] * r[7] - x[2, 1, i],
        y[2, 0, j] * r[2] + y[2, 1, j] * r[5] + y[2, 2, j] * r[8] - x[2, 2, i],
    )


def _prepare(x: Array) -> Roots:
    """Cholesky factors, and their entries by coordinate."""
    lower, _ = cholesky(x)
    return Roots(lower, by_coordinate(lower.reshape(len(x), 9)).reshape(3, 3, -1))


def _forward(a: Roots, b: Roots, symmetric: bool, out: Array, *saved: Array) -> None:
    """Write squared distances and coefficients of ``R``; the first is NaN where singular vectors are used."""
    _forward_rows(len(out), a.lower, a.coords, b.coords, symmetric, out, *saved)


@pair_loop
def _forward_rows(
    part: Part,
    roots: Array,
    x: Array,
    y: Array,
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
            a, second[i, j], third[i, j] = coefficients(c, LEAST_GAP)
            first[i, j] = a
            flat = a != a
            marked += 1 if flat else 0
            d = _difference(x, i, y, j, orthogonal_factor(c, 0.0 if flat else a, second[i, j], third[i, j]))
            top, middle = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], d[3] * d[3] + d[4] * d[4] + d[5] * d[5]
            out[i, j] = top + middle + (d[6] * d[6] + d[7] * d[7] + d[8] * d[8])
        if marked:
            marked_distances(roots[i], y, first[i], end, out[i])


@device
def marked_distances(x: Array, y: Array, marks: Array, end: int, out: Array) -> None:
    """Write the squared distances of this row where the mark is NaN, from singular vectors."""
    shape = x.shape[0], x.shape[1], LANES
    c, v, d = np.empty(shape), np.empty(shape), np.empty(shape)
    for j in range(0, end, LANES):
        if not any_marked(marks, j, end):
            continue
        align(x, y, j, c, v, d)
        for lane in range(min(LANES, end - j)):
            if math.isnan(marks[j + lane]):
                out[j + lane] = np.sum(d[:, :, lane] ** 2)


def _gradient(a: Roots, b: Roots, first: Array, second: Array, third: Array, w: Array) -> Array:
    out = np.zeros(a.lower.shape)
    _gradient_rows(len(w), a.lower, a.coords, b.coords, first, second, third, w, out)
    return -2.0 * push(a.lower, out)


@inline_sum
def _add(total: Nine, weight: float, a: Nine) -> Nine:
    """``total + weight * a``."""
    return (
        total[0] + weight * a[0],
        total[1] + weight * a[1],
        total[2] + weight * a[2],
        total[3] + weight * a[3],
        total[4] + weight * a[4],
        total[5] + weight * a[5],
        total[6] + weight * a[6],
        total[7] + weight * a[7],
        total[8] + weight * a[8],
    )


@pair_loop
def _gradient_rows(
    part: Part,
    roots: Array,
    x: Array,
    y: Array,
    first: Array,
    second: Array,
    third: Array,
    w: Array,
    out: Array,
) -> None:
    """Row ``i``: the sum of ``w (Y R - X)``."""
    n, m = w.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        total, marked = ZEROS, 0
        for j in range(m):
            flat = first[i, j] != first[i, j]
            marked += 1 if flat else 0
            a = 0.0 if flat else first[i, j]
            r = orthogonal_factor(_cross(x, i, y, j), a, second[i, j], third[i, j])
            total = _add(total, 0.0 if flat else w[i, j], _difference(x, i, y, j, r))
        if marked:
            add_marked(roots[i], y, first[i], w[i], out[i])
        for k in range(9):
            out[i, k // 3, k % 3] += total[k]


@device
def add_marked(x: Array, y: Array, marks: Array, w: Array, out: Array) -> None:
    """Add the terms of this row where the mark is NaN, from singular vectors."""
    shape = x.shape[0], x.shape[1], LANES
    c, v, d = np.empty(shape), np.empty(shape), np.empty(shape)
    end = len(w)
    for j in range(0, end, LANES):
        if not any_marked(marks, j, end):
            continue
        align(x, y, j, c, v, d)
        for lane in range(min(LANES, end - j)):
            if math.isnan(marks[j + lane]):
                out += w[j + lane] * d[:, :, lane]


KERNEL = PairKernel(_prepare, _forward, _gradient, saved=3)
