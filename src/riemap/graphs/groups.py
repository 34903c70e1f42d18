"""Groups of nodes, from a file that gives every node a label, or from the attributes of a graph."""

from pathlib import Path

import numpy as np

from riemap.errors import InputError
from riemap.graphs.dissimilarities import AnyGraph
from riemap.graphs.edge_cleaning import warn
from riemap.graphs.graph import Graph
from riemap.graphs.separators import find_separator
from riemap.graphs.text_file import content_lines, read_file, split_fields, warn_of_hidden_lines
from riemap.specs import shown, suggestion
from riemap.types import Array

NO_GROUP = "(none)"
"""The group of nodes that a file of labels does not name."""

NODE_HEADINGS = frozenset({"node", "nodes", "node_id", "nodeid", "node id", "id", "name", "vertex"})
"""Names of the column of nodes, in lower case, that need no warning."""


def read_groups(path: Path, graph: AnyGraph) -> list[str]:
    """Read the group of every node from a CSV file with lines ``node,label``, ``node;label`` or with a tab.

    Parameters
    ----------
    path
        The file; nodes may be missing. A first line whose node is unknown is taken for headings, with a
        warning unless they are common ones, if no other line has its label.
    graph
        The graph whose nodes are grouped.

    Returns
    -------
    list of str
        The label of each node, in the order of the graph's nodes; ``"(none)"`` where there is none.

    Raises
    ------
    InputError
        If a line is not a node and its label, or a node is unknown or named twice.
    """
    source = read_file(path, (".csv", ".tsv"), "labels.csv")
    every = source.lines()
    places, lines = content_lines(every)
    separator = find_separator(source, places, lines) or b","
    warn_of_hidden_lines(source, every, separator, width=2)
    numbers = {str(label): i for i, label in enumerate(graph.labels)}
    rows: list[tuple[int, str, str]] = []
    for place, line in zip(places, lines, strict=True):
        fields = [field.decode() for field in split_fields(source, place, line, separator)]
        if len(fields) != 2:
            raise source.error(place, f"{len(fields)} columns; a line is a node and its label, e.g. 'a,red'")
        rows.append((place, fields[0], fields[1]))
    if rows and rows[0][1] not in numbers and all(label != rows[0][2] for _, _, label in rows[1:]):
        _, node, label = rows.pop(0)
        if node.lower() not in NODE_HEADINGS:
            warn(f"{source.filename}: took its first line, {shown(f'{node},{label}')}, for headings")
    found: dict[int, str] = {}
    for place, node, label in rows:
        if node not in numbers:
            example = shown(str(graph.labels[0]))
            raise source.error(place, f"no node of {graph.name} is called {shown(node)}; one is {example}")
        if numbers[node] in found:
            raise source.error(place, f"node {shown(node)} has a label already; keep one")
        found[numbers[node]] = label
    if not found:
        raise InputError(f"{source.filename} names no node; a line is a node and its label, e.g. 'a,red'")
    return [found.get(i, NO_GROUP) for i in range(graph.n)]


def attribute_values(graph: AnyGraph, name: str) -> Array | list[str]:
    """Give an attribute of the nodes as numbers, if all its values are, or else as groups.

    Parameters
    ----------
    graph
        The graph.
    name
        Name of the attribute.

    Returns
    -------
    Array | list of str
        ``(n,)`` numbers, or the group of each node, ``"(none)"`` where it has no value.

    Raises
    ------
    InputError
        If the graph has no such attribute.
    """
    known = graph.attributes if isinstance(graph, Graph) else {}
    if name not in known:
        there = f"There are {', '.join(map(shown, known))}" if known else "It has none"
        raise InputError(
            f"no attribute of the nodes is called {shown(name)}{suggestion(name, known)} {there}"
        )
    values = known[name]
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        numbers = np.array(values, np.float64)
        if np.isfinite(numbers).all():
            return numbers
    return [NO_GROUP if value is None else str(value) for value in values]


def own_groups(graph: AnyGraph) -> list[str] | None:
    """Give the first attribute of the nodes whose values are texts and group them: some nodes have the same.

    Parameters
    ----------
    graph
        The graph.

    Returns
    -------
    list of str | None
        The group of each node; ``None`` if there is no such attribute.
    """
    for name, values in graph.attributes.items() if isinstance(graph, Graph) else ():
        texts = {value for value in values if isinstance(value, str)}
        if 1 < len(texts) < graph.n and all(value is None or isinstance(value, str) for value in values):
            groups = attribute_values(graph, name)
            assert isinstance(groups, list)
            return groups
    return None
