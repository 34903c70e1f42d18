"""Simple numbers about a pair of nodes, from the training graph alone."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.graphs import Graph
from riemap.types import Array

FEATURE_NAMES = (
    "common neighbours",
    "Adamic-Adar",
    "resource allocation",
    "log of the degrees",
    "log of the smaller degree",
    "log of the larger degree",
    "same component",
    "node without edges",
)
"""What the columns of :func:`pair_features` are."""

FEATURE_BLOCK_PAIRS = 1 << 18
"""Number of pairs whose neighbours are compared at a time: some ten megabytes."""

Nodes = NDArray[np.int64]


def adjacency(graph: Graph) -> Any:
    """The adjacency matrix, with ones."""
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(graph.indices)), graph.indices, graph.indptr), shape=(graph.n, graph.n))


def neighbour_sums(graph: Graph, pairs: Nodes) -> Array:
    """Number of common neighbours, Adamic-Adar and resource allocation of each pair, ``(k, 3)``.

    They are sums over the common neighbours of 1, 1/log(degree) and 1/degree.
    """
    from scipy.sparse import diags_array

    plain = adjacency(graph)
    # The degree of a common neighbour is two at least, so that its logarithm is positive.
    degrees = np.maximum(graph.degrees, 2)
    weighted = [plain @ diags_array(w) for w in (np.ones(graph.n), 1.0 / np.log(degrees), 1.0 / degrees)]
    found = np.empty((len(pairs), 3))
    for start in range(0, len(pairs), FEATURE_BLOCK_PAIRS):
        i, j = pairs[start : start + FEATURE_BLOCK_PAIRS].T
        ends = plain[j]
        for k, matrix in enumerate(weighted):
            found[start : start + len(i), k] = matrix[i].multiply(ends).sum(axis=1)
    return found


def pair_features(graph: Graph, pairs: Nodes) -> Array:
    """Compute the numbers that :data:`FEATURE_NAMES` lists.

    Parameters
    ----------
    graph
        The training graph.
    pairs
        ``(k, 2)`` node numbers.

    Returns
    -------
    array
        ``(k, 8)``.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2), (3, 4)], components="keep")
    >>> pair_features(path, np.array([[0, 2], [0, 4]]))[:, [0, 6]].tolist()
    [[1.0, 1.0], [0.0, 0.0]]
    """
    degrees, (_, member) = graph.degrees[pairs], graph.component_numbers
    logs = np.log1p(degrees)
    return np.column_stack(
        [
            neighbour_sums(graph, pairs),
            logs.sum(axis=1),
            logs.min(axis=1),
            logs.max(axis=1),
            member[pairs[:, 0]] == member[pairs[:, 1]],
            degrees.min(axis=1) == 0,
        ]
    )
