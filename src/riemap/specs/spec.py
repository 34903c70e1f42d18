"""Read and write specs as text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

from riemap.errors import InputError
from riemap.specs.messages import shown

MAX_SPEC_LENGTH = 1000
"""Largest number of characters of a spec. Real ones have fewer than 200; a longer text is a mistake."""

_SPEC = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)(?:\((.*)\))?")
_ARGUMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ARGUMENT_VALUE = re.compile(r"[!-<>-~]+")  # printable ASCII except the space and the equals sign


@final
@dataclass(frozen=True)
class Spec:
    """A name and its arguments, as texts. ``str(spec)`` is the text that :func:`parse` reads.

    Parameters
    ----------
    name
        The name before the parentheses.
    arguments
        Text of each argument, by its key.

    Examples
    --------
    >>> spec = parse(" rsne( T = 0.5 -> 0.01 )")
    >>> spec.name, spec.arguments, str(spec)
    ('rsne', {'T': '0.5->0.01'}, 'rsne(T=0.5->0.01)')
    """

    name: str
    arguments: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return spell(self.name, self.arguments)


def parse(text: str) -> Spec:
    """Split a spec into name and arguments.

    Parameters
    ----------
    text
        ``name`` or ``name(key=value, ...)``. Values may contain balanced parentheses.

    Returns
    -------
    Spec
        Name and arguments, as texts.

    Raises
    ------
    InputError
        If the text is not spelled like this.

    Examples
    --------
    >>> parse("radam(lr=0.01, betas=(0.9,0.999))").arguments
    {'lr': '0.01', 'betas': '(0.9,0.999)'}
    """
    if not isinstance(text, str):
        raise TypeError(f"a spec is text such as 'tree(r=4,h=5)', not {type(text).__name__}")
    try:
        return _parse(text)
    except ValueError as error:
        raise InputError(
            f"cannot read {shown(text)}: {error}; it is spelled name(key=value,...), e.g. 'tree(r=4,h=5)'"
        ) from None


def _parse(text: str) -> Spec:
    if len(text) > MAX_SPEC_LENGTH:
        raise InputError(f"it has {len(text)} characters, and at most {MAX_SPEC_LENGTH} are accepted")
    if not text.strip():
        raise InputError("it is empty")
    match = _SPEC.fullmatch(re.sub(r"\s*(->|[(),=])\s*", r"\1", text.strip()))
    if match is None:
        raise InputError("it is not a name with arguments in parentheses")
    name, inside = match.groups()
    arguments: dict[str, str] = {}
    for part in split(inside, ",") if inside else []:
        key, equals, value = part.partition("=")
        if not (equals and _ARGUMENT_NAME.fullmatch(key) and _ARGUMENT_VALUE.fullmatch(value)):
            raise InputError(f"{shown(part, 30)} is not an argument")
        if key in arguments:
            raise InputError(f"{key} is given twice")
        arguments[key] = value
    return Spec(name, arguments)


def split(text: str, separator: str) -> list[str]:
    """Split a text at a separator, except inside parentheses.

    Parameters
    ----------
    text
        The text.
    separator
        One character.

    Returns
    -------
    list[str]
        The parts.

    Raises
    ------
    InputError
        If the parentheses do not match.

    Examples
    --------
    >>> split("lr=0.01,betas=(0.9,0.999)", ",")
    ['lr=0.01', 'betas=(0.9,0.999)']
    """
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            break
        if character == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    if depth != 0:
        raise InputError("its parentheses do not match")
    return parts


def value_text(value: object) -> str:
    """Write a value of an argument as text, from which it is read back exactly.

    Parameters
    ----------
    value
        A bool, int, float, string, or an object whose ``str`` is its spelling.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> value_text(True), value_text(2.0), value_text(1e20)
    ('true', '2', '1e20')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).removesuffix(".0").replace("e+", "e") if isinstance(value, float) else str(value)


def spell(name: str, arguments: Mapping[str, str]) -> str:
    """Write a name and the texts of its arguments as a spec."""
    inside = ",".join(f"{key}={value}" for key, value in arguments.items())
    return f"{name}({inside})" if inside else name
