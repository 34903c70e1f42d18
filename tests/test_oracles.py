"""Our formulas against those of other people: geomstats, pymanopt and geoopt.

Each library is wrapped once, as an :class:`Oracle`. Where it spells points, tangents or lengths in
another way a :class:`Chart` translates, whose scale is read off the two metrics and never fitted.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import starmap
from typing import Any, NamedTuple

import geoopt
import numpy as np
import pymanopt.manifolds as pymanopt
import pytest
import torch
from geomstats.geometry import euclidean, grassmannian, hyperboloid, hypersphere, siegel
from geomstats.geometry import spd_matrices as spd
from geomstats.geometry.invariant_metric import InvariantMetric
from geomstats.geometry.special_orthogonal import SpecialOrthogonal

from riemap.linalg import transpose
from riemap.manifolds import (
    SPD,
    BuresWasserstein,
    CompactManifold,
    Euclidean,
    Grassmann,
    Hyperboloid,
    LogSPD,
    Manifold,
    Rotations,
    Sphere,
    Stein,
)
from riemap.types import Array

# The worst disagreement seen is 4e-13, of gradients of BW4.
agree = partial(np.testing.assert_allclose, rtol=1e-11, atol=1e-11)

SIZES = (2, 3, 4)
COUNT = 9  # points in each of two sets: together two tiles of eight, for `mirror`, and a rest

Map = Callable[..., Array]


class Oracle(NamedTuple):
    """What a library says of a manifold, in our coordinates; None where it has no answer."""

    library: str
    m: Manifold
    dist: Map | None = None  # x, y
    exp: Map | None = None  # x, u
    log: Map | None = None  # x, y
    inner: Map | None = None  # x, u, v
    transport: Map | None = None  # x, y, u
    sectional: Map | None = None  # x, u, v


# --- libraries ------------------------------------------------------------------------------------


def from_geomstats(m: Manifold, g: Any) -> Oracle:
    """The base point comes last."""
    return Oracle(
        "geomstats",
        m,
        dist=g.dist,
        exp=lambda x, u: g.exp(u, x),
        log=lambda x, y: g.log(y, x),
        inner=lambda x, u, v: g.inner_product(u, v, x),
        transport=lambda x, y, u: g.parallel_transport(u, x, end_point=y),
    )


def from_geoopt(m: Manifold, other: geoopt.Manifold) -> Oracle:
    """In torch."""

    def numpy(method: Callable[..., torch.Tensor]) -> Map:
        return lambda *arrays: method(*map(torch.from_numpy, arrays)).numpy()

    methods = other.dist, other.expmap, other.logmap, other.inner, other.transp
    return Oracle("geoopt", m, *map(numpy, methods))


def from_pymanopt(m: Manifold, other: Any) -> Oracle:
    """One point at a time. Its transports are not parallel, so they are left out."""

    def loop(method: Map) -> Map:
        return lambda *arrays: np.array(list(starmap(method, zip(*arrays, strict=True))))

    methods = other.dist, other.exp, other.log, other.inner_product
    return Oracle("pymanopt", m, *map(loop, methods))


# --- translations ---------------------------------------------------------------------------------


def same(*arrays: Array) -> Array:
    return arrays[-1]


class Chart(NamedTuple):
    """Our points and tangents in the coordinates of another, and back."""

    there: Map = same  # x -> their point
    back: Map = same  # their point -> x
    push: Map = same  # x, u -> their tangent
    pull: Map = same  # x, their tangent -> u
    scale: float = 1.0  # our length over theirs


def through(chart: Chart, o: Oracle) -> Oracle:
    """The oracle ``o``, asked and answering in our coordinates."""
    there, back, push, pull, scale = chart
    return o._replace(
        dist=lambda x, y: scale * o.dist(there(x), there(y)),
        exp=lambda x, u: back(o.exp(there(x), push(x, u))),
        log=lambda x, y: pull(x, o.log(there(x), there(y))),
        inner=lambda x, u, v: scale**2 * o.inner(there(x), push(x, u), push(x, v)),
        transport=o.transport and (lambda x, y, u: pull(y, o.transport(there(x), there(y), push(x, u)))),
    )


def derivative(f: Map) -> Map:
    """Of an analytic ``f``, by a complex step: exact but for rounding."""
    return lambda x, u: np.imag(f(x + 1e-50j * u)) / 1e-50


def to_ball(x: Array) -> Array:
    return x[..., 1:] / (1.0 + x[..., :1])


def from_ball(b: Array) -> Array:
    square = np.sum(b * b, axis=-1, keepdims=True)
    return np.concatenate([1.0 + square, 2.0 * b], axis=-1) / (1.0 - square)


def pull_from_ball(x: Array, u: Array) -> Array:
    return derivative(from_ball)(to_ball(x), u)


BALL = Chart(to_ball, from_ball, derivative(to_ball), pull_from_ball)
ALGEBRA = Chart(push=lambda x, u: transpose(x) @ u, pull=lambda x, u: x @ u)
HALVED = Chart(scale=np.sqrt(2.0))  # tr PᵀQ / 2


def projectors(k: int) -> Chart:
    """``AAᵀ`` for a basis ``A``; the squared length of a tangent ``PAᵀ + APᵀ`` is ``2 tr PᵀP``."""
    return Chart(
        there=lambda x: x @ transpose(x),
        back=lambda p: np.linalg.eigh(p)[1][..., -k:],
        push=lambda x, u: u @ transpose(x) + x @ transpose(u),
        pull=lambda x, u: u @ x,
        scale=np.sqrt(0.5),
    )


# --- the table ------------------------------------------------------------------------------------


def vectors(n: int) -> Iterator[Oracle]:
    e, h, s = Euclidean(n), Hyperboloid(n), Sphere(n)
    yield from_geomstats(e, euclidean.Euclidean(n).metric)
    yield from_pymanopt(e, pymanopt.Euclidean(n))
    yield from_geoopt(e, geoopt.Euclidean(ndim=1))
    yield from_geomstats(h, hyperboloid.Hyperboloid(n).metric)
    yield through(BALL, from_pymanopt(h, pymanopt.PoincareBall(n)))
    yield from_geoopt(h, geoopt.Lorentz(torch.tensor(1.0, dtype=torch.float64)))
    yield from_geomstats(s, hypersphere.Hypersphere(n).metric)
    yield from_pymanopt(s, pymanopt.Sphere(n + 1))
    yield from_geoopt(s, geoopt.Sphere())._replace(transport=None)  # a projection


def matrices(n: int) -> Iterator[Oracle]:
    a, stein, log, bures, so = SPD(n), Stein(n), LogSPD(n), BuresWasserstein(n), Rotations(n)
    space = spd.SPDMatrices(n)
    yield from_geomstats(a, spd.SPDAffineMetric(space))
    yield from_pymanopt(a, pymanopt.SymmetricPositiveDefinite(n))
    yield from_geoopt(a, geoopt.SymmetricPositiveDefinite("AIM"))
    yield from_geomstats(log, spd.SPDLogEuclideanMetric(space))
    yield from_geomstats(bures, spd.SPDBuresWassersteinMetric(space))
    yield through(HALVED, from_geomstats(so, SpecialOrthogonal(n).metric))
    yield through(ALGEBRA, from_pymanopt(so, pymanopt.SpecialOrthogonalGroup(n)))
    # All but the distance of these two is that of "AIM"; and "SM" does not take the root.
    squared, flat = from_geoopt(stein, unfinished("SM")), from_geoopt(log, unfinished("LEM"))
    yield squared._replace(dist=lambda x, y: np.sqrt(squared.dist(x, y)))
    yield Oracle("geoopt", log, dist=flat.dist)


def subspaces(k: int, n: int) -> Iterator[Oracle]:
    m = Grassmann(k, n)
    yield through(projectors(k), from_geomstats(m, grassmannian.Grassmannian(n, k).metric))
    yield from_pymanopt(m, pymanopt.Grassmann(n, k))


def curvatures(n: int) -> Iterator[Oracle]:
    """Only geomstats has sectional curvatures, and of these only."""
    sphere = hypersphere.Hypersphere(n).metric.sectional_curvature
    group = InvariantMetric(SpecialOrthogonal(n + 1)).sectional_curvature
    disk = siegel.Siegel(n).metric.sectional_curvature

    def rotations(x: Array, u: Array, v: Array) -> Array:
        """Of our own metric. They put ``|u|²`` for ``|v|²``, which is true of unit vectors."""
        u, v = (a / np.linalg.norm(a, axis=(-2, -1), keepdims=True) for a in (u, v))
        return group(u, v, x)

    def cayley(x: Array) -> Array:
        return (x - np.eye(n)) @ np.linalg.inv(x + np.eye(n))

    def positive(x: Array, u: Array, v: Array) -> Array:
        """Real symmetric points of the Siegel disk; at ``x = I`` tangents become half as long."""
        return disk(derivative(cayley)(x, u), derivative(cayley)(x, v), cayley(x)) / 4.0

    def halves(x: Array, u: Array, v: Array) -> Array:
        """The disk of all ``n x n`` matrices is dual to Gr(n, 2n): curvature changes its sign."""
        rest = transpose(np.linalg.svd(x)[0][..., n:])
        return -disk(rest @ u, rest @ v)

    yield Oracle("geomstats", Sphere(n), sectional=lambda x, u, v: sphere(u, v, x))
    yield Oracle("geomstats", Rotations(n + 1), sectional=rotations)
    yield Oracle("geomstats", SPD(n), sectional=positive)
    yield Oracle("geomstats", Grassmann(n, 2 * n), sectional=halves)


def unfinished(metric: str) -> geoopt.Manifold:
    with pytest.warns(UserWarning, match="not fully implemented"):
        return geoopt.SymmetricPositiveDefinite(metric)


ORACLES = [
    *(o for make in (vectors, matrices, curvatures) for n in SIZES for o in make(n)),
    *(o for o in matrices(5) if o.m in (Rotations(5), SPD(5), Stein(5))),
    *(o for k, n in Grassmann.examples for o in subspaces(k, n)),
]


# --- tests ----------------------------------------------------------------------------------------


def every_oracle(question: str, fact: str = "dim") -> pytest.MarkDecorator:
    """Those that answer the question, about manifolds of which the fact is true."""
    able = [o for o in ORACLES if getattr(o, question) and getattr(o.m, fact)]
    return pytest.mark.parametrize("oracle", able, ids=lambda o: f"{o.m}-{o.library}")


def draw(m: Manifold) -> tuple[Array, Array, Array, Array]:
    """Points ``x``, ``y`` and tangents ``u``, ``v`` at ``x``.

    On a compact manifold the points are anywhere: almost no pair is at a cut locus.
    """
    rng = np.random.default_rng(0)
    points = m.uniform if isinstance(m, CompactManifold) else m.random
    x, y = points(rng, COUNT), points(rng, COUNT)
    return x, y, *(m.to_tangent(x, rng.standard_normal(x.shape)) for _ in "uv")


def across(f: Map, x: Array, y: Array) -> Array:
    """``f`` of every ``x`` with every ``y``."""
    return np.array([f(np.stack([a] * len(y)), y) for a in x])


@every_oracle("dist")
def test_distance_agrees(oracle: Oracle) -> None:
    """d(x, y): by the method for one pair, by the kernel, and by its half for a single set."""
    m, (x, y, _, _) = oracle.m, draw(oracle.m)
    expected = across(oracle.dist, x, y)
    within = np.sqrt(m.pairs(np.concatenate([x, y])).sqdist)
    agree(np.sqrt(m.sqdist(x[:, None], y)), expected)
    agree(np.sqrt(m.pairwise(x, y)), expected)
    agree(within[:COUNT, COUNT:], expected)
    agree(within[COUNT:, :COUNT], expected.T)


@every_oracle("exp")
def test_exp_agrees(oracle: Oracle) -> None:
    """exp_x(u); for a subspace its projector, since any basis will do."""
    m, (x, _, u, _) = oracle.m, draw(oracle.m)
    ours, theirs = m.exp(x, u), oracle.exp(x, u)
    if isinstance(m, Grassmann):
        ours, theirs = ours @ transpose(ours), theirs @ transpose(theirs)
    agree(ours, theirs)


@every_oracle("log")
def test_log_agrees(oracle: Oracle) -> None:
    """log_x(y)."""
    m, (x, y, _, _) = oracle.m, draw(oracle.m)
    agree(m.log(x[:, None], y), across(oracle.log, x, y))


@every_oracle("log", "geodesic")
def test_gradient_agrees(oracle: Oracle) -> None:
    """The gradient kernel sums -2 w log_x(y)."""
    m, (x, y, _, _) = oracle.m, draw(oracle.m)
    w = np.random.default_rng(1).standard_normal((COUNT, COUNT))
    expected = np.einsum("ij,ij...->i...", -2.0 * w, across(oracle.log, x, y))
    agree(m.pairwise_grad(x, y, w), expected)


@every_oracle("inner")
def test_inner_agrees(oracle: Oracle) -> None:
    """<u, v>_x, which also says that the scales of the charts are right."""
    m, (x, _, u, v) = oracle.m, draw(oracle.m)
    agree(m.inner(x, u, v), oracle.inner(x, u, v))


@every_oracle("transport", "parallel")
def test_transport_agrees(oracle: Oracle) -> None:
    """Parallel transport of u from x to y."""
    m, (x, y, u, _) = oracle.m, draw(oracle.m)
    agree(m.transport(x, y, u), oracle.transport(x, y, u))


@every_oracle("sectional")
def test_sectional_agrees(oracle: Oracle) -> None:
    """Curvature of the plane of u and v."""
    m, (x, _, u, v) = oracle.m, draw(oracle.m)
    agree(m.sectional(x, u, v), oracle.sectional(x, u, v))
