"""Graphs and embeddings that several test modules use."""

import numpy as np

from riemap.embeddings import Embedding
from riemap.graphs import AnyGraph, Graph
from riemap.spaces import Space


def random_graph(n: int, m: int, seed: int = 0, weighted: bool = False) -> Graph:
    """Return a random tree with up to ``m`` more edges."""
    rng = np.random.default_rng(seed)
    tree = np.column_stack([rng.integers(0, np.arange(1, n)), np.arange(1, n)])
    more = rng.integers(0, n, (m, 2))
    edges = np.concatenate([tree, more[more[:, 0] != more[:, 1]]])
    edges = np.unique(np.sort(edges, axis=1), axis=0)
    return Graph.from_edges(edges, rng.uniform(0.1, 2.0, len(edges)) if weighted else None)


def placed(space: str, graph: AnyGraph, seed: int = 0) -> Embedding:
    """Return an embedding of a graph at random points."""
    parsed = Space.parse(space)
    points = parsed.random(np.random.default_rng(seed), graph.n)
    return Embedding(parsed, points, np.zeros(len(parsed.factors)), graph.labels)
