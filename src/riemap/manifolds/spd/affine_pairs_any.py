"""Loops over pairs for the affine-invariant distance, any size, by Jacobi rotations."""

import numpy as np

from riemap.linalg import LANES, congruence, svd_lanes
from riemap.loops import pair_loop
from riemap.lower_triangle import row_and_end
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.spd.coordinates import Factors, add_outer, factors, squared_lengths, whiten
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import log


def _forward(inverse: Array, lower: Array, symmetric: bool, out: Array) -> None:
    n = inverse.shape[0]
    _forward_rows(n, inverse, lower, symmetric, out)


@pair_loop
def _forward_rows(part: Part, inverse: Array, lower: Array, symmetric: bool, out: Array) -> None:
    n, m, size = inverse.shape[0], lower.shape[2], inverse.shape[1]
    g, v, s = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty(LANES)
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(0, end, LANES):
            whiten(inverse[i], lower, j, g)
            svd_lanes(g, v)
            for lane in range(min(LANES, end - j)):
                out[i, j + lane] = 0.0
            for k in range(size):
                squared_lengths(g, k, s)
                for lane in range(min(LANES, end - j)):
                    out[i, j + lane] += log(s[lane]) ** 2


def _gradient(inverse: Array, lower: Array, w: Array) -> Array:
    """Row ``i``: the sum of ``-2 w log`` at the identity."""
    n, size = inverse.shape[0], inverse.shape[1]
    out = np.zeros((n, size, size))
    _gradient_rows(n, inverse, lower, w, out)
    return out


@pair_loop
def _gradient_rows(part: Part, inverse: Array, lower: Array, w: Array, out: Array) -> None:
    m, size = lower.shape[2], inverse.shape[1]
    g, v, s = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty(LANES)
    start, stop = begin(part)
    for i in range(start, stop):
        for j in range(0, m, LANES):
            whiten(inverse[i], lower, j, g)
            svd_lanes(g, v)
            for k in range(size):
                squared_lengths(g, k, s)
                for lane in range(LANES):
                    s[lane] = -2.0 * w[i, j + lane] * log(s[lane]) / s[lane] if j + lane < m else 0.0
                add_outer(out[i], g, k, s)


def _factors_forward(a: Factors, b: Factors, symmetric: bool, out: Array) -> None:
    _forward(a.inverse, b.lowers, symmetric, out)


def _factors_gradient(a: Factors, b: Factors, w: Array) -> Array:
    return congruence(a.lower, _gradient(a.inverse, b.lowers, w))


KERNEL = PairKernel(factors, _factors_forward, _factors_gradient)
