"""Convert tables and plain Python objects: frames of pandas and polars, Arrow tables, lists and dicts."""

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.graphs.columns import Columns, find_columns, tell_columns
from riemap.graphs.options import ReadOptions
from riemap.graphs.raw_edges import (
    Listing,
    RawEdges,
    edge_without_mirror,
    edges_of_matrix,
    weights_of_all_or_none,
)
from riemap.specs import shown
from riemap.types import Array

PAIRS_USAGE = "an edge is (u, v) or (u, v, w), e.g. [('a', 'b', 2.5)]"
"""Description of a list of edges, for messages."""


def edges_of_frame(frame: Any, name: str, options: ReadOptions) -> RawEdges:
    """List the edges of a data frame or an Arrow table, which has an edge in each row.

    A pandas frame whose rows and columns have the same labels is an adjacency matrix.

    Parameters
    ----------
    frame
        A pandas or polars data frame, or an Arrow table.
    name
        Name of the input, for messages.
    options
        The options, which may name the column of the weights.

    Returns
    -------
    RawEdges
        The edges, in the order of the rows.
    """
    if hasattr(frame, "column_names"):  # an Arrow table
        names, column = list(frame.column_names), lambda i: frame.column(i).to_pylist()
    else:
        names = list(frame.columns)
        if hasattr(frame, "index") and len(names) > 1 and list(frame.index) == names:
            return _edges_of_square_frame(frame, name, names)
        series = frame.iloc if hasattr(frame, "iloc") else None
        column = (
            (lambda i: series[:, i].tolist()) if series is not None else (lambda i: frame[names[i]].to_list())
        )
    return edges_of_columns([str(name) for name in names], column, name, options)


def _edges_of_square_frame(frame: Any, name: str, labels: list[Hashable]) -> RawEdges:
    """List the edges of an adjacency matrix with labels, as ``networkx.to_pandas_adjacency`` gives it."""
    edges = edges_of_matrix(frame.to_numpy(), name)
    return RawEdges(edges.ends, edges.weights, labels, edges.place, edges.listing)


def edges_of_columns(
    names: Sequence[str], column: Callable[[int], list[Any]], name: str, options: ReadOptions
) -> RawEdges:
    """List the edges of a table, given its columns.

    Parameters
    ----------
    names
        Name of each column.
    column
        Function from the number of a column to its values.
    name
        Name of the table, for messages.
    options
        The options, which may name the column of the weights.

    Returns
    -------
    RawEdges
        The edges, in the order of the rows.

    Raises
    ------
    InputError
        If the names do not tell which columns hold the ends, a label is missing, or a weight is no number.
    """
    columns = find_columns(names, options, name)
    if columns is None:
        if len(names) not in (2, 3):
            there = ", ".join(shown(n) for n in names[:8])
            raise InputError(
                f"{name}: none of its {len(names)} columns, {there}, are called e.g. 'source' and 'target'; "
                "rename the two that hold the ends of edges"
            )
        columns = Columns(0, 1, 2 if len(names) == 3 else None, None, names[-1].lower())
        tell_columns(names, columns, name, "took its columns by their order")
    elif len([n for i, n in enumerate(names) if i not in columns]):
        tell_columns(names, columns, name, "took its columns by their names")
    place = "row {}".format
    sources, targets = column(columns.source), column(columns.target)
    weights = [None] * len(sources) if columns.weight is None else column(columns.weight)
    listing: Listing = "once"
    if columns.type is not None:
        kinds = {str(kind).lower() for kind in column(columns.type)}
        if not kinds <= {"directed", "undirected"}:
            raise InputError(f"{name}: column {shown(names[columns.type])} holds 'Directed' or 'Undirected'")
        listing = "directed" if "directed" in kinds else "once"
    ends, labels = _numbered(sources, targets, place, name)
    lengths = weights_of_objects(weights, place, name, options)
    return RawEdges(ends, lengths, labels, place, listing, columns.weight_name)


