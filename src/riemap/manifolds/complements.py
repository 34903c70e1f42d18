r"""Orthonormal bases of orthogonal complements, of very many small matrices.

A basis of ``k`` columns is taken to the first ``k`` axes, up to lengths, by Householder's reflections
:math:`I - vv^\top`, :math:`v^\top v = 2`. Backwards, they take the other axes to a basis of its complement.
"""

import math

import numpy as np
from numba import prange

from riemap.types import Array
from riemap.vmath import inline, pair_loop


@pair_loop
def complements(x: Array) -> Array:
    """Orthonormal bases ``(m, n, n - k)`` of what is normal to ``x``, for ``x`` of ``(m, n, k)``."""
    count, n, k = x.shape
    out = np.empty((count, n, n - k))
    for i in prange(count):
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
    return out


@inline
def _reflector(a: Array, p: int, v: Array) -> None:
    """``v``, of squared length 2: its reflection takes column ``p`` of ``a`` to axis ``p``, up to length."""
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
    """``a - v (v · a)``, in place; ``v`` is zero before ``p``."""
    total = 0.0
    for r in range(p, len(a)):
        total += v[r] * a[r]
    for r in range(p, len(a)):
        a[r] -= total * v[r]
