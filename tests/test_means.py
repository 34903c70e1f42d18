"""The Fréchet mean is where the tangents to all points cancel, and a basis there gives them coordinates."""

from typing import Any

import numpy as np
import pytest
from geomstats.geometry import hyperboloid, hypersphere
from geomstats.geometry import spd_matrices as spd
from geomstats.learning.frechet_mean import FrechetMean
from hypothesis import given, settings
from hypothesis import strategies as st
from tolerances import EXACT

import riemap.means
from riemap.manifolds import (
    MANIFOLDS,
    SPD,
    BuresWasserstein,
    CompactManifold,
    Euclidean,
    Hyperboloid,
    LogSPD,
    Manifold,
    Rotations,
    Sphere,
    Stein,
)
from riemap.means import frechet_mean, tangent_basis, tangent_coordinates
from riemap.types import Array

SUBJECTS = [cls(*sizes) for cls in MANIFOLDS for sizes in cls.examples]
COMPACT = [m for m in SUBJECTS if isinstance(m, CompactManifold)]
every_manifold = pytest.mark.parametrize("m", SUBJECTS, ids=str)
every_compact = pytest.mark.parametrize("m", COMPACT, ids=str)

seeds = st.integers(0, 2**32 - 1)


def rest(m: Manifold, mean: Array, x: Array) -> float:
    """Length of the mean tangent, against that of a typical one."""
    logs = m.log(mean, x)
    return float(m.norm(mean, logs.mean(axis=0)) / np.sqrt(np.mean(m.inner(mean, logs, logs))))


def spread(m: Manifold, at: Array, x: Array) -> float:
    logs = m.log(at, x)
    return float(np.mean(m.inner(at, logs, logs)))


# --- the mean ---------------------------------------------------------------------------------------


@every_manifold
@given(seed=seeds, n=st.integers(2, 30), radius=st.sampled_from([0.1, 1.0, 4.0]))
@settings(max_examples=10)
def test_the_tangents_at_the_mean_cancel(m: Manifold, seed: int, n: int, radius: float) -> None:
    x = m.random(np.random.default_rng(seed), n, radius)
    mean = frechet_mean(m, x)
    assert mean.shape == m.shape
    np.testing.assert_allclose(m.project(mean), mean, atol=EXACT * np.abs(mean).max())
    assert rest(m, mean, x) < 1e-12


@every_manifold
def test_no_point_nearby_is_nearer_to_all(m: Manifold) -> None:
    """It is a minimum and no saddle, from the definition."""
    rng = np.random.default_rng(1)
    x = m.random(rng, 12, 0.5)
    mean = frechet_mean(m, x)
    around = m.random(rng, 20, 0.05, mean)
    assert all(spread(m, y, x) > spread(m, mean, x) for y in around)


@every_compact
@given(seed=seeds)
@settings(max_examples=5)
def test_points_all_over_a_compact_space_have_one_too(m: Manifold, seed: int) -> None:
    """A local minimum, better than every one of the points."""
    assert isinstance(m, CompactManifold)
    x = m.uniform(np.random.default_rng(seed), 40)
    mean = frechet_mean(m, x)
    assert rest(m, mean, x) < 1e-12
    assert spread(m, mean, x) <= min(spread(m, y, x) for y in x)


@every_manifold
def test_the_mean_of_one_point_is_that_point(m: Manifold) -> None:
    """And so it is of many copies of it."""
    x = m.random(np.random.default_rng(2), 1)
    for points in (x, np.repeat(x, 7, axis=0)):
        assert m.sqdist(frechet_mean(m, points), x[0]) < EXACT**2


@every_manifold
def test_the_mean_of_two_points_is_their_midpoint(m: Manifold) -> None:
    x = m.random(np.random.default_rng(3), 2, 0.5)
    middle = m.exp(x[0], 0.5 * m.log(x[0], x[1]))
    assert m.sqdist(frechet_mean(m, x), middle) < EXACT**2


