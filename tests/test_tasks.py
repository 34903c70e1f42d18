"""Prediction of links and labels: splits, scores, models, and that nothing held out is seen."""

import importlib.util
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import riemap
from riemap.distances import walks
from riemap.distances.walks import walk_dissimilarities, walk_levels, walk_probabilities
from riemap.errors import InputError
from riemap.graphs import Graph
from riemap.tasks import (
    LABEL_MODELS,
    LabelPredictor,
    LinkPredictor,
    embed_for_prediction,
    label_baselines,
    labels_of,
    likely_links,
    link_baselines,
    predict_labels,
    predict_links,
    split_edges,
    split_nodes,
)
from riemap.tasks import embedding as task_embedding
from riemap.tasks.label_models import Known, PlacedGraph, spread
from riemap.tasks.label_predictor import label_scores
from riemap.tasks.logistic import fit_logistic, folds
from riemap.tasks.node_vectors import laplacian_vectors, node2vec_vectors
from riemap.tasks.pair_features import adjacency, pair_features
from riemap.tasks.scores import average_precision, f1_of_classes, roc_auc
from riemap.training import presets

QUICK = 15
"""Number of epochs in these tests."""

pytestmark = pytest.mark.usefixtures("one_thread")


def blocks(n: int, groups: int, inside: float, outside: float, seed: int = 0) -> Graph:
    """A graph of groups whose nodes are joined more often than others; it may have several components."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) * groups // n
    i, j = np.triu_indices(n, 1)
    joined = rng.random(len(i)) < np.where(group[i] == group[j], inside, outside)
    edges = np.column_stack([i, j])[joined]
    return Graph.from_edges(edges, labels=list(range(n)), components="keep", name="blocks")


GRAPH = blocks(120, 4, 0.3, 0.01)
GROUPS = (np.arange(120) * 4 // 120).astype(str)


def keys(graph: Graph, pairs: Any) -> set[tuple[int, int]]:
    return {(min(a, b), max(a, b)) for a, b in np.asarray(pairs).tolist()}


# --- splits ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("negatives", ["uniform", "degrees"])
@pytest.mark.parametrize("connected", [False, True])
@pytest.mark.parametrize("listed", [0, 1 << 22])
def test_a_split_has_every_edge_once_and_as_many_other_pairs(
    negatives: str, connected: bool, listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("riemap.tasks.splits.LISTED_PAIRS", listed)
    split = split_edges(GRAPH, seed=3, negatives=negatives, connected=connected)
    parts = [keys(GRAPH, split.train.edges())]
    for pairs, exists in (split.validation, split.test):
        assert len(keys(GRAPH, pairs)) == len(pairs) == 2 * exists.sum()
        parts.append(keys(GRAPH, pairs[exists == 1]))
        assert not keys(GRAPH, pairs[exists == 0]) & keys(GRAPH, GRAPH.edges())
    assert set().union(*parts) == keys(GRAPH, GRAPH.edges())
    assert sum(map(len, parts)) == GRAPH.m
    assert len(parts[2]) == round(0.10 * GRAPH.m)
    assert split.train.labels == GRAPH.labels
    if connected:
        assert split.train.component_numbers[0] == GRAPH.component_numbers[0]
    again = split_edges(GRAPH, seed=3, negatives=negatives, connected=connected)
    assert np.array_equal(again.test.pairs, split.test.pairs)
    other = split_edges(GRAPH, seed=4, negatives=negatives, connected=connected)
    assert not np.array_equal(other.test.pairs, split.test.pairs)


def test_pairs_matched_by_degree_have_larger_degrees() -> None:
    star = riemap.generate("barabasi-albert(n=300,m=2)", components="keep")
    drawn = {kind: split_edges(star, test=0.3, negatives=kind).test for kind in ("uniform", "degrees")}
    means = {kind: star.degrees[t.pairs[t.exists == 0]].mean() for kind, t in drawn.items()}
    assert means["degrees"] > 1.5 * means["uniform"]


def test_lengths_of_edges_are_kept() -> None:
    rng = np.random.default_rng(0)
    weighted = Graph.from_edges(GRAPH.edges(), rng.uniform(1, 2, GRAPH.m), components="keep")
    train = split_edges(weighted).train
    of_edge = {pair: weighted.weights[k] for k, pair in _entries(weighted)}
    assert all(train.weights[k] == of_edge[pair] for k, pair in _entries(train))


def _entries(graph: Graph) -> list[tuple[int, tuple[int, int]]]:
    ends = np.repeat(np.arange(graph.n), graph.degrees)
    return [(k, (int(a), int(b))) for k, (a, b) in enumerate(zip(ends, graph.indices, strict=True))]


@pytest.mark.parametrize(
    ("graph", "options", "message"),
    [
        ("path(n=5)", {}, "test=0.1 of them are 0; a score needs 4; take a larger graph"),
        (
            "karate",
            {"validation": 0.01},
            r"validation=0.01 of them are 1; a score needs 4; .* validation=0.06",
        ),
        ("karate", {"test": 1.5}, "test=1.5 is not a share"),
        ("karate", {"test": float("nan")}, "test"),
        ("karate", {"test": 0.7, "validation": 0.4}, "leave none"),
        ("path(n=100)", {"connected": True}, "0 edges that are not needed to keep it connected"),
        ("complete(n=20)", {}, "pairs without an edge are needed"),
        ("karate", {"negatives": "hard"}, "'hard' is not one of uniform, degrees"),
    ],
)
def test_a_split_that_is_impossible_is_refused(graph: str, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        split_edges(riemap.open_graph(graph), **options)


def test_nodes_are_split_into_disjoint_parts() -> None:
    classes = [*GROUPS.tolist()[:-5], *[None] * 5]
    split = split_nodes(classes, train=0.3, validation=0.1, seed=1)
    every = np.concatenate(split)
    assert sorted(every.tolist()) == list(range(115))
    few = split_nodes(classes, train=4, validation=20, test=30, per_class=True)
    assert [len(part) for part in few] == [16, 20, 30]
    assert np.unique(GROUPS[few.train], return_counts=True)[1].tolist() == [4] * 4
    with pytest.raises(InputError, match="take smaller parts"):
        split_nodes(classes, train=0.9, validation=0.2)
    with pytest.raises(InputError, match="label more nodes, or say how many"):
        split_nodes(["a", "b", "b"], train=0.3, validation=0.1)
    with pytest.raises(InputError, match="one label only"):
        split_nodes(["a"] * 99 + ["b"], train=2, validation=2)


# --- scores and models ------------------------------------------------------------------------------------


def test_scores_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    for ties in (1, 5):
        truth, score = rng.random(200) < 0.3, np.round(rng.random(200) * ties, 1 if ties > 1 else 9)
        assert roc_auc(truth, score) == pytest.approx(metrics.roc_auc_score(truth, score))
        assert average_precision(truth, score) == pytest.approx(metrics.average_precision_score(truth, score))
    a, b = rng.integers(4, size=(2, 100))
    found = f1_of_classes(a, b, np.arange(4))
    assert found == pytest.approx(metrics.f1_score(a, b, average=None))


def test_logistic_regression_is_that_of_scikit_learn() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(0)
    x, codes = rng.standard_normal((150, 3)), rng.integers(3, size=150)
    scaled = (x - x.mean(axis=0)) / x.std(axis=0)
    other = linear.LogisticRegression(C=0.5, tol=1e-10, max_iter=1000).fit(scaled, codes)
    found = fit_logistic(x, codes, 3, C=0.5).log_proba(x)
    assert np.exp(found) == pytest.approx(other.predict_proba(scaled), abs=1e-3)


def test_folds_deal_every_class_evenly() -> None:
    codes = np.repeat([0, 1, 2], [7, 4, 13])
    fold = folds(codes, 3, seed=0)
    counts = np.array([np.bincount(fold[codes == c], minlength=3) for c in range(3)])
    assert np.ptp(counts, axis=1).max() <= 1


def test_features_of_pairs_are_those_of_networkx() -> None:
    nx = pytest.importorskip("networkx")
    own = nx.Graph(GRAPH.edges().tolist())
    own.add_nodes_from(range(GRAPH.n))
    pairs = np.array([(i, j) for i in range(20) for j in range(i + 1, 40)])
    found = pair_features(GRAPH, pairs)
    for k, (i, j) in enumerate(pairs.tolist()):
        common = list(nx.common_neighbors(own, i, j))
        assert found[k, 0] == len(common)
        assert found[k, 1] == pytest.approx(sum(1 / np.log(own.degree(c)) for c in common))
        assert found[k, 2] == pytest.approx(sum(1 / own.degree(c) for c in common))
        assert found[k, 3] == pytest.approx(np.log1p(own.degree(i)) + np.log1p(own.degree(j)))
        assert found[k, 6] == nx.has_path(own, i, j)


def test_walks_are_those_of_pagerank() -> None:
    nx = pytest.importorskip("networkx")
    graph = riemap.load_dataset("karate")
    found = walk_probabilities(graph, 0.7)
    own = nx.Graph(graph.edges().tolist())
    rank = nx.pagerank(own, alpha=0.7, personalization={5: 1.0}, tol=1e-12)
    assert found[5] == pytest.approx([rank[i] for i in range(graph.n)], abs=1e-5)


def test_pairs_that_no_walk_joins_are_the_farthest_and_finite() -> None:
    """A removed edge may cut the graph, and a node may lose all its edges."""
    graph = Graph.from_edges([(0, 1), (1, 2), (3, 4)], labels=range(6), components="keep")
    found = walk_dissimilarities(graph)
    assert np.isfinite(found).all()
    assert np.array_equal(found, found.T)
    far = found[[0, 1, 2, 0, 5], [3, 4, 3, 5, 3]]
    assert np.ptp(far) < 1e-12
    assert far[0] == found.max() > found[0, 2] > found[0, 1] > 0.0
    assert far[0] ** 2 < 10.0  # a floor of 0.01 / 6 is 6.4, and a farther one would outweigh all others


@pytest.mark.parametrize("weighted", [False, True])
def test_walks_of_a_large_graph_are_the_same_in_a_byte(
    weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step of the levels, and half-precision numbers, change a squared dissimilarity by a few percent."""
    monkeypatch.setattr(walks, "BLOCK_NODES", 50)
    lengths = np.random.default_rng(0).uniform(0.5, 2.0, GRAPH.m) if weighted else None
    for graph in (
        Graph.from_edges(GRAPH.edges(), lengths, labels=range(122), components="keep"),  # two without edges
        Graph.from_edges([(0, 1), (1, 2), (3, 4)], labels=range(6), components="keep"),
        riemap.generate("complete(n=60)"),
    ):
        expected = walk_dissimilarities(graph) ** 2
        levels, largest = walk_levels(graph)
        assert levels.dtype == np.uint8
        assert np.array_equal(levels, levels.T)
        assert np.array_equal(levels == 0, np.eye(graph.n, dtype=bool))
        step = 2.0 * np.sqrt(expected.max()) / 255
        found = largest * (levels / levels.max()) ** 2
        assert np.abs(found - expected).max() < step * np.sqrt(expected.max()) + 0.01


