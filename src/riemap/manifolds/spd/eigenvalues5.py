r"""Eigenvalues of symmetric 5 x 5 matrices, :data:`LANES` side by side, by Jacobi rotations.

:func:`diagonalise` rotates rows and columns of :math:`N = M/m - I`, where ``m`` is the mean eigenvalue of
``M``, until ``N`` is nearly diagonal. Every matrix gets every rotation, so there is no branch, and a loop
over matrices vectorises. Errors of eigenvalues are relative to the largest.

An array of matrices is ``(15, LANES)``, with a row for each lower entry, numbered as in
:mod:`riemap.manifolds.spd.lower_entries`.
"""

from typing import Any

from riemap.coordinate_tuples import coordinates, put
from riemap.linalg import LANES, MAX_SWEEPS
from riemap.loops import inline
from riemap.manifolds.spd.lower_entries import no_entries
from riemap.types import Array
from riemap.unrolled import (
    absolute,
    lower_index,
    lower_pairs,
    size_of,
    sum_of,
    symmetric_index,
    unrolled,
    with_sign,
)

ENTRIES = no_entries(5)

LOOSE = 1e-6
"""Length of the entries off the diagonal, relative to those on it, below which one more sweep is the last.
It squares them if eigenvalues are apart, and errors of eigenvalues are quadratic in them. With 1e-4, squared
distances between points of radius 4 had errors of 2e-12."""

ROUNDING_SQUARED = 1e-33
"""Squared length of the entries off the diagonal of ``N`` that needs no further sweep either: rounding
errors of ``M`` are larger."""

ZERO_GUARD = 1e-150
"""Added to a divisor so that the rotation at two equal numbers with a zero beside them is the identity."""

Five = tuple[float, float, float, float, float]


def _mean(m: Any) -> Any:
    """A fifth of the trace."""
    size = size_of(m)
    return sum_of(m[lower_index(p, p)] for p in range(size)) * (1.0 / size)


def _centred(m: Any) -> Any:
    """The lower entries of ``m / mean - I``."""
    mean = _mean(m)
    scale = 1.0 / mean
    pairs = zip(lower_pairs(size_of(m)), m, strict=True)
    return [(e - mean) * scale if p == q else e * scale for (p, q), e in pairs]


def _excess(a: Any) -> Any:
    """The squared length of the entries off the diagonal, minus ``LOOSE²`` times that of the diagonal."""
    size = size_of(a)
    off = sum_of(a[lower_index(p, q)] * a[lower_index(p, q)] for p in range(size) for q in range(p))
    diagonal = sum_of(a[lower_index(p, p)] * a[lower_index(p, p)] for p in range(size))
    return off - LOOSE * LOOSE * diagonal


def _rotate(a: list[Any], p: int, q: int) -> None:
    """Make the entry ``(p, q)`` small, by the angle of :mod:`riemap.manifolds.shared.eigenvalues4`."""
    at = symmetric_index
    product, rise = a[at(p, q)], a[at(q, q)] - a[at(p, p)]
    x, y = absolute(rise), 2.0 * absolute(product)
    slant = x + 0.8156 * y
    n, d = with_sign(y * slant, product * rise), 4.0 * x * slant + 1.9924 * y * y + ZERO_GUARD
    nn, dd = n * n, d * d
    scale = 1.0 / (dd + nn)
    c, s = (dd - nn) * scale, 2.0 * n * d * scale
    shift = s * (2.0 * c * product - s * rise)
    a[at(p, q)] = (1.0 - 2.0 * s * s) * product - c * s * rise
    a[at(p, p)], a[at(q, q)] = a[at(p, p)] - shift, a[at(q, q)] + shift
    for k in range(size_of(a)):
        if k not in (p, q):
            u, v = a[at(k, p)], a[at(k, q)]
            a[at(k, p)], a[at(k, q)] = c * u - s * v, s * u + c * v


def _sweep(m: Any) -> Any:
    """The entries after a rotation at each pair, in an order in which two neighbours share no row."""
    a = list(m)
    for turn in range(5):
        for k in (1, 2):
            _rotate(a, (turn + k) % 5, (turn - k) % 5)
    return a


mean, centred = unrolled(_mean), unrolled(_centred)
excess, sweep = unrolled(_excess), unrolled(_sweep)


@inline
def diagonalise(a: Array) -> None:
    """Sweep until the entries off the diagonals are negligible."""
    for _ in range(MAX_SWEEPS):
        turned = 0
        for lane in range(LANES):
            entries = coordinates(a, 0, lane, ENTRIES)
            turned += 1 if excess(entries) > ROUNDING_SQUARED else 0
            put(a, 0, lane, sweep(entries))
        if turned == 0:
            break


@inline
def _ordered(a: float, b: float) -> tuple[float, float]:
    return min(a, b), max(a, b)


@inline
def ascending(a: float, b: float, c: float, d: float, e: float) -> Five:
    """Five numbers in their order."""
    a, b = _ordered(a, b)
    d, e = _ordered(d, e)
    c, e = _ordered(c, e)
    c, d = _ordered(c, d)
    a, d = _ordered(a, d)
    a, c = _ordered(a, c)
    b, e = _ordered(b, e)
    b, d = _ordered(b, d)
    b, c = _ordered(b, c)
    return a, b, c, d, e
