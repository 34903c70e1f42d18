"""Do many runs, and show the progress."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, redirect_stdout
from typing import TYPE_CHECKING, NoReturn

import typer

from riemap.cli.progress import LINE_SECONDS, bar, telling
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.grids.record import RunRecord
    from riemap.grids.records import GridFolder
    from riemap.runs import RunSpec


def compute(
    folder: "GridFolder",
    runs: "Sequence[RunSpec]",
    workers: int,
    *,
    retry: bool = False,
    quiet: bool = False,
    minutes: float | None = None,
    ray: str = "",
) -> int:
    """Do the runs that are missing, or those there is time for; count the ones that we did ourselves."""
    from riemap.grids.budget import Budget
    from riemap.grids.local_executor import execute_locally
    from riemap.grids.machine import cores
    from riemap.grids.outcomes import Outcome
    from riemap.grids.queue import always, unfinished
    from riemap.grids.ray_executor import execute_on_ray

    missing = unfinished(folder, runs, retry)
    wanted = always if minutes is None else Budget(folder, minutes).allows
    if ray and workers > 1:
        raise InputError(f"--workers {workers} and --ray {ray} exclude each other: a cluster has its own")
    if workers > cores():
        typer.echo(
            f"riemap: --workers {workers} is more than one a core; {cores()} will do the work", err=True
        )
    local = execute_locally(folder, missing, workers, wanted)
    with (
        redirect_stdout(sys.stderr if ray else sys.stdout),  # Ray prints on stdout when a worker dies
        _progress(len(runs) - len(missing), len(runs), quiet) as step,
        closing(execute_on_ray(folder, missing, ray, wanted) if ray else local) as outcomes,
    ):
        computed = 0
        for found in outcomes:
            if found.outcome is not Outcome.LEFT:
                step(f"{found.run}: {found.outcome.value}")
                computed += found.outcome is not Outcome.FOUND
    return computed


def tell_missing(folder: "GridFolder", records: "Sequence[RunRecord]") -> None:
    """Say on stderr how many runs of a grid have no record; a folder without a list of runs does not tell."""
    known = folder.grid()
    if known is not None and len(records) < len(known["runs"]):
        missing, total = len(known["runs"]) - len(records), len(known["runs"])
        typer.echo(f"riemap: {missing} of {total} runs are not done; 'riemap grid' does them", err=True)


def tell_older_engine(records: "Sequence[RunRecord]", advice: str = "") -> dict[str, int]:
    """Count the records that today's code made, and older ones; say on stderr if there are older ones."""
    from riemap.grids.record import older_engine

    older = older_engine(records)
    if older:
        said = f"{older} of {len(records)} records were made by an older engine{advice}"
        typer.echo(f"riemap: {said}", err=True)
    return {"current": len(records) - older, "older": older}


def interrupted() -> NoReturn:
    """Say after Ctrl-C that nothing finished is lost, and exit with code 130."""
    typer.echo("riemap: interrupted; what is done is kept, and the same command does the rest", err=True)
    raise typer.Exit(130)


@contextmanager
def _progress(done: int, total: int, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Give a function to call after every run, which shows how many are done and the time left."""
    if quiet or done == total:
        yield lambda title: None
    elif sys.stderr.isatty():
        with bar(total, done) as update:
            yield lambda title: update(None, title)
    else:
        with telling(f"doing {total - done} of {total} runs") as postpone:
            yield _lines(done, total, postpone)


def _lines(before: int, total: int, postpone: Callable[[], None]) -> Callable[[str], None]:
    started, done, told = time.monotonic(), before, -LINE_SECONDS

    def step(title: str) -> None:
        nonlocal done, told
        done += 1
        spent = time.monotonic() - started
        if spent - told < LINE_SECONDS and done < total:
            return
        told = spent
        postpone()
        left = spent / (done - before) * (total - done)
        typer.echo(f"run {done} of {total}, {left:.0f} s left; {title}", err=True)

    return step
