r"""What an embedding should look like: squared distances, scaled so that the largest is one.

.. math:: \delta^2_{ij} = \left(d_{ij} / \max_{kl} d_{kl}\right)^2
"""

from functools import cached_property
from typing import Any, final

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from riemap.distances import memory
from riemap.distances.hops import checked_nodes
from riemap.distances.paths import DistanceMatrix, shortest_paths
from riemap.graphs.dissimilarities import Dissimilarities
from riemap.graphs.graph import Graph
from riemap.types import Array


@final
class Target:
    """Blocks of squared, max-scaled distances, straight from the compact matrix.

    >>> target = Target.of(Graph.from_edges([(0, 1), (1, 2)]))
    >>> target.block(np.array([0, 2]))
    array([[0., 1.],
           [1., 0.]])
    """

    def __init__(self, matrix: DistanceMatrix) -> None:
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.any():
            raise ValueError(f"a target is made of (n, n) distances, not all zero, not of {matrix.shape}")
        self.matrix = matrix
        self.maximum = float(matrix.max())

    @classmethod
    def of(cls, graph: Graph | Dissimilarities) -> "Target":
        """The target of a graph's shortest paths."""
        return cls(shortest_paths(graph))

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.matrix)

    @cached_property
    def least(self) -> float:
        """The smallest target between two different nodes."""
        if np.issubdtype(self.matrix.dtype, np.integer):
            return 1.0 / self.maximum**2  # every node has a neighbour
        return float(min(np.partition(row, 1)[1] for row in self.matrix) / self.maximum) ** 2

    def rows(self, rows: slice, out: Array | None = None) -> Array:
        """Squared, scaled distances from some nodes to all, ``(rows, n)``, into ``out`` where it is given."""
        chosen = self.matrix[rows]
        if out is None:
            memory.require(chosen.size * 8, f"targets of {len(chosen)} nodes", "take fewer rows at a time")
            out = np.empty(chosen.shape)
        _square_rows(chosen, self.maximum, out)
        return out

    def block(self, nodes: NDArray[np.int64], out: Array | None = None) -> Array:
        """Squared, scaled distances among ``nodes``, ``(b, b)``, into ``out`` where it is given.

        Nodes in increasing order are read fastest.
        """
        numbers = checked_nodes(nodes, self.n)
        size = len(numbers)
        if out is None:
            memory.require(size**2 * 8, f"targets of {size} nodes", "take fewer nodes at a time")
            out = np.empty((size, size))
        elif out.shape != (size, size) or out.dtype != np.float64:
            raise ValueError(f"targets of {size} nodes are float64{size, size}, not {out.dtype}{out.shape}")
        _squares(self.matrix, numbers, self.maximum, out)
        return out


@njit(cache=True, parallel=True, error_model="numpy")
def _square_rows(matrix: Any, maximum: float, out: Any) -> None:
    for i in prange(len(matrix)):
        for j in range(matrix.shape[1]):
            ratio = matrix[i, j] / maximum
            out[i, j] = ratio * ratio


@njit(cache=True, parallel=True, error_model="numpy")
def _squares(matrix: Any, nodes: Any, maximum: float, out: Any) -> None:
    """Row ``i`` of ``out``: fetched first, which is a load at a time, then scaled, which vectorises."""
    for i in prange(len(nodes)):
        row = matrix[nodes[i]]
        squares = out[i]
        for j in range(len(nodes)):
            squares[j] = row[np.uint64(nodes[j])]  # unsigned: no test for indices that count from the end
        for j in range(len(nodes)):
            ratio = squares[j] / maximum
            squares[j] = ratio * ratio
