"""Every optimizer, on every manifold: it stays there, gets to the bottom, and does what geoopt does."""

from collections.abc import Iterator

import geoopt
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from riemap.manifolds import MANIFOLDS, Manifold
from riemap.manifolds.euclidean import Euclidean
from riemap.manifolds.hyperboloid import Hyperboloid
from riemap.manifolds.sphere import Sphere
from riemap.optim import OPTIMIZERS, RSGD, Optimizer, RAdam
from riemap.optim.radam import Betas
from riemap.types import Array

SUBJECTS = [cls(*sizes) for cls in MANIFOLDS for sizes in cls.examples]
GEODESIC = [m for m in SUBJECTS if m.geodesic]
INFINITE = float("inf")

every_manifold = pytest.mark.parametrize("m", SUBJECTS, ids=str)
every_optimizer = pytest.mark.parametrize("kind", OPTIMIZERS, ids=lambda kind: kind.symbol)


def tangents(m: Manifold, rng: np.random.Generator, x: Array, size: float = 1.0) -> Array:
    """Drawn at the origin, where the metric is that of the numbers, and carried to ``x``."""
    return m.transport(m.origin, x, m.to_tangent(m.origin, size * rng.standard_normal(x.shape)))


# --- laws -----------------------------------------------------------------------------------------


@every_optimizer
@every_manifold
@pytest.mark.parametrize("retraction", [False, True], ids=["exp", "retract"])
def test_steps_stay_on_the_manifold(kind: type[Optimizer], m: Manifold, retraction: bool) -> None:
    """After many steps against gradients far too long: points of it, and a momentum tangent to it."""
    given_momentum = {"momentum": 0.9} if kind is RSGD else {}
    optimizer = kind(lr=0.05, clip=2.0, retraction=retraction, **given_momentum)
    rng = np.random.default_rng(0)
    x = m.random(rng, 6, 1.0)
    state = optimizer.init(m, x)
    for _ in range(30):
        x, state = optimizer.step(m, x, tangents(m, rng, x, 1e3), state)
        assert np.isfinite(x).all()
        assert all(np.isfinite(a).all() for a in state)
        np.testing.assert_allclose(m.project(x), x, rtol=1e-9, atol=1e-12 * np.abs(x).max())
    momentum, size = state[0], np.abs(state[0]).max() * np.abs(x).max() ** 2
    np.testing.assert_allclose(m.to_tangent(x, momentum), momentum, rtol=1e-6, atol=1e-9 * size)


@every_optimizer
@pytest.mark.parametrize("m", GEODESIC, ids=str)
def test_reaches_a_frechet_mean(kind: type[Optimizer], m: Manifold) -> None:
    """The gradient of the mean squared distance to a few points vanishes."""
    rng = np.random.default_rng(1)
    points = m.random(rng, 5, 0.4)
    optimizer = kind(lr=0.2, momentum=0.3) if kind is RSGD else kind(lr=0.1, betas=Betas(0.5, 0.9))
    x = m.random(rng, 2, 0.4)  # two starts, each to the same mean
    state = optimizer.init(m, x)
    for t in range(120):
        grad = m.sqdist_grad(x[:, None], points).mean(axis=1)
        x, state = optimizer.step(m, x, grad, state, lr_factor=0.9 ** max(0, t - 40))
    left = m.norm(x, m.sqdist_grad(x[:, None], points).mean(axis=1))
    assert left.max() < 1e-5
    assert m.sqdist(x[0], x[1]) < 1e-9


@every_optimizer
@every_manifold
def test_rows_are_independent(kind: type[Optimizer], m: Manifold) -> None:
    """A step on some points and their rows of the state is what a step on all does to them."""
    optimizer, rng = kind(lr=0.1), np.random.default_rng(2)
    x = m.random(rng, 7, 0.5)
    state = optimizer.init(m, x)
    assert all(len(a) == len(x) for a in state)
    for _ in range(3):
        x, state = optimizer.step(m, x, tangents(m, rng, x), state)
    grad, rows = tangents(m, rng, x), np.array([1, 4, 5])
    y, after = optimizer.step(m, x, grad, state)
    own, own_after = optimizer.step(m, x[rows], grad[rows], tuple(a[rows] for a in state))
    np.testing.assert_allclose(own, y[rows], rtol=1e-12, atol=1e-12)
    for a, b in zip(own_after, after, strict=True):
        np.testing.assert_allclose(a, b[rows], rtol=1e-10, atol=1e-12)


