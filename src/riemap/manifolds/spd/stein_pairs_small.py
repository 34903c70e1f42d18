r"""Loops over pairs for the Stein divergence, sizes 2 and 3.

At determinant one :math:`e^S` is rational in the invariants of :mod:`riemap.manifolds.spd.coordinates`. With
:math:`e = \sqrt{t_B^2/t_A^2}` for 3 x 3, :math:`8e^S = e^3 + e^{-3} + e_1/e + e_2\,e`, and for 2 x 2,
:math:`2e^S = \cosh\theta + \cosh\delta`. In both, :math:`e^S - 1` is a sum of small terms as
:math:`B\to A`.
"""

import math
from typing import NamedTuple

import numpy as np

from riemap.aligned import coordinate_rows
from riemap.loops import inline, inline_sum, pair_loop, point_loop
from riemap.lower_triangle import row_and_end, row_and_line_end
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.spd.coordinates import (
    chord2,
    cosquare,
    invariants,
    near2,
    planar,
    radial2,
    spatial,
    square,
    triangles,
    write2,
)
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import log1p

NO_SUMS: tuple[float, ...] = (0.0,) * 28
"""The sums of no terms."""


def _forward2(x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    """Write the divergences ``S`` and ``exp(-S)``; ``flat`` is ``2 sinh(δ/2)``."""
    _forward2_rows(len(out), x, y, symmetric, out, slopes)


@pair_loop
def _forward2_rows(part: Part, x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_line_end(t, n, m, symmetric)
        for j in range(end):
            flat = y[6, j] * x[7, i] - x[6, i] * y[7, j]
            rise = 0.25 * (flat * flat + chord2(near2(x, i, y, j), x, i, y, j))
            out[i, j] = log1p(rise)
            slopes[i, j] = 1.0 / (1.0 + rise)


def _gradient2(x: Array, y: Array, slopes: Array, w: Array) -> Array:
    out = np.empty((len(w), 2, 2))
    _gradient2_rows(len(w), x, y, slopes, w, out)
    return out


@pair_loop
def _gradient2_rows(part: Part, x: Array, y: Array, slopes: Array, w: Array, out: Array) -> None:
    n, m = w.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        cosh = math.sqrt(1.0 + x[2, i] * x[2, i])
        along = across = across1 = flat = 0.0  # sharing this loop with SPD changed the last bits of SPD2
        for j in range(m):
            factor = -0.25 * w[i, j] * slopes[i, j]
            along += factor * radial2(near2(x, i, y, j), cosh, x, i, y, j)
            across += factor * y[2, j] * (y[0, j] - x[0, i])
            across1 += factor * y[2, j] * (y[1, j] - x[1, i])
            up, down = y[6, j] * x[7, i], x[6, i] * y[7, j]
            flat += factor * (up - down) * (up + down)
        write2(out, x, i, along, across, across1, flat)


def _forward3(x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    """Write the divergences ``S`` and ``exp(-S) / 8``."""
    _forward3_rows(len(out), x, y, symmetric, out, slopes)


@pair_loop
def _forward3_rows(part: Part, x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_line_end(t, n, m, symmetric)
        for j in range(end):
            a, b, _, _ = invariants(triangles(x, i, y, j), triangles(y, j, x, i))
            up, down = y[13, j] * x[14, i], x[13, i] * y[14, j]
            c = 0.5 * (up - 1.0) ** 2 * down  # cosh - 1
            rise = c * (3.0 + c * (3.0 + c)) + 0.125 * (a * down + b * up)
            rise = 0.0 if rise < 0.0 else rise  # rounding may make it negative at equal points
            out[i, j] = log1p(rise)
            slopes[i, j] = 0.125 / (1.0 + rise)


def _entries(x: Array, n: int) -> Array:
    """Entries of ``n`` matrices for the backward pass.

    The rows are the lower entries of the matrices at unit determinant (6) and of their inverses (6), then the
    terms of the sums: the former divided by ``t`` (6), the latter times ``t`` (6), ``t³`` and ``t⁻³``.
    """
    out = coordinate_rows(26, n)
    _entries_rows(n, x, n, out)
    return out


@point_loop
def _entries_rows(part: Part, x: Array, n: int, out: Array) -> None:
    start, stop = begin(part)
    for i in range(start, stop):
        a = square((x[0, i], x[1, i], x[2, i], x[3, i], x[4, i], x[5, i]))
        b = cosquare((x[6, i], x[7, i], x[8, i], x[9, i], x[10, i], x[11, i]))
        t, inverse = x[13, i], x[14, i]
        for k in range(6):
            out[k, i], out[6 + k, i] = a[k], b[k]
            out[12 + k, i], out[18 + k, i] = a[k] * inverse, b[k] * t
        out[24, i], out[25, i] = t * t * t, inverse * inverse * inverse


def _gradient3(x: Array, ours: Array, theirs: Array, slopes: Array, w: Array) -> Array:
    r"""Row ``i``: the sum of :math:`w\,\mathrm{grad}\,S`.

    At the identity it is :math:`(I+M)^{-1} - \frac12 I`, a combination of ``M``, its inverse and ``I``. The
    first two are sums over :math:`\hat B` and :math:`\hat B^{-1}`, and are moved to the frame of ``A`` once,
    at the end.
    """
    out = np.empty((len(w), 3, 3))
    _gradient3_rows((len(w) + 1) // 2, x, ours, theirs, slopes, w, out)
    return out


@pair_loop
def _gradient3_rows(
    part: Part, x: Array, ours: Array, theirs: Array, slopes: Array, w: Array, out: Array
) -> None:
    """Do two rows at a time, which halves the loads; the terms do not fit into the first-level cache."""
    n, m = w.shape
    start, stop = begin(part)
    for turn in range(start, stop):
        i = 2 * row_and_end(turn, (n + 1) // 2, m, False)[0]
        k = min(i + 1, n - 1)
        sums = NO_SUMS
        for j in range(m):
            sums = _plus_terms(sums, w[i, j] * slopes[i, j], w[k, j] * slopes[k, j], theirs, j)
        _write_at_point(out[i], x, ours, i, sums[::2])
        _write_at_point(out[k], x, ours, k, sums[1::2])


@inline_sum
def _plus_terms(
    sums: tuple[float, ...], first: float, second: float, terms: Array, j: int
) -> tuple[float, ...]:
    """Add two factors times the 14 terms of a point to as many sums each, which alternate."""
    return (
        sums[0] + first * terms[12, j],
        sums[1] + second * terms[12, j],
        sums[2] + first * terms[13, j],
        sums[3] + second * terms[13, j],
        sums[4] + first * terms[14, j],
        sums[5] + second * terms[14, j],
        sums[6] + first * terms[15, j],
        sums[7] + second * terms[15, j],
        sums[8] + first * terms[16, j],
        sums[9] + second * terms[16, j],
        sums[10] + first * terms[17, j],
        sums[11] + second * terms[17, j],
        sums[12] + first * terms[18, j],
        sums[13] + second * terms[18, j],
        sums[14] + first * terms[19, j],
        sums[15] + second * terms[19, j],
        sums[16] + first * terms[20, j],
        sums[17] + second * terms[20, j],
        sums[18] + first * terms[21, j],
        sums[19] + second * terms[21, j],
        sums[20] + first * terms[22, j],
        sums[21] + second * terms[22, j],
        sums[22] + first * terms[23, j],
        sums[23] + second * terms[23, j],
        sums[24] + first * terms[24, j],
        sums[25] + second * terms[24, j],
        sums[26] + first * terms[25, j],
        sums[27] + second * terms[25, j],
    )


@inline
def _write_at_point(out: Array, x: Array, ours: Array, i: int, sums: tuple[float, ...]) -> None:
    r"""Write :math:`t^2(S + \hat AR\hat A + c\hat A)`, where ``c`` makes the trace at the identity right."""
    t, inverse = x[13, i], x[14, i]
    s = (-t * sums[0], -t * sums[1], -t * sums[2], -t * sums[3], -t * sums[4], -t * sums[5])
    r = (
        inverse * sums[6],
        inverse * sums[7],
        inverse * sums[8],
        inverse * sums[9],
        inverse * sums[10],
        inverse * sums[11],
    )
    trace = sums[12] * ours[25, i] - sums[13] * ours[24, i]
    a0, a1, a2, a3, a4, a5 = ours[0, i], ours[1, i], ours[2, i], ours[3, i], ours[4, i], ours[5, i]
    b0, b1, b2, b3, b4, b5 = ours[6, i], ours[7, i], ours[8, i], ours[9, i], ours[10, i], ours[11, i]
    p0, p1, p2 = (
        a0 * r[0] + a1 * r[1] + a3 * r[3],
        a0 * r[1] + a1 * r[2] + a3 * r[4],
        a0 * r[3] + a1 * r[4] + a3 * r[5],
    )
    q0, q1, q2 = (
        a1 * r[0] + a2 * r[1] + a4 * r[3],
        a1 * r[1] + a2 * r[2] + a4 * r[4],
        a1 * r[3] + a2 * r[4] + a4 * r[5],
    )
    o0, o1, o2 = (
        a3 * r[0] + a4 * r[1] + a5 * r[3],
        a3 * r[1] + a4 * r[2] + a5 * r[4],
        a3 * r[3] + a4 * r[4] + a5 * r[5],
    )
    white = b0 * s[0] + b2 * s[2] + b5 * s[5] + 2.0 * (b1 * s[1] + b3 * s[3] + b4 * s[4])
    c = -0.5 * (trace + white + p0 + q1 + o2)
    t *= t
    out[0, 0] = t * (s[0] + p0 * a0 + p1 * a1 + p2 * a3 + c * a0)
    out[1, 1] = t * (s[2] + q0 * a1 + q1 * a2 + q2 * a4 + c * a2)
    out[2, 2] = t * (s[5] + o0 * a3 + o1 * a4 + o2 * a5 + c * a5)
    out[0, 1] = out[1, 0] = t * (s[1] + q0 * a0 + q1 * a1 + q2 * a3 + c * a1)
    out[0, 2] = out[2, 0] = t * (s[3] + o0 * a0 + o1 * a1 + o2 * a3 + c * a3)
    out[1, 2] = out[2, 1] = t * (s[4] + o0 * a1 + o1 * a2 + o2 * a4 + c * a4)


class _Entries(NamedTuple):
    """Coordinates of 3 x 3 matrices for the forward pass, and entries for the backward pass."""

    coords: Array
    entries: Array


def _prepare3(x: Array) -> _Entries:
    coords = spatial(x)
    return _Entries(coords, _entries(coords, len(x)))


def _entries_forward3(a: _Entries, b: _Entries, symmetric: bool, out: Array, slopes: Array) -> None:
    _forward3(a.coords, b.coords, symmetric, out, slopes)


def _entries_gradient3(a: _Entries, b: _Entries, slopes: Array, w: Array) -> Array:
    return _gradient3(a.coords, a.entries, b.entries, slopes, w)


KERNEL2 = PairKernel(planar, _forward2, _gradient2, saved=1)
KERNEL3 = PairKernel(_prepare3, _entries_forward3, _entries_gradient3, saved=1)
