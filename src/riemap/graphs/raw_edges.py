"""Edges as a file or an object lists them, before they become a :class:`~riemap.graphs.graph.Graph`."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.graphs.compression import LESS_MEMORY
from riemap.graphs.edge_cleaning import check_nodes, warn
from riemap.graphs.graph import Graph
from riemap.graphs.options import ReadOptions
from riemap.memory import require
from riemap.specs import shown
from riemap.types import Array

LENGTH_NAMES = {"length", "distance"}
"""Names of columns and attributes that say by themselves that weights are lengths."""

Listing: TypeAlias = Literal["once", "twice", "directed"]
"""How an input lists its edges: each undirected edge once; each undirected edge in both directions, as a
symmetric matrix does; or directed edges."""


@final
@dataclass(frozen=True)
class RawEdges:
    """Edges as read from an input. This is what a reader returns.

    Parameters
    ----------
    ends
        ``(m, 2)`` node numbers of each edge, counted from zero.
    weights
        ``(m,)`` weights of the edges, or ``None`` if the input has none.
    labels
        Label of each node.
    place
        Function from the number of an edge to the text that locates it in messages, e.g. ``"line 7"``.
    listing
        Whether the input lists each edge ``"once"``, ``"twice"`` (in both directions), or is ``"directed"``.
    weight_name
        What the input calls the weights.
    attributes
        Values of each attribute of the nodes, in the order of ``labels``.

    Examples
    --------
    >>> edges = RawEdges(np.array([[0, 1], [1, 0]]), None, ["a", "b"], "edge {}".format, "twice")
    >>> edges.to_graph("pair", ReadOptions())
    <Graph pair: 2 nodes, 1 edges>
    """

    ends: NDArray[np.int64]
    weights: Array | None
    labels: Sequence[Hashable]
    place: Callable[[int], str]
    listing: Listing = "once"
    weight_name: str = "weight"
    attributes: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def to_graph(self, name: str, options: ReadOptions) -> Graph:
        """Build the graph.

        Parameters
        ----------
        name
            Name of the graph.
        options
            What to do with directions, components and weights.

        Returns
        -------
        Graph
            The undirected graph.

        Raises
        ------
        InputError
            If the edges are directed and may not be, or :meth:`Graph.from_edges` refuses them.
        """
        options.check()
        kept: Any = slice(None)
        lengths = options.lengths(self.weights, name, self.place)
        # Lengths that are not positive and finite are left to from_edges, whose message is about weights.
        valid_weights = lengths is None or bool(np.all((lengths > 0.0) & np.isfinite(lengths)))
        if self.listing != "once" and valid_weights:
            unmatched = edge_without_mirror(self.ends, lengths)
            if not options.undirected and (self.listing == "directed" or unmatched is not None):
                problem = self._direction_problem(unmatched)
                raise InputError(f"{name}{problem}; undirected=True (--undirected) ignores directions")
            if unmatched is None:
                kept = np.flatnonzero(self.ends[:, 0] <= self.ends[:, 1])
        graph = Graph.from_edges(
            self.ends[kept],
            None if lengths is None else lengths[kept],
            labels=self.labels,
            name=name,
            components=options.components,
            place=self.place,
        )
        self._tell_about_weights(graph, options)
        return self._with_attributes(graph)

    def _tell_about_weights(self, graph: Graph, options: ReadOptions) -> None:
        """Warn if a choice has no effect, or if there is no choice and it matters."""
        if options.weights == "strengths" and self.weights is None:
            warn(f"{graph.name}: there are no weights, so weights='strengths' changes nothing")
        if options.weights is not None or graph.weights is None or self.weight_name in LENGTH_NAMES:
            return
        low, high = graph.weights.min(), graph.weights.max()
        if low < high:
            warn(
                f"{graph.name}: took its weights, from {low:g} to {high:g}, for lengths, so that a heavier "
                "edge is longer; weights='lengths' (--weights lengths) confirms it, 'strengths' makes "
                "heavier edges shorter, and 'ignore' counts hops"
            )

    def _with_attributes(self, graph: Graph) -> Graph:
        """Give the graph the attributes of the nodes that it has kept."""
        if not self.attributes:
            return graph
        number = {label: i for i, label in enumerate(self.labels)}
        kept = [number[label] for label in graph.labels]
        return replace(
            graph, attributes={key: tuple(column[i] for i in kept) for key, column in self.attributes.items()}
        )

    def _direction_problem(self, unmatched: int | None) -> str:
        """Say why the edges are directed; ``unmatched`` is an edge without a mirror image."""
        if self.listing == "directed":
            return ": the graph is directed, and distances need an undirected one"
        assert unmatched is not None
        start, end = (shown(self.labels[i]) for i in self.ends[unmatched])
        return (
            f", {self.place(unmatched)}: the edge from {start} to {end} has no counterpart of the same "
            "weight in the other direction, so the graph is directed"
        )


def edge_without_mirror(ends: NDArray[np.int64], weights: Array | None) -> int | None:
    """Find an edge ``(i, j)`` without an edge ``(j, i)`` of the same weight; ``None`` if all have one."""
    lengths = np.ones(len(ends)) if weights is None else weights
    forward = np.lexsort((lengths, ends[:, 1], ends[:, 0]))
    backward = np.lexsort((lengths, ends[:, 0], ends[:, 1]))
    unequal = (ends[forward] != ends[backward][:, ::-1]).any(axis=1) | (lengths[forward] != lengths[backward])
    if not unequal.any():
        return None
    k = int(np.argmax(unequal))
    a, b = int(forward[k]), int(backward[k])
    return a if (*ends[a], lengths[a]) < (*ends[b][::-1], lengths[b]) else b


def weights_of_all_or_none(
    weights: Sequence[float | None], place: Callable[[int], str], name: str
) -> Array | None:
    """Convert weights to an array, and check that either all edges or no edges have one.

    Parameters
    ----------
    weights
        Weight of each edge, or ``None`` where it is missing.
    place
        Function from the number of an edge to the text that locates it in messages.
    name
        Name of the input, for the message.

    Returns
    -------
    Array | None
        ``(m,)`` weights, or ``None`` if no edge has one.
    """
    missing = [i for i, weight in enumerate(weights) if weight is None]
    if len(missing) == len(weights):
        return None
    if missing:
        raise InputError(
            f"{name}, {place(missing[0])}: the edge has no weight, but "
            f"{len(weights) - len(missing)} of {len(weights)} edges have one; give one to all or to none"
        )
    return np.array(weights, dtype=np.float64)


def edges_of_matrix(matrix: Any, name: str) -> RawEdges:
    """List the edges of an adjacency matrix.

    Parameters
    ----------
    matrix
        Square NumPy array, whose nonzero entries are lengths of edges, or SciPy sparse matrix, whose stored
        entries are.
    name
        Name of the input, for messages.

    Returns
    -------
    RawEdges
        One edge per entry, in both directions.
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"{name}: an adjacency matrix is square, not {matrix.shape}; "
            "for an (m, 2) array of edges use Graph.from_edges"
        )
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"{name}: an adjacency matrix holds real numbers, not {matrix.dtype}")
    if isinstance(matrix, np.ndarray):
        ends = np.argwhere(matrix)
        weights = np.asarray(matrix)[tuple(ends.T)].astype(np.float64)
    else:
        if 0 in getattr(matrix, "blocksize", ()):  # SciPy divides by the size of a block
            raise InputError(
                f"{name}: its blocks of shape {matrix.blocksize} hold nothing; a block has a row and a "
                "column at least, e.g. (2, 2)"
            )
        check_nodes(matrix.shape[0], matrix.nnz, name)
        # Measured: the copies below, and those that make a graph of them, take 100 bytes per entry.
        require(100 * matrix.nnz, f"{matrix.nnz:,} entries of {name}", LESS_MEMORY)
        # SciPy defines an entry that is stored more than once as the sum of its parts.
        rows = matrix.astype(np.float64).tocsr()
        rows.sum_duplicates()
        entries = rows.tocoo()
        ends, weights = np.column_stack([entries.row, entries.col]).astype(np.int64), entries.data
    place = lambda i: f"entry ({ends[i, 0]}, {ends[i, 1]})"  # noqa: E731
    return RawEdges(ends, weights, range(matrix.shape[0]), place, "twice")
