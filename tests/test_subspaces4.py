"""Four-dimensional subspaces where principal angles meet, vanish or are right, beside mpmath and SciPy."""

from itertools import combinations
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.linalg import subspace_angles
from subjects import check_blocks
from tolerances import GRADIENT_EXCESS, ROUNDING, SUBSPACES4_DISTANCE, SUBSPACES4_GRADIENT, ZERO

from riemap.compiling import for_python
from riemap.linalg import transpose
from riemap.manifolds import Grassmann
from riemap.manifolds.grassmann import singular_functions4
from riemap.manifolds.grassmann.pair_loops4 import LEAST_COSINE
from riemap.types import Array, Rng

COUNT = 48
RIGHT, END = np.pi / 2, np.arccos(1.01 * LEAST_COSINE)

ANGLES = {
    "apart": [1.2, 0.7, 0.4, 0.1],
    "equal": [0.6, 0.6, 0.6, 0.6],
    "two and two": [1.1, 1.1, 0.4, 0.4],
    "three equal": [1.1, 0.4, 0.4, 0.4],
    "nearly equal": [0.701, 0.70001, 0.700000001, 0.7],
    "one zero": [1.1, 1.1, 0.5, 0.0],
    "three zero": [0.8, 0.0, 0.0, 0.0],
    "the same": [0.0, 0.0, 0.0, 0.0],
    "tiny": [4e-9, 3e-9, 2e-9, 1e-9],
    "tiny and equal": [1e-8, 1e-8, 1e-8, 1e-8],
    "one large, others tiny": [1.5, 1e-8, 1e-8, 1e-8],
    "one nearly right": [RIGHT - 1e-9, 1.4, 0.8, 0.8],
    "one right": [RIGHT, 0.8, 0.3, 0.0],
    "one right, three equal": [RIGHT, 0.8, 0.8, 0.8],
    "one right, three zero": [RIGHT, 0.0, 0.0, 0.0],
    "two nearly right": [RIGHT - 2e-3, RIGHT - 1e-2, 0.1, 0.1],
    "two right": [RIGHT, RIGHT, 0.3, 0.3],
    "three right": [RIGHT, RIGHT, RIGHT, 0.3],
    "all right": [RIGHT, RIGHT, RIGHT, RIGHT],
    "closed form ends": [END, END, 0.5, 0.2],
    "closed form ends at a right angle": [RIGHT - 1e-12, END, 0.5, 0.2],
    "closed form ends for all": [END, END, END, END],
}
"""Principal angles."""


def frames(rng: Rng, n: int) -> Array:
    """Orthogonal matrices, of both signs."""
    q = np.linalg.qr(rng.standard_normal((COUNT, n, n)))[0]
    q[::2, :, 0] *= -1.0
    return q[rng.permutation(COUNT)]


@pytest.mark.parametrize("n", [8, 9])
@pytest.mark.parametrize("kind", ANGLES)
def test_subspaces_at_known_angles(kind: str, n: int) -> None:
    """d² is the sum of their squares, and the gradient is -2 log along the principal vectors.

    At a right angle, log has two values or more.
    """
    m, rng, angles = Grassmann(4, n), np.random.default_rng(2), np.array(ANGLES[kind])
    q, turn, other = frames(rng, n), frames(rng, 4), frames(rng, 4)
    inside, normal = q[..., :4], q[..., 4:8]
    x, y = inside @ turn, (np.cos(angles) * inside + np.sin(angles) * normal) @ other
    d, ends = np.linalg.norm(angles), kind.startswith("closed form ends")
    found = np.sqrt([np.diagonal(m.pairwise(x, y)), np.diagonal(m.pairwise(y, x))])
    np.testing.assert_allclose(found, d, rtol=0.0, atol=SUBSPACES4_DISTANCE if ends else ROUNDING)
    slope = m.pairwise_grad(x, y, np.eye(COUNT))
    assert np.all(m.norm(x, slope) <= 2.0 * d * (1.0 + GRADIENT_EXCESS) + ROUNDING)
    columns, oblique = slope @ transpose(turn), angles != RIGHT
    close = SUBSPACES4_GRADIENT if ends else 5.0 * ZERO
    np.testing.assert_allclose(
        columns[..., oblique], -2.0 * (normal * angles)[..., oblique], rtol=0.0, atol=close
    )
    if np.sum(angles == RIGHT) == 1:
        ahead = np.sum(columns * normal, axis=1)[:, 0]  # angles[0] is the right one
        np.testing.assert_allclose(np.abs(ahead), np.pi, rtol=0.0, atol=close)


def exact_distance(a: Array, b: Array) -> float:
    """With sixty digits on the way, from bases that are orthonormal to as many."""
    with mpmath.workdps(60):
        p, q = (mpmath.qr(mpmath.matrix(c.tolist()), mode="skinny")[0] for c in (a, b))
        cosines = mpmath.svd_r(p.T * q, compute_uv=False)
        return float(mpmath.sqrt(mpmath.fsum(mpmath.acos(min(c, mpmath.mpf(1))) ** 2 for c in cosines)))


