"""A thousand nodes that stand for a large graph on the page of a run."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riemap.distances import pseudo_diameter, rows_from
from riemap.embeddings import Embedding
from riemap.graphs import AnyGraph, Dissimilarities, Graph
from riemap.metrics.comparison import Comparison

LARGEST_DRAWN = 20_000
"""Largest number of nodes that are all drawn. The page of more would have over 6 MB, and a browser would turn
its picture slowly."""

DRAWN_NODES, DRAWN_HUBS = 1000, 100
"""Number of nodes drawn of a larger graph, and how many of them are those with the most neighbours. The
others are random."""

DRAWN_ROWS = 128
"""Number of nodes whose distances to all nodes are in memory at a time."""


class DrawnNodes(NamedTuple):
    """The part of a graph and of its embedding that a page draws.

    Parameters
    ----------
    nodes
        ``(k,)``, node numbers in the whole graph, in increasing order.
    embedding, graph
        The points of these nodes, and the edges between them.
    comparison
        Their distances to each other, divided by the largest distance of the whole graph.
    """

    nodes: NDArray[np.int64]
    embedding: Embedding
    graph: AnyGraph
    comparison: Comparison


def draw_nodes(embedding: Embedding, graph: AnyGraph, seed: int = 0) -> DrawnNodes:
    """Choose the nodes of a large graph that a page draws.

    Parameters
    ----------
    embedding, graph
        The embedding, in the order of the graph's nodes, and the graph.
    seed
        Seed of the draw.

    Returns
    -------
    DrawnNodes
        The nodes, and what the page needs of them.
    """
    random = np.random.default_rng(seed).permutation(graph.n)
    hubs = np.argsort(-graph.degrees, kind="stable")[:DRAWN_HUBS] if isinstance(graph, Graph) else random[:0]
    others = random[~np.isin(random, hubs)][: DRAWN_NODES - len(hubs)]
    nodes = np.sort(np.concatenate([hubs, others]))
    part = nodes_of(embedding, nodes)
    rows = [
        rows_from(graph, nodes[start : start + DRAWN_ROWS])[:, nodes]
        for start in range(0, len(nodes), DRAWN_ROWS)
    ]
    between = np.concatenate(rows)
    edges = _induced(graph, nodes, part.labels)
    maximum = max(pseudo_diameter(graph), float(between.max()))
    own = edges if isinstance(edges, Graph) else None
    compared = Comparison(np.arange(len(nodes)), between, part.sqdist_rows, maximum, own)
    return DrawnNodes(nodes, part, edges, compared)


def nodes_of(embedding: Embedding, nodes: NDArray[np.int64]) -> Embedding:
    """The embedding of some nodes, in the order in which they are given."""
    labels = tuple(map(embedding.labels.__getitem__, nodes.tolist()))
    return replace(embedding, points=tuple(factor[nodes] for factor in embedding.points), labels=labels)


def _induced(graph: AnyGraph, nodes: NDArray[np.int64], labels: tuple[Any, ...]) -> AnyGraph:
    """The edges between some nodes, which are numbered anew."""
    if isinstance(graph, Dissimilarities):
        return Dissimilarities(graph.matrix[np.ix_(nodes, nodes)], labels, graph.name)
    from scipy.sparse import csr_array

    lengths = np.ones(len(graph.indices)) if graph.weights is None else graph.weights
    whole: Any = csr_array((lengths, graph.indices, graph.indptr), shape=(graph.n, graph.n))
    some = whole[nodes][:, nodes].tocsr()
    some.sort_indices()
    weights = None if graph.weights is None else some.data
    return Graph(some.indptr.astype(np.int64), some.indices.astype(np.int32), weights, labels, graph.name)