def test_a_large_graph_is_trained_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "EXACT_NODES", 100)
    monkeypatch.setattr(presets, "WALK_BATCH_NODES", 64)
    plans = []
    original = task_embedding.fit

    def watched(graph: Graph, space: Any, plan: Any, **kwargs: Any) -> Any:
        plans.append(plan)
        return original(graph, space, plan, **kwargs)

    monkeypatch.setattr(task_embedding, "fit", watched)
    found = predict_links(GRAPH, "H4", epochs=2 * QUICK, test=0.2, validation=0.2)
    assert [stage.batch for stage in plans[0].stages] == [64, 64]
    assert found.trials[0].distance["auc"] > 0.75
    assert found.hidden.embedding.n == GRAPH.n
    with pytest.raises(KeyboardInterrupt):
        embed_for_prediction(GRAPH, "H4", interrupted=lambda: True)


# --- links ------------------------------------------------------------------------------------------------


def test_links_are_predicted_better_than_by_chance() -> None:
    found = predict_links(GRAPH, "H4", epochs=QUICK, predict=12, test=0.2, validation=0.2)
    (trial,) = found.trials
    assert trial.scores["auc"] > 0.8
    assert trial.distance["auc"] > 0.75
    assert {"common neighbours", "Adamic-Adar", "preferential attachment", "Laplacian eigenmaps"} <= set(
        trial.baselines
    )
    likely = [(link.source, link.target) for link in found.predicted]
    assert len(set(likely)) == 12
    assert not keys(GRAPH, likely) & keys(GRAPH, GRAPH.edges())
    assert np.mean([GROUPS[a] == GROUPS[b] for a, b in likely]) > 0.8
    chances = [link.probability for link in found.predicted]
    assert chances == sorted(chances, reverse=True)
    assert 0.0 < chances[-1] <= chances[0] < 1.0
    again = predict_links(GRAPH, "H4", epochs=QUICK, predict=12, test=0.2, validation=0.2)
    assert again.as_json()["auc"] == found.as_json()["auc"] == {"mean": trial.scores["auc"], "se": None}
    assert again.predicted == found.predicted


