"""Digits: distances and gradients against mpmath and closed forms, near, far, and at cut loci.

Both ways to a distance are tested: ``sqdist``, of one pair, and the kernel behind ``pairwise``.
The float64 coordinates of a point are taken as exact.
"""

from collections.abc import Callable, Iterator

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tolerances import (
    FAR_MATRICES,
    GRADIENT_EXCESS,
    HYPERBOLIC_DISTANCE,
    NEAR_MATRICES,
    ROUNDING,
    SHORT_DISTANCE,
    SPD3_DISTANCE,
    SPD3_GRADIENT,
    ZERO,
)

from riemap.linalg import cholesky, congruence, symmetric
from riemap.manifolds import (
    MANIFOLDS,
    SPD,
    BuresWasserstein,
    Grassmann,
    Hyperboloid,
    LogSPD,
    Manifold,
    Rotations,
    Sphere,
    Stein,
)
from riemap.types import Array, Rng

DIGITS = 60  # of the true values
COUNT = 8  # points at a corner
STEPS = np.logspace(-7, 0, 15)

SUBJECTS = [cls(*sizes) for cls in MANIFOLDS for sizes in cls.examples]
POSITIVE = [cls(n) for cls in (SPD, Stein) for n in (2, 3, 4, 5)]

every_manifold = pytest.mark.parametrize("m", SUBJECTS, ids=str)
seeds = st.integers(0, 2**32 - 1)


def both_ways(m: Manifold, x: Array, y: Array) -> Array:
    """Squared distances of matching points, by ``sqdist`` and by ``pairwise``."""
    return np.stack([m.sqdist(x, y), np.diagonal(m.pairwise(x, y))])


def exact(a: Array) -> mpmath.matrix:
    return mpmath.matrix(a.tolist())


def frames(rng: Rng, count: int, n: int) -> Array:
    """Orthogonal matrices, the identity first."""
    return np.concatenate([[np.eye(n)], np.linalg.qr(rng.standard_normal((count - 1, n, n)))[0]])


def with_values(q: Array, values: Array) -> Array:
    """Symmetric matrices of these eigenvalues, with eigenvectors ``q``."""
    return symmetric((q * values[..., None, :]) @ np.swapaxes(q, -1, -2))


# --- short distances -----------------------------------------------------------------------------


@every_manifold
@given(seed=seeds, radius=st.just(0.0) | st.floats(1e-9, 1.0))
def test_short_distances_keep_their_digits(m: Manifold, seed: int, radius: float) -> None:
    """d(x, exp_x(t u)) = t to six digits for t = 1 down to 1e-7.

    Where ``u = x`` is a tangent, it is tested too: along it, a matrix changes only its determinant.
    For Stein, √(8 S) is t up to t³/48, as 8 log cosh(h/2) = h² - h⁴/24 + ...
    """
    rng = np.random.default_rng(seed)
    x = m.random(rng, 3, radius)
    for ambient in (rng.standard_normal(x.shape), x):
        u = m.to_tangent(x, ambient)
        length = m.norm(x, u).reshape(-1, *(1 for _ in m.shape))
        if np.all(length > 1e-6):
            check_lengths(m, x, u / length)


def check_lengths(m: Manifold, x: Array, u: Array) -> None:
    for t in STEPS:
        sqdist = both_ways(m, x, m.exp(x, t * u))
        d = np.sqrt(sqdist if m.geodesic else 8.0 * sqdist)
        assert np.all(d <= t + SHORT_DISTANCE)
        assert np.all(d >= t - SHORT_DISTANCE - (0.0 if m.geodesic else t**3 / 48))


# --- hyperbolic distances, far out ---------------------------------------------------------------


def hyperbolic_pair(rng: Rng, n: int, d: float, kind: str) -> tuple[Array, Array]:
    """Points at radius 10 or less, and others at distance ``d`` or, if random, at any."""
    axis, other = np.moveaxis(np.linalg.qr(rng.standard_normal((40, n, 2)))[0], 2, 0)
    r = np.where(np.arange(40) % 2, 10.0, rng.uniform(d, 10.0, 40))
    angle, s = {
        "radial": (np.zeros(40), r - d),
        "tangential": (2.0 * np.arcsin(np.sinh(d / 2) / np.sinh(r)), r),
        "random": (rng.uniform(0.1, np.pi, 40), rng.uniform(0.1, 10.0, 40)),
    }[kind]
    turned = np.cos(angle)[:, None] * axis + np.sin(angle)[:, None] * other
    x, y = (np.sinh(radius)[:, None] * ray for radius, ray in ((r, axis), (s, turned)))
    return tuple(Hyperboloid(n).project(np.pad(p, ((0, 0), (1, 0)))) for p in (x, y))


