"""Read DOT, the language of Graphviz: nodes and edges with attributes, without subgraphs.

NetworkX reads DOT only with further packages, so that we have a parser of our own.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from riemap.errors import InputError
from riemap.graphs.node_names import node_labels, number_or_text, unknown_weight
from riemap.graphs.options import ReadOptions
from riemap.graphs.raw_edges import RawEdges, weights_of_all_or_none
from riemap.graphs.text_file import TextFile
from riemap.graphs.xml_file import weight_of_text
from riemap.specs import shown

DOT_EXAMPLE = "e.g. 'graph { a -- b [weight=2.5]; b -- c }'"
"""A valid file, for messages."""

_DOT_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/|^\#[^\n]*)"
    r'|"(?P<string>(?:[^"\\]|\\.)*)"'
    r"|(?P<number>-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?![\w.]))"
    r"|(?P<name>\w+)|(?P<link>--|->)|(?P<sign>[{}\[\];,=:])|(?P<other>.)",
    re.DOTALL | re.MULTILINE,
)


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


class _Graph:
    """What was read so far."""

    def __init__(self, directed: bool) -> None:
        self.directed = directed
        self.nodes: dict[str, dict[str, str]] = {}
        self.ends: list[tuple[str, str]] = []
        self.data: list[dict[str, str]] = []
        self.lines: list[int] = []


def read_dot(file: TextFile, options: ReadOptions) -> RawEdges:
    """Read a DOT file. A node is named by its ``label`` if all nodes have a different one, or by its id."""
    file.require_memory(60, b"\n", 100)  # measured: 28 bytes of memory per byte, in lines of 16 bytes
    graph = _Parser(file).graph()
    number = {node: i for i, node in enumerate(graph.nodes)}
    place = lambda i: f"line {graph.lines[i]}"  # noqa: E731
    name = options.weight or "weight"
    if options.weight is not None and not any(name in data for data in graph.data):
        raise unknown_weight(options, list(dict.fromkeys(k for d in graph.data for k in d)), file.filename)
    weights: list[float | None] = [None] * len(graph.ends)
    if options.weights != "ignore":
        weights = [
            weight_of_text(data[name], line, file) if name in data else None
            for data, line in zip(graph.data, graph.lines, strict=True)
        ]
    labels = [data.get("label") or None for data in graph.nodes.values()]
    keys = dict.fromkeys(key for data in graph.nodes.values() for key in data if key != "label")
    return RawEdges(
        np.array([(number[u], number[v]) for u, v in graph.ends], np.int64).reshape(-1, 2),
        weights_of_all_or_none(weights, place, file.filename),
        node_labels(list(number), labels, options, file.filename),
        place,
        "directed" if graph.directed else "once",
        name,
        {
            key: [number_or_text(data[key]) if key in data else None for data in graph.nodes.values()]
            for key in keys
        },
    )


class _Parser:
    """Reads statements one after the other, without recursion."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.tokens = _tokens(file)
        self.now = next(self.tokens)

    def graph(self) -> _Graph:
        if self._is_name("strict"):
            self._next()
        kind = self.now
        if not (self._is_name("graph") or self._is_name("digraph")):
            raise self._error("'graph' or 'digraph'")
        found = _Graph(kind.text.lower() == "digraph")
        self._next()
        if self.now.kind in ("name", "string", "number"):
            self._next()
        self._expect("{")
        while self.now.text != "}" or self.now.kind != "sign":
            self._statement(found)
        self._next()
        if self.now.kind != "end":
            raise self._error("the end of the file, since one graph is accepted")
        return found

    def _statement(self, found: _Graph) -> None:
        if self._is_sign(";"):
            self._next()
            return
        if self._is_sign("{") or self._is_name("subgraph"):
            raise self.file.error(self.now.line, f"subgraphs are not accepted; {DOT_EXAMPLE}")
        if self.now.kind == "name" and self.now.text.lower() in ("graph", "node", "edge"):
            self._next()  # defaults for drawing
            self._attributes()
            return
        line, nodes = self.now.line, [self._name()]
        if self._is_sign("="):  # an attribute of the graph
            self._next()
            self._name()
            return
        self._port()
        while self.now.kind == "link":
            if (self.now.text == "->") != found.directed:
                raise self._error("'->' in a digraph, and '--' in a graph")
            self._next()
            nodes.append(self._name())
            self._port()
        data = self._attributes()
        for node in nodes:
            found.nodes.setdefault(node, {})
        if len(nodes) == 1:
            found.nodes[nodes[0]].update(data)
        for ends in pairwise(nodes):
            found.ends.append(ends)
            found.data.append(data)
            found.lines.append(line)

    def _attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while self._is_sign("["):
            self._next()
            while not self._is_sign("]"):
                key = self._name()
                self._expect("=")
                found[key] = self._name()
                if self._is_sign(",") or self._is_sign(";"):
                    self._next()
            self._next()
        return found

    def _port(self) -> None:
        """Skip the place where an edge is attached to a drawn node."""
        while self._is_sign(":"):
            self._next()
            self._name()

    def _name(self) -> str:
        if self.now.kind not in ("name", "string", "number"):
            raise self._error("a name, a number or a text in quotes")
        text = self.now.text
        if self.now.kind == "string":
            text = text.replace("\\\n", "").replace('\\"', '"')
        self._next()
        return text

    def _expect(self, sign: str) -> None:
        if not self._is_sign(sign):
            raise self._error(f"'{sign}'")
        self._next()

    def _is_sign(self, sign: str) -> bool:
        return self.now.kind == "sign" and self.now.text == sign

    def _is_name(self, word: str) -> bool:
        return self.now.kind == "name" and self.now.text.lower() == word

    def _next(self) -> None:
        self.now = next(self.tokens)

    def _error(self, wanted: str) -> InputError:
        if self.now.kind == "end" or self.now.text == '"':  # quotes that do not end
            return self.file.error(
                self.now.line, f"the file ends where {wanted} is missing; is it cut short?"
            )
        return self.file.error(
            self.now.line, f"found {shown(self.now.text)} instead of {wanted}; {DOT_EXAMPLE}"
        )


def _tokens(file: TextFile) -> Iterator[_Token]:
    text, line = b"\n".join(file.lines()).decode(), 1
    for match in _DOT_TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        if kind != "space":
            yield _Token(kind, match[kind], line)
        line += match[0].count("\n")
    while True:
        yield _Token("end", "", line)
