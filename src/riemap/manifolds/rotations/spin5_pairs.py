r"""Loops over pairs of rotations of five dimensions, as 2 x 2 matrices of quaternions.

Let the vector :math:`(t, q)` of a number and a quaternion be the matrix
:math:`X = \begin{pmatrix}t & q\\ \bar q & -t\end{pmatrix}`. A rotation is
:math:`X\mapsto UXU^*` for a unitary matrix ``U`` of quaternions, which is unique up to its sign
[LawsonMichelsohn1989, ch. I.8]. Let ``P`` and ``Q`` be those of the rotations ``A`` and ``B``, and
:math:`P^*Q = C + K` the Hermitian and the skew part, which commute. Two angles have :math:`\cos\alpha` and
:math:`\cos\beta` as eigenvalues of ``C``. As for quaternions, :math:`A^\top B` rotates two planes by
:math:`\alpha\pm\beta`, so

.. math:: d^2(A, B) = 4(\alpha^2 + \beta^2),\qquad \log P^*Q = K f(C),\quad f(\cos\theta) =
    \theta/\sin\theta,

where the sign of ``Q`` is such that :math:`\alpha + \beta\le\pi`, that is,
:math:`\operatorname{Re}\operatorname{tr}P^*Q\ge0`.

With :math:`D = P - Q`, the eigenvalues of :math:`N = D^*D = 2(I - C)` are :math:`4\sin^2\frac\alpha2` and
:math:`4\sin^2\frac\beta2`, and ``K`` is the skew part of :math:`-P^*D`; both keep their digits as
:math:`B\to A`. The forward pass saves the two coefficients of :math:`f = a + bN`, which are the same for both
ends of a pair.

Coordinates have four rows for each of :math:`P_{00}, P_{10}, P_{01}, P_{11}`, and a column for each point.

References
----------
[LawsonMichelsohn1989] Lawson, Michelsohn. Spin geometry. Princeton University Press, 1989.
"""

import math

import numpy as np

from riemap.coordinate_tuples import plus
from riemap.loops import inline, pair_loop
from riemap.lower_triangle import row_and_end, row_and_line_end
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.rotations.quaternion_pairs import Prepared
from riemap.manifolds.rotations.spin5_points import prepare, skew_matrices
from riemap.manifolds.shared.unit_vectors import angle_and_slope
from riemap.threads import Part, begin
from riemap.types import Array

LEAST_SLOPE = 1.0 / 6.0
"""The derivative of ``f`` by ``4 sin²(θ/2)`` at zero, where it is least."""

NEAR_HALF_TURN = 3.0
"""The value of ``4 sin²(α/2)`` from which sines tell better than cosines whether ``α + β`` is above π."""

NO_ENTRIES: tuple[float, ...] = (0.0,) * 10

Quaternion = tuple[float, float, float, float]
Vector = tuple[float, float, float]
Skew = tuple[Vector, Quaternion, Vector]
"""The entries ``x``, ``y`` and ``z`` of ``((x, y), (-ȳ, z))``, where ``x`` and ``z`` have no real part."""

Hermitian = tuple[float, Quaternion, float]
"""The entries 00, 01 and 11; the first and the last are real."""


# --- one pair --------------------------------------------------------------------------------------------


@inline
def _difference(x: Array, i: int, y: Array, j: int, k: int, sign: float) -> Quaternion:
    """The quaternion ``D`` in rows ``k`` to ``k + 3``."""
    return (
        x[k, i] - sign * y[k, j],
        x[k + 1, i] - sign * y[k + 1, j],
        x[k + 2, i] - sign * y[k + 2, j],
        x[k + 3, i] - sign * y[k + 3, j],
    )


@inline
def _dot(a: Quaternion, b: Quaternion) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


@inline
def _imaginary(a: Quaternion, b: Quaternion) -> Vector:
    """Imaginary part of ``ā b``."""
    return (
        a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
        a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3],
        a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1],
    )


@inline
def _inner(x: Array, i: int, y: Array, j: int, k: int) -> float:
    return (
        x[k, i] * y[k, j] + x[k + 1, i] * y[k + 1, j] + x[k + 2, i] * y[k + 2, j] + x[k + 3, i] * y[k + 3, j]
    )


