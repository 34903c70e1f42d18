"""Edges as a file or an object lists them, on the way to a :class:`~riemap.graphs.graph.Graph`."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.graphs.graph import Component, Graph, check_nodes
from riemap.specs import shown
from riemap.types import Array

Listing: TypeAlias = Literal["once", "twice", "directed"]


@final
@dataclass(frozen=True)
class RawEdges:
    """Pairs of node numbers, with what their source says about them.

    ``listing`` tells how it lists an undirected edge: ``"once"``, or ``"twice"``, from either end, as
    matrices do; or that its edges are ``"directed"``. ``place`` says where pair ``i`` was found.
    """

    ends: NDArray[np.int64]
    weights: Array | None
    labels: Sequence[Hashable]
    place: Callable[[int], str]
    listing: Listing = "once"

    def to_graph(self, name: str, undirected: bool, component: Component) -> Graph:
        """The graph, unless its edges have directions that nobody asked to ignore."""
        kept = np.arange(len(self.ends))
        # Weights that are no lengths are for from_edges to refuse: they are no matter of direction.
        sound = self.weights is None or bool(np.all((self.weights > 0.0) & np.isfinite(self.weights)))
        if self.listing != "once" and sound:
            lone = _edge_without_mirror(self.ends, self.weights)
            if not undirected and (self.listing == "directed" or lone is not None):
                raise InputError(
                    f"{name}{self._direction_problem(lone)}; undirected=True (--undirected) ignores directions"
                )
            if lone is None:
                kept = np.flatnonzero(self.ends[:, 0] <= self.ends[:, 1])
        return Graph.from_edges(
            self.ends[kept],
            None if self.weights is None else self.weights[kept],
            labels=self.labels,
            name=name,
            component=component,
            place=self.place,
        )

    def _direction_problem(self, lone: int | None) -> str:
        if self.listing == "directed":
            return ": the graph is directed, and distances need an undirected one"
        assert lone is not None
        start, end = (shown(self.labels[i]) for i in self.ends[lone])
        return (
            f", {self.place(lone)}: the edge from {start} to {end} has no equal in the other direction, "
            "so the graph is directed"
        )


def _edge_without_mirror(ends: NDArray[np.int64], weights: Array | None) -> int | None:
    """The number of a pair ``(i, j)`` whose mirror image, with the same weight, is missing."""
    lengths = np.ones(len(ends)) if weights is None else weights
    there = np.lexsort((lengths, ends[:, 1], ends[:, 0]))
    back = np.lexsort((lengths, ends[:, 0], ends[:, 1]))
    unequal = (ends[there] != ends[back][:, ::-1]).any(axis=1) | (lengths[there] != lengths[back])
    if not unequal.any():
        return None
    k = int(np.argmax(unequal))
    a, b = int(there[k]), int(back[k])
    return a if (*ends[a], lengths[a]) < (*ends[b][::-1], lengths[b]) else b


def weights_of_all_or_none(
    weights: Sequence[float | None], place: Callable[[int], str], name: str
) -> Array | None:
    """Weights of all edges or of none, as an array."""
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
    """The stored entries of a SciPy sparse matrix, or those of a NumPy array that are not zero."""
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
        check_nodes(matrix.shape[0], matrix.nnz, name)
        # CSR adds up entries that are stored more than once, which is what they mean in SciPy.
        rows = matrix.astype(np.float64).tocsr()
        rows.sum_duplicates()
        entries = rows.tocoo()
        ends, weights = np.column_stack([entries.row, entries.col]).astype(np.int64), entries.data
    place = lambda i: f"entry ({ends[i, 0]}, {ends[i, 1]})"  # noqa: E731
    return RawEdges(ends, weights, range(matrix.shape[0]), place, "twice")
