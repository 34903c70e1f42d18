"""Every manifold obeys the same laws. A new manifold is tested by being listed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from subjects import (
    COMPACT,
    SUBJECTS,
    every_compact,
    every_manifold,
    expand,
    length,
    radii,
    seeds,
    start,
    unit,
)
from tolerances import BATCH, CENTRAL_DIFFERENCE, CHAIN, EXACT, TRIANGLE_CURVATURE

from riemap import Space
from riemap.manifolds import SPD, CompactManifold, Manifold, Stein
from riemap.manifolds.spd.symmetric_positive import LEAST_RATIO


@every_manifold
@given(seed=seeds, radius=radii)
def test_log_inverts_exp(m: Manifold, seed: int, radius: float) -> None:
    """log_x(exp_x(u)) = u, inside the injectivity radius."""
    rng, x = start(m, seed)
    u = radius * unit(m, rng, x)
    assert np.max(length(m, x, m.log(x, m.exp(x, u)) - u)) < CHAIN


@every_manifold
@given(seed=seeds, radius=radii)
def test_exp_inverts_log(m: Manifold, seed: int, radius: float) -> None:
    """exp_x(log_x(y)) is the point y, whatever represents it."""
    _, x = start(m, seed, radius=0.4 * radius)
    y = x[::-1]
    assert np.max(m.sqdist(m.exp(x, m.log(x, y)), y)) < CHAIN**2


@every_manifold
@given(seed=seeds, radius=radii)
def test_sqdist_is_the_squared_length_of_log(m: Manifold, seed: int, radius: float) -> None:
    """sqdist(x, y) = <log_x y, log_x y>; a divergence is excepted, by name."""
    _, x = start(m, seed, radius=radius)
    y = x[::-1]
    log = m.log(x, y)
    if not m.geodesic:
        assert str(m).startswith("Stein")
        return
    np.testing.assert_allclose(m.sqdist(x, y), m.inner(x, log, log), rtol=CHAIN, atol=CHAIN**2)


@every_manifold
@given(seed=seeds)
def test_exp_leaves_along_its_velocity(m: Manifold, seed: int) -> None:
    """The derivative of exp_x(t u) at t = 0 is u, and of the retraction too."""
    rng, x = start(m, seed)
    u, h = unit(m, rng, x), 1e-5
    for move in (m.exp, m.retract):
        velocity = (move(x, h * u) - move(x, -h * u)) / (2 * h)
        np.testing.assert_allclose(velocity, u, atol=CENTRAL_DIFFERENCE * np.abs(x).max())


@every_manifold
@given(seed=seeds)
def test_retraction_follows_exp(m: Manifold, seed: int) -> None:
    """They part no faster than with the square of the step."""
    rng, x = start(m, seed)
    u, h = unit(m, rng, x), 1e-3
    gap = m.norm(x, m.log(x, m.retract(x, h * u)) - m.log(x, m.exp(x, h * u)))
    assert np.max(gap) < h * h


@every_manifold
@given(seed=seeds, radius=radii)
def test_transport_keeps_inner_products(m: Manifold, seed: int, radius: float) -> None:
    """Where it claims to be parallel; and everywhere it lands in the tangent space and is linear."""
    rng, x = start(m, seed, radius=0.5 * radius)
    y, u, v = x[::-1], unit(m, rng, x), unit(m, rng, x)
    pu, pv = m.transport(x, y, u), m.transport(x, y, v)
    np.testing.assert_allclose(m.to_tangent(y, pu), pu, atol=EXACT * np.abs(pu).max())
    np.testing.assert_allclose(m.transport(x, y, u - 2 * v), pu - 2 * pv, atol=CHAIN * np.abs(pu).max())
    if m.parallel:
        np.testing.assert_allclose(m.inner(y, pu, pv), m.inner(x, u, v), atol=CHAIN)
    else:
        assert str(m).startswith("BW")
        np.testing.assert_allclose(m.inner(y, pu, pv), m.inner(x, u, v), atol=radius)


@every_manifold
@given(seed=seeds, radius=radii)
def test_transport_carries_the_velocity_of_a_geodesic(m: Manifold, seed: int, radius: float) -> None:
    """From x to y, log_x(y) arrives as -log_y(x)."""
    _, x = start(m, seed, radius=0.5 * radius)
    y = x[::-1]
    arrived, there = m.transport(x, y, m.log(x, y)), m.log(y, x)
    assert np.max(m.norm(y, arrived + there)) < CHAIN


@every_manifold
@given(seed=seeds, radius=radii)
def test_move_is_exp_and_transport(m: Manifold, seed: int, radius: float) -> None:
    rng, x = start(m, seed, radius=0.5 * radius)
    u, v = 0.5 * radius * unit(m, rng, x), unit(m, rng, x)
    y, moved = m.move(x, u, v)
    np.testing.assert_allclose(y, m.project(m.exp(x, u)), atol=CHAIN * np.abs(y).max())
    np.testing.assert_allclose(moved, m.transport(x, y, v), atol=CHAIN * np.abs(moved).max())


@pytest.mark.parametrize("m", [SPD(2), SPD(3), Stein(2)], ids=str)
def test_a_move_to_the_boundary_ends_inside(m: Manifold) -> None:
    """Where rounding leaves no positive eigenvalue, the least is lifted; other points are left alone."""
    n = m.shape[0]
    x = np.stack([np.eye(n), np.eye(n) + 0.5])
    u = np.zeros_like(x)
    u[0, 0, 0], u[1, 0, 1], u[1, 1, 0] = -80.0, 0.1, 0.1  # e^-80 is 1e-35
    y, _ = m.move(x, u, u)
    values = np.linalg.eigvalsh(y)
    assert np.all(values[:, 0] >= 0.9 * LEAST_RATIO * values[:, -1])
    np.testing.assert_allclose(y[1], m.exp(x, u)[1], rtol=1e-13)


@pytest.mark.parametrize("m", [SPD(2), SPD(3), SPD(4), Stein(2), Stein(3)], ids=str)
def test_many_moves_outwards_end_inside(m: Manifold) -> None:
    """Ratios of eigenvalues grow until doubles cannot hold them; the matrices stay positive."""
    rng, x = start(m, 0, n=200, radius=1.0)
    y = m.random(rng, 200, 1.0)
    for _ in range(150):
        values, vectors = np.linalg.eigh(x)
        outwards = 0.5 * values * np.sign(np.log(values))
        u = (vectors * outwards[:, None, :]) @ vectors.transpose(0, 2, 1)
        x, _ = m.move(x, u, u)
        assert np.linalg.eigvalsh(x).min() > 0.0
    assert np.isfinite(m.sqdist(x, y)).all()
    assert np.isfinite(m.norm(x, u)).all()


@every_manifold
@given(seed=seeds, radius=st.floats(1e-3, 3.0))
def test_distance_is_a_metric(m: Manifold, seed: int, radius: float) -> None:
    """Zero on the diagonal, symmetric, and no detour is shorter; √S of the divergence too."""
    _, x = start(m, seed, n=12, radius=radius)
    d = np.sqrt(m.pairwise(x, x))
    assert np.max(np.diag(d)) < CHAIN
    np.testing.assert_allclose(d, d.T, rtol=CHAIN, atol=CHAIN)
    assert np.all(d[:, None, :] <= d[:, :, None] + d[None, :, :] + CHAIN)


@every_manifold
@given(seed=seeds)
def test_gradient_is_the_slope_along_geodesics(m: Manifold, seed: int) -> None:
    """<sqdist_grad, u> equals the central difference of sqdist along exp_x(± h u)."""
    rng, x = start(m, seed, radius=0.5)
    y, u, h = x[::-1], unit(m, rng, x), 1e-5
    slope = (m.sqdist(m.exp(x, h * u), y) - m.sqdist(m.exp(x, -h * u), y)) / (2 * h)
    np.testing.assert_allclose(m.inner(x, m.sqdist_grad(x, y), u), slope, atol=CENTRAL_DIFFERENCE)


@pytest.mark.parametrize("m", COMPACT, ids=str)
def test_points_can_be_put_all_round(m: CompactManifold) -> None:
    """On the manifold, and not in half of it."""
    y = np.random.default_rng(2).standard_normal((300, m.shape[0]))
    x = m.around(np.random.default_rng(1), y)
    assert x.shape == (300, *m.shape)
    assert np.allclose(m.project(x), x, atol=1e-12)
    assert m.pairwise(x, x).max() > 0.8 * m.pairwise(u := m.uniform(np.random.default_rng(3), 300), u).max()


@pytest.mark.parametrize("m", [m for m in SUBJECTS if m.dim > 1], ids=str)
@given(seed=seeds)
def test_sectional_matches_small_triangles(m: Manifold, seed: int) -> None:
    """d²(exp tu, exp tv) = 2t² - K t⁴/3 + o(t⁴) for orthonormal u, v; and K is in its range."""
    rng, x = start(m, seed)
    u, v = unit(m, rng, x), unit(m, rng, x)
    v = v - expand(m, m.inner(x, u, v)) * u
    v /= expand(m, m.norm(x, v))
    t, squares = 1e-2, []
    for s in (t, -t):  # the odd terms cancel
        a, b = m.exp(x, s * u), m.exp(x, s * v)
        squares.append(m.inner(a, m.log(a, b), m.log(a, b)))
    k = m.sectional(x, u, v)
    np.testing.assert_allclose(3 * (2 * t**2 - np.mean(squares, axis=0)) / t**4, k, atol=TRIANGLE_CURVATURE)
    low, high = m.curvature
    assert np.all((low - CHAIN <= k) & (k <= high + CHAIN))


@every_manifold
def test_sectional_of_a_line_is_finite(m: Manifold) -> None:
    """Parallel vectors span no plane; the answer is still a number."""
    rng, x = start(m, 0)
    u = unit(m, rng, x)
    assert np.all(np.isfinite(m.sectional(x, u, 2 * u)))


@every_manifold
@given(seed=seeds)
def test_project_leaves_points_where_they_are(m: Manifold, seed: int) -> None:
    """And returns a point that rounding has moved."""
    rng, x = start(m, seed)
    np.testing.assert_allclose(m.project(x), x, rtol=EXACT, atol=EXACT * np.abs(x).max())
    moved = m.project(x + 1e-9 * rng.standard_normal(x.shape))
    np.testing.assert_allclose(m.project(moved), moved, rtol=EXACT, atol=EXACT * np.abs(x).max())
    assert np.max(m.sqdist(x, moved)) < 1e-12


@every_manifold
@given(seed=seeds)
def test_tangents_are_where_velocities_live(m: Manifold, seed: int) -> None:
    """to_tangent is a projection, and leaves log alone."""
    rng, x = start(m, seed)
    u, log = m.to_tangent(x, rng.standard_normal(x.shape)), m.log(x, x[::-1])
    np.testing.assert_allclose(m.to_tangent(x, u), u, atol=EXACT * np.abs(u).max())
    np.testing.assert_allclose(m.to_tangent(x, log), log, atol=CHAIN * np.abs(x).max())


@every_manifold
def test_random_points_have_the_radius_asked_for(m: Manifold) -> None:
    """Root mean square distance from the origin, or another point; and the same seed, the same bytes."""
    _, x = start(m, 5, n=4000, radius=0.1)
    log = m.log(m.origin, x)
    assert np.sqrt(np.mean(m.inner(m.origin, log, log))) == pytest.approx(0.1, rel=0.1)
    assert x.tobytes() == start(m, 5, n=4000, radius=0.1)[1].tobytes()
    assert m.random(np.random.default_rng(0), 0).shape == (0, *m.shape)
    centre = start(m, 6)[1][0]
    log = m.log(centre, m.random(np.random.default_rng(0), 4000, 0.1, at=centre))
    assert np.sqrt(np.mean(m.inner(centre, log, log))) == pytest.approx(0.1, rel=0.1)
    mean = np.mean(log, axis=0)
    assert m.norm(centre, mean) < 0.02


@every_compact
def test_uniform_points_look_the_same_from_everywhere(m: CompactManifold) -> None:
    """The mean squared distance to a point does not depend on the point, near the origin or not."""
    rng = np.random.default_rng(0)
    x = m.uniform(rng, 20_000)
    np.testing.assert_allclose(m.project(x), x, atol=EXACT)
    views = np.concatenate([m.origin[None], m.uniform(rng, 5)])
    d = m.pairwise(views, x)
    error = d.std(axis=1) / np.sqrt(len(x))
    assert np.all(np.abs(d.mean(axis=1) - d.mean()) < 5 * error)


@every_manifold
def test_leading_axes_broadcast(m: Manifold) -> None:
    """A batch gives what a loop over its entries gives."""
    rng, x = start(m, 4, n=6)
    y, u, v = x[::-1].copy(), unit(m, rng, x), unit(m, rng, x)
    grid = [a.reshape(2, 3, *m.shape) for a in (x, y, u, v)]
    cases = {
        m.exp: (0, 2),
        m.retract: (0, 2),
        m.log: (0, 1),
        m.sqdist: (0, 1),
        m.sqdist_grad: (0, 1),
        m.transport: (0, 1, 2),
        m.inner: (0, 2, 3),
        m.norm: (0, 2),
        m.sectional: (0, 2, 3),
        m.to_tangent: (0, 2),
        m.project: (0,),
    }
    flat = (x, y, u, v)
    for f, which in cases.items():
        batch = f(*(grid[k] for k in which))
        single = np.array([f(*(flat[k][i] for k in which)) for i in range(6)])
        np.testing.assert_allclose(batch.reshape(single.shape), single, **BATCH, err_msg=f.__name__)
    np.testing.assert_allclose(m.sqdist(x[:, None], y[None]), m.pairwise(x, y, reference=True))
    assert m.inner(x[0], u, v).shape == (6,)
    assert m.exp(x[0], u).shape == x.shape


@every_manifold
def test_spelling_round_trips(m: Manifold) -> None:
    """Space.parse(str(m)).factors == (m,), and a manifold is a hashable constant."""
    assert Space.parse(str(m)).factors == (m,)
    assert {m: 1}[type(m)(*vars(m).values())] == 1
    assert m.origin.shape == m.shape
