"""Graphs made from a spec: ``generate("tree(r=4,h=5)")``.

A generator is a function whose keyword parameters are those of its spec; it returns the number of nodes
and the ``(m, 2)`` edges. Listing it in ``GENERATORS`` puts it into the command line. Nodes are numbered
from zero. Whatever would be too large to work with is refused before it is made.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.graphs.graph import Component, Graph
from riemap.specs import resolve
from riemap.types import Array, Rng

if TYPE_CHECKING:
    import networkx as nx

Wiring: TypeAlias = tuple[int, NDArray[np.int64]]
"""Number of nodes, and the edges between them."""

MAX_NODES = 2_000_000
MAX_EDGES = 20_000_000
MAX_OBJECTS = 2_000_000
"""Largest sizes: edges as numbers take 16 bytes each, but as objects of NetworkX half a kilobyte."""


def generate(spec: str, *, component: Component = "largest") -> Graph:
    """Make the graph that a spec such as ``"tree(r=4,h=5)"`` describes.

    A random graph in several pieces is treated as ``component`` says; see :meth:`Graph.from_edges`.

    >>> generate("cycle( n = 5 )")
    <Graph cycle(n=5): 5 nodes, 5 edges>
    """
    call = resolve(spec, GENERATORS, what="generator", example="tree(r=4,h=5)")
    n, edges = call()
    if len(edges) == 0:
        raise InputError(f"{call}: no two nodes came to be joined; a graph needs at least one edge")
    return Graph.from_edges(edges, labels=range(n), name=str(call), component=component)


def path(n: int) -> Wiring:
    """``n`` nodes in a row."""
    _at_least(2, n=n)
    _bound(n, n - 1)
    return n, _row(np.arange(n))


def cycle(n: int) -> Wiring:
    """``n`` nodes in a ring."""
    _at_least(3, n=n)
    _bound(n, n)
    return n, _ring(np.arange(n))


def star(n: int) -> Wiring:
    """``n`` nodes, all joined to the first."""
    _at_least(2, n=n)
    _bound(n, n - 1)
    return n, np.column_stack([np.zeros(n - 1, dtype=np.int64), np.arange(1, n)])


def complete(n: int) -> Wiring:
    """``n`` nodes, every two joined."""
    _at_least(2, n=n)
    _bound(n, n * (n - 1) // 2)
    return n, np.column_stack(np.triu_indices(n, 1))


def complete_bipartite(n: int, m: int) -> Wiring:
    """``n`` nodes, each joined to each of ``m`` others."""
    _at_least(1, n=n, m=m)
    _bound(n + m, n * m)
    return n + m, np.column_stack([np.repeat(np.arange(n), m), np.tile(np.arange(n, n + m), n)])


def tree(r: int, h: int) -> Wiring:
    """Full tree in which every inner node has ``r`` children and every leaf is ``h`` steps down."""
    _at_least(1, r=r, h=h)
    n = _tree_size(r, h)
    _bound(n, n - 1)
    return n, _family(n, r)


def grid(n: int, d: int) -> Wiring:
    """Grid in ``d`` dimensions, ``n`` nodes along each, the last coordinate counting fastest."""
    _at_least(2, n=n)
    _at_least(1, d=d)
    size = _power(n, d)
    _bound(size, d * (size - size // n))
    nodes = np.arange(size).reshape((n,) * d)
    return size, np.concatenate([_row(np.moveaxis(nodes, axis, 0)) for axis in range(d)])


def hypercube(d: int) -> Wiring:
    """Corners and sides of the cube in ``d`` dimensions."""
    _at_least(1, d=d)
    return grid(2, d)


def torus(n: int, m: int) -> Wiring:
    """Ring of ``n`` rings of ``m`` nodes each, joined like for like."""
    _at_least(3, n=n, m=m)
    _bound(n * m, 2 * n * m)
    nodes = np.arange(n * m).reshape(n, m)
    return n * m, np.concatenate([_ring(nodes), _ring(nodes.T)])


def cycle_of_trees(n: int, r: int, h: int) -> Wiring:
    """Ring of ``n`` nodes, each the root of a full tree of ``r`` children a node and depth ``h``."""
    _at_least(3, n=n)
    _at_least(1, r=r)
    _at_least(0, h=h)
    size = _tree_size(r, h)
    _bound(n * size, n * size)
    roots = np.arange(n)
    rest = (n + np.arange(n * (size - 1))).reshape(n, size - 1)
    nodes = np.column_stack([roots, rest])  # one tree a row, in the order of its levels
    return n * size, np.concatenate([_ring(roots), nodes[:, _family(size, r)].reshape(-1, 2)])


def sphere_mesh(n: int) -> Wiring:
    """Triangles over a sphere, their ``n`` corners evenly spread: planar, with ``3n - 6`` edges.

    The corners are a Fibonacci spiral and the triangles their convex hull. The dataset ``sphere-mesh`` is
    the paper's own mesh, of 988 nodes, where only some of the faces are triangles (2,662 edges, not 2,958).
    """
    from scipy.spatial import ConvexHull

    _at_least(4, n=n)
    _bound(n, 3 * n - 6)
    corners = ConvexHull(_spiral(n)).simplices.astype(np.int64)
    sides = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    code = np.unique(sides[:, 0] * n + sides[:, 1])
    return n, np.column_stack([code // n, code % n])


def erdos_renyi(n: int, p: float, seed: int = 0) -> Wiring:
    """``n`` nodes, every two joined with probability ``p``, independently."""
    _at_least(2, n=n)
    _fraction(p=p)
    pairs = n * (n - 1) // 2
    _bound(n, int(p * pairs))
    code = _successes(_rng(seed), pairs, p)
    # Pairs (j, i), j < i, are counted by i: the first with i has the code i (i - 1) / 2. There the root is
    # of a square below 2^53, so it is exact, and elsewhere it is far enough from the next whole number.
    i = ((1.0 + np.sqrt(1.0 + 8.0 * code)) / 2.0).astype(np.int64)
    return n, np.column_stack([code - i * (i - 1) // 2, i])


def barabasi_albert(n: int, m: int, seed: int = 0) -> Wiring:
    """``n`` nodes that arrive in turn, each joined to ``m`` earlier ones, the well connected preferred."""
    _at_least(1, m=m)
    _at_least(m + 1, n=n)
    _bound(n, m * (n - m), MAX_OBJECTS)
    import networkx as nx

    return _wiring(nx.barabasi_albert_graph(n, m, seed=_seed(seed)))


def watts_strogatz(n: int, k: int, p: float, seed: int = 0) -> Wiring:
    """Ring of ``n`` nodes, each joined to the ``k`` nearest, every edge moved with probability ``p``."""
    _at_least(2, k=k)
    _at_least(k + 1, n=n)
    _fraction(p=p)
    _bound(n, n * k // 2, MAX_OBJECTS)
    if k % 2:
        raise InputError(f"k={k} is odd; half of the neighbours are on either side, e.g. k={k + 1}")
    import networkx as nx

    return _wiring(nx.watts_strogatz_graph(n, k, p, seed=_seed(seed)))


def random_tree(n: int, seed: int = 0) -> Wiring:
    """Tree on ``n`` numbered nodes, all such trees equally likely."""
    _at_least(2, n=n)
    _bound(n, n - 1, MAX_OBJECTS)
    import networkx as nx

    return _wiring(nx.random_labeled_tree(n, seed=_seed(seed)))


def random_regular(n: int, d: int, seed: int = 0) -> Wiring:
    """``n`` nodes with ``d`` neighbours each."""
    _at_least(1, d=d)
    _at_least(d + 1, n=n)
    _bound(n, n * d // 2, MAX_OBJECTS)
    if n * d % 2:
        raise InputError(f"n={n} nodes of odd degree d={d} cannot be; n d must be even, e.g. n={n + 1}")
    import networkx as nx

    return _wiring(nx.random_regular_graph(d, n, seed=_seed(seed)))


def geometric(n: int, radius: float, seed: int = 0) -> Wiring:
    """``n`` random points of the unit square, joined where they are at most ``radius`` apart."""
    from scipy.spatial import KDTree

    _at_least(2, n=n)
    if radius <= 0.0:
        raise InputError(f"radius={radius} must be positive")
    _bound(n, int(min(1.0, np.pi * radius**2) * n * (n - 1) / 2))
    points = KDTree(_rng(seed).random((n, 2)))
    return n, points.query_pairs(radius, output_type="ndarray").astype(np.int64)


GENERATORS: Mapping[str, Callable[..., Wiring]] = {
    "tree": tree,
    "cycle": cycle,
    "grid": grid,
    "cycle-of-trees": cycle_of_trees,
    "sphere-mesh": sphere_mesh,
    "torus": torus,
    "path": path,
    "star": star,
    "complete": complete,
    "complete-bipartite": complete_bipartite,
    "hypercube": hypercube,
    "erdos-renyi": erdos_renyi,
    "barabasi-albert": barabasi_albert,
    "watts-strogatz": watts_strogatz,
    "random-tree": random_tree,
    "random-regular": random_regular,
    "geometric": geometric,
}


def _at_least(low: int, **values: int) -> None:
    for key, value in values.items():
        if value < low:
            raise InputError(f"{key}={value} is too small; {key} must be at least {low}")


def _fraction(**values: float) -> None:
    for key, value in values.items():
        if not 0.0 <= value <= 1.0:
            raise InputError(f"{key}={value} is not a probability; {key} must be between 0 and 1")


def _bound(n: int, m: int, max_edges: int = MAX_EDGES) -> None:
    if n > MAX_NODES or m > max_edges:
        raise InputError(
            f"the graph would be too large; at most {MAX_NODES:,} nodes and {max_edges:,} edges are accepted"
        )


def _power(base: int, exponent: int) -> int:
    """``base ** exponent``, or something too large; the true power may not fit into memory."""
    power = 1
    for _ in range(exponent):
        power *= base
        if power > MAX_NODES:
            break
    return power


def _tree_size(r: int, h: int) -> int:
    """``1 + r + ... + r ** h``, or something too large."""
    size = 1
    for _ in range(h):
        size = size * r + 1
        if size > MAX_NODES:
            break
    return size


def _row(nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Edges between consecutive entries along the first axis."""
    return np.column_stack([nodes[:-1].ravel(), nodes[1:].ravel()])


