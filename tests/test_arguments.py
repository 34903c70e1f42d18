"""Arguments that a user can get wrong are refused with a sentence, before anything deep inside fails."""

import json
from collections.abc import Callable

import numpy as np
import pytest
from graph_helpers import placed
from subjects import every_manifold, start, unit

from riemap import (
    Dissimilarities,
    Embedding,
    InputError,
    Space,
    Target,
    curvature,
    embed,
    evaluate,
    generate,
    metrics,
    shortest_paths,
)
from riemap.distances import diameter, hop_counts, rows_from
from riemap.losses import Schedule, Sum, as_loss
from riemap.manifolds import Grassmann, Manifold, Sphere
from riemap.means import frechet_mean
from riemap.optim import RSGD, RAdam
from riemap.random_graphs import sample
from riemap.training import Plan, Stage, default_plan, fit, paper_plan, preset_plan

pytestmark = pytest.mark.usefixtures("one_thread")

TREE = generate("tree(r=2,h=3)")
HOPS = shortest_paths(TREE)
H2 = Space.parse("H2")
E = placed("H2", TREE)
X = E.points[0]
STRESS = as_loss("stress")
PLAN = default_plan(STRESS, TREE.n, 4)

NO_NUMBERS = [None, True, "3", [3], np.zeros(2), 10**400]
NO_WHOLE_NUMBERS = [*NO_NUMBERS, 1.5, float("nan"), -1]
NO_ARRAYS = ["x", {}, object(), [[1], [1, 2]], np.array(["a"]), np.array([1j]), np.zeros((3, 2))]
NO_OBJECTS = [None, 3, "x\n", [1, 2], {}, np.zeros((15, 15))]

NUMBERS: dict[str, tuple[Callable[[object], object], list[object]]] = {
    "epochs of embed": (lambda b: embed(TREE, "H2", epochs=b), NO_WHOLE_NUMBERS[1:]),
    "seed of embed": (lambda b: embed(TREE, "H2", epochs=2, seed=b), [None, True, "3", 1.5, -1, [3]]),
    "seed of fit": (lambda b: fit(TREE, H2, PLAN, seed=b), [None, True, "3", 1.5, -1]),
    "every of fit": (lambda b: fit(TREE, H2, PLAN, every=b), [*NO_WHOLE_NUMBERS, 0]),
    "epochs of a stage": (lambda b: Stage(STRESS, b), [*NO_WHOLE_NUMBERS, 0]),
    "batch of a stage": (lambda b: Stage(STRESS, 4, batch=b), NO_WHOLE_NUMBERS[1:]),
    "rate of a stage": (lambda b: Stage(STRESS, 4, b), [*NO_NUMBERS, 0.0, float("inf")]),
    "scale_lr of a plan": (lambda b: Plan(PLAN.stages, RAdam(), b), [*NO_NUMBERS, float("inf")]),
    "nodes of a plan": (lambda b: default_plan(STRESS, b), [*NO_WHOLE_NUMBERS, 0]),
    "epochs of the paper": (lambda b: paper_plan(STRESS, 9, b), NO_WHOLE_NUMBERS[1:]),
    "lr of an optimizer": (RAdam, [*NO_NUMBERS, float("nan"), float("inf"), 0]),
    "clip of an optimizer": (lambda b: RSGD(clip=b), [*NO_NUMBERS, float("nan")]),
    "momentum": (lambda b: RSGD(momentum=b), [*NO_NUMBERS, 1.0]),
    "temperature": (lambda b: Schedule(b, 1.0), [*NO_NUMBERS, float("nan"), -(10**400)]),
    "factor of a loss": (lambda b: Sum(((b, STRESS),)), NO_NUMBERS),
    "sources": (lambda b: evaluate(E, TREE, sources=b), NO_WHOLE_NUMBERS[1:]),
    "seed of evaluate": (lambda b: evaluate(E, TREE, sources=2, seed=b), [None, True, 1.5, -1]),
    "k": (lambda b: E.nearest(0, b), [*NO_WHOLE_NUMBERS, 0]),
    "size of a sphere": (Sphere, NO_WHOLE_NUMBERS),
    "size of a Grassmannian": (lambda b: Grassmann(b, 3), NO_WHOLE_NUMBERS),
    "points to sample": (lambda b: sample("S2", b), NO_WHOLE_NUMBERS),
    "radius of a ball": (lambda b: sample("H2", 5, b), [*NO_NUMBERS[1:], float("nan")]),
    "points to draw": (lambda b: H2.random(np.random.default_rng(0), b), NO_WHOLE_NUMBERS),
    "quadruples": (lambda b: curvature.delta_sampled(TREE, samples=b), [*NO_WHOLE_NUMBERS, 0]),
    "pairs of neighbours": (lambda b: curvature.sectional(TREE, pairs=b), [*NO_WHOLE_NUMBERS, 0]),
    "triples": (lambda b: curvature.angle_sums(E, b), [*NO_WHOLE_NUMBERS, 0]),
}

