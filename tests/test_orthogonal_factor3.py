"""Orthogonal factors of 3 x 3 matrices in closed form, and the distances and gradients made of them."""

from typing import Any

import mpmath
import numpy as np
import pytest
from subjects import check_blocks
from tolerances import GRADIENT_EXCESS, ROUNDING, ZERO

from riemap.compiling import for_python
from riemap.linalg import congruence, symmetric, transpose
from riemap.manifolds import BuresWasserstein, Grassmann
from riemap.manifolds.shared import orthogonal_factor3
from riemap.types import Array, Rng

COUNT = 20
LEAST_GAP = 1e-5

VALUES = {
    "apart": [1.0, 0.6, 0.3],
    "greatest equal": [1.0, 1.0, 0.3],
    "least equal": [1.0, 0.3, 0.3],
    "all equal": [1.0, 1.0, 1.0],
    "one zero": [1.0, 0.5, 0.0],
    "two small": [1.0, 1e-3, 1e-3],
    "two tiny": [1.0, 2e-5, 1e-5],
}
"""Singular values."""


@for_python(error_model="numpy")
def factor(c: Any) -> Any:
    a, b, k = orthogonal_factor3.coefficients(c, LEAST_GAP)
    return a, orthogonal_factor3.orthogonal_factor(c, a, b, k)


def frames(rng: Rng, n: int) -> Array:
    """Orthogonal matrices, of both signs."""
    q = np.linalg.qr(rng.standard_normal((COUNT, n, n)))[0]
    q[::2, :, 0] *= -1.0
    return q[rng.permutation(COUNT)]


@pytest.mark.parametrize("scale", [1e-59, 1.0, 1e60])
@pytest.mark.parametrize("kind", VALUES)
def test_the_factor_of_known_singular_values(kind: str, scale: float) -> None:
    """U Vᵀ, as far as the values determine it; it turns U diag(s) Vᵀ into a symmetric matrix."""
    rng, s = np.random.default_rng(0), np.array(VALUES[kind])
    u, v = frames(rng, 3), frames(rng, 3)
    for c, expected in zip((u * s) @ transpose(v), u @ transpose(v), strict=True):
        mark, entries = factor(tuple((scale * c).ravel().tolist()))
        assert np.isfinite(mark)
        r = np.reshape(entries, (3, 3))
        np.testing.assert_allclose(r.T @ r, np.eye(3), atol=ROUNDING)
        assert np.sum(r * c) == pytest.approx(np.sum(s), rel=ROUNDING)
        if s[2] > 0.0:
            np.testing.assert_allclose(r, expected, atol=ROUNDING / (s[1] + s[2]))


@pytest.mark.parametrize("values", [[0, 0, 0], [1, 0, 0], [1, 3e-6, 3e-6], [1e-80, 1e-80, 1e-80]])
def test_matrices_with_many_nearest_ones_are_marked(values: list[float]) -> None:
    rng = np.random.default_rng(0)
    for c in (frames(rng, 3) * np.array(values)) @ frames(rng, 3):
        assert np.isnan(factor(tuple(c.ravel().tolist()))[0])


# --- Bures-Wasserstein ----------------------------------------------------------------------------

SPECTRA = {
    "equal": [1.0, 1.0, 1.0],
    "one small": [1.0, 1.0, 1e-6],
    "two small": [1.0, 1e-3, 1e-4],
    "closed form ends": [1.0, 1e-5, 1e-5],
    "two tiny": [1.0, 1e-8, 1e-8],
}
"""Eigenvalues."""


def bures_truth(a: Array, b: Array) -> float:
    """tr A + tr B - 2 tr (Lᵀ B L)^½ for A = L Lᵀ."""
    p, q = (mpmath.matrix(c.tolist()) for c in (a, b))
    lower = mpmath.cholesky(p)
    values = mpmath.eigsy(lower.T * q * lower, eigvals_only=True)
    trace = mpmath.fsum(p[i, i] + q[i, i] for i in range(3))
    return float(mpmath.sqrt(trace - 2 * mpmath.fsum(mpmath.sqrt(v) for v in values)))


