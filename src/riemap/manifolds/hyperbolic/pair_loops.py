"""Loops over pairs of points of the hyperboloid, in polar coordinates.

A set of points is an array with a row for each coordinate and a column for each point: the direction, ``sinh
r``, ``exp(r/2)``, ``exp(-r/2)``, ``exp(r)`` and ``exp(-r)``, as :func:`polar_coordinates` computes them.
"""

import math
from typing import Any

import numpy as np

from riemap.aligned import coordinate_rows
from riemap.coordinate_tuples import coordinates, differences, no_coordinates, padded, plus, square
from riemap.loops import inline, pair_loop, point_loop
from riemap.lower_triangle import row_and_end, row_and_line_end
from riemap.manifolds.shared.polar import ORIGIN_RADIUS, chord, sinh
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import TINY, log1p

RADIAL = 5
"""Number of rows after those of the direction."""


def polar_coordinates(x: Array) -> Array:
    """Polar coordinates of points; rows of zeros fill the last piece of the direction."""
    n, size = x.shape[0], padded(x.shape[1] - 1)
    out = coordinate_rows(size + RADIAL, n)
    _polar_coordinates_rows(n, x, size, out)
    return out


@point_loop
def _polar_coordinates_rows(part: Part, x: Array, size: int, out: Array) -> None:
    start, stop = begin(part)
    radius = out[size]
    for i in range(start, stop):
        radius[i] = 0.0
    for k in range(1, x.shape[1]):
        for i in range(start, stop):
            radius[i] += x[i, k] * x[i, k]
    for i in range(start, stop):
        exp = math.sqrt(radius[i]) + math.sqrt(1.0 + radius[i])
        up = math.sqrt(exp)
        radius[i] = math.sqrt(radius[i])
        out[size + 1, i], out[size + 2, i] = up, 1.0 / up
        out[size + 3, i], out[size + 4, i] = exp, 1.0 / exp
    for k in range(1, x.shape[1]):
        first = 1.0 if k == 1 else 0.0
        for i in range(start, stop):
            out[k - 1, i] = x[i, k] / radius[i] if radius[i] > ORIGIN_RADIUS else first


def forward(x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    """Write squared distances and ``d / sinh d``."""
    _forward_rows(len(out), x, y, symmetric, out, slopes, no_coordinates(len(x) - RADIAL))


@pair_loop
def _forward_rows(
    part: Part, x: Array, y: Array, symmetric: bool, out: Array, slopes: Array, none: Any
) -> None:
    size, (n, m) = x.shape[0] - RADIAL, out.shape
    near = np.zeros(m)
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_line_end(t, n, m, symmetric)
        for k in range(len(none), size, len(none)):
            a = coordinates(x, k, i, none)
            for j in range(end):
                before = near[j] if k > len(none) else 0.0
                near[j] = before + square(differences(a, y, k, j, 1.0))
        a = coordinates(x, 0, i, none)
        r, up, down = x[size, i], x[size + 1, i], x[size + 2, i]
        for j in range(end):
            total = near[j] + square(differences(a, y, 0, j, 1.0))
            s = chord(total, r, y[size, j], up, down, y[size + 1, j], y[size + 2, j])
            slopes[i, j] = sinh(s)
            out[i, j] = 0.5 * s + slopes[i, j]
        for j in range(end):
            d = log1p(out[i, j])
            out[i, j] = d * d
            slopes[i, j] = d / (slopes[i, j] + TINY)


def gradient(x: Array, y: Array, slopes: Array, w: Array) -> Array:
    """Row ``i``: the sum of ``-2 w log``, as an ambient vector."""
    n, size = len(w), x.shape[0] - RADIAL
    out = np.empty((n, 1 + size))
    _gradient_rows(n, x, y, slopes, w, out, no_coordinates(size))
    return out


@pair_loop
def _gradient_rows(part: Part, x: Array, y: Array, slopes: Array, w: Array, out: Array, none: Any) -> None:
    size, (n, m) = x.shape[0] - RADIAL, w.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        curved = 0.0
        for k in range(0, size, len(none)):
            a = coordinates(x, k, i, none)
            sums = none
            outward = inward = 0.0  # the same for each piece
            for j in range(m):
                b = differences(a, y, k, j, 1.0)
                factor = w[i, j] * slopes[i, j]
                outward += factor * y[size + 3, j]
                inward += factor * y[size + 4, j]
                curved += factor * y[size, j] * square(b)
                sums = plus(sums, factor * y[size, j], b)
            for c in range(len(none)):
                out[i, 1 + k + c] = 2.0 * sums[c]
        cosh = math.sqrt(1.0 + x[size, i] * x[size, i])
        along = x[size + 3, i] * inward - x[size + 4, i] * outward + cosh * curved
        _write_ambient(x, i, along, cosh, size, out)


@inline
def _write_ambient(x: Array, i: int, along: float, cosh: float, size: int, out: Array) -> None:
    """Subtract from row ``i`` of ``out`` its component along the ray, and add ``along`` there."""
    excess = 0.0
    for k in range(size):
        excess += out[i, 1 + k] * x[k, i]
    out[i, 0] = along * x[size, i]
    for k in range(size):
        out[i, 1 + k] += (along * cosh - excess) * x[k, i]