ARRAYS: dict[str, Callable[[object], object]] = {
    "Target": Target,
    "distances of fit": lambda b: fit(TREE, H2, PLAN, distances=b),
    "distances of evaluate": lambda b: evaluate(E, TREE, distances=b),
    "distances of δ": lambda b: curvature.delta_sampled(TREE, distances=b),
    "distances of an exact δ": lambda b: curvature.delta_exact(TREE, distances=b),
    "distances of Ricci": lambda b: curvature.ollivier_ricci(TREE, distances=b),
    "distances of sectional": lambda b: curvature.sectional(TREE, distances=b),
    "Dissimilarities": lambda b: Dissimilarities(b, (0, 1, 2), "three"),
    "points of an embedding": lambda b: Embedding(H2, (b,), np.zeros(1), TREE.labels),
    "log-scales": lambda b: Embedding(H2, E.points, b, TREE.labels),
    "log-scales of a block": lambda b: H2.pairs(E.points, b),
    "Space.sqdist": lambda b: H2.sqdist((b,), E.points),
    "Space.pairwise": lambda b: H2.pairwise((b,), E.points),
    "mean": lambda b: frechet_mean(H2.factors[0], b),
    "a loss": lambda b: STRESS(b, HOPS),
    "a loss of": lambda b: STRESS(HOPS, b),
    "score": lambda b: metrics.score(b, HOPS),
    "score of": lambda b: metrics.score(HOPS, b),
}

