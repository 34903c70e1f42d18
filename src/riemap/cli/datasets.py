"""``riemap datasets``: the graphs that are known by name."""

import json
import shutil
import textwrap
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riemap.cli.messages import refusing
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.graphs import Dataset


class Action(StrEnum):
    """What to do."""

    LIST = "list"
    SHOW = "show"
    PATH = "path"


def datasets(
    action: Annotated[
        Action,
        typer.Argument(
            help="List all, show what is known of one, or print the path of its file, downloaded if need be.",
            show_default=False,
        ),
    ] = Action.LIST,
    name: Annotated[str | None, typer.Argument(help="A dataset, such as power.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """List the graphs that are known by name; or show one, or fetch its file.

    Files are looked for in $RIEMAP_DATA, then in the cache, and downloaded otherwise.

    Example: riemap datasets path power
    """
    with refusing():
        from riemap.graphs import DATASETS, dataset_path
        from riemap.graphs.datasets import find_dataset

        if action is Action.LIST:
            if name is not None:
                raise InputError(f"'list' takes no name; did you mean 'riemap datasets show {name}'?")
            _list([_entry(dataset) for dataset in DATASETS.values()], as_json)
            return
        if name is None:
            raise InputError(f"which dataset? For example: riemap datasets {action} power")
        if action is Action.SHOW:
            _show(_entry(find_dataset(name)), as_json)
        else:
            path = str(dataset_path(name))
            typer.echo(json.dumps({"name": name, "path": path}) if as_json else path)


def _entry(dataset: "Dataset") -> dict[str, Any]:
    """All that is known, ``None`` for what does not apply, and where the file is on this machine."""
    from riemap.graphs.datasets import local_path

    path = local_path(dataset.name)
    known = {key: None if value == "" else value for key, value in asdict(dataset).items()}
    return {**known, "path": None if path is None else str(path)}


def _availability(entry: dict[str, Any]) -> str:
    return "no" if entry["file"] is not None and entry["path"] is None else "yes"


def _list(entries: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"datasets": entries}, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("Name", "Nodes", "Edges", "Here", "What it is"):
        table.add_column(
            heading,
            justify="right" if heading in ("Nodes", "Edges") else "left",
            min_width=max(map(len, (e["name"] for e in entries))) if heading == "Name" else None,
        )
    for entry in entries:
        edges = "" if entry["m"] is None else str(entry["m"])
        table.add_row(entry["name"], str(entry["n"]), edges, _availability(entry), entry["description"])
    console = Console(highlight=False, markup=False)
    console.print(table)
    console.print("\nA dataset that is not here is downloaded when it is first used.")
    console.print("Where one comes from: riemap datasets show power")


def _show(entry: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(entry, ensure_ascii=False))
        return
    headings = {"n": "nodes", "m": "edges", "sha256": "SHA-256", "url": "address", "path": "here"}
    for key, value in entry.items():
        if value is not None:
            typer.echo(_paragraph(headings.get(key, key), str(value)))


def _paragraph(heading: str, text: str) -> str:
    """A heading and a text beside it, in lines that fit but leave addresses and paths whole."""
    return textwrap.fill(
        text,
        shutil.get_terminal_size().columns,
        initial_indent=f"{heading:13}",
        subsequent_indent=" " * 13,
        break_long_words=False,
        break_on_hyphens=False,
    )
