"""Facts of large graphs are estimated from some nodes and edges: unbiased, with standard errors, and told."""

import json
from typing import Any

import numpy as np
import pytest
from helpers import run
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

from riemap.cli import describe
from riemap.curvature import delta_among, delta_exact, delta_sampled, ollivier_ricci, ricci_sampled
from riemap.distances import diameter, pseudo_diameter, sampled_spread, shortest_paths, spread
from riemap.errors import InputError
from riemap.graphs import Graph, generate


@given(graphs())
def test_all_nodes_as_sources_count_each_pair_twice(graph: Graph) -> None:
    """Then nothing is estimated, and the standard errors are zero."""
    exact, found = spread(graph), sampled_spread(graph, np.arange(graph.n))
    np.testing.assert_allclose(found.spread.lengths, exact.lengths)
    assert found.spread.counts.tolist() == (2 * exact.counts).tolist()
    assert found.spread.mean == pytest.approx(exact.mean)
    assert found.mean_se == 0.0
    assert not found.share_se.any()
    assert found.longest == pytest.approx(diameter(graph))
    np.testing.assert_allclose(found.among, shortest_paths(graph))


def test_many_lengths_are_counted_in_ranges() -> None:
    graph = generate("torus(n=40,m=40)")
    rng = np.random.default_rng(0)
    weighted = Graph.from_edges(graph.edges(), rng.uniform(0.5, 2.0, graph.m))
    sources = rng.choice(graph.n, 20, replace=False)
    lengths, counts, mean, exact = sampled_spread(weighted, sources).spread
    rows = shortest_paths(weighted)[sources]
    assert not exact
    assert len(lengths) == 20
    assert counts.sum() == 20 * (graph.n - 1)
    assert mean == pytest.approx(rows.sum() / (20 * (graph.n - 1)))
    edges = np.concatenate([[0.0], lengths])
    edges[-1] += 1e-9
    assert np.abs(np.histogram(rows[rows > 0.0], edges)[0] - counts).sum() <= 2
    assert lengths[-2] < rows.max() <= lengths[-1]


def test_standard_errors_are_those_of_repeated_draws() -> None:
    """The mean distances of many draws spread as their standard errors say."""
    graph = generate("barabasi-albert(n=400,m=2,seed=1)")
    rng = np.random.default_rng(0)
    found = [sampled_spread(graph, rng.choice(graph.n, 20, replace=False)) for _ in range(60)]
    spread_of_means = np.std([one.spread.mean for one in found])
    assert np.mean([one.mean_se for one in found]) == pytest.approx(spread_of_means, rel=0.3)


def test_a_double_sweep_finds_the_ends_of_a_path() -> None:
    path = Graph.from_edges([(i, i + 1) for i in range(99)])
    assert sampled_spread(path, np.array([40, 50])).longest == 99.0
    assert pseudo_diameter(path) == 99.0


@given(graphs(), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_ricci_of_drawn_edges_is_that_of_all(graph: Graph, alpha: float) -> None:
    exact = dict(zip(map(tuple, graph.edges().tolist()), ollivier_ricci(graph, alpha).curvature, strict=True))
    for count in (2, 10**6):
        found = ricci_sampled(graph, alpha, edges=count, seed=3)
        assert len(found.edges) == min(count, graph.m)
        expected = [exact[edge] for edge in map(tuple, found.edges.tolist())]
        np.testing.assert_allclose(found.curvature, expected, atol=1e-9)


def test_delta_among_random_nodes() -> None:
    graph = generate("barabasi-albert(n=300,m=2,seed=1)")
    rng = np.random.default_rng(0)
    distances = shortest_paths(graph).astype(float)
    exact = delta_sampled(graph).mean
    found = []
    for seed in range(20):
        nodes = rng.choice(graph.n, 64, replace=False)
        found.append(delta_among(distances[np.ix_(nodes, nodes)], samples=20_000, seed=seed))
    errors = np.array([(one.mean - exact) / one.se for one in found])
    assert abs(errors.mean()) < 1.0
    assert 0.4 < errors.std() < 1.6
    assert max(one.max for one in found) <= delta_exact(graph)
    with pytest.raises(InputError, match="eight nodes or more, not 7"):
        delta_among(distances[:7, :7])


@pytest.mark.parametrize("spec", ["barabasi-albert(n=300,m=2,seed=1)", "torus(n=20,m=15)"])
def test_describe_marks_what_is_sampled(
    spec: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(describe, "LARGEST_FULLY_DESCRIBED", 100)
    monkeypatch.setattr(describe, "SAMPLED_PAIRS", 300 * 40)
    assert run("describe", spec, "--curvature", "--json") == 0
    facts: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert facts["sampled"] is facts["ricci"]["sampled"] is True
    assert facts["sources"] == facts["delta"]["nodes"] == 40
    assert facts["mean_distance"] == pytest.approx(
        spread(generate(spec)).mean, abs=5 * facts["mean_distance_se"]
    )
    assert facts["diameter"] <= diameter(generate(spec))
    assert len(facts["distances"]["share_se"]) == len(facts["distances"]["pairs"])
    assert (facts["ricci"]["se"] > 0.0) == ("barabasi" in spec)
    assert facts["sectional"] is None
    assert run("describe", spec, "--curvature") == 0
    printed = capsys.readouterr()
    assert "counting the distances from 40 of 300 nodes" in printed.err
    for text in (
        "at least",
        "from 40 random nodes",
        " ± ",
        "of 40 random nodes",
        "random edges; the standard",
    ):
        assert text in printed.out
    assert run("describe", spec, "--curvature", "--exact") == 2
    assert "300 nodes are too many" in capsys.readouterr().err
