"""JSON files that are read back: one rule for checksums, and one way to check their entries.

Everything that riemap writes as JSON and reads again is an object with an entry ``checksum``: the first 16
hexadecimal digits of the SHA-256 of all other entries, as JSON without spaces and with sorted keys. Layout
and order may therefore change, and values may not. An object without the entry is read without this check:
earlier versions wrote none, and a user who edits a file by hand removes it.
"""

import hashlib
import json
import math
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

from riemap.errors import InputError
from riemap.files import written_whole
from riemap.specs import shown

CHECKSUM_KEY = "checksum"
"""Name of the entry with the checksum, in JSON objects and in ``.npz`` files."""

CHECKSUM_DIGITS = 16
"""Hexadecimal digits of a checksum: 64 bits, so that accidental damage is not missed."""

_NAMES = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}
"""How messages call the types of JSON."""


def checksum_of(data: bytes) -> str:
    """Compute the checksum of some bytes.

    Parameters
    ----------
    data
        The bytes.

    Returns
    -------
    str
        Sixteen hexadecimal digits.

    Examples
    --------
    >>> checksum_of(b"riemap")
    '9ccdf6de068b7377'
    """
    return hashlib.sha256(data).hexdigest()[:CHECKSUM_DIGITS]


def with_checksum(found: Mapping[str, Any]) -> dict[str, Any]:
    """Add the checksum to an object, as its last entry.

    Parameters
    ----------
    found
        An object of values that JSON has.

    Returns
    -------
    dict
        The same entries and ``checksum``.

    Examples
    --------
    >>> with_checksum({"seed": 3})
    {'seed': 3, 'checksum': '4d687b6437462c4d'}
    """
    rest = {key: value for key, value in found.items() if key != CHECKSUM_KEY}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return {**rest, CHECKSUM_KEY: checksum_of(canonical.encode())}


def parse_checked(text: bytes) -> dict[str, Any]:
    """Read an object, and verify its checksum if it has one.

    Parameters
    ----------
    text
        JSON in UTF-8.

    Returns
    -------
    dict
        The entries, without the checksum.

    Raises
    ------
    InputError
        If the text is not a JSON object, or does not match its checksum. The message does not name the file.

    Examples
    --------
    >>> parse_checked(json.dumps(with_checksum({"seed": 3})).encode())
    {'seed': 3}
    """
    try:
        found = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except RecursionError:
        raise InputError("it is not JSON: it is nested too deeply") from None
    except ValueError as error:
        raise InputError(f"it is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise InputError(f"it holds {shown(found)} instead of a JSON object")
    if CHECKSUM_KEY not in found:
        return found
    given = found.pop(CHECKSUM_KEY)
    if given != with_checksum(found)[CHECKSUM_KEY]:
        raise InputError(
            "it does not match its checksum, so it was damaged or edited after riemap wrote it; restore it "
            f"from a copy, or remove its entry {CHECKSUM_KEY!r} to accept it as it is"
        )
    return found


def _finite(text: str) -> float:
    """Read a number; refuse NaN, infinities, and a number such as ``1e999`` that becomes infinite."""
    value = float(text)
    if not math.isfinite(value):
        raise InputError(f"{shown(text, 30)} is not a finite number")
    return value


def read_checked(path: Path, kind: type) -> dict[str, Any] | None:
    """Read a JSON file, verify its checksum and check the types of its entries.

    Parameters
    ----------
    path
        The file.
    kind
        A ``TypedDict`` that lists the entries and their types. Other entries are ignored.

    Returns
    -------
    dict or None
        The entries, without the checksum; ``None`` if there is no such file.

    Raises
    ------
    InputError
        If the file cannot be read, or is not of this kind. The message names the file and the entry.
    """
    try:
        found = parse_checked(path.read_bytes())
        check_entries(found, kind)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (InputError, OSError) as error:
        raise InputError(f"cannot read {path}: {error}") from None
    return found


def write_checked(path: Path, found: Mapping[str, Any]) -> None:
    """Write a JSON file with a checksum, which is replaced once the new one is complete.

    Parameters
    ----------
    path
        The file.
    found
        An object of values that JSON has.
    """
    text = json.dumps(with_checksum(found), indent=2, allow_nan=False, ensure_ascii=False)
    with written_whole(path) as file:
        file.write(f"{text}\n".encode(errors="backslashreplace"))  # lone surrogates, as JSON escapes them


def check_entries(value: Any, kind: Any, field: str = "") -> None:
    """Check a JSON value against a type, entry by entry.

    Parameters
    ----------
    value
        What JSON gave.
    kind
        A ``TypedDict``, ``list[...]``, ``dict[str, ...]``, a union, ``Any``, or a plain type. ``float``
        accepts whole numbers too, as JSON does not tell them apart.
    field
        The path of the value, for messages.

    Raises
    ------
    InputError
        If the value is something else. The message names the entry, such as ``run.plan.stages[0].loss``.

    Examples
    --------
    >>> check_entries({"scores": {"ad": "high"}}, dict[str, dict[str, float]])
    Traceback (most recent call last):
    ...
    riemap.errors.InputError: its scores.ad is 'high' instead of a number
    """
    if not _matches(value, kind):
        what = f"its {field} is" if field else "it holds"
        raise InputError(f"{what} {shown(value)} instead of {_name(kind)}")
    if isinstance(value, dict) and (kind := _part(kind, dict)) is not None:
        hints = get_type_hints(kind) if is_typeddict(kind) else dict.fromkeys(value, get_args(kind)[-1])
        required = kind.__required_keys__ if is_typeddict(kind) else ()
        for name, inner in hints.items():
            path = f"{field}.{name}" if field else name
            if name in value:
                check_entries(value[name], inner, path)
            elif name in required:
                raise InputError(f"its {path} is missing")
    elif isinstance(value, list) and (kind := _part(kind, list)) is not None:
        for i, item in enumerate(value):
            check_entries(item, get_args(kind)[0], f"{field}[{i}]")


def _members(kind: Any) -> tuple[Any, ...]:
    """The alternatives of a union, or the type itself."""
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def _container(kind: Any) -> Any:
    """The plain type of a value: ``dict`` for a ``TypedDict``, ``list`` for ``list[str]``."""
    return dict if is_typeddict(kind) else get_origin(kind) or kind


def _part(kind: Any, container: type) -> Any:
    """The alternative that describes the entries of a container; ``None`` if nothing is said about them."""
    parts = (part for part in _members(kind) if is_typeddict(part) or get_origin(part) is not None)
    return next((part for part in parts if _container(part) is container), None)


def _matches(value: Any, kind: Any) -> bool:
    """Whether the outermost type of a value is right."""
    plain = [_container(part) for part in _members(kind)]
    if float in plain and type(value) in (int, float):
        return abs(value) <= sys.float_info.max
    return Any in plain or type(value) in plain


def _name(kind: Any) -> str:
    named = {dict: "an object", list: "a list", **_NAMES}
    return " or ".join(named[_container(part)] for part in _members(kind))
