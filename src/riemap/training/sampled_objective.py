r"""The objective of training on a large graph: blocks of nodes against landmarks, and balls.

A round of training sees three kinds of blocks.

* *Rows*: some nodes against some of the landmarks. The landmarks stay where they are, and the nodes move. The
  loss is given as many rows at a time as there are landmarks, as a square matrix. It ignores the diagonal of
  that, which here is one landmark for each node.
* *Landmarks*: all pairs of landmarks, which move.
* *Balls*: all pairs of nodes around a random one, which move.

The gradients are scaled like those of a batch of random nodes, so that the meaning of the learning rate and
of ``clip`` is the same. For a loss that is a mean over pairs, rows are an unbiased sample of the pairs of a
node, since landmarks are drawn at random. Losses that normalise the distances of a node, RSNE and the
likelihood of edges, do so over the landmarks of the block or the nodes of the ball: what they minimise is the
mean of the loss over such subsets, and that is not the loss over all nodes. Balls count near pairs more often
than they occur; :data:`riemap.training.rounds.BALL_SHARE` says how much.

Nodes are dealt into shards, which are ranges of node numbers, and balls into groups. A task of a round is a
shard or a group, and their number depends on the number of nodes alone.
"""

from functools import cached_property
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.distances.sampled_target import Arcs, BallGroup, RowTarget, SampledTarget
from riemap.losses import Loss, RowBlock
from riemap.spaces import Points, Space
from riemap.training.objective import LossGradient
from riemap.training.workers import InProcess, Workers
from riemap.types import Array, Rng

BLOCK_LANDMARKS = 128
"""Number of landmarks in a block of rows, drawn anew for each block. With 256, a hundred rounds on a
hyperbolic random graph of 10,000 nodes in H3 had a distortion that is 0.7 % smaller (one seed); a hundred
more rounds make it 4 % smaller."""

BLOCK_ROWS, LARGER_BLOCKS = 1024, 4
"""Number of nodes in a block of rows, large enough to keep two threads busy; and how many times as many there
may be in a graph of more than 64 blocks, where half of the time would be spent between blocks."""

SHARD_NODES = 16384
"""Most nodes of a shard, unless there are :data:`MOST_TASKS` shards. Their steps of a round take about 60 ms
on one core in H3, much longer than to send their points to another machine."""

MOST_TASKS = 1024
"""Most shards, and most groups of balls. In a graph of more than 16 million nodes, they are larger: the
process that sends tasks out spends some milliseconds on each."""

GROUP_BALLS = 512
"""Most balls of a group. A round visits a tenth of them, which takes about 60 ms on one core in H3."""


@final
class Shard(NamedTuple):
    """A range of nodes whose steps against landmarks are one task.

    Parameters
    ----------
    number
        Number of the shard.
    target
        The distances from all nodes of the range to all landmarks.
    rows
        Places in the range of the nodes that are not landmarks.
    """

    number: int
    target: RowTarget
    rows: NDArray[np.int64]


