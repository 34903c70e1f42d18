"""Doing many runs, and showing how it goes."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, redirect_stdout
from typing import TYPE_CHECKING, NoReturn

import typer

from riemap.cli.progress import bar
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.grids.grid import Run
    from riemap.grids.records import Folder

EVERY = 10.0
"""Seconds between two lines where there is no terminal."""


def compute(
    folder: "Folder",
    runs: "Sequence[Run]",
    workers: int,
    *,
    retry: bool = False,
    quiet: bool = False,
    minutes: float | None = None,
    ray: str = "",
) -> int:
    """Do what is missing, or what there is time for; how many were done here, and not by another process."""
    from riemap.grids.budget import Budget
    from riemap.grids.local_executor import always, execute, unfinished
    from riemap.grids.ray_executor import execute_on_ray
    from riemap.grids.records import cores
    from riemap.grids.worker import FOUND, LEFT

    missing = unfinished(folder, runs, retry)
    wanted = always if minutes is None else Budget(folder, minutes).allows
    if ray and workers > 1:
        raise InputError(f"--workers {workers} and --ray {ray} exclude each other: a cluster has its own")
    if workers > cores():
        typer.echo(
            f"riemap: --workers {workers} is more than one a core; {cores()} will do the work", err=True
        )
    local = execute(folder, missing, workers, wanted)
    with (
        redirect_stdout(sys.stderr if ray else sys.stdout),  # Ray prints on stdout when a worker dies
        _progress(len(runs) - len(missing), len(runs), quiet) as step,
        closing(execute_on_ray(folder, missing, ray, wanted) if ray else local) as outcomes,
    ):
        computed = 0
        for found in outcomes:
            if found.outcome != LEFT:
                step(f"{found.run}: {found.outcome}")
                computed += found.outcome != FOUND
    return computed


def interrupted() -> NoReturn:
    """After Ctrl-C."""
    typer.echo("riemap: interrupted; what is done is kept, and the same command does the rest", err=True)
    raise typer.Exit(130)


@contextmanager
def _progress(done: int, total: int, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A function to call after every run, which shows how many are done and how long the rest will take."""
    if quiet or done == total:
        yield lambda title: None
    elif sys.stderr.isatty():
        with bar(total, done) as update:
            yield lambda title: update(None, title)
    else:
        yield _lines(done, total)


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
