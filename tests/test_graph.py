"""Graph.from_edges keeps a simple connected graph as it is, and warns of every change to others."""

import warnings
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from riemap.distances import Target
from riemap.graphs import Dissimilarities, Graph, GraphWarning

nodes = st.integers(0, 11)
edge_lists = st.lists(st.tuples(nodes, nodes), min_size=1, max_size=40)


def quietly(edges: object, weights: object = None, **options: object) -> Graph:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphWarning)
        return Graph.from_edges(edges, weights, **options)  # type: ignore[arg-type]


def largest(graph: nx.Graph) -> nx.Graph:
    """Return the largest component without self-loops; among equals, the one with the smallest node."""
    graph = graph.copy()
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return graph.subgraph(max(nx.connected_components(graph), key=lambda c: (len(c), -min(c))))


@given(edge_lists)
def test_equals_networkx(edges: list[tuple[int, int]]) -> None:
    """Nodes, edges and degrees equal those of NetworkX, for any order and direction of the edges."""
    reference = nx.Graph(edges)
    reference.add_nodes_from(range(max(map(max, edges))))
    theirs = largest(reference)
    if theirs.number_of_edges() == 0:
        with pytest.raises(ValueError, match="every edge is a self-loop"):
            Graph.from_edges(edges)
        return
    ours = quietly(edges)
    assert ours.labels == tuple(sorted(theirs))
    named = {(ours.labels[u], ours.labels[v]) for u, v in ours.edges()}
    assert named == {(min(e), max(e)) for e in theirs.edges}
    assert (ours.n, ours.m) == (theirs.number_of_nodes(), theirs.number_of_edges())
    assert ours.degrees.tolist() == [theirs.degree[label] for label in ours.labels]


@given(edge_lists)
def test_rows_are_sorted_and_symmetric(edges: list[tuple[int, int]]) -> None:
    """The columns of each row are increasing, and each weight is stored at both ends of its edge."""
    weights = [1.0 + u * v for u, v in edges]
    if all(u == v for u, v in edges):
        return
    graph = quietly(edges, weights)
    lengths = graph.weights if graph.weights is not None else np.ones(2 * graph.m)
    dense = np.zeros((graph.n, graph.n))
    for i in range(graph.n):
        row = slice(graph.indptr[i], graph.indptr[i + 1])
        assert (np.diff(graph.indices[row]) > 0).all()
        dense[i, graph.indices[row]] = lengths[row]
    np.testing.assert_array_equal(dense, dense.T)
    for (i, j), length in np.ndenumerate(dense):
        if length:
            assert length == 1.0 + graph.labels[i] * graph.labels[j]


@given(edge_lists)
def test_key_depends_on_content_alone(edges: list[tuple[int, int]]) -> None:
    """The key depends on every edge, but not on names, labels, or the order and direction of edges."""
    if all(u == v for u, v in edges):
        return
    graph = quietly(edges)
    n = max(map(max, edges)) + 1
    again = quietly([(v, u) for u, v in reversed(edges)], name="other", labels=[f"n{i}" for i in range(n)])
    assert again.key == graph.key
    longer = quietly([*graph.edges().tolist(), (0, graph.n)])
    assert longer.key != graph.key
    weighted = quietly(graph.edges(), np.full(graph.m, 2.0))
    assert weighted.key not in (graph.key, longer.key)


def test_key_sees_the_last_edge_of_a_long_path() -> None:
    path = np.column_stack([np.arange(999), np.arange(1, 1000)])
    shortcut = np.vstack([path, [997, 999]])
    lengths = np.full(999, 2.0)
    keys = {quietly(path).key, quietly(shortcut).key, quietly(path, lengths).key}
    lengths[-1] = 3.0
    assert len(keys | {quietly(path, lengths).key}) == 4


def test_self_loops_are_counted() -> None:
    with pytest.warns(GraphWarning, match=r"^g: dropped 2 self-loops$"):
        graph = Graph.from_edges([(0, 0), (0, 1), (1, 1)], name="g")
    assert (graph.n, graph.m) == (2, 1)


def test_parallel_edges_are_counted_and_the_shortest_is_kept() -> None:
    with pytest.warns(GraphWarning, match=r"^g: merged 2 parallel edges into 2$"):
        Graph.from_edges([(0, 1), (1, 0), (0, 1), (1, 2)], name="g")
    with pytest.warns(
        GraphWarning, match=r"merged 1 parallel edge into 1; where lengths differ, the shortest"
    ):
        graph = Graph.from_edges([(0, 1), (1, 0)], [3.0, 2.0])
    assert graph.weights is not None
    assert graph.weights.tolist() == [2.0, 2.0]


