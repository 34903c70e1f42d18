"""Read GML [Himsolt1997], as written by NetworkX, Gephi and igraph, and used in M. Newman's collection.

We do not use the reader of NetworkX: it refuses nodes without labels and parallel edges, which that
collection has, and its messages do not always name the line.

References
----------
[Himsolt1997] Himsolt. GML: a portable graph file format. Universität Passau, 1997.
"""

import html
import re
from collections.abc import Hashable
from typing import Any

import numpy as np

from riemap.errors import InputError
from riemap.graphs.node_names import node_labels, unknown_weight
from riemap.graphs.options import ReadOptions
from riemap.graphs.raw_edges import RawEdges, weights_of_all_or_none
from riemap.graphs.text_file import TextFile
from riemap.specs import shown

GML_EXAMPLE = "e.g. 'graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]'"
"""A valid file, for messages."""

_GML_TOKEN = re.compile(
    r"(?P<space>\s+|#.*)|(?P<key>[A-Za-z]\w*)|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[Ee][+-]?\d+)?)"
    r'|"(?P<string>[^"]*)"|(?P<open>\[)|(?P<close>\])|(?P<other>.)',
    re.ASCII,
)


class _Block:
    """The content of a pair of brackets: the values of each key, and the line where the block starts."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.values: dict[str, list[Any]] = {}

    def blocks(self, key: str, file: TextFile) -> "list[_Block]":
        """Return all blocks of a key."""
        values = self.values.get(key, [])
        if not all(isinstance(value, _Block) for value in values):
            raise file.error(self.line, f"{key} has no '[' after it; {GML_EXAMPLE}")
        return values

    def value(self, key: str, file: TextFile) -> Hashable:
        """Return the only number or string of a key; ``None`` if the key is missing."""
        values = self.values.get(key, [None])
        if len(values) > 1 or isinstance(values[0], _Block):
            raise file.error(self.line, f"{key} is not one number or string; {GML_EXAMPLE}")
        return values[0]


def read_gml(file: TextFile, options: ReadOptions) -> RawEdges:
    """Read a GML file, with the nodes in the order of the file.

    A node is named by its ``label`` if all nodes have a different one, and otherwise by its ``id``.
    """
    graphs = _parse(file).blocks("graph", file)
    if len(graphs) != 1:
        raise InputError(f"{file.filename} holds {len(graphs)} graphs; one is accepted, {GML_EXAMPLE}")
    (graph,) = graphs
    nodes = graph.blocks("node", file)
    index: dict[Hashable, int] = {}
    for node in nodes:
        key = node.value("id", file)
        if key is None or key in index:
            raise file.error(
                node.line, f"the id of this node, {shown(key)}, is missing or repeated; {GML_EXAMPLE}"
            )
        index[key] = len(index)
    names = [node.value("label", file) for node in nodes]
    edges = graph.blocks("edge", file)
    place = lambda i: f"line {edges[i].line}"  # noqa: E731
    return RawEdges(
        np.array([_ends(edge, index, file) for edge in edges], dtype=np.int64).reshape(-1, 2),
        weights_of_all_or_none(_weights(edges, file, options), place, file.filename),
        node_labels(list(index), names, options, file.filename),
        place,
        "directed" if graph.value("directed", file) else "once",
        options.weight or "weight",
        _attributes(nodes),
    )


def _attributes(nodes: list[_Block]) -> dict[str, list[Any]]:
    """The values of each attribute of the nodes that is a number or a string."""
    keys = dict.fromkeys(key for node in nodes for key in node.values if key not in ("id", "label"))
    found = {key: [node.values.get(key, [None])[0] for node in nodes] for key in keys}
    return {key: values for key, values in found.items() if not any(isinstance(v, _Block) for v in values)}


def _weights(edges: list[_Block], file: TextFile, options: ReadOptions) -> list[float | None]:
    """Read the weight of each edge; ``None`` where an edge has none."""
    name = options.weight or "weight"
    if options.weight is not None and not any(name in edge.values for edge in edges):
        known = dict.fromkeys(key for edge in edges for key in edge.values if key not in ("source", "target"))
        raise unknown_weight(options, list(known), file.filename)
    if options.weights == "ignore":
        return [None] * len(edges)
    return [_weight(edge, name, file) for edge in edges]


def _ends(edge: _Block, index: dict[Hashable, int], file: TextFile) -> tuple[int, int]:
    start, end = edge.value("source", file), edge.value("target", file)
    for node in (start, end):
        if node not in index:
            raise file.error(
                edge.line, f"this edge names {shown(node)}, which is not the id of a node; {GML_EXAMPLE}"
            )
    return index[start], index[end]


def _weight(edge: _Block, name: str, file: TextFile) -> float | None:
    weight = edge.value(name, file)
    if weight is None:
        return None
    if isinstance(weight, int | float):
        return float(str(weight))  # infinite, where float(weight) would be an OverflowError
    raise file.error(edge.line, f"weight {shown(weight)} is not a number, e.g. 'weight 2.5'")


def _parse(file: TextFile) -> _Block:
    """Parse the file into one block. There is no recursion, so brackets may be nested to any depth."""
    file.require_memory(25, b"[", 400)  # measured: 400 bytes of memory per block, 28 per byte of keys
    text = b"\n".join(file.lines()).decode()
    stack = [_Block(1)]
    key: str | None = None
    line = 1
    for match in _GML_TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "key" and key is None:
            key = token
        elif kind == "close" and key is None and len(stack) > 1:
            stack.pop()
        elif kind == "open" and key is not None:
            block = _Block(line)
            stack[-1].values.setdefault(key, []).append(block)
            stack.append(block)
            key = None
        elif kind in ("number", "string") and key is not None:
            stack[-1].values.setdefault(key, []).append(_value(match, line, file))
            key = None
        elif kind != "space":
            wanted = "a key or ']'" if key is None else f"a number, a string or '[' after {shown(key)}"
            raise file.error(line, f"found {shown(token)} instead of {wanted}; {GML_EXAMPLE}")
        line += token.count("\n")
    if key is not None or len(stack) > 1:
        raise file.error(line, f"the file ends inside the block of line {stack[-1].line}; is it cut short?")
    return stack[0]


def _value(match: re.Match[str], line: int, file: TextFile) -> int | float | str:
    """Convert a token to a number or a string."""
    if match["string"] is not None:
        return html.unescape(match["string"])
    try:
        return int(match[0]) if match[0].lstrip("+-").isdigit() else float(match[0])
    except ValueError:  # Python refuses integers of more than 4300 digits
        raise file.error(line, f"{shown(match[0])} is too long a number; {GML_EXAMPLE}") from None
