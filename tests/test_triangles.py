"""Geodesic triangles have the signs and formulas of their spaces, also on the command line."""

import json
from itertools import permutations
from math import pi

import numpy as np
import pytest
from helpers import run
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tolerances import CURVATURE

from riemap.curvature import Summary, geodesic_triangles
from riemap.curvature.geodesic_triangles import (
    angle_sum,
    angle_sums,
    draw_triples,
    parallelogram_deviation,
    parallelogram_deviations,
)
from riemap.embeddings import Embedding
from riemap.manifolds import MANIFOLDS, CompactManifold
from riemap.spaces import Space

SMALL = [cls(*sizes) for cls in MANIFOLDS for sizes in cls.examples]


def drawn(text, n=200, seed=0, radius=1.0, log_scales=None):
    """Return an embedding whose points are uniform in compact factors and near the origin in others."""
    space, rng = Space.parse(text), np.random.default_rng(seed)
    points = tuple(
        m.uniform(rng, n) if isinstance(m, CompactManifold) else m.random(rng, n, radius)
        for m in space.factors
    )
    scales = np.zeros(len(points)) if log_scales is None else np.array(log_scales)
    return Embedding(space, points, scales, tuple(range(n)))


def corners(text, n, seed=0, radius=1.0):
    """Return a space and three sets of ``n`` of its points."""
    e = drawn(text, 3 * n, seed, radius)
    return e.space, *(tuple(x[k::3] for x in e.points) for k in range(3))


def lhuilier(tan, a, b, c):
    """Return the area of a triangle from its sides: spherical if ``tan`` is tan, hyperbolic if it is tanh."""
    s = (a + b + c) / 2.0
    return 4.0 * np.arctan(np.sqrt(tan(s / 2) * tan((s - a) / 2) * tan((s - b) / 2) * tan((s - c) / 2)))


# --- signs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", SMALL, ids=str)
def test_signs_are_those_of_the_curvature(m):
    """Angle sums and deviations of medians have the sign of the curvature and keep the paper's bounds."""
    e = drawn(str(m), 60, radius=1.0)
    sums, deviations = angle_sums(e, 500), parallelogram_deviations(e, 500)
    assert (sums.degenerate, deviations.degenerate) == (0, 0)
    low, high = m.curvature
    if high <= 0.0 and not isinstance(
        m, CompactManifold
    ):  # the angles of a triangle around a circle sum to 3π
        assert sums.values.min() >= -0.5 - CURVATURE
        assert max(sums.values.max(), deviations.values.max()) <= CURVATURE
    if low >= 0.0:
        assert sums.values.max() <= 1.0 + CURVATURE
        assert min(sums.values.min(), deviations.values.min()) >= -CURVATURE
    if low == high == 0.0 and not isinstance(m, CompactManifold):
        assert np.abs(sums.values).max() <= CURVATURE
        assert np.abs(deviations.values).max() <= CURVATURE


def test_curved_spaces_have_angle_sums_far_from_zero():
    assert angle_sums(drawn("H2", radius=3.0)).values.mean() < -0.2
    assert angle_sums(drawn("SPD2", radius=3.0)).values.mean() < -0.03
    assert angle_sums(drawn("S2")).values.mean() > 0.2
    assert angle_sums(drawn("Gr(2,4)")).values.mean() > 0.2


# --- other formulas ---------------------------------------------------------------------------------


@pytest.mark.parametrize("radius", [1e-2, 1.0, 4.0])
def test_hyperbolic_triangles_obey_the_law_of_cosines(radius):
    space, x, y, z = corners("H3", 200, radius=radius)
    a, b, c = (np.sqrt(space.sqdist(*pair)) for pair in ((y, z), (z, x), (x, y)))
    total = 0.0
    for p, q, r in ((a, b, c), (b, c, a), (c, a, b)):
        total += np.arccos((np.cosh(q) * np.cosh(r) - np.cosh(p)) / (np.sinh(q) * np.sinh(r)))
    np.testing.assert_allclose(angle_sum(space, x, y, z), (total - pi) / (2 * pi), atol=1e-15 / radius**4)


@pytest.mark.parametrize("radius", [1e-3, 1.0, 4.0])
def test_the_angle_defect_is_the_hyperbolic_area(radius):
    """The defect equals the area that the sides alone give, for small triangles too."""
    space, x, y, z = corners("H2", 200, radius=radius)
    sides = (np.sqrt(space.sqdist(*pair)) for pair in ((y, z), (z, x), (x, y)))
    area = lhuilier(np.tanh, *sides)
    large = area > np.quantile(area, 0.1)  # for thin triangles, the area from the sides is less accurate
    defect = -2.0 * pi * angle_sum(space, x, y, z)
    np.testing.assert_allclose(defect[large], area[large], rtol=1e-9, atol=3e-15 / radius)


