r"""Eigenvalues and logarithms of symmetric 4 x 4 matrices, without eigenvectors.

Let :math:`M = m(I + N)`, where ``N`` has trace zero. A rotation in four dimensions is a pair of rotations in
three, so a symmetric ``N`` of trace zero corresponds to a 3 x 3 matrix ``K`` (as in the relation between
quaternions and attitudes of [Horn1987]). If :math:`s_1, s_2, \pm s_3` are the singular values of ``K``, where
the sign is that of its determinant, the eigenvalues of ``N`` are

.. math:: s_1+s_2+s_3,\quad s_1-s_2-s_3,\quad -s_1+s_2-s_3,\quad -s_1-s_2+s_3.

Four sweeps of three rotations each leave no cosine above 1e-8 between the columns of ``K``, and errors of the
eigenvalues are quadratic in these cosines. So every ``K`` gets four sweeps with approximate angles. There is
no branch, and a loop over matrices vectorises.

:math:`\log M` is the polynomial :math:`b_0 + b_1N + b_2N^2 + b_3N^3` that interpolates the logarithm at the
eigenvalues. Its coefficients are divided differences. They lose digits where eigenvalues coincide, but there
they multiply small numbers, and the polynomial keeps its digits.

Lower entries are numbered as in :mod:`riemap.manifolds.spd.lower_entries`.

References
----------
[Horn1987] Horn. Closed-form solution of absolute orientation using unit quaternions. J. Opt. Soc. Am. A
    4(4), 1987.
"""

import math

from riemap.loops import inline

ZERO_GUARD = 1e-150
"""Added to a divisor so that the rotation of two zero columns is the identity. It is far below the fourth
power of any other length, so it changes no other rotation."""

CLOSE_EIGENVALUES = 0.05
"""Ratio of the difference of two numbers to their sum below which a series gives the quotient of the
differences of logarithms and numbers; the quotient itself would lose digits."""

Three = tuple[float, float, float]
Four = tuple[float, float, float, float]


# --- eigenvalues ------------------------------------------------------------------------------------


@inline
def _dot(p: Three, q: Three) -> float:
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


@inline
def _rotated(p: Three, q: Three) -> tuple[Three, Three]:
    r"""Both columns after a rotation that makes them nearly orthogonal.

    The angle is about half of :math:`\arctan(b/a)`; ``n / d`` approximates the tangent of half of that. It
    leaves less than 2 % of the inner product, and far less of a small one. Cosine and sine are rational
    functions of ``n / d``, so that the rotation keeps lengths exactly.
    """
    product, rise = _dot(p, q), _dot(q, q) - _dot(p, p)
    a, b = abs(rise), 2.0 * abs(product)
    slant = a + 0.8156 * b
    n, d = b * slant, 4.0 * a * slant + 1.9924 * b * b + ZERO_GUARD
    n = -n if product * rise < 0.0 else n
    scale = 1.0 / (d * d + n * n)
    c, s = (d * d - n * n) * scale, 2.0 * n * d * scale
    return (
        (c * p[0] - s * q[0], c * p[1] - s * q[1], c * p[2] - s * q[2]),
        (s * p[0] + c * q[0], s * p[1] + c * q[1], s * p[2] + c * q[2]),
    )


@inline
def _sweep(p: Three, q: Three, r: Three) -> tuple[Three, Three, Three]:
    p, q = _rotated(p, q)
    p, r = _rotated(p, r)
    q, r = _rotated(q, r)
    return p, q, r


@inline
def eigenvalues(m: tuple[float, ...]) -> tuple[float, Four]:
    """A quarter of the trace of ``m``, and the eigenvalues of the traceless rest, over that."""
    mean = 0.25 * (m[0] + m[2] + m[5] + m[9])
    f = 0.5 / mean
    h = 0.5 * f
    p = (h * (m[0] + m[2] - m[5] - m[9]), f * (m[4] - m[6]), f * (m[3] + m[7]))
    q = (f * (m[6] + m[4]), h * (m[0] + m[5] - m[2] - m[9]), f * (m[8] - m[1]))
    r = (f * (m[7] - m[3]), f * (m[1] + m[8]), h * (m[0] + m[9] - m[2] - m[5]))
    p, q, r = _sweep(p, q, r)
    p, q, r = _sweep(p, q, r)
    p, q, r = _sweep(p, q, r)
    p, q, r = _sweep(p, q, r)
    a, b, c = math.sqrt(_dot(p, p)), math.sqrt(_dot(q, q)), math.sqrt(_dot(r, r))
    cross = (p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])
    c = -c if _dot(cross, r) < 0.0 else c
    return mean, (a + b + c, a - b - c, b - a - c, c - a - b)


# --- the logarithm as a polynomial --------------------------------------------------------------------


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
