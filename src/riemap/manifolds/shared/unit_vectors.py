r"""Loops over unit vectors, and over pairs of the lines that they span.

Coordinates are arrays with a row for each coordinate and a column for each vector, as :func:`by_coordinate`
makes them. A line is the unit vector ``x`` or ``-x``; the angle ``d`` between two lines is at most
:math:`\pi/2`.
"""

import math
from typing import Any

import numpy as np

from riemap.coordinate_tuples import coordinates, differences, no_coordinates, plus, square
from riemap.loops import inline, pair_loop, point_loop
from riemap.lower_triangle import row_and_end, row_and_line_end
from riemap.manifolds.base import CUT
from riemap.manifolds.shared.over_sine import over_sine, over_sine_quotient
from riemap.threads import Part, begin
from riemap.types import Array


@inline
def near_and_far(x: Array, i: int, y: Array, near: Array, far: Array, none: Any) -> None:
    """Write squared lengths of ``x_i - y_j`` and ``x_i + y_j`` for all ``j``."""
    a = coordinates(x, 0, i, none)
    for j in range(near.size):
        near[j] = square(differences(a, y, 0, j, 1.0))
        far[j] = square(differences(a, y, 0, j, -1.0))
    for k in range(len(none), x.shape[0], len(none)):
        a = coordinates(x, k, i, none)
        for j in range(near.size):
            near[j] += square(differences(a, y, k, j, 1.0))
            far[j] += square(differences(a, y, k, j, -1.0))


@inline
def angle_and_slope(near: float, far: float) -> tuple[float, float]:
    r"""``d`` and ``d / sin d`` from :math:`\|x-y\|^2` and :math:`\|x+y\|^2`.

    The smaller of the two angles with ``y`` and ``-y`` has :math:`\sin^2\frac d2` at most a half, where
    its quotient with the sine is ``top / bottom``. The sine is at least :data:`CUT`. One division serves
    both quotients.
    """
    sine = 0.5 * math.sqrt(near * far)
    obtuse = near > far
    top, bottom = over_sine_quotient(0.25 * (far if obtuse else near))
    divisor = max(sine, CUT)
    inverse = 1.0 / (bottom * divisor)
    ratio = top * divisor * inverse
    d = math.pi - sine * ratio if obtuse else sine * ratio
    return d, d * bottom * inverse if obtuse else ratio


@inline
def project_row(x: Array, i: int, out: Array) -> None:
    """Subtract from row ``i`` of ``out`` its component along ``x_i``."""
    excess = 0.0
    for k in range(x.shape[0]):
        excess += out[i, k] * x[k, i]
    for k in range(x.shape[0]):
        out[i, k] -= excess * x[k, i]


def lines_forward(x: Array, y: Array, symmetric: bool, factor: float, out: Array, slopes: Array) -> None:
    """Write squared angles of lines times ``factor``, and ``± d / sin d``, minus where ``-y`` is nearer."""
    _lines_forward_rows(len(out), x, y, symmetric, factor, out, slopes, no_coordinates(len(x)))


@pair_loop
def _lines_forward_rows(
    part: Part, x: Array, y: Array, symmetric: bool, factor: float, out: Array, slopes: Array, none: Any
) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_line_end(t, n, m, symmetric)
        near_and_far(x, i, y, out[i, :end], slopes[i, :end], none)
        for j in range(end):
            near, far = out[i, j], slopes[i, j]
            flip = near > far
            slope = over_sine(0.25 * (far if flip else near))
            out[i, j] = 0.25 * factor * near * far * slope * slope  # sin² d = |x - y|² |x + y|² / 4
            slopes[i, j] = -slope if flip else slope


def gradient(x: Array, y: Array, slopes: Array, w: Array) -> Array:
    """Row ``i``: the sum of ``-2 w log``; where a slope is negative, the logarithm is that of ``-y``."""
    out = np.empty((len(w), x.shape[0]))
    _gradient_rows(len(w), x, y, slopes, w, out, no_coordinates(len(x)))
    return out


@pair_loop
def _gradient_rows(part: Part, x: Array, y: Array, slopes: Array, w: Array, out: Array, none: Any) -> None:
    n, m = w.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        for k in range(0, x.shape[0], len(none)):
            a = coordinates(x, k, i, none)
            sums = none
            for j in range(m):
                sign = math.copysign(1.0, slopes[i, j])
                sums = plus(sums, w[i, j] * abs(slopes[i, j]), differences(a, y, k, j, sign))
            for c in range(len(none)):
                out[i, k + c] = 2.0 * sums[c]
        project_row(x, i, out)


def move(x: Array, u: Array, v: Array) -> tuple[Array, Array]:
    """Exponential of ``u`` and parallel transport of ``v`` on the sphere."""
    n = x.shape[0]
    y, moved = np.empty_like(x), np.empty_like(x)
    _move_rows(n, x, u, v, y, moved)
    return y, moved


@point_loop
def _move_rows(part: Part, x: Array, u: Array, v: Array, y: Array, moved: Array) -> None:
    size = x.shape[1]
    start, stop = begin(part)
    for i in range(start, stop):
        square = 0.0
        for k in range(size):
            square += u[i, k] * u[i, k]
        t = math.sqrt(square)
        cos, sinc = math.cos(t), math.sin(t) / t if t > 0.0 else 1.0
        square = 0.0
        for k in range(size):
            y[i, k] = cos * x[i, k] + sinc * u[i, k]
            square += y[i, k] * y[i, k]
        length = math.sqrt(square)
        far = slope = 0.0
        for k in range(size):
            y[i, k] /= length
            far += (x[i, k] + y[i, k]) ** 2
            slope += (y[i, k] - x[i, k]) * v[i, k]
        slope *= 2.0 / max(far, CUT)
        excess = 0.0
        for k in range(size):
            moved[i, k] = v[i, k] - slope * (x[i, k] + y[i, k])
            excess += moved[i, k] * y[i, k]
        for k in range(size):
            moved[i, k] -= excess * y[i, k]
