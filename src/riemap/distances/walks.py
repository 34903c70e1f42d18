r"""How likely a random walk leads from one node to another: the target of the loss ``walks``.

A walk starts at node ``i``, ends with probability ``1 - a`` before each step, and goes on to a random
neighbour otherwise. With ``P`` the transition matrix, it ends at ``j`` with probability

.. math:: S_{ij} = (1 - a) \sum_{k \le K} a^k P^k_{ij},

the personalised PageRank of ``j``. The dissimilarity of two nodes is :math:`\delta_{ij}^2 = -\log s_{ij}`,
where ``s`` is the mean of both directions, ``S`` without its diagonal and with rows that add up to one. The
loss ``walks`` then compares :math:`p_{j|i} \propto s_{ij}` with :math:`q_{j|i} \propto e^{-d_{ij}^2}`, as
[Tsitsulin2018] does with inner products.

References
----------
[Tsitsulin2018] Tsitsulin, Mottin, Karras, Müller. VERSE: versatile graph embeddings from similarity measures.
    WWW 2018.
"""

import logging
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from riemap import memory
from riemap.distances.target import Target
from riemap.errors import InputError
from riemap.graphs import AnyGraph, Graph
from riemap.specs import shown
from riemap.types import Array

WALK_STEPS = 40
"""Longest walk ``K``. With the continuation below, 0.2 % of all walks would be longer."""

CONTINUATION = 0.85
"""Probability ``a`` that a walk goes on: the usual value of PageRank."""

LEAST_SHARE = 0.01
"""Smallest ``s`` times the number of nodes. It is the rule for pairs that no walk connects: their squared
dissimilarity is -log(0.01 / n), which is finite and the largest of all."""

NEAREST_SQUARE = 0.01
"""Squared dissimilarity of the most similar pair. It is positive, since two nodes must not coincide."""

LESS_MEMORY = (
    "take a smaller graph, or do without walks: 'riemap embed --for both --sampler landmarks' or 'riemap "
    "links --target landmarks' (in Python, loss='both', sampler='landmarks', or target='landmarks')"
)
"""What can be done where the walks between all pairs do not fit."""

EXACT_NODES = 6000
"""Largest number of nodes whose dissimilarities are kept as float64, which takes 288 MB, and of which a step
of training sees all pairs. In a larger graph each dissimilarity takes a byte, and steps see batches."""

PAIR_BYTES = 4
"""Memory that the walks of a pair take while they are computed for a large graph."""

LEVELS = 255
"""Number of steps in which dissimilarities of a large graph are stored, so that one takes a byte. On cora a
squared dissimilarity, which is 12.5 at most, then differs by 0.05 at most."""

BLOCK_NODES = 64
"""Number of nodes whose walks are followed at a time in a large graph. On pubmed it took 9 s with 64, 12 s
with 128 and 20 s with 256, whose numbers no longer fit into the processor's cache."""

_LOGGER = logging.getLogger(__name__)

_kept: WeakKeyDictionary[Graph, Target] = WeakKeyDictionary()
"""The target of the graph whose walks were computed last, as long as that graph is used: several spaces and
seeds have it in common."""


def check_walks(graph: AnyGraph) -> Graph:
    """Return the graph, or refuse dissimilarities: a walk needs edges.

    Parameters
    ----------
    graph
        What to embed.

    Returns
    -------
    Graph
        The same.

    Raises
    ------
    InputError
        If it has no edges.
    """
    if not isinstance(graph, Graph):
        raise InputError(
            f"{shown(graph.name)} is a matrix of dissimilarities, and walks need edges: the loss walks, of "
            "--for links and --for labels, is for graphs; take e.g. --for both (in Python, loss='both')"
        )
    return graph


def walk_target(graph: AnyGraph, interrupted: Callable[[], bool] = lambda: False) -> Target:
    """Compute what the loss ``walks`` is trained on: the dissimilarities of all pairs, squared and scaled.

    The target that was computed last is kept as long as its graph is in use.

    Parameters
    ----------
    graph
        The graph, with any number of components.
    interrupted
        Is asked now and then for a large graph, and ends the computation by returning ``True``.

    Returns
    -------
    Target
        Its smallest entry is ``NEAREST_SQUARE`` over the square of the largest dissimilarity.

    Raises
    ------
    InputError
        If dissimilarities are given.
    MemoryError
        If the matrices do not fit into memory.
    KeyboardInterrupt
        If ``interrupted`` tells so.

    Examples
    --------
    >>> target = walk_target(Graph.from_edges([(0, 1), (1, 2)]))
    >>> bool(np.isclose(target.least * target.maximum**2, NEAREST_SQUARE))
    True
    """
    graph = check_walks(graph)
    found = _kept.get(graph)
    if found is None:
        _kept.clear()  # before another is computed, which may need the memory
        _LOGGER.info("%s: computing the random walks between all %d nodes", graph.name, graph.n)
        if graph.n <= EXACT_NODES:
            found = Target(walk_dissimilarities(graph))
        else:
            levels, largest = walk_levels(graph, interrupted=interrupted)
            found = Target(levels, least=NEAREST_SQUARE / largest)
        _kept[graph] = found
    return found


