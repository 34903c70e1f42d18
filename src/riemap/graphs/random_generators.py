"""Generators of random graphs. The same seed gives the same graph."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.graphs.dense_generators import (
    MAX_DRAWS,
    regular_edges,
    rewired_ring,
)
from riemap.graphs.generator_checks import (
    MAX_NETWORKX_EDGES,
    NodesAndEdges,
    check_at_least,
    check_probability,
    check_size,
)
from riemap.specs import checked_seed
from riemap.types import Rng

if TYPE_CHECKING:
    import networkx as nx


def erdos_renyi(n: int, p: float, seed: int = 0) -> NodesAndEdges:
    """Random graph of ``n`` nodes: every two are joined with probability ``p``, independently."""
    check_at_least(2, n=n)
    check_probability(p=p)
    check_size(n, n - 1)
    pairs = n * (n - 1) // 2
    check_size(n, int(p * pairs))
    code = _successful_trials(_rng(seed), pairs, p)
    # The pair (j, i) with j < i has the code i (i - 1) / 2 + j. For j = 0 the number under the root is a
    # square below 2^53, so the root is exact; elsewhere the root is far enough from the next whole number.
    i = ((1.0 + np.sqrt(1.0 + 8.0 * code)) / 2.0).astype(np.int64)
    return n, np.column_stack([code - i * (i - 1) // 2, i])


def barabasi_albert(n: int, m: int, seed: int = 0) -> NodesAndEdges:
    """Preferential attachment: ``n`` nodes, each joined to ``m`` earlier ones, by their degrees."""
    check_at_least(1, m=m)
    check_at_least(m + 1, n=n)
    check_size(n, m * (n - m), MAX_NETWORKX_EDGES)
    import networkx as nx

    return _networkx_edges(nx.barabasi_albert_graph(n, m, seed=_checked_seed(seed)))


def watts_strogatz(n: int, k: int, p: float, seed: int = 0) -> NodesAndEdges:
    """Ring of ``n`` nodes joined to their ``k`` nearest; each edge is rewired with probability ``p``.

    NetworkX draws nodes until one is not yet a neighbour. For a dense graph this would take too many draws,
    and we choose among the nodes that are not.
    """
    check_at_least(2, k=k)
    check_at_least(k + 1, n=n)
    check_probability(p=p)
    check_size(n, n * k // 2, MAX_NETWORKX_EDGES)
    if k % 2:
        raise InputError(
            f"k={k} is odd; it must be even, since half of the neighbours are on each side, e.g. k={k + 1}"
        )
    if p * (n * k // 2) * n > MAX_DRAWS * max(n - 1 - k, 1):
        return n, rewired_ring(n, k, p, _rng(seed))
    import networkx as nx

    return _networkx_edges(nx.watts_strogatz_graph(n, k, p, seed=_checked_seed(seed)))


def random_tree(n: int, seed: int = 0) -> NodesAndEdges:
    """Random tree on ``n`` numbered nodes; all such trees are equally likely."""
    check_at_least(2, n=n)
    check_size(n, n - 1, MAX_NETWORKX_EDGES)
    import networkx as nx

    return _networkx_edges(nx.random_labeled_tree(n, seed=_checked_seed(seed)))


def random_regular(n: int, d: int, seed: int = 0) -> NodesAndEdges:
    """Random graph of ``n`` nodes with ``d`` neighbours each.

    NetworkX pairs the ends of edges at random, and starts again when it is stuck. If this happens too often,
    as for dense graphs, we switch random pairs of edges of a fixed graph instead.
    """
    check_at_least(1, d=d)
    check_at_least(d + 1, n=n)
    check_size(n, n * d // 2, MAX_NETWORKX_EDGES)
    if n * d % 2:
        raise InputError(f"no graph has n={n} nodes of degree d={d} each; n d must be even, e.g. n={n + 1}")
    return n, regular_edges(n, d, _checked_seed(seed))


def geometric(n: int, radius: float, seed: int = 0) -> NodesAndEdges:
    """Random geometric graph: ``n`` points in the unit square, joined if at most ``radius`` apart."""
    from scipy.spatial import KDTree

    check_at_least(2, n=n)
    if radius <= 0.0:
        raise InputError(f"radius={radius} must be positive")
    check_size(n, n - 1)
    radius = min(radius, 2.0)  # longer than the diagonal of the square, so that every two points are joined
    check_size(n, int(min(1.0, np.pi * radius**2) * n * (n - 1) / 2))
    points = KDTree(_rng(seed).random((n, 2)))
    return n, points.query_pairs(radius, output_type="ndarray").astype(np.int64)


def _successful_trials(rng: Rng, trials: int, p: float) -> NDArray[np.int64]:
    """Draw the numbers of the trials that succeed, each with probability ``p``.

    The gaps between successes are drawn, so the time is proportional to the number of successes.
    """
    found = [np.empty(0, dtype=np.int64)]
    last = -1
    while p > 0.0 and last < trials:
        count = int(p * (trials - last) + 4.0 * np.sqrt(p * trials)) + 8
        # All gaps beyond the last trial have the same effect. Cutting them prevents overflow of the sum.
        gaps = np.minimum(rng.geometric(p, count), trials + 1)
        found.append(last + np.cumsum(gaps))
        last = int(found[-1][-1])
    every = np.concatenate(found)
    return every[every < trials]


def _checked_seed(seed: int) -> int:
    checked_seed(seed)
    return seed


def _rng(seed: int) -> Rng:
    return np.random.default_rng(_checked_seed(seed))


def _networkx_edges(graph: "nx.Graph[int]") -> NodesAndEdges:
    return len(graph), np.array(graph.edges, dtype=np.int64).reshape(-1, 2)
