"""Bures-Wasserstein distances of nearly singular matrices, against exact values and singular vectors."""

import mpmath
import numpy as np
import pytest

from riemap.linalg import congruence
from riemap.manifolds import BuresWasserstein
from riemap.types import Array, Rng

DISTANCE = 2e-14
"""Largest error of a squared distance over the sum of the traces; measured: 1e-14 with singular vectors at
the least ratio, and 1e-15 from 0.003 on."""

GRADIENT = 1e-13
"""Largest error of a gradient over the sum of the weights, against singular vectors; measured: 3e-14"""

SMALL = [1.0, 0.1, 0.02, 0.01, 0.005, 0.003, 1e-4, 1e-8]
"""Ratios of the lesser eigenvalues to the greatest. Closed forms change to singular vectors between them."""


def with_small_values(rng: Rng, n: int, small: float) -> Array:
    """Matrices with two eigenvalues near one, and all others near ``small``."""
    values = rng.uniform(0.5, 2.0, (12, n)) * np.where(np.arange(n) < 2, 1.0, small)
    q, _ = np.linalg.qr(rng.standard_normal((12, n, n)))
    return congruence(q, values[:, :, None] * np.eye(n))


def exact_sqdist(a: Array, b: Array) -> float:
    """By the eigenvalues of Lᵀ B L, where A = L Lᵀ."""
    p, q = mpmath.matrix(a.tolist()), mpmath.matrix(b.tolist())
    root = mpmath.cholesky(p)
    values = mpmath.eigsy(root.T * q * root, eigvals_only=True)
    ends = sum(p[k, k] + q[k, k] for k in range(len(a)))
    return float(ends - 2 * mpmath.fsum(mpmath.sqrt(v) for v in values))


@pytest.mark.parametrize("small", SMALL)
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_nearly_singular_matrices(n: int, small: float) -> None:
    """Small eigenvalues on all axes, for pairs with other axes and with nearly the same ones."""
    m, rng = BuresWasserstein(n), np.random.default_rng(n)
    x, y = with_small_values(rng, n, small), with_small_values(rng, n, small)
    y[::3] = x[::3] * 1.001
    with mpmath.workdps(40):
        truth = np.array([[exact_sqdist(a, b) for b in y] for a in x])
    ends = np.trace(x, axis1=1, axis2=2)[:, None] + np.trace(y, axis1=1, axis2=2)
    fast, plain = (m.rectangular_block(x, y, reference=reference) for reference in (False, True))
    assert np.max(np.abs(fast.sqdist - truth) / ends) < DISTANCE
    w = rng.standard_normal(truth.shape)
    for weights in (w, np.eye(len(x))):
        error = np.linalg.norm(fast.gradient(weights) - plain.gradient(weights), axis=(1, 2))
        assert np.max(error) < GRADIENT * np.abs(weights).sum(axis=1).max()
