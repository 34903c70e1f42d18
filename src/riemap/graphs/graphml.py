"""Read GraphML, as written by NetworkX, Gephi, igraph and yEd.

The parser refuses documents that define entities, which could expand to fill the memory. It keeps the line
number of each element for messages, which ``xml.etree`` does not.
"""

from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

import numpy as np

from riemap.errors import InputError
from riemap.graphs.raw_edges import RawEdges, weights_of_all_or_none
from riemap.graphs.text_file import TextFile, parse_number
from riemap.specs import shown

GRAPHML_EXAMPLE = 'e.g. \'<edge source="a" target="b"/>\' in \'<graph edgedefault="undirected">\''
"""A valid edge, for messages."""


@dataclass(slots=True)
class _Element:
    """An element of the document, with the line where it starts."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: "list[_Element]" = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    def all(self, tag: str) -> "list[_Element]":
        """Return the children with a tag."""
        return [child for child in self.children if child.tag == tag]


def read_graphml(file: TextFile) -> RawEdges:
    """Read a GraphML file, with the nodes in the order of the file.

    The labels of the nodes are their ids. The attribute ``weight`` of an edge is its length.
    """
    document = _parse(file)
    graphs = document.all("graph")
    if document.tag != "graphml" or len(graphs) != 1:
        raise InputError(
            f"{file.filename} holds <{shown(document.tag)[1:-1]}> with {len(graphs)} graphs; "
            f"accepted is <graphml> with one, {GRAPHML_EXAMPLE}"
        )
    (graph,) = graphs
    _refuse_nesting(graph, file)
    nodes: dict[str, int] = {}
    for node in graph.all("node"):
        name = node.attributes.get("id")
        if name is None or name in nodes:
            raise file.error(node.line, f"the id of this node, {shown(name)}, is missing or repeated")
        nodes[name] = len(nodes)
    edges = graph.all("edge")
    place = lambda i: f"line {edges[i].line}"  # noqa: E731
    return RawEdges(
        np.array([_ends(edge, nodes, file) for edge in edges], dtype=np.int64).reshape(-1, 2),
        weights_of_all_or_none(_weights(document, edges, file), place, file.filename),
        list(nodes),
        place,
        "directed" if any(_is_directed(edge, graph, file) for edge in edges) else "once",
    )


def _refuse_nesting(graph: _Element, file: TextFile) -> None:
    for element in graph.children:
        if element.tag == "hyperedge" or element.all("graph"):
            raise file.error(element.line, "hyperedges and graphs inside nodes are not accepted")


def _ends(edge: _Element, nodes: dict[str, int], file: TextFile) -> tuple[int, int]:
    ends = edge.attributes.get("source"), edge.attributes.get("target")
    for name in ends:
        if name not in nodes:
            raise file.error(
                edge.line, f"this edge names {shown(name)}, which is not a node; {GRAPHML_EXAMPLE}"
            )
    return nodes[ends[0] or ""], nodes[ends[1] or ""]


def _is_directed(edge: _Element, graph: _Element, file: TextFile) -> bool:
    direction = edge.attributes.get("directed", graph.attributes.get("edgedefault"))
    if direction not in ("true", "false", "directed", "undirected"):
        raise file.error(
            edge.line,
            f"this edge is neither directed nor undirected but {shown(direction)}; {GRAPHML_EXAMPLE}",
        )
    return direction in ("true", "directed")


def _weights(document: _Element, edges: list[_Element], file: TextFile) -> list[float | None]:
    """Read the weight of each edge; ``None`` where an edge has none."""
    keys = [
        key
        for key in document.all("key")
        if key.attributes.get("attr.name") == "weight" and key.attributes.get("for", "all") in ("edge", "all")
    ]
    if len(keys) > 1:
        raise file.error(keys[1].line, "a second key with attr.name='weight' for edges; one is accepted")
    if not keys:
        return [None] * len(edges)
    (key,) = keys
    defaults = [_number(default, file) for default in key.all("default")]
    default = defaults[0] if defaults else None
    return [_weight(edge, key.attributes.get("id"), default, file) for edge in edges]


def _weight(edge: _Element, key: str | None, default: float | None, file: TextFile) -> float | None:
    weights = [_number(data, file) for data in edge.all("data") if data.attributes.get("key") == key]
    if len(weights) > 1:
        raise file.error(edge.line, f"this edge has {len(weights)} weights; one is accepted")
    return weights[0] if weights else default


def _number(element: _Element, file: TextFile) -> float:
    text = "".join(element.text)
    try:
        return parse_number(text.encode())
    except ValueError:
        raise file.error(element.line, f"weight {shown(text)} is not a number, e.g. '2.5'") from None


def _parse(file: TextFile) -> _Element:
    """Parse the document and return its root element."""
    file.require_memory(20, b"<", 300)  # measured: 290 bytes of memory per element, 16 per byte of attributes
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    root = _Element("", {}, 0)
    stack = [root]

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = _Element(tag.rpartition(" ")[2], attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    def characters(text: str) -> None:
        if stack[-1].tag in ("data", "default"):
            stack[-1].text.append(text)

    def refuse(*_: Any) -> None:
        raise file.error(parser.CurrentLineNumber, "a DOCTYPE, which may define entities, is not accepted")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop()
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(file.data, True)
    except expat.ExpatError as error:
        problem = expat.ErrorString(error.code)
        raise file.error(error.lineno, f"malformed XML ({problem}); is the file cut short?") from None
    except InputError:
        raise
    except (LookupError, ValueError) as error:  # of the declared encoding, which is any that Python knows
        raise file.error(1, f"{shown(str(error))}; save the file as UTF-8") from None
    return root.children[0]
