r"""Loops over pairs for the affine-invariant distance, size 5.

With :math:`G = L_A^{-1}L_B`, the eigenvalues of :math:`M = GG^\top` give the distance, and
:math:`-2\log M` is the gradient at the identity. :mod:`riemap.manifolds.spd.eigenvalues5` finds eigenvalues,
and :mod:`riemap.manifolds.spd.logarithm5` the coefficients of :math:`M^{\pm1}` and :math:`M^{\pm2}` in the
logarithm. The same four serve both ends of a pair, because :math:`G^\top G`, the inverse of the matrix ``M``
of the pair :math:`(B, A)`, has the eigenvalues of ``M`` too.

Errors of the eigenvalues of ``M`` are relative to the largest one. Where a pair is far apart, those of
:math:`M^{-1} = H^\top H` with :math:`H = L_B^{-1}L_A` are found as well, with errors relative to the
largest of these, and each eigenvalue is taken from where it has more digits. The one in the middle, which has
the fewest, follows from the determinant. Where another one has too few, or a coefficient is too
large, singular values and vectors of ``G`` are used (:mod:`riemap.manifolds.spd.affine_far`).
"""

import math

import numpy as np

from riemap.coordinate_tuples import coordinates, plus, put
from riemap.linalg import LANES
from riemap.loops import inline, pair_loop
from riemap.lower_triangle import row_and_end
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.spd import lower_entries
from riemap.manifolds.spd.affine_far import add_far_slopes, far_distances
from riemap.manifolds.spd.affine_pairs4 import marked
from riemap.manifolds.spd.eigenvalues5 import ENTRIES, ascending, centred, diagonalise, mean
from riemap.manifolds.spd.logarithm5 import Four, coefficients, powers
from riemap.manifolds.spd.lower_entries import at, cosquare, square, whitened, write_congruence
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import NAN, log

WIDE = 30.0
"""Product of the mean eigenvalues of ``M`` and of its inverse above which both are used."""

LARGEST_LOSS = 1e4
"""Largest factor by which rounding errors of an eigenvalue may exceed those of a number of its size."""

LARGEST_TERM = 1e5
"""Largest term of the logarithm. The error of a gradient is about 1e-16 of the largest term."""

LOG_DETERMINANT = 30
"""Row of the coordinates."""

MEAN, INVERSE, LOSS = 5, 6, 12
"""Rows of the numbers of a pair: the eigenvalues of ``M``, ascending, and their mean, then those of the
inverse, and then the factor that :data:`LARGEST_LOSS` bounds."""

FIVE = (0.0,) * 5


def factors(a: Array) -> Array:
    """Coordinates; the last matrix is repeated until the number of columns is a multiple of ``LANES``."""
    return lower_entries.factors(np.concatenate([a, np.repeat(a[-1:], -len(a) % LANES, axis=0)]))


# --- distances ----------------------------------------------------------------------------------------------


def _forward(x: Array, y: Array, symmetric: bool, out: Array, *saved: Array) -> None:
    """Write squared distances and coefficients; the first one is NaN where singular vectors are used."""
    _forward_rows(len(out), x, y, symmetric, out, *saved)


@pair_loop
def _forward_rows(
    part: Part, x: Array, y: Array, symmetric: bool, out: Array, c1: Array, c2: Array, d1: Array, d2: Array
) -> None:
    n, m = out.shape
    a, numbers, found = np.empty((15, LANES)), np.empty((13, LANES)), np.empty((5, LANES))
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        far = 0
        for j in range(0, end, LANES):
            wide = _matrices(x, i, y, j, a, numbers)
            for row in range(0, LOSS if wide else INVERSE, INVERSE):
                if row == INVERSE:
                    _inverses(x, i, y, j, a, numbers)
                diagonalise(a)
                _write_eigenvalues(a, numbers, row)
            if wide:
                _refine(x, i, y, j, numbers)
            _write_logarithms(numbers, found)
            for lane in range(min(LANES, m - j)):
                out[i, j + lane], c1[i, j + lane], c2[i, j + lane] = (
                    found[0, lane],
                    found[1, lane],
                    found[2, lane],
                )
                d1[i, j + lane], d2[i, j + lane] = found[3, lane], found[4, lane]
                far += 1 if math.isnan(found[1, lane]) else 0
        if far:
            far_distances(x, i, y, marked(c1[i], end), ENTRIES, out[i])