@every_optimizer
def test_arguments_are_left_alone(kind: type[Optimizer]) -> None:
    """Writeable arrays keep their numbers in a step, and its results share no memory with them."""
    m, optimizer, rng = Hyperboloid(2), kind(), np.random.default_rng(3)
    x = m.random(rng, 4)
    grad, state = tangents(m, rng, x, 1e3), optimizer.init(m, x)
    for _ in range(2):  # the second state has other arrays than zeros
        arguments = (x, grad, *state)
        before = [a.copy() for a in arguments]
        y, after = optimizer.step(m, x, grad, state)
        for argument, copy in zip(arguments, before, strict=True):
            np.testing.assert_array_equal(argument, copy)
            assert not any(np.shares_memory(argument, a) for a in (y, *after))
        x, state = y, after


# --- against geoopt -------------------------------------------------------------------------------


class Parallel(geoopt.SphereExact):
    """Geoopt carries momentum by projection, which shortens it; this turns it along with the geodesic."""

    def retr_transp(
        self, x: torch.Tensor, u: torch.Tensor, v: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        length = u.norm(dim=-1, keepdim=True)
        e = u / length
        along = (v * e).sum(-1, keepdim=True)
        return self.expmap(x, u), v + along * ((torch.cos(length) - 1.0) * e - torch.sin(length) * x)


class Flat(geoopt.Euclidean):
    """Geoopt's Adam is that of coordinates here; the length of a gradient makes it that of points."""

    def component_inner(
        self, x: torch.Tensor, u: torch.Tensor, v: torch.Tensor | None = None
    ) -> torch.Tensor:
        return self.inner(x, u, v, keepdim=True)


PEERS = [(Euclidean(3), Flat(ndim=1)), (Sphere(3), Parallel()), (Sphere(1), Parallel())]
every_peer = pytest.mark.parametrize(("m", "other"), PEERS, ids=["E3", "S3", "S1"])


def both(
    m: Manifold, other: geoopt.Manifold, ours: Optimizer, theirs: type, **options: object
) -> Iterator[tuple[Array, Array]]:
    """Points after each of fifty steps, ours and geoopt's, against the same gradients."""
    rng = np.random.default_rng(4)
    x = m.random(rng, 5, 1.0)
    state = ours.init(m, x)
    point = geoopt.ManifoldParameter(torch.from_numpy(x.copy()), manifold=other)
    peer = theirs([point], lr=ours.lr, **options)
    if theirs is geoopt.optim.RiemannianSGD and options["momentum"]:
        peer.state[point]["momentum_buffer"] = torch.zeros_like(
            point
        )  # it would count the first gradient twice
    for _ in range(50):
        slope = rng.standard_normal(x.shape) + 0.5  # of the ambient space
        point.grad = torch.from_numpy(slope.copy())
        peer.step()
        x, state = ours.step(m, x, m.to_tangent(x, slope), state)
        yield x, point.detach().numpy()


@every_peer
@pytest.mark.parametrize("betas", [(0.9, 0.999), (0.5, 0.9)])
def test_radam_agrees_with_geoopt(m: Manifold, other: geoopt.Manifold, betas: tuple[float, float]) -> None:
    ours = RAdam(0.05, Betas(*betas), clip=INFINITE)
    for x, y in both(m, other, ours, geoopt.optim.RiemannianAdam, betas=betas, eps=1e-8):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


@every_peer
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_rsgd_agrees_with_geoopt(m: Manifold, other: geoopt.Manifold, momentum: float) -> None:
    ours = RSGD(0.02, momentum, clip=INFINITE)
    for x, y in both(m, other, ours, geoopt.optim.RiemannianSGD, momentum=momentum):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("m", "other"),
    [(Euclidean(2), geoopt.Euclidean(ndim=1)), (Sphere(2), geoopt.SphereExact())],
    ids=["E2", "S2"],
)
def test_without_momentum_agrees_with_geoopt_as_it_is(m: Manifold, other: geoopt.Manifold) -> None:
    for x, y in both(m, other, RSGD(0.1, clip=INFINITE), geoopt.optim.RiemannianSGD, momentum=0):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


# --- clipping, rate, retraction -------------------------------------------------------------------