def hyperbolic_truth(x: Array, y: Array) -> float:
    """arcosh(x₀y₀ - x·y), with x₀ and y₀ from the spatial coordinates."""
    a, b = ([mpmath.mpf(v) for v in p[1:].tolist()] for p in (x, y))
    x0, y0 = (mpmath.sqrt(1 + mpmath.fdot(p, p)) for p in (a, b))
    return float(mpmath.acosh(x0 * y0 - mpmath.fdot(a, b)))


@pytest.mark.parametrize("n", [2, 3, 6])
@pytest.mark.parametrize("kind", ["radial", "tangential", "random"])
def test_hyperbolic_distances_far_from_the_origin(n: int, kind: str) -> None:
    """Where coordinates are 1e4, their squares 1e8, and the distance 0.1."""
    rng = np.random.default_rng(n)
    for d in (0.1, 0.3, 1.0, 3.0, 9.0):
        x, y = hyperbolic_pair(rng, n, d, kind)
        with mpmath.workdps(DIGITS):
            truth = np.array([hyperbolic_truth(*pair) for pair in zip(x, y, strict=True)])
        for sqdist in both_ways(Hyperboloid(n), x, y):
            np.testing.assert_allclose(np.sqrt(sqdist), truth, rtol=HYPERBOLIC_DISTANCE)


# --- SPD and Stein, ill-conditioned --------------------------------------------------------------


def positive(rng: Rng, q: Array) -> Array:
    """Matrices with eigenvectors ``q``, of condition number up to 1e8 and any scale."""
    exponents = rng.uniform(size=q.shape[:2])
    exponents[:, 0], exponents[1::2, -1] = 0.0, 1.0
    return with_values(q, 1e8**exponents * 10.0 ** rng.uniform(-6.0, 0.0, (len(q), 1)))


def nearby(rng: Rng, a: Array, d: float) -> Array:
    """Matrices at SPD distance ``d``."""
    u = symmetric(rng.standard_normal(a.shape))
    u *= d / np.linalg.norm(u, axis=(1, 2), keepdims=True)
    return symmetric(SPD(a.shape[1]).exp(a, congruence(cholesky(a)[0], u)))


PARTNERS: dict[str, tuple[float, Callable[[Rng, Array, Array], Array]]] = {
    "other axes": (FAR_MATRICES, lambda rng, a, q: positive(rng, frames(rng, *q.shape[:2])[::-1])),
    "same axes": (FAR_MATRICES, lambda rng, a, q: positive(rng, q)),
    "multiple": (10 * FAR_MATRICES, lambda rng, a, q: a * np.exp(rng.uniform(0.01, 1.0, (len(a), 1, 1)))),
    "at distance 1": (NEAR_MATRICES / 100, lambda rng, a, q: nearby(rng, a, 1.0)),
    "at distance 0.01": (NEAR_MATRICES, lambda rng, a, q: nearby(rng, a, 0.01)),
}


def positive_truth(m: SPD | Stein, a: Array, b: Array) -> float:
    """By the eigenvalues of L⁻¹ B L⁻ᵀ, or by determinants."""
    p, q = exact(a), exact(b)
    if m.geodesic:
        inverse = mpmath.inverse(mpmath.cholesky(p))
        values = mpmath.eigsy(inverse * q * inverse.T, eigvals_only=True)
        return float(mpmath.fsum(mpmath.log(v) ** 2 for v in values))
    ends = mpmath.log(mpmath.det(p)) + mpmath.log(mpmath.det(q))
    return float(mpmath.log(mpmath.det((p + q) / 2)) - ends / 2)


@pytest.mark.parametrize("m", POSITIVE, ids=str)
@pytest.mark.parametrize("kind", PARTNERS)
def test_condition_numbers_up_to_1e8(m: SPD | Stein, kind: str) -> None:
    """Eight digits are asked for, where the entries of a plain Cholesky factor have eight."""
    rng = np.random.default_rng(m.n)
    limit, partner = PARTNERS[kind]
    q = frames(rng, 20, m.n)
    a = positive(rng, q)
    b = partner(rng, a, q)
    with mpmath.workdps(DIGITS):
        truth = np.array([positive_truth(m, *pair) for pair in zip(a, b, strict=True)])
    for sqdist in both_ways(m, a, b):
        np.testing.assert_allclose(sqdist, truth, rtol=limit)


