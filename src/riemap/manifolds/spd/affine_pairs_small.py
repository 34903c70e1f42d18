r"""Loops over pairs for the affine-invariant distance, sizes 2 and 3, in closed form.

:mod:`riemap.manifolds.spd.coordinates` defines the coordinates. For 3 x 3 and determinant one,
:math:`\mu = \lambda - 1` solves :math:`\mu^3 - a\mu^2 - (2a-b)\mu - (a-b) = 0` with :math:`a = e_1 - 3`,
:math:`b = e_2 - 3`; the largest root is :math:`a/3 + 2\sqrt{p/3}\cos(\frac13\arccos r)`
[Cruceru2021, app. D]. The smallest eigenvalue is found as the largest of the inverse, by exchanging ``a``
and ``b``.

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021. Appendix D.
"""

import math

import numpy as np

from riemap.loops import inline, pair_loop
from riemap.lower_triangle import mirror, row_and_end, row_and_line_end
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.shared import polar
from riemap.manifolds.spd.coordinates import (
    chord2,
    cosquare,
    invariants,
    near2,
    planar,
    radial2,
    spatial,
    square,
    triangles,
    write2,
    write3,
)
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import TINY, cos_third, log1p

SERIES_BELOW = 1e-4
"""Value of ``P`` below which (at distances below 0.01) a series in ``P`` and ``Q`` replaces the roots of the
cubic, which rounding would make equal. The relative error of the series is of the order of ``P³``."""

THIRD = 1.0 / 3.0

CLOSE_LOGS = 0.05
"""Half the difference of two logarithms below which a series gives its quotient with the difference of the
numbers; the quotient itself would lose digits."""


# --- 2 x 2: a hyperbolic plane times a line ---------------------------------------------------------


