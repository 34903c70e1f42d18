"""Print the polynomial coefficients of ``riemap.vmath`` and of ``riemap.manifolds.shared.over_sine``.

Each polynomial interpolates its function at Chebyshev nodes, in arithmetic with 60 digits. Its largest error
is within a small factor of that of the best polynomial (minimax) of the same degree.

Run: python tools/vmath_coefficients.py
"""

from collections.abc import Callable, Iterable
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


def quotient_fit(f: Function, high: mp.mpf, degrees: tuple[int, int]) -> tuple[list[mp.mpf], list[mp.mpf]]:
    """Return the coefficients of two polynomials whose quotient is close to ``f`` from zero to ``high``.

    Least squares of ``(top - f * bottom) / f`` at Chebyshev nodes, each divided by the last ``bottom`` there,
    so that in the end the relative error of the quotient counts.
    """
    top, bottom = degrees
    nodes = [high / 2 * (1 + mp.cos(mp.pi * (2 * k + 1) / 120)) for k in range(60)]
    values, divisors = [f(x) for x in nodes], [mp.mpf(1)] * 60
    for _ in range(6):
        rows = [
            [x**k / (y * d) for k in range(top + 1)] + [-(x**k) / d for k in range(1, bottom + 1)]
            for x, y, d in zip(nodes, values, divisors, strict=True)
        ]
        found = list(mp.lu_solve(mp.matrix(rows), mp.matrix([1 / d for d in divisors])))
        below = [mp.mpf(1), *found[top + 1 :]]
        divisors = [mp.polyval(below[::-1], x) for x in nodes]
    return found[: top + 1], below


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


def show(name: str, coefficients: Iterable[mp.mpf]) -> None:
    print(f"{name} = (")
    for c in coefficients:
        print(f"    {float(c)!r},")
    print(")")


if __name__ == "__main__":
    for name, (f, low, high, degree) in TABLES.items():
        fit = chebyshev_fit(f, mp.mpf(low), mp.mpf(high), degree)
        worst = max(
            abs(mp.polyval(list(fit)[::-1], x) - f(x)) for x in mp.linspace(mp.mpf(low), mp.mpf(high), 501)
        )
        print(f"# largest error {mp.nstr(worst, 2)}")
        show(name, fit)
    half = mp.mpf(1) / 2
    for name, fit in zip(
        ("_OVER_SINE_TOP", "_OVER_SINE_BOTTOM"),
        quotient_fit(lambda rest: away_from_zero(over_sine, mp.mpf(1))(half - rest), half, (6, 5)),
        strict=True,
    ):
        show(name, fit)
