"""How a verb reports bad input, and what was done to it."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NoReturn, TextIO

import typer

from riemap.cli.output import FULL_DISK, WAY_OUT
from riemap.errors import DivergedError, InputError, NotEnoughMemoryError


def refuse(error: Exception, code: int = 2) -> NoReturn:
    """Print the message of an error on stderr, in one line, and exit with a code."""
    typer.echo(f"riemap: {one_line(error)}", err=True)
    raise typer.Exit(code) from None


@contextmanager
def refusing() -> Iterator[None]:
    """Turn errors about the input into one line and exit code 2, and warnings about it into one line each.

    Only errors that the user can mend are caught: :class:`InputError`, a lack of memory,
    and files of the user that cannot be read or written. Training that diverges is one line and exit code 1.
    Any other exception is a bug of riemap: it is shown with its traceback, and the exit code is 1. A reader
    that went away (``riemap ... | head``) is no error of the input.
    """
    with _short_warnings():
        try:
            yield
        except (InputError, NotEnoughMemoryError) as error:
            refuse(error)
        except MemoryError as error:
            refuse(InputError(f"there is not enough memory for this: {str(error) or 'nothing is free'}"))
        except DivergedError as error:
            refuse(error, 1)
        except OSError as error:
            if isinstance(error, BrokenPipeError) or error.filename is None:
                raise
            refuse(error)


@contextmanager
def _short_warnings() -> Iterator[None]:
    """Show warnings of riemap as one line each, without the line of code that they come from."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        others = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if category.__module__.startswith("riemap."):
                typer.echo(f"riemap: warning: {one_line(message)}", err=True)
            else:
                others(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield


def one_of(option: str, given: str, accepted: Iterable[str]) -> None:
    """Refuse a value of an option that is not among the accepted ones."""
    from riemap.specs import shown, suggestion

    names = list(accepted)
    if given not in names:
        raise InputError(
            f"{option} is not {shown(given)}{suggestion(given, names)} There are {', '.join(names)}"
        )


def one_line(message: Exception | str) -> str:
    """Format a message for the user: without error numbers, line breaks and control characters."""
    text = str(message)
    if isinstance(message, OSError) and message.strerror and message.filename is not None:
        text = f"{message.filename}: {message.strerror.lower()}"
        text += WAY_OUT if message.errno in FULL_DISK else ""
    return "".join(c if c.isprintable() else " " if c.isspace() else ascii(c)[1:-1] for c in text)