def _forward2(x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    _forward2_rows(len(out), x, y, symmetric, out, slopes)


@pair_loop
def _forward2_rows(part: Part, x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_line_end(t, n, m, symmetric)
        for j in range(end):
            s = chord2(near2(x, i, y, j), x, i, y, j)
            theta = polar.distance(s)
            flat = y[5, j] - x[5, i]
            out[i, j] = 2.0 * theta * theta + 0.5 * flat * flat
            slopes[i, j] = theta / (polar.sinh(s) + TINY)


def _gradient2(x: Array, y: Array, slopes: Array, w: Array) -> Array:
    out = np.empty((len(w), 2, 2))
    _gradient2_rows(len(w), x, y, slopes, w, out)
    return out


@pair_loop
def _gradient2_rows(part: Part, x: Array, y: Array, slopes: Array, w: Array, out: Array) -> None:
    n, m = w.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        cosh = math.sqrt(1.0 + x[2, i] * x[2, i])
        along = across = across1 = flat = 0.0
        for j in range(m):
            weight = -2.0 * w[i, j]
            factor = weight * slopes[i, j]
            along += factor * radial2(near2(x, i, y, j), cosh, x, i, y, j)
            across += factor * y[2, j] * (y[0, j] - x[0, i])
            across1 += factor * y[2, j] * (y[1, j] - x[1, i])
            flat += weight * (y[5, j] - x[5, i])
        write2(out, x, i, along, across, across1, flat)


# --- 3 x 3: roots of a cubic ------------------------------------------------------------------------


@inline
def _largest(a: float, b: float, q: float) -> float:
    """The largest eigenvalue minus one."""
    linear = 2.0 * a - b
    s = math.sqrt(max(a * a + 3.0 * linear, 0.0))  # sqrt(3 p)
    r = (a * (a * a + 4.5 * linear) + 13.5 * q) / (s * s * s)
    return THIRD * (a + 2.0 * s * cos_third(min(max(r, -1.0), 1.0)))


@inline
def _series(p: float, q: float) -> float:
    """Sum of the squared logarithms of the eigenvalues, for small ``p``."""
    return p * (1.0 + p * (-1.0 / 24.0 + p * (1.0 / 288.0 - 1.0 / 1440.0))) - q * q * (1.0 / 120.0)


@inline
def _slope(s: float, t: float, x: float, y: float, scale: float) -> float:
    """``(log x - log y) / (x - y)`` from the logarithms ``s``, ``t``, and ``1 / sqrt(x y)``."""
    h = 0.5 * (s - t)
    z = h * h
    series = 1.0 + z * (-1.0 / 6.0 + z * (7.0 / 360.0 + z * (-31.0 / 15120.0 + z * (127.0 / 604800.0))))
    return series * scale if h < CLOSE_LOGS else (s - t) / (x - y)


@inline
def _slopes3(a: float, b: float, p: float, q: float) -> tuple[float, float, float]:
    """Squared distance at determinant one, and its derivatives in ``e1`` and (negated) ``e2``.

    The derivatives are second divided differences, over the eigenvalues ``x > y > z``, of
    ``2 λ log λ`` and of ``-2 log λ``.
    """
    high, deep = _largest(a, b, q), _largest(b, a, -q)
    log_x, log_z = log1p(high), -log1p(deep)
    log_y = -(log_x + log_z)
    x, z = 1.0 + high, 1.0 / (1.0 + deep)
    y = (1.0 + deep) / x
    xy = _slope(log_x, log_y, x, y, math.sqrt(z))
    yz = _slope(log_y, log_z, y, z, math.sqrt(x))
    width = 2.0 / (x - z)
    second = (yz - xy) * width
    first = (log_x - log_z) * width - y * second
    close = p < SERIES_BELOW
    slope = 1.0 + p * (-1.0 / 12.0 + p * (1.0 / 96.0 - 1.0 / 480.0))
    first = slope - q * (1.0 / 60.0) if close else first
    second = slope + q * (1.0 / 60.0) if close else second
    square = log_x * log_x + log_y * log_y + log_z * log_z
    return (_series(p, q) if close else square), first, second


def _forward3(x: Array, y: Array, symmetric: bool, out: Array, first: Array, second: Array) -> None:
    _forward3_rows(len(out), x, y, symmetric, out, first, second)
    if symmetric:
        mirror(first, second)
        mirror(second, first)


@pair_loop
def _forward3_rows(
    part: Part, x: Array, y: Array, symmetric: bool, out: Array, first: Array, second: Array
) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_line_end(t, n, m, symmetric)
        for j in range(end):
            a, b, p, q = invariants(triangles(x, i, y, j), triangles(y, j, x, i))
            d, first[i, j], second[i, j] = _slopes3(a, b, p, q)
            flat = y[12, j] - x[12, i]
            out[i, j] = d + THIRD * flat * flat


def _gradient3(x: Array, y: Array, first: Array, second: Array, w: Array) -> Array:
    out = np.empty((len(w), 3, 3))
    _gradient3_rows(len(w), x, y, first, second, w, out)
    return out


@pair_loop
def _gradient3_rows(
    part: Part, x: Array, y: Array, first: Array, second: Array, w: Array, out: Array
) -> None:
    n, m = w.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        s0 = s1 = s2 = s3 = s4 = s5 = trace = 0.0
        for j in range(m):
            u, v = square(triangles(x, i, y, j)), cosquare(triangles(y, j, x, i))
            a, b = -w[i, j] * first[i, j], w[i, j] * second[i, j]
            s0 += a * u[0] + b * v[0]
            s1 += a * u[1] + b * v[1]
            s2 += a * u[2] + b * v[2]
            s3 += a * u[3] + b * v[3]
            s4 += a * u[4] + b * v[4]
            s5 += a * u[5] + b * v[5]
            trace -= 2.0 * w[i, j] * (y[12, j] - x[12, i])
        write3(out, x, i, (s0, s1, s2, s3, s4, s5), trace)


KERNEL2 = PairKernel(planar, _forward2, _gradient2, saved=1)
KERNEL3 = PairKernel(spatial, _forward3, _gradient3, saved=2, saved_symmetric=False)
