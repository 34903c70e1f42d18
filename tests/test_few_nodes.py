"""What is done without compiled loops for few nodes has the bytes that the loops would give."""

import numpy as np
import pytest
from numpy.typing import NDArray

from riemap import Graph, generate, lower_triangle
from riemap.distances import Target, hop_counts, hops, target
from riemap.graphs import edge_cleaning, graph
from riemap.metrics import comparison, correlation, score
from riemap.types import Array


def distances(weighted: bool) -> Array:
    rng = np.random.default_rng(0)
    points = rng.standard_normal((40, 2))
    lengths = np.linalg.norm(points[:, None] - points, axis=2)
    return lengths if weighted else np.ceil(lengths).astype(np.uint8)


@pytest.mark.parametrize("weighted", [False, True])
def test_targets(weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    given, nodes = Target(distances(weighted)), np.arange(3, 30, 3)
    out = [np.full((9, 9), 7.0) for _ in range(4)]
    found = [given.rows(slice(2, 9)), given.block(nodes, out[0]), given.block(nodes, out[1], half=True)]
    monkeypatch.setattr(target, "FEW_PAIRS", 0)
    expected = [given.rows(slice(2, 9)), given.block(nodes, out[2]), given.block(nodes, out[3], half=True)]
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)
    assert (out[1][np.triu_indices(9, 1)] == 7.0).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_scores(weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Squared distances are rounded, so that some of them are equal."""
    sqdist = np.round(distances(True) ** 2 + 0.3, 1)
    np.fill_diagonal(sqdist, 0.0)
    found = score(distances(weighted), sqdist)
    for module in (comparison, correlation):
        monkeypatch.setattr(module, "FEW_PAIRS", 0)
    assert score(distances(weighted), sqdist) == found


@pytest.mark.parametrize("symmetric", [False, True])
def test_matrices_are_mirrored_scaled_and_added(symmetric: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    given = np.random.default_rng(0).standard_normal((40, 40))
    found = [given.copy() for _ in range(4)]
    expected = [given.copy() for _ in range(4)]
    for matrices, few in ((found, 1600), (expected, 0)):
        monkeypatch.setattr(lower_triangle, "FEW_PAIRS", few)
        lower_triangle.mirror(matrices[0], matrices[0])
        lower_triangle.mirror(matrices[1], 2.0 * given)
        lower_triangle.scale(matrices[2], 0.3, symmetric)
        lower_triangle.accumulate(matrices[3], 0.3, 2.0 * given, symmetric)
    np.testing.assert_array_equal(found, expected)


def test_a_target_of_a_small_graph_is_squared() -> None:
    graph = generate("path(n=4)")
    assert isinstance(graph, Graph)
    np.testing.assert_allclose(Target.of(graph).rows(slice(0, 1)), [[0.0, 1 / 9, 4 / 9, 1.0]])


PAIRS = [np.random.default_rng(seed).integers(0, 70, (60, 2)) for seed in range(4)]
"""Ends of edges, with loops, parallel edges and several components."""


@pytest.mark.parametrize("pairs", PAIRS)
@pytest.mark.filterwarnings("ignore::riemap.graphs.GraphWarning")
def test_graphs_and_their_components(pairs: NDArray[np.int64], monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.arange(1.0, 61.0)
    found = Graph.from_edges(pairs, weights=weights, components="keep")
    components = found.component_numbers
    for module in (edge_cleaning, graph):
        monkeypatch.setattr(module, "FEW_EDGES", 0)
    expected = Graph.from_edges(pairs, weights=weights, components="keep")
    assert found.key == expected.key
    assert components[0] == expected.component_numbers[0] > 1
    np.testing.assert_array_equal(components[1], expected.component_numbers[1])
    count, member = edge_cleaning.components_of_edges(found.edges(), found.n)
    assert count == components[0]
    np.testing.assert_array_equal(member, components[1])


@pytest.mark.parametrize("pairs", PAIRS)
@pytest.mark.filterwarnings("ignore::riemap.graphs.GraphWarning")
def test_hop_counts(pairs: NDArray[np.int64], monkeypatch: pytest.MonkeyPatch) -> None:
    given, sources = Graph.from_edges(pairs, components="keep"), np.array([5, 0, 5])
    found = [hop_counts(given), hop_counts(given, sources)]
    monkeypatch.setattr(hops, "FEW_NODES", 0)
    for a, b in zip(found, [hop_counts(given), hop_counts(given, sources)], strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