def _ring(nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Edges between consecutive entries along the first axis, the last and the first included."""
    return np.column_stack([nodes.ravel(), np.roll(nodes, -1, axis=0).ravel()])


def _family(n: int, r: int) -> NDArray[np.int64]:
    """Edges of a tree numbered level by level: the children of ``i`` are ``r i + 1, ..., r i + r``."""
    children = np.arange(1, n)
    return np.column_stack([(children - 1) // r, children])


def _spiral(n: int) -> Array:
    """Points of the sphere at equal steps of height, each turned from the last by the golden angle."""
    z = 1.0 - (2.0 * np.arange(n) + 1.0) / n
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(n)
    radius = np.sqrt(1.0 - z**2)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z])


def _successes(rng: Rng, trials: int, p: float) -> NDArray[np.int64]:
    """Which of independent trials succeed, by drawing the gaps between them: time in their number only."""
    found = [np.empty(0, dtype=np.int64)]
    last = -1
    while p > 0.0 and last < trials:
        count = int(p * (trials - last) + 4.0 * np.sqrt(p * trials)) + 8
        # A gap beyond the end is as good as any other, and does not overflow the sum.
        gaps = np.minimum(rng.geometric(p, count), trials + 1)
        found.append(last + np.cumsum(gaps))
        last = int(found[-1][-1])
    every = np.concatenate(found)
    return every[every < trials]


def _seed(seed: int) -> int:
    _at_least(0, seed=seed)
    return seed


def _rng(seed: int) -> Rng:
    return np.random.default_rng(_seed(seed))


def _wiring(graph: "nx.Graph[int]") -> Wiring:
    return len(graph), np.array(graph.edges, dtype=np.int64).reshape(-1, 2)
