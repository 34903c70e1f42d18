"""Every metric equals its slow version in naive.py and obeys the laws of the registry."""

import json
import math
from importlib import import_module
from unittest.mock import patch

import naive
import numpy as np
import pytest
from graph_helpers import random_graph
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import graphs, squared_distances
from thread_helpers import exactly
from tolerances import PAIR_SCORE, SCORE

from riemap.distances import hop_counts, shortest_paths
from riemap.embeddings import Embedding
from riemap.graphs import Dissimilarities, Graph, generate
from riemap.metrics import METRICS, Scores, comparison, correlation, distortion, evaluate, order, score
from riemap.metrics.order import rank_rows
from riemap.spaces import Space

PERFECT = {"high": 1.0, "low": 0.0, "worst": 1.0}
"""Score of a perfect embedding, by the direction of a metric or by its name."""


def close(a: float | None, b: float | None) -> bool:
    """Whether two scores are both undefined or nearly equal."""
    return a is b is None or a == pytest.approx(b, **PAIR_SCORE)


def embedding(graph: Graph, space: str = "H2 x S2", seed: int = 0) -> Embedding:
    parsed = Space.parse(space)
    points = parsed.random(np.random.default_rng(seed), graph.n)
    return Embedding(parsed, points, np.linspace(-0.5, 0.5, len(parsed.factors)), graph.labels)


@given(data=st.data())
def test_f1_and_map_equal_their_twins_with_ties(data: st.DataObject) -> None:
    """F1 and mean average precision equal their slow versions where distances tie."""
    graph = data.draw(graphs())
    sqdist = data.draw(squared_distances(graph.n))
    distances = shortest_paths(graph)
    scores = score(distances, sqdist, graph)
    curve, counts = naive.f1_curve(distances.tolist(), sqdist.tolist())
    np.testing.assert_allclose(scores.f1_curve, curve, rtol=SCORE)
    assert scores.layers == tuple(counts)
    assert scores["f1@1"] == pytest.approx(curve[0], rel=SCORE)
    assert scores["auc"] == pytest.approx(naive.area_under(curve), rel=SCORE)
    assert scores["map"] == pytest.approx(naive.mean_average_precision(graph, sqdist), rel=SCORE)


@given(data=st.data())
def test_scores_over_pairs_equal_their_twins(data: st.DataObject) -> None:
    graph = data.draw(graphs())
    sqdist = data.draw(squared_distances(graph.n))
    distances = shortest_paths(graph)
    scores = score(distances, sqdist, graph)
    for name, value in naive.pair_scores(distances, sqdist).items():
        assert close(scores[name], value), name


@given(graph=graphs())
def test_the_graphs_own_distances_are_perfect(graph: Graph) -> None:
    distances = shortest_paths(graph)
    scores = score(distances, (distances / distances.max()) ** 2, graph)
    assert set(scores.f1_curve) == {1.0}
    for metric in METRICS:
        value, perfect = scores[metric.name], PERFECT.get(metric.name, PERFECT[metric.best])
        if metric.name == "map" and graph.weights is not None:
            continue  # the far end of a long edge need not be among the nearest nodes
        assert value is None or value == pytest.approx(perfect, abs=1e-7)
    assert (scores["pearson"] is None) == (len(np.unique(distances)) == 2)


