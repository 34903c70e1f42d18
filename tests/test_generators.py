"""Generators return the graphs they describe, refuse bad arguments, and reproduce the paper's graphs."""

import gzip
import inspect
import random
import tracemalloc
import warnings
from collections import Counter
from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
from conftest import DATA
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from riemap import memory
from riemap.errors import InputError
from riemap.graphs import (
    DATASETS,
    GENERATORS,
    Graph,
    GraphWarning,
    dense_generators,
    generate,
    generator_checks,
    random_generators,
)
from riemap.graphs.dense_generators import rewired_ring, switched_edges

RANDOM = [
    "erdos-renyi(n=60,p=0.2,seed=0)",
    "barabasi-albert(n=50,m=3,seed=0)",
    "watts-strogatz(n=50,k=4,p=0.1,seed=0)",
    "random-tree(n=50,seed=0)",
    "random-regular(n=50,d=3,seed=0)",
    "geometric(n=60,radius=0.4,seed=0)",
]


HUGE = [
    ("path(n", ""),
    ("sphere-mesh(n", ""),
    ("torus(m=3,n", ""),
    ("complete-bipartite(m=3,n", ""),
    ("cycle-of-trees(r=2,h=2,n", ""),
    ("tree(h=2,r", ""),
    ("erdos-renyi(n", ",p=1e-300"),
    ("barabasi-albert(n", ",m=2"),
    ("watts-strogatz(n", ",k=2,p=1"),
    ("random-regular(n", ",d=2"),
    ("geometric(n", ",radius=1e-300"),
]
"""Start and end of specs, between which there is room for a number with 400 digits."""


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
    """The generated graph has the edges of the published file, with the same label for each node."""
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
    """The graph is planar with 3n - 6 edges, i.e. a triangulation, and degrees are between 3 and 7."""
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
    """In 300 graphs, each of the 10 pairs is expected 120 times, with a standard deviation of 8.5."""
    edges = np.concatenate([GENERATORS["erdos-renyi"](n=5, p=0.4, seed=seed)[1] for seed in range(300)])
    counts = Counter(map(tuple, edges.tolist()))
    assert sorted(counts) == [(i, j) for i in range(5) for j in range(i + 1, 5)]
    assert all(80 < count < 160 for count in counts.values())


