"""New nodes in a finished embedding: placed by their edges, while the others stay where they are."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from training_helpers import plan_of

from riemap import Embedding, Graph, GraphWarning, InputError, Space, generate
from riemap.distances import shortest_paths
from riemap.training import added_nodes, fit
from riemap.types import Array

LINE = Embedding(
    Space.parse("E1"), (np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]),), np.zeros(1), tuple("abcde")
)
PATH = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)], labels=list("abcde"), name="path")


def grid_embedding(side: int, labels: list[Any]) -> tuple[Embedding, Graph]:
    """A grid, embedded in the plane by its coordinates."""
    graph = generate(f"grid(n={side},d=2)")
    points = np.array([divmod(i, side) for i in range(side * side)], dtype=float)
    graph = Graph.from_edges(graph.edges(), labels=labels)
    return Embedding(Space.parse("E2"), (points,), np.log([0.25]), tuple(labels)), graph


def test_new_nodes_come_last_and_the_others_keep_their_bytes() -> None:
    added = LINE.add([("f", "e"), ("g", "f"), ("h", "a")], PATH)
    assert added.embedding.labels == tuple("abcdefgh")
    assert added.nodes == ("f", "g", "h")
    assert added.embedding.points[0][:5].tobytes() == LINE.points[0].tobytes()
    np.testing.assert_allclose(added.embedding.points[0][5:, 0], [5.0, 6.0, -1.0], atol=0.02)
    assert added.ad == pytest.approx(0.0, abs=0.01)
    assert len(added.distortion) == 3
    assert added.known_distortion == pytest.approx(0.0, abs=1e-12)
    assert added.graph.labels == added.embedding.labels
    assert added.graph.m == 7


def test_the_unit_of_length_is_that_of_the_embedding() -> None:
    tenth = Embedding(LINE.space, LINE.points, np.log([0.01]), LINE.labels)
    added = tenth.add([("e", "f")], PATH)
    np.testing.assert_allclose(added.embedding.distances(["f"], list("ae")), [[0.5, 0.1]], atol=0.002)


def test_the_order_of_the_graph_does_not_matter() -> None:
    other = Graph.from_edges([(4, 2), (2, 0), (0, 1), (1, 3)], labels=list("cdbea"))
    found = LINE.add([("e", "f")], other)
    assert found.embedding.points[0].tobytes() == LINE.add([("e", "f")], PATH).embedding.points[0].tobytes()
    np.testing.assert_array_equal(shortest_paths(found.graph), np.abs(np.subtract.outer(range(6), range(6))))


def test_numbers_and_their_texts_are_the_same_labels() -> None:
    numbers = Embedding(LINE.space, LINE.points, np.zeros(1), (0, 1, 2, 3, 4))
    graph = Graph.from_edges(PATH.edges())
    assert numbers.add([("4", "5")], graph).nodes == ("5",)


def test_lengths_of_edges_count() -> None:
    with pytest.warns(GraphWarning, match="for lengths"):
        added = LINE.add([("e", "f", 2.0), ("a", "g", 1.5)], PATH)
    np.testing.assert_allclose(added.embedding.points[0][5:, 0], [6.0, -1.5], atol=0.02)
    lengths = Graph.from_edges(PATH.edges(), [2.0, 1.0, 1.0, 2.0], labels=PATH.labels)
    with pytest.warns(GraphWarning, match="a length of one each"):
        LINE.add([("e", "f")], lengths)


def test_new_edges_may_shorten_paths_between_known_nodes() -> None:
    added = LINE.add([("f", "a"), ("f", "e")], PATH)
    assert shortest_paths(added.graph)[0, 4] == 2
    assert added.known_distortion > 0.05


def test_edges_of_the_graph_may_be_given_again() -> None:
    again = LINE.add([("a", "b"), ("d", "c"), ("e", "f")], PATH)
    assert again.embedding.points[0].tobytes() == LINE.add([("e", "f")], PATH).embedding.points[0].tobytes()


def test_attributes_of_known_nodes_are_kept() -> None:
    graph = Graph(*(PATH.indptr, PATH.indices, None, PATH.labels, "path"), {"group": (1, 2, 3, 4, 5)})
    assert LINE.add([("e", "f")], graph).graph.attributes == {"group": (1, 2, 3, 4, 5, None)}


def test_a_fit_knows_its_graph() -> None:
    found = fit(generate("path(n=6)"), Space.parse("E1"), plan_of("stress", 5))
    assert found.add([(5, 6)]).nodes == (6,)


@pytest.mark.parametrize(("new", "near"), [(3, [0, 1, 2, 9, 10, 11]), (40, list(range(9, 16)))])
def test_many_nodes_are_placed_by_some_of_them(
    new: int, near: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the neighbours of new nodes and a sample; in blocks, with distances from the side that has fewer."""
    monkeypatch.setattr(added_nodes, "MOST_ANCHORS", 30)
    monkeypatch.setattr(added_nodes, "BLOCK_NODES", 7)
    embedding, graph = grid_embedding(9, list(range(81)))
    edges = [(f"new {i}", i) for i in range(new)] + [(f"new {i}", i + 9) for i in range(new)]
    seen: list[NDArray[np.int64]] = []
    distances = added_nodes._distance_blocks

    def spied(grown: Graph, rows: NDArray[np.int64], anchors: NDArray[np.int64]) -> Any:
        seen.append(anchors)
        return distances(grown, rows, anchors)

    monkeypatch.setattr(added_nodes, "_distance_blocks", spied)
    added = embedding.add(edges, graph)
    assert len(seen[0]) == len(set(seen[0].tolist())) == 30
    assert set(near) <= set(seen[0].tolist())
    known = np.arange(81)
    lengths = shortest_paths(added.graph)[81:, known]
    sqdist = embedding.space.pairwise(
        tuple(x[81:] for x in added.embedding.points), embedding.points, embedding.log_scales
    )
    assert _distortion(np.sqrt(sqdist), lengths) < 1.2 * _distortion(
        np.sqrt(embedding.sqdist_rows(known)), shortest_paths(graph)
    )


def _distortion(embedded: Array, lengths: Any) -> float:
    ratio = embedded[lengths > 0] / lengths[lengths > 0]
    return float(np.abs(ratio / np.median(ratio) - 1.0).mean())


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ([("a", "b")], "every node is in the embedding"),
        ([("a", "e"), ("e", "f")], r"\('a', 'e'\) joins two nodes"),
        ([("e", "f"), ("g", "h")], "no path leads from 'g'"),
        ([], "no edges"),
        ([("f", "f")], "self-loop"),
        ([("e", "f", -1.0)], "not a positive number"),
        ([("e",)], "an edge is"),
        ("no-such-file", "no file"),
    ],
)
def test_wrong_edges_are_refused(edges: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        LINE.add(edges, PATH)


def test_another_graph_is_refused() -> None:
    with pytest.raises(InputError, match="not an embedding of"):
        LINE.add([("e", "f")], generate("path(n=5)"))


def test_a_matrix_has_no_edges(tmp_path: Any) -> None:
    np.save(tmp_path / "m.npy", 1.0 - np.eye(5))
    for edges, graph in (([("e", "f")], str(tmp_path / "m.npy")), (str(tmp_path / "m.npy"), PATH)):
        with pytest.raises(InputError, match="matrix of dissimilarities"):
            LINE.add(edges, graph)


def test_nodes_all_at_one_place_have_no_scale() -> None:
    point = Embedding(LINE.space, (np.zeros((5, 1)),), np.zeros(1), LINE.labels)
    with pytest.raises(InputError, match="at one place"):
        point.add([("e", "f")], PATH)
