"""Choosing a space: candidates, held-out pairs, the statistics of paired trials, and the search."""

import json
import math
import multiprocessing
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from choosing_helpers import shorten_plans

import riemap
from riemap import InputError, Space
from riemap.choosing import candidate_spaces, choose, duplicates
from riemap.choosing.candidates import geometry, manifolds_of_dimension, named_spaces, stored_numbers
from riemap.choosing.choice import standings
from riemap.choosing.choose_space import answer
from riemap.choosing.comparisons import Board, Difference
from riemap.choosing.evidence import ball_growth, gains, graph_facts
from riemap.choosing.folder import ChoiceFolder
from riemap.choosing.question import asked
from riemap.choosing.reasons import reasons
from riemap.choosing.search import Search, SearchEnd
from riemap.choosing.splits import KNOWN_NODES, Problem, check_size, induced, split_nodes
from riemap.choosing.trial_record import OutOfTime, TrialRecord
from riemap.choosing.trials import run_trial
from riemap.manifolds import MANIFOLDS
from riemap.metrics import METRICS
from riemap.specs import duration
from riemap.threads import limited
from riemap.training import DivergedError, Trainer

(AD,) = (m for m in METRICS if m.name == "ad")
(AUC,) = (m for m in METRICS if m.name == "auc")


@pytest.fixture(autouse=True)
def _short_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten_plans(monkeypatch)


# --- candidates -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 6])
def test_every_listed_manifold_is_a_candidate_or_the_duplicate_of_one(dim: int) -> None:
    names = [str(space) for space in candidate_spaces(dim)]
    assert names[0] == f"E{dim}"
    assert all(space.dim == dim for space in candidate_spaces(dim))
    for m in manifolds_of_dimension(dim):
        assert str(m) in names or duplicates(dim)[str(m)] in names
    assert not set(duplicates(dim)) & set(names)


def test_a_new_manifold_is_a_candidate_by_being_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    from riemap.choosing import candidates

    assert "H3" in [str(space) for space in candidate_spaces(3)]
    rest = tuple(kind for kind in MANIFOLDS if kind.symbol != "H")
    monkeypatch.setattr(candidates, "MANIFOLDS", rest)
    monkeypatch.setattr(candidates, "MODELS", ())
    assert "H3" not in [str(space) for space in candidate_spaces(3)]


def test_isometric_spaces_are_compared_once() -> None:
    assert duplicates(3)["LogSPD2"] == "E3"
    assert duplicates(3)["SO3"] == "Gr(1,4)"
    assert duplicates(1) == dict.fromkeys(("H1", "SPD1", "LogSPD1", "BW1"), "E1") | {
        "Gr(1,2)": "S1",
        "SO2": "S1",
    }
    assert geometry(Space.parse("E1 x S2 x E2")) == geometry(Space.parse("S2 x E3"))
    assert geometry(Space.parse("S3")) != geometry(Space.parse("Gr(1,4)"))
    found = [geometry(space) for space in candidate_spaces(6)]
    assert len(set(found)) == len(found)
    assert "H3 x S3" in [str(space) for space in candidate_spaces(6)]


def test_named_spaces_are_read_and_compared_with_one_dimension() -> None:
    assert [str(s) for s in named_spaces(["E3", "Gr(1,4), H3", Space.parse("E3")], None)] == [
        "E3",
        "Gr(1,4)",
        "H3",
    ]
    with pytest.raises(InputError, match="S2 has 2 dimensions, and spaces of 3 are compared"):
        named_spaces("E3,S2", None)
    with pytest.raises(InputError, match="1 space cannot be compared"):
        named_spaces(["E3"], 3)
    with pytest.raises(InputError, match="no manifold is called 'Q'"):
        named_spaces("E3,Q3", 3)
    assert stored_numbers(Space.parse("SPD2 x H2")) == 7


# --- what is held out --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [12, 34, 200])
def test_parts_of_the_nodes_do_not_overlap(n: int) -> None:
    split = split_nodes(n, seed=3)
    assert sorted([*split.held_out, *split.anchors, *split.scored]) == list(range(n))
    assert sorted([*split.held_out, *split.known]) == list(range(n))
    assert not np.array_equal(split.held_out, split_nodes(n, seed=4).held_out)
    assert np.array_equal(split.held_out, split_nodes(n, seed=3).held_out)


