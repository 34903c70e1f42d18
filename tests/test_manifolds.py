"""Every manifold obeys the same laws. A new manifold is tested by being listed."""

from collections.abc import Callable
from functools import partial

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tolerances import (
    BATCH,
    CENTRAL_DIFFERENCE,
    CHAIN,
    EXACT,
    KERNEL_GRADIENT,
    KERNEL_SQDIST,
    TRIANGLE_CURVATURE,
    TWO_KERNELS,
)

from riemap import Space
from riemap.manifolds import MANIFOLDS, SPD, CompactManifold, Manifold, Stein
from riemap.types import Array, Rng

SUBJECTS = [cls(*sizes) for cls in MANIFOLDS for sizes in cls.examples]
COMPACT = [m for m in SUBJECTS if isinstance(m, CompactManifold)]

every_manifold = pytest.mark.parametrize("m", SUBJECTS, ids=str)
every_compact = pytest.mark.parametrize("m", COMPACT, ids=str)

seeds = st.integers(0, 2**32 - 1)
radii = st.floats(1e-3, 1.0)


def start(m: Manifold, seed: int, n: int = 8, radius: float = 1.0) -> tuple[Rng, Array]:
    """A generator, and points that are the same for the same seed."""
    rng = np.random.default_rng(seed)
    return rng, m.random(rng, n, radius)


def unit(m: Manifold, rng: Rng, x: Array) -> Array:
    """Random unit tangents, one at each point."""
    u = m.to_tangent(x, rng.standard_normal(x.shape))
    return u / expand(m, m.norm(m.project(x), u))


def expand(m: Manifold, a: Array) -> Array:
    """Scalars, shaped so that they multiply points."""
    return np.reshape(a, np.shape(a) + (1,) * len(m.shape))


def length(m: Manifold, x: Array, u: Array) -> Array:
    return m.norm(x, u)


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
    assert np.all(values[:, 0] >= 0.9 * np.finfo(np.float64).eps * values[:, -1])
    np.testing.assert_allclose(y[1], m.exp(x, u)[1], rtol=1e-13)


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
@given(seed=seeds, radius=st.floats(1e-4, 3.0), n=st.integers(1, 20), other=st.integers(1, 20))
def test_kernel_agrees_with_reference(m: Manifold, seed: int, radius: float, n: int, other: int) -> None:
    """Fused loops over all pairs, within one set or between two, equal the plain broadcast."""
    rng, x = start(m, seed, n, radius)
    y = m.random(rng, other, radius)
    within = [m.symmetric_block(x, reference=reference) for reference in (False, True)]
    between = [m.rectangular_block(x, y, reference=reference) for reference in (False, True)]
    for fast, plain in (within, between):
        w = rng.standard_normal(fast.sqdist.shape)
        np.testing.assert_allclose(fast.sqdist, plain.sqdist, **KERNEL_SQDIST)
        rtol, atol = KERNEL_GRADIENT.values()
        slope = plain.gradient(w)
        np.testing.assert_allclose(
            fast.gradient(w), slope, rtol=rtol, atol=atol * (1e-3 + np.abs(slope).max())
        )


@every_manifold
@pytest.mark.parametrize("n", [1, 7, 8, 21])
def test_a_symmetric_block_serves_both_ends(m: Manifold, n: int) -> None:
    """Its gradient takes weights of ordered pairs; the other two take w + wᵀ, whole or its lower triangle."""
    rng, x = start(m, 3, n)
    w = rng.standard_normal((n, n))
    both = w + w.T
    block = m.symmetric_block(x)
    expected = block.gradient(w)
    np.testing.assert_array_equal(block.gradient_symmetric(both), expected)
    nothing_above = np.where(np.tri(n, dtype=bool), both, np.nan)
    np.testing.assert_array_equal(block.gradient_lower(nothing_above), expected)
    given = nothing_above.copy()
    np.testing.assert_array_equal(block.gradient_lower(given, given), expected)
    np.testing.assert_array_equal(given, both)
    one_end = m.rectangular_block(x, x).gradient(both)
    np.testing.assert_allclose(expected, one_end, rtol=CHAIN, atol=CHAIN * (1e-3 + np.abs(one_end).max()))


