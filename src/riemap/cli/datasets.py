"""``riemap datasets``: the graphs that are known by name."""

import shutil
import textwrap
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riemap.cli.arguments import AsJson
from riemap.cli.messages import refusing
from riemap.cli.output import new_console, new_table, print_json
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.graphs import Dataset

HEADING_WIDTH = 13
"""Characters of the first column of ``riemap datasets show``: the longest heading and a space."""


class Action(StrEnum):
    """What ``riemap datasets`` does."""

    LIST = "list"
    SHOW = "show"
    PATH = "path"


def datasets(
    action: Annotated[
        Action,
        typer.Argument(
            help="list all datasets; show the details of one; or print the path of its file, which is "
            "downloaded if it is missing.",
            show_default=False,
        ),
    ] = Action.LIST,
    name: Annotated[str | None, typer.Argument(help="A dataset, such as power.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """List the graphs that are known by name, show the details of one, or download its file.

    Files are looked up in $RIEMAP_DATA and then in the cache, and downloaded if they are in neither.

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
            return
        path = str(dataset_path(name))
        if as_json:
            print_json({"name": name, "path": path})
        else:
            typer.echo(path)


def _entry(dataset: "Dataset") -> dict[str, Any]:
    """The fields of a dataset, ``None`` for those that do not apply, and the local path of its file."""
    from riemap.graphs.datasets import local_path

    path = local_path(dataset.name)
    known = {key: None if value == "" else value for key, value in asdict(dataset).items()}
    return {**known, "path": None if path is None else str(path)}


def _availability(entry: dict[str, Any]) -> str:
    return "no" if entry["file"] is not None and entry["path"] is None else "yes"


def _list(entries: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json({"datasets": entries})
        return
    table = new_table("Name", "Nodes", "Edges", "Here", "What it is", right=("Nodes", "Edges"))
    table.columns[0].min_width = max(len(entry["name"]) for entry in entries)
    for entry in entries:
        edges = "" if entry["m"] is None else str(entry["m"])
        table.add_row(entry["name"], str(entry["n"]), edges, _availability(entry), entry["description"])
    console = new_console()
    console.print(table)
    console.print("\nA dataset that is not here is downloaded when it is first used.")
    console.print("To see where a dataset comes from: riemap datasets show power")


def _show(entry: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(entry)
        return
    headings = {"n": "nodes", "m": "edges", "sha256": "SHA-256", "url": "address", "path": "here"}
    for key, value in entry.items():
        if value is not None:
            typer.echo(_paragraph(headings.get(key, key), str(value)))


def _paragraph(heading: str, text: str) -> str:
    """A heading and a text beside it, wrapped to the terminal without breaking addresses and paths."""
    return textwrap.fill(
        text,
        shutil.get_terminal_size().columns,
        initial_indent=f"{heading:{HEADING_WIDTH}}",
        subsequent_indent=" " * HEADING_WIDTH,
        break_long_words=False,
        break_on_hyphens=False,
    )
