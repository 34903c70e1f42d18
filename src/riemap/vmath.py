"""Elementary functions that the compiler can vectorise.

``math.log`` in a Numba loop is a call into the C library, and a call keeps the loop scalar.
The functions here are straight-line arithmetic on bits and polynomials: inlined into a loop
over nodes they become SIMD instructions. Each is within a few units in the last place of the
true value (``tests/test_vmath.py`` measures it against mpmath). The result for a NaN is NaN.

``tools/vmath_coefficients.py`` prints the coefficients.

``riemap.loops`` says how to write loops with them.
"""

import math
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from riemap.loops import inline

TINY = 2.2250738585072014e-308
"""The smallest normal number. Added to a divisor it turns 0/0 into 0 and changes nothing else."""

INF = float("inf")
NAN = float("nan")

_LN2_HIGH = 0.6931471803691238  # ln 2 without its last 32 bits, so that its product with an exponent is exact
_LN2_LOW = 1.9082149292705877e-10  # ln 2 - _LN2_HIGH
_LOG2_E = 1.4426950408889634
_PI_2 = 1.5707963267948966
_PI_4 = 0.7853981633974483
_PI = 3.141592653589793
_TAN_PI_8 = 0.41421356237309503
_ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it rounds a number to an integer, held in its low bits
_ROUND_BITS = 0x4338000000000000
_SQRT_HALF_BITS = 0x3FE6A09E667F3BCD

_LOG = (
    0.666666666666667,
    0.39999999999899505,
    0.28571428625975487,
    0.2222221113479508,
    0.18182889125261723,
    0.15331721600556042,
    0.14616449685043406,
)
_ATAN = (
    -0.3333333333333333,
    0.1999999999999552,
    -0.14285714284666542,
    0.11111111015256361,
    -0.09090904578123903,
    0.07692183190826087,
    -0.06664511447381948,
    0.0585814891280221,
    -0.0508544973794026,
    0.03923165829558719,
    -0.01917688711906226,
)
_EXP = (
    0.5,
    0.1666666666666667,
    0.04166666666666667,
    0.008333333333326141,
    0.0013888888888883752,
    0.00019841269874800493,
    2.4801587325533363e-05,
    2.7557255425746435e-06,
    2.7557273661348637e-07,
    2.510520637395701e-08,
    2.0914679376583935e-09,
)
_COS_THIRD = (
    0.5,
    0.5773502691896064,
    -0.11111111110877996,
    0.05345835814606559,
    -0.03292180782948392,
    0.022868252656953553,
    -0.017070095657109426,
    0.01336657578617392,
    -0.01081923518304434,
    0.00893690446741924,
    -0.007398307669762719,
    0.005957442480522319,
    -0.004467906548502489,
    0.002959847664797329,
    -0.001634720715998161,
    0.0007063030154944509,
    -0.0002203687291831315,
    4.371205254914052e-05,
    -4.112017717883923e-06,
)


def _intrinsic(emit: Callable[..., Any], result: Any, *arguments: Any) -> Any:
    """Make a function of these types that compiles to what ``emit(builder, *values)`` builds."""

    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return emit(builder, *values)

    template = {
        1: lambda typing_context, x: (result(*arguments), lower),
        3: lambda typing_context, x, y, z: (result(*arguments), lower),
    }[len(arguments)]
    return intrinsic(template)


to_bits: Callable[[float], int] = _intrinsic(
    lambda builder, x: builder.bitcast(x, ir.IntType(64)), types.int64, types.float64
)
"""The 64 bits of a float, as an integer."""

from_bits: Callable[[int], float] = _intrinsic(
    lambda builder, x: builder.bitcast(x, ir.DoubleType()), types.float64, types.int64
)
"""The float that has these 64 bits."""

fma: Callable[[float, float, float], float] = _intrinsic(
    lambda builder, x, y, z: builder.fma(x, y, z), types.float64, *3 * [types.float64]
)
"""``x * y + z`` with one rounding."""


def _typed_horner(context: Any, z: Any, coefficients: Any) -> Any:
    """Compile to one operation a coefficient; a loop over them would have to be unrolled first."""

    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        z, coefficients = values
        *lower_terms, total = (builder.extract_value(coefficients, k) for k in range(len(signature.args[1])))
        for term in reversed(lower_terms):
            total = builder.fma(total, z, term)
        return total

    return types.float64(types.float64, coefficients), lower