def test_probabilities_add_up_to_the_missing_edges() -> None:
    """They are corrected for how few pairs are joined: over all pairs, their sum is about what is missing."""
    split = split_edges(GRAPH, test=0.2, validation=0.2)
    model = LinkPredictor(split.train, "E3", epochs=QUICK, model="features").fit(*split.validation)
    hidden = GRAPH.m - split.train.m
    total = sum(link.probability for link in likely_links(model, 10**6, hidden))
    assert 0.5 * hidden < total < 2.0 * hidden


def test_candidates_of_a_large_graph_hold_the_likeliest_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not every pair of a large graph is looked at, but those near each other are."""
    split = split_edges(GRAPH, test=0.2, validation=0.2)
    model = LinkPredictor(split.train, "E3", epochs=QUICK, model="features").fit(*split.validation)
    every = likely_links(model, 20, 50.0)
    monkeypatch.setattr("riemap.tasks.missing_links.ALL_PAIRS", 0)
    some = likely_links(model, 20, 50.0)
    both = {link[:2] for link in every} & {link[:2] for link in some}
    assert len(both) >= 15


def test_a_random_graph_and_random_labels_score_a_half() -> None:
    """What was held out leaves no trace: scores on random graphs are those of guesses, within four errors."""
    scores, shares = [], []
    for seed in range(4):
        graph = blocks(150, 1, 0.06, 0.0, seed)
        found = predict_links(graph, "H3", seed=seed, epochs=QUICK, test=0.2, validation=0.2)
        scores.append(found.auc)
        labels = np.random.default_rng(seed).permutation(["a", "b"] * 75).tolist()
        shares.append(predict_labels(graph, labels, "H3", seed=seed, epochs=QUICK).accuracy)
    # A degree that is large by chance stays large in the hidden part, so that degrees tell a little.
    assert np.mean(scores) == pytest.approx(0.5, abs=0.08)
    assert np.mean(shares) == pytest.approx(0.5, abs=0.1)


def test_nothing_sees_the_test_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Training, features and tuning are given the training graph and the validation pairs alone."""
    split = split_edges(GRAPH, test=0.2, validation=0.1, seed=2)
    hidden = keys(GRAPH, split.test.pairs[split.test.exists == 1])
    seen: list[Graph] = []
    original = task_embedding.fit

    def watched(graph: Graph, *args: Any, **kwargs: Any) -> Any:
        seen.append(graph)
        return original(graph, *args, **kwargs)

    monkeypatch.setattr(task_embedding, "fit", watched)
    found = predict_links(GRAPH, "H3", seed=2, epochs=QUICK, test=0.2, validation=0.1)
    (trained,) = seen
    assert not keys(GRAPH, trained.edges()) & hidden
    # The same training graph and validation pairs give the same model whatever the test edges are.
    model = LinkPredictor(split.train, "H3", epochs=QUICK, random_state=2).fit(*split.validation)
    assert model.model_ == found.trials[0].model
    assert model.score(*split.test) == found.trials[0].scores["auc"]
    labels = GROUPS.tolist()
    parts = split_nodes(labels, seed=0)
    wrong = list(labels)
    for i in parts.test:
        wrong[i] = "0" if labels[i] != "0" else "1"
    options: Any = {"epochs": QUICK, "seed": 0}
    honest, turned = (predict_labels(GRAPH, given, "H3", **options) for given in (labels, wrong))
    assert honest.trials[0].model == turned.trials[0].model
    assert honest.accuracy > 0.7 > 0.3 > turned.accuracy


