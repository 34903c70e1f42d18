"""Checks of graphs, pairs and nodes that are given to a predictor."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riemap.errors import InputError
from riemap.graphs import Graph, take_graph
from riemap.specs import shown


def training_graph(graph: Any) -> Graph:
    """Take a graph in any form, and refuse a matrix of dissimilarities."""
    taken = graph if isinstance(graph, Graph) else take_graph(graph)
    if not isinstance(taken, Graph):
        raise InputError(f"{taken.name} is a matrix of dissimilarities, which has no edges; give a graph")
    return taken


def checked_pairs(graph: Graph, pairs: ArrayLike) -> NDArray[np.int64]:
    """Check pairs of node numbers."""
    found = np.asarray(pairs)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise InputError(f"pairs are a (k, 2) array of node numbers, not {found.dtype}{found.shape}")
    wrong = found[(found < 0) | (found >= graph.n)]
    if len(wrong):
        raise InputError(
            f"{int(wrong[0])} is not a node number of {graph.name}, which are 0 to {graph.n - 1}"
        )
    return found.astype(np.int64)


def check_known_pairs(graph: Graph, pairs: NDArray[np.int64], exists: NDArray[np.int64]) -> None:
    """Refuse pairs that the training graph gives away, and pairs of one kind only."""
    if exists.shape != (len(pairs),) or set(np.unique(exists).tolist()) != {0, 1}:
        raise InputError(
            f"{len(pairs)} pairs need as many numbers, 1 for those that are joined and 0 for others, and "
            "both must occur, e.g. split_edges(graph).validation"
        )
    low, high = np.sort(pairs, axis=1).T
    edges = graph.edges() @ np.array([graph.n, 1])
    seen = np.isin(low * graph.n + high, edges)
    if seen.any():
        a, b = (shown(str(graph.labels[i])) for i in pairs[seen][0])
        raise InputError(
            f"the pair {a}, {b} is an edge of the training graph, which has to be without it: "
            "split_edges(graph) removes held-out edges"
        )


def checked_nodes(n: int, nodes: ArrayLike) -> NDArray[np.int64]:
    """Check numbers of nodes of a graph with ``n`` of them, and return them in one dimension."""
    found = np.asarray(nodes)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise InputError(f"nodes are a list of node numbers, not {found.dtype}{found.shape}")
    wrong = found[(found < 0) | (found >= n)]
    if len(wrong):
        raise InputError(f"{int(wrong[0])} is not a node number, which are 0 to {n - 1}")
    return found.astype(np.int64)