def test_trials_embed_few_nodes_and_each_seed_draws_its_own() -> None:
    problem = Problem(riemap.generate("cycle(n=400)"))
    a, b = problem.split(0), problem.split(1)
    assert [len(part) for part in a] == [KNOWN_NODES, 40, KNOWN_NODES // 2, KNOWN_NODES // 2]
    assert not {*a.known} & {*a.held_out}
    assert not np.array_equal(a.known, b.known)
    by_edges = Problem(problem.graph, metric="f1@1").split(0)  # few nodes have few edges
    assert len(by_edges.nodes) == 400
    assert [len(Problem(riemap.generate(f"path(n={n})")).split(0).known) for n in (1000, 5000)] == [200, 400]


def test_scored_pairs_are_seen_neither_by_training_nor_by_placement() -> None:
    """Other distances of scored pairs change the score, and not the embedding."""
    graph = riemap.load_dataset("karate")
    problem, other = Problem(graph), Problem(graph)
    split = split_nodes(graph.n, 0)
    changed = problem.distances.copy()
    for columns in (split.scored, split.held_out):
        pairs = np.ix_(split.held_out, columns)
        changed[pairs] = np.where(changed[pairs] > 0, 1 + changed[pairs] % 3, 0)
        changed[np.ix_(columns, split.held_out)] = changed[pairs].T
    other.__dict__["distances"] = changed
    a, b = (run_trial(p, Space.parse("H2"), 0, 20, lambda: False) for p in (problem, other))
    assert a.embedding is not None
    assert b.embedding is not None
    assert np.array_equal(a.embedding.points[0], b.embedding.points[0])
    assert a.record["scores"]["ad"] != b.record["scores"]["ad"]


@pytest.mark.parametrize("known", [26, 14])
def test_scores_are_those_of_held_out_pairs(monkeypatch: pytest.MonkeyPatch, known: int) -> None:
    from riemap.choosing import splits

    monkeypatch.setattr(splits, "KNOWN_NODES", known)
    problem = Problem(riemap.load_dataset("karate"))
    split = problem.split(1)
    trial = run_trial(problem, Space.parse("E2"), 1, 40, lambda: False)
    assert trial.embedding is not None
    assert trial.embedding.labels == tuple(problem.labels[i] for i in split.nodes)
    x = dict(zip(split.nodes.tolist(), trial.embedding.points[0], strict=True))
    scale = math.exp(trial.embedding.log_scales[0] / 2.0)
    maximum = problem.distances[np.ix_(split.known, split.known)].max()
    errors = [
        abs(scale * np.linalg.norm(x[i] - x[j]) * maximum / problem.distances[i, j] - 1.0)
        for i in split.held_out
        for j in [*split.held_out, *split.scored]
        if i != j
    ]
    assert trial.record["scores"]["ad"] == pytest.approx(np.mean(errors), rel=1e-12)
    assert np.dot(
        trial.record["distortion"], [len(part) for part in np.array_split(errors, 3)]
    ) == pytest.approx(np.sum(errors), rel=1e-12)
    assert set(trial.record["scores"]) == {m.name for m in METRICS}
    json.dumps(trial.record, allow_nan=False)


def test_induced_graphs_keep_edges_and_lengths() -> None:
    graph = riemap.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)], weights=[1.0, 2.0, 3.0, 4.0])
    part = induced(graph, np.array([3, 1, 2]))
    assert part.labels == (3, 1, 2)
    assert part.edges().tolist() == [[0, 2], [1, 2]]
    assert part.weights is not None
    assert sorted(part.weights.tolist()) == [2.0, 2.0, 3.0, 3.0]


def test_large_graphs_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    from riemap.choosing import splits

    monkeypatch.setattr(splits, "ALL_PAIRS_NODES", 50)
    monkeypatch.setattr(splits, "SAMPLED_NODES", 30)
    monkeypatch.setattr(splits, "SAMPLE_BLOCK_PAIRS", 600)
    graph = riemap.generate("cycle(n=60)")
    problem = Problem(graph)
    assert (problem.sampled, problem.n, len(problem.labels)) == (True, 30, 30)
    whole = riemap.shortest_paths(graph)
    assert np.array_equal(problem.distances, whole[np.ix_(problem.nodes, problem.nodes)])
    assert not Problem(graph, metric="f1@1").sampled
    choice = choose(graph, spaces="E2,S2", seeds=3)
    assert choice.sampled
    assert choice.best == ("S2",)


