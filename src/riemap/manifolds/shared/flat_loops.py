"""Loops over pairs in Euclidean space, for every manifold with a chart that keeps lengths."""

import numpy as np

from riemap.loops import pair_loop
from riemap.lower_triangle import row_and_end
from riemap.threads import Part, begin
from riemap.types import Array


def forward(x: Array, y: Array, symmetric: bool, out: Array) -> None:
    """Write squared distances between the columns of ``x`` and of ``y``, coordinate by coordinate."""
    _forward_rows(len(out), x, y, symmetric, out)


@pair_loop
def _forward_rows(part: Part, x: Array, y: Array, symmetric: bool, out: Array) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(end):
            d = x[0, i] - y[0, j]
            out[i, j] = d * d
        for k in range(1, x.shape[0]):
            for j in range(end):
                d = x[k, i] - y[k, j]
                out[i, j] += d * d


def gradient(x: Array, y: Array, w: Array) -> Array:
    """Row ``i``: the sum over ``j`` of ``2 w (x_i - y_j)``."""
    out = np.empty((len(w), x.shape[0]))
    _gradient_rows(len(w), x, y, w, out)
    return out


@pair_loop
def _gradient_rows(part: Part, x: Array, y: Array, w: Array, out: Array) -> None:
    n, m = w.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        for k in range(x.shape[0]):
            slope = 0.0
            for j in range(m):
                slope += w[i, j] * (x[k, i] - y[k, j])
            out[i, k] = 2.0 * slope
