"""Distances to landmarks and within balls are exact, for any graph and number of threads."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from graph_helpers import random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies import graphs
from thread_helpers import exactly
from tolerances import PATH_LENGTH

from riemap import InputError, generate
from riemap.distances import shortest_paths, store
from riemap.distances.balls import HUB_NEIGHBOURS, balls
from riemap.distances.landmark_hops import Told, source_columns
from riemap.distances.landmarks import Landmarks, columns_from, landmark_nodes
from riemap.distances.sampled_target import SampledTarget, pool_of_balls
from riemap.files import cache_folder
from riemap.graphs import Graph

SINGLE = 1e-6
"""Relative error of lengths that are kept with seven digits."""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIEMAP_CACHE", str(tmp_path))


@given(graph=graphs(), seed=st.integers(0, 99))
@settings(max_examples=30)
def test_columns_are_rows_of_the_matrix(graph: Graph, seed: int) -> None:
    sources = np.random.default_rng(seed).integers(0, graph.n, 9)
    expected = shortest_paths(graph, stored=False)[:, sources]
    np.testing.assert_allclose(columns_from(graph, sources), expected, rtol=SINGLE)


@pytest.mark.parametrize("count", [64, 65, 193, 700])
def test_many_sources_in_batches_of_any_width(count: int) -> None:
    graph = random_graph(900, 2000, seed=1)
    sources = np.random.default_rng(0).permutation(graph.n)[:count]
    expected = shortest_paths(graph, stored=False)[:, sources]
    for threads in (1, 2):
        with exactly(threads):
            assert np.array_equal(source_columns(graph, sources), expected)


@pytest.mark.parametrize("n", [200, 257, 600])
def test_counts_over_255_are_found(n: int) -> None:
    graph = generate(f"path(n={n})")
    for sources in (np.array([n // 2, 0]), np.arange(n)):
        found = source_columns(graph, sources)
        assert np.array_equal(found, np.abs(np.arange(n)[:, None] - sources))


def test_landmarks_are_the_same_for_the_same_seed() -> None:
    graph = generate("tree(r=3,h=5)")
    nodes = landmark_nodes(graph, 20, 3)
    assert np.array_equal(nodes, landmark_nodes(graph, 20, 3))
    assert not np.array_equal(nodes, landmark_nodes(graph, 20, 4))
    assert len(np.unique(nodes)) == 20
    found = Landmarks.of(graph, 20, 3, stored=False)
    assert np.array_equal(found.nodes, nodes)
    assert found.maximum == 10.0  # both ends of a longest path are landmarks
    assert len(Landmarks.of(graph, 10**6, stored=False).nodes) == graph.n


def test_landmarks_are_stored_and_damage_is_noticed() -> None:
    graph = random_graph(300, 600, seed=2)
    first = Landmarks.of(graph, 40)
    with patch("riemap.distances.landmarks.columns_from", side_effect=AssertionError):
        again = Landmarks.of(graph, 40)
        assert np.array_equal(first.columns, again.columns)
        with pytest.raises(AssertionError):
            Landmarks.of(graph, 40, seed=1)
    path = store._path(graph, store.Landmarked(40, 0))
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    with pytest.warns(UserWarning, match="damaged"):
        assert np.array_equal(Landmarks.of(graph, 40).columns, first.columns)


@pytest.mark.parametrize("weighted", [False, True])
def test_landmarks_go_on_where_a_process_was_killed(weighted: bool) -> None:
    """What was computed is stored part by part, and only the rest is computed again."""
    graph = random_graph(30, 40, seed=4, weighted=weighted)
    asked: list[int] = []

    def search(graph: Graph, sources: NDArray[np.int64], told: Told) -> NDArray[Any]:
        if len(asked) == 2:
            asked.append(0)
            raise KeyboardInterrupt
        asked.append(len(sources))
        return columns_from(graph, sources, told)

    shares: list[float] = []
    with patch("riemap.distances.landmarks.LEAST_PART_BYTES", 0):
        with pytest.raises(KeyboardInterrupt):
            Landmarks.of(graph, 10, search=search, together=4)
        found = Landmarks.of(graph, 10, search=search, together=4, told=shares.append)
    assert asked == [4, 4, 0, 2]
    assert shares == [0.4, 0.8, 1.0]
    assert np.array_equal(found.columns, Landmarks.of(graph, 10, stored=False).columns)
    (whole,) = (cache_folder() / "distances").glob(f"{graph.key}*")
    assert whole.name == f"{graph.key}-10-0.npy", "the parts are removed"
    left = whole.with_name(f"{graph.key}-10-0-4-8.npy")
    left.touch()
    Landmarks.of(graph, 10)
    assert not left.exists(), "a process that was killed after it had stored all left a part"


def test_landmarks_need_a_connected_graph() -> None:
    graph = Graph.from_edges([(0, 1), (2, 3)], components="keep")
    with pytest.raises(InputError, match="2 components"):
        Landmarks.of(graph, 2)


@given(graph=graphs(), size=st.integers(2, 70), seed=st.integers(0, 99))
@settings(max_examples=40)
def test_balls_are_exact(graph: Graph, size: int, seed: int) -> None:
    expected = shortest_paths(graph, stored=False)
    found = balls(graph, np.arange(graph.n), size, seed)
    for centre, nodes, distances in zip(range(graph.n), *found, strict=True):
        inside = nodes[nodes >= 0]
        assert inside[0] == centre
        assert len(np.unique(inside)) == len(inside) == min(size, graph.n)
        part = distances[: len(inside), : len(inside)]
        np.testing.assert_allclose(part, expected[np.ix_(inside, inside)], rtol=SINGLE)


@pytest.mark.parametrize("spelled", ["path(n=300)", "tree(r=40,h=2)", "cycle(n=400)", "grid(n=20,d=2)"])
def test_large_balls_are_exact(spelled: str) -> None:
    graph = generate(spelled)
    expected = shortest_paths(graph, stored=False)
    with exactly(1):
        alone = balls(graph, np.arange(0, graph.n, 7), 256)
    with exactly(2):
        found = balls(graph, np.arange(0, graph.n, 7), 256)
    assert np.array_equal(found.distances, alone.distances)
    for nodes, distances in zip(*found, strict=True):
        inside = nodes[nodes >= 0]
        assert np.array_equal(distances[: len(inside), : len(inside)], expected[np.ix_(inside, inside)])


def test_a_hub_does_not_fill_a_ball() -> None:
    star = generate(f"tree(r={4 * HUB_NEIGHBOURS},h=1)")
    found = balls(star, np.array([0]), 256).nodes[0]
    assert np.count_nonzero(found >= 0) == HUB_NEIGHBOURS + 1


def test_a_ball_is_refused_if_it_is_too_large() -> None:
    with pytest.raises(InputError, match="256"):
        balls(generate("path(n=9)"), np.array([0]), 257)


@pytest.mark.parametrize("weighted", [False, True])
def test_sampled_targets_are_those_of_the_matrix(weighted: bool) -> None:
    graph = random_graph(200, 500, seed=3)
    if weighted:
        graph = Graph.from_edges(graph.edges(), np.random.default_rng(0).uniform(0.5, 2.0, graph.m))
    expected = shortest_paths(graph, stored=False)
    target = SampledTarget(graph, Landmarks.of(graph, 30), pool_of_balls(graph, 5, 40, 0))
    squares = (expected / target.maximum) ** 2
    nodes, columns = np.array([3, 50, 199]), np.array([0, 7, 29])
    found = target.rows(slice(3, 200)).block(nodes - 3, columns)
    np.testing.assert_allclose(found, squares[np.ix_(nodes, target.landmarks.nodes[columns])], rtol=SINGLE)
    ball = target.ball_group(slice(2, 5)).ball(2)
    assert (np.diff(ball.nodes) > 0).all()
    np.testing.assert_allclose(ball.target, squares[np.ix_(ball.nodes, ball.nodes)], rtol=SINGLE)
    off = ~np.eye(graph.n, dtype=bool)
    np.testing.assert_allclose(target.least, squares[off].min(), rtol=PATH_LENGTH)
