"""Angles divided by their sines, for compiled loops over pairs.

As the functions of :mod:`riemap.vmath`, these are arithmetic that the compiler can vectorise, and
``tools/vmath_coefficients.py`` prints the coefficients.
"""

from collections.abc import Callable
from typing import Any

from numba.extending import intrinsic

from riemap.loops import inline
from riemap.vmath import fma, horner

_OVER_SINE = (
    1.0,
    0.6666666666666189,
    0.533333333347301,
    0.4571428555234227,
    0.40634930554643117,
    0.3694046593528639,
    0.3410846901153082,
    0.3166413710297264,
    0.32027747068693146,
    0.08407576531699976,
    1.7419401120753197,
    -8.143722953164364,
    37.66407038907781,
    -129.9390909749634,
    352.8131122932864,
    -735.7810753571637,
    1162.49827535509,
    -1344.7036456955425,
    1078.7069668492722,
    -537.7305664887608,
    127.05916079168854,
)
_OVER_SINE_LOW, _OVER_SINE_HIGH = _OVER_SINE[:10], _OVER_SINE[10:]
_OVER_SINE_TOP = (
    1.5707963267948963,
    6.725411862075565,
    9.854087901051304,
    5.71773429398408,
    1.098283264497142,
    0.01916802248661943,
    -0.0006440645434196468,
)
_OVER_SINE_BOTTOM = (
    1.0,
    5.554769713447777,
    11.345859657537915,
    10.371785914302045,
    4.073377428831226,
    0.5140339638633362,
)


def _typed_differences(context: Any, points: Any, coefficients: Any) -> Any:
    """Divide the polynomial by its argument minus the first point, the quotient likewise, and so on."""

    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        quotient = [builder.extract_value(values[1], k) for k in range(len(coefficients))]
        remainders = []
        for p in range(len(points)):
            point = builder.extract_value(values[0], p)
            for k in reversed(range(len(quotient) - 1)):
                quotient[k] = builder.fma(quotient[k + 1], point, quotient[k])
            remainders.append(quotient.pop(0))
        return context.make_tuple(builder, signature.return_type, remainders)

    return points(points, coefficients), lower


_compiled: Callable[..., Any] = intrinsic
_differences: Callable[..., tuple[float, ...]] = _compiled(_typed_differences)
"""``f(x)``, ``f[x, y]``, ``f[x, y, z]``, ... of the polynomial ``f`` with these coefficients."""


@inline
def over_sine(q: float) -> float:
    """``d / sin d`` for ``q = sin²(d/2)`` in [0, 1/2], that is, for ``d`` up to a right angle.

    The polynomial is evaluated in two halves: the compiler does not unroll a longer loop, and then does not
    vectorise the loop around it.
    """
    square = q * q
    fourth = square * square
    return fma(fourth * fourth * square, horner(q, _OVER_SINE_HIGH), horner(q, _OVER_SINE_LOW))


@inline
def over_sine_quotient(q: float) -> tuple[float, float]:
    """Two numbers whose quotient is :func:`over_sine`, for loops that can share the division.

    They are polynomials in ``1/2 - q`` with half as many terms, of which all but one are positive.
    """
    rest = 0.5 - q
    return horner(rest, _OVER_SINE_TOP), horner(rest, _OVER_SINE_BOTTOM)


@inline
def over_sine_differences(points: tuple[float, ...]) -> tuple[float, ...]:
    """Divided differences ``f(p)``, ``f[p, q]``, ``f[p, q, r]``, ... of :func:`over_sine`, as many as points.

    They keep their digits where the points are close or equal: the third has ten, and the fourth eight.
    """
    return _differences(points, _OVER_SINE)
