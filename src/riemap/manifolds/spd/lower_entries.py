r"""Lower triangles of Cholesky factors of positive definite matrices, for loops that keep them in registers.

Entries are numbered row by row: 0; 1, 2; 3, 4, 5; ... As in :mod:`riemap.manifolds.spd.coordinates`,
:math:`G = L_A^{-1}L_B`, and :math:`M = GG^\top` has the eigenvalues of :math:`A^{-1}B`. A tuple of zeros,
``none``, tells the compiler the size.
"""

import math
from typing import Any

import numpy as np

from riemap.aligned import coordinate_rows
from riemap.coordinate_tuples import coordinates
from riemap.linalg import cholesky_inplace
from riemap.loops import inline, task_loop
from riemap.manifolds.spd.coordinates import write_triangles
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.unrolled import lower_index, lower_pairs, size_of, sum_of, unrolled


def no_entries(size: int) -> tuple[float, ...]:
    """Zeros, as many as the lower triangle of a matrix has entries."""
    return (0.0,) * (size * (size + 1) // 2)


def factors(a: Array) -> Array:
    """The lower triangles of ``L`` and ``L⁻¹``, and ``log det`` in the last row; a column for each matrix."""
    n, size = a.shape[:2]
    out = coordinate_rows(size * (size + 1) + 1, n)
    _factors_rows((n + 63) // 64, a, out)
    return out


@task_loop
def _factors_rows(part: Part, a: Array, out: Array) -> None:
    n, size = a.shape[0], a.shape[1]
    lower, inverse = np.empty((size, size)), np.empty((size, size))
    scratch, scratch1 = np.empty((size, size)), np.empty((size, size))
    start, stop = begin(part)
    for block in range(start, stop):
        for i in range(64 * block, min(n, 64 * block + 64)):
            cholesky_inplace(size, a[i], lower, inverse, scratch, scratch1)
            write_triangles(size, lower, inverse, 1.0, out, i)
            root = 1.0
            for p in range(size):
                root *= lower[p, p]
            out[-1, i] = 2.0 * math.log(root)


@inline
def at(p: int, q: int) -> int:
    """The number of entry ``(p, q)`` of a lower triangle, for ``p >= q``."""
    return p * (p + 1) // 2 + q


@inline
def write_congruence(out: Array, x: Array, i: int, w: tuple[float, ...] | Array) -> None:
    """Write ``L W Lᵀ``, where ``W`` has the lower entries ``w``."""
    size = out.shape[1]
    half = np.empty((size, size))
    for p in range(size):
        for q in range(size):
            total = 0.0
            for k in range(p + 1):
                total += x[at(p, k), i] * w[at(max(k, q), min(k, q))]
            half[p, q] = total
    for p in range(size):
        for q in range(p + 1):
            total = 0.0
            for k in range(q + 1):
                total += half[p, k] * x[at(q, k), i]
            out[i, p, q] = out[i, q, p] = total


# --- unrolled -----------------------------------------------------------------------------------------------


def _product(a: Any, b: Any) -> Any:
    return [
        sum_of(a[lower_index(p, k)] * b[lower_index(k, q)] for k in range(q, p + 1))
        for p, q in lower_pairs(size_of(a))
    ]


def _square(g: Any) -> Any:
    return [
        sum_of(g[lower_index(p, k)] * g[lower_index(q, k)] for k in range(q + 1))
        for p, q in lower_pairs(size_of(g))
    ]


def _cosquare(h: Any) -> Any:
    size = size_of(h)
    return [
        sum_of(h[lower_index(k, p)] * h[lower_index(k, q)] for k in range(p, size))
        for p, q in lower_pairs(size)
    ]


def _trace(a: Any) -> Any:
    return sum_of(a[lower_index(p, p)] for p in range(size_of(a)))


product = unrolled(_product)
"""Lower entries of the product of two lower triangles."""

square = unrolled(_square)
"""Lower entries of ``g gᵀ``."""

cosquare = unrolled(_cosquare)
"""Lower entries of ``hᵀ h``."""

trace = unrolled(_trace)
"""The trace of a matrix with these lower entries."""


@inline
def whitened(x: Array, i: int, y: Array, j: int, none: Any) -> Any:
    """The lower entries of ``L_x⁻¹ L_y``, from the coordinates of :func:`factors`."""
    return product(coordinates(x, len(none), i, none), coordinates(y, 0, j, none))
