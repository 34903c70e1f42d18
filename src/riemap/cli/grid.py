"""``riemap grid``: many runs, as a file lists them."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riemap.cli.arguments import AsJson
from riemap.cli.messages import refusing

if TYPE_CHECKING:
    from riemap.experiments.grid import Run
    from riemap.experiments.records import Folder

EVERY = 10.0
"""Seconds between two lines where there is no terminal."""


def grid(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A grid: lists of graphs, spaces, ... in TOML.", show_default=False
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(help="A folder for the records; what is there is not done again.", show_default=False),
    ],
    workers: Annotated[
        int, typer.Option(min=1, help="Processes, at most one a core; they share the cores.")
    ] = 1,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Do runs that failed again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Do every run of a grid that is not done yet; start it again to go on after an interruption.

    Example: riemap grid grid.toml --out results --workers 2
    """
    started = time.monotonic()
    try:
        with refusing():
            from riemap.experiments.grid import read_grid
            from riemap.experiments.records import Folder

            runs = read_grid(file)
            folder = Folder(out)
            folder.begin([run.id for run in runs])
            computed = _compute(folder, runs, workers, retry_failed, as_json)
            facts = {**_facts(folder, runs), "computed": computed}
    except KeyboardInterrupt:
        typer.echo("riemap: interrupted; what is done is kept, and the same command does the rest", err=True)
        raise typer.Exit(130) from None
    facts["seconds"] = round(time.monotonic() - started, 3)
    _show(out, facts, as_json)
    raise typer.Exit(1 if facts["failed"] else 0)


def _compute(folder: "Folder", runs: "tuple[Run, ...]", workers: int, retry: bool, quiet: bool) -> int:
    """Do what is missing, and count what was not done by another process meanwhile."""
    from riemap.experiments.execute import execute, unfinished
    from riemap.experiments.work import FOUND

    missing = unfinished(folder, runs, retry)
    with (
        _progress(len(runs) - len(missing), len(runs), quiet) as step,
        closing(execute(folder, missing, workers)) as outcomes,
    ):
        computed = 0
        for found in outcomes:
            step(f"{found.run}: {found.outcome}")
            computed += found.outcome != FOUND
    return computed


def _facts(folder: "Folder", runs: "tuple[Run, ...]") -> dict[str, Any]:
    records = [record for run in runs if (record := folder.record(run.id)) is not None]
    errors = {record["id"]: record["error"] for record in records if "error" in record}
    return {"runs": len(runs), "done": len(records) - len(errors), "failed": len(errors), "errors": errors}


def _show(out: Path, facts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(facts, allow_nan=False, ensure_ascii=False))
    else:
        typer.echo(f"{facts['done']} of {facts['runs']} runs are done; 'riemap table {out}' compares them")
    if facts["failed"]:
        id, error = next(iter(facts["errors"].items()))
        said = f"{facts['failed']} of {facts['runs']} runs failed, such as {id}"
        why = f"{error['type']}: {error['message']}"
        typer.echo(f"riemap: {said} ({why}); --retry-failed does them again", err=True)


@contextmanager
def _progress(done: int, total: int, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A function to call after every run, which shows how many are done and how long the rest will take."""
    if quiet or done == total:
        yield lambda title: None
    elif sys.stderr.isatty():
        with _bar(done, total) as step:
            yield step
    else:
        yield _lines(done, total)


@contextmanager
def _bar(done: int, total: int) -> Iterator[Callable[[str], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total, completed=done)
        yield lambda title: bar.update(task, advance=1, description=title)


def _lines(before: int, total: int) -> Callable[[str], None]:
    started, done, told = time.monotonic(), before, -EVERY

    def step(title: str) -> None:
        nonlocal done, told
        done += 1
        spent = time.monotonic() - started
        if spent - told < EVERY and done < total:
            return
        told = spent
        left = spent / (done - before) * (total - done)
        typer.echo(f"run {done} of {total}, {left:.0f} s left; {title}", err=True)

    return step
