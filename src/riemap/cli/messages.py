"""How a verb says that the input is at fault."""

from typing import NoReturn

import typer


def refuse(error: Exception) -> NoReturn:
    """Print the message on stderr and exit with code 2."""
    typer.echo(f"riemap: {error}", err=True)
    raise typer.Exit(2)
