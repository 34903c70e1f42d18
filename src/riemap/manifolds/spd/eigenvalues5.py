r"""Eigenvalues and logarithms of symmetric 5 x 5 matrices, without eigenvectors.
"""

from typing import Any

from riemap.loops import inline
from riemap.manifolds.spd.lower_entries import _cosquare, _square, lower_index, lower_pairs
from riemap.unrolled import absolute, size_of, sum_of, unrolled, with_sign

ZERO_GUARD = 1e-150
CLOSE_EIGENVALUES = 0.05
CLOSE_THREE, CLOSE_FOUR, CLOSE_FIVE = 1e-5, 1e-7, 1e-4

Five = tuple[float, float, float, float, float]
Four = tuple[float, float, float, float]


def _index(p: int, q: int) -> int:
    return lower_index(max(p, q), min(p, q))


def _mean(m: Any) -> Any:
    size = size_of(m)
    return sum_of(m[lower_index(p, p)] for p in range(size)) * (1.0 / size)


def _centred(m: Any) -> Any:
    size = size_of(m)
    mean = _mean(m)
    f = 1.0 / mean
    return [(e - mean) * f if p == q else e * f for (p, q), e in zip(lower_pairs(size), m, strict=True)]


def _off(a: Any) -> Any:
    size = size_of(a)
    return sum_of(a[lower_index(p, q)] * a[lower_index(p, q)] for p in range(size) for q in range(p))


def _turn(a: Any, p: int, q: int) -> None:
    product, rise = a[_index(p, q)], a[_index(q, q)] - a[_index(p, p)]
    x, y = absolute(rise), 2.0 * absolute(product)
    slant = x + 0.8156 * y
    n, d = y * slant, 4.0 * x * slant + 1.9924 * y * y + ZERO_GUARD
    n = with_sign(n, product * rise)
    dd, nn = d * d, n * n
    scale = 1.0 / (dd + nn)
    c, s = (dd - nn) * scale, 2.0 * n * d * scale
    shift = s * (2.0 * c * product - s * rise)
    a[_index(p, q)] = (1.0 - 2.0 * s * s) * product - c * s * rise
    a[_index(p, p)] = a[_index(p, p)] - shift
    a[_index(q, q)] = a[_index(q, q)] + shift
    for k in range(5):
        if k not in (p, q):
            u, v = a[_index(k, p)], a[_index(k, q)]
            a[_index(k, p)], a[_index(k, q)] = c * u - s * v, s * u + c * v


def _sweep(m: Any) -> Any:
    a = list(m)
    for r in range(5):
        for k in (1, 2):
            _turn(a, (r + k) % 5, (r - k) % 5)
    return a


def _powers(g: Any, h: Any, c: Any) -> Any:
    """``c[0] M + c[1] M² + c[2] M⁻¹ + c[3] M⁻²`` for ``M = g gᵀ`` and ``h = g⁻¹``."""
    size = size_of(g)
    pairs = lower_pairs(size)
    found = [0.0] * len(pairs)
    for m, first, second in ((_square(g), c[0], c[1]), (_cosquare(h), c[2], c[3])):
        for e, (p, q) in enumerate(pairs):
            product = sum_of(m[_index(p, k)] * m[_index(k, q)] for k in range(size))
            found[e] = found[e] + (first * m[e] + second * product)
    return found


mean, centred, off, sweep, powers = (
    unrolled(_mean),
    unrolled(_centred),
    unrolled(_off),
    unrolled(_sweep),
    unrolled(_powers),
)


@inline
def _ordered(a: float, b: float) -> tuple[float, float]:
    return min(a, b), max(a, b)


@inline
def ordered(a: float, b: float, c: float, d: float, e: float) -> Five:
    a, b = _ordered(a, b)
    d, e = _ordered(d, e)
    c, e = _ordered(c, e)
    c, d = _ordered(c, d)
    a, d = _ordered(a, d)
    a, c = _ordered(a, c)
    b, e = _ordered(b, e)
    b, d = _ordered(b, d)
    b, c = _ordered(b, c)
    return a, b, c, d, e


@inline
def _slope(s: float, t: float, x: float, y: float) -> float:
    """``(s - t) / (x - y)`` for the logarithms ``s`` and ``t`` of ``x`` and ``y``."""
    half = 1.0 / (x + y)
    rise = x - y
    z = rise * half
    z *= z
    series = 1.0 + z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9 + z * (1.0 / 11)))))
    close = z < CLOSE_EIGENVALUES * CLOSE_EIGENVALUES
    return 2.0 * half * series if close else (s - t) / (1.0 if close else rise)


@inline
def _quotient(rise: float, spread: float, least: float, derivative: float) -> float:
    """``rise / spread``, or the derivative if the spread is below ``least``."""
    close = not spread > least
    return derivative if close else rise / (1.0 if close else spread)


@inline
def _second(x: float, y: float, z: float, s: float, t: float, log_y: float) -> float:
    centred = log_y + 1.5 + (x + z - 2.0 * y) / (3.0 * y)
    return _quotient(t - s, z - x, CLOSE_THREE * y, centred)


@inline
def coefficients(x: Five, s: Five) -> Four:
    """Coefficients of ``x``, ``x²``, ``1/x``, ``1/x²``, which with a constant have values ``s`` at ``x``."""
    x0, x1, x2, x3, x4 = x
    s0 = _slope(s[1], s[0], x1, x0) * x1 * x1 + (x0 + x1) * s[0]
    s1 = _slope(s[2], s[1], x2, x1) * x2 * x2 + (x1 + x2) * s[1]
    s2 = _slope(s[3], s[2], x3, x2) * x3 * x3 + (x2 + x3) * s[2]
    s3 = _slope(s[4], s[3], x4, x3) * x4 * x4 + (x3 + x4) * s[3]
    t0, t1, t2 = (
        _second(x0, x1, x2, s0, s1, s[1]),
        _second(x1, x2, x3, s1, s2, s[2]),
        _second(x2, x3, x4, s2, s3, s[3]),
    )
    r = 1.0 / x2
    third = r * (1.0 / 3.0)
    u0 = _quotient(t1 - t0, x3 - x0, CLOSE_FOUR * x2, third)
    u1 = _quotient(t2 - t1, x4 - x1, CLOSE_FOUR * x2, third)
    v = _quotient(u1 - u0, x4 - x0, CLOSE_FIVE * x2, r * r * (-1.0 / 12.0))
    p0, p1 = u0 - x3 * v, v
    p0, p1, p2 = t0 - x2 * p0, p0 - x2 * p1, p1
    p0, p1, p2, p3 = s0 - x1 * p0, p0 - x1 * p1, p1 - x1 * p2, p2
    return p2 - x0 * p3, p3, p0 - x0 * p1, x0 * x0 * s[0] - x0 * p0
