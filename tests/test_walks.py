"""Embeddings made for prediction: ``--for links`` and ``--for labels``, the loss ``walks``, its target."""

import gc
import json
from pathlib import Path
from typing import Any

import naive
import networkx as nx
import numpy as np
import pytest
from helpers import run
from loss_helpers import least
from scipy import linalg, special

import riemap
from riemap.distances import shortest_paths, walks
from riemap.distances.walks import walk_target
from riemap.errors import InputError
from riemap.graphs import Dissimilarities, Graph
from riemap.grids.grid import grid
from riemap.losses import Sum, Walks, as_loss
from riemap.metrics import evaluate
from riemap.runs import RunSpec, samplers
from riemap.spaces import Space
from riemap.tasks import embed_for_prediction
from riemap.training import Trainer, default_plan, fit, landmark_plan
from riemap.training.plan import Plan
from riemap.types import Array

H2 = Space.parse("H2")
QUICK = 15
"""Number of epochs in these tests."""

pytestmark = pytest.mark.usefixtures("one_thread")


def ring() -> Graph:
    return riemap.generate("watts-strogatz(n=70,k=4,p=0.1)")


def karate() -> Graph:
    return riemap.load_dataset("karate")


def lengths(graph: Graph) -> Graph:
    """The graph with lengths of its edges."""
    drawn = np.random.default_rng(0).uniform(0.5, 2.0, graph.m)
    return Graph.from_edges(graph.edges(), drawn)


def pieces() -> Graph:
    """Two triangles, a path between other nodes, and a node without edges."""
    edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (6, 7)]
    return Graph.from_edges(edges, labels=range(9), components="keep")


GRAPHS = {"karate": karate(), "lengths": lengths(karate()), "pieces": pieces()}


def own_probabilities(graph: Graph) -> Array:
    """Solve for the personalised PageRank of all nodes, and apply the rule for pairs that no walk joins."""
    n = graph.n
    strengths = np.zeros((n, n))
    weights = np.ones(len(graph.indices)) if graph.weights is None else 1.0 / graph.weights
    strengths[np.repeat(np.arange(n), graph.degrees), graph.indices] = weights
    sums = strengths.sum(axis=1, keepdims=True)
    transitions = strengths / np.where(sums > 0.0, sums, 1.0)
    found = 0.15 * linalg.inv(np.eye(n) - 0.85 * transitions)
    np.fill_diagonal(found, 0.0)
    sums = found.sum(axis=1, keepdims=True)
    found /= np.where(sums > 0.0, sums, 1.0)
    found = np.maximum(0.5 * (found + found.T), 0.01 / n)
    np.fill_diagonal(found, 0.0)
    return found / found.sum(axis=1, keepdims=True)


def compared_probabilities(target: Any) -> Array:
    """The distributions that the loss compares with those of an embedding."""
    squares = target.rows(slice(None)) / Walks().for_target(target.least).T.start
    np.fill_diagonal(squares, np.inf)
    return special.softmax(-squares, axis=1)


# --- what is compared -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GRAPHS)
def test_the_loss_compares_personalised_pagerank(name: str) -> None:
    """By SciPy. The 0.1 % of walks with more than 40 steps, which are left out, mostly lead far away."""
    np.testing.assert_allclose(
        compared_probabilities(walk_target(GRAPHS[name])), own_probabilities(GRAPHS[name]), rtol=0.01
    )


