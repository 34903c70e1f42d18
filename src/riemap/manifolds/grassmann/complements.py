r"""Orthonormal bases of the orthogonal complements of many small matrices.

Householder reflections :math:`I - vv^\top`, :math:`v^\top v = 2`, map a basis of ``k`` columns to the first
``k`` axes, up to lengths. In reverse order they map the other axes to a basis of the orthogonal complement.
"""

import math

import numpy as np

from riemap.loops import inline, point_loop
from riemap.threads import Part, begin
from riemap.types import Array


def complements(x: Array) -> Array:
    """Orthonormal bases ``(m, n, n - k)`` of the complements of the bases ``x``, ``(m, n, k)``."""
    count, n, k = x.shape
    out = np.empty((count, n, n - k))
    _complements_rows(count, x, out)
    return out


@point_loop
def _complements_rows(part: Part, x: Array, out: Array) -> None:
    n, k = x.shape[1], x.shape[2]
    start, stop = begin(part)
    for i in range(start, stop):
        v, a = np.empty((k, n)), x[i].copy()
        for p in range(k):
            _reflector(a, p, v[p])
            for q in range(p + 1, k):
                _reflect(v[p], p, a[:, q])
        for q in range(n - k):
            c = out[i, :, q]
            for r in range(n):
                c[r] = 1.0 if r == k + q else 0.0
            for p in range(k - 1, -1, -1):
                _reflect(v[p], p, c)


@inline
def _reflector(a: Array, p: int, v: Array) -> None:
    """Write the ``v`` whose reflection maps column ``p`` of ``a`` to a multiple of axis ``p``."""
    square = 0.0
    for r in range(p, len(a)):
        v[r] = a[r, p]
        square += v[r] * v[r]
    length = math.sqrt(square)
    v[p] += length if v[p] >= 0.0 else -length
    scale = 1.0 / math.sqrt(length * abs(v[p]))
    for r in range(p, len(a)):
        v[r] *= scale


@inline
def _reflect(v: Array, p: int, a: Array) -> None:
    """Replace ``a`` by ``a - v (v · a)``; ``v`` is zero before ``p``."""
    total = 0.0
    for r in range(p, len(a)):
        total += v[r] * a[r]
    for r in range(p, len(a)):
        a[r] -= total * v[r]
