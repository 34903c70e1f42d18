r"""Loops over pairs for the Stein divergence, sizes 4 and 5, with determinants and inverses written out.

With :math:`G = L_A^{-1}L_B`, :math:`H = G^{-1}` and :math:`M = GG^\top`,

.. math:: S = \tfrac12\log\det\big(I + \tfrac14(G - H^\top)(G - H^\top)^\top\big),

and at the identity the gradient is :math:`(I+M)^{-1} - \frac12I`. Where a pair is so far apart that ``M`` has
lost digits, both come from :math:`R` with :math:`R^\top R = I + M`, which rotations compute from
:math:`G^\top` and ``I``.
"""

import math
from typing import Any

import numpy as np

from riemap.coordinate_tuples import plus
from riemap.loops import pair_loop
from riemap.lower_triangle import row_and_end
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.shared.formulas import VECTOR_PAIRS
from riemap.manifolds.spd.lower_entries import (
    factors,
    no_entries,
    square,
    trace,
    whitened,
    write_congruence,
)
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.unrolled import lower_index, lower_pairs, size_of, square_root, sum_of, unrolled
from riemap.vmath import NAN, log, log1p

LOG_2 = math.log(2.0)

UNROLLED_TRACE = 1e4
"""Trace up to which determinants are used. They lose as many digits as the trace has, and rotations half as
many. With 1e6, a divergence of 16 in Stein5 had an error of 1e-11. Points of radius 4 are below."""


def _slopes(m: Any) -> Any:
    """``(I + m)⁻¹ - I/2``, by the factors of ``I + m = L D Lᵀ``."""
    size = size_of(m)
    a = {(p, q): 1.0 + e if p == q else e for (p, q), e in zip(lower_pairs(size), m, strict=True)}
    pivots: list[Any] = []
    lower: dict[tuple[int, int], Any] = {}
    inverse: dict[tuple[int, int], Any] = {}
    for k in range(size):
        pivots.append(1.0 / a[k, k])
        for p in range(k + 1, size):
            lower[p, k] = a[p, k] * pivots[k]
            for q in range(k + 1, p + 1):
                a[p, q] = a[p, q] - lower[p, k] * a[q, k]
    for p, q in lower_pairs(size):  # minus the entries of L⁻¹ below the diagonal
        if p > q:
            terms = (lower[p, k] * inverse[k, q] for k in range(q + 1, p))
            inverse[p, q] = lower[p, q] - sum_of(terms) if p > q + 1 else lower[p, q]
    found = []
    for p, q in lower_pairs(size):
        below = [pivots[k] * inverse[k, p] * inverse[k, q] for k in range(p + 1, size)]
        found.append(sum_of([pivots[p] - 0.5 if p == q else -1.0 * pivots[p] * inverse[p, q], *below]))
    return found


def _rise(g: Any, h: Any) -> Any:
    r"""``det(I + Z) - 1`` and ``tr Z`` for :math:`Z = \frac14(G - H^\top)(G - H^\top)^\top`.

    The elimination works with the difference of each pivot from one, which keeps its digits.
    """
    size = size_of(g)
    a = {(p, q): 0.5 * g[lower_index(p, q)] for p, q in lower_pairs(size)}
    for p, q in lower_pairs(size):
        half = 0.5 * h[lower_index(p, q)]
        a[q, p] = a[q, p] - half if p == q else -1.0 * half
    z = {(p, q): sum_of(a[p, k] * a[q, k] for k in range(size)) for p, q in lower_pairs(size)}
    trace = sum_of(z[p, p] for p in range(size))
    total = z[0, 0]
    for k in range(size):
        total = total + (z[k, k] + total * z[k, k]) if k else total
        pivot = 1.0 / (1.0 + z[k, k]) if k < size - 1 else None
        for p in range(k + 1, size):
            factor = z[p, k] * pivot
            for q in range(k + 1, p + 1):
                z[p, q] = z[p, q] - factor * z[q, k]
    return total, trace