@inline
def _hermitian(a: Quaternion, b: Quaternion, c: Quaternion, d: Quaternion) -> Hermitian:
    """``N``, for the columns ``(a, b)`` and ``(c, d)`` of ``D``."""
    u, v = _imaginary(a, c), _imaginary(b, d)
    return (
        _dot(a, a) + _dot(b, b),
        (_dot(a, c) + _dot(b, d), u[0] + v[0], u[1] + v[1], u[2] + v[2]),
        _dot(c, c) + _dot(d, d),
    )


@inline
def _entry(x: Array, i: int, k: int) -> Quaternion:
    return x[k, i], x[k + 1, i], x[k + 2, i], x[k + 3, i]


@inline
def _skew(x: Array, i: int, a: Quaternion, b: Quaternion, c: Quaternion, d: Quaternion) -> Skew:
    """The skew part of ``-P* D``, for the columns ``(a, b)`` and ``(c, d)`` of ``D``."""
    p, q, r, s = _entry(x, i, 0), _entry(x, i, 4), _entry(x, i, 8), _entry(x, i, 12)
    t, u, v, w = _imaginary(a, p), _imaginary(b, q), _imaginary(c, r), _imaginary(d, s)
    e, f, g, h = _imaginary(p, c), _imaginary(q, d), _imaginary(a, r), _imaginary(b, s)
    real = _dot(a, r) + _dot(b, s) - _dot(p, c) - _dot(q, d)
    return (
        (t[0] + u[0], t[1] + u[1], t[2] + u[2]),
        (
            0.5 * real,
            0.5 * (g[0] + h[0] - e[0] - f[0]),
            0.5 * (g[1] + h[1] - e[1] - f[1]),
            0.5 * (g[2] + h[2] - e[2] - f[2]),
        ),
        (v[0] + w[0], v[1] + w[1], v[2] + w[2]),
    )


@inline
def _upper(x: Vector, y: Quaternion, m: Quaternion) -> Quaternion:
    """``x m + y``."""
    return (
        y[0] - x[0] * m[1] - x[1] * m[2] - x[2] * m[3],
        y[1] + x[0] * m[0] + x[1] * m[3] - x[2] * m[2],
        y[2] + x[1] * m[0] + x[2] * m[1] - x[0] * m[3],
        y[3] + x[2] * m[0] + x[0] * m[2] - x[1] * m[1],
    )


@inline
def _mean_and_spread(a: Hermitian) -> tuple[float, float]:
    """The mean of the two eigenvalues, and how far they are from it."""
    half = 0.5 * (a[0] - a[2])
    return 0.5 * (a[0] + a[2]), math.sqrt(half * half + _dot(a[1], a[1]))


@inline
def _squared_skew(k: Skew) -> Hermitian:
    r"""The entries of :math:`K^2`, whose eigenvalues are :math:`-\sin^2`."""
    x, y, z = k
    square = _dot(y, y)
    t = _upper(x, (0.0, 0.0, 0.0, 0.0), y)
    u = (
        t[0] - y[1] * z[0] - y[2] * z[1] - y[3] * z[2],
        t[1] + y[0] * z[0] + y[2] * z[2] - y[3] * z[1],
        t[2] + y[0] * z[1] + y[3] * z[0] - y[1] * z[2],
        t[3] + y[0] * z[2] + y[1] * z[1] - y[2] * z[0],
    )
    first = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + square
    second = z[0] * z[0] + z[1] * z[1] + z[2] * z[2] + square
    return -first, u, -second


@inline
def _spectrum(sign: float, n: Hermitian, k: Skew) -> tuple[float, float, float, float]:
    r"""The sign of ``Q``, both eigenvalues of ``N``, greater first, and the square of the greater sine.

    Since :math:`\alpha + \beta\le\pi`, an obtuse angle has the greater sine. Near a half turn, where rounding
    decides on the sign of the trace, this tells which ``Q`` is right; the other has :math:`4 - N` for ``N``.
    """
    mean, spread = _mean_and_spread(n)
    squares = _squared_skew(k)
    sine_mean, sine_spread = _mean_and_spread(squares)
    parallel = 0.5 * (n[0] - n[2]) * (squares[0] - squares[2]) + 2.0 * _dot(n[1], squares[1])
    wrong = mean + spread > NEAR_HALF_TURN and parallel > 0.0
    mean = 4.0 - mean if wrong else mean
    return -sign if wrong else sign, mean + spread, max(mean - spread, 0.0), sine_spread - sine_mean


