"""Read GEXF, the format of Gephi, which NetworkX writes too."""

import numpy as np

from riemap.errors import InputError
from riemap.graphs.node_names import node_labels, number_or_text, unknown_weight
from riemap.graphs.options import ReadOptions
from riemap.graphs.raw_edges import RawEdges
from riemap.graphs.text_file import TextFile
from riemap.graphs.xml_file import Element, edge_ends, node_numbers, parse_xml, weight_of_text
from riemap.specs import shown
from riemap.types import Array

GEXF_EXAMPLE = "e.g. '<edge source=\"a\" target=\"b\"/>' in '<graph><nodes>…</nodes><edges>…</edges></graph>'"
"""A valid edge, for messages."""


def read_gexf(file: TextFile, options: ReadOptions) -> RawEdges:
    """Read a GEXF file, with the nodes in the order of the file.

    A node is named by its ``label`` if all nodes have a different one, and otherwise by its id. An edge
    without a weight has the weight one, as the format says.
    """
    document = parse_xml(file)
    graphs = document.all("graph")
    if document.tag != "gexf" or len(graphs) != 1:
        raise InputError(
            f"{file.filename} holds <{shown(document.tag)[1:-1]}> with {len(graphs)} graphs; "
            f"accepted is <gexf> with one, {GEXF_EXAMPLE}"
        )
    (graph,) = graphs
    nodes = [node for group in graph.all("nodes") for node in group.all("node")]
    edges = [edge for group in graph.all("edges") for edge in group.all("edge")]
    for node in nodes:
        if node.all("nodes"):
            raise file.error(node.line, "nodes inside nodes are not accepted")
    numbers = node_numbers(nodes, file)
    ends = [edge_ends(edge, numbers, file, GEXF_EXAMPLE) for edge in edges]
    labels = [node.attributes.get("label") or None for node in nodes]
    return RawEdges(
        np.array(ends, np.int64).reshape(-1, 2),
        _weights(graph, edges, file, options),
        node_labels(list(numbers), labels, options, file.filename),
        lambda i: f"line {edges[i].line}",
        "directed" if any(_is_directed(edge, graph, file) for edge in edges) else "once",
        options.weight or "weight",
        _attributes(graph, "node", nodes),
    )


def _is_directed(edge: Element, graph: Element, file: TextFile) -> bool:
    direction = edge.attributes.get("type", graph.attributes.get("defaultedgetype", "undirected"))
    if direction not in ("directed", "undirected", "mutual"):
        raise file.error(edge.line, f"this edge is of the type {shown(direction)}; {GEXF_EXAMPLE}")
    return direction == "directed"


def _weights(graph: Element, edges: list[Element], file: TextFile, options: ReadOptions) -> Array | None:
    """Read the weights, which are XML attributes, or values of a named attribute of the edges."""
    if options.weights == "ignore":
        return None
    name = options.weight or "weight"
    texts = [edge.attributes.get(name) if name == "weight" else None for edge in edges]
    if all(text is None for text in texts) and options.weight is not None:
        named = _attributes(graph, "edge", edges)
        if name not in named:
            raise unknown_weight(options, list(named), file.filename)
        missing = [edge.line for edge, value in zip(edges, named[name], strict=True) if value is None]
        if missing:
            raise file.error(missing[0], f"this edge has no {shown(name)}; give one to all edges")
        texts = [str(value) for value in named[name]]
    if all(text is None for text in texts):
        return None
    return np.array(
        [
            1.0 if text is None else weight_of_text(text, edge.line, file)
            for edge, text in zip(edges, texts, strict=True)
        ]
    )


def _attributes(graph: Element, kind: str, elements: list[Element]) -> dict[str, list[float | str | None]]:
    """The values of each attribute that the file declares for nodes, or for edges."""
    titles = {
        attribute.attributes.get("id"): attribute.attributes.get("title")
        for group in graph.all("attributes")
        if group.attributes.get("class") == kind
        for attribute in group.all("attribute")
    }
    found: dict[str, list[float | str | None]] = {
        title: [None] * len(elements) for title in titles.values() if title is not None
    }
    for i, element in enumerate(elements):
        for value in (v for group in element.all("attvalues") for v in group.all("attvalue")):
            title = titles.get(value.attributes.get("for", value.attributes.get("id")))
            if title is not None and "value" in value.attributes:
                found[title][i] = number_or_text(value.attributes["value"])
    return {title: column for title, column in found.items() if any(v is not None for v in column)}
