"""A graph with new nodes and edges, in the order of an embedding of the known nodes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.graphs import Dissimilarities, Graph, as_graph, open_graph, take_graph
from riemap.graphs.edge_cleaning import warn
from riemap.specs import shown
from riemap.types import Array


def grown_graph(embedding: Embedding, edges: Any, graph: Any) -> Graph:
    """Add new nodes and edges to the graph of an embedding.

    Parameters
    ----------
    embedding
        The embedding of ``graph``.
    edges
        The new edges, as a list or as a graph in any form.
    graph
        What was embedded, in any form.

    Returns
    -------
    Graph
        The known nodes in the order of the embedding, and then the new ones.

    Raises
    ------
    InputError
        If there is no new node, if one is not connected to any known node, or if an edge between two known
        nodes is new.
    """
    known, given = _known_graph(embedding, graph), _given_edges(edges)
    new_labels = [label for label in given.labels if label not in embedding]
    if not new_labels:
        raise InputError(
            f"{given.name}: every node is in the embedding already; an edge to a new node is needed, "
            f"e.g. {shown(('new', embedding.labels[0]))}"
        )
    if known.weights is not None and given.weights is None:
        warn(f"{given.name}: its edges have a length of one each, and those of {known.name} have lengths")
    old_pairs, old_lengths = _edges_and_lengths(known, embedding.row_numbers(known.labels))
    pairs, lengths = _edges_and_lengths(given, _numbers(embedding, given))
    between_known = (pairs < embedding.n).all(axis=1)
    _check_known(embedding, pairs[between_known], old_pairs)
    grown = Graph.from_edges(
        np.concatenate([old_pairs, pairs[~between_known]]),
        np.concatenate([old_lengths, lengths[~between_known]]),
        labels=(*embedding.labels, *new_labels),
        name=known.name,
        components="keep",
    )
    _check_connected(embedding, grown, given.name)
    return _with_attributes(grown, known)


def _given_edges(edges: Any) -> Graph:
    """Take the edges in any form, with all components."""
    opened = open_graph(str(edges), components="keep") if isinstance(edges, str | Path) else edges
    if isinstance(opened, Dissimilarities):
        raise InputError(f"{opened.name} is a matrix of dissimilarities; new nodes come with edges")
    return as_graph(opened, name="new edges", components="keep")


def _known_graph(embedding: Embedding, graph: Any) -> Graph:
    """Check that a graph is the one that was embedded."""
    known = take_graph(graph)
    if not isinstance(known, Graph):
        raise InputError(
            f"{known.name} is a matrix of dissimilarities, which has no edges; riemap.training.place takes "
            "the distances of new points"
        )
    embedding.aligned_to(known)
    return known


def _numbers(embedding: Embedding, given: Graph) -> NDArray[np.int64]:
    """Number of each node in the grown graph: its row in the embedding, or one of the numbers after these."""
    known = np.array([label in embedding for label in given.labels])
    number = embedding.n + np.cumsum(~known) - 1
    number[known] = embedding.row_numbers([given.labels[i] for i in np.flatnonzero(known)])
    return number


def _edges_and_lengths(graph: Graph, number: NDArray[np.int64]) -> tuple[NDArray[np.int64], Array]:
    """Each edge once, in new numbers with the smaller one first, and its length."""
    ends = np.column_stack([np.repeat(np.arange(graph.n), graph.degrees), graph.indices])
    once = ends[:, 0] < ends[:, 1]
    lengths = np.ones(graph.m) if graph.weights is None else graph.weights[once]
    return np.sort(number[ends[once]], axis=1), lengths


def _check_known(embedding: Embedding, pairs: NDArray[np.int64], known: NDArray[np.int64]) -> None:
    """Refuse an edge between two known nodes that is not in the graph."""
    n = embedding.n
    new = ~np.isin(pairs[:, 0] * n + pairs[:, 1], known[:, 0] * n + known[:, 1])
    if new.any():
        edge = tuple(embedding.labels[i] for i in pairs[np.argmax(new)])
        raise InputError(
            f"the edge {shown(edge)} joins two nodes of the embedding, and is not in the graph that was "
            "embedded; known nodes stay where they are, so leave it out, or embed the graph again with "
            "start=embedding"
        )


def _check_connected(embedding: Embedding, grown: Graph, name: str) -> None:
    """Refuse a new node that no path connects with a known one."""
    _, member = grown.component_numbers
    lost = np.flatnonzero(~np.isin(member, member[: embedding.n]))
    if len(lost):
        label = grown.labels[lost[0]]
        raise InputError(
            f"{name}: no path leads from {shown(label)} to a node of the embedding; a new node needs an edge "
            f"to a known one, e.g. {shown((label, embedding.labels[0]))}"
        )


def _with_attributes(grown: Graph, known: Graph) -> Graph:
    """Give known nodes their attributes; new ones have none."""
    row = {label: i for i, label in enumerate(known.labels)} if known.attributes else {}
    rows = [row.get(label) for label in grown.labels]
    attributes = {
        key: tuple(None if i is None else values[i] for i in rows) for key, values in known.attributes.items()
    }
    return replace(grown, attributes=attributes)
