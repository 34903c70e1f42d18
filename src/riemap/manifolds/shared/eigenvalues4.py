r"""Eigenvalues of symmetric 4 x 4 matrices, without eigenvectors.

Let :math:`M = m(I + N)`, where ``N`` has trace zero. A rotation in four dimensions is a pair of rotations in
three, so a symmetric ``N`` of trace zero corresponds to a 3 x 3 matrix ``K`` (as in the relation between
quaternions and attitudes of [Horn1987]). If :math:`s_1, s_2, \pm s_3` are the singular values of ``K``, where
the sign is that of its determinant, the eigenvalues of ``N`` are

.. math:: s_1+s_2+s_3,\quad s_1-s_2-s_3,\quad -s_1+s_2-s_3,\quad -s_1-s_2+s_3.

Four sweeps of three rotations each leave no cosine above 1e-8 between the columns of ``K``, and errors of the
eigenvalues are quadratic in these cosines. So every ``K`` gets four sweeps with approximate angles. There is
no branch, and a loop over matrices vectorises.

Lower entries are numbered row by row.

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

Three = tuple[float, float, float]
Four = tuple[float, float, float, float]


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
