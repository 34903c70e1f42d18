"""Dense random graphs. NetworkX repeats draws that fail, as nearly all do in these, and would take hours."""

import random
from collections.abc import MutableSequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.types import Rng

MAX_DRAWS = 5_000_000
"""Largest expected number of draws of a node that is left to NetworkX, about 4 seconds."""

MIN_SHUFFLED = 2_000_000
"""Number of entries that NetworkX may always shuffle for a regular graph: about 1.5 seconds."""

SWITCHES_PER_EDGE = 10
"""Number of attempts to switch edges, per edge of the graph. With ten, hardly an edge stays in its place."""


class _TooManyShufflesError(Exception):
    """NetworkX did not find a regular graph after many attempts."""


class _BoundedRandom(random.Random):
    """Random numbers that are those of :class:`random.Random`, until too many entries were shuffled.

    Parameters
    ----------
    seed
        The seed.
    shuffled
        Number of entries that may be shuffled, in all; at least ``MIN_SHUFFLED``.
    """

    def __init__(self, seed: int, shuffled: int) -> None:
        super().__init__(seed)
        self.left = max(shuffled, MIN_SHUFFLED)

    def shuffle(self, x: MutableSequence[Any]) -> None:
        """Shuffle a list, or raise an error if too many entries were shuffled before."""
        if self.left < 0:
            raise _TooManyShufflesError
        self.left -= len(x)
        super().shuffle(x)


def regular_edges(n: int, d: int, seed: int) -> NDArray[np.int64]:
    """Draw a graph of ``n`` nodes with ``d`` neighbours each, by NetworkX unless that takes too long.

    Parameters
    ----------
    n, d
        Number of nodes and of neighbours; ``n d`` is even.
    seed
        The seed.

    Returns
    -------
    NDArray[np.int64]
        ``(m, 2)`` edges.

    Examples
    --------
    >>> regular_edges(4, 1, seed=0).shape
    (2, 2)
    """
    import networkx as nx

    bounded = _BoundedRandom(seed, 20 * n * d if 2 * d <= n else MIN_SHUFFLED)
    try:
        return np.array(nx.random_regular_graph(d, n, seed=bounded).edges, dtype=np.int64)
    except _TooManyShufflesError:
        return switched_edges(n, d, random.Random(seed))


def switched_edges(n: int, d: int, rng: random.Random) -> NDArray[np.int64]:
    """Draw a graph of ``n`` nodes with ``d`` neighbours each, in a time proportional to the number of edges.

    Two random edges exchange an end, if this joins no pair twice, many times. A dense graph is the complement
    of a sparse one, in which more of the attempts succeed.

    Parameters
    ----------
    n, d
        Number of nodes and of neighbours; ``n d`` is even.
    rng
        The random numbers.

    Returns
    -------
    NDArray[np.int64]
        ``(m, 2)`` edges.

    Examples
    --------
    >>> edges = switched_edges(6, 4, random.Random(0))
    >>> np.bincount(edges.ravel()).tolist()
    [4, 4, 4, 4, 4, 4]
    """
    dense = d > (n - 1) // 2
    edges = _circulant_edges(n, n - 1 - d if dense else d)
    present = set(edges)
    for _ in range(SWITCHES_PER_EDGE * len(edges)):
        i, j = rng.randrange(len(edges)), rng.randrange(len(edges))
        (a, b), (c, e) = edges[i], edges[j] if rng.random() < 0.5 else edges[j][::-1]
        first, second = (min(a, e), max(a, e)), (min(b, c), max(b, c))
        if a == e or b == c or first in present or second in present:
            continue
        present -= {edges[i], edges[j]}
        present |= {first, second}
        edges[i], edges[j] = first, second
    found = (pair for pair in combinations(range(n), 2) if pair not in present) if dense else iter(edges)
    return np.array(list(found), dtype=np.int64)


def _circulant_edges(n: int, d: int) -> list[tuple[int, int]]:
    """Join each node of a ring to its ``d // 2`` next ones and, if ``d`` is odd, to the opposite one."""
    edges = [(i, (i + step) % n) for step in range(1, d // 2 + 1) for i in range(n)]
    edges += [(i, i + n // 2) for i in range(n // 2)] if d % 2 else []
    return [(min(pair), max(pair)) for pair in edges]


def rewired_ring(n: int, k: int, p: float, rng: Rng) -> NDArray[np.int64]:
    """Join each node of a ring to its ``k`` nearest, and move the end of each edge with probability ``p``.

    The new end is chosen among all nodes that are not yet neighbours; an edge stays if there are none.

    Parameters
    ----------
    n, k, p
        Number of nodes, even number of neighbours, and probability.
    rng
        The random numbers.

    Returns
    -------
    NDArray[np.int64]
        ``(n k / 2, 2)`` edges.

    Examples
    --------
    >>> rewired_ring(7, 4, 1.0, np.random.default_rng(0)).shape
    (14, 2)
    """
    joined = np.eye(n, dtype=bool)
    for step in range(1, k // 2 + 1):
        joined[np.arange(n), (np.arange(n) + step) % n] = True
    joined |= joined.T
    for step in range(1, k // 2 + 1):
        for u in np.flatnonzero(rng.random(n) < p).tolist():
            others = np.flatnonzero(~joined[u])
            if len(others):
                v, w = (u + step) % n, others[rng.integers(len(others))]
                joined[u, v] = joined[v, u] = False
                joined[u, w] = joined[w, u] = True
    return np.argwhere(np.triu(joined, 1))
