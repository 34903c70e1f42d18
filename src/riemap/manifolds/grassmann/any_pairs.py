"""Loops over pairs of subspaces of any dimension: singular vectors by Jacobi rotations.

:data:`~riemap.linalg.LANES` pairs are computed side by side.
"""

import math

import numpy as np

from riemap.linalg import LANES, device, svd_lanes
from riemap.loops import inline, inline_sum, pair_loop
from riemap.lower_triangle import row_and_end
from riemap.manifolds.base import CUT
from riemap.manifolds.shared.orthogonal_factor3 import any_marked
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import TINY, atan2


@inline
def cross(a: Array, y: Array, j: int, c: Array, v: Array) -> None:
    """Write ``aᵀ b v`` to ``c`` for the ``b`` from ``j`` on, where ``v`` makes its columns orthogonal."""
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
def principal(a: Array, y: Array, j: int, c: Array, v: Array, e: Array, k: int) -> None:
    """Write the part of principal vector ``k`` normal to ``a`` to ``e``, then its sine and cosine."""
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


@inline_sum
def add_log(e: Array, c: Array, k: int, lane: int, weight: float, out: Array) -> None:
    """Add ``-2 weight log`` along principal vector ``k`` of :func:`principal`; zero at right angles."""
    rows = out.shape[0]
    sin, cos = e[rows, lane], e[rows + 1, lane]
    factor = -2.0 * weight * atan2(sin, cos) / (max(sin, CUT) * (cos + TINY))
    for p in range(rows):
        for q in range(out.shape[1]):
            out[p, q] += factor * e[p, lane] * c[q, k, lane]


def forward(x: Array, y: Array, symmetric: bool, out: Array) -> None:
    """Write the sums of squared angles, of bases ``x``, ``(n, rows, k)``, and ``y``, ``(rows, k, m)``."""
    _forward_rows(len(x), x, y, symmetric, out)


@pair_loop
def _forward_rows(part: Part, x: Array, y: Array, symmetric: bool, out: Array) -> None:
    n, m, rows, size = x.shape[0], y.shape[2], x.shape[1], x.shape[2]
    c, v, e = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty((rows + 2, LANES))
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(0, end, LANES):
            cross(x[i], y, j, c, v)
            for lane in range(min(LANES, end - j)):
                out[i, j + lane] = 0.0
            for k in range(size):
                principal(x[i], y, j, c, v, e, k)
                for lane in range(min(LANES, end - j)):
                    theta = atan2(e[rows, lane], e[rows + 1, lane])
                    out[i, j + lane] += theta * theta


def gradient(x: Array, y: Array, w: Array) -> Array:
    """Row ``i``: the sum of ``-2 w log``; a right angle has no direction and contributes zero."""
    out = np.zeros(x.shape)
    _gradient_rows(len(x), x, y, w, out)
    return out


@pair_loop
def _gradient_rows(part: Part, x: Array, y: Array, w: Array, out: Array) -> None:
    m, rows, size = y.shape[2], x.shape[1], x.shape[2]
    c, v, e = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty((rows + 2, LANES))
    start, stop = begin(part)
    for i in range(start, stop):
        for j in range(0, m, LANES):
            cross(x[i], y, j, c, v)
            for k in range(size):
                principal(x[i], y, j, c, v, e, k)
                for lane in range(min(LANES, m - j)):
                    add_log(e, c, k, lane, w[i, j + lane], out[i])


# --- for kernels whose closed form has too few digits for some pairs -------------------------------------


@device
def marked_distances(x: Array, y: Array, marks: Array, end: int, out: Array) -> None:
    """Write the squared distances of this row where the mark is NaN, from singular vectors."""
    rows, size = x.shape
    c, v, e = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty((rows + 2, LANES))
    for j in range(0, end, LANES):
        if not any_marked(marks, j, end):
            continue
        cross(x, y, j, c, v)
        for lane in range(min(LANES, end - j)):
            out[j + lane] = 0.0 if math.isnan(marks[j + lane]) else out[j + lane]
        for k in range(size):
            principal(x, y, j, c, v, e, k)
            for lane in range(min(LANES, end - j)):
                theta = atan2(e[rows, lane], e[rows + 1, lane])
                out[j + lane] += theta * theta if math.isnan(marks[j + lane]) else 0.0


@device
def add_marked(x: Array, y: Array, marks: Array, w: Array, out: Array) -> None:
    """Add the terms of this row where the mark is NaN, from singular vectors."""
    rows, size = x.shape
    end = len(w)
    c, v, e = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty((rows + 2, LANES))
    for j in range(0, end, LANES):
        if not any_marked(marks, j, end):
            continue
        cross(x, y, j, c, v)
        for k in range(size):
            principal(x, y, j, c, v, e, k)
            for lane in range(min(LANES, end - j)):
                weight = w[j + lane] if math.isnan(marks[j + lane]) else 0.0
                add_log(e, c, k, lane, weight, out)