@every_manifold
def test_blocks_agree_with_each_other(m: Manifold) -> None:
    """A symmetric block is the rectangular block of its points with themselves, and exactly symmetric."""
    rng, x = start(m, 3, n=21)
    y, w = m.random(rng, 5), rng.standard_normal((21, 5))
    block = m.symmetric_block(x)
    lower = np.tril(block.lower)
    np.testing.assert_array_equal(np.tril(block.sqdist), lower)
    np.testing.assert_array_equal(block.sqdist, block.sqdist.T)
    np.testing.assert_array_equal(m.pairs(x).sqdist, block.sqdist)
    np.testing.assert_allclose(m.pairwise(x, x), block.sqdist, **TWO_KERNELS)
    np.testing.assert_array_equal(m.pairwise(x, y), m.rectangular_block(x, y).sqdist)
    np.testing.assert_array_equal(m.pairwise_grad(x, y, w), m.rectangular_block(x, y).gradient(w))


@every_manifold
def test_threads_do_not_change_a_byte(m: Manifold) -> None:
    """One thread or two, the results are the same bytes."""
    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("this machine has one core, or Numba was told so")
    rng, x = start(m, 1, n=45)
    w = rng.standard_normal((45, 45))
    results, before = [], numba.get_num_threads()
    try:
        for threads in (1, 2):
            numba.set_num_threads(threads)
            within, between = m.symmetric_block(x), m.rectangular_block(x, x[:30])
            found = within.sqdist, within.gradient(w), between.sqdist, between.gradient(w[:, :30])
            results.append([a.tobytes() for a in found])
    finally:
        numba.set_num_threads(before)
    assert results[0] == results[1]


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


def calls(m: Manifold, x: Array, y: Array, u: Array, v: Array, w: Array) -> dict[str, Callable[[], object]]:
    """Every method that takes arrays, ready to be called."""
    return {
        **{f.__name__: partial(f, x) for f in (m.project, m.pairs, m.symmetric_block)},
        **{f.__name__: partial(f, x, u) for f in (m.to_tangent, m.exp, m.retract, m.norm)},
        **{f.__name__: partial(f, x, y) for f in (m.log, m.sqdist, m.sqdist_grad, m.pairwise)},
        **{f.__name__: partial(f, x, u, v) for f in (m.inner, m.sectional, m.move)},
        "transport": lambda: m.transport(x, y, u),
        "pairwise_grad": lambda: m.pairwise_grad(x, y, w),
        "sqdist of a block": lambda: m.symmetric_block(x).sqdist,
        "gradient": lambda: m.symmetric_block(x).gradient(w),
        "gradient_lower": lambda: m.symmetric_block(x).gradient_lower(w),
        "gradient_symmetric": lambda: m.symmetric_block(x).gradient_symmetric(w),
    }


@every_manifold
def test_arguments_are_left_alone(m: Manifold) -> None:
    """No method writes into its arguments: writeable float64 arrays, which the loops take without a copy."""
    rng, x = start(m, 2)
    arguments = [x, x[::-1].copy(), unit(m, rng, x), unit(m, rng, x), rng.standard_normal((8, 8))]
    before = [a.tobytes() for a in arguments]
    for name, call in calls(m, *arguments).items():
        call()
        assert [a.tobytes() for a in arguments] == before, name


@every_manifold
def test_read_only_arrays_are_accepted(m: Manifold) -> None:
    """Such as arrays that were mapped from a file."""
    rng, x = start(m, 2)
    arguments = [x, x[::-1].copy(), unit(m, rng, x), unit(m, rng, x), rng.standard_normal((8, 8))]
    for a in arguments:
        a.flags.writeable = False
    assert all(call() is not None for call in calls(m, *arguments).values())


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


@every_manifold
def test_wrong_shapes_are_refused(m: Manifold) -> None:
    """Before a kernel reads past the end of an array."""
    _, x = start(m, 0, n=3)
    with pytest.raises(ValueError, match="points of"):
        m.pairwise(x[..., :-1], x)
    with pytest.raises(ValueError, match="points of"):
        m.pairwise(x, x[0])
    with pytest.raises(ValueError, match="weights of shape"):
        m.pairwise_grad(x, x, np.ones((2, 3)))
