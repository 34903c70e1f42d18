"""The loss of an embedding and its gradient: target, space and loss at their one joint.

Few nodes are looked at all at once, which takes half the pairs and a mirror. More nodes go through in blocks
of rows that stay in the processor's cache, so that the memory needed grows with the nodes and not with the
pairs; a loss that compares whole rows then takes one pass for its statistics and one for its weights, twice
the time, and so begins with blocks later.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.distances import Target
from riemap.losses import Loss
from riemap.spaces import Points, Space, SpaceRectangularBlock
from riemap.types import Array

BLOCK_PAIRS = 1 << 20
"""Pairs in a block."""

DENSE_PAIRS = 1 << 21
"""Most pairs that are looked at all at once."""

COMPARED_PAIRS = 6000**2
"""The same for a loss that compares rows, which saves a pass over them: some matrices of 288 MB."""


class Slope(NamedTuple):
    """Value of the loss, and its gradients in the points and in the log-scales."""

    value: float
    points: Points
    log_scales: Array


@final
class Objective:
    """What is minimised: a loss of the distances of points in a space, against a target."""

    def __init__(self, space: Space, target: Target) -> None:
        self.space = space
        self.target = target
        self._buffers: dict[str, Array] = {}

    def batch(self, loss: Loss, x: Points, log_scales: Array, nodes: NDArray[np.int64]) -> Slope:
        """Over the pairs of some nodes, whose points are ``x``."""
        buffer = self._buffer("target", len(nodes), len(nodes))
        target = self.target.block(nodes, buffer, half=True)
        return self._dense(loss, x, log_scales, target)

    def all_pairs(self, loss: Loss, x: Points, log_scales: Array) -> Slope:
        """Over all pairs."""
        most = COMPARED_PAIRS if loss.compares_rows else DENSE_PAIRS
        if self.target.n**2 <= most or not loss.blockwise:
            return self._dense(loss, x, log_scales, self._all)
        statistics = self._statistics(loss, x, log_scales)
        value, scales = 0.0, np.zeros(len(log_scales))
        points = tuple(np.empty_like(a) for a in x)
        for rows in self._blocks():
            pairs = self._row_pairs(x, rows, log_scales)
            out = self._buffer("weights", *pairs.sqdist.shape)
            value += loss.rows(self._rows(rows), pairs.sqdist, rows.start, statistics, True, out)
            slopes, of_scales = pairs.gradient(out)
            for a, slope in zip(points, slopes, strict=True):
                a[rows] = slope
            scales += 0.5 * of_scales  # weights of both ends count every pair in two rows
        return Slope(value, points, scales)

    def value(self, loss: Loss, x: Points, log_scales: Array) -> float:
        """The loss alone, over all pairs."""
        return self.all_pairs(loss, x, log_scales).value

    def _dense(self, loss: Loss, x: Points, log_scales: Array, target: Array) -> Slope:
        pairs = self.space.symmetric_block(x, log_scales)
        out = self._buffer("weights", *pairs.lower.shape)
        value = loss.lower(target, pairs.lower, out)
        return Slope(value, *pairs.gradient_lower(out, out))

    def _row_pairs(self, x: Points, rows: slice, log_scales: Array) -> SpaceRectangularBlock:
        """Compute the pairs of some points with all of them."""
        return self.space.rectangular_block(tuple(a[rows] for a in x), x, log_scales)

    def _statistics(self, loss: Loss, x: Points, log_scales: Array) -> Array:
        """Of all rows; a loss that has none is not asked about each block."""
        if not loss.compares_rows:
            return np.empty((0, self.target.n))
        return np.concatenate(
            [
                loss.statistics(self._rows(rows), self._row_pairs(x, rows, log_scales).sqdist, rows.start)
                for rows in self._blocks()
            ],
            axis=1,
        )

    def _blocks(self) -> Iterator[slice]:
        n = self.target.n
        size = -(-n // -(-(n * n) // BLOCK_PAIRS))
        for start in range(0, n, size):
            yield slice(start, min(start + size, n))

    def _rows(self, rows: slice) -> Array:
        return self.target.rows(rows, self._buffer("target", rows.stop - rows.start, self.target.n))

    @cached_property
    def _all(self) -> Array:
        return self.target.rows(slice(None))

    def _buffer(self, name: str, rows: int, columns: int) -> Array:
        """The same memory in every step: new arrays of this size would be paged in each time."""
        buffer = self._buffers.get(name)
        if buffer is None or buffer.size < rows * columns:
            buffer = self._buffers[name] = np.empty(rows * columns)
        return buffer[: rows * columns].reshape(rows, columns)
