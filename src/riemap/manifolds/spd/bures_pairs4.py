r"""Loops over pairs for the Bures-Wasserstein distance, size 4.

The matrix ``R`` that brings the Cholesky factor ``Y`` closest to ``X`` is a rotation, since
:math:`C = Y^\top X` has a positive determinant. So it is :math:`x\mapsto pxq` for two unit quaternions, and
:math:`\operatorname{tr}R^\top C = p^\top Mq`, where the entries of ``M`` are sums of entries of ``C``
(:mod:`riemap.manifolds.shared.quaternion_units`). The greatest value belongs to the first singular vectors
``p`` and ``q`` of ``M``. :math:`MM^\top` is squared until ``p`` dominates. Its first two eigenvalues have the
ratio :math:`(1-g)^2` with :math:`g = 2(\sigma_3+\sigma_4)/\sum_k\sigma_k` in the singular values of ``C``.

The forward pass saves ``p``; the other end of the pair has its conjugate. Where :math:`g` is too small,
because two eigenvalues of ``A`` and of ``B`` are tiny, singular vectors give ``R``, as they do for other
sizes.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from riemap.aligned import by_coordinate
from riemap.coordinate_tuples import coordinates, plus
from riemap.linalg import cholesky
from riemap.loops import inline, pair_loop
from riemap.lower_triangle import row_and_end
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.shared.formulas import VECTOR_PAIRS
from riemap.manifolds.shared.quaternion_units import UNIT_SIGNS
from riemap.manifolds.spd.bures_pairs import push
from riemap.manifolds.spd.bures_pairs3 import add_marked, marked_distances
from riemap.manifolds.spd.lower_entries import no_entries
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.unrolled import lower_index, lower_pairs, square_root, sum_of, unrolled
from riemap.vmath import NAN

SQUARINGS = 12
"""How often ``M Mᵀ`` is squared, which suffices from ``g = 0.005`` on."""

NORMALISED = 4
"""After so many squarings the trace is made one. It decreases from 1 to 1e-10 at most."""

MOST_OTHERS = 1e-8
"""Largest share of other eigenvectors before the last squaring, which squares it."""

ENTRIES, SIXTEEN = no_entries(4), (0.0,) * 16


def _signed(terms: list[tuple[float, Any]]) -> Any:
    """The sum of terms with these signs."""
    total = None
    for sign, term in sorted(terms, key=lambda pair: -pair[0]):
        if total is None:
            total = term if sign > 0.0 else -1.0 * term
        else:
            total = total + term if sign > 0.0 else total - term
    return total


def _sign(a: int, c: int, b: int) -> float:
    return float(UNIT_SIGNS[a, c] * UNIT_SIGNS[a ^ c, b])


def _correlations(x: Any, y: Any) -> Any:
    """The entries of ``M`` by rows, for lower triangles ``X`` and ``Y``."""
    c = {
        (p, q): sum_of(y[lower_index(k, p)] * x[lower_index(k, q)] for k in range(max(p, q), 4))
        for p in range(4)
        for q in range(4)
    }
    return [
        _signed([(_sign(a, k, b), c[a ^ k ^ b, k]) for k in range(4)]) for a in range(4) for b in range(4)
    ]


def _rotation(p: Any, q: Any) -> Any:
    """The entries of ``R`` by rows."""
    return [
        _signed([(_sign(a, c, a ^ r ^ c), p[a] * q[a ^ r ^ c]) for a in range(4)])
        for r in range(4)
        for c in range(4)
    ]


def _partner(m: Any, p: Any) -> Any:
    """The unit quaternion ``q`` along ``Mᵀ p``."""
    q = [sum_of(p[a] * m[4 * a + b] for a in range(4)) for b in range(4)]
    scale = 1.0 / square_root(sum_of(b * b for b in q))
    return [b * scale for b in q]


def _first_projection(m: Any) -> Any:
    """Lower entries of a multiple of ``p pᵀ``, and the share of others before the last squaring."""
    s = [sum_of(m[4 * a + k] * m[4 * b + k] for k in range(4)) for a, b in lower_pairs(4)]
    for squaring in range(SQUARINGS):
        if squaring % NORMALISED == 0 or squaring == SQUARINGS - 1:
            scale = 1.0 / sum_of(s[lower_index(p, p)] for p in range(4))
            s = [e * scale for e in s]
        s = [
            sum_of(
                s[lower_index(max(p, k), min(p, k))] * s[lower_index(max(q, k), min(q, k))] for k in range(4)
            )
            for p, q in lower_pairs(4)
        ]
    others = 1.0 - sum_of(s[lower_index(p, p)] for p in range(4))
    return [*s, others]


def _difference(x: Any, y: Any, r: Any) -> Any:
    """The entries of ``Y R - X`` by rows."""
    found = []
    for p in range(4):
        for q in range(4):
            turned = sum_of(y[lower_index(p, k)] * r[4 * k + q] for k in range(p + 1))
            found.append(turned - x[lower_index(p, q)] if q <= p else turned)
    return found


def _squared_length(a: Any) -> Any:
    return sum_of(e * e for e in a)


correlations, rotation, partner = unrolled(_correlations), unrolled(_rotation), unrolled(_partner)
first_projection, difference = unrolled(_first_projection), unrolled(_difference)
squared_length = unrolled(_squared_length)


@inline
def _longest(s: Any) -> tuple[float, float, float, float]:
    """The column of a symmetric matrix with the greatest entry on the diagonal."""
    second, fourth = s[2] > s[0], s[9] > s[5]
    last = max(s[5], s[9]) > max(s[0], s[2])
    a, b = (s[1] if second else s[0]), (s[2] if second else s[1])
    c, d = (s[4] if second else s[3]), (s[7] if second else s[6])
    e, f = (s[6] if fourth else s[3]), (s[7] if fourth else s[4])
    g, h = (s[8] if fourth else s[5]), (s[9] if fourth else s[8])
    return e if last else a, f if last else b, g if last else c, h if last else d


@inline
def _turned_difference(a: Any, b: Any, m: Any, p: Any) -> Any:
    """``Y R - X`` for the quaternion ``p`` of any length, with ``M`` given."""
    scale = 1.0 / math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    unit = p[0] * scale, p[1] * scale, p[2] * scale, p[3] * scale
    return difference(a, b, rotation(unit, partner(m, unit)))


class _Roots(NamedTuple):
    """Cholesky factors, their entries by coordinate, and their lower entries."""

    lower: Array  # (count, 4, 4)
    columns: Array  # (4, 4, at least count)
    entries: Array  # (10, at least count)


def _prepare(x: Array) -> _Roots:
    lower, _ = cholesky(x)
    columns = by_coordinate(lower.reshape(len(x), 16)).reshape(4, 4, -1)
    return _Roots(lower, columns, by_coordinate(lower[:, *np.tril_indices(4)]))


def _forward(a: _Roots, b: _Roots, symmetric: bool, out: Array, *saved: Array) -> None:
    """Write squared distances and ``p``; its first number is NaN where singular vectors are used."""
    _forward_rows(len(out), a.lower, b.columns, a.entries, b.entries, symmetric, out, *saved)


@pair_loop
def _forward_rows(
    part: Part,
    roots: Array,
    columns: Array,
    x: Array,
    y: Array,
    symmetric: bool,
    out: Array,
    p0: Array,
    p1: Array,
    p2: Array,
    p3: Array,
) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        a, marked = coordinates(x, 0, i, ENTRIES), 0
        for j in range(min(m, (end + VECTOR_PAIRS - 1) // VECTOR_PAIRS * VECTOR_PAIRS)):
            b = coordinates(y, 0, j, ENTRIES)
            correlation = correlations(a, b)
            projection = first_projection(correlation)
            flat = not projection[10] < MOST_OTHERS
            marked += 1 if flat else 0
            p = _longest(projection)
            out[i, j] = squared_length(_turned_difference(a, b, correlation, p))
            p0[i, j], p1[i, j], p2[i, j], p3[i, j] = NAN if flat else p[0], p[1], p[2], p[3]
        if marked:
            marked_distances(roots[i], columns, p0[i], end, out[i])


def _gradient(a: _Roots, b: _Roots, symmetric: bool, *saved_and_weights: Array) -> Array:
    out = np.zeros(a.lower.shape)
    _gradient_rows(len(out), a.lower, b.columns, a.entries, b.entries, symmetric, *saved_and_weights, out)
    return -2.0 * push(a.lower, out)


@pair_loop
def _gradient_rows(
    part: Part,
    roots: Array,
    columns: Array,
    x: Array,
    y: Array,
    symmetric: bool,
    p0: Array,
    p1: Array,
    p2: Array,
    p3: Array,
    w: Array,
    out: Array,
) -> None:
    """Row ``i``: the sum of ``w (Y R - X)``."""
    n, m = w.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        a, total, marked = coordinates(x, 0, i, ENTRIES), SIXTEEN, 0
        mirrored = i + 1 if symmetric else m
        for j in range(m):
            b = coordinates(y, 0, j, ENTRIES)
            flat = p0[i, j] != p0[i, j]
            marked += 1 if flat else 0
            sign = 1.0 if j < mirrored else -1.0
            p = 1.0 if flat else p0[i, j], sign * p1[i, j], sign * p2[i, j], sign * p3[i, j]
            turned = _turned_difference(a, b, correlations(a, b), p)
            total = plus(total, 0.0 if flat else w[i, j], turned)
        if marked:
            add_marked(roots[i], columns, p0[i], w[i], out[i])
        for k in range(16):
            out[i, k // 4, k % 4] += total[k]


def _gradient_between(a: _Roots, b: _Roots, *rest: Array) -> Array:
    return _gradient(a, b, False, *rest)


def _gradient_within(a: _Roots, b: _Roots, *rest: Array) -> Array:
    return _gradient(a, b, True, *rest)


KERNEL = PairKernel(_prepare, _forward, _gradient_between, saved=4, symmetric_gradient=_gradient_within)
