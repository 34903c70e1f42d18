"""Which records of the paper's runs a command shows: those of a folder, or those that come with riemap."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from riemap.grids.record import RunRecord

DEFAULT_FOLDER = Path("results/paper")
"""Folder for records of runs, as it is called in the repository of riemap."""

PaperRecords: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--out",
        help="A folder of records; runs that are recorded there are not done again. By default results/paper "
        "or, where that is missing and only shown, the records that come with riemap.",
        show_default=False,
    ),
]


def shown_records(out: Path | None) -> "tuple[list[RunRecord], str]":
    """Read the records to show, and name their place; say on stderr if they are not those of ``out``."""
    from riemap.grids.records import GridFolder
    from riemap.paper.records import packaged_records

    folder = out or DEFAULT_FOLDER
    found = GridFolder(folder, compact=True).records()
    if found or out is not None:
        if not found:
            typer.echo(
                f"riemap: {folder / 'records'} has no records; without --out, those that come with riemap "
                "are shown",
                err=True,
            )
        return found, str(folder)
    typer.echo(f"riemap: no records in {folder.absolute()}; these come with riemap", err=True)
    return packaged_records(), "riemap"
