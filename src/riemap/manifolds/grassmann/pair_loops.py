r"""Loops over pairs of subspaces: squares of their principal angles, and gradients.

Bases are orthonormal, :math:`A, B\in\mathbb{R}^{n\times k}`, and the cosines of the principal angles
:math:`\theta_i` are the singular values of :math:`A^\top B`. The cosine of a small angle has lost
its digits. So the basis of ``B`` is first rotated towards that of ``A``, by the orthogonal factor ``R`` of
:math:`B^\top A`; then :math:`D = BR - A` has the singular values :math:`2\sin\frac{\theta_i}{2}`, which
keep their digits. For ``k = 1``, ``R`` is a sign. For ``k = 2`` and for ``Gr(3, 6)``
(:mod:`riemap.manifolds.grassmann.pair_loops36`) it has a closed form. For ``k = 4``,
:mod:`riemap.manifolds.grassmann.pair_loops4` needs no ``R``. For other sizes,
:mod:`riemap.manifolds.grassmann.any_pairs` computes singular vectors.

Orthogonal complements have the same principal angles, apart from zeros, and need ``n - k`` columns. They are
used where that is fewer, and for ``Gr(3, 7)``. With an orthonormal basis ``C`` of that of ``A``, a tangent
``P`` at ``C`` is :math:`-CP^\top A` at ``A``, of the same length, because the projectors on a subspace and on
its complement add up to the identity.
"""

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from riemap import coordinate_tuples
from riemap.aligned import by_coordinate
from riemap.linalg import transpose
from riemap.loops import inline, pair_loop
from riemap.lower_triangle import row_and_end
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.grassmann import any_pairs, pair_loops4, pair_loops36
from riemap.manifolds.grassmann.complements import complements
from riemap.manifolds.shared import unit_vectors
from riemap.manifolds.shared.over_sine import over_sine
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import TINY

MOST_ROWS = 16
"""Largest ``n`` for which there is a kernel of ``k = 4``. Its code grows with ``n`` and takes 6 seconds to
compile for 8, 7 for 16 and 9 for 24."""

# --- k = 2: rows 2 i and 2 i + 1 hold the entries of the two basis vectors -------------------------


@inline
def _turn(a: float, b: float, c: float, d: float) -> tuple[float, float, float]:
    """``p``, ``q``, ``s`` of the orthogonal ``R = [[p, -s q], [q, s p]]`` nearest to ``[[a, c], [b, d]]``."""
    s = 1.0 if a * d - b * c >= 0.0 else -1.0
    p, q = a + s * d, b - s * c
    norm = math.sqrt(p * p + q * q)
    flat = norm == 0.0  # subspaces at right angles: every R is equally near
    norm = 1.0 if flat else norm
    return (1.0 if flat else p / norm), q / norm, s


@inline
def _chords(a: float, b: float, c: float) -> tuple[float, float]:
    """A quarter of the eigenvalues of ``DᵀD = [[a, c], [c, b]]``, greater first: the ``sin²(θ/2)``."""
    mean, half = 0.125 * (a + b), 0.125 * (a - b)
    radius = math.sqrt(half * half + 0.0625 * c * c)
    return min(mean + radius, 0.5), max(mean - radius, 0.0)


@inline
def _align2(x: Array, i: int, y: Array, end: int, work: Array) -> None:
    """Fill rows 0 to 2 of ``work`` with ``R`` for every ``j``, and rows 3 to 5 with ``DᵀD``."""
    for r in range(6):
        for j in range(end):
            work[r, j] = 0.0
    for k in range(0, x.shape[0], 2):
        for j in range(end):
            work[0, j] += x[k, i] * y[k, j]
            work[1, j] += x[k, i] * y[k + 1, j]
            work[2, j] += x[k + 1, i] * y[k, j]
            work[3, j] += x[k + 1, i] * y[k + 1, j]
    for j in range(end):
        work[0, j], work[1, j], work[2, j] = _turn(work[0, j], work[1, j], work[2, j], work[3, j])
        work[3, j] = 0.0
    for k in range(0, x.shape[0], 2):
        for j in range(end):
            p, q, s = work[0, j], work[1, j], work[2, j]
            d = p * y[k, j] + q * y[k + 1, j] - x[k, i]
            e = s * (p * y[k + 1, j] - q * y[k, j]) - x[k + 1, i]
            work[3, j] += d * d
            work[4, j] += e * e
            work[5, j] += d * e


def _forward2(x: Array, y: Array, symmetric: bool, out: Array) -> None:
    _forward2_rows(len(out), x, y, symmetric, out)


@pair_loop
def _forward2_rows(part: Part, x: Array, y: Array, symmetric: bool, out: Array) -> None:
    n, m = out.shape
    work = np.empty((6, m))
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        _align2(x, i, y, end, work)
        for j in range(end):
            p, q = _chords(work[3, j], work[4, j], work[5, j])
            first, second = over_sine(p), over_sine(q)
            out[i, j] = 4.0 * (p * (1.0 - p) * first * first + q * (1.0 - q) * second * second)


def _gradient2(x: Array, y: Array, w: Array) -> Array:
    r"""Row ``i``: the sum of :math:`-2wBRK`, unprojected; ``K`` is :math:`\theta/\sin\theta` of :math:`D`."""
    out = np.empty((len(w), x.shape[0]))
    _gradient2_rows(len(w), x, y, w, out)
    return out


