r"""The target of training on a large graph: distances to landmarks, and distances within balls.

Distances are divided by :func:`riemap.distances.longest_distance`, as for scores, or by the largest distance
to a landmark if that is larger. In a very large graph a few targets may be larger than one.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.distances.balls import Balls, balls
from riemap.distances.landmark_hops import Told, nothing_told
from riemap.distances.landmarks import Landmarks
from riemap.distances.sampled_spread import longest_distance
from riemap.graphs.graph import Graph
from riemap.loops import exact_loop
from riemap.threads import Part, begin
from riemap.types import Array

CALL_BALLS = 256
"""Number of balls that are computed in one call. Ctrl-C is heard between two calls."""


class BallTarget(NamedTuple):
    """The nodes of a ball, and the squared, scaled distances between them."""

    nodes: NDArray[np.int64]
    target: Array


EDGE_TOLERANCE = 1e-9
"""Relative difference up to which lengths of edges count as equal to the smallest."""


@final
class Arcs(NamedTuple):
    """The edges at the smallest distance, which are all edges unless the graph has weights.

    Parameters
    ----------
    indptr, indices
        Neighbours of each node, as in :class:`riemap.graphs.Graph`.
    target
        The squared, scaled distance of these edges.
    """

    indptr: NDArray[Any]
    indices: NDArray[Any]
    target: float

    @classmethod
    def of(cls, graph: Graph, target: float) -> "Arcs":
        """Select the edges of a graph at the smallest distance."""
        if graph.weights is None:
            return cls(graph.indptr, graph.indices, target)
        kept = graph.weights <= graph.weights.min() * (1.0 + EDGE_TOLERANCE)
        before = np.concatenate([[0], np.cumsum(kept)])
        return cls(before[graph.indptr], graph.indices[kept], target)


@final
class RowTarget(NamedTuple):
    """Distances from some nodes to all landmarks, and what makes targets of them.

    Parameters
    ----------
    columns
        ``(nodes, landmarks)`` distances.
    maximum
        The distance by which all are divided.
    squares
        The target of each hop count; empty if the graph has weights.
    """

    columns: NDArray[Any]
    maximum: float
    squares: Array

    def block(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Array:
        """Compute the targets of some rows and columns.

        Parameters
        ----------
        rows, columns
            Places in the matrix of distances.

        Returns
        -------
        Array
            ``(rows, columns)`` squared, scaled distances.
        """
        out = np.empty((len(rows), len(columns)))
        _squares_rows(len(rows), self.columns, rows, columns, self.maximum, self.squares, out)
        return out


@final
class BallGroup(NamedTuple):
    """Some balls, and what makes targets of their distances.

    Parameters
    ----------
    nodes, distances
        As in :class:`riemap.distances.balls.Balls`.
    maximum, squares
        As in :class:`RowTarget`.
    """

    nodes: NDArray[np.int32]
    distances: NDArray[Any]
    maximum: float
    squares: Array

    def ball(self, number: int) -> BallTarget:
        """Compute the targets within a ball.

        Parameters
        ----------
        number
            Number of the ball.

        Returns
        -------
        BallTarget
            Nodes in increasing order, and the targets between all of them.
        """
        nodes = self.nodes[number]
        places = np.argsort(nodes, kind="stable")[np.count_nonzero(nodes < 0) :]
        within = RowTarget(self.distances[number], self.maximum, self.squares)
        return BallTarget(nodes[places].astype(np.int64), within.block(places, places))


@final
class SampledTarget:
    """Squared, scaled distances of a large graph: from any node to landmarks, and within balls.

    Parameters
    ----------
    graph
        A connected graph.
    landmarks
        Landmarks of the graph.
    found
        Balls of the graph.

    Attributes
    ----------
    landmarks
        The landmarks.
    maximum
        The longest distance that is known, by which all are divided.
    arcs
        The edges at the smallest distance.
    """

    def __init__(self, graph: Graph, landmarks: Landmarks, found: Balls) -> None:
        self.landmarks, self._balls = landmarks, found
        self.n, self.maximum = graph.n, max(landmarks.maximum, longest_distance(graph))
        shortest = 1.0 if graph.weights is None else float(graph.weights.min())
        self.least = (shortest / self.maximum) ** 2
        self.arcs = Arcs.of(graph, self.least)
        self._squares: Array = np.empty(0)
        if graph.weights is None:
            largest = int(max(self.maximum, found.distances.max(initial=0)))
            self._squares = (np.arange(largest + 1, dtype=np.float64) / self.maximum) ** 2

    @property
    def balls(self) -> int:
        """Number of balls."""
        return len(self._balls.nodes)

    def rows(self, nodes: slice | NDArray[np.int64]) -> RowTarget:
        """Select the distances from some nodes to all landmarks.

        Parameters
        ----------
        nodes
            Node numbers, or a slice of them, of which no copy is made.

        Returns
        -------
        RowTarget
            These rows.
        """
        return RowTarget(self.landmarks.columns[nodes], self.maximum, self._squares)

    def ball_group(self, numbers: slice) -> BallGroup:
        """Select some balls.

        Parameters
        ----------
        numbers
            A slice of the numbers of balls.

        Returns
        -------
        BallGroup
            These balls, not copied.
        """
        nodes, distances = self._balls
        return BallGroup(nodes[numbers], distances[numbers], self.maximum, self._squares)


def pool_of_balls(
    graph: Graph,
    count: int,
    size: int,
    seed: int,
    told: Told = nothing_told,
    *,
    search: Callable[[Graph, NDArray[np.int64], int, int], Balls] = balls,
) -> Balls:
    """Compute balls around random nodes, first around those that are in no ball yet.

    Parameters
    ----------
    graph
        A connected graph.
    count, size
        Number of balls, and of nodes in each.
    seed
        Seed of the centres and of the samples within balls.
    told
        Is told which share of the balls is done.
    search
        Finds balls as :func:`riemap.distances.balls.balls` does, such as on several machines.

    Returns
    -------
    Balls
        The balls. They depend on the graph and the arguments alone.
    """
    order = np.random.default_rng([seed, 1]).permutation(graph.n)
    covered = np.zeros(graph.n, bool)
    size = min(size, graph.n)
    kind = np.uint8 if graph.weights is None else np.float32
    nodes, distances = np.empty((count, size), np.int32), np.empty((count, size, size), kind)
    for first in range(0, count, CALL_BALLS):
        block = slice(first, min(first + CALL_BALLS, count))
        order = np.concatenate([order[~covered[order]], order[covered[order]]])
        centres = np.resize(order, block.stop - first)
        order = np.roll(order, -len(centres))
        nodes[block], distances[block] = search(graph, centres, size, seed + first)
        covered[nodes[block][nodes[block] >= 0]] = True
        told(block.stop / count)
    return Balls(nodes, distances)


@exact_loop
def _squares_rows(
    part: Part, matrix: Any, nodes: Any, columns: Any, maximum: float, table: Any, out: Any
) -> None:
    start, stop = begin(part)
    for i in range(start, stop):
        row, squares = matrix[np.uint64(nodes[i])], out[i]
        if len(table) > 0:
            for j in range(len(columns)):
                squares[j] = table[np.uint64(row[np.uint64(columns[j])])]
        else:
            for j in range(len(columns)):
                ratio = row[np.uint64(columns[j])] / maximum
                squares[j] = ratio * ratio
