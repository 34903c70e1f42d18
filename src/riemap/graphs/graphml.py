"""Read GraphML, as written by NetworkX, Gephi, igraph and yEd."""

import numpy as np

from riemap.errors import InputError
from riemap.graphs.node_names import node_labels, number_or_text, unknown_weight
from riemap.graphs.options import ReadOptions
from riemap.graphs.raw_edges import RawEdges, weights_of_all_or_none
from riemap.graphs.text_file import TextFile
from riemap.graphs.xml_file import Element, edge_ends, node_numbers, parse_xml, weight_of_text
from riemap.specs import shown

GRAPHML_EXAMPLE = 'e.g. \'<edge source="a" target="b"/>\' in \'<graph edgedefault="undirected">\''
"""A valid edge, for messages."""


def read_graphml(file: TextFile, options: ReadOptions) -> RawEdges:
    """Read a GraphML file, with the nodes in the order of the file.

    A node is named by its attribute ``label`` if all nodes have a different one, and otherwise by its id.
    """
    document = parse_xml(file)
    graphs = document.all("graph")
    if document.tag != "graphml" or len(graphs) != 1:
        raise InputError(
            f"{file.filename} holds <{shown(document.tag)[1:-1]}> with {len(graphs)} graphs; "
            f"accepted is <graphml> with one, {GRAPHML_EXAMPLE}"
        )
    (graph,) = graphs
    _refuse_nesting(graph, file)
    nodes, edges = graph.all("node"), graph.all("edge")
    numbers = node_numbers(nodes, file)
    place = lambda i: f"line {edges[i].line}"  # noqa: E731
    attributes = _node_attributes(document, nodes)
    labels = node_labels(list(numbers), attributes.pop("label", [None] * len(nodes)), options, file.filename)
    return RawEdges(
        np.array([edge_ends(edge, numbers, file, GRAPHML_EXAMPLE) for edge in edges], np.int64).reshape(
            -1, 2
        ),
        weights_of_all_or_none(_weights(document, edges, file, options), place, file.filename),
        labels,
        place,
        "directed" if any(_is_directed(edge, graph, file) for edge in edges) else "once",
        options.weight or "weight",
        {
            name: [None if v is None else number_or_text(v) for v in column]
            for name, column in attributes.items()
        },
    )


def _refuse_nesting(graph: Element, file: TextFile) -> None:
    for element in graph.children:
        if element.tag == "hyperedge" or element.all("graph"):
            raise file.error(element.line, "hyperedges and graphs inside nodes are not accepted")


def _keys(document: Element, kind: str) -> list[Element]:
    """The keys that define attributes of nodes, or of edges."""
    return [key for key in document.all("key") if key.attributes.get("for", "all") in (kind, "all")]


def _node_attributes(document: Element, nodes: list[Element]) -> dict[str, list[str | None]]:
    """The texts of each attribute of the nodes that at least one node has."""
    found: dict[str, list[str | None]] = {}
    for key in _keys(document, "node"):
        name, own = key.attributes.get("attr.name"), key.attributes.get("id")
        default = next(("".join(element.text) for element in key.all("default")), None)
        values = [
            next(("".join(d.text) for d in node.all("data") if d.attributes.get("key") == own), default)
            for node in nodes
        ]
        if name is not None and any(value is not None for value in values):
            found[name] = [value or None for value in values]
    return found


def _is_directed(edge: Element, graph: Element, file: TextFile) -> bool:
    direction = edge.attributes.get("directed", graph.attributes.get("edgedefault"))
    if direction not in ("true", "false", "directed", "undirected"):
        raise file.error(
            edge.line,
            f"this edge is neither directed nor undirected but {shown(direction)}; {GRAPHML_EXAMPLE}",
        )
    return direction in ("true", "directed")


def _weights(
    document: Element, edges: list[Element], file: TextFile, options: ReadOptions
) -> list[float | None]:
    """Read the weight of each edge; ``None`` where an edge has none."""
    wanted = options.weight or "weight"
    keys = [key for key in _keys(document, "edge") if key.attributes.get("attr.name") == wanted]
    if len(keys) > 1:
        raise file.error(keys[1].line, f"a second key with attr.name={wanted!r} for edges; one is accepted")
    if not keys and options.weight is not None:
        known = [key.attributes.get("attr.name", "") for key in _keys(document, "edge")]
        raise unknown_weight(options, known, file.filename)
    if not keys or options.weights == "ignore":
        return [None] * len(edges)
    (key,) = keys
    defaults = [_number(default, file) for default in key.all("default")]
    default = defaults[0] if defaults else None
    return [_weight(edge, key.attributes.get("id"), default, file) for edge in edges]


def _weight(edge: Element, key: str | None, default: float | None, file: TextFile) -> float | None:
    weights = [_number(data, file) for data in edge.all("data") if data.attributes.get("key") == key]
    if len(weights) > 1:
        raise file.error(edge.line, f"this edge has {len(weights)} weights; one is accepted")
    return weights[0] if weights else default


def _number(element: Element, file: TextFile) -> float:
    return weight_of_text("".join(element.text), element.line, file)
