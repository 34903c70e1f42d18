"""Checks and repairs of edges on their way to a graph: self-loops, parallel edges, components, sizes."""

import warnings
from collections.abc import Callable, Hashable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riemap.errors import InputError
from riemap.graphs.options import Components
from riemap.types import Array

Labels: TypeAlias = tuple[Hashable, ...]
"""The labels of all nodes, in the order of the node numbers."""

MAX_UNEXPLAINED_NODES = 1_000_000
"""Largest number of nodes that is accepted without looking at the number of edges. A header or one large
node number can declare any number of nodes; beyond this one, at least a quarter as many edges are required,
so that a short file cannot make us allocate gigabytes."""

FEW_EDGES = 1 << 13
"""Largest number of edges that NumPy sorts and divides into components, in up to three milliseconds. SciPy is
faster, but importing it takes a tenth of a second."""

MIN_LENGTH_RATIO = 1e-150
"""Smallest accepted ratio of the shortest distance to the longest. Training uses squared ratios, and the
square of this one, 1e-300, does not underflow in float64."""


class GraphWarning(UserWarning):
    """Some of the input was left out or merged. The message says what, and how much.

    Examples
    --------
    >>> import warnings, riemap.graphs
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     graph = riemap.graphs.Graph.from_edges([(0, 1), (1, 1)])
    >>> str(caught[0].message)
    'graph: dropped 1 self-loop'
    """


def checked_pairs(edges: ArrayLike, name: str) -> NDArray[np.int64]:
    """Convert edges to an ``(m, 2)`` array, and check its shape and the range of the node numbers."""
    pairs = np.asarray(edges)
    if pairs.size == 0:
        raise InputError(f"{name}: there are no edges; a graph needs at least one, e.g. 'a b' in a file")
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
        raise InputError(f"{name}: edges are an (m, 2) array of node numbers, not {pairs.dtype}{pairs.shape}")
    if pairs.min() < 0:
        raise InputError(f"{name}: node number {pairs.min()} is negative; nodes are counted from 0")
    if pairs.max() >= np.iinfo(np.int32).max:
        raise InputError(f"{name}: node number {pairs.max()} is too large; nodes are counted from 0")
    return pairs.astype(np.int64, copy=False)


def checked_labels(labels: Sequence[Hashable] | None, pairs: NDArray[np.int64], name: str) -> Labels:
    """Return the label of each node, by default its number, and check that labels differ."""
    count = int(pairs.max(initial=-1)) + 1
    if labels is None:
        check_nodes(count, len(pairs), name)
    node_labels: Labels = tuple(range(count)) if labels is None else tuple(labels)
    if count > len(node_labels):
        raise InputError(f"{name}: an edge names node {count - 1}, but there are {len(node_labels)} labels")
    if len(set(node_labels)) < len(node_labels):
        raise InputError(f"{name}: two nodes have the same label; labels must differ")
    return node_labels


def checked_lengths(
    weights: ArrayLike | None, pairs: NDArray[np.int64], name: str, place: Callable[[int], str]
) -> Array | None:
    """Convert weights to an array, and check that they are positive and not too far apart."""
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
    if not low / MIN_LENGTH_RATIO > high * len(lengths):  # no shortest path is longer than the right side
        raise InputError(f"{name}: weights from {low:g} to {high:g} are too far apart to compare")
    return lengths


def drop_self_loops(
    pairs: NDArray[np.int64], lengths: Array | None, name: str
) -> tuple[NDArray[np.int64], Array | None]:
    """Drop edges from a node to itself, with a warning."""
    proper = pairs[:, 0] != pairs[:, 1]
    loops = len(pairs) - int(np.count_nonzero(proper))
    if loops == 0:
        return pairs, lengths
    if loops == len(pairs):
        raise InputError(f"{name}: every edge is a self-loop; a graph needs an edge between two nodes")
    warn(f"{name}: dropped {counted(loops, 'self-loop')}")
    return pairs[proper], None if lengths is None else lengths[proper]


