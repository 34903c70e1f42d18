"""Shortest paths are exact, for any graph, number of threads and state of the store."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from unittest.mock import patch

import naive
import numpy as np
import pytest
from graph_helpers import random_graph
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra, shortest_path
from strategies import graphs
from thread_helpers import exactly
from tolerances import PATH_LENGTH

from riemap import memory
from riemap.distances import (
    Target,
    diameter,
    hop_counts,
    hops,
    length_counts,
    paths,
    rows_from,
    shortest_paths,
    spread,
)
from riemap.graphs import DATASETS, Dissimilarities, Graph


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> Iterator[None]:
    """Have our own search count the hops of small graphs too, except where a test says otherwise."""
    with patch.object(hops, "FEW_NODES", 0):
        yield


@given(graph=graphs(), source=st.integers(0, 1))
def test_few_nodes_and_many_give_the_same_bytes(graph: Graph, source: int) -> None:
    for sources in (None, np.array([source, 0])):
        ours = hop_counts(graph, sources)
        with patch.object(hops, "FEW_NODES", 300):
            others = hop_counts(graph, sources)
        assert ours.dtype == others.dtype
        assert np.array_equal(ours, others)


def path(n: int) -> Graph:
    nodes = np.arange(n)
    return Graph.from_edges(np.column_stack([nodes[:-1], nodes[1:]]), name=f"path of {n}")


@given(graph=graphs())
def test_small_graphs_equal_networkx(graph: Graph) -> None:
    """Distances equal those of NetworkX, pair by pair."""
    np.testing.assert_allclose(shortest_paths(graph), naive.shortest_paths(graph), rtol=PATH_LENGTH)


@pytest.mark.parametrize("n", [2, 63, 64, 65, 511, 512, 513, 1100])
def test_sizes_about_those_of_words_and_batches(n: int) -> None:
    """Hop counts equal those of SciPy if n is near 64, the bits of a word, or 512, a batch of sources."""
    graph = random_graph(n, n // 2, seed=n)
    adjacency = csr_array((np.ones(2 * graph.m), graph.indices, graph.indptr), shape=(n, n))
    assert np.array_equal(hop_counts(graph), shortest_path(adjacency, unweighted=True))


@pytest.mark.parametrize(("n", "width"), [(256, np.uint8), (257, np.uint16), (1000, np.uint16)])
def test_counts_are_as_narrow_as_the_diameter_allows(n: int, width: type) -> None:
    """The largest count of a path is n - 1: 255 takes one byte, 256 takes two."""
    found = hop_counts(path(n))
    assert found.dtype == width
    assert np.array_equal(found, np.abs(np.subtract.outer(np.arange(n), np.arange(n))))


def test_four_bytes_where_two_are_too_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A path of 65,536 nodes takes minutes, so the test removes the type of two bytes instead."""
    monkeypatch.setattr(hops, "COUNT_TYPES", (np.uint8, np.uint32))
    found = hop_counts(path(300), np.array([0, 299]))
    assert found.dtype == np.uint32
    assert np.array_equal(found, [np.arange(300), np.arange(300)[::-1]])


@given(graph=graphs(), many=st.sampled_from([0, 1 << 40]), few=st.sampled_from([0, 32]))
def test_searches_with_a_queue_and_in_batches_agree(graph: Graph, many: int, few: int) -> None:
    """Both methods give the same bytes for all nodes, and for some of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hops, "MANY_STEPS", many)
        patch.setattr(hops, "FEW_SOURCES", few)
        found, some = hop_counts(graph), hop_counts(graph, np.array([1, 0]))
    assert found.dtype == some.dtype == np.uint8
    assert np.array_equal(found, naive.shortest_paths(replace(graph, weights=None)))
    assert np.array_equal(some, found[[1, 0]])


@pytest.mark.parametrize("first", [0, 150, 299])
def test_long_paths_are_searched_with_a_queue(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not so if the first source is in the middle; then batches find that two bytes are needed."""
    columns, batches = hops._columns, []
    monkeypatch.setattr(hops, "_columns", lambda *given: batches.append(1) or columns(*given))
    nodes = np.arange(300)
    nodes[[0, first]] = nodes[[first, 0]]
    found = hop_counts(path(300), nodes)
    assert found.dtype == np.uint16
    assert np.array_equal(found, np.abs(np.subtract.outer(nodes, np.arange(300))))
    assert bool(batches) == (first == 150)


