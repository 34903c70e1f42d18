"""The interface of a loss: a number computed from squared distances, and its derivative with respect to them.

A loss compares two symmetric matrices of squared distances between the same nodes. ``target`` holds those of
the graph, divided by the largest one, and ``sqdist`` holds those of the embedding. A loss knows nothing about
the geometry of the space. Its value is a mean over nodes or over pairs, so that it does not depend on the
number of nodes and the terms of a sum keep their proportions on every graph. The diagonals are ignored, and
the weights there are zero.

A large graph is processed in blocks of rows. Some losses normalise the distances of each row; the numbers
needed for that are the *statistics* of the row. They are collected in a first pass over all blocks, and a
second pass computes the weights.
"""

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import ClassVar, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.specs import value_text
from riemap.specs.arrays import float_array
from riemap.types import Array

LEAST_DISTANCE = 1e-12
"""Smallest embedded distance that a loss divides by.

The derivative of a distance has no direction where two points coincide. The gradient of the squared distance
is zero there, so its product with a quotient by this number is zero too.
"""

STATISTICS_ROWS = 4
"""Number of rows in the statistics of every loss that compares rows."""


@final
class RowBlock(NamedTuple):
    """Consecutive rows of the two matrices that a loss compares.

    Parameters
    ----------
    target, sqdist
        Squared distances in the graph and in the embedding, each ``(rows, n)``.
    first
        Row ``i`` of the block belongs to node ``first + i``.
    """

    target: Array
    sqdist: Array
    first: int = 0

    @property
    def diagonal(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The index of the pairs of a node with itself, which a loss ignores."""
        rows = np.arange(len(self.sqdist))
        return rows, self.first + rows


class Loss(ABC):
    """A loss, spelled ``name(key=value)``.

    A subclass is a frozen dataclass with a ``symbol`` and the method :meth:`rows`. Listed in ``LOSSES``, it
    is known to the command line, the grids and the tests.
    """

    symbol: ClassVar[str]

    @property
    def blockwise(self) -> bool:
        """Whether the matrices may be given in blocks of rows. If not, they are given whole."""
        return True

    @property
    def compares_rows(self) -> bool:
        """Whether the weights of a row need the :meth:`statistics` of other rows."""
        return False

    @property
    def least_at_target(self) -> bool:
        """Whether the loss has its minimum where the embedded distances equal the target."""
        return True

    @property
    def needs_near_pairs(self) -> bool:
        """Whether nearest neighbours decide the loss, so that a batch of random nodes is a poor sample."""
        return False

    @property
    def refines(self) -> bool:
        """Whether the loss only puts near pairs in order, so that it is added to a loss of all pairs."""
        return False

    @property
    def compares_walks(self) -> bool:
        """Whether the target is dissimilarities of random walks, and not distances of the graph."""
        return False

    @property
    def reads_both_triangles(self) -> bool:
        """Whether :meth:`lower` reads the entries above the diagonals of its arguments."""
        return True

    def at_progress(self, progress: float) -> "Loss":
        """Return the loss at a moment of training, for losses with a schedule.

        Parameters
        ----------
        progress
            From 0 in the first epoch of a stage to 1 in the last.

        Returns
        -------
        Loss
            The loss to minimise in that epoch.
        """
        return self

    def for_target(self, least: float) -> "Loss":
        """Return the loss for one graph.

        Parameters
        ----------
        least
            The smallest entry of the whole target outside of the diagonal.

        Returns
        -------
        Loss
            A loss that gives the same meaning to every block and batch of this target.
        """
        return self

    def statistics(self, block: RowBlock) -> Array:
        """Compute what the weights of any row need to know about the rows of a block.

        Parameters
        ----------
        block
            Some rows of the matrices.

        Returns
        -------
        Array
            ``(STATISTICS_ROWS, rows)`` if the loss compares rows, otherwise ``(0, rows)``.
        """
        return np.empty((0, len(block.sqdist)))

    @abstractmethod
    def rows(self, block: RowBlock, *, statistics: Array, both_ends: bool, out: Array) -> float:
        r"""Compute the contribution of a block of rows to the value, and the weights of these rows.

        Parameters
        ----------
        block
            Some rows of the matrices.
        statistics
            The statistics of all rows, ``(k, n)``.
        both_ends
            Write :math:`w_{ij} + w_{ji}` instead of :math:`w_{ij}`. The gradient in the points takes the sum,
            since each point is at one end of a pair in its row and at the other end in its column.
        out
            Receives the weights, ``(rows, n)``.

        Returns
        -------
        float
            The contribution. Those of all blocks add up to the value of the loss.
        """

    def lower(self, target: Array, sqdist: Array, *, out: Array) -> float:
        r"""Compute the value, and the lower triangle of the weights :math:`w_{ij} + w_{ji}`.

        A loss may replace this method where half of the pairs are enough, and then says so by
        :attr:`reads_both_triangles`.

        Parameters
        ----------
        target, sqdist
            All pairs, ``(n, n)``. Only the lower triangles need to be filled unless
            :attr:`reads_both_triangles`.
        out
            Receives the weights, ``(n, n)``. What is written above the diagonal has no meaning.

        Returns
        -------
        float
            The value.
        """
        block = RowBlock(target, sqdist)
        return self.rows(block, statistics=self.statistics(block), both_ends=True, out=out)

    @final
    def __call__(self, target: Array, sqdist: Array) -> tuple[float, Array]:
        r"""Compute the value and the weights :math:`w_{ij} = \partial L/\partial d_{ij}^2`.

        Parameters
        ----------
        target, sqdist
            All pairs, ``(n, n)``.

        Returns
        -------
        tuple of float and Array
            The value, and the weights ``(n, n)``.

        Raises
        ------
        InputError
            If the two are not matrices of numbers of the same size.
        """
        target, sqdist = (
            np.ascontiguousarray(float_array("targets and squared distances", a)) for a in (target, sqdist)
        )
        if target.ndim != 2 or target.shape[0] != target.shape[1] or target.shape != sqdist.shape:
            raise InputError(
                f"a loss compares two (n, n) matrices, not one of shape {target.shape} with one of shape "
                f"{sqdist.shape}"
            )
        weights = np.empty_like(sqdist)
        block = RowBlock(target, sqdist)
        value = self.rows(block, statistics=self.statistics(block), both_ends=False, out=weights)
        return value, weights

    def __str__(self) -> str:
        """The spelling, with the temperature and all arguments that differ from their defaults."""
        given = [f for f in fields(self) if f.name == "T" or getattr(self, f.name) != f.default]  # type: ignore[arg-type]
        inside = ",".join(f"{f.name}={value_text(getattr(self, f.name))}" for f in given)
        return f"{self.symbol}({inside})" if inside else self.symbol
