"""Every generator makes the graph it promises, refuses nonsense, and the paper's graphs come out exactly."""

import gzip
import tracemalloc
from collections import Counter
from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
from conftest import DATA
from numpy.typing import NDArray

from riemap.graphs import (
    DATASETS,
    GENERATORS,
    Graph,
    GraphWarning,
    generate,
    generator_checks,
    random_generators,
)

RANDOM = [
    "erdos-renyi(n=60,p=0.2,seed=0)",
    "barabasi-albert(n=50,m=3,seed=0)",
    "watts-strogatz(n=50,k=4,p=0.1,seed=0)",
    "random-tree(n=50,seed=0)",
    "random-regular(n=50,d=3,seed=0)",
    "geometric(n=60,radius=0.4,seed=0)",
]


def as_networkx(graph: Graph) -> "nx.Graph[int]":
    return nx.Graph(graph.edges().tolist())


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("tree(r=4,h=5)", "tree"),
        ("cycle(n=1000)", "cycle"),
        ("grid(n=10,d=3)", "grid"),
        ("cycle-of-trees(n=10,r=3,h=4)", "cycle-of-trees"),
    ],
)
def test_the_paper_s_graphs_node_for_node(spec: str, name: str, paper_graph: Callable[[str], Graph]) -> None:
    """The same edges, and the same graph once it is read, with the same name for every node."""
    ours, theirs = generate(spec), paper_graph(name)
    with gzip.open(DATA / DATASETS[name].file, "rt") as lines:
        published = sorted(tuple(sorted(map(int, line.split()[:2]))) for line in lines)
    assert [tuple(edge) for edge in ours.edges().tolist()] == published
    assert (ours.key, ours.labels) == (theirs.key, theirs.labels)


@pytest.mark.parametrize(
    ("spec", "n", "m", "degrees", "diameter"),
    [
        ("tree(r=4,h=3)", 85, 84, {4: 1, 5: 20, 1: 64}, 6),
        ("tree(r=1,h=4)", 5, 4, {1: 2, 2: 3}, 4),
        ("cycle(n=9)", 9, 9, {2: 9}, 4),
        ("grid(n=4,d=3)", 64, 144, {3: 8, 4: 24, 5: 24, 6: 8}, 9),
        ("cycle-of-trees(n=6,r=2,h=2)", 42, 42, {4: 6, 3: 12, 1: 24}, 7),
        ("cycle-of-trees(n=5,r=2,h=0)", 5, 5, {2: 5}, 2),
        ("torus(n=8,m=5)", 40, 80, {4: 40}, 6),
        ("path(n=7)", 7, 6, {1: 2, 2: 5}, 6),
        ("star(n=7)", 7, 6, {6: 1, 1: 6}, 2),
        ("complete(n=7)", 7, 21, {6: 7}, 1),
        ("complete-bipartite(n=3,m=4)", 7, 12, {4: 3, 3: 4}, 2),
        ("hypercube(d=5)", 32, 80, {5: 32}, 5),
        ("barabasi-albert(n=50,m=3,seed=0)", 50, 141, None, None),
        ("watts-strogatz(n=50,k=4,p=0,seed=0)", 50, 100, {4: 50}, 13),
        ("random-tree(n=50,seed=0)", 50, 49, None, None),
        ("random-regular(n=50,d=3,seed=0)", 50, 75, {3: 50}, None),
        ("erdos-renyi(n=20,p=1,seed=0)", 20, 190, {19: 20}, 1),
        ("geometric(n=20,radius=1.5,seed=0)", 20, 190, {19: 20}, 1),
    ],
)
def test_sizes_degrees_and_diameter(
    spec: str, n: int, m: int, degrees: dict[int, int] | None, diameter: int | None
) -> None:
    graph = generate(spec)
    assert (graph.n, graph.m, graph.name) == (n, m, spec)
    assert graph.labels == tuple(range(n))
    assert degrees is None or Counter(graph.degrees.tolist()) == degrees
    assert diameter is None or nx.diameter(as_networkx(graph)) == diameter


@pytest.mark.parametrize("n", [4, 5, 6, 7, 12, 100, 1001])
def test_the_sphere_is_covered_by_triangles(n: int) -> None:
    """A planar graph with 3n - 6 edges is a triangulation; an even one has no corner of high degree."""
    graph = generate(f"sphere-mesh(n={n})")
    assert (graph.n, graph.m) == (n, 3 * n - 6)
    assert nx.check_planarity(as_networkx(graph))[0]
    assert graph.degrees.min() >= 3
    assert graph.degrees.max() <= 7


@pytest.mark.parametrize("spec", RANDOM)
def test_the_seed_decides(spec: str) -> None:
    again, other = generate(spec.replace(",seed=0", "")), generate(spec.replace("seed=0", "seed=1"))
    assert generate(spec).key == again.key != other.key
    assert again.name == spec


def test_every_pair_is_joined_with_the_same_probability() -> None:
    """300 graphs, each of 10 pairs expected 120 times, s.d. 8.5."""
    edges = np.concatenate([GENERATORS["erdos-renyi"](n=5, p=0.4, seed=seed)[1] for seed in range(300)])
    counts = Counter(map(tuple, edges.tolist()))
    assert sorted(counts) == [(i, j) for i in range(5) for j in range(i + 1, 5)]
    assert all(80 < count < 160 for count in counts.values())


