"""What is known about these spaces from elsewhere: isometries, invariances, exact values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tolerances import KERNEL_GRADIENT

from riemap.manifolds import SPD, Euclidean, Grassmann, Hyperboloid, Manifold, Rotations, Sphere, Stein
from riemap.manifolds.grassmann.complements import complements
from riemap.types import Array, Rng

seeds = st.integers(0, 2**32 - 1)


@given(seeds)
def test_unit_determinant_spd2_is_a_hyperbolic_plane(seed: int) -> None:
    """Of curvature -1/2: distances are √2 times those of the plane of curvature -1."""
    x = Hyperboloid(2).random(np.random.default_rng(seed), 10, 2.0)
    a = np.moveaxis(np.array([[x[:, 0] + x[:, 1], x[:, 2]], [x[:, 2], x[:, 0] - x[:, 1]]]), 2, 0)
    np.testing.assert_allclose(np.linalg.det(a), 1, rtol=1e-6)
    np.testing.assert_allclose(
        SPD(2).pairwise(a, a), 2 * Hyperboloid(2).pairwise(x, x), rtol=1e-8, atol=1e-14
    )


@given(seeds)
def test_unit_determinant_spd2_has_curvature_minus_half(seed: int) -> None:
    """On the planes of traceless tangents, those that keep the determinant."""
    rng = np.random.default_rng(seed)
    u, v = rng.normal(size=(2, 5, 2, 2))
    flat = [w + np.swapaxes(w, 1, 2) for w in (u, v)]
    u, v = (w - np.trace(w, axis1=1, axis2=2)[:, None, None] * np.eye(2) / 2 for w in flat)
    np.testing.assert_allclose(SPD(2).sectional(np.eye(2), u, v), -0.5)


@given(seeds)
def test_spd_splits_off_its_determinant(seed: int) -> None:
    """d² = d²(unit determinant parts) + log²(det ratio)/n, by Pythagoras."""
    for n in (2, 3, 4):
        m = SPD(n)
        x = m.random(np.random.default_rng(seed), 6, 1.5)
        det = np.linalg.det(x)
        unit = x / det[:, None, None] ** (1 / n)
        flat = np.log(det[:, None] / det[None]) ** 2 / n
        np.testing.assert_allclose(m.pairwise(x, x), m.pairwise(unit, unit) + flat, atol=1e-11)


@given(seeds)
def test_rotations_of_space_are_lines_of_quaternions(seed: int) -> None:
    """SO3 is Gr(1,4), with distances √8 times as long."""
    q = Grassmann(1, 4).uniform(np.random.default_rng(seed), 10)[..., 0]
    w, x, y, z = q.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    a = np.moveaxis(np.array(rows), 2, 0)
    lines = Grassmann(1, 4).pairwise(q[..., None], q[..., None])
    np.testing.assert_allclose(Rotations(3).pairwise(a, a), 8 * lines, atol=1e-12)


@given(seeds)
def test_rotations_of_the_plane_are_a_circle(seed: int) -> None:
    """SO2 is the circle, with distances √2 times as long."""
    x = Sphere(1).uniform(np.random.default_rng(seed), 10)
    a = np.moveaxis(np.array([[x[:, 0], -x[:, 1]], [x[:, 1], x[:, 0]]]), 2, 0)
    np.testing.assert_allclose(Rotations(2).pairwise(a, a), 2 * Sphere(1).pairwise(x, x), atol=1e-12)


@pytest.mark.parametrize(("k", "n"), [(1, 2), (2, 3), (3, 4), (3, 5), (3, 7), (4, 7), (5, 9), (1, 6)])
def test_complements_are_orthonormal_and_serve_for_large_subspaces(k: int, n: int) -> None:
    """For coordinate axes too; and distances and gradients by complements are those by the bases."""
    m, rng = Grassmann(k, n), np.random.default_rng(0)
    x = np.concatenate([m.uniform(rng, 40), [m.origin, -m.origin, m.origin[::-1]]])
    c = complements(x)
    both = np.concatenate([x, c], axis=2)
    expected = np.broadcast_to(np.eye(n), (len(x), n, n))
    np.testing.assert_allclose(np.swapaxes(both, 1, 2) @ both, expected, atol=1e-14)
    near = m.exp(x, 0.4 * m.to_tangent(x, rng.standard_normal(x.shape)) / n)
    fast, plain = (m.rectangular_block(x[:40], near, reference=r) for r in (False, True))
    np.testing.assert_allclose(fast.sqdist, plain.sqdist, rtol=1e-10)
    w = rng.standard_normal(fast.sqdist.shape)
    np.testing.assert_allclose(fast.gradient(w), plain.gradient(w), **KERNEL_GRADIENT)


@given(seeds)
def test_subspaces_and_their_complements_are_as_far_apart(seed: int) -> None:
    """Gr(k,n) is Gr(n-k,n)."""
    for k, n in ((1, 3), (2, 5), (2, 4)):
        a = Grassmann(k, n).uniform(np.random.default_rng(seed), 6)
        b = np.linalg.qr(a, mode="complete")[0][:, :, k:]
        np.testing.assert_allclose(
            Grassmann(k, n).pairwise(a, a), Grassmann(n - k, n).pairwise(b, b), atol=1e-12
        )


def tangents(m: Manifold, rng: Rng) -> tuple[Array, Array, Array]:
    x = m.random(rng, 200)
    return x, m.to_tangent(x, rng.normal(size=x.shape)), m.to_tangent(x, rng.normal(size=x.shape))


@pytest.mark.parametrize(
    ("m", "value"),
    [
        (Hyperboloid(3), -1),
        (Sphere(3), 1),
        (Euclidean(3), 0),
        (Grassmann(1, 4), 1),
        (Grassmann(3, 4), 1),
        (Rotations(3), 1 / 8),
    ],
    ids=str,
)
def test_constant_curvatures(m: Manifold, value: float) -> None:
    np.testing.assert_allclose(m.sectional(*tangents(m, np.random.default_rng(0))), value, atol=1e-9)


def test_extreme_curvatures_are_reached() -> None:
    """-1/2 and 0 in SPD, 0 and 2 in Gr(2,4), 0 and 1/4 in SO4."""
    e = np.eye(4)
    sym = [np.diag([1.0, -1, 0, 0]), e[:, [1, 0, 2, 3]] * [1, 1, 0, 0], np.diag([0, 0, 1.0, 0])]
    assert SPD(4).sectional(e, sym[0], sym[1]) == pytest.approx(-0.5)
    assert SPD(4).sectional(e, sym[0], sym[2]) == 0
    p, q, r = np.zeros((3, 4, 2))
    p[2:], q[2:], r[3, 1] = np.eye(2), [[0, -1], [1, 0]], 1
    x = e[:, :2]
    assert Grassmann(2, 4).sectional(x, p, q) == pytest.approx(2)
    first = np.zeros((4, 2))
    first[2, 0] = 1
    assert Grassmann(2, 4).sectional(x, first, r) == pytest.approx(0)
    i = np.kron([[1, 0], [0, 1]], [[0, -1], [1, 0]])
    j = np.kron([[0, -1], [1, 0]], [[1, 0], [0, -1]])
    assert Rotations(4).sectional(e, i, j) == pytest.approx(0.25)
    k = np.kron([[1, 0], [0, -1]], [[0, -1], [1, 0]])
    assert Rotations(4).sectional(e, i, k) == pytest.approx(0)


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("cls", [SPD, Stein])
@given(seed=seeds)
def test_congruence_and_inversion_change_nothing(cls: type[SPD] | type[Stein], n: int, seed: int) -> None:
    m, rng = cls(n), np.random.default_rng(seed)
    x = m.random(rng, 6)
    g = np.eye(n) + 0.3 * rng.normal(size=(n, n))
    d = m.pairwise(x, x)
    np.testing.assert_allclose(m.pairwise(g @ x @ g.T, g @ x @ g.T), d, atol=1e-9)
    np.testing.assert_allclose(m.pairwise(np.linalg.inv(x), np.linalg.inv(x)), d, atol=1e-9)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_stein_is_its_formula(n: int) -> None:
    """log det((A+B)/2) - ½ log det(AB), and its gradient is A((A+B)⁻¹ - ½A⁻¹)A."""
    m = Stein(n)
    a, b = m.random(np.random.default_rng(0), 2)
    value = np.log(np.linalg.det((a + b) / 2)) - 0.5 * np.log(np.linalg.det(a @ b))
    assert m.sqdist(a, b) == pytest.approx(value)
    slope = a @ (np.linalg.inv(a + b) - 0.5 * np.linalg.inv(a)) @ a
    np.testing.assert_allclose(m.sqdist_grad(a, b), slope, atol=1e-12)
    np.testing.assert_allclose(m.pairwise_grad(a[None], b[None], np.ones((1, 1)))[0], slope, atol=1e-12)


def test_the_paper_maps() -> None:
    """Table 1: the SPD retraction A + P + ½PA⁻¹P, and the Grassmann one, the polar factor of A + P."""
    m, rng = SPD(3), np.random.default_rng(0)
    a = m.random(rng, 1)[0]
    p = m.to_tangent(a, rng.normal(size=(3, 3)))
    np.testing.assert_allclose(m.retract(a, p), a + p + 0.5 * p @ np.linalg.inv(a) @ p, atol=1e-12)
    gr = Grassmann(2, 5)
    x = gr.random(rng, 1)[0]
    q = gr.to_tangent(x, rng.normal(size=(5, 2)))
    u, _, vt = np.linalg.svd(x + q, full_matrices=False)
    np.testing.assert_allclose(gr.retract(x, q), u @ vt, atol=1e-12)
