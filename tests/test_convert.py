"""Tests of as_graph: graphs of other libraries are converted with their labels and weights."""

from types import SimpleNamespace
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st
from naive import as_edges

from riemap.graphs import Graph, GraphWarning
from riemap.graphs import as_graph as convert

PATH = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]])


def as_graph(obj: Any, **options: Any) -> Graph:
    """Convert an object whose weights are lengths."""
    return convert(obj, **{"weights": "lengths", **options})


FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]


@st.composite
def networks(draw: st.DrawFn) -> nx.Graph:
    """Draw connected graphs, weighted or not, whose labels have different types."""
    labels: list[Any] = draw(
        st.permutations(
            [0, "a", "007", (1, 2), frozenset({3}), 2.5, "Rome, Italy"][: draw(st.integers(2, 7))]
        )
    )
    graph = nx.Graph()
    for i in range(1, len(labels)):
        for j in draw(st.sets(st.integers(0, i - 1), min_size=1)):
            graph.add_edge(labels[i], labels[j])
    if draw(st.booleans()):
        for edge in graph.edges:
            graph.edges[edge]["weight"] = draw(st.floats(0.1, 10.0))
    return graph


@given(networks())
def test_networkx(graph: nx.Graph) -> None:
    """Labels keep their order and type, and each edge keeps its length."""
    ours = as_graph(graph)
    assert ours.labels == tuple(graph)
    assert as_edges(ours) == {frozenset((u, v)): w for u, v, w in graph.edges(data="weight", default=1.0)}


@given(networks())
def test_every_library_gives_the_same_graph(network: nx.Graph) -> None:
    network = nx.convert_node_labels_to_integers(network)
    expected = as_edges(as_graph(network))
    dense = nx.to_numpy_array(network)
    both = list(network.edges) + [(v, u) for u, v in network.edges]
    weights = [network.edges[edge].get("weight", 1.0) for edge in both]
    geometric = SimpleNamespace(
        edge_index=torch.tensor(both).T, edge_weight=torch.tensor(weights, dtype=torch.float64)
    )
    vertices = igraph.Graph(n=len(network), edges=list(network.edges))
    vertices.es["weight"] = weights[: len(network.edges)]
    for obj in (dense, sp.csr_array(dense), sp.coo_matrix(dense), geometric, vertices):
        assert as_edges(as_graph(obj)) == expected


def test_a_graph_passes_through() -> None:
    graph = Graph.from_edges([(0, 1)])
    assert as_graph(graph) is graph


def test_names() -> None:
    assert as_graph(nx.path_graph(3)).name == "Graph"
    assert as_graph(nx.Graph([(0, 1)], name="mine")).name == "mine"
    assert as_graph(PATH, name="path").name == "path"


