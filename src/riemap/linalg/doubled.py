"""Cholesky factors in doubled precision.

A number in doubled precision is the unevaluated sum ``high + low`` of two floats [Dekker1971].

References
----------
[Dekker1971] Dekker. A floating-point technique for extending the available precision. Numer.
    Math. 18, 1971.
"""

import math

from riemap.loops import inline, inline_point
from riemap.types import Array
from riemap.vmath import NAN, fma


@inline
def two_sum(a: float, b: float) -> tuple[float, float]:
    """``a + b`` and its rounding error."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@inline
def two_product(a: float, b: float) -> tuple[float, float]:
    """``a * b`` and its rounding error."""
    p = a * b
    return p, fma(a, b, -p)


@inline
def _minus_product(
    s: float, s_low: float, a: float, a_low: float, b: float, b_low: float
) -> tuple[float, float]:
    """``s - a * b`` in doubled precision."""
    p, p_low = two_product(a, b)
    p_low += a * b_low + a_low * b
    t, t_low = two_sum(s, -p)
    t_low += s_low - p_low
    high = t + t_low
    return high, t_low - (high - t)


@inline
def _quotient(s: float, s_low: float, d: float, d_low: float) -> tuple[float, float]:
    """``s / d`` in doubled precision."""
    q = s / d
    rest, rest_low = _minus_product(s, s_low, q, 0.0, d, d_low)
    return q, (rest + rest_low) / d


@inline
def _root(s: float, s_low: float) -> tuple[float, float]:
    """Square root in doubled precision; NaN unless positive."""
    r = math.sqrt(s) if s > 0.0 else NAN
    rest, rest_low = _minus_product(s, s_low, r, 0.0, r, 0.0)
    return r, (rest + rest_low) / (2.0 * r)


@inline_point
def cholesky_inplace(
    n: int, a: Array, lower: Array, inverse: Array, lower_low: Array, inverse_low: Array
) -> None:
    """Write ``a = lower lowerᵀ`` and ``inverse = lower⁻¹``; the ``_low`` arrays are scratch.

    The size is an argument: where it is a number in the code, no loop over it remains.
    """
    for i in range(n):
        for j in range(i + 1):
            s, s_low = 0.5 * (a[i, j] + a[j, i]), 0.0
            for k in range(j):
                s, s_low = _minus_product(
                    s, s_low, lower[i, k], lower_low[i, k], lower[j, k], lower_low[j, k]
                )
            if i == j:
                lower[i, i], lower_low[i, i] = _root(s, s_low)
            else:
                lower[i, j], lower_low[i, j] = _quotient(s, s_low, lower[j, j], lower_low[j, j])
            lower[j, i] = lower[j, i] if i == j else 0.0
    for j in range(n):
        inverse[j, j], inverse_low[j, j] = _quotient(1.0, 0.0, lower[j, j], lower_low[j, j])
        for i in range(j + 1, n):
            s, s_low = 0.0, 0.0
            for k in range(j, i):
                s, s_low = _minus_product(
                    s, s_low, lower[i, k], lower_low[i, k], inverse[k, j], inverse_low[k, j]
                )
            inverse[i, j], inverse_low[i, j] = _quotient(s, s_low, lower[i, i], lower_low[i, i])
            inverse[j, i] = 0.0