@pytest.mark.parametrize("m", [SPD(4), SPD(5), Stein(4), Stein(5)], ids=str)
@pytest.mark.parametrize("outliers", [0, 1, 20, 40])
def test_gradients_of_pairs_near_and_far(m: SPD | Stein, outliers: int) -> None:
    """Rows in which some pairs are beyond what the fast kernels take, at distances up to 20."""
    rng = np.random.default_rng(outliers)
    x = m.random(rng, 40, 0.7)
    x[:outliers] = m.random(rng, outliers, 8.0)
    w = rng.standard_normal((40, 40))
    within = [m.symmetric_block(x, reference=reference) for reference in (False, True)]
    between = [m.rectangular_block(x, x[:33], reference=reference) for reference in (False, True)]
    for fast, plain in (within, between):
        np.testing.assert_allclose(fast.sqdist, plain.sqdist, rtol=1e-12, atol=1e-14)
        slope = plain.gradient(w[:, : fast.sqdist.shape[1]])
        error = m.norm(x, fast.gradient(w[:, : fast.sqdist.shape[1]]) - slope) / m.norm(x, slope)
        assert np.all(error[outliers:] < 1e-10)
        assert np.all(error < 1e-5)  # the entries of matrices of condition 1e10 have no more


# --- SPD3 and its cubic --------------------------------------------------------------------------

EQUAL = {"two large": [1, 1, -2], "two small": [-1, -1, 2], "all": [1, 1, 1], "none": [1, 0, -1]}
"""Logarithms of the eigenvalues, up to a factor."""


@pytest.mark.parametrize("turn", [False, True], ids=["diagonal", "turned"])
@pytest.mark.parametrize("equal", EQUAL)
def test_equal_roots_of_the_cubic(equal: str, turn: bool) -> None:
    """Distance and gradient where eigenvalues of A⁻¹B are equal, exactly or nearly.

    From the identity, d is the length of log B and the gradient is -2 log B.
    """
    m, rng = SPD(3), np.random.default_rng(0)
    d = np.logspace(-9, 1, 41 if turn else 201)
    x = np.broadcast_to(np.eye(3), (len(d), 3, 3))
    for split in (0.0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3):
        logs = EQUAL[equal] + np.array([0.0, split, 0.0])
        y = with_values(frames(rng, 2, 3)[int(turn)], np.exp(np.outer(d, logs / np.linalg.norm(logs))))
        with mpmath.workdps(DIGITS):
            spectra = [mpmath.eigsy(exact(b), eigvals_only=True) if turn else np.diag(b) for b in y]
            truth = np.sqrt([float(sum(mpmath.log(v) ** 2 for v in row)) for row in spectra])
        assert np.all(np.abs(np.sqrt(both_ways(m, x, y)) - truth) <= SPD3_DISTANCE * truth + ROUNDING)
        gradient, reference = m.pairwise_grad(x, y, np.eye(len(d))), m.sqdist_grad(x, y)
        assert np.all(np.abs(m.norm(x, gradient) / 2.0 - truth) <= SPD3_GRADIENT * truth + ROUNDING)
        assert np.all(m.norm(x, gradient - reference) / 2.0 <= SPD3_GRADIENT * truth + ROUNDING)


# --- SO4 and SO5 near their cut loci -----------------------------------------------------------------------


