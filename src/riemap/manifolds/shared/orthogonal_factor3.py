r"""Orthogonal factors of 3 x 3 matrices in closed form, for loops over pairs.

Let :math:`C = U\,\mathrm{diag}(s_1, s_2, s_3)\,V^\top`. The orthogonal matrix nearest to ``C`` is
:math:`R = UV^\top`. The matrices ``C``, :math:`CC^\top C` and the cofactors of ``C`` have the same singular
vectors, and the singular values :math:`s`, :math:`s^3` and :math:`\pm s_1s_2s_3/s`, where the sign is that of
:math:`\det C`. Every ``s`` satisfies :math:`s^3 - e_1s^2 + e_2s - e_3 = 0` with the elementary symmetric
polynomials :math:`e_k` of all three, and therefore

.. math:: R = \frac{(e_1^2 - e_2)\,C - CC^\top C \pm e_1\,\mathrm{cof}\,C}{e_1e_2 - e_3}.

The denominator is :math:`(s_1+s_2)(s_1+s_3)(s_2+s_3)`. Its last factor says how many digits ``R`` has, by any
method: with :math:`s_2 + s_3 = 0` there are many nearest matrices. The closed form loses twice as many, but
only in the part that keeps it from being orthogonal, and a Newton step, :math:`R(3I - R^\top R)/2`, removes
that part. If :math:`(s_2 + s_3)/s_1` is 0.01, the entries of ``R`` have errors of 4e-14 before that step.

Matrices are tuples of nine entries, row by row.
"""

import math

from riemap.linalg import LANES
from riemap.loops import inline
from riemap.types import Array
from riemap.vmath import NAN, TINY, cos_third

Nine = tuple[float, float, float, float, float, float, float, float, float]

LEAST_SQUARE = 1e-120
"""Smallest sum of squared entries for which the closed form is used. For smaller ones, the squares of
cofactors underflow and lose digits."""


@inline
def cofactors(c: Nine) -> Nine:
    """Cofactors of ``C``."""
    return (
        c[4] * c[8] - c[5] * c[7],
        c[5] * c[6] - c[3] * c[8],
        c[3] * c[7] - c[4] * c[6],
        c[2] * c[7] - c[1] * c[8],
        c[0] * c[8] - c[2] * c[6],
        c[1] * c[6] - c[0] * c[7],
        c[1] * c[5] - c[2] * c[4],
        c[2] * c[3] - c[0] * c[5],
        c[0] * c[4] - c[1] * c[3],
    )


@inline
def _square(a: Nine) -> float:
    """Sum of the squared entries."""
    top = a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
    middle = a[3] * a[3] + a[4] * a[4] + a[5] * a[5]
    return top + middle + (a[6] * a[6] + a[7] * a[7] + a[8] * a[8])


@inline
def _greatest(first: float, second: float, det: float) -> float:
    """Square of the greatest singular value, from the sums of squares of ``C`` and of its cofactors.

    It is the greatest root of a cubic; cubic and root are divided by powers of ``first``, so that no power of
    an entry overflows.
    """
    scale = 1.0 / (first + TINY)
    u, v = second * scale * scale, det * scale * (det * scale) * scale
    root = math.sqrt(max(1.0 - 3.0 * u, 0.0))
    r = (1.0 - 4.5 * u + 13.5 * v) / (root * root * root + TINY)
    return first * (1.0 + 2.0 * root * cos_third(min(max(r, -1.0), 1.0))) * (1.0 / 3.0)


@inline
def coefficients(c: Nine, least_gap: float) -> tuple[float, float, float]:
    """Multiples of ``C``, of ``C Cᵀ C`` and of the cofactors whose sum is ``R``.

    The first is NaN and the others are zero where the closed form has too few digits: where the ratio of the
    sum of the two lesser singular values to the greatest is at most ``least_gap``. The coefficients of ``Cᵀ``
    are the same.
    """
    cofactor = cofactors(c)
    first, second = _square(c), _square(cofactor)
    signed = c[0] * cofactor[0] + c[1] * cofactor[1] + c[2] * cofactor[2]
    det = abs(signed)
    square = _greatest(first, second, det)
    most = math.sqrt(square)
    product = det / (most + TINY)  # of the lesser two singular values
    lesser = math.sqrt(max(second - product * product, 0.0) / (square + TINY) + 2.0 * product)  # their sum
    flat = not (lesser > least_gap * most and first > LEAST_SQUARE)
    total = most + lesser
    scale = 0.0 if flat else 1.0 / ((square + most * lesser + product) * lesser)
    return (
        NAN if flat else 0.5 * (total * total + first) * scale,
        -scale,
        (-total if signed < 0.0 else total) * scale,
    )


