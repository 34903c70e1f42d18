r"""Loops over pairs for the affine-invariant distance, size 4.

With :math:`G = L_A^{-1}L_B`, the eigenvalues of :math:`M = GG^\top` give the distance
(:mod:`riemap.manifolds.shared.eigenvalues4`), and :math:`-2\log M` is the gradient at the identity
(:mod:`riemap.manifolds.spd.logarithm4`). One polynomial serves both ends of a pair, because :math:`G^\top G`,
the inverse of the matrix ``M`` of the pair :math:`(B, A)`, has the eigenvalues of ``M`` too.

Where a pair is so far apart that ``M`` has lost its small eigenvalues to rounding, singular values and
vectors of ``G`` itself are used (:mod:`riemap.manifolds.spd.singular4`). Such pairs are gathered into groups
first.
"""

import math

import numpy as np
from numpy.typing import NDArray

from riemap.coordinate_tuples import plus
from riemap.linalg import LANES, device
from riemap.loops import inline, pair_loop
from riemap.lower_triangle import row_and_end
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.shared.eigenvalues4 import eigenvalues
from riemap.manifolds.shared.formulas import VECTOR_PAIRS
from riemap.manifolds.spd.logarithm4 import coefficients, polynomial
from riemap.manifolds.spd.lower_entries import (
    at,
    cosquare,
    factors,
    no_entries,
    square,
    whitened,
    write_congruence,
)
from riemap.manifolds.spd.singular4 import VALUE_COSINE, VECTOR_COSINE, column, dot, orthogonalise
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import NAN, log

ZEROS = no_entries(4)

