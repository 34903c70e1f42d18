"""Nodes of a large graph that its page does not draw one by one: a cloud of dots, and a search for names."""

import base64
import json
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.embeddings import Embedding
from riemap.report.drawn_nodes import nodes_of
from riemap.views import View

CLOUD_NODES = 5_000
"""Number of further nodes that are pale dots behind the nodes drawn. They are random, so that a part of the
picture has as many dots as its share of the nodes."""

COMPARED_NUMBERS = 2**24
"""Number of distances between nodes drawn and all nodes that are in memory at a time."""

LARGEST_SEARCH = 5_200_000
"""Most characters that the search for nodes that are not drawn may add to a page. A million nodes whose names
are numbers take about five million."""


def with_cloud(embedding: Embedding, nodes: NDArray[np.int64], seed: int = 0) -> Embedding:
    """Choose the nodes drawn, and after them random other ones.

    Parameters
    ----------
    embedding
        The embedding of all nodes.
    nodes
        Numbers of the nodes drawn.
    seed
        Seed of the draw.

    Returns
    -------
    Embedding
        The nodes drawn, and up to five thousand others.
    """
    others = np.setdiff1d(np.arange(embedding.n), nodes, assume_unique=True)
    chosen = np.random.default_rng(seed).choice(others, min(CLOUD_NODES, len(others)), replace=False)
    return nodes_of(embedding, np.concatenate([nodes, chosen]))


def split_cloud(view: View, drawn: int) -> dict[str, Any]:
    """Divide the points of a picture into those of nodes and those of the cloud.

    Parameters
    ----------
    view
        A picture of the nodes drawn and of the cloud.
    drawn
        Number of nodes drawn, which come first.

    Returns
    -------
    dict
        The fields of the view for the page, and ``cloud``, the other points.
    """
    matrices = None if view.matrices is None else view.matrices[:drawn]
    own = replace(view, points=view.points[:drawn], matrices=matrices)
    return {**own.as_json(), "cloud": view.points[drawn:]}


def search_index(embedding: Embedding, nodes: NDArray[np.int64]) -> dict[str, str] | None:
    """Collect what a page needs to find any node by its name.

    Parameters
    ----------
    embedding
        The embedding of all nodes.
    nodes
        Numbers of the nodes drawn.

    Returns
    -------
    dict or None
        ``names``, the names of all nodes as JSON, and ``nearest``, the position among ``nodes`` of the node
        drawn that is nearest to each node, as two bytes; both compressed, as base64 text. ``None`` if they
        are too long for a page.
    """
    names = _compressed(
        json.dumps([str(label) for label in embedding.labels], separators=(",", ":")).encode()
    )
    if len(names) > LARGEST_SEARCH:
        return None
    nearest = _compressed(nearest_drawn(embedding, nodes).astype("<u2").tobytes())
    return None if len(names) + len(nearest) > LARGEST_SEARCH else {"names": names, "nearest": nearest}


def nearest_drawn(embedding: Embedding, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the node drawn that is nearest to each node in the space.

    Parameters
    ----------
    embedding
        The embedding of all nodes.
    nodes
        Numbers of the nodes drawn.

    Returns
    -------
    array
        ``(n,)``, positions among ``nodes``.
    """
    best, least = np.zeros(embedding.n, np.int64), np.full(embedding.n, np.inf)
    count = max(COMPARED_NUMBERS // embedding.n, 1)
    for start in range(0, len(nodes), count):
        for k, row in enumerate(embedding.sqdist_rows(nodes[start : start + count]), start):
            closer = row < least
            best[closer], least[closer] = k, row[closer]
    best[nodes] = np.arange(len(nodes))  # two nodes may be at one point
    return best


def _compressed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()