@given(graph=graphs(), seed=st.integers(0, 1000))
def test_relabelling_changes_nothing(graph: Graph, seed: int) -> None:
    """Scores do not depend on the order of nodes if no distances tie; ties are broken by that order."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(graph.n, 3))
    sqdist = ((points[:, None] - points) ** 2).sum(-1)
    order = rng.permutation(graph.n)
    place = np.argsort(order)
    ends = graph.edges()
    weights = None
    if graph.weights is not None:
        dense = np.zeros((graph.n, graph.n))
        dense[np.repeat(np.arange(graph.n), graph.degrees), graph.indices] = graph.weights
        weights = dense[ends[:, 0], ends[:, 1]]
    other = Graph.from_edges(place[ends], weights)
    a = score(shortest_paths(graph), sqdist, graph)
    b = score(shortest_paths(other), sqdist[np.ix_(order, order)], other)
    np.testing.assert_allclose(a.f1_curve, b.f1_curve, rtol=SCORE)
    for metric in METRICS:
        assert close(a[metric.name], b[metric.name]), metric.name


@pytest.mark.parametrize("metric", [m.name for m in METRICS])
def test_rescaling_changes_only_what_measures_scale(metric: str) -> None:
    """Rescaling the embedding changes the distortion and the stress, and no other metric."""
    graph = random_graph(60, 60)
    distances, sqdist = shortest_paths(graph), embedding(graph).sqdist_rows(np.arange(60))
    before, after = (score(distances, factor * sqdist, graph)[metric] for factor in (1.0, 7.0))
    assert (after != pytest.approx(before, rel=SCORE)) == (metric in ("ad", "stress"))


def test_blocks_and_ranges_give_what_one_block_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(60, 80)
    e = embedding(graph)
    whole = evaluate(e, graph)
    for module, name, value in (
        (comparison, "COMPARISON_BLOCK_PAIRS", 1000),
        (comparison, "LARGEST_CACHED_PAIRS", 0),
        (correlation, "LARGEST_SORTED_PAIRS", 500),
        (distortion, "LARGEST_SORTED_RATIOS", 5),
    ):
        monkeypatch.setattr(module, name, value)
    parts = evaluate(e, graph)
    np.testing.assert_allclose(parts.f1_curve, whole.f1_curve, rtol=SCORE)
    for metric in METRICS:
        assert parts[metric.name] == pytest.approx(whole[metric.name], rel=SCORE), metric.name


@given(data=st.data())
def test_finer_and_finer_bins_find_the_median_among_ties(data: st.DataObject) -> None:
    graph = data.draw(graphs())
    sqdist = data.draw(squared_distances(graph.n))
    distances = shortest_paths(graph)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distortion, "LARGEST_SORTED_RATIOS", 0)
        found = score(distances, sqdist, graph)["ad_rescaled"]
    assert close(found, naive.pair_scores(distances, sqdist)["ad_rescaled"])


def test_layers_do_not_split_where_lengths_differ_by_rounding() -> None:
    """Lengths in tenths, whose sums depend on their order, give the same layers as whole numbers."""
    nodes = np.arange(31)
    ends = np.column_stack([nodes[:-1], nodes[1:]])
    whole, tenths = (Graph.from_edges(ends, np.tile(w, 10)) for w in ([1, 2, 3], [0.1, 0.2, 0.3]))
    e = embedding(whole)
    for sources in (None, 20):
        a, b = (evaluate(e, graph, sources=sources) for graph in (whole, tenths))
        assert a.layers == b.layers
        assert a.f1_curve == pytest.approx(b.f1_curve)


def test_all_points_together() -> None:
    """If all points coincide, correlations are undefined and the worst ratio is infinite: null in JSON."""
    graph = random_graph(20, 10)
    scores = score(shortest_paths(graph), np.zeros((20, 20)), graph)
    assert (scores["ad"], scores["ad_rescaled"], scores["stress"]) == (1.0, 1.0, 1.0)
    assert scores["worst"] == math.inf
    assert scores["pearson"] is None
    assert scores["spearman"] is None
    found = json.loads(json.dumps(scores.as_json(), allow_nan=False))
    assert found["scores"]["worst"] is None


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_a_squared_distance_that_is_nan_infinite_or_negative_is_refused(value: float) -> None:
    sqdist = np.ones((5, 5))
    sqdist[2, 3] = value
    with pytest.raises(ValueError, match="no distance between nodes 2 and 3"):
        score(shortest_paths(random_graph(5, 3)), sqdist)


@pytest.mark.parametrize(
    ("distances", "sqdist"),
    [
        (np.zeros((3, 3)), np.ones((3, 3))),
        (np.ones((3, 3)), np.ones((3, 3))),
        (np.ones((3, 3)) - 2.0 * np.eye(3), np.ones((3, 3))),
        (np.where(np.eye(3), 0.0, np.nan), np.ones((3, 3))),
        (np.where(np.eye(3), 0.0, np.inf), np.ones((3, 3))),
        (1.0 - np.eye(3), np.ones((3, 2))),
        (np.zeros((1, 1)), np.zeros((1, 1))),
    ],
)
def test_distances_that_are_not_positive_and_finite_are_refused(
    distances: np.ndarray, sqdist: np.ndarray
) -> None:
    with pytest.raises(ValueError, match=r"distances must be positive|cannot compare"):
        score(distances, sqdist)


def test_layers_are_the_different_distances_whatever_their_type() -> None:
    """Integers with gaps give the same layers as the floats they are multiples of."""
    distances = 3 * shortest_paths(random_graph(40, 40)).astype(np.int64)
    sqdist = embedding(random_graph(40, 40)).sqdist_rows(np.arange(40))
    assert score(distances, sqdist) == score(distances / 3.0, sqdist)
    assert score(distances, sqdist.astype(np.float32))["ad"] == pytest.approx(score(distances, sqdist)["ad"])


def test_a_zero_with_a_sign_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(30, 30)
    sqdist = embedding(graph).sqdist_rows(np.arange(30))
    sqdist[3:6, 3:6] = 0.0
    plain = score(shortest_paths(graph), sqdist, graph)
    sqdist[3:6, 3:6] = -0.0
    for few in (1 << 20, 5):
        monkeypatch.setattr(distortion, "LARGEST_SORTED_RATIOS", few)
        monkeypatch.setattr(correlation, "LARGEST_SORTED_PAIRS", few)
        assert score(shortest_paths(graph), sqdist, graph) == pytest.approx(plain)


def test_without_a_graph_there_is_no_map() -> None:
    matrix = np.array([[0.0, 2.0, 4.0], [2.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    points = Dissimilarities(matrix, ("a", "b", "c"), "three")
    scores = evaluate(embedding(points), points)  # type: ignore[arg-type]
    assert scores["map"] is None
    assert scores["f1@1"] is not None


def test_distances_that_are_passed_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores depend on the passed distances alone, whether all nodes are sources or some."""
    graph = random_graph(40, 40)
    e, distances = embedding(graph), np.array(shortest_paths(graph), dtype=np.float64) ** 0.5
    points = Dissimilarities(distances, graph.labels, "points")
    expected = [evaluate(e, points, sources=sources)["ad"] for sources in (None, 9)]
    for name in ("shortest_paths", "rows_from", "longest_distance"):
        monkeypatch.setattr(f"riemap.metrics.scores.{name}", None)
    found = [evaluate(e, graph, distances=distances, sources=sources)["ad"] for sources in (None, 9)]
    assert found == expected