@inline
def _matrices(x: Array, i: int, y: Array, j: int, a: Array, numbers: Array) -> int:
    """Write ``M / mean - I`` for the pairs from ``j`` on, and return how many of them are far apart."""
    wide = 0
    for lane in range(LANES):
        m = square(whitened(x, i, y, j + lane, ENTRIES))
        inverse = cosquare(whitened(y, j + lane, x, i, ENTRIES))
        numbers[MEAN, lane], numbers[LOSS, lane] = mean(m), 1.0
        wide += 1 if mean(m) * mean(inverse) > WIDE else 0
        put(a, 0, lane, centred(m))
    return wide


@inline
def _inverses(x: Array, i: int, y: Array, j: int, a: Array, numbers: Array) -> None:
    """As :func:`_matrices`, for the inverse of ``M``."""
    for lane in range(LANES):
        inverse = cosquare(whitened(y, j + lane, x, i, ENTRIES))
        numbers[INVERSE + MEAN, lane] = mean(inverse)
        put(a, 0, lane, centred(inverse))


@inline
def _write_eigenvalues(a: Array, numbers: Array, row: int) -> None:
    """Write the eigenvalues of the matrices whose remainders are diagonal."""
    for lane in range(LANES):
        scale = numbers[row + MEAN, lane]
        v = ascending(a[0, lane], a[2, lane], a[5, lane], a[9, lane], a[14, lane])
        v = v[0] * scale, v[1] * scale, v[2] * scale, v[3] * scale, v[4] * scale
        put(numbers, row, lane, (scale + v[0], scale + v[1], scale + v[2], scale + v[3], scale + v[4]))


@inline
def _refine(x: Array, i: int, y: Array, j: int, numbers: Array) -> None:
    """Replace the eigenvalues that have lost digits, where a pair is far apart."""
    for lane in range(LANES):
        a, b, c, high = numbers[1, lane], numbers[2, lane], numbers[3, lane], numbers[4, lane]
        inverse = numbers[INVERSE + 4, lane]
        low = 1.0 / inverse
        centre = math.sqrt(low * high)
        a = a if a > centre else 1.0 / numbers[INVERSE + 3, lane]
        b = b if b > centre else 1.0 / numbers[INVERSE + 2, lane]
        c = c if c > centre else 1.0 / numbers[INVERSE + 1, lane]
        p, q, r = min(high / a, a * inverse), min(high / b, b * inverse), min(high / c, c * inverse)
        most = max(max(p, q), r)
        g = whitened(x, i, y, j + lane, ENTRIES)
        root = g[0] * g[2] * g[5] * g[9] * g[14]
        middle = (root * inverse) * (root / high)  # the product of a, b and c
        first, second = middle / (b * c), middle / (a * c)
        third = middle / (a * b)
        wide = numbers[MEAN, lane] * numbers[INVERSE + MEAN, lane] > WIDE
        numbers[0, lane] = low if wide else numbers[0, lane]
        numbers[1, lane] = (first if p == most else a) if wide else numbers[1, lane]
        numbers[2, lane] = (second if q == most else b) if wide else numbers[2, lane]
        numbers[3, lane] = (third if r == most else c) if wide else numbers[3, lane]
        numbers[LOSS, lane] = max(min(p, q), min(max(p, q), r)) if wide else 1.0