def test_pairs_that_the_training_graph_gives_away_are_refused() -> None:
    split = split_edges(GRAPH)
    model = LinkPredictor(split.train, "E2", epochs=2)
    edge = split.train.edges()[:1]
    with pytest.raises(InputError, match="is an edge of the training graph"):
        model.fit(np.concatenate([split.validation.pairs, edge[:, ::-1]]), [*split.validation.exists, 1])
    with pytest.raises(InputError, match="both must occur"):
        model.fit(split.validation.pairs, np.ones(len(split.validation.pairs), int))
    with pytest.raises(InputError, match="999 is not a node number"):
        model.fit([(0, 999)], [1])
    with pytest.raises(InputError, match="not one of auto"):
        LinkPredictor(split.train, model="magic").fit(*split.validation)
    model.fit(*split.validation)
    with pytest.raises(InputError, match="is an edge of the training graph"):
        model.score([*edge.tolist(), [0, 119]], [1, 0])


def test_few_pairs_take_the_simplest_model() -> None:
    split = split_edges(riemap.load_dataset("karate"), test=0.1, validation=0.1)
    assert len(split.validation.pairs) == 16
    model = LinkPredictor(split.train, "H2", epochs=2).fit(*split.validation)
    assert model.model_ == "fermi-dirac"


