"""Read edge lists and tables of edges: one edge per line, in columns, with or without a heading."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.graphs.columns import Columns, find_columns, tell_columns
from riemap.graphs.edge_cleaning import counted, warn
from riemap.graphs.edge_dictionaries import without_dictionary
from riemap.graphs.options import ReadOptions
from riemap.graphs.plain_edges import number_values, parse_plain_lines
from riemap.graphs.plain_head import find_plain_lines
from riemap.graphs.raw_edges import Listing, RawEdges
from riemap.graphs.separators import SEPARATORS, find_separator
from riemap.graphs.text_file import (
    DECIMAL_COMMA,
    WHOLE_NUMBER,
    TextFile,
    content_lines,
    is_number,
    is_weight,
    parse_number,
    split_fields,
    warn_of_hidden_lines,
)
from riemap.specs import shown
from riemap.types import Array

EDGELIST_EXTENSIONS = (".edges", ".edgelist", ".edge", ".el", ".ncol", ".txt", ".tsv", ".csv", ".dat")
"""Extensions of files that are read as edge lists."""

EDGELIST_USAGE = (
    "a line is 'u v' or 'u v w', separated by spaces, tabs, commas or semicolons, e.g. 'a b 2.5'; "
    "with more columns, the first line names them, e.g. 'source,target,weight'"
)
"""Description of the format, which ends each message about a wrong line."""


def read_edgelist(file: TextFile, options: ReadOptions) -> RawEdges:
    """Read an edge list, with the edges in the order of the file.

    If all labels are whole numbers, they become integers and the nodes are sorted by them. Otherwise labels
    are texts and nodes are in the order in which they appear.
    """
    plain = _read_plain(file, options)
    return read_any_edgelist(file, options) if plain is None else plain


def _read_plain(file: TextFile, options: ReadOptions) -> RawEdges | None:
    """Read a file whose edges are plain lines of numbers; ``None`` if they are not.

    The first two of these lines, and what is before them, are also read as those of any other file are. That
    decides what the weights are, and emits the warnings.
    """
    found = find_plain_lines(file, options)
    lines = None if found is None else parse_plain_lines(file, found)
    if found is None or lines is None:
        return None
    stop = found.start
    for _ in range(2):
        stop = file.data.find(b"\n", stop) + 1 or len(file.data)
    sample = read_any_edgelist(file._replace(data=file.data[:stop]), options)
    numbers, values = number_values(lines.ends)
    weights = None if sample.weights is None else lines.weights
    place = lambda i: f"line {found.lines_before + 1 + i}"  # noqa: E731
    return RawEdges(numbers, weights, values.tolist(), place, "once", sample.weight_name)


def read_any_edgelist(file: TextFile, options: ReadOptions) -> RawEdges:
    """Read an edge list of any kind, line by line."""
    file.require_memory(25, b"\n", 150)  # measured: 25 bytes of memory per byte, in lines of 14 bytes
    lines = file.lines()
    if lines[0][:14].lower() == b"%%matrixmarket":
        raise file.error(1, "this is a MatrixMarket file; rename it so that its name ends in .mtx")
    places, fields, width, separator = _fields(file, lines, options)
    columns, heading = _columns(file, places, fields, width, options)
    if options.weights == "ignore":
        columns = columns._replace(weight=None)
    if heading:
        del places[0], fields[:width]
    elif separator is not None:
        _tell_first_edge(file, fields, width, columns)
    _check_filled(file, places, fields, width, columns)
    ends = [b""] * (2 * len(places))
    ends[0::2], ends[1::2] = fields[columns.source :: width], fields[columns.target :: width]
    weights = None
    if columns.weight is not None:
        weights = _weights(file, places, fields[columns.weight :: width], separator)
    listing: Listing = "once"
    if columns.type is not None:
        listing = _listing(file, places, fields[columns.type :: width])
    del fields
    numbers, labels = _number_labels(ends)
    place = lambda i: f"line {places[i]}"  # noqa: E731
    return RawEdges(numbers.reshape(-1, 2), weights, labels, place, listing, columns.weight_name)


def _fields(
    file: TextFile, lines: list[bytes], options: ReadOptions
) -> tuple[list[int], list[bytes], int, bytes | None]:
    """Return the line numbers, the fields of all lines in one list, the fields per line, the separator."""
    places, rows = content_lines(lines)
    if b"{" in file.data:
        name = options.weight or "weight"
        rows = [without_dictionary(file, i, row, name) for i, row in zip(places, rows, strict=True)]
    separator = find_separator(file, places, rows)
    _check_separator(file, places, rows, separator)
    if separator == b"\t":  # an empty first or last column is white space
        rows = [
            lines[i - 1].strip(b" ") if b"{" not in lines[i - 1] else row
            for i, row in zip(places, rows, strict=True)
        ]
    if separator and b'"' in file.data:
        split = [split_fields(file, i, row, separator) for i, row in zip(places, rows, strict=True)]
        widths, fields = list(map(len, split)), [field for row in split for field in row]
    else:
        # One long list, since the garbage collector takes long to visit millions of short ones.
        widths = [len(row.split(separator)) for row in rows]
        fields = [field.strip() for field in (separator or b" ").join(rows).split(separator)]
    _check_widths(file, places, rows, widths, separator)
    warn_of_hidden_lines(file, lines, separator, widths[0])
    return places, fields, widths[0], separator


def _check_separator(file: TextFile, places: list[int], rows: list[bytes], separator: bytes | None) -> None:
    """Check that lines are separated as the first one is."""
    if separator or b"," not in file.data:
        return  # a line without the separator has one column, which is refused with its number of columns
    i = next((i for i, row in enumerate(rows) if b"," in row), None)
    if i is not None:
        raise file.error(
            places[i],
            f"{shown(rows[i])} has a comma, but line {places[0]} is separated by spaces or tabs; "
            "separate all lines by commas or none, e.g. 'a,b'",
        )


def _check_widths(
    file: TextFile, places: list[int], rows: list[bytes], widths: list[int], separator: bytes | None
) -> None:
    """Check that all lines have as many columns as the first one, and that these are two or more."""
    if not rows:
        raise InputError(f"{file.filename} holds no edges, only comments; {EDGELIST_USAGE}")
    width = max(widths[0], 2)
    if widths.count(width) == len(widths):
        return
    i = next(i for i, found in enumerate(widths) if found != width)
    problem = f"{shown(rows[i])} has {counted(widths[i], 'column')}"
    if i > 0 and widths[i] == 1:
        problem += f", but line {places[0]} is separated by {SEPARATORS[separator]}"
    elif i > 0:
        problem += f", but line {places[0]} has {width}"
        problem += "; give a weight to all edges or to none" if {width, widths[i]} == {2, 3} else ""
    raise file.error(places[i], f"{problem}; {EDGELIST_USAGE}")


def _columns(
    file: TextFile, places: list[int], fields: list[bytes], width: int, options: ReadOptions
) -> tuple[Columns, bool]:
    """Find out what each column is, and whether the first line is a heading. A warning tells a guess."""
    first = [field.decode() for field in fields[:width]]
    columns = find_columns(first, options, file.filename)
    if columns is None and options.weight is not None and width > 2:
        raise file.error(places[0], f"no column is called {shown(options.weight)} in the first line")
    if columns is None:
        columns = _columns_by_position(file, places, fields, width)
        if not _looks_like_heading(fields, width, columns):
            return columns, False
        certain = False
    else:
        certain = columns.weight is not None  # its name is not a number, so that the line is no edge
    if certain and all(i in columns or not name for i, name in enumerate(first)):
        return columns, True
    line = shown(" ".join(first))
    tell_columns(
        first, columns, file.filename, f"took its first line, {line}, for a heading, not for an edge"
    )
    return columns, True


def _columns_by_position(file: TextFile, places: list[int], fields: list[bytes], width: int) -> Columns:
    """The columns ``u v`` or ``u v w``; before them, pandas writes a column whose name is empty."""
    start = 1 if width > 2 and fields[0] == b"" and b"" not in fields[1:width] else 0
    if width - start > 3:
        line = shown(b" ".join(fields[:width]))
        raise file.error(places[0], f"{line} has {width} columns; {EDGELIST_USAGE}")
    name = fields[start + 2].decode().lower() if width - start == 3 else "weight"
    return Columns(start, start + 1, start + 2 if width - start == 3 else None, None, name)


def _looks_like_heading(fields: list[bytes], width: int, columns: Columns) -> bool:
    """Whether the first line has texts where others have numbers, or pandas' empty name.

    A node may have any name, so that all other lines must have numbers there. A text in place of a weight is
    never right: it is a heading if another line has a weight.
    """
    if len(fields) <= width:
        return False
    if fields[0] == b"" and columns.source == 1:
        return True
    if columns.weight is not None:
        first, *others = fields[columns.weight :: width]
        return not is_weight(first) and any(map(is_weight, others))
    for column in columns[:2]:
        assert column is not None
        texts = fields[column::width]
        if WHOLE_NUMBER.fullmatch(texts[0]) or not all(map(WHOLE_NUMBER.fullmatch, texts[1:])):
            return False
    return True


def _tell_first_edge(file: TextFile, fields: list[bytes], width: int, columns: Columns) -> None:
    """Warn if the first line was read as an edge, but names two nodes that no other line names."""
    if width > 2 or len(fields) < 3 * width:
        return
    first = {fields[columns.source], fields[columns.target]}
    if first.isdisjoint(fields[width:]) and not all(map(WHOLE_NUMBER.fullmatch, first)):
        warn(
            f"{file.filename}: took its first line, {shown(b' '.join(fields[:width]))}, for an edge, but "
            "no other line names these nodes; if it is a heading, write 'source' and 'target'"
        )


def _check_filled(
    file: TextFile, places: list[int], fields: list[bytes], width: int, columns: Columns
) -> None:
    if b"" not in fields:
        return
    for column in columns[:3]:
        texts = [] if column is None else fields[column::width]
        if b"" in texts:
            raise file.error(places[texts.index(b"")], f"a column is empty; {EDGELIST_USAGE}")


def _listing(file: TextFile, places: list[int], types: list[bytes]) -> Listing:
    """Read Gephi's column of types, with one of two words for each edge."""
    found = [kind.lower() for kind in types]
    wrong = next((i for i, kind in enumerate(found) if kind not in (b"directed", b"undirected")), None)
    if wrong is not None:
        raise file.error(
            places[wrong], f"type {shown(types[wrong])} of an edge is not 'Directed' or 'Undirected'"
        )
    return "directed" if b"directed" in found else "once"


def _weights(file: TextFile, places: list[int], tokens: list[bytes], separator: bytes | None) -> Array:
    if separator in (b";", b"\t") and any(map(DECIMAL_COMMA.fullmatch, tokens)):
        comma = next(token for token in tokens if DECIMAL_COMMA.fullmatch(token))
        tokens = [t.replace(b",", b".") if DECIMAL_COMMA.fullmatch(t) else t for t in tokens]
        warn(f"{file.filename}: took the comma in weights such as {shown(comma)} for a decimal point")
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
    if not all(map(WHOLE_NUMBER.fullmatch, labels)):
        return numbers, [label.decode() for label in labels]
    values = np.array(labels, dtype=np.int64)
    order = np.argsort(values)
    return np.argsort(order)[numbers], values[order].tolist()
