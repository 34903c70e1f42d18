"""``riemap add``: new nodes in the embedding of a run, or of a file."""

from pathlib import Path

import numpy as np
import pytest
from helpers import parsed, run

from riemap import Embedding, Space


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An embedding of a path of five nodes, and files of edges."""
    monkeypatch.chdir(tmp_path)
    points = (np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]),)
    Embedding(Space.parse("E1"), points, np.zeros(1), (0, 1, 2, 3, 4)).save("line.npz")
    Path("new.edges").write_text("4 5\n5 six\n")
    return tmp_path


def test_new_nodes_are_added_and_told(line: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = Path("line.npz").read_bytes()
    assert run("add", "line.npz", "new.edges", "--graph", "path(n=5)", "--out", "more.npz") == 0
    told = capsys.readouterr()
    assert "2 new of 7 nodes" in told.out
    assert "average distortion of new nodes 0.00" in told.out
    assert "wrote more.npz" in told.err
    assert Path("line.npz").read_bytes() == before
    assert Embedding.load("more.npz").labels == (0, 1, 2, 3, 4, "5", "six")
    assert run("add", "line.npz", "new.edges", "--graph", "path(n=5)", "--json") == 0
    found = parsed(capsys.readouterr().out)
    assert (found["nodes"], [row["node"] for row in found["added"]]) == (7, ["5", "six"])
    assert found["ad"] < 0.01


def test_a_run_tells_its_graph(line: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("embed", "path(n=5)", "--space", "E1", "--epochs", "5", "--out", "five") == 0
    files = {path.name: path.read_bytes() for path in Path("five").iterdir()}
    assert run("add", "five", "new.edges") == 0
    assert {path.name: path.read_bytes() for path in Path("five").iterdir()} == files
    assert run("add", "five", "new.edges", "--graph", "path(n=6)") == 2
    assert "is not the graph that was embedded" in capsys.readouterr().err


def test_many_new_nodes_are_not_all_listed(line: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("many.edges").write_text("".join(f"4 n{i}\n" for i in range(30)))
    assert run("add", "line.npz", "many.edges", "--graph", "path(n=5)") == 0
    assert len(capsys.readouterr().out.splitlines()) == 13


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("4 5\n", [], "name the graph, e.g. riemap add line.npz EDGES --graph karate"),
        ("0 1\n", ["--graph", "path(n=5)"], "every node is in the embedding already"),
        ("0 4\n4 5\n", ["--graph", "path(n=5)"], "joins two nodes of the embedding"),
        ("4 5\n6 7\n", ["--graph", "path(n=5)"], "no path leads from 6 to"),
        ("", ["--graph", "path(n=5)"], "bad.edges"),
        ("4 5\n", ["--graph", "path(n=5)", "--out", "."], "is a folder"),
        ("4 5\n", ["--graph", "path(n=6)"], "not an embedding of"),
    ],
)
def test_bad_input_is_one_message(
    line: Path, capsys: pytest.CaptureFixture[str], text: str, arguments: list[str], message: str
) -> None:
    Path("bad.edges").write_text(text)
    assert run("add", "line.npz", "bad.edges", *arguments) == 2
    told = capsys.readouterr()
    assert message in told.err
    assert told.out == ""