# --- the loops -------------------------------------------------------------------------------------------


def _forward(a: Prepared, b: Prepared, symmetric: bool, out: Array, same: Array, slopes: Array) -> None:
    """Write squared distances and coefficients; a slope has a minus where ``-Q`` is nearer."""
    _forward_rows(len(out), a.coords, b.coords, symmetric, out, same, slopes)


@pair_loop
def _forward_rows(
    part: Part, x: Array, y: Array, symmetric: bool, out: Array, same: Array, slopes: Array
) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_line_end(t, n, m, symmetric)
        for j in range(end):
            trace = _inner(x, i, y, j, 0) + _inner(x, i, y, j, 4)
            trace += _inner(x, i, y, j, 8) + _inner(x, i, y, j, 12)
            sign = -1.0 if trace < 0.0 else 1.0
            a, b = _difference(x, i, y, j, 0, sign), _difference(x, i, y, j, 4, sign)
            c, d = _difference(x, i, y, j, 8, sign), _difference(x, i, y, j, 12, sign)
            sign, high, low, square = _spectrum(sign, _hermitian(a, b, c, d), _skew(x, i, a, b, c, d))
            # near a half turn, 4 - high would have too few digits
            alpha, most = angle_and_slope(high, 4.0 * square / high if high > 2.0 else 4.0 - high)
            beta, least = angle_and_slope(low, 4.0 - low)
            gap = high - low
            slope = max((most - least) / (1.0 if gap == 0.0 else gap), LEAST_SLOPE)
            out[i, j] = 4.0 * (alpha * alpha + beta * beta)
            same[i, j] = least - slope * low
            slopes[i, j] = sign * slope


def _gradient(a: Prepared, b: Prepared, same: Array, slopes: Array, w: Array) -> Array:
    sums = np.empty((len(w), 10))
    _gradient_rows(len(w), a.coords, b.coords, same, slopes, w, sums)
    return a.x @ skew_matrices(-2.0 * sums)


@inline
def _log(k: Skew, n: Hermitian, a: float, b: float) -> tuple[float, ...]:
    """The ten entries of ``a K + b K N``, which is skew."""
    (x0, x1, x2), y, (z0, z1, z2) = k
    first, m, second = n
    p, q, r = a + b * first, a + b * second, (b * m[0], b * m[1], b * m[2], b * m[3])
    f = _imaginary((y[0], -y[1], -y[2], -y[3]), (r[0], -r[1], -r[2], -r[3]))
    g = _imaginary(y, r)
    u = _upper((x0, x1, x2), (q * y[0], q * y[1], q * y[2], q * y[3]), r)
    return (
        p * x0 + f[0],
        p * x1 + f[1],
        p * x2 + f[2],
        u[0],
        u[1],
        u[2],
        u[3],
        q * z0 - g[0],
        q * z1 - g[1],
        q * z2 - g[2],
    )


@pair_loop
def _gradient_rows(part: Part, x: Array, y: Array, same: Array, slopes: Array, w: Array, out: Array) -> None:
    """Row ``i``: the sum of ``w log P* Q``."""
    n, m = w.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        total = NO_ENTRIES
        for j in range(m):
            sign = math.copysign(1.0, slopes[i, j])
            a, b = _difference(x, i, y, j, 0, sign), _difference(x, i, y, j, 4, sign)
            c, d = _difference(x, i, y, j, 8, sign), _difference(x, i, y, j, 12, sign)
            log = _log(_skew(x, i, a, b, c, d), _hermitian(a, b, c, d), same[i, j], abs(slopes[i, j]))
            total = plus(total, w[i, j], log)
        for k in range(10):
            out[i, k] = total[k]


KERNEL = PairKernel(prepare, _forward, _gradient, saved=2)
