"""Linear algebra for very many very small matrices.

The manifolds need Cholesky factors, eigenvalues and singular values of millions of matrices of
two to five rows, where a LAPACK call spends its time on being called
(``benchmarks/linalg.py`` measures it). Everything here is batched over leading axes, runs in
parallel, and keeps the digits that matter:

* :func:`cholesky` works in doubled precision, so that the factor of a matrix of condition
  number 1e8 has all its digits, and not half of them.
* :func:`left_svd` is a Jacobi method, which finds small singular values of a graded matrix to their
  own relative accuracy [DemmelVeselic1992]. :func:`eigh` is one too, accurate relative to the largest.

Entries are to be between 1e-75 and 1e75 in size, or zero: the methods square and multiply them.
The functions ending in ``_inplace`` and ``_lanes`` are for use inside other kernels.

References
----------
[DemmelVeselic1992] Demmel, Veselić. Jacobi's method is more accurate than QR. SIAM J. Matrix
    Anal. Appl. 13(4), 1992.
[Dekker1971] Dekker. A floating-point technique for extending the available precision. Numer.
    Math. 18, 1971.
"""

import math
from collections.abc import Callable

import numpy as np
from numba import njit, prange

from riemap.types import Array
from riemap.vmath import NAN, fma, inline, pair_loop

MAX_SWEEPS = 30  # Jacobi converges quadratically: five or six suffice, the rest is for NaN
LANES = 16  # matrices that a kernel works on side by side
JACOBI_TOLERANCE = 1e-15  # largest cosine between columns that may stay; rounding makes 4e-16

device = njit(error_model="numpy", fastmath={"contract"}, cache=True)
"""Decorator for a routine on one small matrix, called from kernels."""


# --- doubled precision: a number is the unevaluated sum high + low [Dekker1971] -----------------