@every_manifold
def test_points_that_nearly_coincide_have_a_mean_among_them(m: Manifold, looks: list[int]) -> None:
    """As good as rounding lets it be, and soon."""
    at = m.random(np.random.default_rng(4), 1)[0]
    x = m.random(np.random.default_rng(5), 10, 1e-9, at)
    assert m.sqdist(frechet_mean(m, x), at) < 1e-16
    assert len(looks) < 200


def test_in_flat_spaces_it_is_the_mean() -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=(50, 3)) + 100.0
    np.testing.assert_allclose(frechet_mean(Euclidean(3), x), x.mean(axis=0), rtol=1e-15)
    m = LogSPD(3)
    y = m.random(rng, 50, 2.0)
    values, vectors = np.linalg.eigh(y)
    mean = np.mean((vectors * np.log(values)[:, None]) @ vectors.swapaxes(1, 2), axis=0)
    values, vectors = np.linalg.eigh(mean)
    np.testing.assert_allclose(frechet_mean(m, y), (vectors * np.exp(values)) @ vectors.T, rtol=1e-10)


def test_in_stein_it_is_that_of_spd() -> None:
    x = SPD(3).random(np.random.default_rng(7), 20, 2.0)
    np.testing.assert_allclose(frechet_mean(Stein(3), x), frechet_mean(SPD(3), x), rtol=1e-10)


def test_on_the_circle_it_is_the_mean_angle() -> None:
    angles = np.array([0.1, 0.5, 2.0, -0.8])
    x = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    mean = frechet_mean(Sphere(1), x)
    assert np.arctan2(mean[1], mean[0]) == pytest.approx(angles.mean(), abs=1e-14)


def test_in_bures_wasserstein_it_solves_the_fixed_point_equation() -> None:
    """X = mean of (√X A √X)^½, of optimal transport between Gaussians."""
    x = BuresWasserstein(2).random(np.random.default_rng(8), 15, 1.0)
    mean = frechet_mean(BuresWasserstein(2), x)

    def root(a: Array) -> Array:
        values, vectors = np.linalg.eigh(a)
        return (vectors * np.sqrt(values)[..., None, :]) @ vectors.swapaxes(-1, -2)

    np.testing.assert_allclose(np.mean(root(root(mean) @ x @ root(mean)), axis=0), mean, rtol=1e-10)


ORACLES = [
    (Hyperboloid(2), hyperboloid.Hyperboloid(2)),
    (Sphere(3), hypersphere.Hypersphere(3)),
    (SPD(3), spd.SPDMatrices(3)),
]


@pytest.mark.parametrize(("m", "theirs"), ORACLES, ids=["H2", "S3", "SPD3"])
def test_geomstats_agrees(m: Manifold, theirs: Any) -> None:
    x = m.random(np.random.default_rng(9), 25, 0.7)
    other = FrechetMean(theirs)
    other.set(max_iter=200, epsilon=1e-20, init_step_size=0.7)  # epsilon is of squares
    estimate = other.fit(x).estimate_
    np.testing.assert_allclose(frechet_mean(m, x), estimate, rtol=1e-8, atol=1e-8)


def test_far_from_the_origin_of_a_hyperbolic_space_it_holds_as_well() -> None:
    """At distance 12 a coordinate is 1e5, and the square of one is all the digits there are."""
    m = Hyperboloid(3)
    at = m.exp(m.origin, np.array([0.0, 12.0, 0.0, 0.0]))
    x = m.random(np.random.default_rng(10), 30, 1.0, at)
    mean = frechet_mean(m, x)
    assert rest(m, mean, x) < 1e-10
    np.testing.assert_allclose(
        np.linalg.norm(tangent_coordinates(m, mean, x), axis=1) ** 2, m.sqdist(mean, x)
    )


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """An entry for every time that all logarithms were taken."""
    calls: list[int] = []
    look = riemap.means._look
    monkeypatch.setattr(riemap.means, "_look", lambda *args: calls.append(1) or look(*args))
    return calls


