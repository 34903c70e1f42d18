"""Held-out edges and nodes: what a predictor is trained on, chosen by, and tested on."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.graphs import Graph
from riemap.specs import checked_seed, expect, finite_number, shown
from riemap.types import Rng

NEGATIVES = ("uniform", "degrees")
"""The ways to draw pairs of nodes that are not edges."""

LEAST_HELD_OUT = 4
"""Smallest number of edges in the test and in the validation set. With fewer, a score tells nothing."""

LISTED_PAIRS = 1 << 22
"""Number of pairs of nodes up to which all non-edges are listed, which takes 100 MB. In larger graphs, pairs
are drawn until enough of them are no edges."""

Nodes = NDArray[np.int64]


class LabelledPairs(NamedTuple):
    """Pairs of nodes, and whether each is an edge.

    Parameters
    ----------
    pairs
        ``(k, 2)`` node numbers, the smaller one first.
    exists
        ``(k,)`` 1 for an edge and 0 for a pair without one.
    """

    pairs: Nodes
    exists: Nodes


class EdgeSplit(NamedTuple):
    """A graph without some of its edges, and these edges with as many pairs that are not edges.

    Parameters
    ----------
    train
        The graph without the held-out edges. It has all nodes, and may have several components.
    validation, test
        Pairs to choose and calibrate a model with, and pairs to score it with.
    """

    train: Graph
    validation: LabelledPairs
    test: LabelledPairs


def split_edges(
    graph: Graph,
    *,
    test: float = 0.10,
    validation: float = 0.05,
    seed: int = 0,
    negatives: str = "uniform",
    connected: bool = False,
) -> EdgeSplit:
    """Remove edges for validation and test, and draw as many pairs that are not edges of the graph.

    Parameters
    ----------
    graph
        The graph.
    test, validation
        Shares of its edges.
    seed
        Seed of the draw.
    negatives
        How pairs without an edge are drawn: ``"uniform"``, every one is as likely; or ``"degrees"``, in
        proportion to the product of the degrees, so that hubs do not give the edges away.
    connected
        Keep a random spanning forest, so that the components stay as they are. By default edges are removed
        at random, as in published protocols, and the training graph may fall apart.

    Returns
    -------
    EdgeSplit
        The training graph, and the pairs for validation and test.

    Raises
    ------
    InputError
        If a share is not between 0 and 1, there are too few edges, or too few pairs without one.

    Examples
    --------
    >>> from riemap.graphs import load_dataset
    >>> split = split_edges(load_dataset("karate"), seed=0)
    >>> split.train.m, len(split.validation.pairs), split.test.exists.tolist().count(1)
    (66, 8, 8)
    """
    expect(graph, Graph, "a graph", "it is read by read_graph, load_dataset or as_graph")
    if negatives not in NEGATIVES:
        raise InputError(f"negatives={shown(negatives)} is not one of {', '.join(NEGATIVES)}")
    counts = [_held_out(graph, name, share) for name, share in (("test", test), ("validation", validation))]
    rng = np.random.default_rng(checked_seed(seed))
    edges = graph.edges()
    order = rng.permutation(len(edges))
    if connected:
        order = order[~_in_forest(graph, edges, rng)[order]]
    if sum(counts) > len(order) or sum(counts) >= len(edges):
        kept = " that are not needed to keep it connected" if connected else ""
        raise InputError(
            f"{graph.name} has {len(order)} edges{kept}, and {counts[0]} for test and {counts[1]} for "
            "validation leave none; take smaller shares, e.g. test=0.1, validation=0.05"
        )
    held = order[: sum(counts)]
    others = _non_edges(graph, edges, sum(counts), negatives, rng)
    first = slice(counts[0])
    rest = slice(counts[0], None)
    left = np.ones(len(edges), bool)
    left[held] = False
    return EdgeSplit(
        _subgraph(graph, edges, left),
        *(LabelledPairs(*_labelled(edges[held[part]], others[part])) for part in (rest, first)),
    )


def _held_out(graph: Graph, name: str, share: float) -> int:
    """Number of edges in a share of them."""
    if not 0.0 < finite_number(name, share, 0.1) < 1.0:
        raise InputError(f"{name}={share:g} is not a share of the edges between 0 and 1, e.g. {name}=0.1")
    count = round(share * graph.m)
    if count < LEAST_HELD_OUT:
        enough = LEAST_HELD_OUT / graph.m
        advice = f"take a larger share, e.g. {name}={np.ceil(100 * enough) / 100:g}"
        raise InputError(
            f"{graph.name} has {graph.m} edges, and {name}={share:g} of them are {count}; a score needs "
            f"{LEAST_HELD_OUT}; {advice if enough < 0.5 else 'take a larger graph'}"
        )
    return count


def _labelled(edges: Nodes, others: Nodes) -> tuple[Nodes, Nodes]:
    exists = np.repeat(np.array([1, 0]), (len(edges), len(others)))
    return np.concatenate([edges, others]), exists


def _subgraph(graph: Graph, edges: Nodes, kept: NDArray[np.bool_]) -> Graph:
    """The graph with all its nodes and some of its edges."""
    lengths = None
    if graph.weights is not None:
        ends = np.repeat(np.arange(graph.n), graph.degrees)
        lengths = graph.weights[ends < graph.indices][kept]
    return Graph.from_edges(edges[kept], lengths, labels=graph.labels, name=graph.name, components="keep")


def _in_forest(graph: Graph, edges: Nodes, rng: Rng) -> NDArray[np.bool_]:
    """Which edges are in a random spanning forest."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    weights = 1.0 + rng.permutation(len(edges))  # all different, so that there is one minimum
    forest = minimum_spanning_tree(coo_array((weights, edges.T), shape=(graph.n, graph.n)).tocsr())
    return np.isin(weights, forest.data)


