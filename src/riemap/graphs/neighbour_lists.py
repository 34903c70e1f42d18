"""Read files with the neighbours of a node in each line: adjacency lists, and METIS."""

import numpy as np

from riemap.errors import InputError
from riemap.graphs.edge_cleaning import check_nodes
from riemap.graphs.options import ReadOptions
from riemap.graphs.raw_edges import RawEdges, edge_without_mirror
from riemap.graphs.text_file import TextFile, content_lines, parse_number, parse_whole_number
from riemap.specs import shown
from riemap.types import Array

METIS_USAGE = "the first line is 'nodes edges [format]', e.g. '3 2', and line i has the neighbours of node i"
"""Description of the format, for messages."""


def read_adjlist(file: TextFile, options: ReadOptions) -> RawEdges:
    """Read an adjacency list, as NetworkX writes it: in each line a node and some of its neighbours.

    An edge may be listed by one or by both of its nodes. Labels are separated by white space, and are
    integers if all are whole numbers.
    """
    file.require_memory(45, b"\n", 300)  # measured: 40 bytes of memory per byte, in labels of four digits
    places, lines = content_lines(file.lines())
    if not lines:
        raise InputError(f"{file.filename} holds no nodes, only comments; a line is e.g. 'a b c'")
    if b"," in lines[0] or b";" in lines[0]:
        raise file.error(places[0], f"{shown(lines[0])} has commas or semicolons; separate labels by spaces")
    rows = [line.split() for line in lines]
    number = {label: i for i, label in enumerate(dict.fromkeys(label for row in rows for label in row))}
    owners = [place for place, row in zip(places, rows, strict=True) for _ in row[1:]]
    ends = np.array([(number[row[0]], number[v]) for row in rows for v in row[1:]], np.int64).reshape(-1, 2)
    labels = [label.decode() for label in number]
    whole = all(label.isdigit() and label.isascii() and str(int(label[:19])) == label for label in labels)
    both = len(ends) > 0 and edge_without_mirror(ends, None) is None
    return RawEdges(
        ends,
        None,
        [int(label) for label in labels] if whole else labels,
        lambda i: f"line {owners[i]}",
        "twice" if both else "once",
    )


def read_metis(file: TextFile, options: ReadOptions) -> RawEdges:
    """Read a METIS graph file. The labels are the numbers of the nodes, counted from 1.

    A blank line is a node without neighbours. Sizes and weights of nodes are not read.
    """
    file.require_memory(45, b"\n", 300)  # measured: 36 bytes of memory per byte, in numbers of four digits
    lines = [
        (i, line.strip()) for i, line in enumerate(file.lines(), 1) if not line.lstrip().startswith(b"%")
    ]
    if not lines:
        raise InputError(f"{file.filename} holds only comments; {METIS_USAGE}")
    place, header = lines[0]
    n, m, skipped, weighted = _metis_header(file, place, header)
    rows = lines[1:]
    while len(rows) > n and not rows[-1][1]:  # blank lines at the end
        rows.pop()
    if len(rows) != n:
        raise InputError(
            f"{file.filename} declares {n} nodes but has {len(rows)} lines for them; is it cut short?"
        )
    ends: list[tuple[int, int]] = []
    weights: list[float] = []
    owners: list[int] = []
    for node, (line_number, line) in enumerate(rows):
        step = 2 if weighted else 1
        try:
            numbers = line.split()[skipped:]
            if len(numbers) % step:
                raise ValueError
            near = [parse_whole_number(token) for token in numbers[::step]]
            if any(not 1 <= other <= n for other in near):
                raise ValueError
            weights += [parse_number(token) for token in numbers[1::2]] if weighted else []
        except ValueError:
            raise file.error(
                line_number, f"{shown(line)} is not the neighbours of node {node + 1}; {METIS_USAGE}"
            ) from None
        ends += [(node, other - 1) for other in near]
        owners += [line_number] * len(near)
    if len(ends) != 2 * m:
        raise InputError(
            f"{file.filename} declares {m} edges, which are {2 * m} entries, but has {len(ends)}; "
            "an edge is listed by both of its nodes"
        )
    lengths: Array | None = np.array(weights) if weighted else None
    pairs = np.array(ends, np.int64).reshape(-1, 2)
    return RawEdges(pairs, lengths, range(1, n + 1), lambda i: f"line {owners[i]}", "twice")


def _metis_header(file: TextFile, place: int, line: bytes) -> tuple[int, int, int, bool]:
    """Return the numbers of nodes, of edges and of entries to skip, and whether edges have weights."""
    try:
        n, m, *rest = (parse_whole_number(token) for token in line.split())
        kind = f"{rest[0]:03d}" if rest else "000"
        if len(rest) > 2 or set(kind) - {"0", "1"} or len(kind) > 3 or n < 1:
            raise ValueError
    except ValueError:
        raise file.error(place, f"{shown(line)} is not a header; {METIS_USAGE}") from None
    check_nodes(n, m, file.filename)
    node_weights = (rest[1] if len(rest) == 2 else 1) if kind[1] == "1" else 0
    return n, m, node_weights + (kind[0] == "1"), kind[2] == "1"