def merge_parallel_edges(
    pairs: NDArray[np.int64], lengths: Array | None, n: int, name: str
) -> tuple[NDArray[np.int64], Array | None]:
    """List each edge once, the smaller node number first, in increasing order."""
    # The minimum of two columns takes a tenth of the time of the minimum of each row.
    code = np.minimum(pairs[:, 0], pairs[:, 1]) * n + np.maximum(pairs[:, 0], pairs[:, 1])
    order = None if lengths is None else np.argsort(code)
    code = np.sort(code) if order is None else code[order]
    first = np.flatnonzero(np.concatenate([[True], code[1:] != code[:-1]]))
    merged = len(code) - len(first)
    kept, differ = None, False
    if order is not None and lengths is not None:
        kept = np.minimum.reduceat(lengths[order], first)
        differ = merged > 0 and bool(np.any(np.maximum.reduceat(lengths[order], first) > kept))
    if merged:
        rule = "; where lengths differ, the shortest was kept" if differ else ""
        warn(f"{name}: merged {counted(merged, 'parallel edge')} into {len(first)}{rule}")
    return np.column_stack(np.divmod(code[first], n)), kept


def components_of_edges(pairs: NDArray[np.int64], n: int) -> tuple[int, NDArray[np.int32]]:
    """Return the number of components, and the component of each of ``n`` nodes.

    Parameters
    ----------
    pairs
        Node numbers of the ends of each edge, ``(m, 2)``.
    n
        Number of nodes.

    Returns
    -------
    count
        The number of components.
    member
        The number of each node's component, in the order of their first nodes.
    """
    if len(pairs) <= FEW_EDGES:
        return _components_of_few(pairs, n)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    adjacency = coo_array((np.ones(len(pairs), dtype=np.int8), pairs.T), shape=(n, n))
    count, member = connected_components(adjacency, directed=False)
    return int(count), member


def _components_of_few(pairs: NDArray[np.int64], n: int) -> tuple[int, NDArray[np.int32]]:
    """Give each node a smaller one of its component as its parent, until all have its smallest as parent.

    A component without parents joins one of its neighbours in each round, so that there are few rounds.
    """
    parent = np.arange(n)
    while True:
        ends = parent[pairs]
        np.minimum.at(parent, ends.max(axis=1), ends.min(axis=1))
        while (parent[parent] != parent).any():
            parent = parent[parent]
        if (ends[:, 0] == ends[:, 1]).all():
            break
    first, member = np.unique(parent, return_inverse=True)
    return len(first), member.astype(np.int32)


def largest_component(
    pairs: NDArray[np.int64], lengths: Array | None, labels: Labels, name: str, components: Components
) -> tuple[NDArray[np.int64], Array | None, Labels]:
    """Take the largest component, unless all are kept. Its nodes are renumbered in the same order."""
    if components == "keep":
        return pairs, lengths, labels
    n = len(labels)
    count, member = components_of_edges(pairs, n)
    if count == 1:
        return pairs, lengths, labels
    sizes = np.bincount(member)
    largest = int(np.argmax(sizes))
    pieces = f"{name}: the graph has {count} components, the largest with {sizes[largest]} of {n} nodes"
    if components == "require":
        raise InputError(f"{pieces}; components='largest' (--components largest) takes that one, 'keep' all")
    inside = member[pairs[:, 0]] == largest
    edges = f"{np.count_nonzero(inside)} of {len(pairs)} edges"
    warn(f"{pieces} and {edges}; only that one is kept; components='keep' (--components keep) keeps all")
    nodes = np.flatnonzero(member == largest)
    number = np.cumsum(member == largest) - 1
    kept = None if lengths is None else lengths[inside]
    return number[pairs[inside]], kept, tuple(map(labels.__getitem__, nodes.tolist()))


def check_nodes(n: int, edges: int, where: str) -> None:
    """Raise an error if there are too many nodes for the number of edges, before memory is allocated.

    Parameters
    ----------
    n
        Number of nodes that the input declares.
    edges
        Number of edges in the input.
    where
        Name of the input, for the message.
    """
    if n > max(MAX_UNEXPLAINED_NODES, 4 * edges):
        raise InputError(
            f"{where}: {n:,} nodes with {edges:,} entries cannot be a connected graph; "
            "leave out the nodes that have no edges"
        )


def counted(count: int, noun: str) -> str:
    """Write a number with its noun: ``1 edge``, ``2 edges``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def warn(message: str) -> None:
    """Emit a :class:`GraphWarning`."""
    warnings.warn(message, GraphWarning, stacklevel=2)