@pytest.mark.parametrize("n", [4, 5])
@pytest.mark.parametrize("second", [0.0, 1e-9, 0.7, 0.7 + 1e-9, np.pi - 1e-3, np.pi - 1e-9, np.pi])
@pytest.mark.parametrize("first", [1e-9, 0.7, np.pi - 1e-3, np.pi - 1e-9])
def test_rotations_by_two_known_angles(n: int, first: float, second: float) -> None:
    """d² = 2 θ₁² + 2 θ₂², and the gradient is -2 log: A times the skew matrix of these angles."""
    m, rng = Rotations(n), np.random.default_rng(0)
    x, q = m.uniform(rng, COUNT), m.uniform(rng, COUNT)
    plane = np.array([[0.0, -1.0], [1.0, 0.0]])
    skew, turn = np.zeros((n, n)), np.eye(n)
    for block, angle in ((slice(0, 2), first), (slice(2, 4), second)):
        skew[block, block] = angle * plane
        turn[block, block] = np.cos(angle) * np.eye(2) + np.sin(angle) * plane
    y = x @ congruence(q, turn)
    d = np.linalg.norm(skew)
    np.testing.assert_allclose(np.sqrt(np.diagonal(m.pairwise(x, y))), d, rtol=0.0, atol=ROUNDING)
    slope = m.pairwise_grad(x, y, np.eye(COUNT))
    np.testing.assert_allclose(m.norm(x, slope), 2.0 * d, rtol=GRADIENT_EXCESS)
    if second < np.pi:
        sine = np.sin((first + second) / 2.0)  # where it is small, so is the denominator of the gradient
        np.testing.assert_allclose(slope, -2.0 * x @ congruence(q, skew), rtol=0.0, atol=ZERO / sine)


# --- equal points, repeated eigenvalues, cut loci ------------------------------------------------

Corner = tuple[Manifold, Array, Array, float | None]
"""Matching points at which some formula is 0/0, and their distance where it is known."""


def equal_points(rng: Rng) -> Iterator[Corner]:
    """Also as one object, for the loop that looks at each pair once."""
    for m in SUBJECTS:
        x = m.random(rng, 5 * COUNT)
        yield m, x, x.copy(), 0.0
        yield m, x, x, 0.0


def antipodes(rng: Rng) -> Iterator[Corner]:
    """In high dimensions too, where sums have more rounding error to be divided by zero."""
    for n in (1, 2, 3, 10, 50):
        x = Sphere(n).uniform(rng, 20 * COUNT)
        yield Sphere(n), x, -x, np.pi


def special_angles(rng: Rng) -> Iterator[Corner]:
    """Right ones, and equal ones."""
    for k, n in ((1, 2), (1, 3), (2, 4), (2, 5), (3, 5), (3, 6), (3, 7), (3, 8), (4, 8)):
        q = frames(rng, COUNT, n)
        for right in range(1, min(k, n - k) + 1):
            y = q[:, :, [*range(k, k + right), *range(right, k)]]
            yield Grassmann(k, n), q[:, :, :k], y, np.pi / 2 * np.sqrt(right)
        if n == 2 * k:
            y = (q[:, :, :k] + q[:, :, k:]) / np.sqrt(2.0)
            yield Grassmann(k, n), q[:, :, :k], y, np.pi / 4 * np.sqrt(k)