IDENTITY: tuple[float, ...] = (1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
"""The lower entries of the identity."""

LEAST_SHARE = 0.01
"""Smallest ratio of the least eigenvalue of ``M`` to their mean for which ``M`` is used. The rounding errors
of its eigenvalues are relative to the mean, so a smaller one would lose more than two digits."""


def _forward(
    x: Array, y: Array, symmetric: bool, out: Array, first: Array, second: Array, third: Array
) -> None:
    """Write squared distances and coefficients; the first coefficient of a pair too far apart is NaN."""
    _forward_rows(len(out), x, y, symmetric, out, first, second, third)


@pair_loop
def _forward_rows(
    part: Part, x: Array, y: Array, symmetric: bool, out: Array, first: Array, second: Array, third: Array
) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        far = 0
        for j in range(min(m, (end + VECTOR_PAIRS - 1) // VECTOR_PAIRS * VECTOR_PAIRS)):
            mean, v = eigenvalues(square(whitened(x, i, y, j, ZEROS)))
            flat = not 1.0 + min(min(v[0], v[1]), min(v[2], v[3])) > LEAST_SHARE
            far += 1 if flat else 0
            logs = (
                log(mean * (1.0 + v[0])),
                log(mean * (1.0 + v[1])),
                log(mean * (1.0 + v[2])),
                log(mean * (1.0 + v[3])),
            )
            out[i, j] = dot(logs, logs)
            b1, b2, b3 = coefficients(v, logs)
            first[i, j] = NAN if flat else b1
            second[i, j], third[i, j] = 0.0 if flat else b2, 0.0 if flat else b3
        if far:
            _far_distances(x, i, y, marked(first[i], end), out[i])


@inline
def marked(marks: Array, end: int) -> NDArray[np.int64]:
    """Indices of the NaN among the first ``end`` marks."""
    found, count = np.empty(end, dtype=np.int64), 0
    for j in range(end):
        if math.isnan(marks[j]):
            found[count] = j
            count += 1
    return found[:count]


@inline
def _gather(x: Array, i: int, y: Array, columns: NDArray[np.int64], g: Array) -> None:
    """Write ``L_x⁻¹ L_y`` to ``g`` for these columns; the last one fills the remaining lanes."""
    for lane in range(LANES):
        a = whitened(x, i, y, columns[min(lane, len(columns) - 1)], ZEROS)
        g[0, lane], g[1, lane], g[2, lane], g[3, lane] = a[0], a[1], a[3], a[6]
        g[4, lane], g[5, lane], g[6, lane], g[7, lane] = 0.0, a[2], a[4], a[7]
        g[8, lane], g[9, lane], g[10, lane], g[11, lane] = 0.0, 0.0, a[5], a[8]
        g[12, lane], g[13, lane], g[14, lane], g[15, lane] = 0.0, 0.0, 0.0, a[9]


@device
def _far_distances(x: Array, i: int, y: Array, far: NDArray[np.int64], out: Array) -> None:
    """Write the squared distances of row ``i`` in the columns ``far``, from singular values."""
    g, squares = np.empty((16, LANES)), np.empty(LANES)
    for start in range(0, len(far), LANES):
        columns = far[start : start + LANES]
        _gather(x, i, y, columns, g)
        orthogonalise(g, VALUE_COSINE)
        for lane in range(LANES):
            a, b, c, d = column(g, 0, lane), column(g, 1, lane), column(g, 2, lane), column(g, 3, lane)
            logs = log(dot(a, a)), log(dot(b, b)), log(dot(c, c)), log(dot(d, d))
            squares[lane] = dot(logs, logs)
        for lane in range(len(columns)):
            out[columns[lane]] = squares[lane]


@device
def _far_slopes(x: Array, i: int, y: Array, far: NDArray[np.int64], w: Array) -> Array:
    """Lower entries of the sum of ``-2 w log`` at the identity, over the columns ``far`` of row ``i``."""
    g, weights, sums = np.empty((16, LANES)), np.empty(LANES), np.zeros((10, LANES))
    for start in range(0, len(far), LANES):
        columns = far[start : start + LANES]
        _gather(x, i, y, columns, g)
        orthogonalise(g, VECTOR_COSINE)
        for lane in range(LANES):
            weights[lane] = -2.0 * w[columns[lane]] if lane < len(columns) else 0.0
        for k in range(4):
            for lane in range(LANES):
                a = column(g, k, lane)
                square = dot(a, a)
                factor = weights[lane] * log(square) / square
                for p in range(4):
                    for q in range(p + 1):
                        sums[at(p, q), lane] += factor * a[p] * a[q]
    return sums


@inline
def _column(sums: Array, lane: int) -> tuple[float, ...]:
    """The ten entries in one lane."""
    a, b, c, d, e = sums[0, lane], sums[1, lane], sums[2, lane], sums[3, lane], sums[4, lane]
    return a, b, c, d, e, sums[5, lane], sums[6, lane], sums[7, lane], sums[8, lane], sums[9, lane]


def _gradient(
    x: Array, y: Array, symmetric: bool, first: Array, second: Array, third: Array, w: Array
) -> Array:
    """Row ``i``: the sum of ``-2 w log``."""
    out = np.empty((len(w), 4, 4))
    _gradient_rows(len(w), x, y, symmetric, first, second, third, w, out)
    return out


@pair_loop
def _gradient_rows(
    part: Part,
    x: Array,
    y: Array,
    symmetric: bool,
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
        total, trace, far = ZEROS, 0.0, 0
        split = i + 1 if symmetric else m
        for j in range(split):
            flat = first[i, j] != first[i, j]
            far += 1 if flat else 0
            trace -= 2.0 * w[i, j] * (y[20, j] - x[20, i])
            weight = 0.0 if flat else -2.0 * w[i, j]
            b1, b2, b3 = 0.0 if flat else first[i, j], second[i, j], third[i, j]
            a = polynomial(square(whitened(x, i, y, j, ZEROS)), weight * b1, weight * b2, weight * b3)
            total = plus(total, 1.0, a)
        for j in range(split, m):
            flat = first[i, j] != first[i, j]
            far += 1 if flat else 0
            trace -= 2.0 * w[i, j] * (y[20, j] - x[20, i])
            weight = 0.0 if flat else 2.0 * w[i, j]
            b1, b2, b3 = 0.0 if flat else first[i, j], second[i, j], third[i, j]
            a = polynomial(cosquare(whitened(y, j, x, i, ZEROS)), weight * b1, weight * b2, weight * b3)
            total = plus(total, 1.0, a)
        if far:
            sums = _far_slopes(x, i, y, marked(first[i], m), w[i])
            for lane in range(LANES):
                total = plus(total, 1.0, _column(sums, lane))
        shift = 0.25 * (trace - (total[0] + total[2] + total[5] + total[9]))
        write_congruence(out, x, i, plus(total, shift, IDENTITY))


def _gradient_between(x: Array, y: Array, *rest: Array) -> Array:
    return _gradient(x, y, False, *rest)


def _gradient_within(x: Array, y: Array, *rest: Array) -> Array:
    return _gradient(x, y, True, *rest)


KERNEL = PairKernel(factors, _forward, _gradient_between, saved=3, symmetric_gradient=_gradient_within)