def _root(g: Any) -> Any:
    """Upper entries of ``R``, numbered as the lower ones of its transpose, with ``Rᵀ R = I + g gᵀ``.

    Rotations of the rows of ``gᵀ`` with those of ``I``, from the last to the first, make the latter zero.
    They lose half the digits that forming ``g gᵀ`` would lose.
    """
    size, r = size_of(g), list(g)
    for start in reversed(range(size)):
        row: dict[int, Any] = {start: 1.0}
        for k in range(start, size):
            length = square_root(r[lower_index(k, k)] * r[lower_index(k, k)] + row[k] * row[k])
            inverse = 1.0 / length
            c, s, r[lower_index(k, k)] = r[lower_index(k, k)] * inverse, row[k] * inverse, length
            for q in range(k + 1, size):
                upper = r[lower_index(q, k)]
                r[lower_index(q, k)] = c * upper + s * row[q] if q in row else c * upper
                row[q] = c * row[q] - s * upper if q in row else -1.0 * s * upper
    return r


def _root_determinant(g: Any) -> Any:
    """``det R``."""
    r, found = _root(g), 1.0
    for p in range(size_of(g)):
        found = r[lower_index(p, p)] * found
    return found


def _far_slopes(g: Any) -> Any:
    """``(I + g gᵀ)⁻¹ - I/2``, from the inverse of ``R``."""
    size, r = size_of(g), _root(g)
    a: dict[tuple[int, int], Any] = {(p, p): 1.0 / r[lower_index(p, p)] for p in range(size)}
    for q in range(size):
        for p in reversed(range(q)):
            below = sum_of(r[lower_index(k, p)] * a[k, q] for k in range(p + 1, q + 1))
            a[p, q] = -1.0 * a[p, p] * below
    found = {(p, q): sum_of(a[p, k] * a[q, k] for k in range(p, size)) for p, q in lower_pairs(size)}
    return [e - 0.5 if p == q else e for (p, q), e in found.items()]


slopes, rise, root_determinant = unrolled(_slopes), unrolled(_rise), unrolled(_root_determinant)
far_slopes = unrolled(_far_slopes)


def _forward(x: Array, y: Array, symmetric: bool, out: Array) -> None:
    _forward_rows(len(out), x, y, symmetric, out, no_entries(_size(x)), _size(x))


def _size(x: Array) -> int:
    """The size of the matrices with these coordinates."""
    return size_of(x[: len(x) // 2])


@pair_loop
def _forward_rows(part: Part, x: Array, y: Array, symmetric: bool, out: Array, none: Any, size: int) -> None:
    n, m, last = out.shape[0], out.shape[1], x.shape[0] - 1
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        end = min(m, (end + VECTOR_PAIRS - 1) // VECTOR_PAIRS * VECTOR_PAIRS)
        far = 0
        for j in range(end):
            above, spread = rise(whitened(x, i, y, j, none), whitened(y, j, x, i, none))
            near = spread < UNROLLED_TRACE
            out[i, j] = 0.5 * log1p(above) if near else NAN
            far += 0 if near else 1
        if far:
            for j in range(end):
                root = root_determinant(whitened(x, i, y, j, none))
                total = 2.0 * log(root) - size * LOG_2 - 0.5 * (y[last, j] - x[last, i])
                out[i, j] = out[i, j] if out[i, j] == out[i, j] else total


def _gradient(x: Array, y: Array, w: Array) -> Array:
    r"""Row ``i``: the sum of :math:`w\,\mathrm{grad}\,S`."""
    size = _size(x)
    out = np.empty((len(w), size, size))
    _gradient_rows(len(w), x, y, w, out, no_entries(size))
    return out


@pair_loop
def _gradient_rows(part: Part, x: Array, y: Array, w: Array, out: Array, none: Any) -> None:
    m = w.shape[1]
    start, stop = begin(part)
    for i in range(start, stop):
        total, far = none, 0
        for j in range(m):
            b = square(whitened(x, i, y, j, none))
            far += 0 if trace(b) < UNROLLED_TRACE else 1
            total = plus(total, w[i, j], slopes(b))
        if far:
            total = none
            for j in range(m):
                total = plus(total, w[i, j], far_slopes(whitened(x, i, y, j, none)))
        write_congruence(out, x, i, total)


KERNEL = PairKernel(factors, _forward, _gradient)