def test_a_multigraph_is_merged_with_a_warning() -> None:
    with pytest.warns(GraphWarning, match="merged 1 parallel edge"):
        assert as_graph(nx.MultiGraph([("a", "b"), ("b", "a"), ("b", "c")])).m == 2


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 1, {"weight": 1}), (1, 2, {})], r"edge \(1, 2\): the edge has no weight, but 1 of 2"),
        ([(0, 1, {"weight": "2"})], r"edge \(0, 1\): weight '2' is not a positive number"),
        ([(0, 1, {"weight": [1]})], r"weight \[1\] is not a positive number"),
        ([(0, 1, {"weight": 10**400})], "is not a positive number"),
        ([(0, 1, {"weight": 1}), ("a\nb", 0, {"weight": -1})], r"edge \(0, 'a\\nb'\): weight -1"),
        ([(0, 1, {"weight": float("nan")})], "weight nan is not a positive number"),
        ([], "no edges"),
    ],
)
def test_networkx_refusals(edges: list[Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        as_graph(nx.Graph(edges))
    assert "\n" not in str(caught.value)


def test_messages_are_one_line_whatever_labels_look_like() -> None:
    class Verbose:
        def __repr__(self) -> str:
            return "two\nlines \x1b[31m" * 100

    with pytest.raises(ValueError, match="weight -1") as caught:
        as_graph(nx.Graph([(Verbose(), 0, {"weight": -1})]))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "obj",
    [
        nx.DiGraph([(0, 1), (1, 2)]),
        nx.MultiDiGraph([(0, 1), (1, 2)]),
        np.triu(PATH),
        sp.csr_array(np.triu(PATH)),
        igraph.Graph([(0, 1), (1, 2)], directed=True),
        SimpleNamespace(edge_index=np.array([[0, 1], [1, 2]])),
    ],
    ids=lambda obj: type(obj).__name__,
)
def test_directions_are_refused_unless_ignored(obj: Any) -> None:
    with pytest.raises(ValueError, match=r"is directed.*undirected=True \(--undirected\)"):
        as_graph(obj)
    assert set(as_edges(as_graph(obj, undirected=True))) == {frozenset((0, 1)), frozenset((1, 2))}


def test_a_digraph_of_both_directions_becomes_undirected_without_a_warning() -> None:
    both = nx.path_graph(3).to_directed()
    with pytest.raises(ValueError, match="is directed"):
        as_graph(both)
    assert as_graph(both, undirected=True).m == 2


def test_unequal_directions_are_told_by_their_index() -> None:
    unequal = PATH.copy()
    unequal[2, 1] = 3
    with pytest.raises(ValueError, match=r"entry \(1, 2\): the edge from 1 to 2 has no counterpart"):
        as_graph(unequal)
    with pytest.raises(ValueError, match=r"entry \(2, 0\): the edge from 2 to 0 has no counterpart"):
        as_graph(np.array([[0, 1, 0], [1, 0, 0], [1, 0, 0]]))
    with pytest.warns(
        GraphWarning, match="merged 2 parallel edges into 2; where lengths differ, the shortest"
    ):
        assert as_edges(as_graph(unequal, undirected=True))[frozenset((1, 2))] == 2.0


@pytest.mark.parametrize("layout", FORMATS)
def test_sparse_formats(layout: str) -> None:
    for build in (sp.coo_array, sp.coo_matrix):
        assert as_edges(as_graph(build(PATH).asformat(layout))) == {
            frozenset((0, 1)): 1.0,
            frozenset((1, 2)): 2.0,
        }


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int32, np.float32, np.float64])
def test_ones_are_no_weights(dtype: type) -> None:
    for build in (np.asarray, sp.csr_array):
        assert as_graph(build((PATH > 0).astype(dtype))).weights is None


def test_the_diagonal_is_self_loops() -> None:
    with pytest.warns(GraphWarning, match="dropped 3 self-loops"):
        as_graph(PATH + np.eye(3))


