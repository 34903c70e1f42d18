"""Progress of training, on stderr: a bar in a terminal, and a line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from riemap.training import EpochRecord

COMPILING = "getting ready: the first run in a space compiles its code, once"
"""Shown until the first epoch is done."""

PROGRESS_LINES = 10
"""Number of lines for a run where there is no terminal."""


@contextmanager
def progress(title: str, epochs: int, quiet: bool = False) -> "Iterator[Callable[[EpochRecord], None]]":
    """Give a callback for training that shows epoch, loss, learning rate and time left."""
    if quiet:
        yield lambda record: None
    elif sys.stderr.isatty():
        with bar(epochs, title=title, state=COMPILING) as update:
            yield lambda record: update(record.epoch + 1, f"loss {record.loss:.4g}  lr {record.lr:.2g}")
    else:
        yield _lines(title, epochs)


@contextmanager
def bar(
    total: int, done: int = 0, title: str = "", state: str = ""
) -> Iterator[Callable[[int | None, str], None]]:
    """Show a bar with the time left; the function sets how much is done (``None`` adds one), and a text."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[state]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(title, total=total, completed=done, state=state)

        def update(completed: int | None, state: str) -> None:
            shown.update(task, completed=completed, advance=1 if completed is None else None, state=state)

        yield update


def _lines(title: str, epochs: int) -> "Callable[[EpochRecord], None]":
    started, every = time.monotonic(), max(epochs // PROGRESS_LINES, 1)
    begun: list[int] = []

    def callback(record: "EpochRecord") -> None:
        done = record.epoch + 1
        begun.append(record.epoch) if not begun else None
        if done % every and done != epochs:
            return
        spent = time.monotonic() - started
        left = spent / max(done - begun[0], 1) * (epochs - done)
        text = f"{title}: epoch {done} of {epochs}, loss {record.loss:.4g}, lr {record.lr:.2g}"
        typer.echo(f"{text}, {left:.0f} s left", err=True)

    return callback