def test_closer_pairs_are_never_less_likely_by_distance_alone() -> None:
    """Few pairs may tell the opposite by chance; here all that are joined are the distant ones."""
    graph = riemap.generate("path(n=40)")
    model = LinkPredictor(
        graph, embedding=embed_for_prediction(graph, "E2", epochs=QUICK), model="fermi-dirac"
    )
    near, far = [(k, k + 2) for k in range(0, 30, 3)], [(k, k + 30) for k in range(9)]
    model.fit([*near, *far], [0] * len(near) + [1] * len(far))
    assert model.distances(near).mean() < model.distances(far).mean()
    by_distance = np.argsort(model.distances([*near, *far]))
    assert (np.diff(model.log_odds(np.array([*near, *far])[by_distance])) <= 0.0).all()


def test_a_node_without_edges_is_predicted() -> None:
    """Its degree and the place that walks give it are known, so that no number is missing."""
    graph = Graph.from_edges(GRAPH.edges(), labels=range(121), components="keep", name="one alone")
    split = split_edges(graph, test=0.2, validation=0.2)
    model = LinkPredictor(split.train, "H2", epochs=QUICK).fit(*split.validation)
    found = model.predict_proba([(0, 120), (5, 120)])
    assert np.isfinite(found).all()
    assert found.sum(axis=1) == pytest.approx(1.0)


