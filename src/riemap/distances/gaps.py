r"""Distances between components, in a graph that is kept whole although it is not connected.

Two nodes of different components are

.. math:: \max_{u \leftrightarrow v} d(u, v) + \max_{(u, v) \in E} w_{uv}

apart: the longest distance within a component, plus the longest edge. Without weights this is one hop more
than the longest distance. With these numbers the distances are still a metric.
"""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from riemap.distances.hops import COUNT_TYPES
from riemap.graphs.graph import Graph

GAP_BLOCK_PAIRS = 1 << 24
"""Number of pairs in a block of rows that is looked at: 16 million, whose mask takes 16 MB."""

_GAPS: WeakKeyDictionary[Graph, float] = WeakKeyDictionary()
"""The distances between components that were computed so far, as long as their graphs live."""


def fill_gaps(graph: Graph, rows: NDArray[Any], sources: NDArray[np.int64] | None) -> NDArray[Any]:
    """Put in the distances between components. Those of a connected graph are returned as they are.

    Parameters
    ----------
    graph
        The graph.
    rows
        ``(b, n)`` distances from the sources to all nodes, with any number for nodes that cannot be reached.
    sources
        Node numbers of the rows; ``None`` for all nodes.

    Returns
    -------
    NDArray
        The distances; for hop counts, of a type that holds the largest.
    """
    count, member = graph.component_numbers
    if count == 1:
        return rows
    gap = gap_of(graph)
    if rows.dtype.kind == "u" and gap > np.iinfo(rows.dtype).max:
        rows = rows.astype(next(width for width in COUNT_TYPES if gap <= np.iinfo(width).max))
    of_rows = member if sources is None else member[sources]
    size = max(GAP_BLOCK_PAIRS // graph.n, 1)
    for start in range(0, len(rows), size):
        block = slice(start, start + size)
        rows[block][of_rows[block, None] != member] = gap
    return rows


def gap_of(graph: Graph) -> float:
    """Compute the distance between nodes of different components.

    Parameters
    ----------
    graph
        A graph with several components.

    Returns
    -------
    float
        The longest distance within a component, plus the longest edge.

    Examples
    --------
    >>> gap_of(Graph.from_edges([(0, 1), (1, 2), (3, 4)], components="keep"))
    3.0
    """
    if graph not in _GAPS:
        _GAPS[graph] = _longest_distance(graph) + _longest_edge(graph)
    return _GAPS[graph]


def _longest_edge(graph: Graph) -> float:
    return 1.0 if graph.weights is None else float(graph.weights.max())


def _longest_distance(graph: Graph) -> float:
    """The longest distance within a component. Small components are skipped if they cannot have it."""
    from riemap.distances.length_counts import diameter

    _, member = graph.component_numbers
    nodes = np.split(np.argsort(member, kind="stable"), np.cumsum(np.bincount(member))[:-1])
    found = 0.0
    for part in sorted(nodes, key=len, reverse=True):
        if (len(part) - 1) * _longest_edge(graph) <= found:
            break
        found = max(found, diameter(_part(graph, part)))
    return found


def _part(graph: Graph, nodes: NDArray[np.int64]) -> Graph:
    """The component that consists of some nodes."""
    number = np.zeros(graph.n, np.int32)
    number[nodes] = np.arange(len(nodes), dtype=np.int32)
    inside = np.zeros(graph.n, bool)
    inside[nodes] = True
    entries = np.repeat(inside, graph.degrees)
    indptr = np.concatenate([[0], np.cumsum(graph.degrees[nodes])])
    weights = None if graph.weights is None else graph.weights[entries]
    return Graph(indptr, number[graph.indices[entries]], weights, tuple(range(len(nodes))), graph.name)