def test_pairs_are_counted_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers of the first and last pairs of the largest graph are mapped to the right nodes."""
    n = generator_checks.MAX_GENERATED_NODES
    codes = np.array([0, 1, 2, (n - 1) * (n - 2) // 2 - 1, (n - 1) * (n - 2) // 2, n * (n - 1) // 2 - 1])
    monkeypatch.setattr(random_generators, "_successful_trials", lambda *arguments: codes)
    pairs = GENERATORS["erdos-renyi"](n=n, p=0.0)[1]
    assert pairs.tolist() == [[0, 1], [0, 2], [1, 2], [n - 3, n - 2], [0, n - 1], [n - 2, n - 1]]


def test_trials_go_on_to_the_last_however_small_the_gaps() -> None:
    """If each trial succeeds, all 1000 of them are found."""

    class Lucky:
        def geometric(self, p: float, count: int) -> NDArray[np.int64]:
            return np.ones(count, dtype=np.int64)

    assert random_generators._successful_trials(Lucky(), 1000, 0.1).tolist() == list(range(1000))


def test_a_large_sparse_graph_has_the_expected_edges() -> None:
    """50,000 edges are expected, with a standard deviation of 224, between nodes of all numbers."""
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
        generate("erdos-renyi(n=40,p=0.04,seed=1)", components="require")


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
        ("erdos-renyi(n=10,p=0.5,seed=-1)", "seed=-1 is negative; a seed is a whole number from 0 up"),
        ("barabasi-albert(n=3,m=3)", "n=3 is too small; n must be at least 4"),
        ("watts-strogatz(n=10,k=3,p=0.1)", "k=3 is odd"),
        ("watts-strogatz(n=10,k=4,p=-1)", "p=-1.0 is not a probability"),
        ("random-tree(n=1)", "n=1 is too small"),
        ("random-regular(n=5,d=3)", "n d must be even, e.g. n=6"),
        ("geometric(n=10,radius=0)", "must be positive"),
        ("tre(r=4,h=5)", "did you mean 'tree'?"),
    ],
)
def test_bad_arguments_are_refused(spec: str, problem: str) -> None:
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
        *(f"{name}=1{'0' * 400}{rest})" for name, rest in HUGE),
    ],
)
def test_too_large_is_refused_before_it_is_made(spec: str) -> None:
    import scipy.spatial  # noqa: F401  importing it takes memory, which must not be counted

    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="would be too large; at most 2,000,000 nodes and"):
            generate(spec)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_graphs_too_large_for_the_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free", lambda: 10**6)
    with pytest.raises(
        MemoryError, match=r"^1,000 nodes and 499,500 edges need 55 MB of memory, and 1 MB are"
    ):
        generate("complete(n=1000)")


def test_trees_of_one_node_may_have_any_number_of_children() -> None:
    assert generate(f"cycle-of-trees(n=7,r=1{'0' * 400},h=0)").m == 7


@pytest.mark.parametrize("radius", ["1.5", "1e200", "1.7e308"])
def test_any_radius_beyond_the_square_joins_every_two_points(radius: str) -> None:
    assert generate(f"geometric(n=3,radius={radius})").m == 3


@pytest.mark.parametrize(("n", "d"), [(100, 98), (100, 99), (60, 55), (50, 48), (30, 26)])
def test_dense_regular_graphs_end(n: int, d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense_generators, "MIN_SHUFFLED", 50_000)
    graphs = [generate(f"random-regular(n={n},d={d},seed={seed})") for seed in (0, 0, 1)]
    assert set(graphs[0].degrees.tolist()) == {d}
    assert graphs[0].key == graphs[1].key
    assert (graphs[0].key != graphs[2].key) == (d < n - 1)


@pytest.mark.parametrize(("n", "d"), [(8, 1), (9, 2), (8, 3), (10, 5), (11, 6), (9, 8), (6, 4)])
def test_switched_edges_are_regular_and_as_likely_for_every_pair(n: int, d: int) -> None:
    """Each pair is expected 300 d / (n - 1) times in 300 graphs, with a standard deviation of less than 9."""
    counts: Counter[tuple[int, int]] = Counter()
    for seed in range(300):
        edges = switched_edges(n, d, random.Random(seed))
        assert len(edges) == len({tuple(sorted(edge)) for edge in edges.tolist()}) == n * d // 2
        assert np.bincount(edges.ravel(), minlength=n).tolist() == [d] * n
        counts.update(tuple(sorted(edge)) for edge in edges.tolist())
    assert len(counts) == n * (n - 1) // 2
    assert all(abs(count - 300 * d / (n - 1)) < 40 for count in counts.values())


def test_dense_small_worlds_end() -> None:
    graph = generate("watts-strogatz(n=1000,k=998,p=1)")
    assert (graph.n, graph.m) == (1000, 499_000)
    ring = rewired_ring(30, 28, 0.0, np.random.default_rng(0))
    assert {(min(i - j, 30 + j - i) == 15) for j, i in ring.tolist()} == {False}
    full = rewired_ring(7, 6, 1.0, np.random.default_rng(0))
    assert len(full) == 21


def test_rewired_ends_are_as_networkx_draws_them() -> None:
    """The degrees of 100 graphs of 20 nodes have the same spread in both."""
    ours = [np.bincount(rewired_ring(20, 6, 1.0, np.random.default_rng(seed)).ravel()) for seed in range(100)]
    theirs = [
        np.bincount(GENERATORS["watts-strogatz"](n=20, k=6, p=1.0, seed=seed)[1].ravel())
        for seed in range(100)
    ]
    assert np.all(np.array([degrees.sum() for degrees in ours]) == 120)
    assert abs(np.std(ours) - np.std(theirs)) < 0.15


@pytest.mark.parametrize(
    ("spec", "key"),
    [
        ("random-regular(n=50,d=3,seed=0)", "fea95b0ba5688f76"),
        ("random-regular(n=20,d=18,seed=1)", "c2dd7f96ecf295ff"),
        ("random-regular(n=100,d=80,seed=1)", "7d65605b8428afe1"),
        ("watts-strogatz(n=50,k=4,p=0.1,seed=0)", "210ce6bb4fc9fa03"),
        ("watts-strogatz(n=200,k=180,p=1,seed=0)", "92bab51b670d402a"),
        ("geometric(n=60,radius=0.4,seed=0)", "45d62dc7183231a9"),
        ("erdos-renyi(n=60,p=0.2,seed=0)", "c3509ceb627e5469"),
        ("barabasi-albert(n=50,m=3,seed=0)", "a700c937c2480080"),
        ("random-tree(n=50,seed=0)", "9171fc05f1ef521c"),
    ],
)
def test_random_graphs_stay_the_same(spec: str, key: str) -> None:
    """A spec with a seed names one graph, in every version of riemap."""
    assert generate(spec).key[:16] == key


NUMBERS = st.sampled_from(
    [
        *(
            "0",
            "1",
            "2",
            "3",
            "4",
            "5",
            "6",
            "7",
            "-1",
            "1e1",
            "+3",
            "007",
            "0x10",
            "1_0",
            "true",
            "1.5",
            "0.5",
        ),
        *(
            "nan",
            "inf",
            "-inf",
            "1e400",
            "1e308",
            "1e-400",
            "5e-324",
            "-0.0",
            "1j",
            "٣",
            "１",
            "\0",
            "a b",
            "()",
        ),
        *("1" + "0" * 9, "1" + "0" * 20, "1" + "0" * 400, "-1" + "0" * 400, "9" * 900, "9" * 5000),
        *("(" * 400 + ")" * 400, "((", "1,1", "n=1", "=", ""),
    ]
)


@given(st.data(), st.sampled_from(sorted(GENERATORS)))
@settings(max_examples=max(300, settings().max_examples))
def test_any_arguments_give_a_graph_or_one_clear_line(data: st.DataObject, name: str) -> None:
    keys = [*inspect.signature(GENERATORS[name]).parameters]
    given_ = {key: data.draw(NUMBERS) for key in keys if key != "seed" or data.draw(st.booleans())}
    spec = f"{name}({','.join(f'{key}={value}' for key, value in given_.items())})"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphWarning)
        message = ""
        try:
            assert generate(spec).n >= 2
        except InputError as error:
            message = str(error)
    assert message.isprintable()
    assert len(message) < 400


def test_every_generator_is_described() -> None:
    for function in GENERATORS.values():
        assert (function.__doc__ or "").splitlines()[0].endswith(".")