@pair_loop
def _gradient2_rows(part: Part, x: Array, y: Array, w: Array, out: Array) -> None:
    n, m = w.shape
    work = np.empty((6, m))
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        _align2(x, i, y, m, work)
        for j in range(m):
            a, b, c = work[3, j], work[4, j], work[5, j]
            high, low = _chords(a, b, c)
            base = over_sine(low)
            rise = (over_sine(high) - base) / (4.0 * (high - low) + TINY)
            weight, low = -2.0 * w[i, j], 4.0 * low
            a, b = weight * (base + rise * (a - low)), weight * (base + rise * (b - low))
            c *= weight * rise
            p, q, s = work[0, j], work[1, j], work[2, j]
            work[0, j], work[1, j] = p * a - s * q * c, p * c - s * q * b
            work[2, j], work[3, j] = q * a + s * p * c, q * c + s * p * b
        for k in range(0, x.shape[0], 2):
            first = second = 0.0
            for j in range(m):
                first += work[0, j] * y[k, j] + work[2, j] * y[k + 1, j]
                second += work[1, j] * y[k, j] + work[3, j] * y[k + 1, j]
            out[i, k], out[i, k + 1] = first, second


# --- the kernels -------------------------------------------------------------------------------------


class _Bases(NamedTuple):
    """Orthonormal bases of subspaces, and the coordinates that the loops read."""

    basis: Array  # (count, n, k)
    coords: Array  # by coordinate, with the point last


def _lines(x: Array) -> _Bases:
    return _Bases(x, coordinate_tuples.by_coordinate(x.reshape(len(x), -1)))


def _lines_forward(a: _Bases, b: _Bases, symmetric: bool, out: Array, slopes: Array) -> None:
    unit_vectors.lines_forward(a.coords, b.coords, symmetric, 1.0, out, slopes)


def _lines_gradient(a: _Bases, b: _Bases, slopes: Array, w: Array) -> Array:
    return unit_vectors.gradient(a.coords, b.coords, slopes, w)[:, : a.basis.shape[1], None]


def _entries(x: Array) -> _Bases:
    return _Bases(x, by_coordinate(x.reshape(len(x), -1)))


def _planes_forward(a: _Bases, b: _Bases, symmetric: bool, out: Array) -> None:
    _forward2(a.coords, b.coords, symmetric, out)


def _planes_gradient(a: _Bases, b: _Bases, w: Array) -> Array:
    return tangent(a.basis, _gradient2(a.coords, b.coords, w).reshape(a.basis.shape))


def _subspaces(x: Array) -> _Bases:
    return _Bases(x, np.moveaxis(x, 0, 2).copy())


def _subspaces_forward(a: _Bases, b: _Bases, symmetric: bool, out: Array) -> None:
    any_pairs.forward(a.basis, b.coords, symmetric, out)


def _subspaces_gradient(a: _Bases, b: _Bases, w: Array) -> Array:
    return any_pairs.gradient(a.basis, b.coords, w)


def _solids_forward(a: _Bases, b: _Bases, symmetric: bool, out: Array, *saved: Array) -> None:
    pair_loops36.forward(a.basis, a.coords, b.coords, symmetric, out, *saved)


def _solids_gradient(a: _Bases, b: _Bases, *rest: Array) -> Array:
    return tangent(a.basis, pair_loops36.gradient(a.basis, a.coords, b.coords, *rest))


def _fours_forward(a: _Bases, b: _Bases, symmetric: bool, out: Array, *saved: Array) -> None:
    pair_loops4.forward(a.basis, a.coords, b.coords, symmetric, out, *saved)


def _fours_gradient(a: _Bases, b: _Bases, *rest: Array) -> Array:
    return tangent(a.basis, pair_loops4.gradient(a.basis, a.coords, b.coords, *rest))


class _Complements(NamedTuple):
    """Subspaces, their orthogonal complements, and the complements as the loops read them."""

    basis: Array
    complement: Array
    prepared: _Bases


def _complement_kernel(inner: PairKernel[_Bases]) -> PairKernel[_Complements]:
    """Compute pairs of subspaces by a kernel for their orthogonal complements."""

    def prepare(x: Array) -> _Complements:
        c = complements(x)
        return _Complements(x, c, inner.prepare(c))

    def forward(a: _Complements, b: _Complements, *rest: Any) -> None:
        inner.forward(a.prepared, b.prepared, *rest)

    def gradient(a: _Complements, b: _Complements, *rest: Any) -> Array:
        slope = inner.gradient(a.prepared, b.prepared, *rest)
        return -a.complement @ (transpose(slope) @ a.basis)

    return PairKernel(prepare, forward, gradient, inner.saved)


@cache
def kernel(k: int, n: int) -> PairKernel[Any]:
    """The fastest kernel for bases of ``k`` vectors in ``n`` dimensions."""
    if k == 4 and 7 <= n <= MOST_ROWS:
        return PairKernel(_entries, _fours_forward, _fours_gradient, saved=4)
    if 2 * k > n or (k, n) == (3, 7):
        return _complement_kernel(kernel(n - k, n))
    if k == 1:
        return PairKernel(_lines, _lines_forward, _lines_gradient, saved=1)
    if k == 2:
        return PairKernel(_entries, _planes_forward, _planes_gradient)
    if (k, n) == (3, 6):
        return PairKernel(_entries, _solids_forward, _solids_gradient, saved=3)
    return PairKernel(_subspaces, _subspaces_forward, _subspaces_gradient)


def tangent(x: Array, u: Array) -> Array:
    r""":math:`(I - xx^\top)u`."""
    return u - x @ (transpose(x) @ u)