@inline
def _write_logarithms(numbers: Array, found: Array) -> None:
    """Write the squared distances and the coefficients."""
    for lane in range(LANES):
        v = coordinates(numbers, 0, lane, FIVE)
        s = log(v[0]), log(v[1]), log(v[2]), log(v[3]), log(v[4])
        found[0, lane] = s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + s[3] * s[3] + s[4] * s[4]
        middle = 0.5 * (s[0] + s[4])
        c = coefficients(v, (s[0] - middle, s[1] - middle, s[2] - middle, s[3] - middle, s[4] - middle))
        inverse = 1.0 / v[0]
        up = max(abs(c[0]), abs(c[1]) * v[4]) * v[4]
        down = max(abs(c[2]), abs(c[3]) * inverse) * inverse
        near = max(up, down) < LARGEST_TERM and numbers[LOSS, lane] < LARGEST_LOSS
        found[1, lane] = c[0] if near else NAN
        found[2, lane], found[3, lane] = c[1] if near else 0.0, c[2] if near else 0.0
        found[4, lane] = c[3] if near else 0.0


# --- gradients ----------------------------------------------------------------------------------------------


def _gradient(x: Array, y: Array, symmetric: bool, *saved_and_weights: Array) -> Array:
    """Row ``i``: the sum of ``-2 w log``."""
    out = np.empty((len(saved_and_weights[0]), 5, 5))
    _gradient_rows(len(out), x, y, symmetric, *saved_and_weights, out)
    return out


@pair_loop
def _gradient_rows(
    part: Part,
    x: Array,
    y: Array,
    symmetric: bool,
    c1: Array,
    c2: Array,
    d1: Array,
    d2: Array,
    w: Array,
    out: Array,
) -> None:
    n, m = w.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        total, trace, far = ENTRIES, 0.0, 0
        split = i + 1 if symmetric else m
        for j in range(split):
            far += 1 if c1[i, j] != c1[i, j] else 0
            trace -= 2.0 * w[i, j] * (y[LOG_DETERMINANT, j] - x[LOG_DETERMINANT, i])
            c = _weighted(-2.0 * w[i, j], c1[i, j], c2[i, j], d1[i, j], d2[i, j])
            total = plus(total, 1.0, _logarithm(x, i, y, j, c))
        for j in range(split, m):
            far += 1 if c1[i, j] != c1[i, j] else 0
            trace -= 2.0 * w[i, j] * (y[LOG_DETERMINANT, j] - x[LOG_DETERMINANT, i])
            c = _weighted(2.0 * w[i, j], c1[i, j], c2[i, j], d1[i, j], d2[i, j])
            total = plus(total, 1.0, _logarithm(x, i, y, j, (c[2], c[3], c[0], c[1])))
        slopes = np.zeros((5, 5))
        if far:
            add_far_slopes(x, i, y, marked(c1[i], m), w[i], ENTRIES, slopes)
        _write_row(out, x, i, total, slopes, trace)


@inline
def _weighted(weight: float, c1: float, c2: float, d1: float, d2: float) -> Four:
    """The coefficients times the weight, zeros if they are marked."""
    flat = c1 != c1
    return weight * (0.0 if flat else c1), weight * c2, weight * d1, weight * d2


@inline
def _logarithm(x: Array, i: int, y: Array, j: int, c: Four) -> tuple[float, ...]:
    """The sum of powers of ``M`` and its inverse with these coefficients."""
    m = square(whitened(x, i, y, j, ENTRIES))
    return powers(m, cosquare(whitened(y, j, x, i, ENTRIES)), c)


@inline
def _write_row(out: Array, x: Array, i: int, total: tuple[float, ...], slopes: Array, trace: float) -> None:
    """Write ``L W Lᵀ`` for the sum ``W`` of both, shifted on its diagonal to this trace."""
    w = np.empty(15)
    for p in range(5):
        trace -= total[at(p, p)] + slopes[p, p]
        for q in range(p + 1):
            w[at(p, q)] = total[at(p, q)] + slopes[p, q]
    for p in range(5):
        w[at(p, p)] += 0.2 * trace
    write_congruence(out, x, i, w)


def _gradient_between(x: Array, y: Array, *rest: Array) -> Array:
    return _gradient(x, y, False, *rest)


def _gradient_within(x: Array, y: Array, *rest: Array) -> Array:
    return _gradient(x, y, True, *rest)


KERNEL = PairKernel(factors, _forward, _gradient_between, saved=4, symmetric_gradient=_gradient_within)
