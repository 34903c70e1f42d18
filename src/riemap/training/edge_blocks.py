r"""Blocks that train edges in a large graph: nodes that are close in the embedding, with some neighbours.

The loss of a node's edges, :class:`riemap.losses.Edges`, compares each neighbour of the node with the nearest
nodes that are no neighbours. In a large graph the latter are not in a ball around the node: they are nodes
that the embedding puts close to it by mistake. So all nodes are divided into groups that are close to each
other in the embedding, anew in each round. A block has a group as its rows. Its columns are the group and
some neighbours of each of its nodes. The loss needs no distances here, only which pairs are edges.

All nodes are halved again and again: two of them are drawn, and the half that is relatively closer to the
first is one part. This needs distances in the space only, so that it works in any space. The parts have
numbers as in a binary heap: all nodes are number 1, and the halves of number k are 2k and 2k + 1. What is
drawn for a part depends on its number alone. So the groups are the same wherever the first halvings end,
whose parts are the tasks of a round, and a task goes on with its own part.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.distances.sampled_target import Arcs
from riemap.loops import compiled
from riemap.losses import Loss, RowBlock
from riemap.spaces import Points, Space
from riemap.types import Array, Rng

GROUP_NODES = 128
"""Most nodes of a group."""

SAMPLED_NEIGHBOURS = 4
"""Most neighbours of a node that are columns of its block because of it, drawn anew in each round. With 8,
the F1@1 of a hyperbolic random graph of 30,000 nodes in H3 was the same after 80 rounds; one seed."""


GOLDEN = 0.6180339887498949
"""Multiples of this, without their whole part, are spread evenly between 0 and 1."""


@final
class NearGroup(NamedTuple):
    """Nodes that are close in the embedding.

    Parameters
    ----------
    number
        The number of this part of all nodes.
    nodes
        Node numbers.
    """

    number: int
    nodes: NDArray[np.int64]


def group_draws(n: int, rng: Rng) -> Array:
    """Draw what decides the groups of a round.

    Parameters
    ----------
    n
        Number of all nodes.
    rng
        Draws the numbers.

    Returns
    -------
    Array
        ``(parts, 2)`` numbers in [0, 1), two for each part.
    """
    halvings = math.ceil(math.log2(max(n / GROUP_NODES, 1.0)))
    return rng.random((2 << halvings, 2))


def near_groups(
    space: Space, points: Points, log_scales: Array, draws: Array, most: int, number: int = 1
) -> Iterator[NearGroup]:
    """Divide some nodes into groups that are close in the embedding.

    Parameters
    ----------
    space, points, log_scales
        The embedding of the nodes.
    draws
        What is drawn for each part, as :func:`group_draws` returns it.
    most
        Most nodes of a group; at least :data:`GROUP_NODES`.
    number
        The number of the part that these nodes are.

    Yields
    ------
    NearGroup
        Rows of ``points``, each in one group. Groups that are close to each other mostly follow each other.
        The first is known long before the last.
    """
    waiting = [NearGroup(number, np.arange(len(points[0])))]
    while waiting:
        part = waiting.pop()
        number, nodes = part
        count = len(nodes)
        if count <= max(most, GROUP_NODES):
            yield part
            continue
        first, second = draws[number]
        one = int(first * count)
        other = (one + 1 + int(second * (count - 1))) % count
        x, y = (tuple(p.take(some, axis=0) for p in points) for some in (nodes[[one, other]], nodes))
        distances = np.sqrt(space.rectangular_block(x, y, log_scales).sqdist)  # long rows are fast
        half = count // 2
        order = np.argpartition(distances[0] - distances[1], half)
        waiting += [
            NearGroup(2 * number + 1, nodes[order[half:]]),
            NearGroup(2 * number, nodes[order[:half]]),
        ]


def edge_gradients(
    space: Space, loss: Loss, log_scales: Array, arcs: Arcs, points: Points, draws: Array, part: NearGroup
) -> tuple[Points, Array]:
    """Do the task of a part: compute the gradients of the loss of its nodes' edges.

    Parameters
    ----------
    space, loss, log_scales
        The space, the loss of edges, and the logarithms of the scales.
    arcs
        The edges of the graph.
    points
        The points of all nodes.
    draws
        What is drawn for each part, as :func:`group_draws` returns it.
    part
        The nodes, which are divided into groups here.

    Returns
    -------
    tuple of Points and Array
        A gradient for each of ``part.nodes``, of the sum of the losses of single nodes. Of a pair within a
        group, it has what the losses of both nodes say. Of other pairs, a node's own loss is counted twice,
        in place of its share in the losses of others. And ``(groups, factors)`` gradients in the log-scales,
        whose sum is that of the same sum.
    """
    place = np.full(len(points[0]), -1, np.int32)
    own = tuple(p[part.nodes] for p in points)
    gradients, of_scales = tuple(np.empty_like(p) for p in own), []
    for number, rows in near_groups(space, own, log_scales, draws, GROUP_NODES, part.number):
        columns, target = _edge_target(arcs, part.nodes[rows], draws[number, 0], place)
        x, y = tuple(p[rows] for p in own), tuple(p.take(columns, axis=0) for p in points)
        pairs = space.rectangular_block(x, y, log_scales)
        block, weights = RowBlock(target, pairs.sqdist), np.empty_like(target)
        loss.rows(block, statistics=loss.statistics(block), both_ends=False, out=weights)
        _count_both_ends(weights, len(rows))
        of_points, twice_of_scales = pairs.gradient(weights)
        for whole, some in zip(gradients, of_points, strict=True):
            whole[rows] = len(columns) * some  # the loss is a mean over columns
        of_scales.append(0.5 * len(columns) * twice_of_scales)  # the weights are of both ends
    return gradients, np.array(of_scales)


def _count_both_ends(weights: Array, count: int) -> None:
    """Add to the weights of pairs what the other node's loss says: the same, outside of the first nodes."""
    own = weights[:, :count]
    own += own.T.copy()
    weights[:, count:] *= 2.0


