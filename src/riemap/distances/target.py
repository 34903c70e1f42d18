r"""Targets of training: squared graph distances, scaled so that the largest is one.

.. math:: \delta^2_{ij} = \left(d_{ij} / \max_{kl} d_{kl}\right)^2
"""

import math
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riemap import memory
from riemap.distances.hops import checked_nodes
from riemap.distances.paths import DistanceMatrix, shortest_paths
from riemap.errors import InputError
from riemap.graphs.dissimilarities import AnyGraph, check_graph
from riemap.loops import exact_loop
from riemap.lower_triangle import row_and_end
from riemap.specs import expect
from riemap.specs.arrays import number_array
from riemap.threads import Part, begin
from riemap.types import Array

FEW_PAIRS = 1 << 14
"""Number of distances up to which NumPy squares them: as fast, and without compiling a loop for it."""


@final
class Target:
    """Squared, scaled distances of a graph, computed block by block from the compact distance matrix.

    Parameters
    ----------
    matrix
        ``(n, n)`` distances, as :func:`shortest_paths` returns them.
    least
        The smallest target, if it is known more exactly than the matrix tells, whose numbers may be rounded.

    Attributes
    ----------
    matrix
        The distances.
    maximum
        The largest distance.

    Raises
    ------
    InputError
        If the matrix is not square, or its numbers are not distances: finite, zero on the diagonal and
        positive elsewhere.

    Examples
    --------
    >>> from riemap.graphs import Graph
    >>> target = Target.of(Graph.from_edges([(0, 1), (1, 2)]))
    >>> target.block(np.array([0, 2]))
    array([[0., 1.],
           [1., 0.]])
    """

    def __init__(self, matrix: DistanceMatrix, *, least: float | None = None) -> None:
        self.matrix = checked_distances(matrix)
        if least is not None:
            self.least = least
        self.maximum = float(self.matrix.max())
        whole = np.issubdtype(self.matrix.dtype, np.integer)
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
        if np.issubdtype(self.matrix.dtype, np.integer) and (self.matrix[0] == 1).any():
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
        expect(rows, slice, "a range of nodes", "slice(0, 10) takes the first ten")
        chosen = self.matrix[rows]
        if out is None:
            memory.require(chosen.size * 8, f"targets of {len(chosen)} nodes", "take fewer rows at a time")
            out = np.empty(chosen.shape)
        _check_out(out, chosen.shape, len(chosen))
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
        _check_out(out, (size, size), size)
        _square_block(self.matrix, numbers, self.maximum, self._squares, half, out)
        return out


def _check_out(out: Array, shape: tuple[int, ...], nodes: int) -> None:
    """Refuse an array that compiled loops could not write a result of this shape into."""
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != np.float64:
        given = f"{out.dtype}{out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise InputError(f"targets of {nodes} nodes are float64{shape}, not {given}")


def checked_distances(matrix: ArrayLike) -> DistanceMatrix:
    """Check distances between all nodes, which compiled loops then use without checks.

    Parameters
    ----------
    matrix
        ``(n, n)`` numbers.

    Returns
    -------
    NDArray
        The same numbers: hop counts as unsigned integers, other distances as float64.

    Raises
    ------
    InputError
        If the matrix is not square, or its numbers are not distances.

    Examples
    --------
    >>> checked_distances([[0, 1], [1, 0]]).dtype
    dtype('uint8')
    """
    found = number_array("distances", matrix)
    n = len(found) if found.ndim else 0
    if found.shape != (n, n) or n < 2:
        raise InputError(
            f"distances are (n, n) numbers for n nodes, at least two, not {found.dtype}{found.shape}; "
            "riemap.shortest_paths(graph) computes them"
        )
    maximum = float(found.max())
    least = 0 if found.dtype.kind == "u" else found.min()
    zeros = n * n - np.count_nonzero(found)
    if not (math.isfinite(maximum) and least >= 0 and zeros == n and not np.diagonal(found).any()):
        raise InputError(
            "distances are finite, zero on the diagonal and positive elsewhere; these "
            f"{n} x {n} numbers are from {found.min():g} to {maximum:g}, and {zeros} of them are zero"
        )
    if found.dtype.kind == "f" or maximum >= n:  # a path has fewer edges than there are nodes
        return np.asarray(found, dtype=np.float64)
    unsigned = found.dtype.kind == "u" and found.dtype.isnative
    return found if unsigned else found.astype(np.min_scalar_type(int(maximum)))


def distances_of(graph: AnyGraph, given: ArrayLike | None = None) -> DistanceMatrix:
    """Check the distances that a user gave for a graph, or compute them.

    Parameters
    ----------
    graph
        A graph or dissimilarities.
    given
        ``(n, n)`` distances, or ``None``.

    Returns
    -------
    NDArray
        The distances, as :func:`riemap.shortest_paths` returns them.

    Raises
    ------
    InputError
        If they are not the distances between the nodes of this graph.
    """
    check_graph(graph)
    if given is None:
        return shortest_paths(graph)
    found = number_array("distances", given)
    if found.shape != (graph.n, graph.n):
        raise InputError(
            f"the distances have shape {found.shape}; {graph.name} has {graph.n} nodes, so that "
            f"{(graph.n, graph.n)} is expected, as of riemap.shortest_paths(graph)"
        )
    return checked_distances(found)


def _few_squares(distances: Any, maximum: float, table: Any) -> Any:
    """Square and scale distances without a compiled loop; the bytes are the same."""
    return table[distances] if len(table) else np.square(distances / maximum)


def _square_rows(matrix: Any, maximum: float, table: Any, out: Any) -> None:
    """Square and scale rows of distances. ``table`` holds the results for hop counts, or is empty."""
    if matrix.size <= FEW_PAIRS:
        out[...] = _few_squares(matrix, maximum, table)
        return
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
    if out.size <= FEW_PAIRS:
        wanted = np.tri(len(nodes), dtype=bool) if half else True
        np.copyto(out, _few_squares(matrix[np.ix_(nodes, nodes)], maximum, table), where=wanted)
        return
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
