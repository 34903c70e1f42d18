r"""Targets of training: squared graph distances, scaled so that the largest is one.

.. math:: \delta^2_{ij} = \left(d_{ij} / \max_{kl} d_{kl}\right)^2
"""

from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from riemap import memory
from riemap.distances.hops import checked_nodes
from riemap.distances.paths import DistanceMatrix, shortest_paths
from riemap.errors import InputError
from riemap.graphs.dissimilarities import AnyGraph
from riemap.lower_triangle import row_and_end
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import exact_loop


@final
class Target:
    """Squared, scaled distances of a graph, computed block by block from the compact distance matrix.

    Parameters
    ----------
    matrix
        ``(n, n)`` distances, as :func:`shortest_paths` returns them.

    Attributes
    ----------
    matrix
        The distances.
    maximum
        The largest distance.

    Raises
    ------
    InputError
        If the matrix is not square, or all its entries are zero.

    Examples
    --------
    >>> from riemap.graphs import Graph
    >>> target = Target.of(Graph.from_edges([(0, 1), (1, 2)]))
    >>> target.block(np.array([0, 2]))
    array([[0., 1.],
           [1., 0.]])
    """

    def __init__(self, matrix: DistanceMatrix) -> None:
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.any():
            raise InputError(
                f"a target is made of (n, n) distances that are not all zero, not of {matrix.shape}"
            )
        self.matrix = matrix
        self.maximum = float(matrix.max())
        whole = np.issubdtype(matrix.dtype, np.integer)
        self._squares = (np.arange(self.maximum + 1.0) / self.maximum) ** 2 if whole else np.empty(0)

    @classmethod
    def of(cls, graph: AnyGraph) -> "Target":
        """Compute the shortest paths of a graph and make their target.

        Parameters
        ----------
        graph
            A graph or dissimilarities.

        Returns
        -------
        Target
            The target.

        Raises
        ------
        MemoryError
            If the distances do not fit into memory.
        """
        return cls(shortest_paths(graph))

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.matrix)

    @cached_property
    def least(self) -> float:
        """The smallest target between two different nodes."""
        if np.issubdtype(self.matrix.dtype, np.integer):
            return 1.0 / self.maximum**2  # the smallest hop count is one
        return float(min(np.partition(row, 1)[1] for row in self.matrix) / self.maximum) ** 2

    def rows(self, rows: slice, out: Array | None = None) -> Array:
        """Compute the targets from some nodes to all nodes.

        Parameters
        ----------
        rows
            Range of node numbers.
        out
            Array for the result; a new one by default.

        Returns
        -------
        Array
            ``(rows, n)`` squared, scaled distances.
        """
        chosen = self.matrix[rows]
        if out is None:
            memory.require(chosen.size * 8, f"targets of {len(chosen)} nodes", "take fewer rows at a time")
            out = np.empty(chosen.shape)
        _square_rows(chosen, self.maximum, self._squares, out)
        return out

    def block(self, nodes: NDArray[np.int64], out: Array | None = None, *, half: bool = False) -> Array:
        """Compute the targets between some nodes.

        Parameters
        ----------
        nodes
            ``(b,)`` node numbers. Increasing order is fastest.
        out
            ``(b, b)`` array for the result; a new one by default.
        half
            Write only the lower triangle, in half the time. The rest of ``out`` is not touched.

        Returns
        -------
        Array
            ``(b, b)`` squared, scaled distances.

        Raises
        ------
        IndexError
            If a number in ``nodes`` is not a node number.
        InputError
            If ``out`` has the wrong shape or type.
        """
        numbers = checked_nodes(nodes, self.n)
        size = len(numbers)
        if out is None:
            memory.require(size**2 * 8, f"targets of {size} nodes", "take fewer nodes at a time")
            out = np.empty((size, size))
        elif out.shape != (size, size) or out.dtype != np.float64:
            raise InputError(f"targets of {size} nodes are float64{size, size}, not {out.dtype}{out.shape}")
        _square_block(self.matrix, numbers, self.maximum, self._squares, half, out)
        return out


def _square_rows(matrix: Any, maximum: float, table: Any, out: Any) -> None:
    """Square and scale rows of distances. ``table`` holds the results for hop counts, or is empty."""
    _square_rows_rows(len(matrix), matrix, maximum, table, out)


@exact_loop
def _square_rows_rows(part: Part, matrix: Any, maximum: float, table: Any, out: Any) -> None:
    start, stop = begin(part)
    for i in range(start, stop):
        row, squares = matrix[i], out[i]
        if len(table) > 0:
            for j in range(len(row)):
                squares[j] = table[np.uint64(row[j])]  # an unsigned index needs no check for negative ones
        else:
            for j in range(len(row)):
                ratio = row[j] / maximum
                squares[j] = ratio * ratio


def _square_block(matrix: Any, nodes: Any, maximum: float, table: Any, half: bool, out: Any) -> None:
    """Square and scale the distances between ``nodes``, as :func:`_square_rows` does."""
    _square_block_rows(len(nodes), matrix, nodes, maximum, table, half, out)


@exact_loop
def _square_block_rows(
    part: Part, matrix: Any, nodes: Any, maximum: float, table: Any, half: bool, out: Any
) -> None:
    n = len(nodes)
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, n, half)
        row, squares = matrix[nodes[i]], out[i]
        if len(table) > 0:
            for j in range(end):
                squares[j] = table[np.uint64(row[np.uint64(nodes[j])])]
        else:
            for j in range(end):
                ratio = row[np.uint64(nodes[j])] / maximum
                squares[j] = ratio * ratio
