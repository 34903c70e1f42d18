"""How commands print: consoles, tables and JSON, with one style for all commands."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


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
    """Print one JSON object on one line of stdout."""
    typer.echo(json.dumps(facts, allow_nan=False, ensure_ascii=False))