def edges_of_pairs(edges: Sequence[Any], name: str, options: ReadOptions) -> RawEdges:
    """List the edges of a list of tuples ``(u, v)``, ``(u, v, w)`` or ``(u, v, {"weight": w})``.

    Parameters
    ----------
    edges
        The list.
    name
        Name of the input, for messages.
    options
        The options, which may name the key of the weights.

    Returns
    -------
    RawEdges
        The edges, in their order.
    """
    place = "edge {}".format
    for i, edge in enumerate(edges):
        if not isinstance(edge, tuple | list) or len(edge) not in (2, 3):
            raise InputError(f"{name}, {place(i)}: {shown(edge)} is not an edge; {PAIRS_USAGE}")
    if len(edges) in (2, 3) and all(isinstance(edge, list) and len(edge) == len(edges) for edge in edges):
        raise InputError(
            f"{name} is a list of {len(edges)} edges or a square matrix; write edges as tuples, and a "
            "matrix as numpy.array"
        )
    key = options.weight or "weight"
    values = [None if len(edge) == 2 else edge[2] for edge in edges]
    weights = [value.get(key) if isinstance(value, dict) else value for value in values]
    ends, labels = _numbered([edge[0] for edge in edges], [edge[1] for edge in edges], place, name)
    return RawEdges(ends, weights_of_objects(weights, place, name, options), labels, place)


def edges_of_dict(neighbours: dict[Any, Any], name: str, options: ReadOptions) -> RawEdges:
    """List the edges of a dict from each node to its neighbours.

    The neighbours are a list, a tuple or a set, or a dict to weights or to attributes, as
    ``networkx.to_dict_of_lists`` and ``networkx.to_dict_of_dicts`` give them. An edge may be listed by one or
    by both of its nodes.

    Parameters
    ----------
    neighbours
        The dict.
    name
        Name of the input, for messages.
    options
        The options, which may name the key of the weights.

    Returns
    -------
    RawEdges
        The edges, in their order.
    """
    key = options.weight or "weight"
    rows: list[tuple[Any, Any, Any]] = []
    for node, others in neighbours.items():
        if isinstance(others, str | bytes) or not isinstance(others, list | tuple | set | frozenset | dict):
            raise InputError(
                f"{name}: the neighbours of {shown(node)} are a list, e.g. {{'a': ['b', 'c']}}, "
                f"not {shown(others)}"
            )
        values = others.values() if isinstance(others, dict) else [None] * len(others)
        found = [value.get(key) if isinstance(value, dict) else value for value in values]
        rows += [(node, other, weight) for other, weight in zip(others, found, strict=True)]
    place = lambda i: f"edge {shown(rows[i][:2])}"  # noqa: E731
    weights = weights_of_objects([row[2] for row in rows], place, name, options)
    ends, labels = _numbered([row[0] for row in rows], [row[1] for row in rows], place, name, neighbours)
    both = len(ends) > 0 and edge_without_mirror(ends, weights) is None
    return RawEdges(ends, weights, labels, place, "twice" if both else "once")


def _numbered(
    sources: Sequence[Any],
    targets: Sequence[Any],
    place: Callable[[int], str],
    name: str,
    first: Sequence[Any] | dict[Any, Any] = (),
) -> tuple[NDArray[np.int64], list[Hashable]]:
    """Number the labels in the order in which they appear, those of ``first`` before all others."""
    number: dict[Hashable, int] = {label: i for i, label in enumerate(first)}
    ends = np.empty((len(sources), 2), np.int64)
    for i, pair in enumerate(zip(sources, targets, strict=True)):
        for side, label in enumerate(pair):
            if _is_missing(label) or not isinstance(label, Hashable):
                raise InputError(f"{name}, {place(i)}: {shown(label)} cannot name a node; e.g. 'a' or 7 can")
            ends[i, side] = number.setdefault(label, len(number))
    return ends, list(number)


def _is_missing(label: Any) -> bool:
    """Whether a label is what Python, NumPy or pandas puts where there is none."""
    empty = label is None or type(label).__name__ in ("NAType", "NaTType")
    return empty or (isinstance(label, float) and math.isnan(label))


def weights_of_objects(
    values: Sequence[Any], place: Callable[[int], str], name: str, options: ReadOptions
) -> Array | None:
    """Convert weights to floats. Texts are refused, although ``float`` would read them.

    Parameters
    ----------
    values
        Weight of each edge, or ``None`` where it is missing.
    place
        Function from the number of an edge to the text that locates it in messages.
    name
        Name of the input, for messages.
    options
        The options: weights that are ignored are not looked at.

    Returns
    -------
    Array | None
        ``(m,)`` weights, or ``None`` if no edge has one.
    """
    if options.weights == "ignore":
        return None
    lengths: list[float | None] = []
    for i, value in enumerate(values):
        try:
            if isinstance(value, str | bytes):
                raise TypeError
            lengths.append(None if value is None else float(value))
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"{name}, {place(i)}: weight {shown(value)} is not a positive number, e.g. 2.5"
            ) from None
    return weights_of_all_or_none(lengths, place, name)
