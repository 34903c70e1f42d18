"""Read edge lists: one edge per line, ``u v`` or ``u v w``, the format that most programs write."""

import ast
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.graphs.edge_cleaning import counted, warn
from riemap.graphs.raw_edges import RawEdges
from riemap.graphs.text_file import (
    TextFile,
    content_lines,
    is_number,
    parse_number,
    split_fields,
    warn_of_hidden_lines,
)
from riemap.specs import shown
from riemap.types import Array

EDGELIST_EXTENSIONS = (".edges", ".edgelist", ".edge", ".el", ".ncol", ".txt", ".tsv", ".csv", ".dat")
"""Extensions of files that are read as edge lists."""

EDGELIST_USAGE = "a line is 'u v' or 'u v w', separated by spaces, tabs or commas, e.g. 'a b 2.5'"
"""Description of the format, which ends each message about a wrong line."""

END_HEADINGS = {
    (b"source", b"target"),
    (b"src", b"dst"),
    (b"from", b"to"),
    (b"fromnodeid", b"tonodeid"),
    (b"node1", b"node2"),
    (b"node_1", b"node_2"),
    (b"id1", b"id2"),
    (b"id_1", b"id_2"),
}
"""First two columns, in lower case, of a first line that is a heading and not an edge."""

WEIGHT_HEADINGS = {b"weight", b"length", b"distance", b"value"}
"""Third column, in lower case, of a heading."""

_WHOLE_NUMBER = re.compile(rb"0|[1-9][0-9]{0,17}")
"""Label that becomes an integer. ``007`` does not match: it stays a text, different from ``7``."""

_ATTRIBUTES_START = re.compile(rb"[ \t,]\{")
"""Start of the dictionary of attributes that NetworkX writes at the end of a line."""

_WEIGHT_ATTRIBUTE = re.compile(rb"\{'weight': ([0-9.e+-]+)\}")
"""Dictionary that holds only a weight, the usual case, which is read without the Python parser."""


def read_edgelist(file: TextFile) -> RawEdges:
    """Read an edge list, with the edges in the order of the file.

    If all labels are whole numbers, they become integers and the nodes are sorted by them. Otherwise labels
    are texts and nodes are in the order in which they appear.
    """
    file.require_memory(25, b"\n", 150)  # measured: 25 bytes of memory per byte, in lines of 14 bytes
    lines = file.lines()
    if lines[0][:14].lower() == b"%%matrixmarket":
        raise file.error(1, "this is a MatrixMarket file; rename it so that its name ends in .mtx")
    places, fields, width = _fields(file, lines)
    if _is_heading(fields[:width], file):
        del places[0], fields[:width]
    weights = _weights(file, places, fields[2::3]) if width == 3 else None
    if width == 3:
        del fields[2::3]
    ends, labels = _number_labels(fields)
    return RawEdges(ends.reshape(-1, 2), weights, labels, lambda i: f"line {places[i]}")