def test_rows_are_those_of_the_matrix_in_any_order() -> None:
    sources = np.array([700, 3, 3, 0, 64, 511, 512])
    for graph in (random_graph(800, 200), random_graph(800, 200, weighted=True)):
        np.testing.assert_allclose(
            rows_from(graph, sources), shortest_paths(graph)[sources], rtol=PATH_LENGTH
        )


def test_weighted_lengths_are_symmetric_and_equal_scipy() -> None:
    graph = random_graph(300, 400, weighted=True)
    found = shortest_paths(graph)
    assert np.array_equal(found, found.T)
    adjacency = csr_array((graph.weights, graph.indices, graph.indptr), shape=(300, 300))
    np.testing.assert_allclose(found, shortest_path(adjacency, method="J"), rtol=PATH_LENGTH)
    there = dijkstra(adjacency)
    assert rows_from(graph, np.arange(300)).tobytes() == there.tobytes()
    assert found.tobytes() == np.minimum(there, there.T).tobytes()


def test_any_number_of_threads_gives_the_same_bytes() -> None:
    graph, weighted = random_graph(1500, 3000), random_graph(300, 400, weighted=True)
    found = []
    for count in (1, 2, 3):
        with exactly(count):
            found.append(hop_counts(graph).tobytes() + shortest_paths(weighted, stored=False).tobytes())
    assert found == [found[0]] * 3