def _landmarked(graph: Graph) -> Any:
    return embed_for_prediction(graph, "E2", target="landmarks", epochs=5)


def test_landmarks_place_the_largest_component() -> None:
    parts = Graph.from_edges(
        [*riemap.generate("grid(n=9,d=2)").edges().tolist(), (81, 82)], components="keep", name="two parts"
    )
    placed = _landmarked(parts)
    assert placed.n == 81
    split = split_edges(parts, validation=0.1)
    model = LinkPredictor(split.train, embedding=_landmarked(split.train))
    assert np.isfinite(model.fit(*split.validation).predict_proba([(0, 82), (81, 82)])).all()
    pairs, rows = np.array([(0, 1), (0, 80), (0, 82), (5, 81)]), task_embedding.rows_in(placed, parts)
    near, far, outside, other = task_embedding.pair_distances(placed, rows, pairs)
    assert near < outside == other < far
    labels = LabelPredictor(parts, embedding=placed, model="nearest(k=3)").fit([0, 80], ["a", "b"])
    assert labels.predict_proba([82]).tolist() == [[0.5, 0.5]]


# --- labels -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LABEL_MODELS)
def test_every_model_predicts_groups(name: str) -> None:
    model = LabelPredictor(GRAPH, embedding=_placed(), model=name)
    split = split_nodes(GROUPS.tolist(), seed=0)
    model.fit(split.train, GROUPS[split.train])
    assert np.mean(model.predict(split.test) == GROUPS[split.test]) > 0.4
    proba = model.predict_proba(split.test[:, None])
    assert proba.sum(axis=1) == pytest.approx(1.0)
    assert (proba >= 0.0).all()


def test_neighbours_correct_a_prediction() -> None:
    """A node in the middle of one group by its edges, and of the other by its place in the embedding."""
    placed = _placed()
    nodes, others = (np.flatnonzero(group == GROUPS) for group in ("0", "3"))
    misplaced = nodes[0]
    points = tuple(x.copy() for x in placed.points)
    for x in points:
        x[misplaced] = x[others[0]]
    moved = riemap.Embedding(placed.space, points, log_scales=placed.log_scales, labels=placed.labels)
    known = np.concatenate([nodes[1:8], others[:8]])
    found = {}
    for name in ("logistic(C=0.01)", "smoothed(C=0.01)"):
        model = LabelPredictor(GRAPH, embedding=moved, model=name).fit(known, GROUPS[known])
        found[name] = model.predict([misplaced])[0]
    assert found == {"logistic(C=0.01)": "3", "smoothed(C=0.01)": "0"}


def _placed() -> Any:
    if not hasattr(_placed, "found"):
        _placed.found = embed_for_prediction(GRAPH, "H3", epochs=QUICK)  # type: ignore[attr-defined]
    return _placed.found  # type: ignore[attr-defined]


def test_one_node_of_each_label_is_enough() -> None:
    """There is no other node of a label to compare models with, so that validation nodes decide."""
    known = [5, 40, 70, 100]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LabelPredictor(GRAPH, embedding=_placed()).fit(
            known, GROUPS[known], ([8, 75], GROUPS[[8, 75]])
        )
        assert model.score(np.arange(120), GROUPS) > 0.5
        LabelPredictor(GRAPH, embedding=_placed()).fit(known, GROUPS[known])


def test_unknown_labels_are_filled_in() -> None:
    known = {i: GROUPS[i] for i in range(120) if i % 10}
    found = predict_labels(GRAPH, known, "H3", epochs=QUICK, seeds=2)
    assert [one.node for one in found.predicted] == list(range(0, 120, 10))
    assert np.mean([one.label == GROUPS[one.node] for one in found.predicted]) > 0.7
    facts = found.as_json()
    assert facts["accuracy"]["mean"] == pytest.approx(found.accuracy)
    assert facts["accuracy"]["se"] is not None
    assert facts["baselines"]["majority"]["accuracy"]["mean"] < 0.5 < facts["accuracy"]["mean"]


