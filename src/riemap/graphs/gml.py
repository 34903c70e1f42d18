"""GML, as NetworkX, Gephi, igraph and M. Newman's collection write it.

NetworkX reads GML too, but refuses what that collection holds, nodes without labels and parallel edges,
and its messages do not always have a line.

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
from riemap.graphs.raw_edges import Arcs, complete
from riemap.graphs.text_file import TextFile
from riemap.specs import shown

EXAMPLE = "e.g. 'graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]'"

_TOKEN = re.compile(
    r"(?P<space>\s+|#.*)|(?P<key>[A-Za-z]\w*)|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[Ee][+-]?\d+)?)"
    r'|"(?P<string>[^"]*)"|(?P<open>\[)|(?P<close>\])|(?P<other>.)',
    re.ASCII,
)


class Block:
    """What stands between brackets: for each key its values, and the line where the block starts."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.values: dict[str, list[Any]] = {}

    def blocks(self, key: str, source: TextFile) -> "list[Block]":
        """All blocks under a key."""
        values = self.values.get(key, [])
        if not all(isinstance(value, Block) for value in values):
            raise source.error(self.line, f"{key} has no '[' after it; {EXAMPLE}")
        return values

    def value(self, key: str, source: TextFile) -> Hashable:
        """The one number or string under a key, or ``None``."""
        values = self.values.get(key, [None])
        if len(values) > 1 or isinstance(values[0], Block):
            raise source.error(self.line, f"{key} is there {len(values)} times or is a list; {EXAMPLE}")
        return values[0]


def read_gml(source: TextFile) -> Arcs:
    """Nodes in the order of the file, called by their labels where all have one, else by their ids."""
    graphs = _parse(source).blocks("graph", source)
    if len(graphs) != 1:
        raise InputError(f"{source.file} holds {len(graphs)} graphs; one is accepted, {EXAMPLE}")
    (graph,) = graphs
    nodes = graph.blocks("node", source)
    number: dict[Hashable, int] = {}
    for node in nodes:
        key = node.value("id", source)
        if key is None or key in number:
            raise source.error(
                node.line, f"the id of this node, {shown(key)}, is missing or repeated; {EXAMPLE}"
            )
        number[key] = len(number)
    names = [node.value("label", source) for node in nodes]
    edges = graph.blocks("edge", source)
    place = lambda i: f"line {edges[i].line}"  # noqa: E731
    return Arcs(
        np.array([_ends(edge, number, source) for edge in edges], dtype=np.int64).reshape(-1, 2),
        complete([_weight(edge, source) for edge in edges], place, source.file),
        list(number) if None in names else names,
        place,
        "directed" if graph.value("directed", source) else "once",
    )


def _ends(edge: Block, number: dict[Hashable, int], source: TextFile) -> tuple[int, int]:
    start, end = edge.value("source", source), edge.value("target", source)
    for node in (start, end):
        if node not in number:
            raise source.error(
                edge.line, f"this edge names {shown(node)}, which is not the id of a node; {EXAMPLE}"
            )
    return number[start], number[end]


def _weight(edge: Block, source: TextFile) -> float | None:
    weight = edge.value("weight", source)
    if weight is None or isinstance(weight, int | float):
        return weight
    raise source.error(edge.line, f"weight {shown(weight)} is not a number, e.g. 'weight 2.5'")


def _parse(source: TextFile) -> Block:
    """The file as one block, without recursion: brackets may be nested as deep as they like."""
    text = b"\n".join(source.lines()).decode()
    stack = [Block(1)]
    key: str | None = None
    line = 1
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "key" and key is None:
            key = token
        elif kind == "close" and key is None and len(stack) > 1:
            stack.pop()
        elif kind == "open" and key is not None:
            block = Block(line)
            stack[-1].values.setdefault(key, []).append(block)
            stack.append(block)
            key = None
        elif kind in ("number", "string") and key is not None:
            stack[-1].values.setdefault(key, []).append(_value(match, line, source))
            key = None
        elif kind != "space":
            wanted = "a key or ']'" if key is None else f"a number, a string or '[' after {shown(key)}"
            raise source.error(line, f"found {shown(token)} instead of {wanted}; {EXAMPLE}")
        line += token.count("\n")
    if key is not None or len(stack) > 1:
        raise source.error(line, f"the file ends inside the block of line {stack[-1].line}; is it cut short?")
    return stack[0]


def _value(match: re.Match[str], line: int, source: TextFile) -> int | float | str:
    if match["string"] is not None:
        return html.unescape(match["string"])
    try:
        return int(match[0]) if match[0].lstrip("+-").isdigit() else float(match[0])
    except ValueError:  # Python refuses integers of more than 4300 digits
        raise source.error(line, f"{shown(match[0])} is too long a number; {EXAMPLE}") from None
