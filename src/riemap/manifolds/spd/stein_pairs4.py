r"""Loops over pairs for the Stein divergence, size 4, with determinants and inverses written out.

With :math:`G = L_A^{-1}L_B`, :math:`H = G^{-1}` and :math:`M = GG^\top`,

.. math:: S = \tfrac12\log\det\big(I + \tfrac14(G - H^\top)(G - H^\top)^\top\big),

and at the identity the gradient is :math:`(I+M)^{-1} - \frac12I`. Where a pair is so far apart that ``M`` has
lost digits, both come from :math:`R` with :math:`R^\top R = I + M`, which rotations compute from
:math:`G^\top` and ``I``.
"""

import math

import numpy as np

from riemap.loops import inline, pair_loop
from riemap.lower_triangle import row_and_end
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.shared.formulas import VECTOR_PAIRS
from riemap.manifolds.spd.coordinates4 import (
    ZEROS,
    add_entries,
    factors,
    square,
    whitened,
    write4,
)
from riemap.manifolds.spd.stein_pairs_any import FAR_TRACE
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import NAN, log, log1p


@inline
def _slopes(m: tuple[float, ...]) -> tuple[float, ...]:
    """``(I + m)⁻¹ - I/2``, by the factors of ``I + m = L D Lᵀ``."""
    n0, n2, n5, n9 = 1.0 + m[0], 1.0 + m[2], 1.0 + m[5], 1.0 + m[9]
    p0 = 1.0 / n0
    a, b, c = m[1] * p0, m[3] * p0, m[6] * p0
    n2, n4, n7 = n2 - a * m[1], m[4] - b * m[1], m[7] - c * m[1]
    n5, n8, n9 = n5 - b * m[3], m[8] - c * m[3], n9 - c * m[6]
    p1 = 1.0 / n2
    d, e = n4 * p1, n7 * p1
    n5, n8, n9 = n5 - d * n4, n8 - e * n4, n9 - e * n7
    p2 = 1.0 / n5
    f = n8 * p2
    p3 = 1.0 / (n9 - f * n8)
    b, e, c = (
        d * a - b,
        f * d - e,
        f * b + e * a - c - f * d * a,
    )  # below the diagonal of L⁻¹, with -a, -d, -f
    i6, i7, i8 = p3 * c, p3 * e, -p3 * f
    i3, i4 = p2 * b + i8 * c, i8 * e - p2 * d
    return (
        p0 + a * a * p1 + p2 * b * b + i6 * c - 0.5,
        p2 * b * -d + i6 * e - p1 * a,
        p1 + p2 * d * d + i7 * e - 0.5,
        i3,
        i4,
        p2 - i8 * f - 0.5,
        i6,
        i7,
        i8,
        p3 - 0.5,
    )


@inline
def _rise(g: tuple[float, ...], h: tuple[float, ...]) -> tuple[float, float]:
    r"""``det(I + Z) - 1`` and ``tr Z`` for :math:`Z = \frac14(G - H^\top)(G - H^\top)^\top`.

    The elimination works with the difference of each pivot from one, which keeps its digits.
    """
    a0, a5, a10, a15 = 0.5 * (g[0] - h[0]), 0.5 * (g[2] - h[2]), 0.5 * (g[5] - h[5]), 0.5 * (g[9] - h[9])
    a1, a2, a3, a6, a7, a11 = -0.5 * h[1], -0.5 * h[3], -0.5 * h[6], -0.5 * h[4], -0.5 * h[7], -0.5 * h[8]
    a4, a8, a9, a12, a13, a14 = 0.5 * g[1], 0.5 * g[3], 0.5 * g[4], 0.5 * g[6], 0.5 * g[7], 0.5 * g[8]
    z0 = a0 * a0 + a1 * a1 + a2 * a2 + a3 * a3
    z1 = a4 * a0 + a5 * a1 + a6 * a2 + a7 * a3
    z2 = a4 * a4 + a5 * a5 + a6 * a6 + a7 * a7
    z3 = a8 * a0 + a9 * a1 + a10 * a2 + a11 * a3
    z4 = a8 * a4 + a9 * a5 + a10 * a6 + a11 * a7
    z5 = a8 * a8 + a9 * a9 + a10 * a10 + a11 * a11
    z6 = a12 * a0 + a13 * a1 + a14 * a2 + a15 * a3
    z7 = a12 * a4 + a13 * a5 + a14 * a6 + a15 * a7
    z8 = a12 * a8 + a13 * a9 + a14 * a10 + a15 * a11
    z9 = a12 * a12 + a13 * a13 + a14 * a14 + a15 * a15
    trace = z0 + z2 + z5 + z9
    p = 1.0 / (1.0 + z0)
    a, b, c = z1 * p, z3 * p, z6 * p
    z2, z4, z7 = z2 - a * z1, z4 - b * z1, z7 - c * z1
    z5, z8, z9 = z5 - b * z3, z8 - c * z3, z9 - c * z6
    p = 1.0 / (1.0 + z2)
    b, c = z4 * p, z7 * p
    z5, z8, z9 = z5 - b * z4, z8 - c * z4, z9 - c * z7
    z9 = z9 - z8 * z8 / (1.0 + z5)
    total = z0 + (z2 + z0 * z2)
    total = total + (z5 + total * z5)
    return total + (z9 + total * z9), trace


