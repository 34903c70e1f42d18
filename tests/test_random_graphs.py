"""Samplers have the right distributions, and threshold graphs equal their definition."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import linked
from scipy import integrate, stats

from riemap.embeddings import Embedding
from riemap.random_graphs import (
    distance_matrix,
    hyperbolic_radii,
    sample,
    threshold_graphs,
    thresholds,
)
from riemap.spaces import Space

N = 4000
LIKELY = 0.01
"""Least p-value of a statistical test. Seeds are fixed, so a test that passes once always passes."""


def tangents(e):
    """Return the logarithms at the origin of the points of the first factor, and their norms."""
    m, x = e.space.factors[0], e.points[0]
    u = m.log(m.origin, x)
    return u, m.norm(m.origin, u)


# --- points -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3])
def test_the_sphere_is_uniform(n):
    """Each coordinate is uniform on S² (Archimedes) and has a semicircular density on S³."""
    x = sample(f"S{n}", N, seed=1).points[0]
    law = stats.uniform(-1, 2) if n == 2 else stats.semicircular()
    for coordinate in x.T:
        assert stats.kstest(coordinate, law.cdf).pvalue > LIKELY


def test_rotations_are_uniform():
    """Entries have mean 0 and variance 1/n, also after a product with a fixed rotation."""
    x = sample("SO3", N, seed=2).points[0]
    for y in (x, x[0] @ x, x @ x[1]):
        np.testing.assert_allclose(y.mean(axis=0), 0.0, atol=4 / np.sqrt(3 * N))
        np.testing.assert_allclose((y**2).mean(axis=0), 1 / 3, atol=4 * 0.3 / np.sqrt(N))
    # The angle of a uniform rotation has density (1 - cos t)/π.
    angle = np.arccos(np.clip((np.trace(x, axis1=1, axis2=2) - 1) / 2, -1, 1))
    assert stats.kstest(angle, lambda t: (t - np.sin(t)) / np.pi).pvalue > LIKELY


def test_planes_are_uniform():
    """The mean projector is k/n times the identity, and distances from any plane have one distribution."""
    e = sample("Gr(2,5)", N, seed=3)
    (m,), x = e.space.factors, e.points[0]
    np.testing.assert_allclose((x @ x.mT).mean(axis=0), 0.4 * np.eye(5), atol=4 * 0.5 / np.sqrt(N))
    other = m.random(np.random.default_rng(0), 1, 1.0)[0]
    near, far = (m.sqdist(p, half) for p, half in ((m.origin, x[: N // 2]), (other, x[N // 2 :])))
    assert stats.ks_2samp(near, far).pvalue > LIKELY


@pytest.mark.parametrize("text", ["E1", "E2", "E3", "LogSPD2", "BW1"])
def test_flat_balls_are_uniform(text):
    """The share of the points within a radius is a power of the radius."""
    e = sample(text, N, radius=2.5, seed=4)
    assert stats.kstest((tangents(e)[1] / 2.5) ** e.space.dim, "uniform").pvalue > LIKELY


@pytest.mark.parametrize(("dim", "radius"), [(1, 3.0), (2, 0.5), (2, 5.0), (3, 5.0), (6, 5.0)])
def test_hyperbolic_balls_are_uniform(dim, radius):
    """Radii follow the integral of sinh^(n-1), computed by Simpson's rule, and directions are uniform."""
    e = sample(f"H{dim}", N, radius=radius, seed=5)
    _, r = tangents(e)
    grid = np.linspace(0.0, radius, 4001)
    volume = integrate.cumulative_simpson(np.sinh(grid) ** (dim - 1), x=grid, initial=0.0)
    assert stats.kstest(r, lambda t: np.interp(t, grid, volume / volume[-1])).pvalue > LIKELY
    direction = e.points[0][:, 1:] / np.sinh(r)[:, None]
    np.testing.assert_allclose(direction.mean(axis=0), 0.0, atol=4 / np.sqrt(dim * N))
    np.testing.assert_allclose(direction.T @ direction / N, np.eye(dim) / dim, atol=4 * 0.5 / np.sqrt(N))


