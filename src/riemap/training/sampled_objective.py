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
than they occur; :data:`BALL_SHARE` says how much.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from riemap.distances.sampled_target import SampledTarget
from riemap.losses import Loss, RowBlock
from riemap.spaces import Points, Space
from riemap.training.objective import LossGradient
from riemap.types import Array, Rng

BLOCK_ROWS, LARGER_BLOCKS = 1024, 4
"""Number of nodes in a block of rows, large enough to keep two threads busy; and how many times as many there
may be in a graph of more than 64 blocks, where half of the time would be spent between blocks."""

BLOCK_LANDMARKS = 256
"""Number of landmarks in a block of rows, drawn anew for each block. With 512, and half as many rows, a run
on power in H3 took twice as long, and its distortion was 1 % smaller."""

ROWS_PER_LANDMARKS = 4
"""Number of blocks of rows for each step of the landmarks among themselves; at least one step in a round."""

LANDMARK_BATCH = 512
"""Most landmarks in such a step."""

BALL_SHARE, NEAR_BALL_SHARE = 0.1, 0.5
"""Share of all balls that a round visits, and the same for losses that nearest neighbours decide. In H3, one
seed: without balls F1@1 was 5 points lower on power and 5 points higher on facebook, with about the same
distortion; with a share of 0.3 it was a point higher on both, and the distortion of power 2 % larger."""


class Rows(NamedTuple):
    """Some nodes against some landmarks, given by their numbers."""

    nodes: NDArray[np.int64]
    columns: NDArray[np.int64]


class Square(NamedTuple):
    """All pairs of some nodes, and their targets."""

    nodes: NDArray[np.int64]
    target: Array
    near: bool


Block: TypeAlias = Rows | Square


@final
class SampledObjective:
    """The loss of points in a space against a sampled target.

    Parameters
    ----------
    space
        Where the points are.
    target
        Distances to landmarks and within balls.
    """

    def __init__(self, space: Space, target: SampledTarget) -> None:
        self.space = space
        self.target = target
        self._others = np.setdiff1d(np.arange(target.n), target.landmarks.nodes)

    def blocks(self, loss: Loss, seed: int, number: int) -> Iterator[Block]:
        """Draw the blocks of a round, in random order. Each node that is no landmark is in one block of rows.

        Parameters
        ----------
        loss
            The loss, which decides how many balls there are.
        seed, number
            Seed of the run, and number of the round. The blocks depend on these alone.

        Yields
        ------
        Block
            One block after the other.
        """
        rng = np.random.default_rng([seed, number])
        size = min(max(BLOCK_ROWS, self.target.n // 64), LARGER_BLOCKS * BLOCK_ROWS)
        count = -(-len(self._others) // size)
        rows = np.array_split(rng.permutation(self._others), count) if count else []
        share = NEAR_BALL_SHARE if loss.needs_near_pairs else BALL_SHARE
        near = rng.permutation(self.target.balls)[: -int(-share * self.target.balls // 1)]
        steps = max(count // ROWS_PER_LANDMARKS, 1)
        for k in rng.permutation(count + len(near) + steps).tolist():
            if k < count:
                columns = rng.permutation(len(self.target.landmarks.nodes))
                columns = columns[: min(BLOCK_LANDMARKS, len(rows[k]))]
                yield Rows(np.sort(rows[k]), np.sort(columns))
            elif k < count + len(near):
                yield Square(*self.target.ball(int(near[k - count])), near=True)
            else:
                nodes = self.sample(rng, LANDMARK_BATCH)
                yield Square(nodes, self._among(nodes), near=False)

    def gradient(self, loss: Loss, block: Block, points: Points, log_scales: Array) -> LossGradient:
        """Compute the loss over a block, and its gradients in the block's nodes.

        Parameters
        ----------
        loss
            The loss.
        block
            The pairs.
        points
            The points of all nodes.
        log_scales
            Logarithms of the scales, one a factor.

        Returns
        -------
        LossGradient
            With one gradient for each of the block's nodes.
        """
        x = tuple(p[block.nodes] for p in points)
        if isinstance(block, Square):
            return self._square(loss, x, log_scales, block.target)
        y = tuple(p[self.target.landmarks.nodes[block.columns]] for p in points)
        return self._rows(loss, block, x, y, log_scales)

    def sample(self, rng: Rng, count: int) -> NDArray[np.int64]:
        """Draw some landmarks, in increasing order."""
        return np.sort(rng.permutation(self.target.landmarks.nodes)[:count])

    def batch(self, loss: Loss, x: Points, log_scales: Array, nodes: NDArray[np.int64]) -> LossGradient:
        """Compute the loss over the pairs of some landmarks, given by their increasing node numbers."""
        return self._square(loss, x, log_scales, self._among(nodes))

    def _among(self, nodes: NDArray[np.int64]) -> Array:
        """The targets between some landmarks."""
        columns = np.searchsorted(self.target.landmarks.nodes, nodes)
        return self.target.to_landmarks(nodes, columns, np.empty((len(nodes), len(nodes))))

    def _square(self, loss: Loss, x: Points, log_scales: Array, target: Array) -> LossGradient:
        pairs = self.space.symmetric_block(x, log_scales)
        sqdist = pairs.sqdist if loss.reads_both_triangles else pairs.lower
        weights = np.empty_like(sqdist)
        value = loss.lower(target, sqdist, out=weights)
        return LossGradient(value, *pairs.gradient_lower(weights, out=weights))

    def _rows(self, loss: Loss, block: Rows, x: Points, y: Points, log_scales: Array) -> LossGradient:
        count, size = len(block.nodes), len(block.columns)
        target = self.target.to_landmarks(*block, np.empty((count, size)))
        pairs = self.space.rectangular_block(x, y, log_scales)
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
