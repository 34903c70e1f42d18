"""How a verb says that the input is at fault, or that something was done to it."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NoReturn, TextIO

import typer

from riemap.errors import InputError


def refuse(error: Exception) -> NoReturn:
    """Print the message on stderr and exit with code 2."""
    typer.echo(f"riemap: {one_line(error)}", err=True)
    raise typer.Exit(2)


@contextmanager
def refusing() -> Iterator[None]:
    """Turn errors about the input into one line and exit code 2, and warnings about it into one line each.

    A reader that went away (``riemap ... | head``) is not the input's fault.
    """
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
        try:
            yield
        except BrokenPipeError:
            raise
        except (ValueError, OSError, MemoryError, ImportError) as error:  # an extra that is not installed
            refuse(error)
        except ArithmeticError as error:  # nobody's fault, but no result
            typer.echo(f"riemap: {one_line(error)}", err=True)
            raise typer.Exit(1) from None


def one_of(option: str, given: str, accepted: Iterable[str]) -> None:
    """Refuse what is not among the accepted."""
    from riemap.specs import shown, suggestion

    names = list(accepted)
    if given not in names:
        raise InputError(
            f"{option} is not {shown(given)}{suggestion(given, names)} There are {', '.join(names)}"
        )


def one_line(message: Exception | str) -> str:
    """The message as the user should see it: without error numbers, line breaks and control characters."""
    text = str(message)
    if isinstance(message, OSError) and message.strerror and message.filename is not None:
        text = f"{message.filename}: {message.strerror.lower()}"
    return "".join(c if c.isprintable() else " " if c.isspace() else ascii(c)[1:-1] for c in text)
