"""Generators of random graphs. The same seed gives the same graph."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.graphs.generator_checks import (
    MAX_NETWORKX_EDGES,
    NodesAndEdges,
    check_at_least,
    check_probability,
    check_size,
)
from riemap.types import Rng

if TYPE_CHECKING:
    import networkx as nx


def erdos_renyi(n: int, p: float, seed: int = 0) -> NodesAndEdges:
    """``n`` nodes, every two joined with probability ``p``, independently."""
    check_at_least(2, n=n)
    check_probability(p=p)
    pairs = n * (n - 1) // 2
    check_size(n, int(p * pairs))
    code = _successful_trials(_rng(seed), pairs, p)
    # Pairs (j, i), j < i, are counted by i: the first with i has the code i (i - 1) / 2. There the root is
    # of a square below 2^53, so it is exact, and elsewhere it is far enough from the next whole number.
    i = ((1.0 + np.sqrt(1.0 + 8.0 * code)) / 2.0).astype(np.int64)
    return n, np.column_stack([code - i * (i - 1) // 2, i])


def barabasi_albert(n: int, m: int, seed: int = 0) -> NodesAndEdges:
    """``n`` nodes that arrive in turn, each joined to ``m`` earlier ones, the well connected preferred."""
    check_at_least(1, m=m)
    check_at_least(m + 1, n=n)
    check_size(n, m * (n - m), MAX_NETWORKX_EDGES)
    import networkx as nx

    return _networkx_edges(nx.barabasi_albert_graph(n, m, seed=_checked_seed(seed)))


def watts_strogatz(n: int, k: int, p: float, seed: int = 0) -> NodesAndEdges:
    """Ring of ``n`` nodes, each joined to the ``k`` nearest, every edge moved with probability ``p``."""
    check_at_least(2, k=k)
    check_at_least(k + 1, n=n)
    check_probability(p=p)
    check_size(n, n * k // 2, MAX_NETWORKX_EDGES)
    if k % 2:
        raise InputError(f"k={k} is odd; half of the neighbours are on either side, e.g. k={k + 1}")
    import networkx as nx

    return _networkx_edges(nx.watts_strogatz_graph(n, k, p, seed=_checked_seed(seed)))


def random_tree(n: int, seed: int = 0) -> NodesAndEdges:
    """Tree on ``n`` numbered nodes, all such trees equally likely."""
    check_at_least(2, n=n)
    check_size(n, n - 1, MAX_NETWORKX_EDGES)
    import networkx as nx

    return _networkx_edges(nx.random_labeled_tree(n, seed=_checked_seed(seed)))


def random_regular(n: int, d: int, seed: int = 0) -> NodesAndEdges:
    """``n`` nodes with ``d`` neighbours each."""
    check_at_least(1, d=d)
    check_at_least(d + 1, n=n)
    check_size(n, n * d // 2, MAX_NETWORKX_EDGES)
    if n * d % 2:
        raise InputError(f"n={n} nodes of odd degree d={d} cannot be; n d must be even, e.g. n={n + 1}")
    import networkx as nx

    return _networkx_edges(nx.random_regular_graph(d, n, seed=_checked_seed(seed)))


def geometric(n: int, radius: float, seed: int = 0) -> NodesAndEdges:
    """``n`` random points of the unit square, joined where they are at most ``radius`` apart."""
    from scipy.spatial import KDTree

    check_at_least(2, n=n)
    if radius <= 0.0:
        raise InputError(f"radius={radius} must be positive")
    check_size(n, int(min(1.0, np.pi * radius**2) * n * (n - 1) / 2))
    points = KDTree(_rng(seed).random((n, 2)))
    return n, points.query_pairs(radius, output_type="ndarray").astype(np.int64)


def _successful_trials(rng: Rng, trials: int, p: float) -> NDArray[np.int64]:
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


def _checked_seed(seed: int) -> int:
    check_at_least(0, seed=seed)
    return seed


def _rng(seed: int) -> Rng:
    return np.random.default_rng(_checked_seed(seed))


def _networkx_edges(graph: "nx.Graph[int]") -> NodesAndEdges:
    return len(graph), np.array(graph.edges, dtype=np.int64).reshape(-1, 2)
