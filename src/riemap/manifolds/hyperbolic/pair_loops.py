"""Loops over pairs of points of the hyperboloid, in polar coordinates.

A set of points is an array with a row for each coordinate and a column for each point: the direction, ``sinh
r``, ``exp(r/2)`` and ``exp(-r/2)``, as :func:`polar_coordinates` computes them.
"""

import math

import numpy as np

from riemap.aligned import coordinate_rows
from riemap.loops import inline, pair_loop, point_loop
from riemap.lower_triangle import row_and_end
from riemap.manifolds.shared.polar import ORIGIN_RADIUS, chord, distance, radial_part, sinh
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import TINY


def polar_coordinates(x: Array) -> Array:
    """Polar coordinates of points; a row of zeros makes the number of rows of the direction even."""
    n, dim = x.shape[0], x.shape[1] - 1
    size = dim + dim % 2
    out = coordinate_rows(size + 3, n)
    _polar_coordinates_rows(n, x, out)
    return out


@point_loop
def _polar_coordinates_rows(part: Part, x: Array, out: Array) -> None:
    dim = x.shape[1] - 1
    size = dim + dim % 2
    start, stop = begin(part)
    for i in range(start, stop):
        total = 0.0
        for k in range(dim):
            total += x[i, k + 1] * x[i, k + 1]
        r = math.sqrt(total)
        for k in range(dim):
            out[k, i] = x[i, k + 1] / r if r > ORIGIN_RADIUS else (1.0 if k == 0 else 0.0)
        up = math.sqrt(r + math.sqrt(1.0 + total))
        out[size, i], out[size + 1, i], out[size + 2, i] = r, up, 1.0 / up


@inline
def near_directions(x: Array, i: int, y: Array, out: Array) -> None:
    """Write squared distances between directions, two coordinates at a time."""
    a, b = x[0, i], x[1, i]
    for j in range(out.size):
        out[j] = (a - y[0, j]) ** 2 + (b - y[1, j]) ** 2
    for k in range(2, x.shape[0] - 3, 2):
        a, b = x[k, i], x[k + 1, i]
        for j in range(out.size):
            out[j] += (a - y[k, j]) ** 2 + (b - y[k + 1, j]) ** 2


def forward(x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    """Write squared distances and ``d / sinh d``."""
    _forward_rows(len(out), x, y, symmetric, out, slopes)


@pair_loop
def _forward_rows(part: Part, x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    size, (n, m) = x.shape[0] - 3, out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        near_directions(x, i, y, out[i, :end])
        r, up, down = x[size, i], x[size + 1, i], x[size + 2, i]
        for j in range(end):
            s = chord(out[i, j], r, y[size, j], up, down, y[size + 1, j], y[size + 2, j])
            d = distance(s)
            out[i, j] = d * d
            slopes[i, j] = d / (sinh(s) + TINY)


def gradient(x: Array, y: Array, slopes: Array, w: Array) -> Array:
    """Row ``i``: the sum of ``-2 w log``, as an ambient vector."""
    n, size = len(w), x.shape[0] - 3
    out = np.empty((n, 1 + size))
    _gradient_rows(n, x, y, slopes, w, out)
    return out


@pair_loop
def _gradient_rows(part: Part, x: Array, y: Array, slopes: Array, w: Array, out: Array) -> None:
    size, (n, m) = x.shape[0] - 3, w.shape
    near = np.empty(m)
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        near_directions(x, i, y, near)
        r, up, down = x[size, i], x[size + 1, i], x[size + 2, i]
        cosh = math.sqrt(1.0 + r * r)
        along = 0.0
        for j in range(m):
            s = y[size, j]
            factor = -2.0 * w[i, j] * slopes[i, j]
            along += factor * radial_part(near[j], cosh, s, up, down, y[size + 1, j], y[size + 2, j])
            near[j] = factor * s
        excess = 0.0
        for k in range(0, size, 2):
            first = second = 0.0
            for j in range(m):
                first += near[j] * (y[k, j] - x[k, i])
                second += near[j] * (y[k + 1, j] - x[k + 1, i])
            out[i, 1 + k], out[i, 2 + k] = first, second
            excess += first * x[k, i] + second * x[k + 1, i]
        out[i, 0] = along * r
        for k in range(size):
            out[i, 1 + k] += (along * cosh - excess) * x[k, i]
