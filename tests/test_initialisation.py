"""Initial points: which are proposed, and which of them a run starts from."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from scipy.spatial import ConvexHull
from training_helpers import H2, TREE, plan_of

from riemap import Graph, Space, Target, as_graph, embed, evaluate, generate
from riemap.losses import as_loss
from riemap.manifolds import MANIFOLDS, Grassmann, Manifold, Rotations
from riemap.training import DivergedError, Plan, Trainer, TrainingState, fit, preset_plan
from riemap.training.epoch import EpochRunner
from riemap.training.initialisation import _directions, initial_points, scaling_coordinates
from riemap.training.starts import Starts
from riemap.training.trainer import never
from riemap.types import Array

pytestmark = pytest.mark.usefixtures("one_thread")
EXAMPLES = [cls(*sizes) for cls in MANIFOLDS for sizes in cls.examples]


def test_a_cycle_fits_the_sphere() -> None:
    """As a great circle: distances are those of the graph, but for 2e-5."""
    cycle = generate("cycle(n=12)")
    scores = evaluate(embed(cycle, "S2", epochs=300).embedding, cycle).as_json()["scores"]
    assert scores["ad"] < 1e-3


@pytest.mark.parametrize(("nodes", "space"), [(80, "S1"), (200, "S2")])
def test_a_cycle_goes_round(nodes: int, space: str) -> None:
    """From a ball it would come out as a line to and fro, with an AD above 0.2."""
    cycle = generate(f"cycle(n={nodes})")
    found = embed(cycle, space, loss="ad", epochs=300).embedding
    assert evaluate(found, cycle).values["ad"] < 0.01


@pytest.mark.parametrize("space", ["SO3", "Gr(1,4)"])
def test_a_cycle_goes_round_where_it_cannot_shrink(space: str) -> None:
    """From random starts it has an AD of 0.073 with most seeds."""
    cycle = generate("cycle(n=60)")
    assert evaluate(embed(cycle, space, epochs=400).embedding, cycle).values["ad"] < 0.01


def test_a_circle_in_lines_is_that_in_rotations() -> None:
    """Distances in SO3 are those in its twin Gr(1,4), times the square root of eight."""
    angle = np.linspace(0.0, 2.0 * np.pi, 50, endpoint=False)
    layout = np.pad(np.stack([np.cos(angle), np.sin(angle)], axis=1), ((0, 0), (0, 2)))
    distances = []
    for m, y in ((Rotations(3), layout[:, :3]), (Grassmann(1, 4), layout)):
        points = m.around(np.random.default_rng(0), y)
        distances.append(np.sqrt(m.sqdist(points[:1], points)))
    np.testing.assert_allclose(distances[0], np.sqrt(8.0) * distances[1], atol=1e-7)
    np.testing.assert_allclose(distances[1], np.minimum(angle, 2.0 * np.pi - angle) / 2.0, atol=1e-7)


@pytest.mark.parametrize("space", ["S2", "Gr(2,4)"])
def test_a_sphere_is_wrapped_round(space: str) -> None:
    """A mesh of a sphere, in the sphere, and in that of complex lines; from a ball it has 0.18, 0.075."""
    z, turn = 1.0 - (2.0 * np.arange(200) + 1.0) / 200, np.pi * (1.0 + np.sqrt(5.0)) * np.arange(200)
    radius = np.sqrt(1.0 - z * z)
    sides = ConvexHull(np.stack([radius * np.cos(turn), radius * np.sin(turn), z], axis=1)).simplices
    mesh = Graph.from_edges(np.unique(np.sort(np.vstack([sides[:, [0, 1]], sides[:, 1:]])), axis=0).tolist())
    found = embed(mesh, space, loss="ad", epochs=400).embedding
    assert evaluate(found, mesh).values["ad"] < 0.065


def test_a_product_of_cycles_has_both() -> None:
    cycle = nx.cycle_graph(12)
    torus = as_graph(nx.cartesian_product(cycle, nx.cycle_graph(9)))
    found = embed(torus, "S1 x S1", loss="rsne(T=0.1)", epochs=400).embedding
    assert evaluate(found, torus).values["f1@1"] > 0.99


def test_only_a_plan_that_unfolds_tries_starts() -> None:
    """The paper's protocol starts in its ball, in any space."""
    sphere, graph = Space.parse("S2"), generate("cycle(n=20)")
    for preset, tries in (("default", True), ("steady", True), ("paper", False)):
        trainer = Trainer(graph, sphere, preset_plan(preset, as_loss("ad"), graph.n, 60))
        ball = sphere.random(np.random.default_rng(0), graph.n, trainer.plan.radius)
        assert np.array_equal(trainer.init(0).points[0], ball[0]) != tries


