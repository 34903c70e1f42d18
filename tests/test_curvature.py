"""Curvatures of graphs equal closed forms and slow versions, on any number of threads."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from graph_helpers import random_graph
from helpers import parsed, run
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs
from thread_helpers import exactly
from tolerances import CURVATURE, RICCI_TRANSPORT, SECTIONAL_TWIN

from riemap.curvature import delta_exact, delta_sampled, gromov, ollivier, ollivier_ricci, sectional
from riemap.curvature import gromov_exact as exact
from riemap.curvature.sectional_curvature import _pair
from riemap.distances import shortest_paths
from riemap.graphs import Dissimilarities, Graph, generate

TREES = ["path(n=9)", "star(n=7)", "tree(r=3,h=3)", "random-tree(n=60,seed=1)"]


def cycle_with_long_edge() -> Graph:
    """Return a cycle whose last edge is longer than the path around it."""
    return Graph.from_edges([(0, 1), (1, 2), (2, 3), (0, 3)], [1.0, 0.5, 2.0, 9.0])


# --- δ ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [*TREES, "complete(n=7)", "path(n=2)", "path(n=3)"])
def test_trees_and_complete_graphs_have_no_delta(spec: str) -> None:
    graph = generate(spec)
    sampled = delta_sampled(graph, samples=500)
    assert (sampled.mean, sampled.se, sampled.max, delta_exact(graph)) == (0.0, 0.0, 0.0, 0.0)
    assert (sampled.values.tolist(), sampled.counts.tolist()) == ([0.0], [500])


@pytest.mark.parametrize("n", range(3, 18))
def test_delta_of_cycles(n: int) -> None:
    """δ of a cycle is ⌊n/4⌋, or one half less if n = 4k + 1."""
    assert delta_exact(generate(f"cycle(n={n})")) == n // 4 - (0.5 if n % 4 == 1 else 0.0)


@pytest.mark.parametrize(("n", "m"), [(2, 2), (2, 7), (3, 5), (6, 6), (4, 9)])
def test_delta_of_grids(n: int, m: int) -> None:
    """δ of a grid is its shorter side, counted in edges."""
    import networkx as nx

    edges = nx.convert_node_labels_to_integers(nx.grid_2d_graph(n, m)).edges
    assert delta_exact(Graph.from_edges(list(edges))) == min(n, m) - 1


@given(graph=graphs(max_nodes=14))
def test_exact_delta_equals_its_twin(graph: Graph) -> None:
    found = max(naive.deltas(naive.shortest_paths(graph)), default=0.0)
    assert delta_exact(graph) == pytest.approx(found, abs=CURVATURE)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", [4, 10, 25])
def test_exact_delta_in_small_parts(m: int, weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """δ equals its slow version if pairs are compared in batches of one to three."""
    monkeypatch.setattr(exact, "FIRST_BATCH_PAIRS", 1)
    monkeypatch.setattr(exact, "LARGEST_BATCH_PAIRS", 3)
    for seed in range(3):
        graph = random_graph(25, m, seed, weighted)
        found = max(naive.deltas(naive.shortest_paths(graph)))
        assert delta_exact(graph) == pytest.approx(found, abs=CURVATURE)


@pytest.mark.parametrize("weighted", [False, True])
def test_exact_delta_ends_early(weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are visited by decreasing distance, and the search ends before a fifth of them are visited."""
    monkeypatch.setattr(exact, "FIRST_BATCH_PAIRS", 20)
    monkeypatch.setattr(exact, "LARGEST_BATCH_PAIRS", 20)
    graph = random_graph(150, 100, weighted=weighted)
    whole = Dissimilarities(np.array(shortest_paths(graph), dtype=np.float64), graph.labels, "whole")
    told: list[float] = []
    assert delta_exact(graph, progress=told.append) == pytest.approx(delta_exact(whole), abs=CURVATURE)
    assert told == sorted(told)
    assert told[-2] < 0.2
    assert told[-1] == 1.0


@given(graph=graphs(max_nodes=8))
def test_sampled_delta_is_the_mean_of_all_quadruples(graph: Graph) -> None:
    """The mean is within six standard errors of the exact mean, and all values occur in the graph."""
    every = naive.deltas(naive.shortest_paths(graph)) or [0.0]
    found = delta_sampled(graph, samples=20_000)
    assert found.mean == pytest.approx(np.mean(every), abs=6 * np.std(every) / np.sqrt(20_000) + CURVATURE)
    assert found.se == pytest.approx(np.std(every) / np.sqrt(20_000), rel=0.3, abs=1e-4)
    assert found.max == pytest.approx(max(every), abs=CURVATURE)
    assert found.samples == 20_000
    if graph.weights is None:
        assert set(found.values.tolist()) == set(every)
        assert found.mean == pytest.approx(
            found.values @ found.counts / found.samples, rel=CURVATURE, abs=1e-15
        )