# --- samples ----------------------------------------------------------------------------------------


def test_a_sample_estimates_with_its_standard_error() -> None:
    """Over many seeds, the root mean square error is about one standard error."""
    graph = random_graph(400, 500)
    e = embedding(graph)
    exact = evaluate(e, graph)
    draws = [evaluate(e, graph, sources=80, seed=seed) for seed in range(25)]
    for name in ("f1@1", "auc", "map", "ad", "ad_rescaled", "stress", "pearson", "spearman"):
        misses = np.array([(d[name] - exact[name]) / d.errors[name] for d in draws])
        assert 0.4 < np.sqrt(np.mean(misses**2)) < 2.5, name
    assert "worst" not in draws[0].errors
    assert draws[0].sources == 80


def test_a_sample_counts_every_pair_that_its_sources_see() -> None:
    graph = random_graph(40, 40)
    e = embedding(graph)
    found = evaluate(e, graph, sources=15, seed=2)
    drawn = np.random.default_rng(2).permutation(40)[:15]
    others = np.arange(40) != drawn[:, None]
    g = (shortest_paths(graph)[drawn] / shortest_paths(graph).max())[others]
    d = np.sqrt(e.sqdist_rows(drawn)[others])
    assert found["ad"] == pytest.approx(np.mean(np.abs(d - g) / g))
    assert found["ad_rescaled"] == pytest.approx(min(np.mean(np.abs(d / g / r - 1.0)) for r in d / g))
    assert found["spearman"] == pytest.approx(stats.spearmanr(d, g).statistic)
    assert found["pearson"] == pytest.approx(stats.pearsonr(d, g).statistic)


def test_a_sample_knows_the_largest_distance_of_all() -> None:
    """The largest distance is that of the graph, so a perfect embedding has no distortion in any sample."""
    graph = generate("path(n=50)")
    e = Embedding(Space.parse("E1"), (np.linspace(0.0, 1.0, 50)[:, None],), np.zeros(1), graph.labels)
    for seed in range(5):
        assert evaluate(e, graph, sources=3, seed=seed)["ad"] == pytest.approx(0.0, abs=SCORE)


def test_a_sample_of_all_is_exact_and_a_seed_repeats() -> None:
    graph = random_graph(50, 60)
    e = embedding(graph)
    assert evaluate(e, graph, sources=50) == evaluate(e, graph)
    assert evaluate(e, graph, sources=500) == evaluate(e, graph)
    first, again, other = (evaluate(e, graph, sources=9, seed=seed) for seed in (3, 3, 4))
    assert first == again != other
    assert evaluate(e, graph, sources=1).errors["ad"] is None
    with pytest.raises(ValueError, match="sources=0"):
        evaluate(e, graph, sources=0)