@inline
def any_marked(marks: Array, j: int, end: int) -> bool:
    """Whether one of the next :data:`~riemap.linalg.LANES` first coefficients is NaN."""
    count = 0
    for k in range(j, min(j + LANES, end)):
        count += 1 if math.isnan(marks[k]) else 0
    return count > 0


@inline
def orthogonal_factor(c: Nine, a: float, b: float, k: float) -> Nine:
    """``R`` from its coefficients."""
    return _orthogonalised(combination(c, a, b, k))


@inline
def combination(c: Nine, a: float, b: float, k: float) -> Nine:
    """``a C + b C Cᵀ C + k cof C``."""
    p0, p1, p2 = (
        a + b * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]),
        b * (c[0] * c[3] + c[1] * c[4] + c[2] * c[5]),
        b * (c[0] * c[6] + c[1] * c[7] + c[2] * c[8]),
    )
    p4, p5 = a + b * (c[3] * c[3] + c[4] * c[4] + c[5] * c[5]), b * (c[3] * c[6] + c[4] * c[7] + c[5] * c[8])
    p8 = a + b * (c[6] * c[6] + c[7] * c[7] + c[8] * c[8])
    f = cofactors(c)
    return (
        p0 * c[0] + p1 * c[3] + p2 * c[6] + k * f[0],
        p0 * c[1] + p1 * c[4] + p2 * c[7] + k * f[1],
        p0 * c[2] + p1 * c[5] + p2 * c[8] + k * f[2],
        p1 * c[0] + p4 * c[3] + p5 * c[6] + k * f[3],
        p1 * c[1] + p4 * c[4] + p5 * c[7] + k * f[4],
        p1 * c[2] + p4 * c[5] + p5 * c[8] + k * f[5],
        p2 * c[0] + p5 * c[3] + p8 * c[6] + k * f[6],
        p2 * c[1] + p5 * c[4] + p8 * c[7] + k * f[7],
        p2 * c[2] + p5 * c[5] + p8 * c[8] + k * f[8],
    )


@inline
def _orthogonalised(r: Nine) -> Nine:
    """``R (3 I - Rᵀ R) / 2``."""
    q0 = 1.5 - 0.5 * (r[0] * r[0] + r[3] * r[3] + r[6] * r[6])
    q4 = 1.5 - 0.5 * (r[1] * r[1] + r[4] * r[4] + r[7] * r[7])
    q8 = 1.5 - 0.5 * (r[2] * r[2] + r[5] * r[5] + r[8] * r[8])
    q1 = -0.5 * (r[0] * r[1] + r[3] * r[4] + r[6] * r[7])
    q2 = -0.5 * (r[0] * r[2] + r[3] * r[5] + r[6] * r[8])
    q5 = -0.5 * (r[1] * r[2] + r[4] * r[5] + r[7] * r[8])
    return (
        r[0] * q0 + r[1] * q1 + r[2] * q2,
        r[0] * q1 + r[1] * q4 + r[2] * q5,
        r[0] * q2 + r[1] * q5 + r[2] * q8,
        r[3] * q0 + r[4] * q1 + r[5] * q2,
        r[3] * q1 + r[4] * q4 + r[5] * q5,
        r[3] * q2 + r[4] * q5 + r[5] * q8,
        r[6] * q0 + r[7] * q1 + r[8] * q2,
        r[6] * q1 + r[7] * q4 + r[8] * q5,
        r[6] * q2 + r[7] * q5 + r[8] * q8,
    )