def test_pairs_are_counted_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the first and the last pair of the last node of the largest graph."""
    n = generator_checks.MAX_GENERATED_NODES
    codes = np.array([0, 1, 2, (n - 1) * (n - 2) // 2 - 1, (n - 1) * (n - 2) // 2, n * (n - 1) // 2 - 1])
    monkeypatch.setattr(random_generators, "_successful_trials", lambda *arguments: codes)
    pairs = GENERATORS["erdos-renyi"](n=n, p=0.0)[1]
    assert pairs.tolist() == [[0, 1], [0, 2], [1, 2], [n - 3, n - 2], [0, n - 1], [n - 2, n - 1]]


def test_trials_go_on_to_the_last_however_small_the_gaps() -> None:
    class Lucky:
        def geometric(self, p: float, count: int) -> NDArray[np.int64]:
            return np.ones(count, dtype=np.int64)

    assert random_generators._successful_trials(Lucky(), 1000, 0.1).tolist() == list(range(1000))


def test_a_large_sparse_graph_has_the_expected_edges() -> None:
    """Expected 50,000, s.d. 224; nodes of every number take part."""
    n, edges = GENERATORS["erdos-renyi"](n=100_000, p=1e-5, seed=3)
    assert abs(len(edges) - 50_000) < 1200
    assert np.all((edges[:, 0] >= 0) & (edges[:, 0] < edges[:, 1]) & (edges[:, 1] < n))
    assert abs(edges[:, 0].mean() - n / 3) < 1000
    assert abs(edges[:, 1].mean() - 2 * n / 3) < 1000


def test_points_are_joined_within_the_radius() -> None:
    _, edges = GENERATORS["geometric"](n=40, radius=0.25, seed=7)
    points = np.random.default_rng(7).random((40, 2))
    near = np.linalg.norm(points[:, None] - points, axis=2) <= 0.25
    assert sorted(map(tuple, edges.tolist())) == sorted(zip(*np.nonzero(np.triu(near, 1)), strict=True))


def test_pieces_are_counted_with_nodes_that_have_no_edge() -> None:
    with pytest.warns(GraphWarning, match=r"the largest with \d+ of 40 nodes"):
        graph = generate("erdos-renyi(n=40,p=0.04,seed=1)")
    assert graph.n < 40
    with pytest.raises(ValueError, match="components"):
        generate("erdos-renyi(n=40,p=0.04,seed=1)", component="error")


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("cycle(n=0)", "n=0 is too small; n must be at least 3"),
        ("path(n=1)", "n=1 is too small"),
        ("star(n=1)", "n=1 is too small"),
        ("complete(n=1)", "n=1 is too small"),
        ("complete-bipartite(n=1,m=0)", "m=0 is too small"),
        ("tree(r=0,h=2)", "r=0 is too small"),
        ("tree(r=2,h=-1)", "h=-1 is too small"),
        ("grid(n=1,d=3)", "n=1 is too small"),
        ("grid(n=2,d=0)", "d=0 is too small"),
        ("hypercube(d=0)", "d=0 is too small"),
        ("cycle-of-trees(n=2,r=1,h=1)", "n=2 is too small"),
        ("torus(n=2,m=5)", "n=2 is too small"),
        ("sphere-mesh(n=3)", "n=3 is too small"),
        ("erdos-renyi(n=10,p=1.5)", "p=1.5 is not a probability"),
        ("erdos-renyi(n=10,p=0)", "this graph has no edges"),
        ("erdos-renyi(n=10,p=1e-300)", "this graph has no edges"),
        ("erdos-renyi(n=10,p=0.5,seed=-1)", "seed=-1 is too small"),
        ("barabasi-albert(n=3,m=3)", "n=3 is too small; n must be at least 4"),
        ("watts-strogatz(n=10,k=3,p=0.1)", "k=3 is odd"),
        ("watts-strogatz(n=10,k=4,p=-1)", "p=-1.0 is not a probability"),
        ("random-tree(n=1)", "n=1 is too small"),
        ("random-regular(n=5,d=3)", "n d must be even, e.g. n=6"),
        ("geometric(n=10,radius=0)", "must be positive"),
        ("tre(r=4,h=5)", "did you mean 'tree'?"),
    ],
)
def test_nonsense_is_refused(spec: str, problem: str) -> None:
    with pytest.raises(ValueError, match=r"\(|called") as caught:
        generate(spec)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    "spec",
    [
        "path(n=2000001)",
        "cycle(n=1000000000)",
        "star(n=99999999999999999999999)",
        "complete(n=1000000)",
        "complete-bipartite(n=10000,m=10000)",
        "tree(r=10,h=1000000000)",
        "tree(r=1,h=100000000000)",
        "grid(n=10,d=100000000)",
        "hypercube(d=1000000000000)",
        "cycle-of-trees(n=1000,r=3,h=100000)",
        "torus(n=10000,m=10000)",
        "sphere-mesh(n=1000000000)",
        "erdos-renyi(n=1000000,p=1)",
        "barabasi-albert(n=1000000,m=100)",
        "watts-strogatz(n=1000000,k=100,p=0)",
        "random-tree(n=1000000000)",
        "random-regular(n=1000000,d=100)",
        "geometric(n=1000000,radius=1)",
    ],
)
def test_too_large_is_refused_before_it_is_made(spec: str) -> None:
    import scipy.spatial  # noqa: F401  its import takes memory of its own

    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="would be too large; at most 2,000,000 nodes and"):
            generate(spec)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_every_generator_is_described() -> None:
    for function in GENERATORS.values():
        assert (function.__doc__ or "").splitlines()[0].endswith(".")