@given(graph=graphs())
def test_counts_of_distances_and_diameter(graph: Graph) -> None:
    whole = naive.shortest_paths(graph)
    lengths, counts, mean, exact = spread(graph)
    assert exact
    assert counts.sum() == graph.n * (graph.n - 1) // 2
    assert diameter(graph) == lengths[-1] == whole.max()
    assert [np.sum(whole == x) // 2 for x in lengths] == counts.tolist()
    assert mean == pytest.approx(whole[np.triu_indices(graph.n, 1)].mean())


@given(graph=graphs())
def test_counts_from_some_nodes(graph: Graph) -> None:
    """Every pair of a source and another node counts once, and progress ends at one."""
    whole, told = naive.shortest_paths(graph), []
    sources = np.array([1, 0])
    lengths, counts, mean, exact = spread(graph, sources=sources, progress=told.append)
    rows = whole[sources]
    assert exact
    assert counts.sum() == 2 * (graph.n - 1)
    assert lengths[-1] == pytest.approx(rows.max())
    assert mean == pytest.approx(rows.sum() / (2 * (graph.n - 1)))
    assert told[-1] == 1.0
    assert told == sorted(told)


@pytest.mark.parametrize("seed", range(20))
def test_a_diameter_takes_few_searches(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is that of all pairs, also if a block has few nodes."""
    monkeypatch.setattr(length_counts, "BATCH", 1 + seed % 7)
    graph = random_graph(60, 10 * (seed % 5), seed=seed)
    assert diameter(graph) == naive.shortest_paths(graph).max()
    searched = []
    monkeypatch.setattr(length_counts, "rows_from", lambda g, s: searched.extend(s) or rows_from(g, s))
    assert diameter(path(3000)) == 2999.0
    assert len(searched) < 20


def test_a_block_of_a_large_graph_is_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer rows than a batch would take as long as a batch."""
    monkeypatch.setattr(paths, "ROW_BLOCK_PAIRS", 10_000)
    assert [len(rows) for rows in paths.all_rows(random_graph(1100, 0))] == [512, 512, 76]
    assert [len(rows) for rows in paths.all_rows(random_graph(1100, 0), np.arange(3))] == [3]


def test_long_searches_are_split_into_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is heard between two of them. The bytes are those of one call."""
    graph = random_graph(200, 100, weighted=True)
    whole = shortest_paths(graph, stored=False)
    monkeypatch.setattr(paths, "DIJKSTRA_CALL_PAIRS", 1000)
    assert shortest_paths(graph, stored=False).tobytes() == whole.tobytes()
    hopping = random_graph(1500, 100)
    counts = hop_counts(hopping)
    monkeypatch.setattr(hops, "CALL_PAIRS", 1)
    assert hop_counts(hopping).tobytes() == counts.tobytes()


def test_lengths_that_differ_by_rounding_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ by rounding, and both sums occur on a path."""
    monkeypatch.setattr(paths, "ROW_BLOCK_PAIRS", 10)
    nodes = np.arange(31)
    graph = Graph.from_edges(np.column_stack([nodes[:-1], nodes[1:]]), np.tile([0.1, 0.2, 0.3], 10))
    found = spread(graph)
    places = np.concatenate([[0], np.cumsum(np.tile([1, 2, 3], 10))])
    tenths = np.abs(np.subtract.outer(places, places))[np.triu_indices(31, 1)]
    lengths, counts = np.unique(tenths, return_counts=True)
    assert found.exact
    np.testing.assert_allclose(found.lengths, lengths / 10, rtol=1e-12)
    assert np.array_equal(found.counts, counts)


@pytest.mark.parametrize("block", [1 << 24, 5000])
def test_many_different_lengths_are_counted_in_ranges(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "ROW_BLOCK_PAIRS", block)
    graph = random_graph(120, 100, weighted=True)
    whole = shortest_paths(graph)[np.triu_indices(120, 1)]
    lengths, counts, mean, exact = spread(graph)
    assert not exact
    assert len(lengths) == len(counts) == 20
    assert lengths[-1] == diameter(graph)
    assert counts.tolist() == [np.sum((whole <= b) & (whole > b - lengths[0])) for b in lengths]
    assert mean == pytest.approx(whole.mean())


@pytest.mark.parametrize("name", [name for name, d in DATASETS.items() if d.n < 6000 and d.m is not None])
def test_datasets_equal_scipy(name: str, paper_graph: Callable[[str], Graph]) -> None:
    graph = paper_graph(name)
    adjacency = csr_array((np.ones(2 * graph.m), graph.indices, graph.indptr), shape=(graph.n, graph.n))
    expected = shortest_path(adjacency, method="D", unweighted=True)
    assert np.array_equal(shortest_paths(graph, stored=False), expected)


# --- targets ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_target_blocks_are_squared_and_scaled(weighted: bool) -> None:
    graph = random_graph(200, 100, weighted=weighted)
    whole = shortest_paths(graph)
    target, nodes = Target.of(graph), np.random.default_rng(0).permutation(200)[:77]
    expected = (whole / whole.max())[np.ix_(nodes, nodes)] ** 2
    np.testing.assert_allclose(target.block(nodes), expected, rtol=1e-15)
    out = np.empty((77, 77))
    assert target.block(nodes, out) is out
    assert np.array_equal(out, target.block(nodes))
    assert np.array_equal(np.tril(target.block(nodes, half=True)), np.tril(out))
    assert target.block(np.arange(200)).max() == 1.0
    assert np.array_equal(target.block(nodes.astype(np.int32)), out)
    assert target.block(np.array([], int)).shape == (0, 0)


@pytest.mark.parametrize("nodes", [[0, 9], [-1, 2], [0.0, 1.0], [[0, 1]], [True, False]])
def test_numbers_that_are_not_nodes_are_refused(nodes: list[object]) -> None:
    """Other numbers are an IndexError, since compiled loops would read outside the arrays."""
    graph = path(9)
    for use in (Target.of(graph).block, lambda x: rows_from(graph, x), lambda x: hop_counts(graph, x)):
        with pytest.raises(IndexError, match="whole numbers from 0 to 8"):
            use(np.array(nodes))
    with pytest.raises(IndexError, match="from 0 to 1"):
        rows_from(Dissimilarities(np.array([[0.0, 1.0], [1.0, 0.0]]), ("a", "b"), "two"), np.array([-1]))


@pytest.mark.parametrize("out", [np.empty((3, 2)), np.empty((2, 2), np.float32), np.empty(2)])
def test_a_block_has_its_own_shape_and_type(out: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"targets of 2 nodes are float64\(2, 2\), not"):
        Target.of(path(9)).block(np.arange(2), out)


def test_dissimilarities_are_their_own_distances() -> None:
    """The shortest paths of dissimilarities are the matrix itself."""
    matrix = np.array([[0.0, 2.0, 4.0], [2.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    points = Dissimilarities(matrix, ("a", "b", "c"), "three")
    assert np.array_equal(shortest_paths(points), matrix)
    assert Target.of(points).block(np.array([0, 1]))[0, 1] == 0.25
    assert diameter(points) == 4.0


# --- memory -----------------------------------------------------------------------------------------


def test_too_large_a_matrix_is_refused_with_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free", lambda: 50_000)
    with pytest.raises(
        MemoryError, match=r"400 nodes of .* need 160 kB of memory, and 50 kB are free; .*--sources"
    ):
        shortest_paths(path(400))
    with pytest.raises(MemoryError, match="--sampler landmarks"):
        shortest_paths(path(400))
    parts = Graph.from_edges([*path(400).edges(), (500, 501)], components="keep")
    with pytest.raises(MemoryError, match="--components largest"):  # landmarks need a connected graph
        shortest_paths(parts)
    with pytest.raises(MemoryError, match="take fewer nodes"):
        Target(np.ones((2000, 2000), np.uint8) - np.eye(2000, dtype=np.uint8)).block(np.arange(2000))


def test_free_memory_is_known_and_respects_the_limit_of_a_container(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert memory.free() > 1e6
    for name, text in {
        "memory.max": "5000",
        "memory.current": "3000",
        "memory.stat": "inactive_file 500\n",
    }.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    assert memory.free() == 2500
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.free() > 1e6
    monkeypatch.setattr("resource.getrlimit", lambda which: (10_000, 10_000))
    (tmp_path / "statm").write_text("2 1 1 1 0 1 0")
    monkeypatch.setattr(memory, "_STATM", tmp_path / "statm")
    monkeypatch.setattr("resource.getpagesize", lambda: 4096)
    assert memory.free() == 1808


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("stored", [False, True])
def test_a_matrix_is_read_only(stored: bool, weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds for a matrix that was computed and for one that was read from the store."""
    monkeypatch.setattr(paths, "STORE_MIN_BYTES", 1)
    for _ in range(2):
        found = shortest_paths(random_graph(20, 20, weighted=weighted), stored=stored)
        with pytest.raises(ValueError, match="read-only"):
            found[0, 1] = 7


def test_small_matrices_are_not_stored(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIEMAP_CACHE", str(tmp_path / "cache"))
    shortest_paths(path(50))
    assert not (tmp_path / "cache").exists()
    monkeypatch.setattr(paths, "STORE_MIN_BYTES", 1)
    shortest_paths(path(50), stored=False)
    assert not (tmp_path / "cache").exists()
    shortest_paths(path(50))
    assert len(list((tmp_path / "cache" / "distances").iterdir())) == 1


@pytest.mark.parametrize("matrix", [np.ones((2, 3)), np.zeros((3, 3)), np.ones(4)])
def test_a_target_is_made_of_all_distances(matrix: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"^distances are "):
        Target(matrix)
