r"""Loops over single points of the Grassmann manifold: steps.

With :math:`M = u^\top u`, the geodesic from ``x`` with velocity ``u`` ends in
:math:`x\cos\sqrt M + u\,\mathrm{sinc}\sqrt M`, and carries ``v`` to
:math:`v - (u\,\tfrac12\mathrm{sinc}^2\tfrac{\sqrt M}2 + x\,\mathrm{sinc}\sqrt M)\,u^\top v`
[Edelman1998, thms. 2.3 and 2.4], which are all even functions of the root.

References
----------
[Edelman1998] Edelman, Arias, Smith. The geometry of algorithms with orthogonality constraints. SIAM J. Matrix
    Anal. Appl. 20(2), 1998.
"""

import math

import numpy as np

from riemap.linalg import eigh_inplace, multiply, multiply_transposed
from riemap.loops import inline_point, task_loop
from riemap.manifolds.shared.formulas import POINTS_PER_TASK
from riemap.threads import Part, begin
from riemap.types import Array


def move(x: Array, u: Array, v: Array) -> tuple[Array, Array]:
    """Exponential of ``u``, and parallel transport of ``v``."""
    count = x.shape[0]
    y, moved = np.empty_like(x), np.empty_like(x)
    _move_rows((count + POINTS_PER_TASK - 1) // POINTS_PER_TASK, x, u, v, y, moved)
    return y, moved


@task_loop
def _move_rows(part: Part, x: Array, u: Array, v: Array, y: Array, moved: Array) -> None:
    count, n, k = x.shape
    scratch = np.empty((6, k, k))
    start, stop = begin(part)
    for block in range(start, stop):
        square, vectors, inside = scratch[0], scratch[1], scratch[2]
        cosine, sinc, lean = scratch[3], scratch[4], scratch[5]
        for i in range(POINTS_PER_TASK * block, min(count, POINTS_PER_TASK * block + POINTS_PER_TASK)):
            multiply_transposed(k, n, k, u[i], u[i], square)
            multiply_transposed(k, n, k, u[i], v[i], inside)
            eigh_inplace(square, vectors)
            _functions(square, vectors, cosine, sinc, lean)
            multiply(n, k, k, x[i], cosine, y[i])
            multiply(n, k, k, u[i], sinc, moved[i])
            for r in range(n):
                for c in range(k):
                    y[i, r, c] += moved[i, r, c]
            multiply(k, k, k, sinc, inside, square)
            multiply(k, k, k, lean, inside, vectors)
            multiply(n, k, k, x[i], square, moved[i])
            for r in range(n):
                for c in range(k):
                    total = v[i, r, c] - moved[i, r, c]
                    for j in range(k):
                        total -= u[i, r, j] * vectors[j, c]
                    moved[i, r, c] = total
            _clean(y[i], moved[i], square, inside)


@inline_point
def _functions(squares: Array, vectors: Array, cosine: Array, sinc: Array, lean: Array) -> None:
    """Write matrix functions of the angles, from the squares of the angles on the diagonal.

    They are the cosine, the sinc, and half the squared sinc of half the angle.
    """
    k = len(vectors)
    for r in range(k):
        for c in range(k):
            cosine[r, c] = sinc[r, c] = lean[r, c] = 0.0
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


@inline_point
def _clean(y: Array, moved: Array, square: Array, along: Array) -> None:
    """Remove rounding errors: make ``y`` orthonormal by a Newton step, and ``moved`` orthogonal to ``y``."""
    n, k = y.shape
    multiply_transposed(k, n, k, y, y, square)
    for r in range(n):
        for c in range(k):
            along[0, c] = 1.5 * y[r, c]
            for j in range(k):
                along[0, c] -= 0.5 * y[r, j] * square[j, c]
        for c in range(k):
            y[r, c] = along[0, c]
    multiply_transposed(k, n, k, y, moved, along)
    for r in range(n):
        for c in range(k):
            for j in range(k):
                moved[r, c] -= y[r, j] * along[j, c]
