"""The :class:`Graph` of the library: connected, undirected and simple, stored in compressed rows (CSR).

Every reader and converter calls :meth:`Graph.from_edges`. Only that method drops self-loops, merges parallel
edges and leaves out small components. It emits a :class:`GraphWarning` for each of these.
"""

import hashlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riemap.graphs.edge_cleaning import (
    FEW_EDGES,
    GraphWarning,
    Labels,
    checked_labels,
    checked_lengths,
    checked_pairs,
    components_of_edges,
    drop_self_loops,
    largest_component,
    merge_parallel_edges,
)
from riemap.graphs.options import Components, ReadOptions
from riemap.types import Array

__all__ = ["Graph", "GraphWarning", "Labels"]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected graph without self-loops or parallel edges, connected unless all components were kept.

    Use :meth:`from_edges` to build one: the constructor does not check its arguments. The neighbours of node
    ``i`` are ``indices[indptr[i]:indptr[i + 1]]``, in increasing order.

    Parameters
    ----------
    indptr
        ``(n + 1,)`` start of each node's neighbours in ``indices``.
    indices
        ``(2 m,)`` neighbours of all nodes, one node after the other.
    weights
        ``(2 m,)`` lengths of the edges, in the order of ``indices``; ``None`` if all lengths are one.
    labels
        Label of each node.
    name
        Name of the graph in messages and results.
    attributes
        Values of each attribute of the nodes, such as a group, in the order of the nodes. They change no
        distance; plots and reports colour nodes by them.

    Examples
    --------
    >>> graph = Graph.from_edges([(0, 1), (1, 2)], labels=["a", "b", "c"], name="path")
    >>> graph.n, graph.m, graph.degrees.tolist()
    (3, 2, [1, 2, 1])
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    weights: Array | None
    labels: Labels
    name: str
    attributes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        labels: Sequence[Hashable] | None = None,
        name: str = "graph",
        components: Components = "largest",
        place: Callable[[int], str] = "edge {}".format,
    ) -> "Graph":
        """Build a graph from pairs of node numbers; self-loops and repeats are dropped with a warning.

        Parameters
        ----------
        edges, weights
            ``(m, 2)`` node numbers from zero up, and ``(m,)`` positive lengths, by default one.
        labels, name
            Label of each node, by default ``0, 1, 2, …``; name of the graph in messages and results.
        components
            For a disconnected graph: take its ``"largest"`` component, ``"keep"`` it whole, or ``"require"``
            a connected one.
        place
            A function from the number of an edge to its place, for messages, e.g. ``"line 7"``.

        Returns
        -------
        Graph
            The graph, with read-only arrays.

        Raises
        ------
        InputError
            If there are no edges, or if the weights, the labels or the components are not as above.

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 2), (2, 0)], weights=[1.0, 2.0, 2.5], name="triangle")
        <Graph triangle: 3 nodes, 3 edges, weighted>
        """
        ReadOptions(components=components).check()
        pairs = checked_pairs(edges, name)
        node_labels = checked_labels(labels, pairs, name)
        lengths = checked_lengths(weights, pairs, name, place)
        pairs, lengths = drop_self_loops(pairs, lengths, name)
        pairs, lengths = merge_parallel_edges(pairs, lengths, len(node_labels), name)
        if lengths is not None and np.all(lengths == 1.0):
            lengths = None
        pairs, lengths, node_labels = largest_component(pairs, lengths, node_labels, name, components)
        return cls(*_compressed_rows(pairs, lengths, len(node_labels)), node_labels, name)

    def __post_init__(self) -> None:
        for array in (self.indptr, self.indices, self.weights):
            if array is not None:
                array.flags.writeable = False

    def __repr__(self) -> str:
        weighted = ", weighted" if self.weights is not None else ""
        return f"<Graph {self.name}: {self.n} nodes, {self.m} edges{weighted}>"

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """Number of edges."""
        return len(self.indices) // 2

    @property
    def degrees(self) -> NDArray[np.int64]:
        """Number of neighbours of each node."""
        return np.diff(self.indptr)

    def edges(self) -> NDArray[np.int64]:
        """List each edge once.

        Returns
        -------
        NDArray[np.int64]
            ``(m, 2)`` node numbers; the smaller number comes first, and edges are in increasing order.

        Examples
        --------
        >>> Graph.from_edges([(2, 1), (1, 0)]).edges().tolist()
        [[0, 1], [1, 2]]
        """
        ends = np.column_stack([np.repeat(np.arange(self.n), self.degrees), self.indices])
        return ends[ends[:, 0] < ends[:, 1]]

    @cached_property
    def component_numbers(self) -> tuple[int, NDArray[np.int32]]:
        """Number of components, which is one unless they were kept, and the component of each node."""
        if self.m <= FEW_EDGES:
            return components_of_edges(self.edges(), self.n)
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        rows: Any = (np.ones(len(self.indices), np.int8), self.indices, self.indptr)
        count, member = connected_components(csr_array(rows, shape=(self.n, self.n)), directed=False)
        return int(count), member

    @cached_property
    def key(self) -> str:
        """SHA-256 of the edges and their weights. Graphs with the same key have the same distances."""
        digest = hashlib.sha256(b"riemap graph 1")
        for array in (self.indptr, self.indices, self.weights):
            digest.update(b"|" if array is None else array.tobytes())
        return digest.hexdigest()


def _compressed_rows(
    pairs: NDArray[np.int64], lengths: Array | None, n: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], Array | None]:
    """Convert edges to compressed rows: the arrays ``indptr``, ``indices`` and ``weights`` of a graph.

    The edges are in increasing order. So those to larger numbers are in the order of rows already, and those
    to smaller ones are the columns of the same matrix.
    """
    rows, columns = (
        np.concatenate([[0], np.cumsum(np.bincount(pairs[:, end], minlength=n))]) for end in range(2)
    )
    edge = np.arange(len(pairs), dtype=np.int32 if len(pairs) < 2**31 else np.int64)
    smaller, order = _by_larger_end(pairs, n, rows.astype(edge.dtype), edge)
    indices = np.empty(2 * len(pairs), np.int32)
    both = None if lengths is None else np.empty(2 * len(pairs))
    # Each row holds first the smaller neighbours, then the larger ones.
    to_smaller = edge + np.repeat(rows[:-1], np.diff(columns))
    to_larger = edge + np.repeat(columns[1:], np.diff(rows))
    indices[to_smaller], indices[to_larger] = smaller, pairs[:, 1]
    if both is not None and lengths is not None:
        both[to_smaller], both[to_larger] = lengths[order], lengths
    return rows + columns, indices, both


def _by_larger_end(
    pairs: NDArray[np.int64], n: int, rows: NDArray[Any], edge: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sort edges by their larger end: the smaller ends in this order, and the order.

    Importing SciPy takes longer than to sort few edges; it counts, and so is faster for many.
    """
    if len(pairs) <= FEW_EDGES:
        order = np.argsort(pairs[:, 1], kind="stable")
        return pairs[order, 0], order
    from scipy.sparse import csc_array, csr_array

    upper: Any = csr_array((edge, pairs[:, 1].astype(edge.dtype), rows), shape=(n, n))
    lower = csc_array(upper)
    return lower.indices, lower.data