def _fields(file: TextFile, lines: list[bytes]) -> tuple[list[int], list[bytes], int]:
    """Return the line numbers of the edges, the fields of all edges in one list, and the fields per line."""
    places, edges = content_lines(lines)
    if b"{" in file.data:
        edges = [_without_attributes(file, i, edge) for i, edge in zip(places, edges, strict=True)]
    comma = b"," if edges and b"," in edges[0] else None
    _check_separator(file, places, edges, comma)
    if comma and b'"' in file.data:
        rows = [split_fields(file, i, edge) for i, edge in zip(places, edges, strict=True)]
        widths, fields = list(map(len, rows)), [field for row in rows for field in row]
    else:
        # One long list, since the garbage collector takes long to visit millions of short ones.
        widths = [len(edge.split(comma)) for edge in edges]
        fields = [field.strip() for field in (comma or b" ").join(edges).split(comma)]
    _check_widths(file, places, edges, widths)
    warn_of_hidden_lines(file, lines, comma is not None, widths[0])
    if b"" in fields:
        raise file.error(places[fields.index(b"") // widths[0]], f"a column is empty; {EDGELIST_USAGE}")
    return places, fields, widths[0]


def _check_separator(file: TextFile, places: list[int], edges: list[bytes], comma: bytes | None) -> None:
    """Check that lines are separated as the first one is: by commas, or by spaces and tabs."""
    if comma or not edges:
        return  # a line without a comma has one column only, which is refused with its number of columns
    if file.extension == ".csv" and b";" in edges[0]:
        raise file.error(
            places[0], f"{shown(edges[0])} is separated by semicolons; write commas, e.g. 'a,b,2.5'"
        )
    if (
        b"," in file.data
        and (i := next((i for i, edge in enumerate(edges) if b"," in edge), None)) is not None
    ):
        raise file.error(
            places[i],
            f"{shown(edges[i])} has a comma, but line {places[0]} is separated by spaces or tabs; "
            "separate all lines by commas or none, e.g. 'a,b'",
        )


def _check_widths(file: TextFile, places: list[int], edges: list[bytes], widths: list[int]) -> None:
    """Check that all lines have two columns, or all have three."""
    if not edges:
        raise InputError(f"{file.filename} holds no edges, only comments; {EDGELIST_USAGE}")
    width = widths[0] if widths[0] in (2, 3) else 2
    if widths.count(width) == len(widths):
        return
    i = next(i for i, found in enumerate(widths) if found != width)
    problem = f"{shown(edges[i])} has {counted(widths[i], 'column')}"
    if i > 0 and widths[i] in (2, 3):
        problem += f", but line {places[0]} has {width}; give a weight to all edges or to none"
    raise file.error(places[i], f"{problem}; {EDGELIST_USAGE}")


def _is_heading(fields: list[bytes], file: TextFile) -> bool:
    first, second, *rest = (field.lower() for field in fields)
    if (first, second) not in END_HEADINGS or not WEIGHT_HEADINGS.issuperset(rest):
        return False
    warn(f"{file.filename}: took its first line, {shown(b' '.join(fields))}, for a heading, not for an edge")
    return True


def _without_attributes(file: TextFile, place: int, edge: bytes) -> bytes:
    """Replace the dictionary that NetworkX writes at the end of a line by the weight in it, if any."""
    opening = _ATTRIBUTES_START.search(edge) if edge.endswith(b"}") else None
    if opening is None:
        return edge
    ends, attributes = edge[: opening.start()].rstrip(b" \t,"), edge[opening.start() + 1 :]
    if attributes == b"{}":
        return ends
    separator = b"," if b"," in ends else b" "
    if only := _WEIGHT_ATTRIBUTE.fullmatch(attributes):
        return ends + separator + only[1]
    try:
        weight = _weight_attribute(attributes)
        return ends if weight is None else ends + separator + b"%r" % weight
    except (ValueError, SyntaxError, TypeError, AttributeError, MemoryError, RecursionError):
        raise file.error(
            place, f"cannot read {shown(attributes)}; attributes are e.g. {{'weight': 2.5}}"
        ) from None


def _weight_attribute(attributes: bytes) -> float | None:
    """Return the weight in a dictionary, written as a number or as a text; ``None`` if there is none.

    The number is read from its text, since Python would also accept ``1_000`` and ``0x10``.
    """
    dictionary = ast.parse(attributes, mode="eval").body
    weight = ast.literal_eval(dictionary).get("weight")
    if weight is None:
        return None
    if isinstance(weight, str):
        return parse_number(weight.encode())
    assert isinstance(dictionary, ast.Dict)
    pairs = zip(dictionary.keys, dictionary.values, strict=True)
    node = [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == "weight"][-1]
    return parse_number(attributes[node.col_offset : node.end_col_offset])


def _weights(file: TextFile, places: list[int], tokens: list[bytes]) -> Array:
    try:
        return np.fromiter(map(parse_number, tokens), np.float64, len(tokens))
    except ValueError:
        i, token = next((i, token) for i, token in enumerate(tokens) if not is_number(token))
        raise file.error(places[i], f"weight {shown(token)} is not a number; {EDGELIST_USAGE}") from None


def _number_labels(fields: list[bytes]) -> tuple[NDArray[np.int64], list[Any]]:
    """Number the labels; return the number of each field, and the labels in the order of their numbers."""
    if max(map(len, fields), default=0) > 8:
        labels = list(dict.fromkeys(fields))
        number_of = {label: i for i, label in enumerate(labels)}
        numbers = np.fromiter(map(number_of.__getitem__, fields), np.int64, len(fields))
    else:
        # Sorting two million labels as 64-bit integers takes a tenth of the time of as many look-ups.
        codes = np.array(fields, dtype="S8").view(np.uint64)
        _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        order = np.argsort(first)
        labels = [fields[i] for i in first[order]]
        numbers = np.argsort(order)[inverse]
    if not all(map(_WHOLE_NUMBER.fullmatch, labels)):
        return numbers, [label.decode() for label in labels]
    values = np.array(labels, dtype=np.int64)
    order = np.argsort(values)
    return np.argsort(order)[numbers], values[order].tolist()
