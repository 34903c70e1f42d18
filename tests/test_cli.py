"""The command line as a person meets it."""

import json
import subprocess
import sys

import pytest

from riemap.cli import main
from riemap.manifolds import MANIFOLDS


def run(*arguments: str) -> int:
    """Exit code of the command line."""
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    return int(stop.value.code or 0)


def test_spaces_lists_every_manifold(capsys: pytest.CaptureFixture[str]) -> None:
    """With spelling, dimension, curvature and distance, no line broken at 80 columns."""
    assert run("spaces") == 0
    out, err = capsys.readouterr()
    for cls in MANIFOLDS:
        m = cls(*cls.shown)
        (line,) = (line for line in out.splitlines() if line.startswith(f"{m} "))
        assert f" {m.dim} " in line
        assert m.formula in line
        assert line.rstrip().endswith(m.name)
    assert "[−1/2, 0]" in out
    assert "[0, ∞)" in out
    assert err == ""


def test_spaces_describes_a_product(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("spaces", "H3^2 x Gr(2,4)") == 0
    assert "H3^2 x Gr(2,4) has 10 dimensions" in capsys.readouterr().out


def test_json_is_one_object_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("spaces", "--json", "H2 x BW2") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["space"], found["dim"]) == ("H2 x BW2", 5)
    assert [row["space"] for row in found["manifolds"]] == ["H2", "BW2"]
    assert found["manifolds"][1]["curvature"] == [0.0, None]


@pytest.mark.parametrize("text", ["Q3", "", "SPD1000000", "H3 x"])
def test_a_bad_space_is_one_message_and_exit_code_2(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("spaces", text) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("riemap: cannot ")
    assert err.count("\n") == 1


def test_riemap_alone_shows_where_to_start(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    assert "Start here: riemap spaces" in capsys.readouterr().out


def test_version_and_unknown_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out.startswith("riemap 0.")
    assert run("spases") == 2
    assert "No such command" in capsys.readouterr().err


def test_output_to_a_pipe_has_no_control_codes() -> None:
    """Run as a program, as a shell would."""
    code = "from riemap.cli import main; main(['spaces'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert b"\x1b" not in done.stdout
    assert b"Gr(2,4)" in done.stdout
