"""``riemap grid``: many runs, as a file lists them."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riemap.cli.arguments import AsJson, Ray, RetryFailed, Workers
from riemap.cli.messages import refusing
from riemap.cli.output import print_json
from riemap.cli.runs import compute, interrupted

if TYPE_CHECKING:
    from riemap.grids.records import GridFolder
    from riemap.runs import RunSpec


def grid(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A TOML file with lists of graphs, spaces, losses, and so on.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="A folder for the records; runs that are recorded there are not done again.",
            show_default=False,
        ),
    ],
    workers: Workers = 1,
    ray: Ray = "",
    retry_failed: RetryFailed = False,
    as_json: AsJson = False,
) -> None:
    """Do every run of a grid that is not done yet; after an interruption, the same command continues.

    Example: riemap grid grid.toml --out my-grid --workers 2
    """
    started = time.monotonic()
    try:
        with refusing():
            from riemap.grids.grid import read_grid
            from riemap.grids.records import GridFolder

            runs = read_grid(file)
            folder = GridFolder(out)
            folder.begin([run.id for run in runs])
            computed = compute(folder, runs, workers, retry=retry_failed, quiet=as_json, ray=ray)
            facts = {**_facts(folder, runs), "computed": computed}
    except KeyboardInterrupt:
        interrupted()
    facts["seconds"] = round(time.monotonic() - started, 3)
    _show(out, facts, as_json)
    raise typer.Exit(1 if facts["failed"] else 0)


def _facts(folder: "GridFolder", runs: "tuple[RunSpec, ...]") -> dict[str, Any]:
    records = [record for run in runs if (record := folder.record(run)) is not None]
    errors = {record["id"]: record["error"] for record in records if "error" in record}
    return {"runs": len(runs), "done": len(records) - len(errors), "failed": len(errors), "errors": errors}


def _show(out: Path, facts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(facts)
    else:
        typer.echo(f"{facts['done']} of {facts['runs']} runs are done; 'riemap table {out}' compares them")
    if facts["failed"]:
        id, error = next(iter(facts["errors"].items()))
        said = f"{facts['failed']} of {facts['runs']} runs failed, such as {id}"
        why = f"{error['type']}: {error['message']}"
        typer.echo(f"riemap: {said} ({why}); --retry-failed does them again", err=True)
