"""Help has examples that are spelled right, shells complete, and colours can be switched off."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer
from commands import every_command, spelled
from helpers import program, run

CODES = re.compile(rb"\x1b\[([0-9;]*)m")
"""Terminal codes that set bold, colours and other styles."""


def test_riemap_alone_shows_three_commands_that_work(capsys: pytest.CaptureFixture[str]) -> None:
    """The help starts with three commands that parse, and fits 80 columns."""
    assert run() == 0
    out = capsys.readouterr().out
    assert out.startswith("Usage: riemap [OPTIONS] COMMAND")
    begin = out.partition("Start here:\n")[2].splitlines()[:3]
    commands = [line.strip().split("   ")[0] for line in begin]
    assert [spelled(line) for line in commands] == ["riemap embed", "riemap report", "riemap choose"]
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(("name", "command"), list(every_command()), ids=lambda value: str(value)[:30])
def test_every_help_has_an_example_that_is_spelled_right(name: str, command: Any) -> None:
    text = " ".join(command.help.split())
    examples = re.split(r"Examples?: ", text)[1]
    for line in re.split(r"; (?=riemap)", examples):
        found = spelled(line)
        assert found == name or (hasattr(command, "commands") and found.startswith(name))


def test_unknown_options_and_commands_are_not_spelled_right() -> None:
    """The check of the test above refuses unknown options, missing arguments and unknown commands."""
    for line in ("riemap embed karate --spaces H2", "riemap embed -s H2", "riemap plots graph karate"):
        with pytest.raises((typer.BadParameter.__base__, AssertionError)):
            spelled(line)


# --- completion -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("riemap emb", ["embed"]),
        ("riemap plot dist", ["distances", "distortion"]),
        ("riemap embed karate --opt", ["--optimizer"]),
        ("riemap describe les-", ["les-miserables"]),
    ],
)
def test_a_shell_completes(words: str, offered: list[str]) -> None:
    asked = {"_RIEMAP_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = subprocess.run(program(), env=os.environ | asked, capture_output=True, text=True, check=True)
    assert done.stdout.split() == offered


def test_completion_can_be_installed(tmp_path: Path) -> None:
    home = os.environ | {"HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = subprocess.run(
        program("--install-completion", "bash"), env=home, capture_output=True, text=True, check=True
    )
    assert "bash completion installed" in done.stdout
    script = (tmp_path / ".bash_completions" / "riemap.sh").read_text()
    assert "_RIEMAP_COMPLETE=complete_bash" in script


# --- colours ----------------------------------------------------------------------------------------


def in_terminal(*arguments: str, **environment: str) -> bytes:
    """Run the command line in a pseudo-terminal and return its output."""
    main, other = os.openpty()
    settings = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    settings |= {"TERM": "xterm-256color", **environment}
    with subprocess.Popen(program(*arguments), env=settings, stdout=other, stderr=other) as running:
        os.close(other)
        seen = b""
        while True:
            try:
                part = os.read(main, 4096)
            except OSError:  # raised by Linux at the end of the output
                break
            if not part:
                break
            seen += part
    os.close(main)
    assert running.returncode == 0, seen
    return seen


def colours(seen: bytes) -> set[str]:
    """Return the codes that set a foreground or background colour."""
    codes = {code for found in CODES.findall(seen) for code in found.decode().split(";") if code}
    return {code for code in codes if re.fullmatch(r"[349][0-9]|10[0-7]", code) and code not in ("39", "49")}


EMBED = ("embed", "cycle(n=9)", "--space", "E2", "--epochs", "30")


def test_no_color_is_honoured() -> None:
    """The progress bar has colours in a terminal, unless ``$NO_COLOR`` is set."""
    assert colours(in_terminal(*EMBED))
    assert not colours(in_terminal(*EMBED, NO_COLOR="1"))
    assert not colours(in_terminal("spaces", NO_COLOR="1"))


@pytest.mark.parametrize(
    "arguments",
    [(), ("--help",), ("plot", "--help"), EMBED, ("plot", "graph", "cycle(n=9)", "-o", "graph.png")],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_output_to_a_pipe_has_no_control_codes(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """Neither stdout nor stderr has control codes, even if ``$TERM`` supports them."""
    environment = os.environ | {"TERM": "xterm-256color"}
    done = subprocess.run(program(*arguments), cwd=tmp_path, env=environment, capture_output=True, check=True)
    for text in (done.stdout, done.stderr):
        assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", text)
    assert done.stdout or done.stderr


# --- speed ------------------------------------------------------------------------------------------


def test_help_imports_no_slow_package() -> None:
    """``riemap --help`` imports none of the packages that take long; benchmarks/startup.py measures it."""
    heavy = ("numpy", "scipy", "numba", "networkx", "rich", "matplotlib", "pooch")
    after = f"import atexit, sys; atexit.register(lambda: print([m for m in {heavy} if m in sys.modules]))"
    done = subprocess.run(program("--help", before=after), capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
