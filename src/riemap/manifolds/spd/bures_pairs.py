r"""Loops over pairs for the Bures-Wasserstein distance :math:`\min_R\|X - YR\|_F`.

``X`` and ``Y`` are Cholesky factors, and ``R`` is the orthogonal matrix that brings ``Y`` closest to ``X``.
"""

import math
from typing import NamedTuple

import numpy as np

from riemap.linalg import LANES, cholesky, svd_lanes, transpose
from riemap.loops import inline, pair_loop
from riemap.lower_triangle import row_and_end, row_and_line_end
from riemap.manifolds.blocks import PairKernel
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import TINY

# --- 2 x 2: the best rotation in closed form --------------------------------------------------------


@inline
def _difference(x: Array, i: int, y: Array, j: int) -> tuple[float, float, float, float]:
    """``Y R - X`` by rows, for lower triangles ``X`` and ``Y`` in rows 0 to 2."""
    c = y[0, j] * x[0, i] + y[1, j] * x[1, i] + y[2, j] * x[2, i]
    s = y[2, j] * x[1, i] - y[1, j] * x[2, i]
    norm = 1.0 / math.sqrt(c * c + s * s)
    c, s = c * norm, s * norm
    return (
        y[0, j] * c - x[0, i],
        -y[0, j] * s,
        y[1, j] * c + y[2, j] * s - x[1, i],
        y[2, j] * c - y[1, j] * s - x[2, i],
    )


def _forward2(x: Array, y: Array, symmetric: bool, out: Array) -> None:
    n = x.shape[1]
    _forward2_rows(n, x, y, symmetric, out)


@pair_loop
def _forward2_rows(part: Part, x: Array, y: Array, symmetric: bool, out: Array) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_line_end(t, n, m, symmetric)
        for j in range(end):
            a, b, c, d = _difference(x, i, y, j)
            out[i, j] = a * a + b * b + c * c + d * d


def _gradient2(x: Array, y: Array, w: Array) -> Array:
    """Row ``i``: the sum of ``w (Y R - X)``."""
    n = x.shape[1]
    out = np.empty((n, 2, 2))
    _gradient2_rows(n, x, y, w, out)
    return out


@pair_loop
def _gradient2_rows(part: Part, x: Array, y: Array, w: Array, out: Array) -> None:
    m = y.shape[1]
    start, stop = begin(part)
    for i in range(start, stop):
        s0 = s1 = s2 = s3 = 0.0
        for j in range(m):
            a, b, c, d = _difference(x, i, y, j)
            s0 += w[i, j] * a
            s1 += w[i, j] * b
            s2 += w[i, j] * c
            s3 += w[i, j] * d
        out[i, 0, 0], out[i, 0, 1], out[i, 1, 0], out[i, 1, 1] = s0, s1, s2, s3


# --- any size: the best rotation from singular vectors ----------------------------------------------


@inline
def align(x: Array, y: Array, j: int, c: Array, v: Array, d: Array) -> None:
    """Write ``Y R - X`` to ``d`` for the ``Y`` from ``j`` on; ``c`` and ``v`` are scratch."""
    size, last = x.shape[0], y.shape[2] - 1
    for p in range(size):
        for q in range(size):
            for lane in range(LANES):
                c[p, q, lane] = 0.0
            for k in range(max(p, q), size):
                for lane in range(LANES):
                    c[p, q, lane] += y[k, p, min(j + lane, last)] * x[k, q]
    svd_lanes(c, v)
    for k in range(size):
        for lane in range(LANES):
            norm = 0.0
            for p in range(size):
                norm += c[p, k, lane] * c[p, k, lane]
            norm = 1.0 / (math.sqrt(norm) + TINY)
            for p in range(size):
                c[p, k, lane] *= norm
    for p in range(size):
        for q in range(size):
            for lane in range(LANES):
                d[p, q, lane] = -x[p, q]
            for k in range(p + 1):
                for lane in range(LANES):
                    rotation = 0.0
                    for r in range(size):
                        rotation += c[k, r, lane] * v[q, r, lane]
                    d[p, q, lane] += y[p, k, min(j + lane, last)] * rotation


def _forward_any(x: Array, y: Array, symmetric: bool, out: Array) -> None:
    _forward_any_rows(len(x), x, y, symmetric, out)


@pair_loop
def _forward_any_rows(part: Part, x: Array, y: Array, symmetric: bool, out: Array) -> None:
    n, m, size = x.shape[0], y.shape[2], x.shape[1]
    c, v, d = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty((size, size, LANES))
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(0, end, LANES):
            align(x[i], y, j, c, v, d)
            for lane in range(min(LANES, end - j)):
                total = 0.0
                for p in range(size):
                    for q in range(size):
                        total += d[p, q, lane] * d[p, q, lane]
                out[i, j + lane] = total


def _gradient_any(x: Array, y: Array, w: Array) -> Array:
    n, size = x.shape[0], x.shape[1]
    out = np.zeros((n, size, size))
    _gradient_any_rows(n, x, y, w, out)
    return out


@pair_loop
def _gradient_any_rows(part: Part, x: Array, y: Array, w: Array, out: Array) -> None:
    m, size = y.shape[2], x.shape[1]
    c, v, d = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty((size, size, LANES))
    start, stop = begin(part)
    for i in range(start, stop):
        for j in range(0, m, LANES):
            align(x[i], y, j, c, v, d)
            for p in range(size):
                for q in range(size):
                    for lane in range(min(LANES, m - j)):
                        out[i, p, q] += w[i, j + lane] * d[p, q, lane]


# --- the kernels ----------------------------------------------------------------------------------------


class Roots(NamedTuple):
    """Cholesky factors, and their entries as the loops read them."""

    lower: Array  # (count, n, n)
    coords: Array


def _prepare2(x: Array) -> Roots:
    lower, _ = cholesky(x)
    return Roots(lower, np.ascontiguousarray([lower[:, 0, 0], lower[:, 1, 0], lower[:, 1, 1]]))


def _prepare_any(x: Array) -> Roots:
    lower, _ = cholesky(x)
    return Roots(lower, np.moveaxis(lower, 0, 2).copy())


def _roots_forward2(a: Roots, b: Roots, symmetric: bool, out: Array) -> None:
    _forward2(a.coords, b.coords, symmetric, out)


def _roots_gradient2(a: Roots, b: Roots, w: Array) -> Array:
    return -2.0 * push(a.lower, _gradient2(a.coords, b.coords, w))


def _roots_forward_any(a: Roots, b: Roots, symmetric: bool, out: Array) -> None:
    _forward_any(a.lower, b.coords, symmetric, out)


def _roots_gradient_any(a: Roots, b: Roots, w: Array) -> Array:
    return -2.0 * push(a.lower, _gradient_any(a.lower, b.coords, w))


def push(x: Array, d: Array) -> Array:
    """Derivative of ``X Xᵀ`` in direction ``d``."""
    half = d @ transpose(x)
    return half + transpose(half)


KERNEL2 = PairKernel(_prepare2, _roots_forward2, _roots_gradient2)
KERNEL = PairKernel(_prepare_any, _roots_forward_any, _roots_gradient_any)
