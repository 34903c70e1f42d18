"""How commands print: consoles, tables and JSON, with one style for all commands."""

import codecs
import errno
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Numbers of the errors of a disk, a quota or a file that is full."""

WAY_OUT = "; free some space, or write to another disk"
"""What the user can do about a full disk; the end of a message."""

PLAIN = {
    "█": "#", "▏": "|", "–": "-", "−": "-", "≤": "<=", "±": "+-", "∞": "inf", "→": "->", "…": "...", "·": "*",
    "δ": "delta", "α": "alpha", "θ": "theta", "ξ": "xi", "π": "pi", "Σ": "sum ", "ᵢ": "i", "é": "e",
    "√": "sqrt ", "½": "1/2 ", "‖": "|", "²": "^2", "⁻": "^-", "¹": "1", "ᵀ": "'", "⟨": "<", "⟩": ">",
}  # fmt: skip
"""What commands print instead of their own characters where the terminal does not have them."""


def never_fail_to_encode() -> None:
    """Make stdout and stderr print any character: as a plain one, or escaped, if the terminal lacks it."""
    codecs.register_error("riemap", _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="riemap")


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    """Replace characters that cannot be encoded; an error handler of :mod:`codecs`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    wrong = error.object[error.start : error.end]
    text = "".join(PLAIN.get(c, c) for c in wrong)
    return text.encode("ascii", "backslashreplace").decode(), error.end


@contextmanager
def full_disk_told() -> Iterator[None]:
    """Turn the error of a full disk that stdout goes to into one line and exit code 2."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno not in FULL_DISK:
            raise
        with suppress(OSError):
            typer.echo(
                f"riemap: cannot write to stdout: {os.strerror(error.errno).lower()}{WAY_OUT}", err=True
            )
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still to be flushed
        sys.exit(2)


def new_console(*, soft_wrap: bool = False) -> "Console":
    """Return a console on stdout that prints text as it is, without markup, emoji or highlighting."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, soft_wrap=soft_wrap)


def new_table(*headings: str, right: tuple[str, ...] = ()) -> "Table":
    """Return an empty table without lines, whose columns named in ``right`` are right-aligned."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left")
    return table


def print_json(facts: Mapping[str, Any]) -> None:
    """Print one JSON object on one line of stdout; with escapes only if stdout lacks a character."""
    text = json.dumps(facts, allow_nan=False, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(facts, allow_nan=False)
    typer.echo(text)
