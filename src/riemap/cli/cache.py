"""``riemap cache``: what riemap keeps on disk between runs, and how to remove it."""

import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from riemap.cli.arguments import AsJson
from riemap.cli.messages import one_of, refusing
from riemap.cli.output import new_console, new_table, print_json
from riemap.errors import InputError

FOLDERS = {
    "data": "files of datasets that were downloaded",
    "distances": "distances between all nodes of graphs, at most 2 GiB",
    "kernels": "compiled code",
}
"""Folders in the cache, and what is in them. All of it is downloaded or computed again when it is needed."""

app = typer.Typer(
    rich_markup_mode=None,
    help="Show what riemap keeps on disk between runs, or remove it. Example: riemap cache clear distances",
)


@app.callback(invoke_without_command=True)
def cache(context: typer.Context, as_json: AsJson = False) -> None:
    """Show the folders of the cache and their sizes. Example: riemap cache."""
    if context.invoked_subcommand is not None:
        return
    with refusing():
        from riemap.files import cache_folder

        folder = cache_folder()
        rows = [_facts(folder / name) for name in FOLDERS]
    if as_json:
        print_json({"folder": str(folder), "folders": rows})
        return
    table = new_table("Folder", "Files", "Size", "What it is", right=("Files", "Size"))
    for row in rows:
        table.add_row(row["name"], str(row["files"]), size_text(row["bytes"]), FOLDERS[row["name"]])
    console = new_console(soft_wrap=True)
    console.print(f"{folder}\n")
    console.print(table)
    console.print("\nAll of it is made again when it is needed: 'riemap cache clear' removes it.")


@app.command("clear")
def clear(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FOLDER]...", help=f"Which: {', '.join(FOLDERS)}; all if none is named."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove what is kept. It is downloaded or computed again when it is needed.

    Example: riemap cache clear distances --yes
    """
    with refusing():
        from riemap.files import cache_folder

        for name in names or ():
            one_of("FOLDER", name, FOLDERS)
        paths = [cache_folder() / name for name in names or FOLDERS]
        rows = [_facts(path) for path in paths]
        total = size_text(sum(row["bytes"] for row in rows))
        count = sum(row["files"] for row in rows)
        if not count:
            typer.echo(f"riemap: there is nothing to remove in {cache_folder()}", err=True)
            return
        if not yes and not sys.stdin.isatty():
            raise InputError(f"this removes {count} files ({total}); say so with --yes")
        if not yes and not typer.confirm(f"Remove {count} files ({total}) from {cache_folder()}?", err=True):
            raise typer.Exit(1)
        for path in paths:
            if path.exists():
                shutil.rmtree(path)
        typer.echo(f"riemap: removed {count} files ({total}) from {cache_folder()}", err=True)


def _facts(path: Path) -> dict[str, Any]:
    """Count the files of a folder and their bytes; files that vanish meanwhile do not count."""
    sizes = []
    for file in path.rglob("*"):
        try:
            if file.is_file():
                sizes.append(file.stat().st_size)
        except FileNotFoundError:
            continue
    return {"name": path.name, "path": str(path), "files": len(sizes), "bytes": sum(sizes)}


def size_text(size: int) -> str:
    """Write a number of bytes with a unit.

    >>> size_text(0), size_text(2_400), size_text(859_000_000)
    ('0 B', '2.4 kB', '859 MB')
    """
    value, units = float(size), ["B", "kB", "MB", "GB", "TB"]
    while value >= 999.5 and len(units) > 1:
        value /= 1000.0
        del units[0]
    return f"{value:.3g} {units[0]}"