def test_labels_spread_to_what_they_reach() -> None:
    """In two components, each node takes the label of its own; a node that none reaches takes the shares."""
    graph = Graph.from_edges([(0, 1), (1, 2), (3, 4), (5, 6)], components="keep")
    known = Known(np.array([0, 3]), np.array([0, 1]), 2)
    found = spread(adjacency(graph), known, 0.9)
    assert found[:5].argmax(axis=1).tolist() == [0, 0, 0, 1, 1]
    assert found[5:].tolist() == [[0.5, 0.5]] * 2


def test_scores_have_the_same_names_whatever_the_test_nodes_are() -> None:
    """A small test set may lack a label, and then the names must not differ from those of other seeds."""
    three, two = np.array(["a", "b", "c"]), np.array(["a", "b"])
    some = label_scores(np.array(["a", "b"]), np.array(["a", "a"]), three)
    assert some == {"accuracy": 0.5, "f1": pytest.approx(1 / 3)}
    assert set(label_scores(np.array(["a"]), np.array(["a"]), two)) == {"accuracy", "f1", "f1_rarer"}


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({0: "a", "no such": "b"}, "no node of blocks is called 'no such'"),
        ({0: "a", 1: "a"}, "blocks has 1 different label; a prediction needs at least two"),
        ({}, "blocks has 0 different labels"),
        (["a", "b"], "2 labels were given for the 120 nodes"),
    ],
)
def test_labels_that_cannot_be_used_are_refused(labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        labels_of(GRAPH, labels)


def test_nodes_that_cannot_be_used_are_refused() -> None:
    model = LabelPredictor(GRAPH, embedding=_placed())
    with pytest.raises(InputError, match="at least two different"):
        model.fit([0, 1], ["a", "a"])
    with pytest.raises(InputError, match="500 is not a node number"):
        model.fit([0, 500], ["a", "b"])
    with pytest.raises(InputError, match="not one of auto"):
        LabelPredictor(GRAPH, embedding=_placed(), model="magic").fit([0, 1], ["a", "b"])
    other = embed_for_prediction(riemap.load_dataset("karate"), "E2", epochs=2)
    with pytest.raises(InputError, match="not an embedding of blocks"):
        LabelPredictor(blocks(20, 2, 0.5, 0.1), embedding=other).fit([0, 1], ["a", "b"])


# --- baselines, and scikit-learn ----------------------------------------------------------------------------


def test_laplacian_vectors_are_eigenvectors() -> None:
    vectors = laplacian_vectors(GRAPH, 3)
    roots = np.diag(1.0 / np.sqrt(np.maximum(GRAPH.degrees, 1)))
    matrix = roots @ adjacency(GRAPH).toarray() @ roots
    values = np.linalg.eigvalsh(matrix)[::-1][:3]
    assert np.abs(matrix @ vectors - vectors * values).max() < 1e-8


@pytest.mark.skipif(importlib.util.find_spec("gensim") is None, reason="gensim is not installed")
def test_node2vec_separates_groups() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vectors = node2vec_vectors(GRAPH, 8, 0)
        assert np.array_equal(vectors, node2vec_vectors(GRAPH, 8, 0))
        assert "node2vec" in link_baselines(split_edges(GRAPH), 4, 0)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    same = GROUPS[:, None] == GROUPS
    assert (unit @ unit.T)[same].mean() > (unit @ unit.T)[~same].mean() + 0.1


def test_baselines_without_gensim_are_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim", None)
    assert "node2vec" not in link_baselines(split_edges(GRAPH), 4, 0)
    some = (np.array([0, 119]), np.array(["0", "3"]))
    assert "node2vec" not in label_baselines(GRAPH, some, some, 4, 0)


def test_predictors_sit_in_searches_and_cross_validation() -> None:
    selection = pytest.importorskip("sklearn.model_selection")
    base = pytest.importorskip("sklearn.base")
    split = split_edges(GRAPH, test=0.2, validation=0.2)
    links = LinkPredictor(split.train, embedding=embed_for_prediction(split.train, "E3", epochs=QUICK))
    assert base.clone(links).get_params()["model"] == "auto"
    grid = selection.GridSearchCV(links, {"model": ["fermi-dirac", "features"]}, cv=3)
    assert grid.fit(*split.validation).best_score_ > 0.6
    nodes = np.arange(GRAPH.n)[:, None]
    labels = LabelPredictor(GRAPH, embedding=_placed(), model="nearest(k=3)")
    folds3 = selection.StratifiedKFold(3, shuffle=True, random_state=0)
    scores = selection.cross_val_score(labels, nodes, GROUPS, cv=folds3)
    assert scores.mean() > 0.6
    for scoring in ("f1_macro", "neg_log_loss", "roc_auc_ovr"):
        assert np.isfinite(selection.cross_val_score(labels, nodes, GROUPS, cv=folds3, scoring=scoring)).all()
    grid = selection.GridSearchCV(labels, {"model": ["nearest(k=3)", "logistic(C=1)"]}, cv=folds3)
    assert grid.fit(nodes, GROUPS).best_score_ >= scores.mean()
    assert set(grid.predict(nodes)) <= set(GROUPS)


def test_predictors_sit_in_pipelines() -> None:
    base = pytest.importorskip("sklearn.base")
    pipeline = pytest.importorskip("sklearn.pipeline")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    labels = LabelPredictor(GRAPH, embedding=_placed(), model="nearest(k=3)")
    assert base.is_classifier(labels)
    steps = [("same", preprocessing.FunctionTransformer()), ("model", labels)]
    whole = pipeline.Pipeline(steps).set_params(model__model="nearest(k=10)")
    whole.fit(np.arange(80)[:, None], GROUPS[:80])
    assert whole.score(np.arange(80)[:, None], GROUPS[:80]) > 0.6
    assert whole.predict_proba([[81]]).shape == (1, 3)
    copied = base.clone(labels)
    assert (copied.model, copied.graph.key) == ("nearest(k=10)", GRAPH.key)
    assert not hasattr(copied, "classes_")
    weights = np.r_[np.ones(40), np.zeros(40)]
    alone = labels.score(np.arange(40), GROUPS[:40])
    assert labels.score(np.arange(80), GROUPS[:80], sample_weight=weights) == pytest.approx(alone)


def test_predictors_say_what_is_wrong_before_they_are_fitted() -> None:
    labels, links = LabelPredictor(GRAPH, "H2", model="nearest(k=3)"), LinkPredictor(GRAPH)
    assert repr(labels) == f"LabelPredictor(graph={GRAPH!r}, space='H2', model='nearest(k=3)')"
    with pytest.raises(InputError, match="this LabelPredictor is not fitted; call its method fit first"):
        labels.predict([0])
    with pytest.raises(InputError, match="this LinkPredictor is not fitted"):
        links.predict_proba([(0, 1)])
    with pytest.raises(InputError, match="this LinkPredictor is not fitted"):
        links.score([(0, 1)], [1])
    with pytest.raises(InputError, match="has no parameter 'modle'; did you mean 'model'"):
        links.set_params(modle="auto")
    assert links.set_params(epochs=3).epochs == 3


def test_scikit_learn_is_not_imported_for_a_prediction() -> None:
    """It takes a second."""
    code = "import riemap.tasks, riemap.grids, sys; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_placed_graph_knows_its_nearest_nodes() -> None:
    placed = PlacedGraph(GRAPH, _placed())
    near, sqdist = placed.nearest
    every = placed.embedding.sqdist_rows(np.arange(5))
    for i in range(5):
        assert sorted(near[i]) == sorted(np.argsort(np.where(np.arange(120) == i, np.inf, every[i]))[:10])
        assert np.sort(sqdist[i]) == pytest.approx(np.sort(every[i, near[i]]))
