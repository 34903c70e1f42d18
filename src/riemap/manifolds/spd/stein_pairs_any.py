r"""Loops over pairs for the Stein divergence, any size.

Determinants are used where they are accurate enough, and singular values elsewhere. The matrices of
:data:`LANES` pairs are worked on side by side.
"""

import math

import numpy as np

from riemap.linalg import LANES, congruence, svd_lanes
from riemap.loops import inline, pair_loop
from riemap.lower_triangle import row_and_end
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.spd.coordinates import Factors, add_outer, factors, squared_lengths, whiten
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import log1p

FAR_TRACE = 1e6
"""Trace up to which determinants are used for sizes above three. They lose as many digits as the trace has;
the singular values used beyond it lose half as many."""


@inline
def _divergence(s: float) -> float:
    """``log((1 + s) / (2 sqrt s))``, which is a small number near ``s = 1``."""
    root = math.sqrt(s)
    return log1p(0.5 * (root - 1.0) ** 2 / root)


@inline
def _largest_trace(a: Array) -> float:
    largest = 0.0
    for lane in range(LANES):
        trace = 0.0
        for p in range(a.shape[0]):
            trace += a[p, p, lane]
        largest = max(largest, trace)
    return largest


@inline
def _excess(g: Array, h: Array, z: Array) -> float:
    r"""Write :math:`\frac14(G - H^\top)(G - H^\top)^\top` to ``z`` and the difference to ``g``.

    Return the largest trace of ``z``.
    """
    size = g.shape[0]
    for p in range(size):
        for q in range(size):
            for lane in range(LANES):
                g[p, q, lane] -= h[q, p, lane]
    for p in range(size):
        for q in range(size):
            for lane in range(LANES):
                z[p, q, lane] = 0.0
            for k in range(size):
                for lane in range(LANES):
                    z[p, q, lane] += 0.25 * g[p, k, lane] * g[q, k, lane]
    return _largest_trace(z)


@inline
def _determinant(z: Array, rise: Array) -> None:
    """Write ``det(I + z) - 1`` by elimination that works with the difference of each pivot from one."""
    size = z.shape[0]
    for lane in range(LANES):
        rise[lane] = 0.0
    for k in range(size):
        for lane in range(LANES):
            rise[lane] += z[k, k, lane] + rise[lane] * z[k, k, lane]
        for p in range(k + 1, size):
            for q in range(k + 1, p + 1):
                for lane in range(LANES):
                    z[p, q, lane] -= z[p, k, lane] * z[q, k, lane] / (1.0 + z[k, k, lane])


@inline
def _invert(a: Array) -> None:
    """Invert symmetric positive definite matrices in place, by Gauss-Jordan elimination."""
    size = a.shape[0]
    for k in range(size):
        for lane in range(LANES):
            pivot = 1.0 / a[k, k, lane]
            a[k, k, lane] = 1.0
            for q in range(size):
                a[k, q, lane] *= pivot
        for p in range(size):
            if p != k:
                for lane in range(LANES):
                    factor = a[p, k, lane]
                    a[p, k, lane] = 0.0
                    for q in range(size):
                        a[p, q, lane] -= factor * a[k, q, lane]


def _forward(
    lower: Array, inverse: Array, lowers: Array, inverses: Array, symmetric: bool, out: Array
) -> None:
    n = inverse.shape[0]
    _forward_rows(n, lower, inverse, lowers, inverses, symmetric, out)


@pair_loop
def _forward_rows(
    part: Part, lower: Array, inverse: Array, lowers: Array, inverses: Array, symmetric: bool, out: Array
) -> None:
    n, m, size = inverse.shape[0], lowers.shape[2], inverse.shape[1]
    g, h, z = (
        np.empty((size, size, LANES)),
        np.empty((size, size, LANES)),
        np.empty((size, size, LANES)),
    )
    s = np.empty(LANES)
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(0, end, LANES):
            count = min(LANES, end - j)
            whiten(inverse[i], lowers, j, g)
            _unwhiten(lower[i], inverses, j, h)
            if _excess(g, h, z) < FAR_TRACE:
                _determinant(z, s)
                for lane in range(count):
                    out[i, j + lane] = 0.5 * log1p(s[lane])
                continue
            whiten(inverse[i], lowers, j, g)
            svd_lanes(g, h)
            for lane in range(count):
                out[i, j + lane] = 0.0
            for k in range(size):
                squared_lengths(g, k, s)
                for lane in range(count):
                    out[i, j + lane] += _divergence(s[lane])


@inline
def _unwhiten(lower: Array, inverses: Array, j: int, h: Array) -> None:
    """Write ``L_B⁻¹ L_A`` to ``h`` for the ``B`` from ``j`` on; past the end, the last one is repeated."""
    size, last = h.shape[0], inverses.shape[2] - 1
    for p in range(size):
        for q in range(size):
            for lane in range(LANES):
                h[p, q, lane] = 0.0
            for k in range(q, p + 1):
                for lane in range(LANES):
                    h[p, q, lane] += inverses[p, k, min(j + lane, last)] * lower[k, q]


def _gradient(inverse: Array, lowers: Array, w: Array) -> Array:
    r"""Row ``i``: the sum of :math:`w\big((I+M)^{-1} - \frac12I\big)`."""
    n, size = inverse.shape[0], inverse.shape[1]
    out = np.zeros((n, size, size))
    _gradient_rows(n, inverse, lowers, w, out)
    return out


@pair_loop
def _gradient_rows(part: Part, inverse: Array, lowers: Array, w: Array, out: Array) -> None:
    m, size = lowers.shape[2], inverse.shape[1]
    g, a, s = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty(LANES)
    start, stop = begin(part)
    for i in range(start, stop):
        for j in range(0, m, LANES):
            whiten(inverse[i], lowers, j, g)
            if _gram(g, a) < FAR_TRACE:
                _invert(a)
                for p in range(size):
                    for q in range(size):
                        total = 0.0
                        for lane in range(min(LANES, m - j)):
                            total += w[i, j + lane] * (a[p, q, lane] - (0.5 if p == q else 0.0))
                        out[i, p, q] += total
                continue
            svd_lanes(g, a)
            for k in range(size):
                squared_lengths(g, k, s)
                for lane in range(LANES):
                    s[lane] = (
                        w[i, j + lane] * 0.5 * (1.0 - s[lane]) / ((1.0 + s[lane]) * s[lane])
                        if j + lane < m
                        else 0.0
                    )
                add_outer(out[i], g, k, s)


@inline
def _gram(g: Array, a: Array) -> float:
    """Write ``I + g gᵀ`` to ``a`` and return the largest trace."""
    size = g.shape[0]
    for p in range(size):
        for q in range(size):
            for lane in range(LANES):
                a[p, q, lane] = 1.0 if p == q else 0.0
            for k in range(min(p, q) + 1):
                for lane in range(LANES):
                    a[p, q, lane] += g[p, k, lane] * g[q, k, lane]
    return _largest_trace(a)


def _factors_forward(a: Factors, b: Factors, symmetric: bool, out: Array) -> None:
    _forward(a.lower, a.inverse, b.lowers, b.inverses, symmetric, out)


def _factors_gradient(a: Factors, b: Factors, w: Array) -> Array:
    return congruence(a.lower, _gradient(a.inverse, b.lowers, w))


KERNEL = PairKernel(factors, _factors_forward, _factors_gradient)