@every_manifold
@given(seed=st.integers(0, 2**32 - 1))
def test_gradients_are_clipped_each_for_itself(m: Manifold, seed: int) -> None:
    """By their Riemannian length; those that are short enough stay what they are, to the bit."""
    rng = np.random.default_rng(seed)
    x = m.random(rng, 3, 0.3)
    u = tangents(m, rng, x)
    u = u / m._expand(m.norm(x, u))
    clip, rsgd = 0.2, RSGD(lr=1.0, clip=0.2)
    grad = u * m._expand(np.array([5.0, 0.1, 0.0]))
    y, (momentum,) = rsgd.step(m, x, grad, rsgd.init(m, x))
    np.testing.assert_allclose(
        momentum, m.transport(x, y, grad * m._expand(np.array([clip / 5.0, 1.0, 1.0])))
    )
    np.testing.assert_allclose(y, m.project(m.exp(x, -u * m._expand(np.array([clip, 0.1, 0.0])))), atol=1e-14)
    free, _ = RSGD(lr=1.0, clip=1e300).step(m, x, grad, rsgd.init(m, x))
    np.testing.assert_array_equal(free[1:], y[1:])
    assert m.sqdist(free[0], y[0]) > 0.0


def test_radam_averages_what_it_clipped() -> None:
    """The second moment is of the clipped gradient: the step after one that was far too long is not short."""
    m, x = Euclidean(2), np.zeros((2, 2))
    long, short = RAdam(clip=5.0), RAdam(clip=INFINITE)
    found = [
        optimizer.step(m, x, size * np.array([[3.0, 4.0], [0.3, 0.4]]), optimizer.init(m, x))[1]
        for optimizer, size in ((long, np.array([[1e6], [1.0]])), (short, 1.0))
    ]
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@every_manifold
def test_a_retraction_takes_the_place_of_exp(m: Manifold) -> None:
    rng = np.random.default_rng(7)
    x = m.random(rng, 5, 0.5)
    u = tangents(m, rng, x, 0.5)
    for retraction, move in ((False, m.exp), (True, m.retract)):
        rsgd = RSGD(lr=0.5, clip=INFINITE, retraction=retraction)
        y, (momentum,) = rsgd.step(m, x, u, rsgd.init(m, x))
        np.testing.assert_allclose(y, m.project(move(x, -0.5 * u)), rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(momentum, m.transport(x, y, u), rtol=1e-9, atol=1e-10)


@every_optimizer
def test_the_factor_multiplies_the_learning_rate(kind: type[Optimizer]) -> None:
    m, rng = Euclidean(2), np.random.default_rng(5)
    x = m.random(rng, 4)
    grad = tangents(m, rng, x)
    steps = [
        kind(lr=lr).step(m, x, grad, kind().init(m, x), rate)[0] - x for lr, rate in ((0.1, 0.5), (0.05, 1.0))
    ]
    np.testing.assert_allclose(*steps, rtol=1e-12)
    assert np.sum(steps[0] * grad) < 0.0


def test_radam_counts_the_steps_of_each_point() -> None:
    """A point that is rarely in a batch has its own bias correction: its first step has the length lr."""
    m, optimizer = Euclidean(2), RAdam(lr=0.1)
    x = np.zeros((2, 2))
    state = optimizer.init(m, x)
    grad = np.array([[3.0, 4.0]])
    for _ in range(5):
        y, own = optimizer.step(m, x[:1], grad, tuple(a[:1] for a in state))
        x[:1] = y
        state = tuple(np.concatenate([b, a[1:]]) for a, b in zip(state, own, strict=True))
    y, _ = optimizer.step(m, x[1:], grad, tuple(a[1:] for a in state))
    np.testing.assert_allclose(np.linalg.norm(y), 0.1, rtol=1e-7)
    np.testing.assert_allclose(np.linalg.norm(x[0]), 0.5, rtol=1e-7)


def test_radam_does_not_depend_on_coordinates() -> None:
    """One second moment a point: a turned problem has a turned solution."""
    m, optimizer, rng = Euclidean(3), RAdam(lr=0.1), np.random.default_rng(6)
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    grads = rng.standard_normal((9, 1, 3))
    ends = []
    for q in (np.eye(3), turn):
        x = np.zeros((1, 3))
        state = optimizer.init(m, x)
        for g in grads:
            x, state = optimizer.step(m, x, g @ q, state)
        ends.append(x)
    np.testing.assert_allclose(ends[0] @ turn, ends[1], atol=1e-14)
