"""Factorisations of many small matrices, batched over their leading axes."""

import math
from collections.abc import Callable

import numpy as np

from riemap.linalg.doubled import cholesky_inplace
from riemap.linalg.jacobi import LANES, eigh_inplace, svd_lanes
from riemap.loops import point_loop, task_loop
from riemap.threads import Part, begin
from riemap.types import Array


def _cholesky(a: Array) -> tuple[Array, Array]:
    factor, inverse = np.empty_like(a), np.empty_like(a)
    _cholesky_rows(a.shape[0], a, factor, inverse)
    return factor, inverse


@point_loop
def _cholesky_rows(part: Part, a: Array, factor: Array, inverse: Array) -> None:
    start, stop = begin(part)
    for i in range(start, stop):
        n = a.shape[1]
        cholesky_inplace(n, a[i], factor[i], inverse[i], np.empty((n, n)), np.empty((n, n)))


def cholesky(a: Array) -> tuple[Array, Array]:
    """Cholesky factors and their inverses, both correct to the last digits.

    Parameters
    ----------
    a
        Symmetric matrices, ``(..., n, n)``.

    Returns
    -------
    lower
        Lower triangular ``L`` with ``a = L Lᵀ``, ``(..., n, n)``; NaN where ``a`` is not positive definite.
    inverse
        ``L⁻¹``, ``(..., n, n)``.
    """
    return _batched(_cholesky, a)


def _eigh(a: Array) -> tuple[Array, Array]:
    work, vectors = a.copy(), np.empty_like(a)
    values = np.empty(a.shape[:2])
    _eigh_rows(a.shape[0], a, work, vectors, values)
    return values, vectors


@point_loop
def _eigh_rows(part: Part, a: Array, work: Array, vectors: Array, values: Array) -> None:
    start, stop = begin(part)
    for i in range(start, stop):
        eigh_inplace(work[i], vectors[i])
        for k in range(a.shape[1]):
            values[i, k] = work[i, k, k]


def eigh(a: Array) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors of symmetric matrices.

    Parameters
    ----------
    a
        Symmetric matrices, ``(..., n, n)``.

    Returns
    -------
    values
        Eigenvalues, ``(..., n)``, in no particular order.
    vectors
        Eigenvectors in columns, ``(..., n, n)``.
    """
    return _batched(_eigh, a)


def _svd(a: Array) -> tuple[Array, Array]:
    count, n = a.shape[0], a.shape[1]
    values, vectors = np.empty((count, n)), np.empty_like(a)
    _svd_rows((count + LANES - 1) // LANES, a, values, vectors)
    return values, vectors


@task_loop
def _svd_rows(part: Part, a: Array, values: Array, vectors: Array) -> None:
    count, n = a.shape[0], a.shape[1]
    g, v = np.empty((n, n, LANES)), np.empty((n, n, LANES))
    start, stop = begin(part)
    for block in range(start, stop):
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


def left_svd(g: Array) -> tuple[Array, Array]:
    """Singular values and left singular vectors.

    Parameters
    ----------
    g
        Matrices of full rank, ``(..., n, n)``.

    Returns
    -------
    values
        Singular values, ``(..., n)``, in no particular order.
    vectors
        Left singular vectors in columns, ``(..., n, n)``.
    """
    return _batched(_svd, g)


def apply(f: Callable[[Array], Array], values: Array, vectors: Array) -> Array:
    """``V diag(f(values)) Vᵀ``: a function of a symmetric matrix, from its :func:`eigh`.

    Parameters
    ----------
    f
        A function that works entry by entry.
    values, vectors
        What :func:`eigh` returned, ``(..., n)`` and ``(..., n, n)``.

    Returns
    -------
    Matrices, ``(..., n, n)``.
    """
    return (vectors * f(values)[..., None, :]) @ transpose(vectors)


def orthogonal_factor(x: Array) -> Array:
    """The matrices with orthonormal columns nearest to ``x``: the first factor of the polar decomposition.

    Parameters
    ----------
    x
        Matrices of full rank, ``(..., n, k)`` with ``k <= n``.

    Returns
    -------
    Matrices, ``(..., n, k)``.
    """
    u, _, vt = np.linalg.svd(x, full_matrices=False)
    return u @ vt


def transpose(a: Array) -> Array:
    """Swap the last two axes.

    Returns
    -------
    A view of ``a``.
    """
    return np.swapaxes(a, -1, -2)


def congruence(a: Array, u: Array) -> Array:
    """``a u aᵀ``.

    Returns
    -------
    Matrices, ``(..., n, n)``.
    """
    return a @ u @ transpose(a)


def symmetric(a: Array) -> Array:
    """``(a + aᵀ) / 2``.

    Returns
    -------
    Matrices, ``(..., n, n)``.
    """
    return 0.5 * (a + transpose(a))


def _batched(f: Callable[[Array], tuple[Array, Array]], a: Array) -> tuple[Array, Array]:
    """Flatten the leading axes of ``a``, apply ``f``, and put them back."""
    flat = np.array(a, dtype=np.float64, order="C").reshape(-1, *a.shape[-2:])
    first, second = f(flat)
    return first.reshape(a.shape[:-2] + first.shape[1:]), second.reshape(a.shape)
