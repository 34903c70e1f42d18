"""The blocks of code of a page, and what runs them: Python in one namespace, commands, and files to write."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import ROOT
from helpers import run

from riemap.training import presets

MARK = re.compile(r"<!-- not run: (.+) -->")
"""The line before a block that no test runs; it gives the reason."""

EPOCHS = presets.FEWEST_EPOCHS, presets.MOST_EPOCHS
"""Numbers of epochs before a test lowers them."""

COMMANDS = ("", "console", "bash")
"""Languages of blocks whose lines are commands."""


class Block(NamedTuple):
    """A fenced block: its language, its text, why it is not run (if so), and the page before it."""

    language: str
    text: str
    not_run: str
    before: str


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page in their order."""
    text = page.read_text(encoding="utf-8")
    for found in re.finditer(r"^( *)```(\w*)\n(.*?)^\1```", text, re.DOTALL | re.MULTILINE):
        before = text[: found.start()]
        lines = before.rstrip("\n").splitlines() or [""]
        mark = MARK.fullmatch(lines[-1].strip()) if not before.endswith("\n\n") else None
        yield Block(found[2], found[3], mark[1] if mark else "", before)


def in_a_clone(folder: Path) -> None:
    """Put folders with the names of those of the repository into a folder, each with something in it."""
    for path in ROOT.iterdir():
        if path.is_dir() and not path.name.startswith("."):
            (folder / path.name).mkdir(exist_ok=True)
            (folder / path.name / "tracked").write_text("A file of the repository.\n")


def run_page(page: Path) -> dict[str, Any]:
    """Run the blocks of a page in their order, in this folder; return the names that its Python defines."""
    names: dict[str, Any] = {"__name__": page.stem}
    for block in blocks(page):
        if block.not_run or block.language == "text":
            continue
        if block.language == "python":
            exec(compile(block.text, str(page), "exec"), names)
        elif block.language == "toml":
            Path(re.findall(r"`(\w+\.toml)`", block.before)[-1]).write_text(block.text)
        else:
            assert block.language in COMMANDS, f"{page.name}: nothing runs a block of {block.language}"
            for line in filter(None, block.text.splitlines()):
                run_line(page, line)
    return names


def run_line(page: Path, line: str) -> None:
    """Run a command of riemap in this process; others need a mark."""
    words = shlex.split(line, comments=True)
    assert words[0] == "riemap", f"{page.name}: {line} is not run; mark its block with <!-- not run: why -->"
    with pytest.MonkeyPatch.context() as patch:
        if words[1] == "paper":  # it shows records that were made with these numbers of epochs
            patch.setattr(presets, "FEWEST_EPOCHS", EPOCHS[0])
            patch.setattr(presets, "MOST_EPOCHS", EPOCHS[1])
        assert run(*words[1:]) == 0, f"{page.name}: {line}"
