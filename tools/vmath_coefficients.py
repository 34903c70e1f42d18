"""Print the polynomial coefficients that ``riemap.vmath`` contains.

Each polynomial interpolates its function at Chebyshev nodes, in arithmetic with 60 digits. Its largest error
is within a small factor of that of the best polynomial (minimax) of the same degree.

Run: python tools/vmath_coefficients.py
"""

from collections.abc import Callable
from typing import TypeAlias

import mpmath as mp

Function: TypeAlias = Callable[[mp.mpf], mp.mpf]

mp.mp.dps = 60


def chebyshev_fit(f: Function, low: mp.mpf, high: mp.mpf, degree: int) -> mp.matrix:
    """Return the coefficients, constant first, of the interpolant of ``f`` at Chebyshev nodes."""
    k = degree + 1
    nodes = [mp.cos(mp.pi * (2 * i + 1) / (2 * k)) for i in range(k)]
    points = [(low + high) / 2 + (high - low) / 2 * t for t in nodes]
    vandermonde = mp.matrix(k, k)
    for i, x in enumerate(points):
        for j in range(k):
            vandermonde[i, j] = x**j
    return mp.lu_solve(vandermonde, mp.matrix([f(x) for x in points]))


def away_from_zero(f: Function, limit: mp.mpf) -> Function:
    """Return ``f`` with the value ``limit`` at zero, where its formula is 0/0."""
    return lambda z: limit if abs(z) < mp.mpf("1e-18") else f(z)


def log_tail(z: mp.mpf) -> mp.mpf:
    """``2 atanh(s) = 2 s + s z Q(z)`` with ``z = s^2``; this is ``Q``."""
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) - 2 * s) / (s * z)


def atan_tail(z: mp.mpf) -> mp.mpf:
    """``atan(s) = s + s z Q(z)`` with ``z = s^2``; this is ``Q``."""
    s = mp.sqrt(z)
    return (mp.atan(s) - s) / (s * z)


def over_sine(q: mp.mpf) -> mp.mpf:
    """``d / sin d`` where ``q = sin(d/2)^2``."""
    return mp.asin(mp.sqrt(q)) / mp.sqrt(q * (1 - q))


def exp_tail(r: mp.mpf) -> mp.mpf:
    """``exp(r) = 1 + r + r^2 Q(r)``; this is ``Q``."""
    return (mp.exp(r) - 1 - r) / r**2


TABLES = {
    "_LOG": (away_from_zero(log_tail, mp.mpf(2) / 3), 0, mp.tan(mp.pi / 8) ** 4, 6),
    "_ATAN": (away_from_zero(atan_tail, mp.mpf(-1) / 3), 0, mp.tan(mp.pi / 8) ** 2, 10),
    "_OVER_SINE": (away_from_zero(over_sine, mp.mpf(1)), 0, mp.mpf(1) / 2, 20),
    "_EXP": (away_from_zero(exp_tail, mp.mpf(1) / 2), -mp.log(2) / 2, mp.log(2) / 2, 10),
    "_COS_THIRD": (lambda t: mp.cos(2 * mp.acos(t) / 3), 0, 1, 18),
}

if __name__ == "__main__":
    for name, (f, low, high, degree) in TABLES.items():
        fit = chebyshev_fit(f, mp.mpf(low), mp.mpf(high), degree)
        worst = max(
            abs(mp.polyval(list(fit)[::-1], x) - f(x)) for x in mp.linspace(mp.mpf(low), mp.mpf(high), 501)
        )
        print(f"# largest error {mp.nstr(worst, 2)}")
        print(f"{name} = (")
        for c in fit:
            print(f"    {float(c)!r},")
        print(")")
