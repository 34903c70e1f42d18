"""What a loss is: a number about two sets of squared distances, and its slope in one of them.

A loss sees squared distances over the same nodes, the graph's (``target``, scaled so that the largest of the
graph is one) and the embedded ones (``sqdist``). It knows no geometry. It is a mean, over nodes or over
pairs, so that its value does not depend on how many nodes there are, and a sum of two losses means the same
for all graphs. The diagonal is ignored, and its weights are zero.

Both matrices may be given a block of rows at a time. What a row must know about the others (how its distances
are normalised) is its *statistics*; they are gathered in a pass over all blocks before the pass that gives
weights.
"""

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import ClassVar, final

import numpy as np

from riemap.lower_triangle import mirror
from riemap.specs import value_text
from riemap.types import Array

CLOSE = 1e-12
"""Smallest embedded distance to divide by. Where two nodes meet, the slope of their distance has no
direction; the gradient of the square is zero there, and times this quotient it stays zero."""


class Loss(ABC):
    """A loss, spelled ``name(key=value)``; listed in ``LOSSES`` it is known everywhere."""

    symbol: ClassVar[str]
    blockwise: ClassVar[bool] = True  # rows may come a block at a time
    compares_rows: ClassVar[bool] = False  # and then their statistics come first
    least_at_target: ClassVar[bool] = True  # least where the embedded distances are the target
    needs_near_pairs: ClassVar[bool] = False  # decided by nearest neighbours, which a sample of nodes lacks

    def at_progress(self, progress: float) -> "Loss":
        """The loss at a moment of training, from 0 at its start to 1 at its end."""
        return self

    def for_target(self, least: float) -> "Loss":
        """The loss for a target whose smallest distance between two nodes, squared, is ``least``."""
        return self

    def statistics(self, target: Array, sqdist: Array, first: int) -> Array:
        """What the weights of any row need to know about these rows, ``(k, rows)``."""
        return np.empty((0, len(sqdist)))

    @abstractmethod
    def rows(
        self, target: Array, sqdist: Array, first: int, statistics: Array, both_ends: bool, out: Array
    ) -> float:
        r"""Share of a block of rows in the value; its weights go to ``out``.

        Parameters
        ----------
        target, sqdist
            ``(rows, n)``; row ``i`` belongs to node ``first + i``.
        statistics
            Of all rows, ``(k, n)``.
        both_ends
            Write :math:`w_{ij} + w_{ji}`, which is what the points' gradient takes, instead of
            :math:`w_{ij}`.
        """

    @final
    def dense(self, target: Array, sqdist: Array, out: Array) -> float:
        """Value of whole ``(n, n)`` matrices; ``out`` becomes the weights of both_ends ends.

        Only lower triangles are given; a loss may fill in the others.
        """
        value = self.lower(target, sqdist, out)
        mirror(out, out)
        return value

    def lower(self, target: Array, sqdist: Array, out: Array) -> float:
        """As :meth:`dense`, of whose weights only the lower triangle is asked."""
        mirror(target, target)
        mirror(sqdist, sqdist)
        return self.rows(target, sqdist, 0, self.statistics(target, sqdist, 0), True, out)

    @final
    def __call__(self, target: Array, sqdist: Array) -> tuple[float, Array]:
        r"""Value, and weights :math:`w_{ij} = \partial L/\partial d_{ij}^2`, of whole ``(n, n)`` matrices."""
        weights = np.empty_like(sqdist)
        return self.rows(target, sqdist, 0, self.statistics(target, sqdist, 0), False, weights), weights

    def __str__(self) -> str:
        """As it is spelled: the temperature always, other arguments where they are not the usual ones."""
        shown = [f for f in fields(self) if f.name == "T" or (f.init and getattr(self, f.name) != f.default)]  # type: ignore[arg-type]
        given = ",".join(f"{f.name}={value_text(getattr(self, f.name))}" for f in shown)
        return f"{self.symbol}({given})" if given else self.symbol