def test_delta_of_dissimilarities_that_are_no_metric() -> None:
    """δ does not need the triangle inequality. More than 200 points are refused."""
    rng = np.random.default_rng(0)
    matrix = rng.uniform(0.1, 5.0, (12, 12))
    matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
    points = Dissimilarities(matrix, tuple(range(12)), "points")
    every = naive.deltas(matrix)
    assert delta_exact(points) == pytest.approx(max(every), rel=CURVATURE)
    found = delta_sampled(points, samples=50_000)
    assert found.mean == pytest.approx(np.mean(every), abs=6 * found.se)
    assert found.ranges
    assert found.values[-1] == found.max
    many = Dissimilarities(1.0 - np.eye(201), tuple(range(201)), "many")
    with pytest.raises(ValueError, match=r"many: 201 points are too many .* at most 200 .* delta_sampled"):
        delta_exact(many)


def test_seeds_differ_and_repeat() -> None:
    graph = random_graph(60, 60)
    first, again, other = (delta_sampled(graph, samples=100_000, seed=s) for s in (3, 3, 4))
    assert first.counts.tolist() == again.counts.tolist() != other.counts.tolist()
    once, twice = (delta_sampled(graph, samples=k * gromov.QUADRUPLES_PER_STREAM) for k in (1, 2))
    assert twice.counts.tolist() != (2 * once.counts).tolist()


# --- Ollivier-Ricci ---------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", TREES)
def test_ricci_of_trees(spec: str) -> None:
    """The limit α → 1 is 2/deg x + 2/deg y - 2; α = 0 gives -2 max(0, 1 - 1/deg x - 1/deg y)."""
    graph = generate(spec)
    share = (1.0 / graph.degrees)[graph.edges()].sum(axis=1)
    np.testing.assert_allclose(ollivier_ricci(graph, 1).curvature, 2 * share - 2, atol=CURVATURE)
    np.testing.assert_allclose(
        ollivier_ricci(graph, 0).curvature, -2 * np.maximum(1 - share, 0), atol=CURVATURE
    )


@pytest.mark.parametrize(
    ("spec", "limit", "without_laziness"),
    [
        ("complete(n=2)", 2, 0),
        ("complete(n=7)", 7 / 6, 5 / 6),
        ("hypercube(d=4)", 2 / 4, 0),
        ("cycle(n=3)", 3 / 2, 1 / 2),
        ("cycle(n=4)", 1, 0),
        ("cycle(n=5)", 1 / 2, 0),
        ("cycle(n=6)", 0, 0),
        ("cycle(n=40)", 0, 0),
    ],
)
def test_ricci_as_in_the_literature(spec: str, limit: float, without_laziness: float) -> None:
    graph = generate(spec)
    np.testing.assert_allclose(ollivier_ricci(graph, 1).curvature, limit, atol=CURVATURE)
    np.testing.assert_allclose(ollivier_ricci(graph, 0).curvature, without_laziness, atol=CURVATURE)
    np.testing.assert_allclose(ollivier_ricci(graph, 0.75).curvature, limit / 4, atol=CURVATURE)