@pytest.mark.parametrize("radius", [4.0, 10.0, 20.0])
def test_widely_scattered_points_take_few_steps(radius: float, looks: list[int]) -> None:
    """A step of one would overshoot here."""
    m = Hyperboloid(2)
    x = m.random(np.random.default_rng(11), 50, radius)
    assert rest(m, frechet_mean(m, x), x) < 1e-12
    assert len(looks) < 60


def test_points_along_a_line_take_few_steps(looks: list[int]) -> None:
    """The step that is short enough for any points is ten times too short for these."""
    m = Hyperboloid(2)
    at = np.random.default_rng(12).exponential(10.0, 40)
    x = m.exp(m.origin, at[:, None] * np.array([0.0, 0.6, 0.8]))
    assert m.sqdist(frechet_mean(m, x), m.exp(m.origin, at.mean() * np.array([0.0, 0.6, 0.8]))) < 1e-20
    assert len(looks) < 60


# --- coordinates ------------------------------------------------------------------------------------


@every_manifold
@given(seed=seeds, radius=st.sampled_from([0.1, 1.0, 3.0]))
@settings(max_examples=10)
def test_a_basis_is_orthonormal_and_tangent(m: Manifold, seed: int, radius: float) -> None:
    x = m.random(np.random.default_rng(seed), 1, radius)[0]
    basis = tangent_basis(m, x)
    assert basis.shape == (m.dim, *m.shape)
    np.testing.assert_allclose(m.inner(x, basis[:, None], basis[None]), np.eye(m.dim), atol=1e-10)
    np.testing.assert_allclose(m.to_tangent(x, basis), basis, atol=1e-10 * np.abs(basis).max())


@every_manifold
@given(seed=seeds)
@settings(max_examples=10)
def test_coordinates_keep_inner_products(m: Manifold, seed: int) -> None:
    """So the basis spans the tangent space: rows are as long, and at the same angles, as tangents."""
    rng = np.random.default_rng(seed)
    at, x = m.random(rng, 1)[0], m.random(rng, 6)
    found, logs = tangent_coordinates(m, at, x), m.log(at, x)
    assert found.shape == (6, m.dim)
    products = m.inner(at, logs[:, None], logs[None])
    np.testing.assert_allclose(found @ found.T, products, atol=1e-10 * products.max())
    if m.geodesic:
        np.testing.assert_allclose(np.linalg.norm(found, axis=1) ** 2, m.sqdist(at, x), rtol=1e-8)


def test_a_basis_of_flat_space_is_its_axes() -> None:
    assert np.array_equal(tangent_basis(Euclidean(4), np.ones(4)), np.eye(4))


@pytest.mark.parametrize("at", [np.diag([1.0, -1.0, -1.0]), np.eye(3)], ids=["half turn", "identity"])
def test_a_basis_needs_no_way_to_the_origin(at: Array) -> None:
    """From a half turn there are two of the same length."""
    m = Rotations(3)
    basis = tangent_basis(m, at)
    np.testing.assert_allclose(m.inner(at, basis[:, None], basis[None]), np.eye(3), atol=1e-15)


def test_a_basis_far_from_the_origin_is_as_orthonormal() -> None:
    """Where the projections of the axes are parallel to five digits, their entries being 1e13."""
    m = Hyperboloid(4)
    x = m.exp(m.origin, 16.0 * np.array([0.0, 0.7, -0.1, 0.5, 0.5]))
    basis = tangent_basis(m, x)
    np.testing.assert_allclose(m.inner(x, basis[:, None], basis[None]), np.eye(4), atol=1e-14)


def test_matrices_that_are_nearly_flat_have_a_basis_too() -> None:
    m = SPD(3)
    rotation = np.linalg.qr(np.random.default_rng(12).normal(size=(3, 3)))[0]
    x = (rotation * [1e-3, 1.0, 1e3]) @ rotation.T
    basis = tangent_basis(m, x)
    np.testing.assert_allclose(m.inner(x, basis[:, None], basis[None]), np.eye(6), atol=1e-9)