def _non_edges(graph: Graph, edges: Nodes, count: int, negatives: str, rng: Rng) -> Nodes:
    """Draw different pairs of nodes that are not edges, ``(count, 2)``."""
    n = graph.n
    weights = np.ones(n) if negatives == "uniform" else graph.degrees.astype(float)
    drawable = int(np.count_nonzero(weights))
    taken = edges[:, 0] * n + edges[:, 1]
    if drawable * (drawable - 1) // 2 - graph.m < count:
        raise InputError(
            f"{graph.name} has {graph.n} nodes and {graph.m} edges, and {count} pairs without an edge are "
            "needed; take smaller shares, e.g. test=0.1, validation=0.05"
        )
    if n * (n - 1) // 2 <= LISTED_PAIRS:
        i, j = np.triu_indices(n, 1)
        free = ~np.isin(i * n + j, taken) & (weights[i] * weights[j] > 0.0)
        i, j = i[free], j[free]
        keys = rng.standard_exponential(len(i)) / (weights[i] * weights[j])  # smallest: drawn by the weights
        return np.column_stack([i, j])[np.argsort(keys, kind="stable")[:count]]
    found = np.empty(0, np.int64)
    while len(found) < count:
        ends = np.sort(rng.choice(n, size=(2 * count, 2), p=weights / weights.sum()), axis=1)
        drawn = ends[ends[:, 0] < ends[:, 1]] @ np.array([n, 1])
        found = np.concatenate([found, drawn[~np.isin(drawn, taken)]])
        _, first = np.unique(found, return_index=True)
        found = found[np.sort(first)]
    return np.column_stack(np.divmod(found[:count], n))


class NodeSplit(NamedTuple):
    """Node numbers for training, validation and test."""

    train: Nodes
    validation: Nodes
    test: Nodes


def split_nodes(
    classes: Any,
    *,
    train: float = 0.3,
    validation: float = 0.1,
    test: float | None = None,
    per_class: bool = False,
    seed: int = 0,
) -> NodeSplit:
    """Split the nodes whose class is known, at random.

    Parameters
    ----------
    classes
        The class of each node; ``None`` where it is unknown. Such nodes are in no part.
    train, validation, test
        Shares of the nodes if below one, and numbers of nodes from one on. Without ``test``, all other nodes.
    per_class
        ``train`` is a number of nodes of each class, as in the splits of Planetoid.
    seed
        Seed of the draw.

    Returns
    -------
    NodeSplit
        Node numbers of the three parts.

    Raises
    ------
    InputError
        If a part would be empty, the training part has one class only, or there are too few nodes.

    Examples
    --------
    >>> split = split_nodes(["a", "b"] * 50, train=5, validation=20, per_class=True)
    >>> [len(part) for part in split]
    [10, 20, 70]
    """
    rng = np.random.default_rng(checked_seed(seed))
    known = np.array([i for i, one in enumerate(classes) if one is not None], np.int64)
    order = rng.permutation(known)
    names = np.array([str(classes[i]) for i in order])
    if per_class:
        each = round(train)
        picked = np.concatenate([np.flatnonzero(names == one)[:each] for one in np.unique(names)])
    else:
        picked = np.arange(_count("train", train, len(known)))
    chosen = np.zeros(len(order), bool)
    chosen[picked] = True
    others = order[~chosen]
    first = _count("validation", validation, len(known))
    last = len(others) - first if test is None else _count("test", test, len(known))
    if min(first, last, len(picked)) < 1 or first + last > len(others):
        few = min(first, len(picked)) < 1  # a share of few nodes is none of them
        advice = (
            "label more nodes, or say how many, e.g. train=2, validation=1"
            if few
            else "take smaller parts, e.g. train=0.3, validation=0.1"
        )
        raise InputError(
            f"{len(known)} nodes with a label do not give {len(picked)} for training, {first} for validation "
            f"and {max(last, 0)} for test; {advice}"
        )
    if len(np.unique(names[chosen])) < 2:
        raise InputError(
            f"the {len(picked)} nodes for training have one label only, {shown(str(names[chosen][0]))}; a "
            "prediction needs two; label more nodes, or take a larger part for training"
        )
    return NodeSplit(np.sort(order[chosen]), np.sort(others[:first]), np.sort(others[first : first + last]))


def _count(name: str, part: float, total: int) -> int:
    """Number of nodes in a part, which is a share or a number."""
    if not finite_number(name, part, 0.3) > 0.0:
        raise InputError(f"{name}={part:g} is neither a share of the nodes nor a number of them, e.g. 0.3")
    return round(part * total) if part < 1.0 else round(part)
