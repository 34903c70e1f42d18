"""Jacobi methods for one small symmetric matrix, and for several general ones side by side.

References
----------
[DemmelVeselic1992] Demmel, Veselić. Jacobi's method is more accurate than QR. SIAM J. Matrix
    Anal. Appl. 13(4), 1992.
"""

import math

import numpy as np

from riemap.compiling import for_loops_only
from riemap.loops import inline, inline_point
from riemap.types import Array

MAX_SWEEPS = 30
"""Largest number of sweeps over all pairs of columns. Five or six suffice, since convergence is quadratic;
the limit ends the loop where the matrix holds a NaN."""

LANES = 16
"""Number of matrices that a loop works on side by side: a multiple of every vector length in use."""

JACOBI_TOLERANCE = 1e-15
"""Largest cosine between two columns that count as orthogonal; rounding alone makes 4e-16."""

device = for_loops_only(error_model="numpy", fastmath={"contract"})
"""Decorator for a routine on one small matrix, which compiled loops call."""


@inline
def _rotation(p: float, q: float, r: float) -> tuple[float, float]:
    """Cosine and sine that diagonalise ``[[p, r], [r, q]]``."""
    tau = (q - p) / (2.0 * r)
    t = 1.0 / (abs(tau) + math.sqrt(1.0 + tau * tau))
    t = t if tau >= 0.0 else -t
    c = 1.0 / math.sqrt(1.0 + t * t)
    return c, t * c


@inline_point
def eigh_inplace(a: Array, v: Array) -> None:
    """Diagonalise symmetric ``a`` in place; the columns of ``v`` become its eigenvectors."""
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            v[i, j] = 1.0 if i == j else 0.0
    for _ in range(MAX_SWEEPS):
        off = diagonal = 0.0
        for i in range(n):
            diagonal += a[i, i] * a[i, i]
            for j in range(i):
                off += a[i, j] * a[i, j]
        if not off > JACOBI_TOLERANCE * JACOBI_TOLERANCE * diagonal:
            return
        for p in range(n):
            for q in range(p + 1, n):
                if a[p, q] == 0.0:
                    continue
                c, s = _rotation(a[p, p], a[q, q], a[p, q])
                for k in range(n):
                    x, y = a[k, p], a[k, q]
                    a[k, p], a[k, q] = c * x - s * y, s * x + c * y
                for k in range(n):
                    x, y = a[p, k], a[q, k]
                    a[p, k], a[q, k] = c * x - s * y, s * x + c * y
                    x, y = v[k, p], v[k, q]
                    v[k, p], v[k, q] = c * x - s * y, s * x + c * y
                a[p, q] = a[q, p] = 0.0


@device
def svd_lanes(g: Array, v: Array) -> None:
    """Rotate the columns of :data:`LANES` matrices at once until they are orthogonal.

    ``g`` is ``(m, n, LANES)``, and ``v``, which receives the rotations, is ``(n, n, LANES)``: with the lane
    last, every step vectorises. Afterwards ``g = (old g) v``, and its columns are left singular vectors times
    singular values [DemmelVeselic1992].
    """
    m, n = g.shape[0], g.shape[1]
    pp, qq, pq = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for i in range(n):
        for j in range(n):
            for lane in range(LANES):
                v[i, j, lane] = 1.0 if i == j else 0.0
    for _ in range(MAX_SWEEPS):
        rotated = 0
        for p in range(n):
            for q in range(p + 1, n):
                for lane in range(LANES):
                    pp[lane] = qq[lane] = pq[lane] = 0.0
                for k in range(m):
                    for lane in range(LANES):
                        pp[lane] += g[k, p, lane] * g[k, p, lane]
                        qq[lane] += g[k, q, lane] * g[k, q, lane]
                        pq[lane] += g[k, p, lane] * g[k, q, lane]
                for lane in range(LANES):
                    turn = pq[lane] * pq[lane] > JACOBI_TOLERANCE * JACOBI_TOLERANCE * pp[lane] * qq[lane]
                    c, s = _rotation(pp[lane], qq[lane], pq[lane] if turn else 1.0)
                    pp[lane], qq[lane] = c if turn else 1.0, s if turn else 0.0
                    rotated += 1 if turn else 0
                _rotate(g, p, q, pp, qq)
                _rotate(v, p, q, pp, qq)
        if rotated == 0:
            return


@inline
def _rotate(a: Array, p: int, q: int, c: Array, s: Array) -> None:
    """Rotate columns ``p`` and ``q``."""
    for k in range(a.shape[0]):
        first, second = a[k, p], a[k, q]
        for lane in range(LANES):
            x, y = first[lane], second[lane]
            first[lane], second[lane] = c[lane] * x - s[lane] * y, s[lane] * x + c[lane] * y