OBJECTS: dict[str, Callable[[object], object]] = {
    "space of embed": lambda b: embed(TREE, b, epochs=2),
    "preset": lambda b: preset_plan(b, STRESS, 9),
    "callbacks": lambda b: embed(TREE, "H2", epochs=2, callbacks=b),
    "graph of fit": lambda b: fit(b, H2, PLAN),
    "space of fit": lambda b: fit(TREE, b, PLAN),
    "plan of fit": lambda b: fit(TREE, H2, b),
    "loss of a stage": lambda b: Stage(b, 4),
    "stages of a plan": lambda b: Plan(b, RAdam(), 0.1),
    "optimizer of a plan": lambda b: Plan(PLAN.stages, b, 0.1),
    "betas": lambda b: RAdam(betas=b),
    "terms of a sum": Sum,
    "space of an embedding": lambda b: Embedding(b, E.points, np.zeros(1), TREE.labels),
    "points of an embedding": lambda b: Embedding(H2, b, np.zeros(1), TREE.labels),
    "labels": lambda b: Embedding(H2, E.points, np.zeros(1), b),
    "aligned_to": E.aligned_to,
    "Space": Space,
    "points of a space": lambda b: H2.pairwise(b, E.points),
    "rows_from": lambda b: rows_from(b, np.arange(2)),
    "hop_counts": hop_counts,
    "diameter": diameter,
    "Target.of": Target.of,
    "Target.rows": Target(HOPS).rows,
    "comparison": metrics.score_comparison,
    "pairs": metrics.pair_report,
    "graph of evaluate": lambda b: evaluate(E, b),
    "embedding of angles": curvature.angle_sums,
    "manifold of a mean": lambda b: frechet_mean(b, X),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_what_is_not_the_number_asked_for_is_refused(name: str) -> None:
    call, wrong = NUMBERS[name]
    for value in wrong:
        with pytest.raises(InputError, match=r"e\.g\.|is not"):
            call(value)


@pytest.mark.parametrize("name", ARRAYS)
def test_what_is_not_an_array_of_numbers_is_refused(name: str) -> None:
    for value in NO_ARRAYS:
        with pytest.raises(InputError, match=r"shape|numbers|float64|one log-scale"):
            ARRAYS[name](value)


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_of_other_types_are_refused(name: str) -> None:
    for value in NO_OBJECTS:
        with pytest.raises((TypeError, InputError)) as caught:
            OBJECTS[name](value)
        raised = caught.traceback[-1].statement.lines
        assert any(line.lstrip().startswith("raise") for line in raised), (value, str(caught.value))


@pytest.mark.parametrize("entry", [-1.0, -(10.0**6), float("nan"), float("inf"), 0.0])
@pytest.mark.parametrize("dtype", [np.float64, np.int64, ">f8"])
def test_what_is_not_a_distance_is_refused(entry: float, dtype: str) -> None:
    """A compiled loop would take a negative hop count for an address."""
    if dtype is np.int64 and not np.isfinite(entry):
        return
    matrix = HOPS.astype(dtype)
    matrix[3, 5] = entry
    for use in (Target, lambda d: fit(TREE, H2, PLAN, distances=d), lambda d: evaluate(E, TREE, distances=d)):
        with pytest.raises(InputError, match="zero on the diagonal and positive elsewhere"):
            use(matrix)
    on_diagonal = HOPS.astype(np.int64)
    on_diagonal[2, 2], on_diagonal[2, 3] = 1, 0
    with pytest.raises(InputError, match="zero on the diagonal"):
        Target(on_diagonal)


@pytest.mark.parametrize("form", [np.int64, np.float32, ">u2", ">f8", np.asfortranarray, "list", "read-only"])
def test_all_forms_of_the_same_distances_give_the_same_target(form: object) -> None:
    expected = Target(HOPS)
    given = HOPS.tolist() if form == "list" else HOPS.copy() if form == "read-only" else None
    if given is None:
        given = form(HOPS) if callable(form) and not isinstance(form, type) else HOPS.astype(form)
    if form == "read-only":
        given.flags.writeable = False
    found = Target(given)
    assert found.least == pytest.approx(expected.least)
    np.testing.assert_array_equal(found.block(np.arange(TREE.n)), expected.block(np.arange(TREE.n)))
    np.testing.assert_array_equal(found.rows(slice(2, 5)), expected.rows(slice(2, 5)))
    assert evaluate(E, TREE, distances=given)["ad"] == pytest.approx(evaluate(E, TREE)["ad"])


def test_large_whole_numbers_need_no_table() -> None:
    """They are lengths and not hop counts: a table of 10¹² squares would not fit into memory."""
    target = Target([[0, 10**12], [10**12, 0]])
    assert target.block(np.arange(2)).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert Target([[0, 2, 2], [2, 0, 2], [2, 2, 0]]).least == 1.0


def test_numpy_integers_are_numbers_everywhere(tmp_path) -> None:
    """Also in the folder of a run, whose JSON does not know them."""
    kind = np.int64
    found = embed(TREE, "H2", epochs=kind(4), seed=kind(3), out=tmp_path / "run")
    assert json.loads((tmp_path / "run" / "config.json").read_text())
    expected = embed(TREE, "H2", epochs=4, seed=3)
    np.testing.assert_array_equal(found.embedding.points[0], expected.embedding.points[0])
    fit(TREE, H2, PLAN, seed=kind(3), every=kind(2), checkpoint=tmp_path / "state.npz")
    assert type(Sphere(kind(2)).n) is int
    assert str(Sphere(kind(2))) == "S2"
    assert Stage(STRESS, kind(3), batch=kind(4)) == Stage(STRESS, 3, batch=4)
    assert evaluate(E, TREE, sources=kind(3), seed=kind(1)) == evaluate(E, TREE, sources=3, seed=1)


def test_dissimilarities_do_not_change_with_the_array_they_were_made_of() -> None:
    matrix = np.array([[0.0, 1.0], [1.0, 0.0]])
    for given in (matrix, matrix[:], matrix.view()):
        points = Dissimilarities(given, ("a", "b"), "pair")
        key = points.key
        matrix[0, 1] = -5.0
        assert points.matrix[0, 1] == 1.0
        assert Dissimilarities(points.matrix, ("a", "b"), "pair").key == key
        assert not points.matrix.flags.writeable
        matrix[0, 1] = 1.0
    assert Dissimilarities([[0, 1], [1, 0]], ["a", "b"], "pair").key == key


def test_lists_are_points() -> None:
    line = Embedding(Space.parse("E1"), ([[0], [3]],), [0], ["a", "b"])
    assert line.distances(["a"], ["b"]).tolist() == [[3.0]]
    assert line.labels == ("a", "b")
    assert Space.parse("E2").pairwise(([[0, 0]],), ([[3, 4]],)).tolist() == [[25.0]]


@every_manifold
def test_methods_of_manifolds_take_lists_and_refuse_other_shapes(m: Manifold) -> None:
    rng, x = start(m, 2, n=3)
    u, y = unit(m, rng, x), x[::-1].copy()
    two, three = (
        {"to_tangent": u, "exp": u, "retract": u, "log": y, "sqdist": y, "sqdist_grad": y},
        {
            "inner": (u, u),
            "sectional": (u, u),
            "transport": (y, u),
            "move": (u, u),
        },
    )
    for name, arrays in {"project": (), **{k: (v,) for k, v in two.items()}, **three}.items():
        method = getattr(m, name)
        expected = method(x, *arrays)
        np.testing.assert_array_equal(method(x.tolist(), *(a.tolist() for a in arrays)), expected)
        np.testing.assert_array_equal(method(x.astype(">f8"), *arrays), expected)
        for wrong in (x[..., :-1], x.tolist()[0][:-1] if len(m.shape) == 1 else 3.0, "x", None):
            with pytest.raises(InputError, match=f"points and tangents of {str(m)[:2]}"):
                method(wrong, *arrays)


def test_a_function_that_is_no_loss_is_refused() -> None:
    with pytest.raises(InputError, match="returned None; expected a number and weights of shape"):
        embed(TREE, "H2", loss=lambda target, sqdist: None, epochs=2)
