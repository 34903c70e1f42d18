"""New nodes for a finished embedding: they are placed by their edges, and the others stay where they are."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from riemap.distances import rows_from
from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.graphs import Graph, Labels
from riemap.specs import expect
from riemap.training.grown_graph import grown_graph
from riemap.training.placement import place
from riemap.types import Array

MOST_ANCHORS = 512
"""Largest number of known nodes that new ones are placed by. On facebook in H3, the distortion is 1 % smaller
with 1,024, which take twice the time."""

NEIGHBOUR_SHARE = 0.25
"""Largest share of neighbours of new nodes among the anchors. The others are a fair sample of all distances."""

SCALE_SOURCES = 64
"""Number of anchors whose distances to all anchors tell how long an edge is in the embedding."""

BLOCK_NODES = 4096
"""Number of new nodes that are placed at a time: their distances to the anchors take 16 MB."""

_LOGGER = logging.getLogger(__name__)


@final
@dataclass(frozen=True, eq=False, repr=False)
class AddedNodes:
    """An embedding with new nodes, and how well they fit.

    Parameters
    ----------
    embedding
        The known nodes, unchanged and in the same order, and then the new ones.
    graph
        The graph with the new nodes and edges, in the order of the embedding.
    nodes
        Labels of the new nodes.
    distortion
        ``(len(nodes),)`` average distortion of the distances from each new node to the known ones that it was
        placed by: 0.1 means that they are wrong by 10 %.
    known_distortion
        The same for the distances between known nodes. If it is much larger than when the graph was
        embedded, the new edges have changed the graph so much that it should be embedded again.
    """

    embedding: Embedding
    graph: Graph
    nodes: Labels
    distortion: Array
    known_distortion: float

    @property
    def ad(self) -> float:
        """Average distortion of the new nodes."""
        return float(self.distortion.mean())

    def __repr__(self) -> str:
        return f"<AddedNodes: {len(self.nodes)} with a distortion of {self.ad:.3f}, in {self.embedding!r}>"


def add_nodes(embedding: Embedding, edges: Any, graph: Any) -> AddedNodes:
    """Put new nodes into an embedding by their edges, without moving the others.

    The distances from a new node to known ones, the anchors, are those in the graph with all new edges. Its
    point is the one that fits them best, in the unit of length that fits the known nodes best. Anchors are
    all known nodes, or of many nodes the neighbours of new ones and a random sample. Two new nodes with the
    same distances to all anchors, such as two leaves of one node, get the same point.

    Parameters
    ----------
    embedding
        The embedding of ``graph``.
    edges
        The new edges, as a list of ``(u, v)`` or ``(u, v, length)``, or a graph in any form that
        :func:`riemap.embed` takes. New nodes may be joined to known ones and to each other. Edges that are in
        ``graph`` may be among them.
    graph
        What was embedded, in any form that :func:`riemap.embed` takes.

    Returns
    -------
    AddedNodes
        The new embedding, and how well the new nodes fit.

    Raises
    ------
    InputError
        If there is no new node, if one is not connected to any known node, or if an edge between two known
        nodes is new.

    Examples
    --------
    >>> from riemap import embed
    >>> fit = embed("karate", "H2", epochs=100)
    >>> added = add_nodes(fit.embedding, [("new", 33), ("new", 32), ("other", "new")], fit.graph)
    >>> added.nodes, added.embedding.n, added.ad < 0.3
    (('new', 'other'), 36, True)
    """
    expect(embedding, Embedding, "an embedding", "embed(graph, 'H2').embedding is one")
    grown = grown_graph(embedding, edges, graph)
    new = np.arange(embedding.n, grown.n)
    _LOGGER.info("%s: placing %d new nodes", grown.name, len(new))
    anchors = _anchors(grown, embedding.n)
    unit, known_distortion = _unit_length(embedding, grown, anchors)
    points = tuple(x[anchors] for x in embedding.points)
    placed, distortion = [], []
    for distances in _distance_blocks(grown, new, anchors):
        x = place(embedding.space, points, embedding.log_scales, (unit * distances) ** 2)
        found = np.sqrt(embedding.space.pairwise(x, points, embedding.log_scales))
        placed.append(x)
        distortion.append(np.abs(found / (unit * distances) - 1.0).mean(axis=1))
    every = tuple(np.concatenate(parts) for parts in zip(embedding.points, *placed, strict=True))
    larger = Embedding(embedding.space, every, embedding.log_scales, grown.labels)
    return AddedNodes(
        larger, grown, grown.labels[embedding.n :], np.concatenate(distortion), known_distortion
    )


def _anchors(grown: Graph, known: int) -> NDArray[np.int64]:
    """Choose known nodes: all, or of many the neighbours of new ones, those with most first, and a sample."""
    if known <= MOST_ANCHORS:
        return np.arange(known)
    neighbours = grown.indices[grown.indptr[known] :]
    count = np.bincount(neighbours[neighbours < known], minlength=known)
    first = np.argsort(-count, kind="stable")[
        : min(int(NEIGHBOUR_SHARE * MOST_ANCHORS), np.count_nonzero(count))
    ]
    order = np.random.default_rng(0).permutation(known)
    others = order[~np.isin(order, first)][: MOST_ANCHORS - len(first)]
    return np.sort(np.concatenate([first, others]))


def _unit_length(embedding: Embedding, grown: Graph, anchors: NDArray[np.int64]) -> tuple[float, float]:
    """The embedded length of a path of length one that fits known nodes best, and their distortion then.

    The mean of ``|d / (unit * length) - 1|`` is smallest where the unit is the median of the ratios
    ``d / length``, each ratio being its own weight.
    """
    some = anchors[np.linspace(0, len(anchors) - 1, min(SCALE_SOURCES, len(anchors))).astype(np.int64)]
    lengths = rows_from(grown, some)[:, anchors].astype(np.float64)
    x, y = (tuple(points[nodes] for points in embedding.points) for nodes in (some, anchors))
    embedded = np.sqrt(embedding.space.pairwise(x, y, embedding.log_scales))
    ratios = np.sort((embedded / np.where(lengths > 0.0, lengths, 1.0))[lengths > 0.0])
    if not ratios.sum() > 0.0:
        raise InputError("all nodes of the embedding are at one place, so that new ones cannot be placed")
    unit = float(ratios[np.searchsorted(np.cumsum(ratios), 0.5 * ratios.sum())])
    return unit, float(np.abs(ratios / unit - 1.0).mean())


def _distance_blocks(grown: Graph, new: NDArray[np.int64], anchors: NDArray[np.int64]) -> Iterator[Array]:
    """Compute the distances from new nodes to anchors, from the side that has fewer nodes."""
    rows = rows_from(grown, anchors)[:, new].T if len(anchors) < len(new) else None
    for start in range(0, len(new), BLOCK_NODES):
        block = slice(start, start + BLOCK_NODES)
        found = rows_from(grown, new[block])[:, anchors] if rows is None else rows[block]
        yield np.ascontiguousarray(found, dtype=np.float64)