@pytest.mark.parametrize("name", GRAPHS)
def test_bytes_hold_the_same_probabilities_but_for_rounding(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step changes a probability by a few percent. The temperature is not rounded."""
    graph = GRAPHS[name]
    exact = walk_target(graph)
    monkeypatch.setattr(walks, "EXACT_NODES", 0)
    walks._kept.clear()
    target = walk_target(graph)
    walks._kept.clear()
    assert set(target.matrix.ravel()) <= set(range(256))
    assert target.least == pytest.approx(exact.least, rel=0.005)
    assert target.least != target.block(np.arange(graph.n))[~np.eye(graph.n, dtype=bool)].min()
    np.testing.assert_allclose(compared_probabilities(target), own_probabilities(graph), rtol=0.06, atol=5e-4)


def test_the_nearest_of_a_node_are_those_of_networkx() -> None:
    """Node 5 of karate, by power iterations."""
    graph = karate()
    own = nx.Graph(graph.edges().tolist())
    ranks = [nx.pagerank(own, 0.85, {i: 1.0}, tol=1e-13, max_iter=1000) for i in range(graph.n)]
    s = np.array([[rank[j] for j in range(graph.n)] for rank in ranks])
    np.fill_diagonal(s, 0.0)
    s /= s.sum(axis=1, keepdims=True)
    s = s + s.T
    s = np.maximum(0.5 * s, 0.01 / graph.n)
    np.fill_diagonal(s, 0.0)
    expected = s[5] / s[5].sum()
    np.testing.assert_allclose(compared_probabilities(walk_target(graph))[5], expected, rtol=0.01)


def test_the_loss_is_least_at_the_dissimilarities() -> None:
    """There it is zero; at the scaled ones, which other losses compare, it is not."""
    target = walk_target(karate())
    scaled = target.rows(slice(None))
    loss = Walks().for_target(target.least)
    value, weights = loss(scaled, scaled * target.maximum**2)
    assert abs(value) < 1e-12
    assert np.abs(weights).max() < 1e-12
    assert loss(scaled, scaled)[0] > 0.1
    assert not Walks().least_at_target
    assert Walks()(scaled, scaled)[0] == pytest.approx(naive.rsne(scaled, scaled, least(scaled) / 0.01))


# --- the target is computed once --------------------------------------------------------------------------


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the graphs whose walks are computed from now on."""
    found: list[str] = []
    original = walks.walk_dissimilarities

    def watched(graph: Graph) -> Array:
        found.append(graph.name)
        return original(graph)

    monkeypatch.setattr(walks, "walk_dissimilarities", watched)
    return found


def test_runs_of_a_graph_share_its_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spaces and seeds, and the short run that measures an epoch."""
    computed = counted(monkeypatch)
    assert run("embed", "karate", "-s", "H2", "-s", "E2", "--seeds", "2", "--for", "links") == 0
    assert computed == ["karate"]
    timed = riemap.embed(ring(), "E2", loss="links", time="0.5s")
    assert [str(stage.loss) for stage in timed.plan.stages] == ["rsne(T=0.2)", "walks"]
    assert len(computed) == 2


def test_walks_are_kept_no_longer_than_their_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = ring(), pieces()
    found = walk_target(first)
    assert walk_target(first) is found
    walk_target(second)
    assert list(walks._kept) == [second]
    del second
    gc.collect()
    assert not walks._kept


# --- the plan -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "batch"), [(6000, None), (6001, 1024)])
def test_a_large_graph_is_trained_in_batches(n: int, batch: int | None) -> None:
    plan = default_plan(Walks(), n)
    assert [(str(s.loss), s.epochs, s.batch) for s in plan.stages] == [
        ("rsne(T=0.2)", 10, batch),
        ("walks", 40, batch),
    ]
    assert plan.compares_walks
    assert not default_plan(as_loss("both"), n).compares_walks
    assert [stage.epochs for stage in default_plan(Walks(), n, 4).stages] == [4]


@pytest.mark.parametrize("aim", ["links", "labels"])
@pytest.mark.parametrize("name", GRAPHS)
def test_the_embedding_is_the_one_that_the_tasks_use(name: str, aim: str) -> None:
    graph = GRAPHS[name]
    found = riemap.embed(graph, "H2", loss=aim, seed=2).embedding
    expected = embed_for_prediction(graph, "H2", seed=2)
    for a, b in zip(found.points, expected.points, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(found.log_scales, expected.log_scales)
    hops = riemap.embed(graph, "H2", loss="rsne(T=0.08)", epochs=50, seed=2).embedding
    assert not np.allclose(hops.points[0], found.points[0])


def test_what_is_trained_on_walks_is_scored_by_distances(tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert run("embed", "karate", "-s", "H2", "--for", "links", "--out", str(out)) == 0
    written = json.loads((out / "scores.json").read_text())
    graph = karate()
    embedding = riemap.Embedding.load(out / "embedding.npz")
    assert (
        written["scores"] == evaluate(embedding, graph, distances=shortest_paths(graph)).as_json()["scores"]
    )
    config = json.loads((out / "config.json").read_text())
    assert config["loss"] == "walks"
    assert [stage["loss"] for stage in config["plan"]["stages"]] == ["rsne(T=0.2)", "walks"]
    assert run("embed", "karate", "-s", "H2", "--loss", "walks", "--out", str(out), "--resume") == 0
    assert run("embed", "karate", "-s", "H2", "--for", "rank", "--out", str(out), "--resume") == 2


def test_only_the_last_stage_is_done_from_another_embedding() -> None:
    first = riemap.embed("karate", "H2", loss="links")
    better = riemap.embed("karate", "H2", loss="labels", epochs=QUICK, start=first.embedding)
    assert [str(stage.loss) for stage in better.plan.stages] == ["walks"]
    assert better.history[0].loss == pytest.approx(first.history[-1].loss, rel=0.1)
    assert better.history[-1].loss < first.history[-1].loss


def test_a_checkpoint_continues_to_the_same_bytes(tmp_path: Path) -> None:
    """The walks are computed again."""
    graph, plan = ring(), default_plan(Walks(), 70, 3 * QUICK)
    whole = fit(graph, H2, plan)
    path = tmp_path / "run.npz"
    fit(graph, H2, plan, checkpoint=path, every=4, callbacks=(lambda report: report.epoch < 21,))
    walks._kept.clear()
    again = fit(graph, H2, plan, checkpoint=path)
    assert [record.epoch for record in again.history] == list(range(3 * QUICK))
    assert again.embedding.points[0].tobytes() == whole.embedding.points[0].tobytes()


def test_a_grid_spells_the_aim_as_its_loss() -> None:
    (spec,) = grid({"graphs": ["karate"], "spaces": ["E2"], "losses": ["links"]})
    assert spec.loss == "walks"
    assert spec.total_epochs == 50
    with pytest.raises(InputError, match="'links' and 'labels' are the same"):
        grid({"graphs": ["karate"], "spaces": ["E2"], "losses": ["links", "labels"]})


# --- what is refused ----------------------------------------------------------------------------------------


POINTS = Dissimilarities(np.ones((5, 5)) - np.eye(5), ("a", "b", "c", "d", "e"), "five")


def test_walks_stand_alone() -> None:
    for spelled in ("walks + ad", "ad + walks", "2*walks", "stress + 0.1*walks + edges"):
        with pytest.raises(InputError, match=r"walks compares random walks.*take walks alone"):
            as_loss(spelled)
    with pytest.raises(InputError, match="walks alone"):
        Sum(((1.0, Walks()),))
    assert as_loss("links") == as_loss("labels") == as_loss("walks") == Walks()


def test_walks_need_edges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = "'five' is a matrix of dissimilarities, and walks need edges"
    with pytest.raises(InputError, match=message):
        riemap.embed(POINTS, "E2", loss="links")
    with pytest.raises(InputError, match=message):
        RunSpec.of(POINTS, "E2", loss="links")  # of a grid, before anything is computed
    with pytest.raises(InputError, match=message):
        Trainer(POINTS, H2, default_plan(Walks(), 5))
    np.save(tmp_path / "five.npy", POINTS.matrix)
    for option in ("--for", "links"), ("--loss", "walks"):
        assert run("embed", str(tmp_path / "five.npy"), "-s", "E2", *option) == 2
        out, err = capsys.readouterr()
        assert message in err
        assert (out, err.count("\n")) == ("", 1)


def test_many_walks_are_computed_only_if_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Landmarks would be another loss, so that nobody gets them without being told."""
    monkeypatch.setattr(samplers, "WALK_NODES", 30)
    assert run("embed", "karate", "-s", "H2", "--for", "links", "--epochs", "2") == 2
    err = capsys.readouterr().err
    assert "is for up to 30 nodes, and karate has 34; --for both embeds it with landmarks" in err
    assert "--sampler all computes the walks, in 4.62 kB of memory" in err
    assert run("embed", "karate", "-s", "H2", "--for", "links", "--epochs", "2", "--sampler", "all") == 0
    monkeypatch.setattr(samplers, "WALK_NODES", 34)
    monkeypatch.setattr(samplers, "ALL_PAIRS_NODES", 10)
    spec = RunSpec.of(karate(), "H2", loss="walks")
    assert spec.sampler == "all", "other losses take landmarks of a graph of this size"
    assert RunSpec.of(karate(), "H2").sampler == "landmarks"
    assert spec.setup(34).plan == default_plan(Walks(), 34)


def test_landmarks_have_no_walks(capsys: pytest.CaptureFixture[str]) -> None:
    message = "the loss walks, of --for links and --for labels, takes all pairs of nodes"
    assert run("embed", "karate", "-s", "H2", "--for", "labels", "--sampler", "landmarks") == 2
    out, err = capsys.readouterr()
    assert message in err
    assert "--sampler all, or another loss, e.g. --for both" in err
    assert (out, err.count("\n")) == ("", 1)
    with pytest.raises(InputError, match=message):
        landmark_plan(default_plan(Walks(), 34), 34)
    plan = default_plan(as_loss("ad"), 34)
    assert isinstance(landmark_plan(plan, 34), Plan)


def test_distances_are_no_walks() -> None:
    """A trainer would otherwise compare hop counts, and nobody would notice."""
    with pytest.raises(InputError, match="leave out the distances"):
        Trainer(karate(), H2, default_plan(Walks(), 34), shortest_paths(karate()))


def test_an_interruption_before_training_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walks, "EXACT_NODES", 0)
    walks._kept.clear()
    spec = RunSpec.of(karate(), "H2", loss="links")
    folder = riemap.runs.RunFolder(tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        riemap.runs.execute(spec, folder, graph=karate(), interrupted=lambda: True)
    assert not folder.path.exists()


# --- what is printed ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spaces", "told"),
    [
        (["H2"], "how well the embedding predicts links or labels; next: riemap links karate --space H2\n"),
        (
            ["H2", "E2"],
            "which space best predicts links or labels; next: riemap choose karate --spaces H2 --spaces E2 "
            "--for links\n",
        ),
        (["H2", "E3"], "riemap links karate --space H2, and so on for each space\n"),
    ],
)
def test_scores_are_not_of_predictions(
    spaces: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """And a comparison of spaces names none as the best."""
    words = [word for space in spaces for word in ("-s", space)]
    assert run("embed", "karate", *words, "--for", "links", "--epochs", "5") == 0
    out = capsys.readouterr().out
    assert "These scores are of distances in the graph, and do not tell " in out
    assert out.endswith(told)
    assert "is best by" not in out
    assert run("embed", "karate", *words, "--epochs", "5") == 0
    assert "These scores" not in capsys.readouterr().out