def test_the_angle_defect_is_an_integral():
    """The defect equals the integral of (1 - |p|²)^(-3/2) over the straight triangle in the Klein model."""
    space, x, y, z = corners("H2", 20, radius=1.0)
    a, b, c = (p[0][:, 1:] / p[0][:, :1] for p in (x, y, z))
    t, w = np.polynomial.legendre.leggauss(40)
    t, w = (t + 1.0) / 2.0, w / 2.0
    u, v = t[:, None], t[None, :] * t[:, None]  # a triangle of the unit square
    p = a[:, None, None] + u[..., None] * (b - a)[:, None, None] + v[..., None] * (c - b)[:, None, None]
    jacobian = np.abs((b - a)[:, 0] * (c - b)[:, 1] - (b - a)[:, 1] * (c - b)[:, 0])
    area = jacobian * np.sum(w[:, None] * w * u * (1.0 - np.sum(p**2, axis=-1)) ** -1.5, axis=(1, 2))
    np.testing.assert_allclose(-2.0 * pi * angle_sum(space, x, y, z), area, rtol=1e-6)


def test_the_angle_excess_is_the_spherical_area():
    """The excess equals the area that L'Huilier's formula gives from the sides (Girard's theorem)."""
    space, x, y, z = corners("S2", 300)
    area = lhuilier(np.tan, *(np.sqrt(space.sqdist(*pair)) for pair in ((y, z), (z, x), (x, y))))
    np.testing.assert_allclose(2.0 * pi * angle_sum(space, x, y, z), area, atol=1e-8)


@pytest.mark.parametrize("text", ["S2", "H2"])
@pytest.mark.parametrize("size", [1e-2, 1e-4, 1e-6])
def test_small_and_thin_triangles_keep_their_digits(text, size):
    """A right triangle with legs of lengths ``size`` and 1 has the area of the closed formula.

    The logarithm in H has an absolute error of a rounding, hence a large relative one for a short side.
    """
    (m,), tan = Space.parse(text).factors, np.tan if text == "S2" else np.tanh
    origin = m.origin[None]
    u, v = np.zeros((2, 1, 3))
    u[0, 1], v[0, 2] = 1.0, size
    value = angle_sum(Space((m,)), (origin,), (m.exp(origin, u),), (m.exp(origin, v),))[0]
    area = 2.0 * np.arctan(tan(0.5) * tan(size / 2.0))
    error = value * 2.0 * pi - (area if text == "S2" else -area)
    assert abs(error) < (4e-15 if text == "S2" else 1e-15 / size)


@pytest.mark.parametrize("text", ["E2", "LogSPD2", "E1 x E1"])
def test_thin_flat_triangles_have_two_right_angles(text):
    space = Space.parse(text)
    x, y, z = ([0.0, 0.0], [1.0, 0.0], [1.0, 1e-9])
    if text == "LogSPD2":
        x, y, z = ((np.diag(np.exp(p))[None],) for p in (x, y, z))
    elif text == "E2":
        x, y, z = ((np.array([p]),) for p in (x, y, z))
    else:
        x, y, z = (tuple(np.array([[t]]) for t in p) for p in (x, y, z))
    assert abs(angle_sum(space, x, y, z)[0]) < 1e-14


def test_products_add_the_scaled_metrics():
    """Angles equal those of the arccosine formula with the scaled metric, one triple at a time."""
    e = drawn("H2 x S2 x SPD2", 12, log_scales=[0.7, -1.2, 0.3])
    scales = np.exp(e.log_scales)

    def inner(at, u, v):
        parts = zip(e.space.factors, scales, at, u, v, strict=True)
        return sum(s * m.inner(*args) for m, s, *args in parts)

    def angle(at, b, c):
        u, v = ([m.log(p, q) for m, p, q in zip(e.space.factors, at, o, strict=True)] for o in (b, c))
        return np.arccos(inner(at, u, v) / np.sqrt(inner(at, u, u) * inner(at, v, v)))

    points = list(zip(*e.points, strict=True))
    expected = [
        (angle(x, y, z) + angle(y, z, x) + angle(z, x, y) - pi) / (2 * pi)
        for x, y, z in (points[i : i + 3] for i in range(10))
    ]
    x, y, z = (tuple(p[k : 10 + k] for p in e.points) for k in range(3))
    np.testing.assert_allclose(angle_sum(e.space, x, y, z, e.log_scales), expected, atol=1e-9)
    assert not np.allclose(angle_sum(e.space, x, y, z), expected, atol=1e-3)