@final
class SampledObjective:
    """The loss of points in a space against a sampled target.

    Parameters
    ----------
    space
        Where the points are.
    target
        Distances to landmarks and within balls.
    workers
        Where the tasks of a run are done.
    """

    def __init__(self, space: Space, target: SampledTarget, workers: Workers | None = None) -> None:
        self.space = space
        self.target = target
        self.workers = InProcess() if workers is None else workers

    @cached_property
    def ranges(self) -> list[slice]:
        """The range of nodes of each shard."""
        return _ranges(self.target.n, SHARD_NODES)

    @cached_property
    def shard_nodes(self) -> list[NDArray[np.int64]]:
        """The nodes of each shard that are not landmarks."""
        return [
            np.setdiff1d(np.arange(r.start, r.stop), self.target.landmarks.nodes, assume_unique=True)
            for r in self.ranges
        ]

    @cached_property
    def shards(self) -> list[Shard]:
        """The shards, where the tasks are done."""
        parts = enumerate(zip(self.ranges, self.shard_nodes, strict=True))
        return [self.workers.share(Shard(k, self.target.rows(r), nodes - r.start)) for k, (r, nodes) in parts]

    @cached_property
    def groups(self) -> list[BallGroup]:
        """The groups of balls."""
        return [self.target.ball_group(numbers) for numbers in _ranges(self.target.balls, GROUP_BALLS)]

    @cached_property
    def shared_groups(self) -> list[BallGroup]:
        """The groups of balls, where the tasks are done."""
        return [self.workers.share(group) for group in self.groups]

    @cached_property
    def arcs(self) -> Arcs:
        """The edges of the graph, where the tasks are done."""
        return self.workers.share(self.target.arcs)

    @cached_property
    def among_landmarks(self) -> RowTarget:
        """The distances between all landmarks, where the tasks are done."""
        return self.workers.share(self.target.rows(self.target.landmarks.nodes))

    def sample(self, rng: Rng, count: int) -> NDArray[np.int64]:
        """Draw some landmarks, in increasing order."""
        return np.sort(rng.permutation(self.target.landmarks.nodes)[:count])

    def batch(self, loss: Loss, x: Points, log_scales: Array, nodes: NDArray[np.int64]) -> LossGradient:
        """Compute the loss over the pairs of some landmarks, given by their increasing node numbers."""
        columns = np.searchsorted(self.target.landmarks.nodes, nodes)
        target = self.target.rows(nodes).block(np.arange(len(nodes)), columns)
        return square_gradient(self.space, loss, target, x, log_scales)


def _ranges(count: int, most: int) -> list[slice]:
    """Divide so many things into ranges of nearly equal length, of at most so many each where possible."""
    parts = min(-(-count // most), MOST_TASKS)
    return [slice(k * count // parts, (k + 1) * count // parts) for k in range(parts)]


def block_sizes(n: int) -> tuple[int, int]:
    """Return the number of nodes and of landmarks in a block of rows, in a graph of ``n`` nodes.

    >>> block_sizes(5_000), block_sizes(10**6)
    ((1024, 128), (4096, 128))
    """
    rows = min(max(BLOCK_ROWS, n // 64), LARGER_BLOCKS * BLOCK_ROWS)
    return rows, BLOCK_LANDMARKS


def square_gradient(space: Space, loss: Loss, target: Array, x: Points, log_scales: Array) -> LossGradient:
    """Compute the loss over all pairs of some nodes, and its gradients.

    Parameters
    ----------
    space, loss, log_scales
        The space, the loss, and the logarithms of the scales, one a factor.
    target
        ``(nodes, nodes)`` squared distances that the points should have.
    x
        The points of the nodes.

    Returns
    -------
    LossGradient
        With one gradient for each node.
    """
    pairs = space.symmetric_block(x, log_scales)
    sqdist = pairs.sqdist if loss.reads_both_triangles else pairs.lower
    weights = np.empty_like(sqdist)
    value = loss.lower(target, sqdist, out=weights)
    return LossGradient(value, *pairs.gradient_lower(weights, out=weights))


def rows_gradient(
    space: Space, loss: Loss, target: Array, x: Points, y: Points, log_scales: Array
) -> LossGradient:
    """Compute the loss over the pairs of some nodes with some landmarks, and its gradients in the nodes.

    Parameters
    ----------
    space, loss, log_scales
        The space, the loss, and the logarithms of the scales, one a factor.
    target
        ``(nodes, landmarks)`` squared distances that the points should have. It is written into.
    x, y
        The points of the nodes and of the landmarks; there are at most as many landmarks as nodes.

    Returns
    -------
    LossGradient
        With one gradient for each node.
    """
    count, size = target.shape
    pairs = space.rectangular_block(x, y, log_scales)
    weights, value = np.empty_like(target), 0.0
    for first in range(0, count, size):
        last = min(first + size, count)
        part = slice(first if loss.blockwise else last - size, last)  # some losses need whole squares
        rows = RowBlock(target[part], pairs.sqdist[part])
        rows.target[rows.diagonal] = rows.sqdist[rows.diagonal] = 0.0  # as of a node with itself
        found = loss.rows(rows, statistics=loss.statistics(rows), both_ends=False, out=weights[part])
        value += found * (last - first) / len(rows.target)
    of_points, of_scales = pairs.gradient(weights)
    share = size / count  # the loss is a mean over a square matrix
    return LossGradient(value * share, tuple(2.0 * share * g for g in of_points), share * of_scales)