def half_turns(rng: Rng) -> Iterator[Corner]:
    for n in (2, 3, 4, 5, 6):
        x, q = Rotations(n).uniform(rng, COUNT), frames(rng, COUNT, n)
        x[0] = np.eye(n)
        for planes in range(1, n // 2 + 1):
            signs = np.repeat([-1.0, 1.0], [2 * planes, n - 2 * planes])
            yield Rotations(n), x, x @ with_values(q, signs), np.pi * np.sqrt(2 * planes)


def towards_the_origin(rng: Rng) -> Iterator[Corner]:
    for n in (2, 3):
        x = 10.0 ** -np.arange(0.0, 320.0, 40.0)[:, None] * rng.standard_normal((COUNT, n + 1))
        x[-1] = 0.0
        yield Hyperboloid(n), Hyperboloid(n).project(x), Hyperboloid(n).project(x[::-1]), None


def repeated_eigenvalues(rng: Rng) -> Iterator[Corner]:
    for n in (2, 3, 4, 5):
        values = np.ones((COUNT, n)) * [[1.0], [1.0], [2.0], [2.0], [1e-4], [99.0], [1.0], [1.0]]
        values[1::2, 0] *= [2.0, 1.0 + 1e-9, 0.5, 1e3]
        x = with_values(frames(rng, COUNT, n), values)
        x[::2] = np.eye(n) * values[::2, :, None]
        for cls in (SPD, Stein, LogSPD, BuresWasserstein):
            yield cls(n), x, x.copy(), 0.0


def nearly_singular(rng: Rng) -> Iterator[Corner]:
    """With eigenvalues down to 1e-11, where the metric itself still has digits, and to 1e-16.

    With 1e-12, rounding of the eigenvalue makes lengths 5e-6 too large on some processors.
    """
    for n in (2, 3, 4):
        m, values = BuresWasserstein(n), np.ones((COUNT, n))
        values[:, 0] = np.logspace(-2, -11, COUNT)
        x = with_values(frames(rng, COUNT, n), values)
        values[:, 0] = np.logspace(-2, -16, COUNT)
        yield m, x, m.project(with_values(frames(rng, COUNT, n)[::-1], values)), None


CORNERS = (
    equal_points,
    antipodes,
    special_angles,
    half_turns,
    towards_the_origin,
    repeated_eigenvalues,
    nearly_singular,
)


@pytest.mark.parametrize("reference", [False, True], ids=["kernel", "reference"])
@pytest.mark.parametrize("corners", CORNERS)
def test_corners(corners: Callable[[Rng], Iterator[Corner]], reference: bool) -> None:
    """No NaN, and no gradient of d² longer than 2 d, between any two of the points."""
    for m, x, y, expected in corners(np.random.default_rng(0)):
        block = m.rectangular_block(x, y, reference=reference)
        sqdist = block.sqdist
        back = m.pairwise_grad(y, x, np.ones_like(sqdist), reference=reference)
        assert np.isfinite(sqdist).all(), m
        assert np.isfinite(back).all(), m
        if expected is not None:
            d = np.sqrt(np.diagonal(sqdist))
            np.testing.assert_allclose(d, expected, rtol=FAR_MATRICES, atol=ZERO, err_msg=str(m))
        for shift in range(COUNT):
            w = np.roll(np.eye(len(x)), shift, axis=1)  # one partner for each point
            slope = block.gradient(w)
            assert np.isfinite(slope).all(), m
            if m.geodesic:
                limit = 2.0 * np.sqrt(np.sum(w * sqdist, axis=1)) * (1.0 + GRADIENT_EXCESS) + ZERO
                assert np.all(m.norm(x, slope) <= limit), m


# --- tangents far out --------------------------------------------------------------------------------


def far_tangents(rng: Rng, dim: int, radius: float, n: int = 50) -> tuple[Array, list[Array]]:
    """Points of H at that radius, and two tangents with parts of one size along the ray and across it."""
    directions = rng.standard_normal((n, dim))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    x = Hyperboloid(dim).project(np.concatenate([np.zeros((n, 1)), np.sinh(radius) * directions], axis=1))
    tangents = []
    for _ in range(2):
        along, across = rng.standard_normal((n, 1)), rng.standard_normal((n, dim))
        across -= np.sum(across * directions, axis=1, keepdims=True) * directions
        spatial = along * np.cosh(radius) * directions + across
        tangents.append(np.concatenate([along * np.sinh(radius), spatial], axis=1))
    return x, tangents


@pytest.mark.parametrize("dim", [1, 2, 3, 6])
@pytest.mark.parametrize("radius", [0.1, 4.0, 6.0, 12.0, 18.0, 25.0])
def test_tangents_keep_lengths_and_angles_far_from_the_origin(dim: int, radius: float) -> None:
    """An ambient tangent has rounding errors of exp(r) across the ray; products of them have exp(2r)."""
    m, rng = Hyperboloid(dim), np.random.default_rng(3)
    x, (u, v) = far_tangents(rng, dim, radius)
    u *= 0.3
    y, moved = m.move(x, u, v)
    own = m.transport(x, y, u)
    close = 1e-15 * (10.0 + 100.0 * np.exp(min(2.0 * radius, max(radius, 8.0))))
    np.testing.assert_allclose(m.inner(y, moved, moved), m.inner(x, v, v), rtol=close)
    np.testing.assert_allclose(m.inner(y, own, moved), m.inner(x, u, v), atol=close * 10.0)
    np.testing.assert_allclose(m.transport(x, y, v), moved, atol=close * np.abs(moved).max())
    np.testing.assert_allclose(own, -m.log(y, x), atol=close * np.abs(own).max())


def test_a_move_in_hyperbolic_space_ends_at_the_edge() -> None:
    """And not at an overflow, however often it is made."""
    m = Hyperboloid(2)
    x = np.array([[1.0, 0.0, 0.0]])
    for _ in range(100):
        u = np.concatenate([x[:, 1:2], x[:, :1], np.zeros((1, 1))], axis=1)  # outwards, of length one
        x, carried = m.move(x, u, u)
        assert np.isfinite(carried).all()
    assert np.arcsinh(x[0, 1]) == pytest.approx(30.6, abs=0.1)
    np.testing.assert_allclose(m.project(x), x)
