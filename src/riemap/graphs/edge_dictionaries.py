"""The dictionary of attributes that NetworkX writes at the end of a line of an edge list."""

import ast
import re

from riemap.graphs.text_file import TextFile, parse_number
from riemap.specs import shown

_ATTRIBUTES_START = re.compile(rb"[ \t,;]\{")
"""Start of the dictionary."""

_WEIGHT_ATTRIBUTE = re.compile(rb"\{'weight': ([0-9.e+-]+)\}")
"""Dictionary that holds only a weight, the usual case, which is read without the Python parser."""


def without_dictionary(file: TextFile, place: int, line: bytes, name: str) -> bytes:
    """Replace the dictionary at the end of a line by the weight in it, if any.

    Parameters
    ----------
    file, place
        The file, and the number of the line, for messages.
    line
        The line.
    name
        Name of the attribute that is the weight.

    Returns
    -------
    bytes
        The line, with the weight as its last column.
    """
    opening = _ATTRIBUTES_START.search(line) if line.endswith(b"}") else None
    if opening is None:
        return line
    ends, attributes = line[: opening.start()].rstrip(b" \t,;"), line[opening.start() + 1 :]
    if attributes == b"{}":
        return ends
    separator = next((sign for sign in (b"\t", b";", b",") if sign in ends), b" ")
    if name == "weight" and (only := _WEIGHT_ATTRIBUTE.fullmatch(attributes)):
        return ends + separator + only[1]
    try:
        weight = _weight_attribute(attributes, name)
        return ends if weight is None else ends + separator + b"%r" % weight
    except (ValueError, SyntaxError, TypeError, AttributeError, MemoryError, RecursionError):
        raise file.error(
            place, f"cannot read {shown(attributes)}; attributes are e.g. {{'weight': 2.5}}"
        ) from None


def _weight_attribute(attributes: bytes, name: str) -> float | None:
    """Return the weight in a dictionary, written as a number or as a text; ``None`` if there is none.

    The number is read from its text, since Python would also accept ``1_000`` and ``0x10``.
    """
    dictionary = ast.parse(attributes, mode="eval").body
    weight = ast.literal_eval(dictionary).get(name)
    if weight is None:
        return None
    if isinstance(weight, str):
        return parse_number(weight.encode())
    assert isinstance(dictionary, ast.Dict)
    pairs = zip(dictionary.keys, dictionary.values, strict=True)
    node = [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == name][-1]
    return parse_number(attributes[node.col_offset : node.end_col_offset])
