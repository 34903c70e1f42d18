"""Progress, on stderr: a bar in a terminal, and a line now and then elsewhere."""

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, TypeAlias, final

import typer

if TYPE_CHECKING:
    from riemap.training import EpochRecord

COMPILING = "compiling, which only the first run in a space does"
"""Shown until the first epoch is done."""

PROGRESS_LINES = 10
"""Number of lines for a run where there is no terminal, if it does not take long."""

FIRST_LINE_SECONDS = 2.0
"""Time after which a command that is busy says what it does."""

LINE_SECONDS = 10.0
"""Longest time between two lines of progress: short enough to see that the command is alive."""

SLOW_NODES = 1500
"""Number of nodes from which on looking at all pairs takes more than a moment, so that the user is told."""

ShareDone: TypeAlias = Callable[[float], None]
"""A callback that is given the share of the work that is done, from 0 to 1."""


PAST = {"riemap.distances.store", "riemap.kernel_cache"}
"""Loggers whose messages do not tell what is done next."""


@final
class Listener(logging.Handler):
    """Gives each message about what riemap does next to a function."""

    def __init__(self, told: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self.told = told

    def emit(self, record: logging.LogRecord) -> None:
        """Give the function the message of a record."""
        if record.name not in PAST:
            self.told(record.getMessage())


@contextmanager
def listening(told: Callable[[str], None]) -> Iterator[None]:
    """Call a function for a while with each message in which riemap logs what it does next."""
    logger, listener = logging.getLogger("riemap"), Listener(told)
    level = logger.level
    logger.addHandler(listener)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(listener)
        logger.setLevel(level)


@contextmanager
def telling(what: str, nodes: int | None = None, *, logged: bool = False) -> Iterator[Callable[[], None]]:
    """Say on stderr what is being done if it takes long, and then now and then.

    For few nodes it only says that code is compiled. If ``logged``, what riemap has logged last replaces
    ``what``.

    The function that is yielded notes that something else was printed, so that nothing is due for a while.
    """
    finished, started = threading.Event(), time.monotonic()
    due = started + FIRST_LINE_SECONDS

    def postpone() -> None:
        nonlocal due
        due = time.monotonic() + LINE_SECONDS

    def hear(message: str) -> None:
        nonlocal what
        what = message

    def say() -> None:
        while not finished.wait(max(due - time.monotonic(), 0.0)):
            doing = COMPILING if _compiling() else what if nodes is None or nodes > SLOW_NODES else ""
            if doing and time.monotonic() >= due:
                typer.echo(f"riemap: {doing}, {time.monotonic() - started:.0f} s so far", err=True)
            postpone()

    speaker = threading.Thread(target=say, daemon=True)
    speaker.start()
    try:
        with listening(hear) if logged else nullcontext():
            yield postpone
    finally:
        finished.set()
        speaker.join()


def _compiling() -> bool:
    """Whether a kernel is compiled at this moment; false if the module that knows it is not loaded."""
    found = sys.modules.get("riemap.kernel_cache")
    return found is not None and found.compile_clock.compiling


@contextmanager
def stage_progress(title: str) -> Iterator[Callable[[str], ShareDone]]:
    """Yield a function that returns, for the name of a stage, a callback that shows its progress."""
    if not sys.stderr.isatty():
        yield lambda stage: _share_lines(f"{title}: {stage}")
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=20), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:

        def stage(name: str) -> ShareDone:
            task = bar.add_task(f"{title}: {name}", total=1.0)

            def callback(share: float) -> None:
                bar.update(task, completed=share)

            return callback

        yield stage


def _share_lines(stage: str) -> ShareDone:
    """Return a callback that prints a line on stderr after two seconds, and then every few seconds."""
    started = time.monotonic()
    due = started + FIRST_LINE_SECONDS

    def callback(share: float) -> None:
        nonlocal due
        now = time.monotonic()
        if 0.0 < share < 1.0 and now >= due:
            due = now + LINE_SECONDS
            left = (now - started) * (1.0 - share) / share
            typer.echo(f"{stage}, {share:.0%}, {left:.0f} s left", err=True)

    return callback


@contextmanager
def progress(
    title: str, epochs: int, nodes: int, quiet: bool = False
) -> "Iterator[Callable[[EpochRecord], None]]":
    """Give a callback for training that shows epoch, loss, learning rate and time left."""
    if quiet:
        yield lambda record: None
    elif sys.stderr.isatty():
        with bar(epochs, title=title, state=COMPILING) as update:
            done = 0

            def callback(record: "EpochRecord") -> None:
                nonlocal done
                done = record.epoch + 1
                update(done, f"loss {record.loss:.4g}  lr {record.lr:.2g}")

            with listening(lambda message: update(done, message)):
                yield callback
    else:
        with telling(f"{title}: computing distances", nodes, logged=True) as postpone:
            yield _lines(title, epochs, postpone)


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


def _lines(title: str, epochs: int, postpone: Callable[[], None]) -> "Callable[[EpochRecord], None]":
    every, last = max(epochs // PROGRESS_LINES, 1), time.monotonic()
    first: list[EpochRecord] = []

    def callback(record: "EpochRecord") -> None:
        nonlocal last
        postpone()
        first.append(record) if not first else None
        done = record.epoch + 1
        if done % every and done != epochs and time.monotonic() - last < LINE_SECONDS:
            return
        last = time.monotonic()
        text = f"{title}: epoch {done} of {epochs}, loss {record.loss:.4g}, lr {record.lr:.2g}"
        if record.epoch > first[0].epoch:  # the seconds of an epoch do not count compilation
            rate = (record.seconds - first[0].seconds) / (record.epoch - first[0].epoch)
            text += f", {rate * (epochs - done):.0f} s left"
        typer.echo(text, err=True)

    return callback