@inline
def _turned(a: float, b: float) -> tuple[float, float, float]:
    """The length of ``(a, b)``, and cosine and sine of its direction."""
    r = math.sqrt(a * a + b * b)
    inverse = 1.0 / r
    return r, a * inverse, b * inverse


@inline
def _root(g: tuple[float, ...]) -> tuple[float, ...]:
    """Upper entries of ``R``, numbered as the lower ones of its transpose, with ``Rᵀ R = I + g gᵀ``.

    Rotations of the rows of ``gᵀ`` with those of ``I``, from the last to the first, make the latter zero.
    They lose half the digits that forming ``g gᵀ`` would lose.
    """
    r0, r1, r3, r6 = g[0], g[1], g[3], g[6]
    r2, r4, r7, r5, r8 = g[2], g[4], g[7], g[5], g[8]
    r9, _, _ = _turned(g[9], 1.0)

    r5, c, s = _turned(r5, 1.0)
    r8, b3 = c * r8, -s * r8
    r9, _, _ = _turned(r9, b3)

    r2, c, s = _turned(r2, 1.0)
    r4, b2 = c * r4, -s * r4
    r7, b3 = c * r7, -s * r7
    r5, c, s = _turned(r5, b2)
    r8, b3 = c * r8 + s * b3, c * b3 - s * r8
    r9, _, _ = _turned(r9, b3)

    r0, c, s = _turned(r0, 1.0)
    r1, b1 = c * r1, -s * r1
    r3, b2 = c * r3, -s * r3
    r6, b3 = c * r6, -s * r6
    r2, c, s = _turned(r2, b1)
    r4, b2 = c * r4 + s * b2, c * b2 - s * r4
    r7, b3 = c * r7 + s * b3, c * b3 - s * r7
    r5, c, s = _turned(r5, b2)
    r8, b3 = c * r8 + s * b3, c * b3 - s * r8
    r9, _, _ = _turned(r9, b3)
    return r0, r1, r2, r3, r4, r5, r6, r7, r8, r9


@inline
def _far_slopes(g: tuple[float, ...]) -> tuple[float, ...]:
    """``(I + g gᵀ)⁻¹ - I/2``, from the inverse of ``R``."""
    r = _root(g)
    p0, p2, p5, p9 = 1.0 / r[0], 1.0 / r[2], 1.0 / r[5], 1.0 / r[9]
    p1, p4, p8 = -p0 * r[1] * p2, -p2 * r[4] * p5, -p5 * r[8] * p9
    p3, p7 = -p0 * (r[1] * p4 + r[3] * p5), -p2 * (r[4] * p8 + r[7] * p9)
    p6 = -p0 * (r[1] * p7 + r[3] * p8 + r[6] * p9)
    return (
        p0 * p0 + p1 * p1 + p3 * p3 + p6 * p6 - 0.5,
        p1 * p2 + p3 * p4 + p6 * p7,
        p2 * p2 + p4 * p4 + p7 * p7 - 0.5,
        p3 * p5 + p6 * p8,
        p4 * p5 + p7 * p8,
        p5 * p5 + p8 * p8 - 0.5,
        p6 * p9,
        p7 * p9,
        p8 * p9,
        p9 * p9 - 0.5,
    )


def _forward(x: Array, y: Array, symmetric: bool, out: Array) -> None:
    _forward_rows(len(out), x, y, symmetric, out)


@pair_loop
def _forward_rows(part: Part, x: Array, y: Array, symmetric: bool, out: Array) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        end = min(m, (end + VECTOR_PAIRS - 1) // VECTOR_PAIRS * VECTOR_PAIRS)
        far = 0
        for j in range(end):
            above, trace = _rise(whitened(x, i, y, j), whitened(y, j, x, i))
            near = trace < FAR_TRACE
            out[i, j] = 0.5 * log1p(above) if near else NAN
            far += 0 if near else 1
        if far:
            for j in range(end):
                r = _root(whitened(x, i, y, j))
                total = 2.0 * log(0.25 * (r[0] * r[2]) * (r[5] * r[9])) - 0.5 * (y[20, j] - x[20, i])
                out[i, j] = out[i, j] if out[i, j] == out[i, j] else total


def _gradient(x: Array, y: Array, w: Array) -> Array:
    r"""Row ``i``: the sum of :math:`w\,\mathrm{grad}\,S`."""
    out = np.empty((len(w), 4, 4))
    _gradient_rows(len(w), x, y, w, out)
    return out


@pair_loop
def _gradient_rows(part: Part, x: Array, y: Array, w: Array, out: Array) -> None:
    m = w.shape[1]
    start, stop = begin(part)
    for i in range(start, stop):
        total, far = ZEROS, 0
        for j in range(m):
            b = square(whitened(x, i, y, j))
            far += 0 if b[0] + b[2] + b[5] + b[9] < FAR_TRACE else 1
            total = add_entries(total, w[i, j], _slopes(b))
        if far:
            total = ZEROS
            for j in range(m):
                total = add_entries(total, w[i, j], _far_slopes(whitened(x, i, y, j)))
        write4(out, x, i, total)


KERNEL = PairKernel(factors, _forward, _gradient)