def _edge_target(
    arcs: Arcs, nodes: NDArray[np.int64], draw: float, place: NDArray[np.int32]
) -> tuple[NDArray[np.int64], Array]:
    """Choose the columns of a group, itself first, and tell edges from other pairs.

    ``draw`` is a random number in [0, 1). ``place`` is -1 everywhere, before and after.
    """
    columns = np.empty(len(nodes) * (SAMPLED_NEIGHBOURS + 1), np.int64)
    draws = (draw + GOLDEN * np.arange(len(nodes))) % 1.0
    count = _choose_columns(arcs.indptr, arcs.indices, nodes, SAMPLED_NEIGHBOURS, draws, place, columns)
    target = np.full((len(nodes), count), 4.0 * arcs.target)
    _mark_edges(arcs.indptr, arcs.indices, nodes, arcs.target, place, columns[:count], target)
    return columns[:count], target


@compiled
def _choose_columns(
    indptr: Any, indices: Any, nodes: Any, most: int, draws: Any, place: Any, columns: Any
) -> int:
    """Write the nodes and some neighbours of each, and where they stand; return how many there are.

    Neighbours are taken at equal steps from a random one on.
    """
    count = len(nodes)
    for i in range(count):
        place[nodes[i]], columns[i] = i, nodes[i]
    for i in range(len(nodes)):
        first, degree = indptr[nodes[i]], indptr[nodes[i] + 1] - indptr[nodes[i]]
        taken, offset = min(degree, most), int(draws[i] * degree)
        for k in range(taken):
            v = indices[first + (offset + k * degree // taken) % degree]
            if place[v] < 0:
                place[v], columns[count] = count, v
                count += 1
    return count


@compiled
def _mark_edges(
    indptr: Any, indices: Any, nodes: Any, edge: float, place: Any, columns: Any, target: Any
) -> None:
    """Write the target of edges, and zero for a node with itself; then forget where the columns stand."""
    for i in range(len(nodes)):
        target[i, i] = 0.0
        for e in range(indptr[nodes[i]], indptr[nodes[i] + 1]):
            j = place[indices[e]]
            if j >= 0:
                target[i, j] = edge
    for j in range(len(columns)):
        place[columns[j]] = -1