def test_small_graphs_are_refused() -> None:
    check_size(Problem(riemap.generate("path(n=20)")), 2)
    with pytest.raises(
        InputError, match=r"has 7 nodes, and comparing spaces of 3 dimensions .* needs 13 or more"
    ):
        check_size(Problem(riemap.generate("path(n=7)")), 3)


# --- statistics --------------------------------------------------------------------------------------


def record(space: str, seed: int, score: float | None, epochs: int = 8, metric: str = "ad") -> TrialRecord:
    scores: dict[str, float | None] = {} if score is None else {metric: score}
    return TrialRecord(
        space=space,
        seed=seed,
        epochs=epochs,
        seconds=1.0,
        scores=scores,
        curve=[],
        distortion=[0.3, 0.2, 0.1],
    )


def board(rows: dict[str, list[float]], epochs: int = 8, full: int = 8) -> Board:
    return Board(AD, full, [record(s, k, v, epochs) for s, row in rows.items() for k, v in enumerate(row)])


def test_differences_are_paired() -> None:
    """Seeds that are hard for all spaces do not hide a small difference."""
    found = board({"E2": [0.1, 0.5, 0.9], "H2": [0.09, 0.49, 0.89], "S2": [0.11, 0.52, 0.91]})
    assert found.best() == "H2"
    assert found.is_worse("E2", "H2")
    assert found.is_worse("S2", "H2")
    assert not found.is_worse("H2", "H2")


def test_high_scores_are_best_where_they_are() -> None:
    records = [
        record(s, k, v + 0.001 * k, metric="auc") for s, v in (("E2", 0.8), ("H2", 0.9)) for k in range(3)
    ]
    found = Board(AUC, 8, records)
    assert found.best() == "H2"
    pair = found.difference("E2", "H2")
    assert pair is not None
    assert pair[0].mean == pytest.approx(0.1)


def test_quantiles_are_those_of_student() -> None:
    from scipy.stats import t

    quantile = t.ppf(0.975, 6.5)
    assert Difference(quantile + 1e-6, 1.0, 5, 6.5).is_clear()
    assert not Difference(quantile - 1e-6, 1.0, 5, 6.5).is_clear()
    assert not Difference(100.0, math.inf, 1, 0.0).is_clear()


@pytest.mark.parametrize("spaces", [2, 3, 8])
@pytest.mark.parametrize("seeds", [2, 5])
def test_equal_spaces_are_seldom_told_apart(spaces: int, seeds: int) -> None:
    """Calibration: one in twenty equal spaces, or fewer, is called worse than the one that came out best."""
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(1000):
        common = rng.standard_normal(seeds)
        rows = {f"E{i}": list(common + 0.3 * rng.standard_normal(seeds)) for i in range(spaces)}
        found = board(rows)
        best = found.best()
        assert best is not None
        wrong += sum(found.is_worse(s, best) for s in rows)
    assert wrong / (1000 * (spaces - 1)) < 0.065  # 5 %, with the error of a thousand draws


def test_short_trials_give_up_only_what_is_far_off() -> None:
    rows = {"E2": [0.30, 0.31], "H2": [0.20, 0.21], "S2": [0.50, 0.51]}
    assert board(rows).is_worse("E2", "H2")
    short = board(rows, epochs=1, full=8)
    assert not short.is_worse("E2", "H2")
    assert short.is_worse("S2", "H2")
    exact = {"E2": [0.026, 0.027], "H2": [0.008, 0.009], "S2": [0.05, 0.051]}
    assert board(exact).is_worse("E2", "H2")
    short = board(exact, epochs=1, full=8)
    assert not short.is_worse("E2", "H2"), "more epochs bring both close to zero"
    assert short.is_worse("S2", "H2")


