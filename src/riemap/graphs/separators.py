"""What separates the columns of a text file: tabs, semicolons, commas, or spaces; one of them in a file."""

import re
from collections.abc import Sequence

from riemap.graphs.edge_cleaning import warn
from riemap.graphs.text_file import TextFile, is_number
from riemap.specs import shown

SEPARATORS = {b"\t": "tabs", b";": "semicolons", b",": "commas", None: "spaces or tabs"}
"""Separators of columns, in the order in which they are looked for; ``None`` is any white space."""

_QUOTED = re.compile(rb'"[^"]*"')
"""A field in quotes, which may hold separators."""

_PADDING = re.compile(rb"[ \t]*([,;])[ \t]*")
"""A comma or semicolon with the white space around it, which separates nothing by itself."""


def find_separator(file: TextFile, places: Sequence[int], lines: Sequence[bytes]) -> bytes | None:
    """Find what separates the columns of a file, from its first line.

    Parameters
    ----------
    file
        The file.
    places, lines
        The lines that are not comments, and their line numbers.

    Returns
    -------
    bytes | None
        A tab, a semicolon or a comma, outside quotes; ``None`` for white space.

    Raises
    ------
    InputError
        If the file can be read in two ways.
    """
    if not lines:
        return None
    bare = _PADDING.sub(rb"\1", _QUOTED.sub(b'""', lines[0])).strip()
    if b"\t" in bare:
        return _tab_or_space(file, places, lines)
    if b"," in bare:
        return _semicolon_or_comma(file, lines) if b";" in bare else b","
    if b";" in bare and (b" " not in bare or file.extension in (".csv", ".tsv")):
        return b";"
    return _semicolon_or_space(file, lines) if b";" in bare else None


def _tab_or_space(file: TextFile, places: Sequence[int], lines: Sequence[bytes]) -> bytes | None:
    """Decide about a file with tabs in its first line, and perhaps spaces. Refuse it if both make sense."""
    if b" " not in file.data or b'"' in file.data or not _is_edge_list(lines):
        return b"\t"
    if len({line.count(b"\t") for line in lines}) > 1:
        return None  # some columns are separated by tabs and others by spaces
    if any(b" " in field.strip() for line in lines for field in line.split(b"\t")):
        raise file.error(
            places[0],
            f"{shown(lines[0])} has tabs and spaces, and either could separate its columns; "
            "separate all columns by tabs, or put labels with spaces in quotes",
        )
    return b"\t"


def _semicolon_or_comma(file: TextFile, lines: Sequence[bytes]) -> bytes:
    """Decide about a file with semicolons and commas in its first line. Say so if both make sense."""
    bare = [_QUOTED.sub(b"", line) for line in lines] if b'"' in file.data else lines
    if len({line.count(b";") for line in bare}) > 1:
        return b","
    if len({line.count(b",") for line in bare}) == 1:
        warn(f"{file.filename}: took semicolons for the separators of columns, and commas for a part of them")
    return b";"


def _semicolon_or_space(file: TextFile, lines: Sequence[bytes]) -> bytes | None:
    """Decide about a file with semicolons and spaces in its first line. Say so if both make sense."""
    if not _is_edge_list(lines):
        return b";"
    if len({line.count(b";") for line in lines}) == 1:
        warn(
            f"{file.filename}: took spaces for the separators of columns; if these are semicolons, let the "
            "name of the file end in .csv"
        )
    return None


def _is_edge_list(lines: Sequence[bytes]) -> bool:
    """Whether white space separates all lines into ``u v``, or into ``u v w`` with a number."""
    fields = [line.split() for line in lines]
    width = len(fields[0])
    return all(len(row) == width for row in fields) and (
        width == 2 or (width == 3 and all(is_number(row[2]) for row in fields))
    )