def walk_probabilities(graph: Graph, continuation: float = CONTINUATION) -> Array:
    """Compute the matrix ``S``. A walk prefers short edges: their chance is the inverse of their length.

    Parameters
    ----------
    graph
        The graph, with any number of components.
    continuation
        The probability ``a``.

    Returns
    -------
    array
        ``(n, n)``. Rows add up to one, but for the longest walks and for nodes without edges.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> walk_probabilities(path).argmax(axis=1).tolist()
    [1, 1, 1]
    """
    step, _ = _transitions(graph, continuation)
    found = np.eye(graph.n)
    for _ in range(WALK_STEPS):  # Horner's rule: S = I + a P (I + a P (...))
        found = step @ found
        found[np.diag_indices(graph.n)] += 1.0
    return (1.0 - continuation) * found


def walk_dissimilarities(graph: Graph, continuation: float = CONTINUATION) -> Array:
    """Compute the dissimilarities of all pairs of nodes.

    Parameters
    ----------
    graph, continuation
        As for :func:`walk_probabilities`.

    Returns
    -------
    array
        ``(n, n)``, symmetric, zero on the diagonal and positive elsewhere.

    Raises
    ------
    MemoryError
        If the matrix does not fit into memory.

    Examples
    --------
    >>> walk_dissimilarities(Graph.from_edges([(0, 1), (1, 2)])).round(2).tolist()
    [[0.0, 0.1, 0.84], [0.1, 0.0, 0.1], [0.84, 0.1, 0.0]]
    """
    n = graph.n
    memory.require(5 * 8 * n**2, f"the walks between {n:,} nodes", LESS_MEMORY)
    similar = walk_probabilities(graph, continuation)
    np.fill_diagonal(similar, 0.0)
    sums = similar.sum(axis=1, keepdims=True)
    similar /= np.where(sums > 0.0, sums, 1.0)
    similar = 0.5 * (similar + similar.T)
    square = -np.log(np.maximum(similar, LEAST_SHARE / n))
    square += NEAREST_SQUARE - square[~np.eye(n, dtype=bool)].min()
    np.fill_diagonal(square, 0.0)
    return np.sqrt(square)


def walk_levels(
    graph: Graph, continuation: float = CONTINUATION, interrupted: Callable[[], bool] = lambda: False
) -> tuple[NDArray[np.uint8], float]:
    """Compute the dissimilarities of all pairs of nodes of a large graph, with a byte for each.

    Parameters
    ----------
    graph, continuation
        As for :func:`walk_probabilities`.
    interrupted
        Is asked now and then, and ends the computation by returning ``True``.

    Returns
    -------
    tuple of array and float
        ``(n, n)`` dissimilarities in multiples of a unit, and the square of the largest dissimilarity.

    Raises
    ------
    MemoryError
        If the matrices do not fit into memory.
    KeyboardInterrupt
        If ``interrupted`` tells so.

    Examples
    --------
    >>> levels, largest = walk_levels(Graph.from_edges([(0, 1), (1, 2)]))
    >>> (np.sqrt(largest) * levels / levels.max()).round(2).tolist()
    [[0.0, 0.1, 0.84], [0.1, 0.0, 0.1], [0.84, 0.1, 0.0]]
    """
    n = graph.n
    memory.require(PAIR_BYTES * n**2, f"the walks between {n:,} nodes", LESS_MEMORY)
    blocks = [np.arange(start, min(start + BLOCK_NODES, n)) for start in range(0, n, BLOCK_NODES)]
    step, sums = _transitions(graph, continuation)
    step = step.astype(np.float32)
    kept, totals = np.empty((n, n), np.float16), np.zeros(n)
    for nodes in blocks:
        if interrupted():
            raise KeyboardInterrupt
        walks, own = np.zeros((n, len(nodes)), np.float32), (nodes, np.arange(len(nodes)))
        for k in range(WALK_STEPS + 1):
            walks = step @ walks if k else walks
            walks[own] += 1.0
        walks[own] = 0.0
        totals += walks.sum(axis=1)
        # Times n, half-precision numbers reach from the smallest to the largest probability that counts.
        kept[nodes] = n * (1.0 - continuation) * np.ascontiguousarray(walks.T)

    # A walk from i to j is sums[j] / sums[i] times as likely as one from j to i, so that a row has both.
    here = 0.5 / np.where(totals > 0.0, (1.0 - continuation) * totals, 1.0)
    there = here / sums

    def similar(nodes: NDArray[np.int64]) -> Array:
        """The mean of both directions, times n: at least the smallest that counts."""
        both = here + sums * there[nodes, None]
        return np.maximum(kept[nodes] * both.astype(np.float32), np.float32(LEAST_SHARE))

    shift = NEAREST_SQUARE + float(np.log(max(similar(nodes).max() for nodes in blocks)))
    bound = shift - float(np.log(LEAST_SHARE))
    levels = np.empty((n, n), np.uint8)
    for nodes in blocks:
        square = np.maximum(shift - np.log(similar(nodes)), NEAREST_SQUARE)
        levels[nodes] = np.maximum(np.rint(LEVELS * np.sqrt(square / bound)), 1.0)
        levels[nodes, nodes] = 0
    np.maximum(levels, levels.T, out=levels)
    return levels, bound * (int(levels.max()) / LEVELS) ** 2


def _transitions(graph: Graph, continuation: float) -> tuple[Any, Array]:
    """The sparse matrix ``a P``, and the sum of strengths of each node, one where it has no edges."""
    from scipy.sparse import csr_array, diags_array

    strengths = np.ones(len(graph.indices)) if graph.weights is None else 1.0 / graph.weights
    matrix: Any = csr_array((strengths, graph.indices, graph.indptr), shape=(graph.n, graph.n))
    sums = np.asarray(matrix.sum(axis=1))
    sums = np.where(sums > 0.0, sums, 1.0)
    return diags_array(continuation / sums) @ matrix, sums
