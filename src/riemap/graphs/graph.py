"""A graph as the rest of the library sees it: connected, undirected, simple, in compressed rows.

Every reader and converter ends in :meth:`Graph.from_edges`, which is the one place that decides what
happens to self-loops, parallel edges and small components, and says so.
"""

import hashlib
import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riemap.errors import InputError
from riemap.types import Array

Component: TypeAlias = Literal["largest", "error"]
"""What to do with a graph in several pieces: keep the largest, or refuse it."""

Labels: TypeAlias = tuple[Hashable, ...]

MAX_UNEXPLAINED_NODES = 1_000_000
"""Nodes that may be claimed by a number; many more than there are edges are a mistake or a trap."""

MIN_LENGTH_RATIO = 1e-150
"""Least ratio of two lengths: their squares, scaled so that the largest is one, must not vanish."""


class GraphWarning(UserWarning):
    """Something in the data was left out or merged; the message says what, and how much of it."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """A connected, undirected graph without self-loops or parallel edges.

    The neighbours of node ``i`` are ``indices[indptr[i]:indptr[i + 1]]``, in increasing order, and
    ``weights`` (lengths of edges; ``None`` where all are one) runs along ``indices``.

    >>> graph = Graph.from_edges([(0, 1), (1, 2)], labels=["a", "b", "c"], name="path")
    >>> graph.n, graph.m, graph.degrees.tolist()
    (3, 2, [1, 2, 1])
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    weights: Array | None
    labels: Labels
    name: str

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        labels: Sequence[Hashable] | None = None,
        name: str = "graph",
        component: Component = "largest",
        place: Callable[[int], str] = "edge {}".format,
    ) -> "Graph":
        """Build a graph from pairs of node numbers, each edge once or in both directions.

        Parameters
        ----------
        edges
            ``(m, 2)`` numbers of nodes, counted from zero.
        weights
            ``(m,)`` positive lengths; of parallel edges the shortest counts. Left out, all are one.
        labels
            What the nodes are called, ``0, 1, 2, …`` unless given.
        name
            What the graph is called in messages and results.
        component
            ``"largest"`` keeps the largest connected component, ``"error"`` refuses to choose.
        place
            Says where edge ``i`` was read, for messages: ``"line 7"``.
        """
        if component not in ("largest", "error"):
            raise InputError(f"component={component!r} is not 'largest' or 'error'")
        pairs = _as_pairs(edges, name)
        count = int(pairs.max(initial=-1)) + 1
        if labels is None:
            check_nodes(count, len(pairs), name)
        node_labels: Labels = tuple(range(count)) if labels is None else tuple(labels)
        if count > len(node_labels):
            raise InputError(
                f"{name}: an edge names node {count - 1}, but there are {len(node_labels)} labels"
            )
        if len(set(node_labels)) < len(node_labels):
            raise InputError(f"{name}: two nodes have the same label; labels must differ")
        lengths = _as_weights(weights, pairs, name, place)
        pairs, lengths = _drop_self_loops(pairs, lengths, name)
        pairs, lengths = _merge_parallel_edges(pairs, lengths, len(node_labels), name)
        if lengths is not None and np.all(lengths == 1.0):
            lengths = None
        pairs, lengths, node_labels = _largest_component(pairs, lengths, node_labels, name, component)
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
        """Each edge once, ``(m, 2)``, its smaller end first, in increasing order."""
        ends = np.column_stack([np.repeat(np.arange(self.n), self.degrees), self.indices])
        return ends[ends[:, 0] < ends[:, 1]]

    @cached_property
    def key(self) -> str:
        """SHA-256 of the structure and the weights, which is what distances depend on."""
        digest = hashlib.sha256(b"riemap graph 1")
        for array in (self.indptr, self.indices, self.weights):
            digest.update(b"|" if array is None else array.tobytes())
        return digest.hexdigest()


def _as_pairs(edges: ArrayLike, name: str) -> NDArray[np.int64]:
    pairs = np.asarray(edges)
    if pairs.size == 0:
        raise InputError(f"{name}: there are no edges; a graph needs at least one, e.g. 'a b' in a file")
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
        raise InputError(f"{name}: edges are an (m, 2) array of node numbers, not {pairs.dtype}{pairs.shape}")
    if pairs.min() < 0:
        raise InputError(f"{name}: node number {pairs.min()} is negative; nodes are counted from 0")
    if pairs.max() >= np.iinfo(np.int32).max:
        raise InputError(f"{name}: node number {pairs.max()} is too large; nodes are counted from 0")
    return pairs.astype(np.int64)


