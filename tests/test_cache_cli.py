"""``riemap cache``: sizes, and what is removed."""

import json
from pathlib import Path

import pytest
from helpers import run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RIEMAP_CACHE", str(tmp_path))
    for name, size in (("distances/a.npy", 2400), ("distances/b.npy", 100), ("kernels/1/x.nbi", 7)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(bytes(size))
    (tmp_path / "mine.txt").write_text("keep")
    return tmp_path


def test_folders_and_sizes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("cache") == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [str(folder)] in lines
    assert ["distances", "2", "2.5", "kB"] in [line[:4] for line in lines]
    assert ["kernels", "1", "7", "B"] in [line[:4] for line in lines]
    assert run("cache", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [(row["name"], row["files"], row["bytes"]) for row in found["folders"]] == [
        ("data", 0, 0),
        ("distances", 2, 2500),
        ("kernels", 1, 7),
    ]


def test_clear_removes_what_is_named_and_nothing_else(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("cache", "clear", "distances", "--yes") == 0
    assert f"removed 2 files (2.5 kB) from {folder}" in capsys.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == ["kernels", "mine.txt"]
    assert run("cache", "clear", "-y") == 0
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert run("cache", "clear", "-y") == 0
    assert "nothing to remove" in capsys.readouterr().err


def test_without_a_terminal_it_must_be_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("cache", "clear") == 2
    assert capsys.readouterr().err == "riemap: this removes 3 files (2.51 kB); say so with --yes\n"
    assert (folder / "distances" / "a.npy").exists()
    assert run("cache", "clear", "distance", "--yes") == 2
    assert "did you mean 'distances'?" in capsys.readouterr().err


@pytest.mark.parametrize(("answer", "code", "left"), [(True, 0, False), (False, 1, True)])
def test_in_a_terminal_it_asks(
    answer: bool, code: int, left: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", lambda text, err: answer)
    assert run("cache", "clear", "kernels") == code
    assert (folder / "kernels").exists() == left
