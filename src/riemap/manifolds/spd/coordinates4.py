r"""Coordinates of 4 x 4 positive definite matrices: the lower triangles of their Cholesky factors.

Entries are numbered row by row: 0; 1, 2; 3, 4, 5; 6, 7, 8, 9. As in :mod:`riemap.manifolds.spd.coordinates`,
:math:`G = L_A^{-1}L_B`, and :math:`M = GG^\top` has the eigenvalues of :math:`A^{-1}B`. Formulas are
written out entry by entry, so that a loop over ``B`` vectorises with its numbers in registers.
"""

import math

import numpy as np

from riemap.aligned import coordinate_rows
from riemap.linalg import cholesky_inplace
from riemap.loops import inline, inline_sum, task_loop
from riemap.manifolds.spd.coordinates import write_triangles
from riemap.threads import Part, begin
from riemap.types import Array

ZEROS: tuple[float, ...] = (0.0,) * 10
"""The sum of no entries."""

IDENTITY: tuple[float, ...] = (1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
"""The lower entries of the identity."""


def factors(a: Array) -> Array:
    """The lower triangles of ``L`` and ``L⁻¹`` (10 rows each) and ``log det``, a column for every matrix."""
    n = a.shape[0]
    out = coordinate_rows(21, n)
    _factors_rows((n + 63) // 64, a, out)
    return out


@task_loop
def _factors_rows(part: Part, a: Array, out: Array) -> None:
    n = a.shape[0]
    lower, inverse = np.empty((4, 4)), np.empty((4, 4))
    scratch, scratch1 = np.empty((4, 4)), np.empty((4, 4))
    start, stop = begin(part)
    for block in range(start, stop):
        for i in range(64 * block, min(n, 64 * block + 64)):
            cholesky_inplace(4, a[i], lower, inverse, scratch, scratch1)
            write_triangles(4, lower, inverse, 1.0, out, i)
            out[20, i] = 2.0 * math.log(lower[0, 0] * lower[1, 1] * lower[2, 2] * lower[3, 3])


@inline
def whitened(x: Array, i: int, y: Array, j: int) -> tuple[float, ...]:
    """The lower entries of ``L_x⁻¹ L_y``, from the coordinates of :func:`factors`."""
    return (
        x[10, i] * y[0, j],
        x[11, i] * y[0, j] + x[12, i] * y[1, j],
        x[12, i] * y[2, j],
        x[13, i] * y[0, j] + x[14, i] * y[1, j] + x[15, i] * y[3, j],
        x[14, i] * y[2, j] + x[15, i] * y[4, j],
        x[15, i] * y[5, j],
        x[16, i] * y[0, j] + x[17, i] * y[1, j] + x[18, i] * y[3, j] + x[19, i] * y[6, j],
        x[17, i] * y[2, j] + x[18, i] * y[4, j] + x[19, i] * y[7, j],
        x[18, i] * y[5, j] + x[19, i] * y[8, j],
        x[19, i] * y[9, j],
    )


@inline
def write4(out: Array, x: Array, i: int, w: tuple[float, ...]) -> None:
    """Write ``L W Lᵀ``, where ``W`` has the lower entries ``w``."""
    half = np.empty((4, 4))
    for p in range(4):
        for q in range(4):
            total = 0.0
            for k in range(p + 1):
                total += x[at(p, k), i] * w[at(max(k, q), min(k, q))]
            half[p, q] = total
    for p in range(4):
        for q in range(p + 1):
            total = 0.0
            for k in range(q + 1):
                total += half[p, k] * x[at(q, k), i]
            out[i, p, q] = out[i, q, p] = total


@inline_sum
def add_entries(total: tuple[float, ...], weight: float, a: tuple[float, ...]) -> tuple[float, ...]:
    """``total + weight * a``, entry by entry."""
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
        total[9] + weight * a[9],
    )


@inline
def at(p: int, q: int) -> int:
    """The number of entry ``(p, q)`` of a lower triangle, for ``p >= q``."""
    return p * (p + 1) // 2 + q


@inline
def square(g: tuple[float, ...]) -> tuple[float, ...]:
    """Lower entries of ``g gᵀ``."""
    return (
        g[0] * g[0],
        g[1] * g[0],
        g[1] * g[1] + g[2] * g[2],
        g[3] * g[0],
        g[3] * g[1] + g[4] * g[2],
        g[3] * g[3] + g[4] * g[4] + g[5] * g[5],
        g[6] * g[0],
        g[6] * g[1] + g[7] * g[2],
        g[6] * g[3] + g[7] * g[4] + g[8] * g[5],
        g[6] * g[6] + g[7] * g[7] + g[8] * g[8] + g[9] * g[9],
    )


@inline
def cosquare(h: tuple[float, ...]) -> tuple[float, ...]:
    """Lower entries of ``hᵀ h``."""
    return (
        h[0] * h[0] + h[1] * h[1] + h[3] * h[3] + h[6] * h[6],
        h[2] * h[1] + h[4] * h[3] + h[7] * h[6],
        h[2] * h[2] + h[4] * h[4] + h[7] * h[7],
        h[5] * h[3] + h[8] * h[6],
        h[5] * h[4] + h[8] * h[7],
        h[5] * h[5] + h[8] * h[8],
        h[9] * h[6],
        h[9] * h[7],
        h[9] * h[8],
        h[9] * h[9],
    )
