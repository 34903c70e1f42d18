"""Loops over pairs in Euclidean space, for every manifold with a chart that keeps lengths."""

import numpy as np
from numba import prange

from riemap.types import Array
from riemap.vmath import pair_loop


@pair_loop
def forward(x: Array, y: Array, symmetric: bool, out: Array) -> None:
    """Write all squared distances between the columns of ``x`` and of ``y``, coordinate by coordinate.

    All of them, even where half would do: a row then takes less than a mirror image of it.
    """
    n, m = out.shape
    for i in prange(n):
        for j in range(m):
            d = x[0, i] - y[0, j]
            out[i, j] = d * d
        for k in range(1, x.shape[0]):
            for j in range(m):
                d = x[k, i] - y[k, j]
                out[i, j] += d * d


@pair_loop
def gradient(x: Array, y: Array, w: Array) -> Array:
    """Row ``i``: the sum over ``j`` of ``2 w (x_i - y_j)``."""
    n, m = x.shape[1], y.shape[1]
    out = np.empty((n, x.shape[0]))
    for i in prange(n):
        for k in range(x.shape[0]):
            slope = 0.0
            for j in range(m):
                slope += w[i, j] * (x[k, i] - y[k, j])
            out[i, k] = 2.0 * slope
    return out