@pytest.mark.parametrize("step", [1e-8, 1e-4, 0.1, None])
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_bures_distances_keep_their_digits(spectrum: str, step: float | None) -> None:
    """To the same matrix transformed by I + step S, and to one with other axes."""
    m, rng = BuresWasserstein(3), np.random.default_rng(1)
    a = symmetric(congruence(frames(rng, 3), np.diag(SPECTRA[spectrum])))
    if step is None:
        b = symmetric(congruence(frames(rng, 3), np.diag(SPECTRA[spectrum][::-1])))
    else:
        b = symmetric(congruence(np.eye(3) + step * symmetric(rng.standard_normal(a.shape)), a))
    with mpmath.workdps(60):
        truth = np.array([bures_truth(*pair) for pair in zip(a, b, strict=True)])
    for sqdist in (m.sqdist(a, b), np.diagonal(m.pairwise(a, b))):
        np.testing.assert_allclose(np.sqrt(sqdist), truth, rtol=0.0, atol=ROUNDING)


@pytest.mark.parametrize("tiny", [0, 1, 17, 40])
def test_bures_gradients_of_pairs_that_the_closed_form_does_not_take(tiny: int) -> None:
    """Rows in which some pairs, or all, have two tiny singular values."""
    m, rng = BuresWasserstein(3), np.random.default_rng(tiny)
    x = m.random(rng, 40, 2.0)
    x[:tiny] = congruence(np.diag([1.0, 1e-4, 1e-4]), m.random(rng, tiny, 0.1))
    w = rng.standard_normal((40, 40))
    check_blocks(m, x, w)


# --- three-dimensional subspaces of six dimensions --------------------------------------------------

ANGLES = {
    "apart": [1.2, 0.7, 0.1],
    "equal": [0.6, 0.6, 0.6],
    "two equal": [1.1, 0.4, 0.4],
    "two zero": [0.8, 0.0, 0.0],
    "one right, two zero": [np.pi / 2, 0.0, 0.0],
    "tiny": [3e-9, 2e-9, 1e-9],
    "one right": [np.pi / 2, 0.8, 0.0],
    "one right, two equal": [np.pi / 2, 0.8, 0.8],
    "two nearly right": [np.pi / 2 - 2e-3, np.pi / 2 - 1e-2, 0.1],
    "two right": [np.pi / 2, np.pi / 2, 0.3],
    "all right": [np.pi / 2, np.pi / 2, np.pi / 2],
}
"""Principal angles."""


@pytest.mark.parametrize("kind", ANGLES)
def test_subspaces_at_known_angles(kind: str) -> None:
    """d² is the sum of their squares, and the gradient is -2 log along the principal vectors."""
    m, rng, angles = Grassmann(3, 6), np.random.default_rng(2), np.array(ANGLES[kind])
    q, turn, other = frames(rng, 6), frames(rng, 3), frames(rng, 3)
    inside, normal = q[..., :3], q[..., 3:]
    x, y = inside @ turn, (np.cos(angles) * inside + np.sin(angles) * normal) @ other
    d = np.linalg.norm(angles)
    np.testing.assert_allclose(np.sqrt(np.diagonal(m.pairwise(x, y))), d, rtol=0.0, atol=ROUNDING)
    slope = m.pairwise_grad(x, y, np.eye(COUNT))
    if not np.any(angles == np.pi / 2):
        # 1e-13 was measured where the closed form ends
        np.testing.assert_allclose(slope, -2.0 * (normal * angles) @ turn, rtol=0.0, atol=5.0 * ZERO)
    assert np.all(m.norm(x, slope) <= 2.0 * d * (1.0 + GRADIENT_EXCESS))


@pytest.mark.parametrize("right", [0, 1, 17, 40])
def test_gradients_of_subspaces_with_two_angles_that_are_nearly_right(right: int) -> None:
    """Rows in which some pairs, or half of them, are not computed in closed form."""
    m, rng = Grassmann(3, 6), np.random.default_rng(right)
    x = m.random(rng, 40, 0.1)
    x[:right:2] = m.project(m.random(rng, len(x[:right:2]), 1e-3)[:, [0, 4, 5, 3, 1, 2]])
    w = rng.standard_normal((40, 40))
    check_blocks(m, x, w)
