r"""Loops over pairs of rotations of any size.

With the symmetric and skew parts :math:`A^\top B = S + K`, which commute, an eigenvector ``u`` of ``S`` has
:math:`Su = \cos\theta\,u` and :math:`\|Ku\| = |\sin\theta|`, so a symmetric eigenproblem and an atan2 give
all phases :math:`\theta`.
"""

import math

import numpy as np

from riemap.linalg import eigh_inplace, transpose
from riemap.loops import inline, pair_loop
from riemap.lower_triangle import row_and_end
from riemap.manifolds.base import CUT
from riemap.manifolds.blocks import PairKernel
from riemap.threads import Part, begin
from riemap.types import Array


@inline
def _parts(a: Array, b: Array, s: Array, k: Array, v: Array) -> None:
    """Write the symmetric part of ``aᵀ b``, diagonalised, its skew part, and eigenvectors of the former."""
    n = a.shape[0]
    for p in range(n):
        for q in range(n):
            v[p, q] = 0.0
            for r in range(n):
                v[p, q] += a[r, p] * b[r, q]
    for p in range(n):
        for q in range(n):
            s[p, q] = 0.5 * (v[p, q] + v[q, p])
            k[p, q] = 0.5 * (v[p, q] - v[q, p])
    eigh_inplace(s, v)


@inline
def _sine(k: Array, v: Array, e: Array, column: int) -> float:
    """Write ``K u`` for an eigenvector ``u`` into ``e``; return its length."""
    total = 0.0
    for p in range(k.shape[0]):
        e[p] = 0.0
        for q in range(k.shape[0]):
            e[p] += k[p, q] * v[q, column]
        total += e[p] * e[p]
    return math.sqrt(total)


def _forward(x: Array, y: Array, symmetric: bool, out: Array) -> None:
    _forward_rows(len(x), x, y, symmetric, out)


@pair_loop
def _forward_rows(part: Part, x: Array, y: Array, symmetric: bool, out: Array) -> None:
    n, m, size = x.shape[0], y.shape[0], x.shape[1]
    s, k, v, e = np.empty((size, size)), np.empty((size, size)), np.empty((size, size)), np.empty(size)
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(end):
            _parts(x[i], y[j], s, k, v)
            total = 0.0
            for c in range(size):
                theta = math.atan2(_sine(k, v, e, c), s[c, c])
                total += theta * theta
            out[i, j] = total


def _gradient(x: Array, y: Array, w: Array) -> Array:
    """Row ``i``: the sum of ``-2 w log(aᵀ b)``."""
    out = np.zeros(x.shape)
    _gradient_rows(len(x), x, y, w, out)
    return out


@pair_loop
def _gradient_rows(part: Part, x: Array, y: Array, w: Array, out: Array) -> None:
    m, size = y.shape[0], x.shape[1]
    s, k, v, e = np.empty((size, size)), np.empty((size, size)), np.empty((size, size)), np.empty(size)
    start, stop = begin(part)
    for i in range(start, stop):
        for j in range(m):
            _parts(x[i], y[j], s, k, v)
            for c in range(size):
                sine = _sine(k, v, e, c)
                factor = -2.0 * w[i, j] * math.atan2(sine, s[c, c]) / max(sine, CUT)
                for p in range(size):
                    for q in range(size):
                        out[i, p, q] += factor * e[p] * v[q, c]


def _tangent_gradient(x: Array, y: Array, w: Array) -> Array:
    return x @ skew(_gradient(x, y, w))


def skew(a: Array) -> Array:
    """The skew part of a matrix."""
    return 0.5 * (a - transpose(a))


KERNEL = PairKernel(lambda x: x, _forward, _tangent_gradient)