def test_small_components_are_left_out_with_both_sizes() -> None:
    edges = [(0, 1), (2, 3), (3, 4)]
    with pytest.warns(GraphWarning, match=r"2 components, the largest with 3 of 5 nodes and 2 of 3 edges"):
        graph = Graph.from_edges(edges, labels="abcde")
    assert graph.labels == ("c", "d", "e")
    assert graph.edges().tolist() == [[0, 1], [1, 2]]


def test_isolated_nodes_are_components() -> None:
    with pytest.warns(GraphWarning, match="the largest with 2 of 3 nodes and 1 of 1 edges"):
        assert Graph.from_edges([(0, 1)], labels="abc").labels == ("a", "b")


def test_components_can_be_refused() -> None:
    with pytest.raises(
        ValueError, match=r"2 components, the largest with 2 of 4 nodes.*components='largest'"
    ):
        Graph.from_edges([(0, 1), (2, 3)], components="require")


def test_a_connected_simple_graph_gives_no_warning() -> None:
    graph = Graph.from_edges([(0, 1), (1, 2)], components="require")
    assert repr(graph) == "<Graph graph: 3 nodes, 2 edges>"


def test_weights_of_one_are_no_weights() -> None:
    assert Graph.from_edges([(0, 1)], [1.0]).weights is None
    assert Graph.from_edges([(0, 1)], [2.0]).weights is not None


def test_arrays_are_read_only() -> None:
    graph = Graph.from_edges([(0, 1)], [2.0])
    for array in (graph.indptr, graph.indices, graph.weights):
        assert array is not None
        assert not array.flags.writeable


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan"), float("inf")])
def test_bad_weights_are_told_by_their_place(weight: float) -> None:
    with pytest.raises(ValueError, match=r"g, line 12: weight .* is not a positive number.*e\.g\. 2\.5"):
        Graph.from_edges([(0, 1), (1, 2)], [1.0, weight], name="g", place=lambda i: f"line {11 + i}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"edges": []}, "no edges"),
        ({"edges": [(0, 1, 2)]}, r"an \(m, 2\) array of node numbers, not int64\(1, 3\)"),
        ({"edges": [(0.0, 1.0)]}, "not float64"),
        ({"edges": [(0, -1)]}, "node number -1 is negative"),
        ({"edges": [(0, 0)]}, "every edge is a self-loop"),
        ({"edges": [(0, 1)], "labels": "a"}, "names node 1, but there are 1 labels"),
        ({"edges": [(0, 1)], "labels": "aa"}, "same label"),
        ({"edges": [(0, 1)], "weights": [1.0, 2.0]}, r"\(2,\) weights for 1 edges"),
        ({"edges": [(0, 1)], "components": "both"}, r"components \(--components\) is not 'both'. There are"),
        ({"edges": [(0, 1)], "components": "error"}, "components='error' is called 'require' now"),
    ],
)
def test_refusals(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Graph.from_edges(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("edges", "weights", "message"),
    [
        ([(0, 1), (1, 2)], [1.7e308, 1.7e308], "from 1.7e\\+308 to 1.7e\\+308 are too far apart"),
        ([(0, 1), (1, 2)], [1e-200, 1.0], "from 1e-200 to 1 are too far apart"),
        ([(0, 10**9)], None, "1,000,000,001 nodes with 1 entries"),
        ([(0, 10**12)], None, "node number 1000000000000 is too large"),
        (np.array([[0, 2**63]], np.uint64), None, "node number 9223372036854775808 is too large"),
    ],
)
def test_numbers_beyond_reason_are_refused(edges: Any, weights: Any, message: str) -> None:
    """Numbers are refused before memory is allocated for them or a path becomes infinitely long."""
    with pytest.raises(ValueError, match=message):
        Graph.from_edges(edges, weights)


def test_squares_of_accepted_lengths_do_not_underflow() -> None:
    graph = Graph.from_edges([(0, 1), (1, 2)], [1e-140, 1.0])
    assert Target.of(graph).block(np.arange(2))[0, 1] > 0.0
    with pytest.raises(ValueError, match="too far apart"):
        Dissimilarities(np.array([[0, 1e-200, 1], [1e-200, 0, 1], [1, 1, 0]]), (0, 1, 2), "points")


def test_a_matrix_of_dissimilarities_is_not_frozen_for_its_owner() -> None:
    """The caller's array stays writeable; the matrix of the dissimilarities is read-only."""
    given_ = np.array([[0.0, 1.0], [1.0, 0.0]])
    points = Dissimilarities(given_, ("a", "b"), "two")
    assert given_.flags.writeable
    assert not points.matrix.flags.writeable
