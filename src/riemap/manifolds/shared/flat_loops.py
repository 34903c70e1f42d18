"""Loops over pairs in Euclidean space, for every manifold with a chart that keeps lengths."""

from typing import Any

import numpy as np

from riemap.coordinate_tuples import coordinates, differences, no_coordinates, plus, square
from riemap.loops import pair_loop
from riemap.lower_triangle import row_and_end, row_and_line_end
from riemap.threads import Part, begin
from riemap.types import Array


def forward(x: Array, y: Array, symmetric: bool, out: Array) -> None:
    """Write squared distances between the columns of ``x`` and of ``y``."""
    _forward_rows(len(out), x, y, symmetric, out, no_coordinates(len(x)))


@pair_loop
def _forward_rows(part: Part, x: Array, y: Array, symmetric: bool, out: Array, none: Any) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_line_end(t, n, m, symmetric)
        a = coordinates(x, 0, i, none)
        for j in range(end):
            out[i, j] = square(differences(a, y, 0, j, 1.0))
        for k in range(len(none), x.shape[0], len(none)):
            a = coordinates(x, k, i, none)
            for j in range(end):
                out[i, j] += square(differences(a, y, k, j, 1.0))


def gradient(x: Array, y: Array, w: Array) -> Array:
    """Row ``i``: the sum over ``j`` of ``2 w (x_i - y_j)``, with zeros where the coordinates have them."""
    out = np.empty((len(w), x.shape[0]))
    _gradient_rows(len(w), x, y, w, out, no_coordinates(len(x)))
    return out


@pair_loop
def _gradient_rows(part: Part, x: Array, y: Array, w: Array, out: Array, none: Any) -> None:
    n, m = w.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        for k in range(0, x.shape[0], len(none)):
            a = coordinates(x, k, i, none)
            sums = none
            for j in range(m):
                sums = plus(sums, w[i, j], differences(a, y, k, j, 1.0))
            for c in range(len(none)):
                out[i, k + c] = 2.0 * sums[c]
