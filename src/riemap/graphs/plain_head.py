"""Find out whether an edge list can be read by :mod:`riemap.graphs.plain_edges`, from its first lines."""

from typing import NamedTuple

from riemap.errors import InputError
from riemap.graphs.columns import Columns, find_columns
from riemap.graphs.options import ReadOptions
from riemap.graphs.text_file import BYTE_ORDER_MARK, WHOLE_NUMBER, TextFile, is_weight, split_fields


class PlainLayout(NamedTuple):
    """Where lines of numbers start in a file, and how their columns are separated."""

    start: int
    lines_before: int
    separator: bytes
    width: int


def find_plain_lines(file: TextFile, options: ReadOptions) -> PlainLayout | None:
    r"""Find the first line of numbers, after comments and at most one heading.

    Parameters
    ----------
    file
        The file.
    options
        How it is to be read.

    Returns
    -------
    PlainLayout | None
        Where and what it is; ``None`` if the file is of another kind.

    Examples
    --------
    >>> find_plain_lines(TextFile(b"# two\nsource,target\n7,1\n", "a.csv", "a", ".csv"), ReadOptions())
    PlainLayout(start=20, lines_before=2, separator=b',', width=2)
    """
    data = file.data
    start = len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0
    before, heading = 0, None
    while start < len(data):
        stop = data.find(b"\n", start) + 1 or len(data)
        line = data[start:stop].removesuffix(b"\n").removesuffix(b"\r")
        if b"\r" in line:  # ends a line by itself
            return None
        if line[:1].isdigit():
            layout = _layout(start, before, line)
            fits = layout is not None and _fits(heading, layout, file, options)
            return layout if fits else None
        if line.strip() and line.strip()[0] not in b"#%":
            if heading is not None:
                return None
            heading = line.strip()
        start, before = stop, before + 1
    return None


def _layout(start: int, before: int, line: bytes) -> PlainLayout | None:
    """Find the separator and the number of columns in the first line of numbers."""
    separator = line.lstrip(b"0123456789")[:1]
    if separator not in (b" ", b"\t", b",", b";"):
        return None
    width = line.count(separator) + 1
    return PlainLayout(start, before, separator, width) if width <= 3 else None


def _fits(heading: bytes | None, layout: PlainLayout, file: TextFile, options: ReadOptions) -> bool:
    """Whether the lines are ``u v`` or ``u v w``, and the line before them is a heading that says so."""
    if heading is None:
        return options.weight is None
    if b"{" in heading:
        return False
    try:
        names = split_fields(file, 1, heading, layout.separator)
        columns = find_columns([name.decode() for name in names], options, file.filename)
    except (InputError, UnicodeDecodeError):  # the message comes from the reader of all files
        return False
    if len(names) != layout.width or any(not name or len(name.split()) > 1 for name in names):
        return False
    if any(sign in name for name in names for sign in (b",", b";")):
        return False
    if columns is None and options.weight is None:
        return not (any(map(WHOLE_NUMBER.fullmatch, names)) if layout.width == 2 else is_weight(names[2]))
    return (
        columns == Columns(0, 1, 2, None, columns.weight_name)
        if layout.width == 3 and columns
        else (columns == Columns(0, 1))
    )
