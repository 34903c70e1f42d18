"""SPD5 where eigenvalues of A⁻¹B meet, near and far apart, beside mpmath and singular vectors."""

import mpmath
import numpy as np
import pytest
from tolerances import ROUNDING, SPD5_DISTANCE, SPD5_GRADIENT

from riemap.manifolds import SPD
from riemap.types import Array

M, COUNT = SPD(5), 48  # three groups of lanes
SPLITS = (0.0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.03, 0.3)

LOGS = {
    "apart": [2.0, 1.0, 0.0, -1.0, -2.0],
    "two": [1.0, 1.0, 0.3, -0.5, -1.8],
    "two and two": [1.0, 1.0, 0.0, -1.0, -1.0],
    "two and three": [1.0, 1.0, -1.0, -1.0, -1.0],
    "three in the middle": [3.0, 0.3, 0.3, 0.3, -3.0],
    "four small": [-1.0, -1.0, -1.0, -1.0, 4.0],
    "four large": [1.0, 1.0, 1.0, 1.0, -4.0],
    "all": [1.0, 1.0, 1.0, 1.0, 1.0],
}
"""Logarithms of eigenvalues of A⁻¹B, up to a factor."""


def partners(logs: list[float], size: float, split: float) -> tuple[Array, Array]:
    """Points, and others at about this distance."""
    rng = np.random.default_rng(0)
    x = M.random(rng, COUNT, 1.0)
    s = np.array(logs) / np.linalg.norm(logs) * size * rng.uniform(0.7, 1.0, (COUNT, 1))
    s += split * rng.standard_normal((COUNT, 5))
    q = np.linalg.qr(rng.standard_normal((COUNT, 5, 5)))[0]
    root = np.linalg.cholesky(x) @ (q * np.exp(0.5 * s)[:, None, :])
    y = root @ np.swapaxes(root, 1, 2)
    return x, 0.5 * (y + np.swapaxes(y, 1, 2))


def truth(a: Array, b: Array) -> float:
    """The distance, with sixty digits on the way."""
    with mpmath.workdps(60):
        inverse = mpmath.inverse(mpmath.cholesky(mpmath.matrix(a.tolist())))
        values = mpmath.eigsy(inverse * mpmath.matrix(b.tolist()) * inverse.T, eigvals_only=True)
        return float(mpmath.sqrt(mpmath.fsum(mpmath.log(v) ** 2 for v in values)))


@pytest.mark.parametrize("size", [1e-7, 0.01, 1.0, 4.0, 8.0, 14.0])
@pytest.mark.parametrize("logs", LOGS)
def test_distances_and_gradients_where_eigenvalues_meet(logs: str, size: float) -> None:
    """A Jacobi method for singular vectors is right everywhere, but slow."""
    for split in SPLITS:
        x, y = partners(LOGS[logs], size, split * min(size, 1.0))
        d, plain = np.sqrt(np.diagonal(M.pairwise(x, y))), np.sqrt(M.sqdist(x, y))
        assert d[0] == pytest.approx(truth(x[0], y[0]), rel=SPD5_DISTANCE, abs=SPD5_DISTANCE)
        np.testing.assert_allclose(d, plain, rtol=SPD5_DISTANCE, atol=SPD5_DISTANCE)
        error = M.norm(x, M.pairwise_grad(x, y, np.eye(COUNT)) - M.sqdist_grad(x, y))
        assert np.all(error <= 2.0 * (SPD5_GRADIENT * plain + ROUNDING)), split


@pytest.mark.parametrize("size", [1.0, 7.0])
@pytest.mark.parametrize("logs", LOGS)
def test_both_ends_of_a_pair(logs: str, size: float) -> None:
    """The same coefficients serve both, and a symmetric block is what two rectangular ones are."""
    points = np.concatenate(partners(LOGS[logs], size, 0.01))
    w = np.random.default_rng(1).standard_normal((2 * COUNT, 2 * COUNT))
    found = M.symmetric_block(points).gradient(w)
    expected = M.pairwise_grad(points, points, w + w.T)
    assert np.all(M.norm(points, found - expected) <= SPD5_GRADIENT * M.norm(points, expected))


@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 33])
def test_any_number_of_points(count: int) -> None:
    """Groups of lanes that are not full."""
    x = M.random(np.random.default_rng(0), 33, 1.0)
    w = np.random.default_rng(1).standard_normal((33, count))
    whole = M.pairwise(x, x)
    np.testing.assert_allclose(M.pairwise(x, x[:count]), whole[:, :count], rtol=1e-13, atol=1e-28)
    np.testing.assert_allclose(
        M.symmetric_block(x[:count]).sqdist, whole[:count, :count], rtol=1e-12, atol=1e-28
    )
    reference = M.rectangular_block(x, x[:count], reference=True).gradient(w)
    np.testing.assert_allclose(M.pairwise_grad(x, x[:count], w), reference, rtol=1e-11, atol=1e-11)