_compiled: Callable[..., Any] = intrinsic
horner: Callable[[float, tuple[float, ...]], float] = _compiled(_typed_horner)
"""Sum of ``coefficients[k] * z**k``, constant first."""


@inline
def _split(y: float) -> tuple[int, float]:
    """``k`` and ``m`` with ``y = 2^k m`` and ``m`` between the roots of 1/2 and 2."""
    bits = to_bits(y)
    k = (bits - _SQRT_HALF_BITS) >> 52
    return k, from_bits(bits - (k << 52))


@inline
def _log_from(k: int, f: float) -> float:
    """``log(2^k (1 + f))``.

    ``log(1 + f) = 2 atanh(s) = f - s (f - z Q(z))`` for ``s = f / (2 + f)``, ``z = s^2``.
    """
    exponent = from_bits(k + _ROUND_BITS) - _ROUND
    s = f / (f + 2.0)
    z = s * s
    tail = z * horner(z, _LOG)
    return fma(exponent, _LN2_HIGH, f - (s * (f - tail) - exponent * _LN2_LOW))


@inline
def log(x: float) -> float:
    """Natural logarithm; -inf at zero, NaN below."""
    subnormal = x < TINY
    k, m = _split(x * 18014398509481984.0 if subnormal else x)
    value = _log_from(k - 54 if subnormal else k, m - 1.0)
    value = value if x < INF else x
    value = value if x > 0.0 else NAN
    return -INF if x == 0.0 else value


@inline
def log1p(x: float) -> float:
    """``log(1 + x)`` for ``x >= 0``; keeps its digits as ``x`` goes to zero.

    Near zero ``1 + x`` loses digits, so ``x`` itself is used as the ``f`` of the reduced argument.
    Elsewhere the logarithm is large enough that the lost digits do not matter.
    """
    y = 1.0 + x
    k, m = _split(y)
    value = _log_from(k, x if k == 0 else m - 1.0)
    return value if y < INF else y


@inline
def exp(x: float) -> float:
    """Exponential of a number up to 709; never below 3e-308."""
    x = -708.0 if x < -708.0 else x
    shifted = fma(x, _LOG2_E, _ROUND)
    n = shifted - _ROUND
    r = fma(n, -_LN2_LOW, fma(n, -_LN2_HIGH, x))
    scale = from_bits((to_bits(shifted) - _ROUND_BITS + 1023) << 52)
    return fma(fma(r * r, horner(r, _EXP), r), scale, scale)


@inline
def asinh(x: float) -> float:
    """Inverse hyperbolic sine, ``log1p(a + a^2 / (1 + sqrt(1 + a^2)))`` for ``a = |x|``."""
    a = abs(x)
    large = a > 1e8  # a^2 + 1 rounds to a^2
    b = 1.0 if large else a
    value = log1p(a - 1.0 if large else b + b * b / (1.0 + math.sqrt(1.0 + b * b)))
    value = value + 0.6931471805599453 if large else value
    return value if x > 0.0 else -value


@inline
def atan2(y: float, x: float) -> float:
    """Angle of the point ``(x, y)`` in ``[-pi, pi]``, 0 at the origin; ``|x| + |y|`` must be finite."""
    ay, ax = abs(y), abs(x)
    low, high = (ax, ay) if ay > ax else (ay, ax)
    steep = low > _TAN_PI_8 * high
    top = low - high if steep else low
    bottom = low + high if steep else high
    bottom = 1.0 if bottom == 0.0 else bottom
    s = top / bottom
    z = s * s
    angle = fma(s * z, horner(z, _ATAN), s)
    angle = angle + _PI_4 if steep else angle
    angle = _PI_2 - angle if ay > ax else angle
    angle = _PI - angle if x < 0.0 else angle
    return -angle if y < 0.0 else angle


@inline
def cos_third(r: float) -> float:
    """``cos(acos(r) / 3)`` for ``r`` in [-1, 1]: the largest root of ``4 c^3 - 3 c = r``.

    A polynomial in ``t = sqrt((1 + r) / 2)``, in which it is ``cos(2/3 acos t)`` and smooth.
    """
    return horner(math.sqrt(0.5 + 0.5 * r), _COS_THIRD)