@pytest.mark.parametrize("dim", [2, 3, 10, 40])
@pytest.mark.parametrize("radius", [1e-3, 5.0, 100.0])
def test_hyperbolic_radii_invert_the_volume(dim, radius):
    """The share of the volume within the radius equals the given share, also in the tails."""
    share = np.array([1e-12, 1e-4, 0.3, 0.9, 1.0 - 1e-9])
    r = hyperbolic_radii(dim, radius, share)

    def volume(up_to):
        """Integrate the density divided by its value at ``up_to``, which may overflow."""
        return integrate.quad(
            lambda t: (
                np.exp((dim - 1) * (t - up_to)) * (np.expm1(-2 * t) / np.expm1(-2 * up_to)) ** (dim - 1)
            ),
            max(0.0, up_to - 60.0 / (dim - 1)),
            up_to,
            epsabs=0.0,
            epsrel=1e-12,
        )[0]

    height = np.exp((dim - 1) * (r - radius)) * (np.expm1(-2 * r) / np.expm1(-2 * radius)) ** (dim - 1)
    found = height * np.array([volume(t) for t in r]) / volume(radius)
    np.testing.assert_allclose(found, share, rtol=1e-11)
    assert hyperbolic_radii(dim, radius, np.array([0.0, 1.0]))[1] == pytest.approx(radius)


@pytest.mark.parametrize(
    ("text", "radius"),
    [("H3", 5.0), ("SPD2", 5.0), ("SPD3", 5.0), ("Stein2", 2.0), ("BW2", 2.5), ("S2", np.pi)],
)
def test_exponentials_of_uniform_tangents(text, radius):
    """Norms of tangent vectors are those of uniform points in a flat ball, and directions are uniform."""
    e = sample(text, N, radius=radius, how="exp", seed=6)
    m, dim = e.space.factors[0], e.space.dim
    u, r = tangents(e)
    assert stats.kstest((r / radius) ** dim, "uniform").pvalue > LIKELY
    along = m.inner(m.origin, u, np.broadcast_to(m.to_tangent(m.origin, np.ones(m.shape)), u.shape))
    unit = along / r / m.norm(m.origin, m.to_tangent(m.origin, np.ones(m.shape)))
    assert unit.mean() == pytest.approx(0.0, abs=4 / np.sqrt(dim * N))
    assert (unit**2).mean() == pytest.approx(1.0 / dim, abs=4 * 0.5 / np.sqrt(N))


def test_the_exponential_map_is_not_uniform():
    """It leaves the rim of a hyperbolic ball empty and crowds the far pole of a sphere, as in the paper."""
    assert tangents(sample("H3", N, 5.0, "uniform"))[1].mean() > 4.4
    assert tangents(sample("H3", N, 5.0, "exp"))[1].mean() < 3.9
    assert np.mean(sample("S2", N, np.pi, "exp").points[0][:, 0]) < -0.3


def test_factors_are_drawn_independently():
    """Each factor of a product has its own distribution, and two factors are not correlated."""
    e = sample("H2 x S2 x E1", N, radius=2.0, seed=7)
    assert e.log_scales.tolist() == [0.0] * 3
    assert stats.kstest(e.points[1][:, 2], stats.uniform(-1, 2).cdf).pvalue > LIKELY
    assert stats.kstest(e.points[2][:, 0], stats.uniform(-2, 4).cdf).pvalue > LIKELY
    assert abs(np.corrcoef(np.abs(e.points[2][:, 0]), e.points[0][:, 0])[0, 1]) < 4 / np.sqrt(N)


