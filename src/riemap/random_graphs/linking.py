"""Join random points that are closer than a threshold."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.graphs.graph import Graph, Labels
from riemap.memory import require
from riemap.random_graphs.points import is_compact
from riemap.specs import shown
from riemap.types import Array

MIN_COMPONENT_NODES = 100
"""Smallest number of nodes of a largest component that is returned, as in the paper."""

MAX_THRESHOLDS = 1000
"""Largest number of thresholds. Each makes a graph, which takes seconds; the paper has 10."""


class Sweep(NamedTuple):
    """Measurements of the graphs that join points closer than a threshold, for many thresholds.

    Parameters
    ----------
    thresholds
        The thresholds, ``(k,)``.
    degrees
        Quartiles of the degrees at each threshold, ``(k, 3)``.
    curvatures
        Quartiles of the sectional curvatures at each threshold, ``(k, 3)``; NaN if the graph is too small.
    angles
        Normalised angle sums of triangles of the points.
    """

    thresholds: Array
    degrees: Array
    curvatures: Array
    angles: Array


class ThresholdGraph(NamedTuple):
    """The graph that joins all pairs of points closer than a threshold.

    Parameters
    ----------
    threshold
        The threshold.
    degrees
        ``(n,)`` number of neighbours of each point, including isolated points.
    nodes
        Number of nodes of the largest component.
    component
        The largest component; ``None`` if it has too few nodes.
    """

    threshold: float
    degrees: NDArray[np.int64]
    nodes: int
    component: Graph | None

    @property
    def edges(self) -> int:
        """Number of edges, in all components."""
        return int(self.degrees.sum()) // 2


def distance_matrix(points: Embedding) -> Array:
    """Compute the distances between all points.

    Parameters
    ----------
    points
        The points, as :func:`sample` returns them.

    Returns
    -------
    Array
        ``(n, n)`` distances. In a Stein space they are square roots of the divergence.

    Raises
    ------
    MemoryError
        If the matrix does not fit into memory.

    Examples
    --------
    >>> from riemap.random_graphs import sample
    >>> distance_matrix(sample("E1", 2)).shape
    (2, 2)
    """
    check_memory(points.n)
    return np.sqrt(points.space.symmetric_block(points.points, points.log_scales).sqdist)


def check_memory(n: int) -> None:
    """Check that the distances between ``n`` points fit into memory.

    Parameters
    ----------
    n
        Number of points.

    Raises
    ------
    MemoryError
        If they do not.

    Examples
    --------
    >>> check_memory(100)
    """
    require(32 * n**2, f"all distances of {n} points", "draw fewer points")


def thresholds(points: Embedding, distances: Array, count: int, radius: float | None = None) -> Array:
    """Choose equally spaced thresholds over the range of the paper.

    The range is 0.1 to 1 times the largest distance in a compact space, and 0.1 to 1.5 times the radius of
    the ball otherwise.

    Parameters
    ----------
    points
        The points.
    distances
        ``(n, n)`` distances between them.
    count
        Number of thresholds.
    radius
        Radius of the ball from which the points were drawn; 1 by default.

    Returns
    -------
    Array
        ``(count,)`` thresholds, in increasing order.

    Raises
    ------
    InputError
        If ``count`` is not between 1 and ``MAX_THRESHOLDS``.

    Examples
    --------
    >>> from riemap.random_graphs import sample
    >>> points = sample("E2", 10, radius=2.0)
    >>> thresholds(points, np.zeros((10, 10)), 3, radius=2.0)
    array([0.2, 1.6, 3. ])
    """
    if count < 1:
        raise InputError(f"{count} thresholds are too few; their number must be at least 1, e.g. 10")
    if count > MAX_THRESHOLDS:
        raise InputError(
            f"{shown(count, 30)} thresholds are too many; their number is at most {MAX_THRESHOLDS}, e.g. 10"
        )
    if is_compact(points.space):
        return np.linspace(0.1, 1.0, count) * distances.max()
    return np.linspace(0.1, 1.5, count) * (1.0 if radius is None else radius)


def threshold_graphs(
    distances: Array, levels: Array, min_nodes: int = MIN_COMPONENT_NODES
) -> Iterator[ThresholdGraph]:
    """Join all pairs of points closer than a threshold, for each of several thresholds.

    Parameters
    ----------
    distances
        ``(n, n)`` distances between the points.
    levels
        The thresholds.
    min_nodes
        A largest component with fewer nodes is replaced by ``None``, as in the paper.

    Yields
    ------
    ThresholdGraph
        Degrees and largest component at the next threshold.

    Examples
    --------
    >>> points = np.array([0.0, 1.0, 3.0])
    >>> distances = np.abs(points[:, None] - points)
    >>> [found.edges for found in threshold_graphs(distances, np.array([1.5, 9.0]))]
    [1, 3]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    for level in levels.tolist():
        near = distances < level
        np.fill_diagonal(near, False)
        _, member = connected_components(csr_array(near), directed=False)
        sizes = np.bincount(member)
        members = np.flatnonzero(member == np.argmax(sizes))
        large_enough = len(members) >= max(min_nodes, 2)
        graph = (
            _component_graph(near[np.ix_(members, members)], tuple(members.tolist()), level)
            if large_enough
            else None
        )
        yield ThresholdGraph(level, np.count_nonzero(near, axis=1), len(members), graph)


def _component_graph(near: NDArray[np.bool_], labels: Labels, level: float) -> Graph:
    """Build a graph from the adjacency matrix of a connected component."""
    indptr = np.concatenate([[0], np.cumsum(np.count_nonzero(near, axis=1))])
    return Graph(indptr, np.nonzero(near)[1].astype(np.int32), None, labels, f"pairs nearer than {level:.4g}")