@given(graph=graphs(), alpha=st.sampled_from([0.0, 0.05, 0.1, 1 / 3, 0.5, 0.9, 1.0]))
def test_ricci_equals_optimal_transport_by_pot(graph: Graph, alpha: float) -> None:
    np.testing.assert_allclose(
        ollivier_ricci(graph, alpha).curvature, naive.ricci(graph, alpha), atol=RICCI_TRANSPORT
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.013, 0.5, 1])
def test_ricci_of_larger_neighbourhoods(
    alpha: float, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Curvature equals that of POT for dense neighbourhoods and several blocks of edges."""
    monkeypatch.setattr(ollivier, "RICCI_PROGRESS_EDGES", 100)
    graph = random_graph(60, 400, weighted=weighted)
    told: list[float] = []
    found = ollivier_ricci(graph, alpha, progress=told.append)
    np.testing.assert_allclose(found.curvature, naive.ricci(graph, alpha), atol=RICCI_TRANSPORT)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_ricci_divides_by_the_distance_not_by_the_edge() -> None:
    graph = cycle_with_long_edge()
    np.testing.assert_allclose(ollivier_ricci(graph).curvature, naive.ricci(graph, 0.5), atol=CURVATURE)
    scaled = Graph.from_edges([(0, 1), (1, 2), (2, 3), (0, 3)], [3.0, 1.5, 6.0, 27.0])
    np.testing.assert_allclose(
        ollivier_ricci(graph).curvature, ollivier_ricci(scaled).curvature, rtol=0, atol=CURVATURE
    )


def test_ricci_of_nodes_is_the_mean_over_their_edges() -> None:
    graph = random_graph(30, 40)
    found = ollivier_ricci(graph)
    for node in range(graph.n):
        at = (found.edges == node).any(axis=1)
        assert found.node_means[node] == pytest.approx(found.curvature[at].mean())
    assert found.summary.median == np.median(found.curvature)


@pytest.mark.parametrize(
    ("name", "mean"), [("csphd", -0.01045), ("bio-diseasome", 0.13514), ("power", -0.10234)]
)
def test_ricci_of_the_papers_graphs(name: str, mean: float, paper_graph: Callable[[str], Graph]) -> None:
    """The mean curvatures equal those that the library GraphRicciCurvature gives."""
    assert ollivier_ricci(paper_graph(name), 0.5).curvature.mean() == pytest.approx(mean, abs=1e-5)


@pytest.mark.parametrize(("name", "mean", "greatest"), [("csphd", 0.51, 6.5), ("bio-diseasome", 0.20, 2.5)])
def test_delta_of_the_papers_graphs(
    name: str, mean: float, greatest: float, paper_graph: Callable[[str], Graph]
) -> None:
    graph = paper_graph(name)
    assert delta_sampled(graph).mean == pytest.approx(mean, abs=0.006)
    assert delta_exact(graph) == greatest


# --- sectional --------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", TREES)
def test_sectional_of_trees_is_not_positive(spec: str) -> None:
    values = sectional(generate(spec)).values
    assert values.max() <= CURVATURE
    if spec.startswith("path"):
        np.testing.assert_allclose(values, 0.0, atol=CURVATURE)
    else:
        assert values.min() < -0.1


@pytest.mark.parametrize("n", [3, 4, 5, 8, 31])
def test_sectional_of_cycles_is_positive(n: int) -> None:
    values = sectional(generate(f"cycle(n={n})")).values
    assert len(values) == n
    assert values.min() > 0.0


@pytest.mark.parametrize("n", [4, 5, 30])
def test_sectional_of_complete_graphs_is_an_eighth(n: int) -> None:
    """The value is 1/8 seen from a third node, and 3/8 seen from one of the two neighbours."""
    graph = generate(f"complete(n={n})")
    np.testing.assert_allclose(sectional(graph).values, 1 / 8, rtol=CURVATURE)
    np.testing.assert_allclose(sectional(graph, ends=True).values, (n + 3) / (8 * (n - 1)), rtol=CURVATURE)


@given(graph=graphs(), ends=st.booleans())
def test_sectional_equals_its_twin(graph: Graph, ends: bool) -> None:
    ends = ends or graph.n < 4
    found, twin = sectional(graph, ends=ends), naive.sectional(graph, ends)
    for m in range(graph.n):
        np.testing.assert_allclose(
            sorted(found.values_at_node(m)), sorted(twin[m]), rtol=SECTIONAL_TWIN, atol=SECTIONAL_TWIN
        )
        if twin[m]:
            assert found.node_means[m] == pytest.approx(np.mean(twin[m]), abs=SECTIONAL_TWIN)
        else:
            assert np.isnan(found.node_means[m])
    assert (found.summary is None) == (len(found.values) == 0)


def test_pairs_of_nodes_with_many_neighbours_are_drawn() -> None:
    graph = random_graph(80, 300)
    whole, some = sectional(graph), sectional(graph, pairs=30, seed=1)
    assert len(whole.sampled_nodes) == 0
    assert some.sampled_nodes.tolist() == np.flatnonzero(graph.degrees > 8).tolist()
    for m in range(graph.n):
        assert set(some.values_at_node(m)) <= set(whole.values_at_node(m))
        assert len(some.values_at_node(m)) == min(len(whole.values_at_node(m)), 30)
    assert some.values.tobytes() == sectional(graph, pairs=30, seed=1).values.tobytes()
    assert some.values.tobytes() != sectional(graph, pairs=30, seed=2).values.tobytes()


def test_numbers_of_pairs_count_all_of_them() -> None:
    assert [_pair(p) for p in range(6)] == [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]
    for i in (1000, 30_000_000):
        assert _pair(i * (i - 1) // 2) == (i, 0)
        assert _pair(i * (i - 1) // 2 - 1) == (i - 1, i - 2)


# --- threads and arguments --------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_any_number_of_threads_gives_the_same_bytes(weighted: bool) -> None:
    graph = random_graph(120, 150, weighted=weighted)
    found = []
    for count in (1, 2, 3):
        with exactly(count):
            delta = delta_sampled(graph, samples=100_000)
            arrays = (ollivier_ricci(graph).curvature, sectional(graph, pairs=10).values, delta.counts)
            found.append((*(a.tobytes() for a in arrays), delta.mean, delta.se, delta_exact(graph)))
    assert found == [found[0]] * 3


KARATE = Graph.from_edges([(0, 1), (1, 2), (2, 3), (0, 3)])
POINTS = Dissimilarities(1.0 - np.eye(3), (0, 1, 2), "points")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: delta_sampled(KARATE, samples=0),
            "samples=0 is not a whole number from 1 up, e.g. samples=",
        ),
        (lambda: delta_sampled(KARATE, samples=1.5), "samples=1.5 is not a whole number"),  # type: ignore[arg-type]
        (lambda: delta_sampled(KARATE, seed=-1), "seed=-1 is not a whole number from 0 up, e.g. seed=0"),
        (lambda: ollivier_ricci(KARATE, 1.1), "alpha=1.1 is not a number from 0 to 1 .* e.g. 0.5"),
        (lambda: ollivier_ricci(KARATE, float("nan")), "alpha=nan is not a number from 0 to 1"),
        (lambda: ollivier_ricci(KARATE, "half"), "alpha='half' is not a number"),  # type: ignore[arg-type]
        (lambda: ollivier_ricci(POINTS), "points: Ricci curvature needs a graph"),  # type: ignore[arg-type]
        (lambda: sectional(POINTS), "points: sectional curvature needs a graph"),  # type: ignore[arg-type]
        (lambda: sectional(KARATE, pairs=0), "pairs=0 is not a whole number from 1 up"),
        (lambda: sectional(KARATE, seed=-2), "seed=-2 is not a whole number from 0 up"),
    ],
)
def test_bad_arguments_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


# --- riemap describe --curvature --------------------------------------------------------------------


def test_describe_shows_curvatures(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("describe", "karate", "--curvature", "--exact", "--alpha", "1") == 0
    out = capsys.readouterr().out
    assert "δ-hyperbolicity  mean 0.16" in out
    assert "largest 1 of 1,000,000 random quadruples, 1 of all" in out
    table = [line.split() for line in out.splitlines()[-3:]]
    assert table[0] == ["mean", "min", "q25", "median", "q75", "max"]
    assert table[1][:5] == ["Ricci,", "limit", "α", "→", "1"]
    assert table[2][0] == "sectional"
    assert len(table[2]) == 7


def test_describe_curvatures_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("describe", "karate", "--curvature", "--json", "--seed", "5") == 0
    found = parsed(capsys.readouterr().out)
    assert found["delta"]["max"] == 1.0
    assert found["delta"]["exact"] is None
    assert found["delta"]["seed"] == 5
    assert sum(found["delta"]["counts"]) == found["delta"]["samples"]
    assert found["ricci"]["alpha"] == 0.5
    assert found["ricci"]["q25"] < found["ricci"]["mean"] < found["ricci"]["q75"]
    assert found["sectional"]["mean"] < 0.0
    assert run("describe", "karate", "--json") == 0
    assert "delta" not in parsed(capsys.readouterr().out)


def test_describe_curvatures_without_edges_or_pairs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "four.npy", 1.0 - np.eye(4))
    assert run("describe", str(tmp_path / "four.npy"), "--curvature", "--exact") == 0
    assert "need a graph; dissimilarities have no edges" in capsys.readouterr().out
    assert run("describe", str(tmp_path / "four.npy"), "--curvature", "--json") == 0
    found = parsed(capsys.readouterr().out)
    assert (found["ricci"], found["sectional"], found["delta"]["mean"]) == (None, None, 0.0)
    assert run("describe", "path(n=2)", "--curvature", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["ricci"]["mean"], found["sectional"]) == (1.0, None)
    assert run("describe", "path(n=2)", "--curvature") == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["sectional", *"------"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--exact"], "riemap: --alpha, --exact and --seed are options of --curvature; add --curvature"),
        (["--curvature", "--alpha", "2"], "riemap: alpha=2.0 is not a number from 0 to 1"),
        (["--curvature", "--seed", "-1"], "riemap: seed=-1 is negative; a seed is a whole number from 0 up"),
    ],
)
def test_describe_refuses(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("describe", "karate", *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message)
    assert err.count("\n") == 1
