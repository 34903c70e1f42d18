"""The points of some nodes with what the optimizer remembers about them, and a step of these points."""

import math
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.optim import Optimizer
from riemap.optim import State as OptimizerState
from riemap.spaces import Points, Space
from riemap.training.objective import LossGradient
from riemap.types import Array


@final
class NodeState(NamedTuple):
    """What a step of the optimizer changes of some nodes, one row a node.

    Parameters
    ----------
    points
        One array a factor of the space.
    moments
        What the optimizer remembers about the points of each factor.
    """

    points: Points
    moments: tuple[OptimizerState, ...]

    def taken(self, rows: slice | NDArray[np.int64]) -> "NodeState":
        """Return some of the rows: a copy of numbered ones, and a view of a slice."""

        def some(a: Array) -> Array:
            return a[rows] if isinstance(rows, slice) else a.take(rows, axis=0)  # faster than a[rows]

        moments = tuple(tuple(map(some, part)) for part in self.moments)
        return NodeState(tuple(map(some, self.points)), moments)

    def copied(self) -> "NodeState":
        """Return a copy that can be written into."""
        moments = tuple(tuple(a.copy() for a in part) for part in self.moments)
        return NodeState(tuple(x.copy() for x in self.points), moments)

    def put(self, rows: NDArray[np.int64], part: "NodeState") -> None:
        """Write some of the rows into the arrays."""
        for x, y in zip(self.points, part.points, strict=True):
            x[rows] = y
        for old, new in zip(self.moments, part.moments, strict=True):
            for a, b in zip(old, new, strict=True):
                a[rows] = b

    def stepped(
        self, space: Space, optimizer: Optimizer, gradient: LossGradient, lr_factors: float | Array
    ) -> "NodeState":
        """Move all points against a gradient.

        A loss is a mean over nodes. Its gradient is multiplied by the number of nodes, so that its size, and
        with it the meaning of ``clip``, does not depend on this number. The learning rate has a factor for
        all factors of the space, or one for each.

        Raises
        ------
        FloatingPointError
            If the loss or a point is NaN or infinite, or a step is absurdly long.
        """
        if not math.isfinite(gradient.value):
            raise FloatingPointError
        count = len(gradient.points[0])
        points, moments = [], []
        each = np.broadcast_to(lr_factors, len(space.factors)).tolist()
        parts = zip(space.factors, self.points, gradient.points, self.moments, each, strict=True)
        for m, x, g, own, lr_factor in parts:
            y, new = optimizer.step(m, x, count * g, own, lr_factor)
            if not np.isfinite(y).all():
                raise FloatingPointError
            points.append(y)
            moments.append(new)
        return NodeState(tuple(points), tuple(moments))