def test_a_plan_with_edges_tries_more_starts_for_a_shorter_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a Grassmannian many random starts end in a crumpled embedding; paper records had three trials."""
    graph, trials = generate("cycle(n=20)"), []
    attempt = EpochRunner.attempt

    def counted(self: EpochRunner, state: TrainingState, plan: Plan) -> TrainingState:
        trials.append((state.epoch, plan.epochs))
        return attempt(self, state, plan)

    monkeypatch.setattr(EpochRunner, "attempt", counted)
    for loss, space, starts, epochs in (
        ("ad", "Gr(1,3)", 3, 200),
        ("ad + 0.5*edges", "Gr(1,3)", 8, 120),
        ("ad + 0.5*edges", "H2 x S1", 2, 120),
        ("ad + 0.5*edges", "H2", 0, 0),
        ("ad", "H2 x S1", 0, 0),
    ):
        trials.clear()
        Trainer(graph, Space.parse(space), preset_plan("default", as_loss(loss), graph.n)).init(0)
        assert [trial for trial in trials if trial[0] == 0] == [(0, epochs)] * starts


def test_starts_are_not_tried_after_an_interrupt(tmp_path: Path) -> None:
    """Nor is a checkpoint written, since a resumed run must give the bytes of an uninterrupted one."""
    graph, calls = generate("cycle(n=20)"), []
    plan = preset_plan("default", as_loss("ad"), graph.n, 60)
    trainer = Trainer(graph, Space.parse("S2"), plan)

    def stopped() -> bool:
        calls.append(1)
        return len(calls) > 5

    trainer.init(0, interrupted=stopped)
    assert len(calls) == 5 + 3

    def interrupting(target: Array, sqdist: Array) -> tuple[float, Array]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(TREE, H2, plan_of(interrupting, 5), checkpoint=tmp_path / "kept.npz")
    assert not (tmp_path / "kept.npz").exists()


def test_a_start_that_diverges_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the trial of the best start diverges in its last epoch, the second best is taken."""
    graph, sphere = generate("cycle(n=20)"), Space.parse("S2")
    trainer = Trainer(graph, sphere, preset_plan("default", as_loss("ad"), graph.n, 60))
    starts = trainer.starts(Target.of(graph))
    trials = [starts.trial(state, never) for state in starts.proposed(0)]
    best, second = sorted(range(3), key=lambda number: trials[number][0])[:2]
    np.testing.assert_array_equal(trainer.init(0).points[0], trials[best][1].points[0])
    attempt, begun = EpochRunner.attempt, []

    def diverging(self: EpochRunner, state: TrainingState, plan: Plan) -> TrainingState:
        if state.epoch == 0:
            begun.append(state)
        if len(begun) == best + 1 and state.epoch == plan.epochs - 1:
            raise DivergedError
        return attempt(self, state, plan)

    monkeypatch.setattr(EpochRunner, "attempt", diverging)
    np.testing.assert_array_equal(trainer.init(0).points[0], trials[second][1].points[0])
    assert len(begun) == 3


@pytest.mark.parametrize("m", EXAMPLES, ids=str)
def test_a_layout_lies_around_the_origin(m: Manifold) -> None:
    """Its points are on the manifold, at the radius that was asked for, in the order of a path."""
    path = Target.of(generate("path(n=40)"))
    (x,) = next(initial_points(Space((m,)), path, np.random.default_rng(0), 0.05, layout=True))
    np.testing.assert_allclose(m.project(x), x, atol=1e-12)
    if m.geodesic:
        assert np.sqrt(m.sqdist(m.origin, x).mean()) == pytest.approx(0.05, rel=1e-6)
    from_end = m.sqdist(x[:1], x)
    assert from_end[5] < from_end[15] < from_end[25] < from_end[39]


def test_coordinates_are_shared_among_factors() -> None:
    """In a Euclidean product they are those of classical scaling, at the root mean square of the radius."""
    grid = Target.of(generate("grid(n=5,d=2)"))
    parts = next(initial_points(Space.parse("E1 x E2"), grid, np.random.default_rng(0), 0.5, layout=True))
    y = scaling_coordinates(grid, 3, np.random.default_rng(0))
    found = np.concatenate(parts, axis=1)
    np.testing.assert_allclose(found * np.sqrt((y * y).sum() / (found * found).sum()), y)
    assert (found * found).sum(axis=1).mean() == pytest.approx(2 * 0.5**2)


@pytest.mark.parametrize("m", EXAMPLES, ids=str)
def test_directions_are_sorted_by_their_ricci_curvature(m: Manifold) -> None:
    """They are orthonormal, and the Ricci curvature is the sum of those of planes with the other ones."""
    values, found = zip(*_directions(m), strict=True)
    assert list(values) == sorted(values)
    for i, u in enumerate(found):
        np.testing.assert_allclose([m.inner(m.origin, u, v) for v in found], np.eye(m.dim)[i], atol=1e-9)
        others = [v for k, v in enumerate(found) if k != i]
        assert sum(float(m.sectional(m.origin, u, v)) for v in others) == pytest.approx(values[i], abs=1e-5)


def test_the_first_coordinate_goes_where_curvature_is_most_negative() -> None:
    """Into the hyperbolic factor, wherever it stands; and not into the flat direction of SPD2."""
    path = Target.of(generate("path(n=30)"))
    for spelled in ("E1 x H2", "H2 x E1"):
        space = Space.parse(spelled)
        points = next(initial_points(space, path, np.random.default_rng(0), 0.5, layout=True))
        spans = {str(m): m.sqdist(m.origin, x).mean() for m, x in zip(space.factors, points, strict=True)}
        assert spans["H2"] > 20 * spans["E1"]
    spd = next(initial_points(Space.parse("SPD2"), path, np.random.default_rng(0), 0.5, layout=True))[0]
    assert np.abs(np.log(np.linalg.det(spd))).max() < 0.5 * np.abs(np.log(spd[:, 0, 0])).max()


