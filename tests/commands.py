"""The commands that riemap has, and whether a line of documentation spells one of them."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import typer

from riemap.cli import app


def every_command() -> Iterator[tuple[str, Any]]:
    """Each command, groups and all, by the words that call it."""
    whole = typer.main.get_command(app)
    for name, command in whole.commands.items():
        yield f"riemap {name}", command
        for part, below in getattr(command, "commands", {}).items():
            yield f"riemap {name} {part}", below


def spelled(line: str, *, whole: bool = True) -> str:
    """The words of the command that a line calls; arguments and options that it does not take are errors.

    Unless it is a whole line, arguments may be missing.
    """
    words = shlex.split(line, comments=True)
    assert words[0] == "riemap", line
    command, name, rest = typer.main.get_command(app), "riemap", words[1:]
    while rest and rest[0] in getattr(command, "commands", {}):
        command, name, rest = command.commands[rest[0]], f"{name} {rest[0]}", rest[1:]
    if rest not in (["--help"], ["--version"]) and rest[:1] != ["--install-completion"]:
        assert not (rest and hasattr(command, "commands")), f"{line}: there is no such command"
        try:
            command.make_context(name, list(rest))
        except typer.BadParameter as error:
            if whole or type(error).__name__ != "MissingParameter":
                raise
    return name


def shown_lines(markdown: str) -> list[str]:
    """The lines in blocks of code that call riemap."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", markdown, re.DOTALL | re.MULTILINE)
    shown = [block for language, block in blocks if language in ("", "console", "bash")]
    return [line for block in shown for line in block.splitlines() if line.startswith("riemap ")]
