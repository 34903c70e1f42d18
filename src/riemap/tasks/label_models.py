"""Models that give every node a probability for each class, from an embedding and the known nodes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.embeddings import Embedding
from riemap.graphs import Graph
from riemap.tasks.embedding import rows_in
from riemap.tasks.logistic import fit_logistic
from riemap.tasks.pair_features import adjacency
from riemap.types import Array

SPREADING_NEIGHBOURS = 10
"""Number of nearest nodes in the embedding that a node gets its label from when labels are spread."""

NEAR_WEIGHT = 0.1
"""Weight of the nearest nodes in label spreading, where an edge has weight one. On cora in H16, with means of
the splits of seeds 0 to 7, the accuracy was 70.1 %; 69.7 % with weight one, and 69.3 % over the edges alone.
The differences are within two standard errors, 0.5 % each."""

SMOOTHING_SHARE = 0.9
"""How much of a node's label comes from its neighbours when predictions are smoothed. On cora in E16, means
of the splits of seeds 0 to 7, the accuracy of smoothed(C=0.1) was 71.7 %; it was 71.1 % with 0.8, 69.5 % with
0.5, and 67.8 % without. On pubmed it was 74.7, 73.9, 72.8 and 72.0 %."""

SPREADING_STEPS = 60
"""Number of steps of label spreading; with a share of 0.9, what comes later changes 0.2 %."""

BLOCK_ROWS = 512
"""Number of nodes whose distances to others are computed at a time."""

Nodes = NDArray[np.int64]


class Known(NamedTuple):
    """Nodes whose class is known.

    Parameters
    ----------
    nodes
        Node numbers.
    codes
        Class of each, from 0 on.
    classes
        Number of classes.
    """

    nodes: Nodes
    codes: Nodes
    classes: int

    @property
    def indicators(self) -> Array:
        """``(nodes, classes)`` one for the class of each node."""
        return np.eye(self.classes)[self.codes]

    @property
    def shares(self) -> Array:
        """Share of each class."""
        return np.bincount(self.codes, minlength=self.classes) / len(self.codes)


@final
@dataclass(frozen=True, eq=False)
class PlacedGraph:
    """A graph and an embedding of its nodes, or of some of them."""

    graph: Graph
    embedding: Embedding

    @cached_property
    def rows(self) -> Nodes:
        """Row of each node in the embedding; -1 where it has no place."""
        return rows_in(self.embedding, self.graph)

    @cached_property
    def features(self) -> Array:
        """Tangent coordinates, zero for nodes without a place, and the logarithm of the degree."""
        own = self.embedding.features()
        found = np.zeros((self.graph.n, own.shape[1] + 1))
        found[self.rows >= 0, :-1] = own[self.rows[self.rows >= 0]]
        found[:, -1] = np.log1p(self.graph.degrees)
        return found

    @cached_property
    def nearest(self) -> tuple[Nodes, Array]:
        """The nearest rows of each row of the embedding, and their squared distances."""
        n = self.embedding.n
        k = min(SPREADING_NEIGHBOURS, n - 1)
        near, sqdist = np.empty((n, k), np.int64), np.empty((n, k))
        for start in range(0, n, BLOCK_ROWS):
            block = np.arange(start, min(start + BLOCK_ROWS, n))
            rows = self.embedding.sqdist_rows(block)
            rows[np.arange(len(block)), block] = np.inf
            found = np.argpartition(rows, k - 1, axis=1)[:, :k]
            near[block], sqdist[block] = found, np.take_along_axis(rows, found, axis=1)
        return near, sqdist


def by_nearest(placed: PlacedGraph, known: Known, k: float) -> Array:
    """Vote of the ``k`` known nodes that are nearest by geodesic distance, weighted by 1 / distance."""
    embedding, rows = placed.embedding, placed.rows
    usable = rows[known.nodes] >= 0
    found = np.tile(known.shares, (placed.graph.n, 1))
    if not usable.any():
        return found
    votes, at = known.indicators[usable], rows[known.nodes[usable]]
    points = tuple(x[at] for x in embedding.points)
    nodes = np.flatnonzero(rows >= 0)
    count = min(int(k), len(at))
    for start in range(0, len(nodes), BLOCK_ROWS):
        block = nodes[start : start + BLOCK_ROWS]
        own = tuple(x[rows[block]] for x in embedding.points)
        sqdist = embedding.space.pairwise(own, points, embedding.log_scales)
        near = np.argpartition(sqdist, count - 1, axis=1)[:, :count]
        weights = 1.0 / np.sqrt(np.take_along_axis(sqdist, near, axis=1) + 1e-12)
        found[block] = np.einsum("ij,ijc->ic", weights, votes[near])
    return found / found.sum(axis=1, keepdims=True)


def by_logistic(placed: PlacedGraph, known: Known, C: float) -> Array:
    """Logistic regression on tangent coordinates and the degree."""
    x = placed.features
    return np.exp(fit_logistic(x[known.nodes], known.codes, known.classes, C).log_proba(x))


def by_spreading(placed: PlacedGraph, known: Known, share: float) -> Array:
    """Label spreading over the edges and the nearest nodes in the embedding."""
    from scipy.sparse import csr_array

    near, sqdist = placed.nearest
    graph = placed.graph
    node_of_row = np.empty(placed.embedding.n, np.int64)
    placed_nodes = np.flatnonzero(placed.rows >= 0)
    node_of_row[placed.rows[placed_nodes]] = placed_nodes
    width = np.median(sqdist[:, -1]) or 1.0
    ends = (np.repeat(node_of_row, near.shape[1]), node_of_row[near.ravel()])
    weights = csr_array((np.exp(-sqdist.ravel() / width), ends), shape=(graph.n, graph.n))
    return spread(NEAR_WEIGHT * 0.5 * (weights + weights.T) + adjacency(graph), known, share)


def by_smoothed(placed: PlacedGraph, known: Known, C: float) -> Array:
    """Logistic regression, whose predictions are then spread over the edges  [Huang2021].

    [Huang2021] Huang, He, Singh, Lim, Benson. Combining label propagation and simple models out-performs
    graph neural networks. ICLR 2021.
    """
    given = by_logistic(placed, known, C)
    given[known.nodes] = known.indicators
    return _diffused(adjacency(placed.graph), given, SMOOTHING_SHARE, known)


def by_both(placed: PlacedGraph, known: Known, share: float) -> Array:
    """Mean of a vote of the three nearest known nodes, and of labels spread over the edges alone."""
    return 0.5 * by_nearest(placed, known, 3) + 0.5 * spread(adjacency(placed.graph), known, share)


def by_balanced(placed: PlacedGraph, known: Known, share: float) -> Array:
    """The same mean, divided by the square roots of the shares of the classes: rare ones count more."""
    found = by_both(placed, known, share) / np.sqrt(known.shares)
    return found / found.sum(axis=1, keepdims=True)


def spread(weights: Any, known: Known, share: float) -> Array:
    """Spread labels over a weighted graph. Nodes that no label reaches get the shares of the classes."""
    given = np.zeros((weights.shape[0], known.classes))
    given[known.nodes] = known.indicators
    return _diffused(weights, given, share, known)


def _diffused(weights: Any, given: Array, share: float, known: Known) -> Array:
    r"""Repeat ``F ← share · S F + (1 - share) · Y``, where ``Y`` is given  [Zhou2004].

    Here :math:`S = D^{-1/2} W D^{-1/2}`.

    [Zhou2004] Zhou, Bousquet, Lal, Weston, Schölkopf. Learning with local and global consistency. NIPS 2003.
    """
    from scipy.sparse import diags_array

    sums = np.asarray(weights.sum(axis=1))
    roots = diags_array(1.0 / np.sqrt(np.where(sums > 0.0, sums, 1.0)))
    matrix = (roots @ weights @ roots).tocsr()
    found = given.copy()
    for _ in range(SPREADING_STEPS):
        found = share * (matrix @ found) + (1.0 - share) * given
    total = found.sum(axis=1, keepdims=True)
    reached = total > 0.0
    return np.where(reached, found / np.where(reached, total, 1.0), known.shares)


class LabelModel(NamedTuple):
    """A function that predicts all nodes, and its setting."""

    predict: Callable[[PlacedGraph, Known, float], Array]
    setting: float


LABEL_MODELS = {
    "nearest(k=3)": LabelModel(by_nearest, 3),
    "nearest(k=10)": LabelModel(by_nearest, 10),
    "logistic(C=0.01)": LabelModel(by_logistic, 0.01),
    "logistic(C=1)": LabelModel(by_logistic, 1.0),
    "smoothed(C=0.01)": LabelModel(by_smoothed, 0.01),
    "smoothed(C=0.1)": LabelModel(by_smoothed, 0.1),
    "spreading(share=0.2)": LabelModel(by_spreading, 0.2),
    "spreading(share=0.9)": LabelModel(by_spreading, 0.9),
    "both(share=0.2)": LabelModel(by_both, 0.2),
    "both(share=0.9)": LabelModel(by_both, 0.9),
    "balanced(share=0.2)": LabelModel(by_balanced, 0.2),
}
"""The models that are compared."""