def test_a_space_that_was_given_up_is_compared_with_the_seeds_it_has() -> None:
    found = board({"E2": [0.30, 0.31], "H2": [0.20, 0.21, 0.19, 0.2], "S2": [0.21, 0.22, 0.18, 0.21]})
    assert found.best() == "H2"
    pair = found.difference("E2", "H2")
    assert pair is not None
    assert pair[0].seeds == 2
    assert [
        s.space for s in standings(found, dict.fromkeys(("E2", "H2", "S2", "Gr(1,3)"), (2, 3)), set())
    ] == [
        "H2",
        "S2",
        "E2",
        "Gr(1,3)",
    ]


def test_a_space_in_which_training_diverges_is_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def diverge(self: Trainer, state: Any) -> Any:
        raise DivergedError("the loss became NaN")

    monkeypatch.setattr(Trainer, "step", diverge)
    problem = Problem(riemap.load_dataset("karate"))
    trial = run_trial(problem, Space.parse("E2"), 0, 10, lambda: False)
    assert (trial.embedding, trial.record["scores"]) == (None, {})
    found = Board(AD, 10, [trial.record, record("H2", 0, 0.2, 10)])
    assert found.best() == "H2"
    assert found.is_worse("E2", "H2")
    assert standings(found, {"E2": (2, 2)}, set())[0].note == "training diverged"


# --- the search --------------------------------------------------------------------------------------


