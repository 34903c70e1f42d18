"""The pairs of nodes that are most likely joined although the graph has no edge between them."""

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riemap.embeddings import Embedding
from riemap.graphs import Graph
from riemap.tasks.checks import training_graph
from riemap.tasks.embedding import rows_in
from riemap.tasks.link_predictor import LinkPredictor
from riemap.tasks.pair_features import adjacency
from riemap.tasks.summaries import Told, silent

ALL_PAIRS = 1 << 21
"""Number of pairs of nodes up to which every one is looked at: 2,048 nodes. In larger graphs, those with a
common neighbour and those that are near each other in the embedding."""

NEAR_NODES = 20
"""Number of nodes near each node that are looked at in a larger graph."""

BLOCK_PAIRS = 1 << 16
"""Number of pairs that are looked at a time. Their features with all products take 30 MB."""


class PredictedLink(NamedTuple):
    """A pair of nodes without an edge, and the probability that they are joined."""

    source: Hashable
    target: Hashable
    probability: float


def likely_links(
    model: LinkPredictor, count: int, missing: float, told: Told = silent
) -> tuple[PredictedLink, ...]:
    """Find the pairs without an edge that are most likely joined.

    The model was fitted to pairs half of which are joined. Of all pairs without an edge few are, and the
    probabilities are corrected for that: they hold if ``missing`` of them are.

    Parameters
    ----------
    model
        A fitted predictor.
    count
        Number of pairs to return.
    missing
        Number of edges that are assumed to be missing.
    told
        Is told which share of the nodes is done.

    Returns
    -------
    tuple of PredictedLink
        The most likely pair first.
    """
    graph = training_graph(model.graph)
    without = graph.n * (graph.n - 1) // 2 - graph.m
    odds = missing / max(without - missing, 1.0)
    best_pairs, best = np.empty((0, 2), np.int64), np.empty(0)
    for pairs, share in _candidates(graph, model.embedding_):
        told("predicted links", share)
        if len(pairs):
            best_pairs = np.concatenate([best_pairs, pairs])
            best = np.concatenate([best, model.log_odds(pairs)])
            kept = np.argsort(-best, kind="stable")[:count]
            best_pairs, best = best_pairs[kept], best[kept]
    from scipy.special import expit

    labels = graph.labels
    return tuple(
        PredictedLink(labels[i], labels[j], float(p))
        for (i, j), p in zip(best_pairs.tolist(), expit(best + np.log(odds)), strict=True)
    )


def _candidates(graph: Graph, embedding: Embedding) -> Iterator[tuple[NDArray[np.int64], float]]:
    """Yield pairs without an edge for blocks of nodes, and the share of the nodes that are done."""
    every = graph.n * (graph.n - 1) // 2 <= ALL_PAIRS
    plain = adjacency(graph)
    rows = rows_in(embedding, graph)
    nodes = np.flatnonzero(rows >= 0)  # the node of each row, in the order of the graph
    node_of_row = np.empty(embedding.n, np.int64)
    node_of_row[rows[nodes]] = nodes
    size = max(BLOCK_PAIRS // graph.n, 1)
    for start in range(0, graph.n, size):
        block = np.arange(start, min(start + size, graph.n))
        wanted = np.full((len(block), graph.n), every)
        if not every:
            wanted |= (plain[block] @ plain).toarray() > 0.0
            placed = np.flatnonzero(rows[block] >= 0)
            if len(placed):
                sqdist = embedding.sqdist_rows(rows[block[placed]])
                k = min(NEAR_NODES + 1, embedding.n) - 1  # the node itself is the nearest
                near = np.argpartition(sqdist, k, axis=1)[:, : k + 1]
                wanted[placed[:, None], node_of_row[near]] = True
        wanted[plain[block].toarray() > 0.0] = False
        if every:
            wanted[np.arange(graph.n) <= block[:, None]] = False  # each pair once
        i, j = np.nonzero(wanted)
        pairs = np.column_stack([block[i], j])
        yield pairs[pairs[:, 0] < pairs[:, 1]], (start + len(block)) / graph.n
