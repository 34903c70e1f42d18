"""Read Pajek networks (``.net``), which NetworkX, igraph and Gephi write too."""

import csv

import numpy as np

from riemap.errors import InputError
from riemap.graphs.edge_cleaning import check_nodes
from riemap.graphs.node_names import node_labels
from riemap.graphs.options import ReadOptions
from riemap.graphs.raw_edges import RawEdges, weights_of_all_or_none
from riemap.graphs.text_file import TextFile, parse_number, parse_whole_number
from riemap.specs import shown

PAJEK_EXAMPLE = "e.g. '*Vertices 2', '1 \"a\"', '2 \"b\"', '*Edges', '1 2'"
"""The lines of a valid file, for messages."""

SECTIONS = ("*vertices", "*edges", "*arcs", "*edgeslist", "*arcslist")
"""Headings of the sections that are read, in lower case. ``*network`` gives a name, which is not read."""


class _Network:
    """What was read so far."""

    def __init__(self) -> None:
        self.n = -1
        self.labels: dict[int, str] = {}
        self.ends: list[tuple[int, int]] = []
        self.weights: list[float | None] = []
        self.places: list[int] = []
        self.directed = False


def read_pajek(file: TextFile, options: ReadOptions) -> RawEdges:
    """Read a Pajek network. Nodes are named by their labels, or by their numbers, counted from 1."""
    file.require_memory(20, b"\n", 250)  # measured: 14 bytes of memory per byte, in lines of 16 bytes
    found, section = _Network(), ""
    for place, raw in enumerate(file.lines(), 1):
        line = raw.strip()
        if not line or line.startswith(b"%"):
            continue
        if line.startswith(b"*"):
            section = _section(file, place, line, found)
        elif section == "*vertices":
            _vertex(file, place, line, found)
        elif section in ("*edges", "*arcs", "*edgeslist", "*arcslist"):
            _edges(file, place, line, found, section.endswith("list"))
        else:
            raise file.error(place, f"{shown(line)} stands before '*Vertices'; {PAJEK_EXAMPLE}")
    if found.n < 0:
        raise InputError(f"{file.filename} has no '*Vertices'; {PAJEK_EXAMPLE}")
    place_of = lambda i: f"line {found.places[i]}"  # noqa: E731
    check_nodes(found.n, len(found.ends), file.filename)
    weights = None
    if options.weights != "ignore":
        weights = weights_of_all_or_none(found.weights, place_of, file.filename)
    numbers = list(range(1, found.n + 1))
    labels = [found.labels.get(i) for i in numbers]
    return RawEdges(
        np.array(found.ends, np.int64).reshape(-1, 2) - 1,
        weights,
        node_labels(numbers, labels, options, file.filename),
        place_of,
        "directed" if found.directed else "once",
    )


def _section(file: TextFile, place: int, line: bytes, found: _Network) -> str:
    """Read the heading of a section, and return its name in lower case."""
    words = line.split()
    name = words[0].lower().decode()
    if name == "*network":
        return ""
    if name not in SECTIONS:
        raise file.error(place, f"the section {shown(line)} is not read; there are {', '.join(SECTIONS)}")
    if name == "*vertices":
        try:
            found.n = parse_whole_number(words[1])
        except (ValueError, IndexError):
            raise file.error(place, f"{shown(line)} has no number of nodes; {PAJEK_EXAMPLE}") from None
    elif found.n < 0:
        raise file.error(place, f"{shown(line)} stands before '*Vertices'; {PAJEK_EXAMPLE}")
    found.directed |= name.startswith("*arcs")
    return name


def _vertex(file: TextFile, place: int, line: bytes, found: _Network) -> None:
    """Read the number and the label of a node. Coordinates and shapes follow, and are not read."""
    try:
        words = next(csv.reader([line.decode()], delimiter=" ", skipinitialspace=True, strict=True))
        number = parse_whole_number(words[0].encode())
        if not 1 <= number <= found.n or number in found.labels:
            raise ValueError
    except (ValueError, csv.Error):
        raise file.error(
            place,
            f"{shown(line)} is not a node with a number from 1 to {found.n}, each once; {PAJEK_EXAMPLE}",
        ) from None
    if len(words) > 1 and words[1]:
        found.labels[number] = words[1]


def _edges(file: TextFile, place: int, line: bytes, found: _Network, listed: bool) -> None:
    """Read an edge with its weight, or a node and a list of its neighbours."""
    words = line.split()
    try:
        nodes = [parse_whole_number(word) for word in (words if listed else words[:2])]
        if len(nodes) < 2 or not all(1 <= node <= found.n for node in nodes):
            raise ValueError
        weight = parse_number(words[2]) if not listed and len(words) > 2 else None
    except ValueError:
        raise file.error(
            place, f"{shown(line)} is not an edge between nodes 1 to {found.n}; {PAJEK_EXAMPLE}"
        ) from None
    for other in nodes[1:]:
        found.ends.append((nodes[0], other))
        found.weights.append(weight)
        found.places.append(place)
