r"""A step on the Grassmann manifold, point by point.

With :math:`M = u^\top u`, the geodesic from ``x`` with velocity ``u`` ends in
:math:`x\cos\sqrt M + u\,\mathrm{sinc}\sqrt M`, and carries ``v`` to
:math:`v - (u\,\tfrac12\mathrm{sinc}^2\tfrac{\sqrt M}2 + x\,\mathrm{sinc}\sqrt M)\,u^\top v`
[Edelman1998, thms. 2.3 and 2.4], all of them even functions of the root.

References
----------
[Edelman1998] Edelman, Arias, Smith. The geometry of algorithms with orthogonality constraints. SIAM J. Matrix
    Anal. Appl. 20(2), 1998.
"""

import math

import numpy as np
from numba import prange

from riemap.linalg import eigh_inplace
from riemap.types import Array
from riemap.vmath import inline, pair_loop

BLOCK = 32
"""Points that share their scratch."""


@pair_loop
def move(x: Array, u: Array, v: Array) -> tuple[Array, Array]:
    """The end of the geodesic, and ``v`` carried there."""
    count, n, k = x.shape
    y, moved = np.empty_like(x), np.empty_like(x)
    for block in prange((count + BLOCK - 1) // BLOCK):
        scratch = np.empty((6, k, k))
        square, vectors, inside = scratch[0], scratch[1], scratch[2]
        cosine, sinc, lean = scratch[3], scratch[4], scratch[5]
        for i in range(BLOCK * block, min(count, BLOCK * block + BLOCK)):
            _products(u[i], u[i], square)
            _products(u[i], v[i], inside)
            eigh_inplace(square, vectors)
            _functions(square, vectors, cosine, sinc, lean)
            _times(x[i], cosine, y[i])
            _times(u[i], sinc, moved[i])
            y[i] += moved[i]
            _times(sinc, inside, square)
            _times(lean, inside, vectors)
            _times(x[i], square, moved[i])
            for r in range(n):
                for c in range(k):
                    total = v[i, r, c] - moved[i, r, c]
                    for j in range(k):
                        total -= u[i, r, j] * vectors[j, c]
                    moved[i, r, c] = total
            _clean(y[i], moved[i], square, inside)
    return y, moved


@inline
def _products(a: Array, b: Array, out: Array) -> None:
    r""":math:`a^\top b`."""
    n, k = a.shape
    for r in range(k):
        for c in range(k):
            total = 0.0
            for j in range(n):
                total += a[j, r] * b[j, c]
            out[r, c] = total


@inline
def _times(a: Array, b: Array, out: Array) -> None:
    """``ab``."""
    n, k = a.shape
    for r in range(n):
        for c in range(k):
            total = 0.0
            for j in range(k):
                total += a[r, j] * b[j, c]
            out[r, c] = total


@inline
def _functions(squares: Array, vectors: Array, cosine: Array, sinc: Array, lean: Array) -> None:
    """Cosine, sine over angle, and half the square of that of half the angle, from squares of angles."""
    k = len(vectors)
    cosine[:], sinc[:], lean[:] = 0.0, 0.0, 0.0
    for j in range(k):
        angle = math.sqrt(max(squares[j, j], 0.0))
        half = math.sin(0.5 * angle) / (0.5 * angle) if angle > 0.0 else 1.0
        whole = math.sin(angle) / angle if angle > 0.0 else 1.0
        for r in range(k):
            for c in range(k):
                both = vectors[r, j] * vectors[c, j]
                cosine[r, c] += math.cos(angle) * both
                sinc[r, c] += whole * both
                lean[r, c] += 0.5 * half * half * both


@inline
def _clean(y: Array, moved: Array, square: Array, along: Array) -> None:
    """Take away what rounding left: a Newton step to an orthonormal basis, and what lies in its span."""
    n, k = y.shape
    _products(y, y, square)
    for r in range(n):
        for c in range(k):
            along[0, c] = 1.5 * y[r, c]
            for j in range(k):
                along[0, c] -= 0.5 * y[r, j] * square[j, c]
        for c in range(k):
            y[r, c] = along[0, c]
    _products(y, moved, along)
    for r in range(n):
        for c in range(k):
            for j in range(k):
                moved[r, c] -= y[r, j] * along[j, c]
