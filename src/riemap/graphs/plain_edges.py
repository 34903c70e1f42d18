"""Read the lines of large edge lists that hold nothing but whole numbers, and perhaps weights, with NumPy.

Splitting four million lines into Python objects takes 8 s and 1.2 GB; this takes a tenth of both. Whatever is
not plain (a comment between edges, a label that is no whole number, two spaces, an empty field) is left to
:mod:`riemap.graphs.edgelist`, which has the messages.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riemap.graphs.plain_head import PlainLayout
from riemap.graphs.text_file import TextFile, parse_number
from riemap.types import Array

PIECE_BYTES = 2**21
"""Bytes that are parsed at a time: 2 MB, of which the intermediate arrays are 30 times as large."""

MAX_DIGITS = 18
"""Most digits of a label that becomes an integer: all such numbers fit into 64 bits."""

SPARSE_LABELS = 8
"""If the largest label is at most so many times the number of ends of edges, labels are numbered by a table
with an entry for each number up to it (a byte and an integer); otherwise they are sorted."""

EXACT_DIGITS = 15
"""Most characters of a weight that is parsed as the quotient of a whole number and a power of ten. float64
holds both exactly, so that the quotient is rounded as Python rounds it."""

_POWERS = np.array([float(10**k) for k in range(EXACT_DIGITS + 1)])

_ZERO, _NINE, _POINT, _NEWLINE = b"09.\n"


class PlainLines(NamedTuple):
    """The columns of plain lines: the labels of both ends, and the weights if there is a third column."""

    ends: NDArray[np.int64]
    weights: Array | None


def parse_plain_lines(file: TextFile, layout: PlainLayout) -> PlainLines | None:
    r"""Parse lines ``u v`` or ``u v w``, whose first two columns are whole numbers without leading zeros.

    Parameters
    ----------
    file
        The file.
    layout
        Where the lines start, and how their columns are separated.

    Returns
    -------
    PlainLines | None
        The columns; ``None`` if any line is different.

    Examples
    --------
    >>> file = TextFile(b"7 1\n1 12\n", "my.edges", "my", ".edges")
    >>> parse_plain_lines(file, PlainLayout(0, 0, b" ", 2)).ends.tolist()
    [[7, 1], [1, 12]]
    """
    file.require_memory(1, b"\n", 150)  # measured, with what it takes to make a graph of them
    data, (start, _, separator, width) = file.data, layout
    count = data.count(b"\n", start) + (not data.endswith(b"\n"))
    ends = np.empty((count, 2), np.int64)
    weights = np.empty(count) if width == 3 else None
    row = 0
    while start < len(data):
        stop = data.find(b"\n", start + PIECE_BYTES) + 1 or len(data)
        piece, start = data[start:stop], stop
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n")
        if not piece.endswith(b"\n"):
            piece += b"\n"
        try:
            fields = _find_fields(piece, separator, width)
            rows = slice(row, row + len(fields.starts))
            ends[rows] = _whole_numbers(fields)
            if weights is not None:
                decimals = _decimals(fields)
                weights[rows] = _numbers(piece, separator) if decimals is None else decimals
        except ValueError:
            return None
        row = rows.stop
    return PlainLines(ends, weights)


class _Fields(NamedTuple):
    """The bytes of whole lines, and where the fields of each line start and how long they are."""

    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]


def _find_fields(piece: bytes, separator: bytes, width: int) -> _Fields:
    """Find the fields of whole lines; raise a ValueError if a line has another number of them."""
    text = np.frombuffer(piece, np.uint8)
    stops = np.flatnonzero((text == separator[0]) | (text == _NEWLINE))
    if len(stops) % width:
        raise ValueError
    starts = np.concatenate([[0], stops[:-1] + 1]).reshape(-1, width)
    stops = stops.reshape(-1, width)
    line_ends = text[stops] == _NEWLINE
    if line_ends[:, :-1].any() or not line_ends[:, -1].all():
        raise ValueError
    return _Fields(text, starts, stops - starts)


def _whole_numbers(fields: _Fields) -> NDArray[np.int64]:
    """Parse the first two columns; raise a ValueError if a field is not a whole number without a sign."""
    text, starts, lengths = fields.text, fields.starts[:, :2], fields.lengths[:, :2]
    shortest, longest = int(lengths.min()), int(lengths.max())
    if shortest < 1 or longest > MAX_DIGITS or np.any((text[starts] == _ZERO) & (lengths > 1)):
        raise ValueError
    values = np.zeros(lengths.shape, np.int64)
    for k in range(longest):
        inside = lengths > k
        sign = text[np.where(inside, starts + k, starts)]
        if np.any((sign < _ZERO) | (sign > _NINE)):
            raise ValueError
        values = np.where(inside, 10 * values + (sign - _ZERO), values)
    return values


def _decimals(fields: _Fields) -> Array | None:
    """Parse a third column of digits with or without a decimal point; ``None`` if it has other fields."""
    text, starts, lengths = fields.text, fields.starts[:, 2], fields.lengths[:, 2]
    longest = int(lengths.max())
    if longest > EXACT_DIGITS:
        return None
    values, decimals = np.zeros((2, len(lengths)), np.int64)
    after_point = np.zeros(len(lengths), bool)
    for k in range(longest):
        inside = lengths > k
        sign = text[np.where(inside, starts + k, starts)]
        point = inside & (sign == _POINT)
        digit = inside & (sign >= _ZERO) & (sign <= _NINE)
        if np.any((inside & ~digit & ~point) | (point & after_point)):
            return None
        values = np.where(digit, 10 * values + (sign - _ZERO), values)
        decimals += digit & after_point
        after_point |= point
    return values / _POWERS[decimals] if np.all(lengths > after_point) else None


def _numbers(piece: bytes, separator: bytes) -> Array:
    """Parse a third column as the reader of all files does; raise a ValueError if a field is no number."""
    texts = piece.replace(separator, b"\n").split(b"\n")[2:-1:3]
    return np.fromiter(map(parse_number, texts), np.float64, len(texts))


def number_values(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number values from 0 up in increasing order.

    Parameters
    ----------
    values
        Integers from 0 up, in any shape.

    Returns
    -------
    tuple of NDArray
        The number of each, in the same shape, and the different values in increasing order.

    Examples
    --------
    >>> number_values(np.array([[30, 7], [7, 8]]))
    (array([[2, 0],
           [0, 1]]), array([ 7,  8, 30]))
    """
    if values.max() > SPARSE_LABELS * values.size:
        different, numbers = np.unique(values, return_inverse=True)
        return numbers.reshape(values.shape), different
    present = np.zeros(int(values.max()) + 1, bool)
    present[values] = True
    return (np.cumsum(present) - 1)[values], np.flatnonzero(present)
