"""Pictures of an embedding that do not turn, as data of a page."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.embeddings import Embedding
from riemap.graphs import Graph
from riemap.views import views

MAP_CAPTION = "Nodes as they are seen from the front; edges are drawn straight."
"""How to read a picture."""

ROUND_KINDS = ("disk", "ball", "globe", "circle")
"""Kinds of pictures with a unit circle around them."""


def still_maps(embedding: Embedding, graph: Graph | None, caption: str = MAP_CAPTION) -> list[dict[str, Any]]:
    """Return the pictures of an embedding, with the edges among its nodes.

    Parameters
    ----------
    embedding
        The embedding, of all nodes of the graph or of some.
    graph
        The graph; ``None`` leaves out the edges.
    caption
        What is said below each picture.

    Returns
    -------
    list of dict
        Title, caption, points and edges of every picture; none if the space has one dimension.
    """
    pairs = np.zeros((0, 2), np.int64) if graph is None else placed_pairs(embedding, graph, graph.edges())
    return [
        {
            "title": f"{embedding.space}: {view.title}" if len(embedding.space.factors) > 1 else view.title,
            "caption": caption,
            "round": view.kind in ROUND_KINDS,
            "points": view.points,
            "edges": pairs if len(pairs) else None,
        }
        for view in views(embedding, pairs)
        if view.points.shape[1] > 1
    ]


def placed_pairs(embedding: Embedding, graph: Graph, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows of pairs of nodes in an embedding, without those of which a node has no place."""
    number = {label: k for k, label in enumerate(embedding.labels)}
    rows = np.array([number.get(label, -1) for label in graph.labels])[pairs].reshape(-1, 2)
    return rows[(rows >= 0).all(axis=1)]