def searching(
    monkeypatch: pytest.MonkeyPatch, level: dict[str, float], cost: float = 0.0, **more: Any
) -> Search:
    """A search whose trials take no training: their scores are levels with a little noise."""
    from riemap.choosing import executors, search
    from riemap.choosing.trial_record import Trial

    now = [0.0]
    monkeypatch.setattr(search.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(executors, "working_seconds", lambda: now[0])

    def trial(problem: Problem, space: Space, seed: int, epochs: int | None, stop: Any) -> Trial:
        length = 8 if epochs is None else epochs
        for _ in range(length):
            now[0] += cost
            if stop():
                raise OutOfTime
        found = record(str(space), seed, level[str(space)] + 0.001 * ((seed * 7) % 3), length)
        return Trial({**found, "seconds": cost * length}, None)

    monkeypatch.setattr(executors, "run_trial", trial)
    monkeypatch.setattr(search, "full_epochs", lambda problem: 8)
    options = {"seconds": 1000.0, "seeds": 5, **more}
    problem = Problem(riemap.load_dataset("karate"))
    return Search(problem, [Space.parse(s) for s in level], AD, options["seeds"], options["seconds"])


def test_all_spaces_are_tried_and_the_best_gets_the_whole_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    search = searching(monkeypatch, {"E2": 0.3, "H2": 0.2, "S2": 0.9})
    assert search.run() is SearchEnd.FINISHED
    assert search.board.best() == "H2"
    assert not search.board.values("S2", 8)  # far off in the short trials
    assert len(search.board.values("E2", 8)) == 2  # given up as soon as it is clearly worse


def test_a_space_that_only_short_trials_dismissed_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best space of the short trials may lose in the end; what it beat is compared with the winner."""
    from riemap.choosing import executors as module

    search = searching(monkeypatch, {"E2": 0.2, "H2": 0.3, "S2": 0.1})
    original = module.run_trial

    def trial(problem: Problem, space: Space, seed: int, epochs: int | None, stop: Any) -> Any:
        found = original(problem, space, seed, epochs, stop)
        if epochs is None:  # the best after short trials, S2, is the worst after long ones
            found.record["scores"]["ad"] = {"E2": 0.7, "H2": 0.2, "S2": 0.8}[str(space)] + 0.001 * seed
        return found

    monkeypatch.setattr(module, "run_trial", trial)
    assert search.run() is SearchEnd.FINISHED
    assert search.board.best() == "H2"


def test_a_finished_search_needs_no_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    level = {"E2": 0.3, "H2": 0.2, "S2": 0.25, "Gr(1,3)": 0.9}
    search = searching(monkeypatch, level, cost=1.0)
    records: list[TrialRecord] = []
    search.told = lambda trial: records.append(trial.record)
    assert search.run() is SearchEnd.FINISHED
    again = Search(search.problem, list(search.spaces.values()), AD, 5, -1.0, known=records)
    assert again.run() is SearchEnd.FINISHED
    assert again.board.best() == search.board.best() == "H2"


def test_euclidean_space_is_the_baseline_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    assert searching(monkeypatch, {"H2": 0.2, "E2": 0.3}).baseline == "E2"
    assert searching(monkeypatch, {"H2": 0.2, "S2": 0.3}).baseline == "H2"


def test_what_cannot_be_told_apart_gets_all_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    search = searching(monkeypatch, {"E2": 0.3, "H2": 0.3})
    assert search.run() is SearchEnd.FINISHED
    assert len(search.board.values("E2", 8)) == len(search.board.values("H2", 8)) == 5
    assert not search.undecided()


def test_the_budget_is_kept_and_what_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    level = {"E2": 0.30, "H2": 0.29, "S2": 0.31, "Gr(1,3)": 0.30, "S1^2": 0.3}
    search = searching(monkeypatch, level, cost=1.0, seconds=60.0)
    assert search.run() is SearchEnd.BUDGET
    from riemap.choosing import search as module

    assert module.time.monotonic() <= 61.0
    assert search.undecided()
    assert search.missing_seconds() > 60.0


def test_a_space_that_is_far_too_slow_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    search = searching(monkeypatch, {"E2": 0.3, "H2": 0.2}, cost=1.0, seconds=1000.0)
    from riemap.choosing import executors as module

    def slow_in_h2(problem: Problem, space: Space, seed: int, epochs: int | None, stop: Any) -> Any:
        if str(space) == "H2":
            base = module.time.monotonic()
            monkeypatch.setattr(module, "working_seconds", lambda: base + 600.0)
            assert stop()
            raise OutOfTime
        return original(problem, space, seed, epochs, stop)

    original = module.run_trial
    monkeypatch.setattr(module, "run_trial", slow_in_h2)
    search.run()
    assert search.slow == {"H2"}
    ranking = standings(search.board, {"E2": (2, 2), "H2": (2, 3)}, search.slow)
    assert ranking[1].note == "too slow for the budget"


# --- the answer --------------------------------------------------------------------------------------


def test_a_tree_is_hyperbolic_and_the_answer_says_why() -> None:
    tree = choose("tree(r=2,h=4)", 2, spaces="E2,H2", seeds=3)
    assert tree.best == ("H2",)
    assert tree.curvature_matters is True
    assert "H2 is best by average distortion" in tree.verdict
    assert "That is clear: the nearest, E2, is worse by" in tree.verdict
    assert tree.stop is SearchEnd.FINISHED
    facts = tree.as_json()
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert {"dim", "metric", "best", "ranking", "why"} <= facts.keys()
    assert {"space", "mean", "se", "runs", "seconds"} <= facts["ranking"][0].keys()
    assert facts["why"]["delta"]["mean"] == 0.0
    assert facts["why"]["embedding"]["angles"]["mean"] < 0.0
    assert set(facts["why"]["gain"]) == {"near", "middle", "far"}


def test_where_curvature_does_not_matter_the_answer_says_so() -> None:
    from riemap.choosing.choice import Choice

    rows = {"E2": [0.20, 0.22, 0.19], "H2": [0.21, 0.19, 0.19], "S2": [0.4, 0.42, 0.4]}
    ranking = standings(board(rows), dict.fromkeys(rows, (2, 3)), set())
    best = tuple(s.space for s in ranking if not s.told_apart)
    facts: dict[str, Any] = {"graph": "g", "dim": 2, "metric": AD, "best": best, "ranking": tuple(ranking)}
    facts |= {"seconds": 1.0, "budget": 60.0, "baseline": "E2", "flat": True, "nodes": 34, "sampled": False}
    facts["trial_nodes"] = 34
    found = Choice(**facts, stop=SearchEnd.FINISHED)
    assert found.best == ("H2", "E2")
    assert found.curvature_matters is False
    assert "E2 cannot be told apart from it: curvature does not matter here." in found.verdict
    noisy = {"E2": [0.3, 0.9, 0.2], "H2": [0.1, 0.1, 0.1]}
    open_question = tuple(standings(board(noisy), dict.fromkeys(noisy, (2, 3)), set()))
    many = Choice(**{**facts, "best": ("H2", "E2"), "ranking": open_question}, stop=SearchEnd.FINISHED)
    assert many.curvature_matters is None
    assert "does not matter" not in many.verdict
    assert "more seeds may tell" in many.verdict
    small = Choice(**facts, stop=SearchEnd.BUDGET, needed_minutes=12.0)
    assert small.curvature_matters is None
    assert "E2 cannot be told apart from it so far." in small.verdict
    assert (
        "The budget is too small to tell all spaces apart; at least 12 minutes are needed." in small.verdict
    )


def test_a_folder_is_continued_to_the_same_answer(tmp_path: Path) -> None:
    graph = riemap.generate("tree(r=2,h=4)")
    question = asked(graph, None, metric="ad", spaces="E2,H2", budget="5m", seeds=3)
    whole = answer(question, tmp_path / "whole")
    count = 0

    def interrupted() -> bool:
        return count >= 3

    def told(trial: Any, search: Any) -> None:
        nonlocal count
        count += 1
        so_far = ChoiceFolder(tmp_path / "cut").answer()
        assert so_far is not None
        assert so_far["complete"] is False

    part = answer(question, tmp_path / "cut", told, interrupted)
    assert part.stop is SearchEnd.INTERRUPTED
    assert "This is the answer so far" in part.verdict
    rest = answer(question, tmp_path / "cut")
    assert rest.best == whole.best
    trials = [ChoiceFolder(tmp_path / name).trials() for name in ("whole", "cut")]
    scores = [[(r["space"], r["seed"], r["epochs"], r["scores"]) for r in found] for found in trials]
    assert scores[0] == scores[1]
    again = answer(question, tmp_path / "cut")  # nothing is left to do
    assert again.ranking == rest.ranking
    assert again.why["embedding"] == rest.why["embedding"]  # read from the folder
    assert ChoiceFolder(tmp_path / "cut").embedding("H2") is not None


def test_the_folder_of_another_question_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="holds something else than a choice"):
        choose("karate", spaces="E2,H2", out=tmp_path)
    folder = ChoiceFolder(tmp_path / "choice")
    question = {"version": riemap.__version__, "graph": "g", "key": "k", "dim": 2, "metric": "ad"}
    question |= {"spaces": ["E2", "H2"], "plan": {}, "given": {}}
    with folder.begun(question):
        pass
    (folder.path / ".lock").touch()  # left behind by a process that was killed
    moved = {**question, "given": {"graph": "elsewhere"}}  # where the graph lies does not matter
    with (
        folder.begun(moved),
        pytest.raises(InputError, match="another process works in"),
        folder.begun(question),
    ):
        pass
    with (
        pytest.raises(InputError, match="holds another choice: its dim is 2, not 3"),
        folder.begun({**question, "dim": 3}),
    ):
        pass
    (folder.path / "trials.jsonl").write_text('{"space": "E2"}\n')
    with pytest.raises(InputError, match="line 1 is not the record of a trial"):
        folder.trials()


def test_a_short_budget_is_kept(tmp_path: Path) -> None:
    choose("karate", spaces="E2,H2", budget="1s", seeds=2)  # compiles
    began = time.process_time()
    found = choose("karate", 2, spaces="E2,H2", budget="0.2s", seeds=50)
    assert found.stop is SearchEnd.BUDGET
    assert found.needed_minutes is not None
    assert time.process_time() - began < 20.0


@pytest.mark.parametrize(
    ("given", "seconds"), [("90s", 90.0), ("10m", 600.0), ("1.5h", 5400.0), ("2", 120.0), (2, 120.0)]
)
def test_budgets_are_read(given: Any, seconds: float) -> None:
    assert duration("budget", given, "m") == seconds


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": "soon"}, "the budget is 'soon'; give a positive time"),
        ({"budget": "0s"}, "the budget is '0s'"),
        ({"budget": -1}, "the budget is -1"),
        ({"seeds": 1}, "seeds=1 is not a number of seeds from 2 up"),
        ({"metric": "acu"}, "no metric to choose by is called 'acu'; did you mean 'auc'"),
        ({"dim": 0}, "dim=0 is not a number of dimensions from 1 up"),
        ({"dim": 3, "spaces": "E2,H2"}, "E2 has 2 dimensions"),
        ({"dim": 40}, "karate has 34 nodes, and comparing spaces of 40 dimensions"),
    ],
)
def test_bad_questions_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        choose("karate", **options)


def test_dissimilarities_are_compared_too() -> None:
    line = np.arange(30.0)
    points = riemap.Dissimilarities(np.abs(line[:, None] - line) + 0.0, tuple(range(30)), "line")
    found = choose(points, spaces="E1,S1", seeds=3)
    assert "E1" in found.best  # and S1, in which a line fits into half of a circle
    assert "ricci" not in found.why
    with pytest.raises(InputError, match="map needs a graph"):
        choose(points, spaces="E1,S1", metric="map")


@pytest.mark.parametrize("metric", ["auc", "f1@1", "map"])
def test_every_metric_can_decide(metric: str) -> None:
    found = choose("karate", spaces="E2,H2", metric=metric, seeds=2, budget="2s")
    assert found.metric.name == metric
    json.dumps(found.as_json(), allow_nan=False)
    assert all(s.mean is None or 0.0 < s.mean <= 1.0 for s in found.ranking)


# --- facts -------------------------------------------------------------------------------------------


def test_balls_of_a_line_and_of_a_plane_grow_like_their_dimension() -> None:
    line = ball_growth(riemap.shortest_paths(riemap.generate("cycle(n=400)")))
    assert line["exponent"] == pytest.approx(1.0, abs=0.1)
    assert line["nodes"][0] == 3.0
    x = np.stack(np.meshgrid(np.arange(30), np.arange(30)), -1).reshape(-1, 2)
    torus = np.minimum(d := np.abs(x[:, None] - x), 30 - d).sum(axis=-1).astype(np.uint8)
    assert ball_growth(torus)["exponent"] == pytest.approx(1.75, abs=0.25)


def test_facts_are_left_out_when_the_time_is_over() -> None:
    problem = Problem(riemap.load_dataset("karate"))
    assert set(graph_facts(problem)) == {"diameter", "growth", "delta", "ricci", "sectional"}
    late = graph_facts(problem, lambda: False)
    assert set(late) == {"diameter", "growth"}
    assert len(reasons(late, None, "E2")) == 1


def test_gains_are_means_over_common_seeds() -> None:
    rows = {"E2": [0.3, 0.31], "H2": [0.2, 0.21]}
    records = [record(s, k, v) for s, row in rows.items() for k, v in enumerate(row)]
    found = gains(records, Board(AD, 8, records), "H2", "E2")
    assert found is not None
    assert found["near"] == {"H2": pytest.approx(0.3), "E2": pytest.approx(0.3)}
    assert gains(records, Board(AD, 8, records), "E2", "E2") is None


# --- predictions ------------------------------------------------------------------------------------

PARTS = ["left" if i < 15 else "right" for i in range(31)]
"""The two halves of a tree of 31 nodes are not what these labels say, which does not matter here."""


@pytest.mark.parametrize(("metric", "labels"), [("links", None), ("labels", PARTS)])
def test_spaces_compete_in_predictions(
    metric: str, labels: list[str] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scores are those of the tasks; baselines are not computed, and a choice can be continued."""
    from riemap.choosing import prediction
    from riemap.tasks import label_results, link_results

    monkeypatch.setattr(label_results, "label_baselines", None)
    monkeypatch.setattr(link_results, "link_baselines", None)
    given: Any = {"spaces": "E2,H2", "metric": metric, "seeds": 2, "labels": labels}
    choice = choose("grid(n=7,d=2)" if labels is None else "tree(r=2,h=4)", **given, out=tmp_path / "choice")
    assert choice.held_out == metric
    assert not choice.sampled
    assert f"of held-out {metric}" in choice.verdict
    folder = ChoiceFolder(tmp_path / "choice")
    whole = [r for r in folder.trials() if r["epochs"] == 50 and r["seed"] == 1]
    assert {r["space"] for r in whole} == {"E2", "H2"}
    assert all(0.0 <= r["scores"][metric] <= 1.0 for r in whole)
    graph = riemap.generate("grid(n=7,d=2)" if labels is None else "tree(r=2,h=4)")
    assert isinstance(graph, riemap.Graph)
    if labels is None:
        trial, _ = link_results.link_trial(graph, Space.parse("H2"), 1, baselines=False)
        expected = trial.scores["auc"]
    else:
        split = prediction.LABEL_SPLIT
        done, _ = label_results.label_trial(graph, labels, Space.parse("H2"), 1, split=split, baselines=False)
        expected = done.scores["accuracy"]
    (record,) = (r for r in whole if r["space"] == "H2")
    assert record["scores"][metric] == expected
    assert choose(graph, **given, out=tmp_path / "choice").best == choice.best
    other = {**given, "metric": "ad", "labels": None}
    with pytest.raises(InputError, match="holds another choice"):
        choose(graph, **other, out=tmp_path / "choice")


def test_a_prediction_out_of_time_has_no_score() -> None:
    from riemap.choosing.prediction import PredictionTask

    graph = riemap.load_dataset("karate")
    assert isinstance(graph, riemap.Graph)
    with pytest.raises(OutOfTime):
        PredictionTask("links", graph).trial(Space.parse("E2"), 0, 5, lambda: True)


def test_predictions_need_edges_and_labels() -> None:
    distances = riemap.Dissimilarities(np.ones((30, 30)) - np.eye(30), tuple(range(30)), "far")
    with pytest.raises(InputError, match="links needs a graph"):
        choose(distances, 2, metric="links")
    with pytest.raises(InputError, match="needs at least two"):
        choose("karate", 2, metric="labels", labels=["a"] * 34)


# --- where trials are done ---------------------------------------------------------------------------


def children_end() -> bool:
    """Whether all processes that this one started end within five seconds."""
    until = time.monotonic() + 5.0
    while multiprocessing.active_children() and time.monotonic() < until:
        time.sleep(0.01)
    return not multiprocessing.active_children()


def test_processes_give_what_this_process_gives(tmp_path: Path) -> None:
    """Scores and embeddings have the same bytes; the processes are gone afterwards."""
    question = asked(
        riemap.load_dataset("karate"), 2, metric="ad", spaces="E2,H2", budget="10m", seeds=2, source=None
    )
    found = []
    for count in (1, 2):
        with limited(count):
            answer(question, tmp_path / str(count))
        folder = ChoiceFolder(tmp_path / str(count))
        records = sorted(folder.trials(), key=lambda r: (r["epochs"], r["seed"], r["space"]))
        found.append([{**r, "seconds": 0.0} for r in records])
    assert found[0] == found[1]
    paths = [tmp_path / str(count) / "embeddings" / "H2.npz" for count in (1, 2)]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert children_end()


def test_trials_of_a_process_that_dies_are_done_by_us(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from riemap.choosing import executors

    ours, original = os.getpid(), executors.run_trial

    def dies_elsewhere(problem: Problem, space: Space, *rest: Any) -> Any:
        if os.getpid() != ours and str(space) == "H2":
            os._exit(1)
        return original(problem, space, *rest)

    monkeypatch.setattr(executors, "run_trial", dies_elsewhere)
    problem = Problem(riemap.load_dataset("karate"))
    jobs = [executors.TrialJob(space, 0, 5) for space in ("E2", "H2", "S2")]
    with limited(2), executors.executor(problem) as where:
        found = dict(where.trials(jobs, 60.0, lambda: 60.0))
        again = dict(where.trials(jobs, 60.0, lambda: 60.0))
    assert set(found) == set(again) == set(jobs)
    assert all(trial is not None for trial in found.values())
    assert "a process with trials died" in caplog.text


def test_processes_are_left_when_the_time_is_over() -> None:
    from riemap.choosing import executors

    problem = Problem(riemap.load_dataset("karate"))
    job = executors.TrialJob("H2", 0, 1_000_000)
    began = time.monotonic()
    with limited(2), executors.executor(problem) as where:
        assert list(where.trials([job], 0.5, lambda: began + 20.0 - time.monotonic())) == [(job, None)]
        assert list(where.trials([job], 60.0, lambda: began + 2.0 - time.monotonic())) == []
    assert time.monotonic() - began < 15.0
    assert children_end()