@pytest.mark.parametrize("radius", [1e-8, 1e-4, 0.1, 1.0, 4.0])
@pytest.mark.parametrize(("k", "n"), [(3, 7), (4, 7), (4, 8), (5, 9)])
def test_random_subspaces_near_and_far(k: int, n: int, radius: float) -> None:
    """Beside mpmath, SciPy, and the plain version."""
    m, rng = Grassmann(k, n), np.random.default_rng(3)
    x = m.random(rng, 40, radius)
    found = np.sqrt(m.pairwise(x, x))
    for i, j in ((1, 0), (2, 17), (39, 5), (0, 38)):
        assert found[i, j] == pytest.approx(exact_distance(x[i], x[j]), rel=0.0, abs=ROUNDING)
        angles = subspace_angles(x[i], x[j])
        assert found[i, j] == pytest.approx(np.linalg.norm(angles), rel=ROUNDING, abs=ROUNDING)
    w = rng.standard_normal((40, 40))
    for columns in (x, x[:33]):
        fast, plain = (m.rectangular_block(x, columns, reference=reference) for reference in (False, True))
        found, expected = (block.gradient(w[:, : len(columns)]) for block in (fast, plain))
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=5.0 * ZERO)


def test_subspaces_along_the_axes() -> None:
    """No rounding hides what a formula does with zeros. Pairs with two right angles take singular vectors."""
    m, rng = Grassmann(4, 8), np.random.default_rng(6)
    axes = [rng.permutation(p) for p in combinations(range(8), 4)]
    x = np.array([np.eye(8)[:, p] * rng.choice([-1.0, 1.0], 4) for p in axes])
    others = np.array([[len(set(p) - set(q)) for q in axes] for p in axes])
    kernel, (sqdist, *saved) = m.pair_kernel, np.empty((5, len(x), len(x)))
    kernel.forward(kernel.prepare(x), kernel.prepare(x), False, sqdist, *saved)
    np.testing.assert_array_equal(np.isnan(saved[0]), others >= 2)
    block = m.rectangular_block(x, x)
    np.testing.assert_allclose(block.sqdist, others * RIGHT**2, rtol=ROUNDING, atol=0.0)
    for shift in range(len(x)):
        w = np.roll(np.eye(len(x)), shift, axis=1)
        limit = np.pi * np.sqrt(np.sum(w * others, axis=1))
        assert np.all(m.norm(x, block.gradient(w)) <= limit * (1.0 + GRADIENT_EXCESS))


@pytest.mark.parametrize("right", [0, 1, 17, 40])
def test_rows_with_pairs_that_the_closed_form_does_not_take(right: int) -> None:
    """Two angles of some pairs, or of half of them, are nearly right."""
    m, rng = Grassmann(4, 8), np.random.default_rng(right)
    x = m.random(rng, 40, 0.1)
    x[:right:2] = m.project(m.random(rng, len(x[:right:2]), 1e-3)[:, [0, 1, 4, 5, 2, 3, 6, 7]])
    check_blocks(m, x, rng.standard_normal((40, 40)))


def test_both_ends_of_a_pair() -> None:
    """The same coefficients serve both, and a symmetric block is what two rectangular ones are."""
    m, rng = Grassmann(4, 8), np.random.default_rng(4)
    x, w = m.uniform(rng, 40), rng.standard_normal((40, 40))
    expected = m.pairwise_grad(x, x, w + w.T)
    np.testing.assert_allclose(m.symmetric_block(x).gradient(w), expected, rtol=0.0, atol=100.0 * ZERO)


# --- functions of singular values ---------------------------------------------------------------------------


@for_python(error_model="numpy")
def function(c: Any, s: Any, f: Any, sign: float) -> Any:
    return singular_functions4.combination(c, singular_functions4.coefficients(s, f, sign))


@for_python(error_model="numpy")
def determinant(c: Any) -> Any:
    return singular_functions4.determinant(c)


VALUES = {
    "apart": [1.0, 0.7, 0.4, 0.1],
    "equal": [0.5, 0.5, 0.5, 0.5],
    "two and two": [1.0, 1.0, 0.2, 0.2],
    "one zero": [1.0, 0.6, 0.6, 0.0],
}
"""Singular values."""


@pytest.mark.parametrize("kind", VALUES)
def test_functions_of_known_singular_values(kind: str) -> None:
    """U f(s) Vᵀ for polynomials f, of which 1 is one; and the determinant."""
    rng, s = np.random.default_rng(5), np.array(VALUES[kind])
    u, v = frames(rng, 4), frames(rng, 4)
    u[:, :, 3] *= 1.0 if s[3] > 0.0 else np.linalg.det(u @ v)[:, None]  # otherwise a zero has no sign
    for left, right in zip(u, v, strict=True):
        c = (left * s) @ right.T
        det = determinant(tuple(c.ravel().tolist()))
        sign = np.copysign(1.0, np.linalg.det(left @ right))
        assert det == pytest.approx(sign * np.prod(s), abs=ROUNDING)
        for f in (np.array([1.0, 0.0, 0.0, 0.0]), rng.standard_normal(4)):
            steps = [np.prod(s[:, None] - s[:k], axis=1) for k in range(4)]
            expected = (left * (f @ steps)) @ right.T
            found = function(tuple(c.ravel().tolist()), tuple(s.tolist()), tuple(f.tolist()), sign)
            np.testing.assert_allclose(np.reshape(found, (4, 4)), expected, rtol=0.0, atol=ZERO)