def test_a_large_graph_is_sampled_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riemap.metrics.scores.LARGEST_FULLY_SCORED", 100)
    monkeypatch.setattr("riemap.metrics.scores.SAMPLED_SOURCES", 30)
    graph = random_graph(120, 60, weighted=True)
    e = embedding(graph)
    assert evaluate(e, graph).sources == 30
    assert evaluate(e, graph, sources=120).sources == 120
    monkeypatch.setattr("riemap.metrics.scores.MIN_SAMPLED_SOURCES", 12)
    monkeypatch.setattr("riemap.metrics.scores.SAMPLED_PAIRS_WEIGHTED", 120 * 20)
    assert evaluate(e, graph).sources == 20
    assert evaluate(e, Graph.from_edges(graph.edges())).sources == 30


@pytest.mark.parametrize("weighted", [False, True])
def test_the_diameter_of_a_large_graph_is_not_searched_for(
    weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lower bound takes its place, which is the diameter of this graph."""
    graph = random_graph(120, 60, weighted=weighted)
    e = embedding(graph)
    exact = evaluate(e, graph, sources=30)
    module = import_module("riemap.distances.sampled_spread")  # whose name is also that of a function
    monkeypatch.setattr(module, "LARGEST_EXACT_DIAMETER", 100)
    monkeypatch.setattr(module, "LARGEST_EXACT_DIAMETER_WEIGHTED", 100)
    monkeypatch.setattr(module, "diameter", None)
    assert evaluate(e, graph, sources=30)["ad"] == pytest.approx(exact["ad"])


@given(graph=graphs(), seed=st.integers(0, 99), ties=st.booleans())
def test_few_nodes_and_many_give_the_same_bytes(graph: Graph, seed: int, ties: bool) -> None:
    """NumPy ranks few nodes and compiled loops many; equal distances included."""
    sqdist = np.random.default_rng(seed).random((graph.n, graph.n))
    sqdist = np.round(4.0 * sqdist) if ties else sqdist
    hops, sources = hop_counts(graph), np.arange(graph.n)
    found = []
    for few in (0, 1000):
        with patch.object(order, "FEW_NODES", few):
            found.append(rank_rows(sources, hops, sqdist, graph))
    assert [x.tobytes() for x in map(np.asarray, found[0])] == [
        x.tobytes() for x in map(np.asarray, found[1])
    ]


def test_any_number_of_threads_gives_the_same_scores() -> None:
    graph = random_graph(300, 300)
    found: list[Scores] = []
    for count in (1, 2, 3):
        with exactly(count):
            found.append(evaluate(embedding(graph), graph))
    assert found == [found[0]] * 3


# --- labels -----------------------------------------------------------------------------------------


def test_nodes_are_matched_by_label() -> None:
    graph = random_graph(30, 30)
    named = Graph(graph.indptr, graph.indices, None, tuple(f"n{i}" for i in range(30)), "named")
    e = embedding(named)
    order = np.random.default_rng(0).permutation(30)
    assert evaluate(e.reordered(tuple(named.labels[i] for i in order)), named) == evaluate(e, named)
    with pytest.raises(ValueError, match="not an embedding of graph: no node is called 0"):
        evaluate(e, graph)
    with pytest.raises(KeyError, match="no metric is called 'f2'; there are f1@1"):
        evaluate(e, named)["f2"]


@pytest.mark.parametrize("swap", [False, True])
def test_arguments_of_other_types_are_refused(swap: bool) -> None:
    graph = random_graph(9, 3)
    given_ = (graph, embedding(graph)) if swap else (embedding(graph), 3)
    with pytest.raises(TypeError, match=r"an Embedding or a Fit and its graph|cannot take a graph from int"):
        evaluate(*given_)
    with pytest.raises(TypeError, match="cannot take a graph from NoneType"):
        shortest_paths(None)


def test_the_rescaled_distortion_is_not_negative() -> None:
    """This holds for squared distances that are subnormal numbers."""
    graph = Graph.from_edges([(0, 1), (1, 2)])
    points = 1e-160 * np.arange(3.0)[:, None]
    e = Embedding(Space.parse("E1"), (points,), np.zeros(1), graph.labels)
    assert evaluate(e, graph)["ad_rescaled"] >= 0.0
