r"""Logarithms of positive definite 5 x 5 matrices, without eigenvectors.

Up to a multiple of the identity,

.. math:: \log M = c_1M + c_2M^2 + c_{-1}M^{-1} + c_{-2}M^{-2},

where the coefficients are those with which this holds for each eigenvalue :math:`\lambda`. Then
:math:`\lambda^2(c_0 + c_1\lambda + \dots)` is the polynomial that interpolates
:math:`\lambda^2\log\lambda`, so they follow from divided differences of this function. In a polynomial of
``M`` alone, terms would be far larger than their sum where eigenvalues differ by orders of magnitude. Here
they are not, unless four of the eigenvalues are close to each other and the fifth is far away.

Divided differences lose digits where eigenvalues coincide. The errors cancel, because every difference of
higher order is computed from those of lower order, until they are so large that the sum is rounded to few
digits. A derivative replaces only these (:data:`CLOSE_THREE`).
"""

from typing import Any

from riemap.loops import inline
from riemap.manifolds.spd.eigenvalues5 import Five
from riemap.unrolled import lower_pairs, size_of, sum_of, symmetric_index, unrolled

CLOSE_TWO = 0.05
"""Ratio of the difference of two numbers to their sum below which a series gives the slope of the log."""

CLOSE_THREE, CLOSE_MORE = 1e-5, 1e-7
"""Spread of three numbers, and of four or five, relative to the middle, below which a derivative replaces a
divided difference. That of three is exact up to the spread squared, and multiplies the spread squared; four
may have a fifth far away, where an error counts in full."""

Four = tuple[float, float, float, float]


@inline
def _slope(s: float, t: float, x: float, y: float) -> float:
    """Of ``x² log x`` between ``x`` and ``y``, which have the logarithms ``s`` and ``t``."""
    half = 1.0 / (x + y)
    z = (y - x) * half
    z *= z
    series = 1.0 + z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9 + z * (1.0 / 11)))))
    close = z < CLOSE_TWO * CLOSE_TWO
    slope = 2.0 * half * series if close else (t - s) / (1.0 if close else y - x)
    return slope * y * y + (x + y) * s


@inline
def _over(rise: float, spread: float, least: float, derivative: float) -> float:
    """``rise / spread``, or the derivative if the spread is below ``least``."""
    close = not spread > least
    return derivative if close else rise / (1.0 if close else spread)


@inline
def _second(a: float, b: float, x: float, y: float, z: float, log_y: float) -> float:
    """The divided difference at ``x``, ``y`` and ``z`` from the slopes ``a`` and ``b`` between them."""
    return _over(b - a, z - x, CLOSE_THREE * y, log_y + 1.5 + (x + z - 2.0 * y) / (3.0 * y))


@inline
def coefficients(x: Five, s: Five) -> Four:
    """Coefficients of ``x``, ``x²``, ``1/x`` and ``1/x²`` from ascending ``x`` and their logarithms ``s``.

    A constant may be added to all logarithms; they should be about zero.
    """
    a, b = _slope(s[0], s[1], x[0], x[1]), _slope(s[1], s[2], x[1], x[2])
    c, d = _slope(s[2], s[3], x[2], x[3]), _slope(s[3], s[4], x[3], x[4])
    second = _second(a, b, x[0], x[1], x[2], s[1])
    e, f = _second(b, c, x[1], x[2], x[3], s[2]), _second(c, d, x[2], x[3], x[4], s[3])
    inverse = 1.0 / x[2]
    flat = inverse * (1.0 / 3.0)
    third = _over(e - second, x[3] - x[0], CLOSE_MORE * x[2], flat)
    fourth = _over(
        _over(f - e, x[4] - x[1], CLOSE_MORE * x[2], flat) - third,
        x[4] - x[0],
        CLOSE_MORE * x[2],
        inverse * inverse * (-1.0 / 12.0),
    )
    p, q = third - x[3] * fourth, fourth
    p, q, r = second - x[2] * p, p - x[2] * q, q
    p, q, r, t = a - x[1] * p, p - x[1] * q, q - x[1] * r, r
    return r - x[0] * t, t, p - x[0] * q, x[0] * (x[0] * s[0] - p)


def _powers(m: Any, inverse: Any, c: Any) -> Any:
    """The lower entries of ``c[0] m + c[1] m² + c[2] m⁻¹ + c[3] m⁻²``."""
    size, at = size_of(m), symmetric_index

    def part(a: Any, e: int, p: int, q: int, first: Any, second: Any) -> Any:
        return first * a[e] + second * sum_of(a[at(p, k)] * a[at(k, q)] for k in range(size))

    return [
        part(m, e, p, q, c[0], c[1]) + part(inverse, e, p, q, c[2], c[3])
        for e, (p, q) in enumerate(lower_pairs(size))
    ]


powers = unrolled(_powers)
