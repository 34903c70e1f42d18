"""The objective: the loss of an embedding, and its gradients in the points and in the log-scales.

Few nodes are processed as one matrix. Since distances are symmetric, only half of the pairs are computed.
Many nodes are processed in blocks of rows that fit into the processor's cache, so that the memory grows with
the number of nodes and not with the number of pairs. A loss that compares rows then needs two passes, one for
its statistics and one for its weights, so that blocks pay off only for larger graphs.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.distances import Target
from riemap.losses import Loss, RowBlock
from riemap.lower_triangle import mirror
from riemap.spaces import Points, Space, SpaceRectangularBlock
from riemap.types import Array, Rng

BLOCK_PAIRS = 1 << 20
"""Number of pairs in a block of rows: 8 MB a matrix, which the processor's cache holds."""

DENSE_PAIRS = 1 << 21
"""Largest number of pairs that are processed as one matrix."""

DENSE_PAIRS_COMPARING_ROWS = 6000**2
"""The same for a loss that compares rows, which saves its first pass. A matrix of so many takes 288 MB."""


class LossGradient(NamedTuple):
    """The value of the loss, and its gradients in the points of each factor and in the log-scales."""

    value: float
    points: Points
    log_scales: Array


@final
class Objective:
    """The loss of points in a space against a target.

    Parameters
    ----------
    space
        Where the points are.
    target
        The distances that the embedding should have.
    """

    def __init__(self, space: Space, target: Target) -> None:
        self.space = space
        self.target = target
        self._buffers: dict[str, Array] = {}

    def batch(self, loss: Loss, x: Points, log_scales: Array, nodes: NDArray[np.int64]) -> LossGradient:
        """Compute the loss over the pairs of some nodes.

        Parameters
        ----------
        loss
            The loss.
        x
            The points of ``nodes``.
        log_scales
            Logarithms of the scales, one a factor.
        nodes
            The numbers of the nodes, in increasing order.

        Returns
        -------
        LossGradient
            With one gradient for each of these nodes.
        """
        buffer = self._buffer("target", len(nodes), len(nodes))
        target = self.target.block(nodes, buffer, half=True)
        if loss.reads_both_triangles:
            mirror(target, target)
        return self._one_matrix(loss, x, log_scales, target)

    def all_pairs(self, loss: Loss, x: Points, log_scales: Array) -> LossGradient:
        """Compute the loss over all pairs.

        Parameters
        ----------
        loss
            The loss.
        x
            The points of all nodes.
        log_scales
            Logarithms of the scales, one a factor.

        Returns
        -------
        LossGradient
            With one gradient a node.
        """
        most = DENSE_PAIRS_COMPARING_ROWS if loss.compares_rows else DENSE_PAIRS
        if self.target.n**2 <= most or not loss.blockwise:
            target = self._symmetric_target if loss.reads_both_triangles else self._target
            return self._one_matrix(loss, x, log_scales, target)
        return self._row_blocks(loss, x, log_scales)

    def sample(self, rng: Rng, count: int) -> NDArray[np.int64]:
        """Draw some nodes, in increasing order."""
        return np.sort(rng.permutation(self.target.n)[:count])

    def value(self, loss: Loss, x: Points, log_scales: Array) -> float:
        """Compute the value of the loss over all pairs, without its gradients."""
        return self.all_pairs(loss, x, log_scales).value

    def _one_matrix(self, loss: Loss, x: Points, log_scales: Array, target: Array) -> LossGradient:
        pairs = self.space.symmetric_block(x, log_scales)
        sqdist = pairs.sqdist if loss.reads_both_triangles else pairs.lower
        weights = self._buffer("weights", *sqdist.shape)
        value = loss.lower(target, sqdist, out=weights)
        return LossGradient(value, *pairs.gradient_lower(weights, out=weights))

    def _row_blocks(self, loss: Loss, x: Points, log_scales: Array) -> LossGradient:
        statistics = self._statistics(loss, x, log_scales)
        value, gradient_in_scales = 0.0, np.zeros(len(log_scales))
        gradients = tuple(np.empty_like(a) for a in x)
        for rows in self._slices():
            pairs = self._row_pairs(x, rows, log_scales)
            weights = self._buffer("weights", *pairs.sqdist.shape)
            block = RowBlock(self._target_rows(rows), pairs.sqdist, rows.start)
            value += loss.rows(block, statistics=statistics, both_ends=True, out=weights)
            of_points, of_scales = pairs.gradient(weights)
            for whole, part in zip(gradients, of_points, strict=True):
                whole[rows] = part
            gradient_in_scales += 0.5 * of_scales  # weights of both ends count every pair in two rows
        return LossGradient(value, gradients, gradient_in_scales)

    def _row_pairs(self, x: Points, rows: slice, log_scales: Array) -> SpaceRectangularBlock:
        """Compute the pairs of some points with all of them."""
        return self.space.rectangular_block(tuple(a[rows] for a in x), x, log_scales)

    def _statistics(self, loss: Loss, x: Points, log_scales: Array) -> Array:
        if not loss.compares_rows:
            return np.empty((0, self.target.n))  # without a pass over all pairs
        parts = []
        for rows in self._slices():
            sqdist = self._row_pairs(x, rows, log_scales).sqdist
            parts.append(loss.statistics(RowBlock(self._target_rows(rows), sqdist, rows.start)))
        return np.concatenate(parts, axis=1)

    def _slices(self) -> Iterator[slice]:
        """Split all rows into blocks of nearly equal size with at most ``BLOCK_PAIRS`` pairs."""
        n = self.target.n
        size = -(-n // -(-(n * n) // BLOCK_PAIRS))
        for start in range(0, n, size):
            yield slice(start, min(start + size, n))

    def _target_rows(self, rows: slice) -> Array:
        return self.target.rows(rows, self._buffer("target", rows.stop - rows.start, self.target.n))

    @cached_property
    def _target(self) -> Array:
        return self.target.rows(slice(None))

    @cached_property
    def _symmetric_target(self) -> Array:
        """The target with its lower triangle on both sides; rounding of path lengths may make them differ."""
        mirror(self._target, self._target)
        return self._target

    def _buffer(self, name: str, rows: int, columns: int) -> Array:
        """Return an uninitialised array, the same one in every step.

        The operating system would have to map and clear the memory of a new array each time.
        """
        buffer = self._buffers.get(name)
        if buffer is None or buffer.size < rows * columns:
            buffer = self._buffers[name] = np.empty(rows * columns)
        return buffer[: rows * columns].reshape(rows, columns)