def test_stein_has_the_triangles_of_spd():
    stein, spd = drawn("Stein3", 50), drawn("SPD3", 50)
    assert angle_sums(stein, 300).values.tobytes() == angle_sums(spd, 300).values.tobytes()
    deviations = (parallelogram_deviations(e, 300).values for e in (stein, spd))
    np.testing.assert_allclose(*deviations, rtol=1e-6, atol=CURVATURE)


def test_rotations_and_lines_through_the_origin_are_isometric():
    """SO(3) and Gr(1,4) are the same space up to scale, so their angle sums have one distribution."""
    lines, turns = drawn("Gr(1,4)", 3000, seed=1), drawn("SO3", 3000, seed=2)
    found = [angle_sum(e.space, *((e.points[0][k::3],) for k in range(3))) for e in (lines, turns)]
    assert stats.ks_2samp(*found).pvalue > 0.01
    sphere = drawn("S3", 3000, seed=3)
    other = angle_sum(sphere.space, *((sphere.points[0][k::3],) for k in range(3)))
    assert stats.ks_2samp(found[0], other).pvalue < 1e-6


# --- medians ----------------------------------------------------------------------------------------


def test_the_median_of_an_octant():
    """All sides and medians of an octant are quarters of a circle, so its deviation is π/16."""
    x, y, z = ((row[None],) for row in np.eye(3))
    assert parallelogram_deviation(Space.parse("S2"), x, y, z)[0] == pytest.approx(pi / 16, abs=1e-15)


def test_medians_against_the_definition():
    """Deviations equal the definition, one triple at a time, in a product with scales."""
    e = drawn("H2 x Gr(2,4)", 12, log_scales=[0.5, -0.4])
    s = np.exp(e.log_scales)

    def d(a, b):
        return np.sqrt(sum(w * m.sqdist(p, q) for w, m, p, q in zip(s, e.space.factors, a, b, strict=True)))

    expected = []
    points = list(zip(*e.points, strict=True))
    for x, y, z in (points[i : i + 3] for i in range(10)):
        mid = [m.exp(p, m.log(p, q) / 2) for m, p, q in zip(e.space.factors, y, z, strict=True)]
        assert d(y, mid) == pytest.approx(d(mid, z))
        k = d(x, mid) ** 2 + d(y, z) ** 2 / 4 - (d(x, y) ** 2 + d(x, z) ** 2) / 2
        expected.append(k / (2 * d(x, mid)))
    x, y, z = (tuple(p[k : 10 + k] for p in e.points) for k in range(3))
    np.testing.assert_allclose(
        parallelogram_deviation(e.space, x, y, z, e.log_scales), expected, atol=CURVATURE
    )


@given(st.floats(0.1, 10.0), st.floats(-5.0, 5.0))
def test_the_midpoint_itself_deviates_by_nothing(step, start):
    """The deviation seen from the midpoint is zero, not a rounding error divided by zero."""
    x, y, z = ((np.array([[start + k * step]]),) for k in (1, 0, 2))
    assert abs(parallelogram_deviation(Space.parse("E1"), x, y, z)[0]) < 1e-7 * step


# --- sampling ---------------------------------------------------------------------------------------


def test_every_triple_is_as_likely():
    rows = draw_triples(4, 24_000, seed=5)
    found, counts = np.unique(rows, axis=0, return_counts=True)
    assert [tuple(row) for row in found.tolist()] == sorted(permutations(range(4), 3))
    assert stats.chisquare(counts).pvalue > 0.01


def test_equal_and_opposite_points_are_left_out_and_counted():
    """All degenerate triples are counted. Two bases of the same plane are equal points."""
    x = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 1.0, 0], [-1.0, 0, 0], [0, 0, 1.0]])
    e = Embedding(Space.parse("S2"), (x,), np.zeros(1), tuple(range(5)))
    bad = {0, 3}, {1, 2}
    count = sum(any(pair <= set(row) for pair in bad) for row in draw_triples(5, 400, 3).tolist())
    for found in (angle_sums(e, 400, 3), parallelogram_deviations(e, 400, 3)):
        assert (found.degenerate, len(found.values)) == (count, 400 - count)
        assert np.isfinite(found.values).all()
    plane = drawn("Gr(2,4)", 1).points[0][0]
    turn = np.array([[np.cos(1.0), -np.sin(1.0)], [np.sin(1.0), np.cos(1.0)]])
    planes = np.stack([plane, plane @ turn, plane @ turn @ turn])
    assert angle_sums(Embedding(Space.parse("Gr(2,4)"), (planes,), np.zeros(1), (0, 1, 2)), 7).degenerate == 7