def test_a_circle_closes_in_a_product_with_an_open_factor() -> None:
    """From a layout around the origin it would come out as a line to and fro, with an AD of 0.10."""
    cycle = generate("cycle(n=40)")
    for space in ("E1 x S1", "H2 x S1"):
        found = embed(cycle, space, epochs=400).embedding
        assert evaluate(found, cycle).values["ad"] < 0.01


def test_coordinates_are_dealt_in_several_ways_in_a_compact_product() -> None:
    """A torus has four that vary alike, and only some pairs of them go round it; others fold it."""
    torus = generate("torus(n=8,m=8)")
    target, rng = Target.of(torus), np.random.default_rng(0)
    first, *others = initial_points(Space.parse("S1 x S1"), target, rng, 0.5, 3, layout=True)
    assert len(others) == 4
    assert np.ptp(first[0][:, 0]) < 1.0, "around the origin"
    assert all(np.ptp(x) > 1.9 for points in others for x in points), "all the way round"
    assert len({points[0].tobytes() for points in others}) == 4
    again = list(initial_points(Space.parse("S1 x S1"), target, np.random.default_rng(0), 0.1, 3))
    assert not any(np.array_equal(points[0], other[0]) for points in others[1:] for other in again)


def test_a_product_with_an_open_factor_starts_from_what_was_tried() -> None:
    """And not from what the short run has left."""
    graph, space = generate("cycle(n=20)"), Space.parse("E1 x S1")
    trainer = Trainer(graph, space, preset_plan("default", as_loss("both"), graph.n, 60))
    tried = list(initial_points(space, trainer.target, np.random.default_rng(3), 0.5, layout=True))
    assert len(tried) == 2
    found = trainer.init(3)
    assert any(np.array_equal(found.points[1], points[1]) for points in tried)
    assert found.log_scales.tolist() == [0.0, 0.0]


def test_a_trial_decides_against_the_first_start_only_if_it_is_clearly_worse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a space with an open factor."""
    graph, space = generate("cycle(n=20)"), Space.parse("E1 x S1")
    trainer = Trainer(graph, space, preset_plan("default", as_loss("both"), graph.n, 60))
    for found, taken in (((1.0, 0.9), 0), ((1.0, 0.7), 1), ((np.inf, 0.7), 1), ((0.9, 1.0), 0)):
        losses, states = list(found), []

        def trial(_: Starts, state: TrainingState, __: object) -> tuple[float, TrainingState]:
            states.append(state)  # noqa: B023
            return losses[len(states) - 1], state  # noqa: B023

        monkeypatch.setattr(Starts, "trial", trial)
        assert trainer.init(0).points is states[taken].points


@pytest.mark.parametrize(
    ("space", "n", "laid_out"),
    [("H2", 200, True), ("H2", 201, False), ("S2", 201, True), ("H2 x S1", 201, True)],
)
def test_which_graphs_start_from_a_layout(space: str, n: int, laid_out: bool) -> None:
    """Small ones, and in spaces with a compact factor all whose plan says so."""
    graph = generate(f"path(n={n})")
    trainer = Trainer(graph, Space.parse(space), preset_plan("default", as_loss("both"), n, 8))
    first = next(trainer.starts(Target.of(graph)).proposed(0))
    d = np.sqrt(trainer.space.pairs(first.points).sqdist)
    assert (d[0, 1] < 0.2 * d[0, n - 1]) == laid_out


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_layout_of_few_nodes_is_finite(n: int) -> None:
    few = Target(np.ones((n, n)) - np.eye(n))
    for points in initial_points(Space.parse("H2 x S1"), few, np.random.default_rng(0), 0.5, layout=True):
        assert all(x.shape[0] == n and np.isfinite(x).all() for x in points)


def test_seeds_end_alike() -> None:
    """From random points, the average distortion is 16 % larger with one of these seeds than with another."""
    graph = generate("random-tree(n=100)")
    found = [evaluate(embed(graph, "H2 x E1", seed=seed).embedding, graph).values["ad"] for seed in range(3)]
    assert max(found) < 1.03 * min(found)
    assert len(set(found)) == 3


def test_coordinates_are_those_of_points_in_a_plane() -> None:
    """There are more nodes than landmarks; distances are those of the points, but for the noise."""
    points = np.random.default_rng(3).uniform(size=(700, 2))
    matrix = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=-1))
    found = scaling_coordinates(Target(matrix), 3, np.random.default_rng(0))
    again = np.sqrt(((found[:, None] - found[None]) ** 2).sum(axis=-1)) * matrix.max()
    assert np.abs(again - matrix).max() < 0.15
    assert np.abs(again - matrix).mean() < 0.01
    assert np.abs(found[:, 2]).max() < 0.05
