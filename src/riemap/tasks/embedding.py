"""Embeddings that are made for prediction: neighbourhoods count, and not the lengths of long paths."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.graphs import Graph
from riemap.losses import Walks
from riemap.runs.embed_graph import embed
from riemap.runs.samplers import WALK_NODES
from riemap.runs.spec import LOSS, PRESET, check_dimension, planned
from riemap.spaces import Space
from riemap.specs import expect, shown, whole_number
from riemap.tasks.summaries import Told, told_epochs
from riemap.training.fit import Callback, fit
from riemap.training.presets import default_plan
from riemap.training.trainer import never
from riemap.types import Array

TARGETS = ("auto", "walks", "landmarks")
"""What an embedding for prediction is trained on."""


def embed_for_prediction(
    graph: Graph,
    space: str | Space,
    *,
    target: str = "auto",
    epochs: int | None = None,
    seed: int = 0,
    callbacks: tuple[Callback, ...] = (),
    interrupted: Callable[[], bool] = never,
) -> Embedding:
    """Embed a training graph so that nodes which random walks connect are close.

    Parameters
    ----------
    graph
        The training graph. It may have several components and nodes without edges.
    space
        Where to embed.
    target
        ``"walks"``: how likely a random walk leads from one node to another; all pairs in each step up to
        6,000 nodes, and those of 1,024 nodes at a time in a larger graph. ``"landmarks"``: distances in the
        largest component, by the plan for large graphs; other nodes get no place. ``"auto"`` takes walks up
        to 30,000 nodes.
    epochs
        Number of epochs; ``None`` takes 50 for walks, and those of the plan for landmarks.
    seed
        Seed of the starting points.
    callbacks, interrupted
        As for :func:`riemap.training.fit`.

    Returns
    -------
    Embedding
        Its labels are those of the nodes that have a place.

    Raises
    ------
    InputError
        If the space has as many dimensions as the graph has nodes, or there is no such target.
    KeyboardInterrupt
        If ``interrupted`` tells so.

    Examples
    --------
    >>> from riemap.graphs import load_dataset
    >>> embed_for_prediction(load_dataset("karate"), "H2", epochs=10)
    <Embedding of 34 nodes in H2 (2 dimensions)>
    """
    expect(graph, Graph, "a graph", "it is read by read_graph, load_dataset or as_graph")
    if target not in TARGETS:
        raise InputError(f"target={shown(target)} is not one of {', '.join(TARGETS)}")
    where = Space.of(space)
    check_dimension(graph, where)
    epochs = None if epochs is None else whole_number("epochs", epochs, 1, 50, "number of epochs")
    if not uses_walks(graph, target):
        part = largest_component(graph)
        stopping: Any = (*callbacks, lambda report: not interrupted())
        found = embed(part, where, sampler="landmarks", epochs=epochs, seed=seed, callbacks=stopping)
    else:
        plan = default_plan(Walks(), graph.n, epochs)
        found = fit(graph, where, plan, seed=seed, callbacks=callbacks, interrupted=interrupted)
    if interrupted():
        raise KeyboardInterrupt
    return found.embedding


def embed_told(graph: Graph, space: Space, seed: int, told: Told, what: str, **training: Any) -> Embedding:
    """Embed a graph for prediction, and tell the share of the epochs that are done."""
    callback = told_epochs(told, f"{what}: embedding", planned_epochs(graph, **training))
    return embed_for_prediction(graph, space, seed=seed, callbacks=(callback,), **training)


def planned_epochs(graph: Graph, target: str = "auto", epochs: int | None = None, **_: Any) -> int:
    """Number of epochs of an embedding for prediction."""
    if uses_walks(graph, target):
        return default_plan(Walks(), graph.n, epochs).epochs
    return planned(LOSS, PRESET, None, epochs, graph.n, "landmarks").epochs


def uses_walks(graph: Graph, target: str) -> bool:
    """Whether an embedding for prediction is trained on walks, and not on landmarks."""
    return target == "walks" or (target == "auto" and graph.n <= WALK_NODES)


def largest_component(graph: Graph) -> Graph:
    """The largest component of a graph, with the labels of its nodes."""
    count, member = graph.component_numbers
    if count == 1:
        return graph
    nodes = np.flatnonzero(member == np.bincount(member).argmax())
    number = np.full(graph.n, -1)
    number[nodes] = np.arange(len(nodes))
    edges = graph.edges()
    inside = number[edges[:, 0]] >= 0
    lengths = None
    if graph.weights is not None:
        ends = np.repeat(np.arange(graph.n), graph.degrees)
        lengths = graph.weights[ends < graph.indices][inside]
    labels = [graph.labels[i] for i in nodes]
    return Graph.from_edges(number[edges[inside]], lengths, labels=labels, name=graph.name)


def rows_in(embedding: Embedding, graph: Graph) -> NDArray[np.int64]:
    """Row of each node of a graph in an embedding of some of its nodes; -1 where it has no place."""
    if embedding.labels == graph.labels:
        return np.arange(graph.n)
    places = {label: row for row, label in enumerate(embedding.labels)}
    found = np.array([places.get(label, -1) for label in graph.labels])
    if np.count_nonzero(found >= 0) < embedding.n:
        raise InputError(f"this is not an embedding of {graph.name}: it has other nodes")
    return found


def pair_distances(embedding: Embedding, rows: NDArray[np.int64], pairs: NDArray[np.int64]) -> Array:
    """Distances of pairs; where a node has no place, the median distance of 1,000 pairs of nodes."""
    ends = rows[pairs]
    placed = (ends >= 0).all(axis=1)
    found = np.empty(len(pairs))
    found[placed] = _distances(embedding, ends[placed])
    if not placed.all():
        drawn = np.random.default_rng(0).integers(embedding.n, size=(1000, 2))
        found[~placed] = np.median(_distances(embedding, drawn))
    return found


def _distances(embedding: Embedding, ends: NDArray[np.int64]) -> Array:
    x, y = (tuple(p[ends[:, k]] for p in embedding.points) for k in (0, 1))
    return np.sqrt(embedding.space.sqdist(x, y, embedding.log_scales))
