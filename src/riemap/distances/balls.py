"""Balls: some hundred nodes around a node, and the exact distances between all of them."""

from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.distances.ball_hops import ball_rows
from riemap.distances.ball_lengths import weighted_ball_rows
from riemap.distances.hops import checked_nodes
from riemap.errors import InputError
from riemap.graphs.graph import Graph
from riemap.specs import checked_seed, whole_number

LARGEST_BALL = 256
"""Most nodes of a ball. Two of its nodes are fewer hops apart than it has nodes, so that a byte is enough."""

HUB_NEIGHBOURS = 32
"""Most neighbours of a node that are looked at when a ball grows. A ball around a hub would otherwise hold
nothing but its neighbours, and nearly all balls of a graph with hubs would."""


@final
class Balls(NamedTuple):
    """Some balls of a graph.

    Parameters
    ----------
    nodes
        ``(balls, size)`` node numbers, the centre first; -1 where a ball has fewer nodes.
    distances
        ``(balls, size, size)`` distances in the whole graph: bytes, or float32 if the graph has weights.
    """

    nodes: NDArray[np.int32]
    distances: NDArray[Any]


def balls(graph: Graph, centres: NDArray[np.int64], size: int = 256, seed: int = 0) -> Balls:
    """Find the nodes around some centres, and the distances between all nodes of each ball.

    A ball has the nodes that a search from its centre finds first. Of a node with many neighbours, a random
    sample of them is searched. The distances are those in the whole graph, not only over nodes of the ball.

    Parameters
    ----------
    graph
        A connected graph.
    centres
        Node numbers.
    size
        Most nodes of a ball, from 2 to 256.
    seed
        Seed of the samples. A ball depends on the graph, its centre, its size and the seed alone.

    Returns
    -------
    Balls
        The nodes and the distances.

    Raises
    ------
    IndexError, InputError
        If a centre is not a node number; if the size is out of range.

    Examples
    --------
    >>> found = balls(Graph.from_edges([(0, 1), (1, 2), (2, 3)]), np.array([1]), size=3)
    >>> sorted(found.nodes[0].tolist())
    [0, 1, 2]
    >>> found.distances[0, 0].tolist()
    [0, 1, 1]
    """
    centres = checked_nodes(centres, graph.n)
    size = whole_number("size", size, 2, 256, "number of nodes of a ball")
    if size > LARGEST_BALL:
        raise InputError(f"size={size} of a ball is more than {LARGEST_BALL}, the largest that there is")
    nodes = np.empty((len(centres), size), np.int32)
    limits, draws = np.array([size, HUB_NEIGHBOURS]), _draws(centres, checked_seed(seed))
    if graph.weights is None:
        hops = np.empty((len(centres), size, size), np.uint8)
        ball_rows(len(centres), graph.indptr, graph.indices, centres, draws, limits, nodes, hops)
        return Balls(nodes, hops)
    lengths = np.empty((len(centres), size, size), np.float32)
    arcs = (graph.indptr, graph.indices, graph.weights)
    weighted_ball_rows(len(centres), arcs, centres, draws, limits, nodes, lengths)
    return Balls(nodes, lengths)


def _draws(centres: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """Return a random number for each centre, which depends on it and on the seed."""
    mixed = np.random.default_rng(seed).integers(0, 1 << 63, 2, dtype=np.uint64)
    return (centres.astype(np.uint64) + mixed[0]) * (mixed[1] | np.uint64(1))