@pytest.mark.parametrize("m", SMALL, ids=str)
def test_nodes_that_all_meet_make_no_triangle(m):
    points = np.repeat(m.random(np.random.default_rng(0), 1), 4, axis=0)
    e = Embedding(Space((m,)), (points,), np.zeros(1), tuple("abcd"))
    for found in (angle_sums(e, 10), parallelogram_deviations(e, 10)):
        assert (found.degenerate, len(found.values)) == (10, 0)


def test_blocks_and_seeds(monkeypatch):
    """The block size does not change the bytes; another seed does."""
    e = drawn("H2 x SPD2", 40)
    whole = angle_sums(e, 100, seed=1).values
    assert not np.array_equal(whole, angle_sums(e, 100, seed=2).values)
    monkeypatch.setattr(geodesic_triangles, "TRIANGLE_BLOCK_NUMBERS", 64)
    assert whole.tobytes() == angle_sums(e, 100, seed=1).values.tobytes()


@pytest.mark.parametrize(
    ("n", "triples", "seed", "message"),
    [(2, 5, 0, "needs three nodes"), (9, 0, 0, "triples=0 is not"), (9, 5, -1, "seed=-1 is negative")],
)
def test_bad_numbers_are_refused(n, triples, seed, message):
    with pytest.raises(ValueError, match=message):
        angle_sums(drawn("E2", n), triples, seed)


# --- riemap evaluate --curvature --------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path):
    """Save an embedding of twelve nodes."""
    path = tmp_path / "path.npz"
    drawn("H2 x E1", 12).save(path)
    return str(path)


def test_evaluate_shows_curvature(tree, capsys):
    assert run("evaluate", tree, "path(n=12)") == 0
    assert "triangles" not in capsys.readouterr().out
    assert run("evaluate", tree, "path(n=12)", "--curvature", "--seed", "4") == 0
    out = capsys.readouterr().out
    found = Summary.from_values(angle_sums(Embedding.load(tree), seed=4).values)._asdict()
    (line,) = (line for line in out.splitlines() if line.startswith("angle sum"))
    shown = [found[key] for key in ("mean", "min", "q25", "median", "q75", "max")]
    assert line.split()[-6:] == [f"{value:.4f}".replace("-0.0000", "0.0000") for value in shown]
    assert "over 10000 triples" in out
    assert max(map(len, out.splitlines())) <= 80


def test_evaluate_curvature_as_json(tree, capsys):
    assert run("evaluate", tree, "path(n=12)", "--curvature", "--json", "--seed", "4") == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["curvature"]
    e = Embedding.load(tree)
    assert found["angles"] == Summary.from_values(angle_sums(e, seed=4).values)._asdict()
    assert found["parallelogram"] == Summary.from_values(parallelogram_deviations(e, seed=4).values)._asdict()
    assert (found["triples"], found["degenerate"], found["seed"]) == (10_000, 0, 4)


def test_evaluate_curvature_of_nodes_that_meet(tmp_path, capsys):
    """If all nodes coincide, all triangles are degenerate and JSON has nulls instead of NaN."""
    path = str(tmp_path / "point.npz")
    Embedding(Space.parse("E2"), (np.zeros((5, 2)),), np.zeros(1), tuple(range(5))).save(path)
    assert run("evaluate", path, "cycle(n=5)", "--curvature") == 0
    assert "without 10000 degenerate triangles" in capsys.readouterr().out
    assert run("evaluate", path, "cycle(n=5)", "--curvature", "--json") == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["curvature"]
    assert found["degenerate"] == 10_000
    assert found["angles"] is found["parallelogram"] is None


def test_evaluate_refuses_triangles_of_two_nodes(tmp_path, capsys):
    path = str(tmp_path / "pair.npz")
    drawn("E1", 2).save(path)
    assert run("evaluate", path, "path(n=2)", "--curvature") == 2
    assert capsys.readouterr().err == "riemap: a triangle needs three nodes, and the embedding has 2\n"