def test_scipy_adds_up_what_is_stored_twice_and_is_left_alone() -> None:
    stored = sp.coo_array(([1.0, 1.0, 2.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert as_edges(as_graph(stored)) == {frozenset((0, 1)): 2.0}
    assert stored.nnz == 3
    rows = sp.csr_array((np.array([1.0, 1.0, 2.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    assert as_edges(as_graph(rows)) == {frozenset((0, 1)): 2.0}
    assert rows.nnz == 3


@pytest.mark.parametrize("value", [np.nan, -2.0, np.inf])
@pytest.mark.parametrize("build", [np.asarray, sp.csr_array])
def test_bad_entries_are_told_by_their_index(value: float, build: Any) -> None:
    bad = PATH.astype(float)
    bad[2, 1] = value
    with pytest.raises(ValueError, match=rf"entry \(2, 1\): weight {value:g} is not a positive number"):
        as_graph(build(bad))
    bad[1, 2] = value
    with pytest.raises(ValueError, match=rf"entry \(1, 2\): weight {value:g} is not a positive number"):
        as_graph(build(bad))


def test_stored_zeros_are_refused() -> None:
    with pytest.raises(ValueError, match=r"entry \(0, 1\): weight 0"):
        as_graph(sp.csr_array(([0.0, 0.0], ([0, 1], [1, 0])), shape=(2, 2)))


def test_igraph_names_and_weights() -> None:
    graph = igraph.Graph([(0, 1), (1, 2)])
    assert as_graph(graph).labels == (0, 1, 2)
    graph.vs["name"] = ["x", "y", "z"]
    graph.es["weight"] = [1.5, 2.5]
    assert as_edges(as_graph(graph)) == {frozenset("xy"): 1.5, frozenset("yz"): 2.5}
    graph.es["weight"] = [1.5, None]
    with pytest.raises(ValueError, match=r"edge \('y', 'z'\): the edge has no weight"):
        as_graph(graph)


def test_edge_index() -> None:
    index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    features = torch.ones(4, 3)
    assert as_graph(SimpleNamespace(edge_index=index, edge_attr=features, edge_weight=None)).weights is None
    lengths = torch.tensor([2.0, 2.0, 3.0, 3.0], requires_grad=True)
    for data in (
        SimpleNamespace(edge_index=index, edge_attr=lengths),
        SimpleNamespace(edge_index=index.numpy(), edge_weight=lengths, edge_attr=features),
    ):
        assert as_edges(as_graph(data)) == {frozenset((0, 1)): 2.0, frozenset((1, 2)): 3.0}
    with pytest.warns(GraphWarning, match="the largest with 3 of 5 nodes"):
        as_graph(SimpleNamespace(edge_index=index, num_nodes=5))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"edge_index": None}, r"\(2, m\) array of node numbers, not object"),
        ({"edge_index": np.zeros((3, 2), int)}, r"not int64\(3, 2\)"),
        ({"edge_index": np.zeros((2, 2))}, "not float64"),
        ({"edge_index": np.array([[0, 1], [1, 0]]), "num_nodes": 1}, "from 0 to 1, but nodes from 0 to 0"),
        ({"edge_index": np.array([[0, -1], [-1, 0]])}, "from -1 to 0"),
        ({"edge_index": np.array([[0, 10**12], [10**12, 0]])}, "1,000,000,000,001 nodes with 2 entries"),
        (
            {"edge_index": np.array([[0, 1], [1, 0]]), "edge_weight": np.ones(3)},
            r"\(3,\) weights for 2 edges",
        ),
        (
            {"edge_index": np.array([[0, 1], [1, 0]]), "edge_weight": -np.ones(2)},
            r"edge_index\[:, 0\]: weight -1",
        ),
        ({"edge_index": np.empty((2, 0), int)}, "no edges"),
    ],
)
def test_edge_index_refusals(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_graph(SimpleNamespace(**data))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((2, 3)), r"square, not \(2, 3\); for an \(m, 2\) array of edges use Graph.from_edges"),
        (np.ones(4), r"square, not \(4,\)"),
        (
            sp.bsr_array((np.zeros((2, 1, 0)), np.array([1, 0]), np.array([0, 1, 2])), shape=(2, 2)),
            r"its blocks of shape \(1, 0\) hold nothing",
        ),
        (np.ones((2, 2), complex), "real numbers, not complex128"),
        (np.array([["a", "b"], ["c", "d"]]), "real numbers, not <U1"),
        (np.zeros((2, 2)), "no edges"),
        (np.zeros((1, 1)), "no edges"),
        (sp.coo_array(([1.0], ([0], [1])), shape=(10**9, 10**9)), "1,000,000,000 nodes with 1 entries"),
    ],
)
def test_matrix_refusals(matrix: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_graph(matrix)


@pytest.mark.parametrize("obj", [None, 3, "power", {1, 2}])
def test_other_types_are_refused_with_a_list_of_the_accepted(obj: Any) -> None:
    with pytest.raises(TypeError, match=rf"from {type(obj).__name__}; accepted are .*NetworkX.*edge_index"):
        as_graph(obj)