@inline
def two_sum(a: float, b: float) -> tuple[float, float]:
    """``a + b`` and its rounding error."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@inline
def two_product(a: float, b: float) -> tuple[float, float]:
    """``a * b`` and its rounding error."""
    p = a * b
    return p, fma(a, b, -p)


@inline
def _minus_product(
    s: float, s_low: float, a: float, a_low: float, b: float, b_low: float
) -> tuple[float, float]:
    """``s - a * b`` in doubled precision."""
    p, p_low = two_product(a, b)
    p_low += a * b_low + a_low * b
    t, t_low = two_sum(s, -p)
    t_low += s_low - p_low
    high = t + t_low
    return high, t_low - (high - t)


@inline
def _quotient(s: float, s_low: float, d: float, d_low: float) -> tuple[float, float]:
    """``s / d`` in doubled precision."""
    q = s / d
    rest, rest_low = _minus_product(s, s_low, q, 0.0, d, d_low)
    return q, (rest + rest_low) / d


@inline
def _root(s: float, s_low: float) -> tuple[float, float]:
    """Square root in doubled precision; NaN unless positive."""
    r = math.sqrt(s) if s > 0.0 else NAN
    rest, rest_low = _minus_product(s, s_low, r, 0.0, r, 0.0)
    return r, (rest + rest_low) / (2.0 * r)


# --- Cholesky ------------------------------------------------------------------------------------


@inline
def cholesky_inplace(
    n: int, a: Array, lower: Array, inverse: Array, lower_low: Array, inverse_low: Array
) -> None:
    """Write ``a = lower lowerᵀ`` and ``inverse = lower⁻¹``; the ``_low`` arrays are scratch.

    The size is an argument: where it is a number in the code, no loop over it remains.
    """
    for i in range(n):
        for j in range(i + 1):
            s, s_low = 0.5 * (a[i, j] + a[j, i]), 0.0
            for k in range(j):
                s, s_low = _minus_product(
                    s, s_low, lower[i, k], lower_low[i, k], lower[j, k], lower_low[j, k]
                )
            if i == j:
                lower[i, i], lower_low[i, i] = _root(s, s_low)
            else:
                lower[i, j], lower_low[i, j] = _quotient(s, s_low, lower[j, j], lower_low[j, j])
            lower[j, i] = lower[j, i] if i == j else 0.0
    for j in range(n):
        inverse[j, j], inverse_low[j, j] = _quotient(1.0, 0.0, lower[j, j], lower_low[j, j])
        for i in range(j + 1, n):
            s, s_low = 0.0, 0.0
            for k in range(j, i):
                s, s_low = _minus_product(
                    s, s_low, lower[i, k], lower_low[i, k], inverse[k, j], inverse_low[k, j]
                )
            inverse[i, j], inverse_low[i, j] = _quotient(s, s_low, lower[i, i], lower_low[i, i])
            inverse[j, i] = 0.0


@pair_loop
def _cholesky(a: Array) -> tuple[Array, Array]:
    factor, inverse = np.empty_like(a), np.empty_like(a)
    for i in prange(a.shape[0]):
        n = a.shape[1]
        cholesky_inplace(n, a[i], factor[i], inverse[i], np.empty((n, n)), np.empty((n, n)))
    return factor, inverse


def cholesky(a: Array) -> tuple[Array, Array]:
    """Lower ``L`` with ``a = L Lᵀ``, and ``L⁻¹``, both correct to the last digits.

    A matrix that is not positive definite gives NaN.

    Parameters
    ----------
    a
        Symmetric matrices, ``(..., n, n)``.
    """
    return _batched(_cholesky, a)


# --- eigenvalues and singular values --------------------------------------------------------------


@inline
def _rotation(p: float, q: float, r: float) -> tuple[float, float]:
    """Cosine and sine that diagonalise ``[[p, r], [r, q]]``."""
    tau = (q - p) / (2.0 * r)
    t = 1.0 / (abs(tau) + math.sqrt(1.0 + tau * tau))
    t = t if tau >= 0.0 else -t
    c = 1.0 / math.sqrt(1.0 + t * t)
    return c, t * c


@device
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

    ``g`` is ``(m, n, LANES)`` and ``v``, which holds the rotations, ``(n, n, LANES)``: entry by entry,
    so that every step is one on vectors. Afterwards ``g = (old g) v``: its columns are left singular
    vectors times singular values.
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


@pair_loop
def _eigh(a: Array) -> tuple[Array, Array]:
    work, vectors = a.copy(), np.empty_like(a)
    values = np.empty(a.shape[:2])
    for i in prange(a.shape[0]):
        eigh_inplace(work[i], vectors[i])
        for k in range(a.shape[1]):
            values[i, k] = work[i, k, k]
    return values, vectors


def eigh(a: Array) -> tuple[Array, Array]:
    """Eigenvalues ``(..., n)``, in no particular order, and eigenvectors in columns.

    Parameters
    ----------
    a
        Symmetric matrices, ``(..., n, n)``.
    """
    return _batched(_eigh, a)


@pair_loop
def _svd(a: Array) -> tuple[Array, Array]:
    count, n = a.shape[0], a.shape[1]
    values, vectors = np.empty((count, n)), np.empty_like(a)
    for block in prange((count + LANES - 1) // LANES):
        g, v = np.empty((n, n, LANES)), np.empty((n, n, LANES))
        for lane in range(LANES):
            i = min(LANES * block + lane, count - 1)
            for p in range(n):
                for q in range(n):
                    g[p, q, lane] = a[i, p, q]
        svd_lanes(g, v)
        for lane in range(min(LANES, count - LANES * block)):
            i = LANES * block + lane
            for q in range(n):
                total = 0.0
                for p in range(n):
                    total += g[p, q, lane] * g[p, q, lane]
                values[i, q] = math.sqrt(total)
                for p in range(n):
                    vectors[i, p, q] = g[p, q, lane] / values[i, q] if total > 0.0 else 0.0
    return values, vectors


def left_svd(g: Array) -> tuple[Array, Array]:
    """Singular values ``(..., n)``, in no particular order, and left singular vectors.

    Parameters
    ----------
    g
        Matrices of full rank, ``(..., n, n)``.
    """
    return _batched(_svd, g)


def apply(f: Callable[[Array], Array], values: Array, vectors: Array) -> Array:
    """``V diag(f(values)) Vᵀ``: a function of a symmetric matrix, from its :func:`eigh`."""
    return (vectors * f(values)[..., None, :]) @ transpose(vectors)


def transpose(a: Array) -> Array:
    """Swap the last two axes."""
    return np.swapaxes(a, -1, -2)


def congruence(a: Array, u: Array) -> Array:
    """``a u aᵀ``."""
    return a @ u @ transpose(a)


def symmetric(a: Array) -> Array:
    """``(a + aᵀ) / 2``."""
    return 0.5 * (a + transpose(a))


def _batched(f: Callable[[Array], tuple[Array, Array]], a: Array) -> tuple[Array, Array]:
    """Flatten the leading axes of ``a``, apply ``f``, and put them back."""
    flat = np.array(a, dtype=np.float64, order="C").reshape(-1, *a.shape[-2:])
    first, second = f(flat)
    return first.reshape(a.shape[:-2] + first.shape[1:]), second.reshape(a.shape)
