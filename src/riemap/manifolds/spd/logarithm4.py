r"""Logarithms of symmetric positive definite 4 x 4 matrices, without eigenvectors.

With the eigenvalues of :math:`N = M/m - I`, of trace zero (:mod:`riemap.manifolds.shared.eigenvalues4`),
:math:`\log M` is the polynomial :math:`b_0 + b_1N + b_2N^2 + b_3N^3` that interpolates the logarithm at the
eigenvalues. Its coefficients are divided differences. They lose digits where eigenvalues coincide, but there
they multiply small numbers, and the polynomial keeps its digits.

Lower entries are numbered as in :mod:`riemap.manifolds.spd.lower_entries`.
"""

from riemap.loops import inline
from riemap.manifolds.shared.eigenvalues4 import Four, Three

CLOSE_EIGENVALUES = 0.05
"""Ratio of the difference of two numbers to their sum below which a series gives the quotient of the
differences of logarithms and numbers; the quotient itself would lose digits."""


@inline
def _slope(s: float, t: float, x: float, y: float) -> float:
    """``(s - t) / (x - y)`` for the logarithms ``s`` and ``t`` of ``1 + x`` and ``1 + y``."""
    half = 1.0 / (2.0 + x + y)
    z = (x - y) * half
    z *= z
    series = 1.0 + z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9 + z * (1.0 / 11)))))
    return 2.0 * half * series if z < CLOSE_EIGENVALUES * CLOSE_EIGENVALUES else (s - t) / (x - y)


@inline
def _over(a: float, b: float) -> float:
    return a / (1.0 if b == 0.0 else b)


@inline
def coefficients(x: Four, s: Four) -> Three:
    """``b1``, ``b2``, ``b3`` of the polynomial with values ``s`` at ``x``, where the ``x`` sum to zero."""
    ab, bc, cd = (
        _slope(s[0], s[1], x[0], x[1]),
        _slope(s[1], s[2], x[1], x[2]),
        _slope(s[2], s[3], x[2], x[3]),
    )
    abc, bcd = _over(bc - ab, x[2] - x[0]), _over(cd - bc, x[3] - x[1])
    abcd = _over(bcd - abc, x[3] - x[0])
    pairs = x[0] * x[1] + (x[0] + x[1]) * x[2]
    return ab - (x[0] + x[1]) * abc + pairs * abcd, abc + x[3] * abcd, abcd


@inline
def polynomial(m: tuple[float, ...], b1: float, b2: float, b3: float) -> tuple[float, ...]:
    """``b1 N + b2 N² + b3 N³``, up to its trace."""
    mean = 0.25 * (m[0] + m[2] + m[5] + m[9])
    f = 1.0 / mean
    a, b, c, d = f * (m[0] - mean), f * (m[2] - mean), f * (m[5] - mean), f * (m[9] - mean)
    e, g, h, k, o, p = f * m[1], f * m[3], f * m[4], f * m[6], f * m[7], f * m[8]
    t0, t2, t5, t9 = b2 + b3 * a, b2 + b3 * b, b2 + b3 * c, b2 + b3 * d
    t1, t3, t4, t6, t7, t8 = b3 * e, b3 * g, b3 * h, b3 * k, b3 * o, b3 * p
    # T = b1 + N (b2 + b3 N)
    u0 = b1 + a * t0 + e * t1 + g * t3 + k * t6
    u1 = e * t0 + b * t1 + h * t3 + o * t6
    u2 = b1 + e * t1 + b * t2 + h * t4 + o * t7
    u3 = g * t0 + h * t1 + c * t3 + p * t6
    u4 = g * t1 + h * t2 + c * t4 + p * t7
    u5 = b1 + g * t3 + h * t4 + c * t5 + p * t8
    u6 = k * t0 + o * t1 + p * t3 + d * t6
    u7 = k * t1 + o * t2 + p * t4 + d * t7
    u8 = k * t3 + o * t4 + p * t5 + d * t8
    u9 = b1 + k * t6 + o * t7 + p * t8 + d * t9
    return (
        a * u0 + e * u1 + g * u3 + k * u6,
        e * u0 + b * u1 + h * u3 + o * u6,
        e * u1 + b * u2 + h * u4 + o * u7,
        g * u0 + h * u1 + c * u3 + p * u6,
        g * u1 + h * u2 + c * u4 + p * u7,
        g * u3 + h * u4 + c * u5 + p * u8,
        k * u0 + o * u1 + p * u3 + d * u6,
        k * u1 + o * u2 + p * u4 + d * u7,
        k * u3 + o * u4 + p * u5 + d * u8,
        k * u6 + o * u7 + p * u8 + d * u9,
    )