def _as_weights(
    weights: ArrayLike | None, pairs: NDArray[np.int64], name: str, place: Callable[[int], str]
) -> Array | None:
    if weights is None:
        return None
    lengths = np.array(weights, dtype=np.float64)
    if lengths.shape != (len(pairs),):
        raise InputError(f"{name}: {lengths.shape} weights for {len(pairs)} edges")
    bad = np.flatnonzero(~((lengths > 0.0) & np.isfinite(lengths)))
    if len(bad):
        raise InputError(
            f"{name}, {place(int(bad[0]))}: weight {lengths[bad[0]]:g} is not a positive number; "
            "a weight is the length of its edge, e.g. 2.5"
        )
    low, high = float(lengths.min()), float(lengths.max())
    if not low / MIN_LENGTH_RATIO > high * len(lengths):  # which no path is longer than
        raise InputError(f"{name}: weights from {low:g} to {high:g} are too far apart to compare")
    return lengths


def _drop_self_loops(
    pairs: NDArray[np.int64], lengths: Array | None, name: str
) -> tuple[NDArray[np.int64], Array | None]:
    proper = pairs[:, 0] != pairs[:, 1]
    loops = len(pairs) - int(np.count_nonzero(proper))
    if loops == 0:
        return pairs, lengths
    if loops == len(pairs):
        raise InputError(f"{name}: every edge is a self-loop; a graph needs an edge between two nodes")
    warn(f"{name}: dropped {counted(loops, 'self-loop')}")
    return pairs[proper], None if lengths is None else lengths[proper]


def _merge_parallel_edges(
    pairs: NDArray[np.int64], lengths: Array | None, n: int, name: str
) -> tuple[NDArray[np.int64], Array | None]:
    """Each edge once, its smaller end first, in increasing order."""
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    code = low * n + high
    order = np.argsort(code, kind="stable") if lengths is None else np.lexsort((lengths, code))
    first = np.ones(len(code), dtype=bool)
    first[1:] = np.diff(code[order]) > 0
    kept = order[first]
    merged = len(pairs) - len(kept)
    if merged:
        differ = lengths is not None and bool(np.any(np.diff(lengths[order])[~first[1:]] != 0.0))
        rule = "; of different weights the smallest was kept" if differ else ""
        warn(f"{name}: merged {counted(merged, 'parallel edge')} into {len(kept)}{rule}")
    return np.column_stack([low[kept], high[kept]]), None if lengths is None else lengths[kept]


def _largest_component(
    pairs: NDArray[np.int64], lengths: Array | None, labels: Labels, name: str, component: Component
) -> tuple[NDArray[np.int64], Array | None, Labels]:
    """The largest component, its nodes numbered anew in the same order."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(labels)
    adjacency = coo_array((np.ones(len(pairs), dtype=np.int8), pairs.T), shape=(n, n))
    count, member = connected_components(adjacency, directed=False)
    if count == 1:
        return pairs, lengths, labels
    sizes = np.bincount(member)
    largest = int(np.argmax(sizes))
    pieces = f"{name}: the graph has {count} components, the largest with {sizes[largest]} of {n} nodes"
    if component == "error":
        raise InputError(f"{pieces}; component='largest' (without --require-connected) keeps that one")
    inside = member[pairs[:, 0]] == largest
    edges = f"{np.count_nonzero(inside)} of {len(pairs)} edges"
    warn(f"{pieces} and {edges}; only that one is kept")
    nodes = np.flatnonzero(member == largest)
    number = np.cumsum(member == largest) - 1
    kept = None if lengths is None else lengths[inside]
    return number[pairs[inside]], kept, tuple(labels[i] for i in nodes)


def _compressed_rows(
    pairs: NDArray[np.int64], lengths: Array | None, n: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], Array | None]:
    source = np.concatenate([pairs[:, 0], pairs[:, 1]])
    target = np.concatenate([pairs[:, 1], pairs[:, 0]])
    order = np.lexsort((target, source))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(source, minlength=n))])
    both = None if lengths is None else np.concatenate([lengths, lengths])[order]
    return indptr, target[order].astype(np.int32), both


def check_nodes(n: int, edges: int, where: str) -> None:
    """Refuse a number of nodes that the edges cannot explain, before memory is set aside for them."""
    if n > max(MAX_UNEXPLAINED_NODES, 4 * edges):
        raise InputError(
            f"{where}: {n:,} nodes with {edges:,} entries are far from a connected graph; "
            "leave out the nodes that have no edges"
        )


def counted(count: int, noun: str) -> str:
    """``1 edge``, ``2 edges``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def warn(message: str) -> None:
    """Tell the caller of the library what was done to the data."""
    warnings.warn(message, GraphWarning, stacklevel=2)