def test_a_seed_gives_the_same_bytes():
    a, b, c = (sample("H3", 50, 2.0, seed=seed).points[0] for seed in (1, 1, 2))
    assert a.tobytes() == b.tobytes() != c.tobytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Q3", 10), "cannot read factor 'Q3'"),
        (("H2", 0), "n=0 is too small"),
        (("H2", 10, 0.0), "radius=0 is not a positive number; the radius of a ball is e.g. 5"),
        (("H2", 10, -1.0), "radius=-1 is not"),
        (("H2", 10, float("nan")), "radius=nan is not"),
        (("H2", 10, float("inf")), "radius=inf is not"),
        (("H2", 10, 1e4), "a ball of radius 10000 does not fit into H2"),
        (("SPD3", 10, 60.0, "exp"), "a ball of radius 60 does not fit into SPD3"),
        (("BW2", 100, 3.5, "exp"), r"a ball of radius 3.5 does not fit into BW2"),
        (("BW3", 4, 1e283, "exp", 32500), r"a ball of radius 1e\+283 does not fit into BW3"),
        (("SO3", 9, 1e193, "exp", 112522), r"a ball of radius 1e\+193 does not fit into SO3"),
        (("H2", 10, 1.0, "gauss"), "no sampling method is called 'gauss'; there are 'uniform' and 'exp'"),
        (
            ("SPD3", 10),
            "uniform sampling from balls of SPD3 is not implemented; .* riemap sample SPD3 --how exp",
        ),
        (("S2", 10, 1.0), "S2 is sampled uniformly as a whole"),
        (("S2", 10, None, "uniform", -1), "seed=-1 is negative"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        sample(*arguments)


# --- graphs -----------------------------------------------------------------------------------------


@given(st.integers(2, 14), st.integers(0, 10**6), st.floats(0.05, 2.0), st.integers(2, 5))
def test_threshold_graphs_against_the_definition(n, seed, level, least):
    distances = distance_matrix(sample("E2", n, seed=seed))
    (found,) = threshold_graphs(distances, np.array([level]), least)
    graph = linked(distances, level)
    largest = max(nx.connected_components(graph), key=len)
    assert found.degrees.tolist() == [d for _, d in graph.degree]
    assert (found.threshold, found.edges, found.nodes) == (level, graph.number_of_edges(), len(largest))
    if len(largest) < least:
        assert found.component is None
    else:
        part = found.component
        edges = {frozenset(part.labels[i] for i in pair) for pair in part.edges()}
        assert edges == {frozenset(pair) for pair in graph.subgraph(part.labels).edges}
        assert set(part.labels) in [set(c) for c in nx.connected_components(graph) if len(c) == len(largest)]
        assert all(np.all(np.diff(part.indices[a:b]) > 0) for a, b in pairwise(part.indptr))


def test_the_diagonal_and_the_threshold_itself_are_no_edges():
    line = Embedding(Space.parse("E1"), (np.array([[0.0], [1.0], [3.0]]),), np.zeros(1), (0, 1, 2))
    found = list(threshold_graphs(distance_matrix(line), np.array([1.0, 2.0, 9.0]), min_nodes=2))
    assert [f.edges for f in found] == [0, 1, 3]
    assert [f.nodes for f in found] == [1, 2, 3]
    assert found[0].component is None


def test_small_components_are_left_out():
    distances = distance_matrix(sample("E2", 150, radius=5.0))
    found = list(threshold_graphs(distances, np.linspace(0.2, 10.0, 12)))
    assert [f.component is None for f in found] == [f.nodes < 100 for f in found]
    assert {f.component is None for f in found} == {True, False}
    whole = found[-1].component
    assert (whole.n, whole.m) == (150, 150 * 149 // 2)


def test_thresholds_are_those_of_the_paper():
    """Thresholds end at the largest distance in a compact space, and at 1.5 radii in a ball."""
    sphere, ball = sample("S2", 60), sample("H3", 60, 5.0)
    distances = distance_matrix(sphere)
    np.testing.assert_allclose(
        thresholds(sphere, distances, 10)[[0, -1]], distances.max() * np.array([0.1, 1.0])
    )
    np.testing.assert_allclose(thresholds(ball, distance_matrix(ball), 15, 5.0), 0.5 * np.arange(1, 16))
    with pytest.raises(MemoryError, match=r"1,000,000,000,000 points of E1 need .* draw fewer points"):
        sample("E1", 10**12)
    with pytest.raises(ValueError, match="1000000000 thresholds are too many; their number is at most 1000"):
        thresholds(sample("E1", 3), np.zeros((3, 3)), 10**9)
    with pytest.raises(ValueError, match="0 thresholds are too few"):
        thresholds(sphere, distances, 0)


@pytest.mark.parametrize("spaces", [("E3", "SPD2", "H3"), ("E6", "SPD3", "H6"), ("E10", "SPD4", "H10")])
def test_flat_balls_bound_degrees_from_above(spaces):
    """Points are nearest to each other in flat balls, then in SPD, then in H, as in appendix E."""
    means = []
    for text in spaces:
        e = sample(text, 1000, radius=5.0, how="exp", seed=8)
        distances = distance_matrix(e)
        swept = threshold_graphs(distances, thresholds(e, distances, 10, 5.0))
        means.append([f.degrees.mean() for f in swept])
    flat, spd, hyperbolic = np.array(means)
    assert np.all(flat >= spd)
    assert np.all(spd >= hyperbolic)
    assert flat[5] > 1.2 * spd[5] > 1.44 * hyperbolic[5]


def test_compact_spaces_have_higher_degrees_than_flat_balls():
    """The ball has the radius 4.4, the largest distance between rotations, as in the paper."""
    ball = distance_matrix(sample("E3", 500, radius=4.4))
    levels = np.linspace(0.5, 4.4, 8)
    flat = np.array([f.degrees.mean() for f in threshold_graphs(ball, levels)])
    for text in ("S3", "SO3", "Gr(1,4)"):
        found = threshold_graphs(distance_matrix(sample(text, 500)), levels)
        assert np.all(np.array([f.degrees.mean() for f in found]) > flat)
