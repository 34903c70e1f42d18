"""Which state of the sources made a result: a hash of the code that decides results.

Comments, docstrings, notes on constants and the layout of the code do not count, nor does the version of
Python that reads it.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import riemap

DECIDING = (
    "manifolds",
    "spaces",
    "linalg",
    "vmath",
    "loops",
    "lower_triangle",
    "tiles",
    "aligned",
    "losses",
    "optim",
    "training",
    "distances",
    "metrics",
)
"""Modules and packages of riemap on which the numbers of a result depend."""

HASH_DIGITS = 16
"""Hexadecimal digits of the hash that are kept: enough to tell a few thousand states apart."""


@cache
def engine_hash(*more: str) -> str:
    """Hash the code that decides results; computed once in a process.

    Parameters
    ----------
    more
        Other modules or packages of riemap that decide results, such as ``"tasks"``.

    Returns
    -------
    str
        Sixteen hexadecimal digits.
    """
    folder = Path(riemap.__file__).parent
    return hash_of_sources(path.read_text(encoding="utf-8") for path in _files(folder, (*DECIDING, *more)))


def _files(folder: Path, names: Iterable[str]) -> Iterator[Path]:
    for name in names:
        single = folder / f"{name}.py"
        yield from [single] if single.is_file() else sorted((folder / name).rglob("*.py"))


def hash_of_sources(sources: Iterable[str]) -> str:
    """Hash the code of some sources.

    Parameters
    ----------
    sources
        Texts of Python files.

    Returns
    -------
    str
        Sixteen hexadecimal digits.

    Examples
    --------
    >>> hash_of_sources(["x = 1  # one"]) == hash_of_sources(["x = (1)"])
    True
    """
    found = hashlib.sha256()
    for source in sources:
        parts: list[str] = []
        _collect(ast.parse(source), parts)
        found.update("\0".join(parts).encode())
    return found.hexdigest()[:HASH_DIGITS]


def _collect(node: ast.AST, parts: list[str]) -> None:
    """Append what decides the meaning of a syntax tree; empty fields differ between versions of Python."""
    parts.append(type(node).__name__)
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            parts.append(name)
            _collect(value, parts)
        elif isinstance(value, list):
            if value:
                parts.append(name)
            for item in value:
                if isinstance(item, ast.AST):
                    if not _is_text(item):
                        _collect(item, parts)
                else:
                    parts.append(repr(item))
        elif value is not None:
            parts.append(f"{name}={value!r}")


def _is_text(node: ast.AST) -> bool:
    """Whether a statement is a docstring, or a note on a constant."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
