"""Exported files hold every number and label exactly, or the label that they cannot hold is refused."""

import csv
import io
import os
import subprocess
import sys
import threading
from collections.abc import Hashable
from pathlib import Path

import networkx
import numpy as np
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from riemap import exports
from riemap.cli.export import EXPORT_FORMATS, export
from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.exports import as_csv, as_graphml, as_projector, as_word2vec, table
from riemap.graphs import Graph, read_graph
from riemap.spaces import Space

NAMES = ("a", "b", "c", "d")
HARD = ('say "no"', "a,b", "two\nlines", "cr\rhere", "tab\there", " edges ", "naïve ☃ \U0001f600", "", "=1+1")

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
app.command("export")(export)


def run(*arguments: object) -> int:
    """Run ``riemap export`` in this process and return its exit code."""
    with pytest.raises(SystemExit) as stop:
        app([str(a) for a in arguments])
    return int(stop.value.code or 0)


def embedding(names: tuple[Hashable, ...] = NAMES, space: str = "H2") -> Embedding:
    parsed = Space.parse(space)
    points = parsed.random(np.random.default_rng(0), len(names))
    return Embedding(parsed, points, np.linspace(-0.5, 0.5, len(parsed.factors)), names)


def path_graph(names: tuple[Hashable, ...] = NAMES, weights: list[float] | None = None) -> Graph:
    edges = [(i, i + 1) for i in range(len(names) - 1)]
    return Graph.from_edges(edges, weights, labels=names, name="path")


def read_csv(data: bytes) -> tuple[list[str], list[str], np.ndarray]:
    head, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
    return head, [row[0] for row in rows], np.array([[float(v) for v in row[1:]] for row in rows])


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Save an embedding in a folder, as a run does."""
    embedding().save(tmp_path / "run" / "embedding.npz")
    return tmp_path / "run"


# --- tables -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("space", "features", "points"),
    [
        ("H2", ["t0", "t1"], ["x0", "x1", "x2"]),
        ("SPD2", ["t0", "t1", "t2"], ["x0_0", "x0_1", "x1_0", "x1_1"]),
        ("Gr(1,3)", ["t0", "t1"], ["x0_0", "x1_0", "x2_0"]),
        (
            "E1^2 x SO2",
            ["factor1_t0", "factor2_t0", "factor3_t0"],
            ["factor1_x0", "factor2_x0", *(f"factor3_x{i}_{j}" for i in (0, 1) for j in (0, 1))],
        ),
    ],
)
def test_columns_are_named_after_factor_and_index(space: str, features: list[str], points: list[str]) -> None:
    e = embedding(space=space)
    rows, raw = table(e), table(e, points=True)
    assert (rows.labels, rows.columns, raw.columns) == (list(NAMES), features, points)
    assert np.array_equal(rows.values, e.features())
    assert np.array_equal(raw.values, np.concatenate([x.reshape(4, -1) for x in e.points], axis=1))


def test_labels_that_are_the_same_text_are_refused() -> None:
    with pytest.raises(ValueError, match="the labels 1 and '1' are the same text"):
        table(embedding((1, "x", "1")))


def test_labels_that_utf8_cannot_write_are_refused() -> None:
    with pytest.raises(ValueError, match=r"the label '\\ud800' has a lone surrogate, .* rename"):
        table(embedding(("a", "\ud800")))


# --- csv --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("points", [False, True])
def test_csv_round_trips(points: bool) -> None:
    rows = table(embedding(HARD, "H2 x S2"), points=points)
    head, labels, values = read_csv(as_csv(rows))
    assert head == ["label", *rows.columns]
    assert labels == list(HARD)
    assert np.array_equal(values, rows.values)


@given(names=st.lists(st.text(st.characters(codec="utf-8")), min_size=1, max_size=5, unique=True))
def test_any_label_round_trips_through_csv(names: list[str]) -> None:
    rows = table(embedding(tuple(names), "E1"), points=True)
    assert read_csv(as_csv(rows))[1] == names


def test_csv_is_plain_where_it_can_be() -> None:
    e = Embedding(Space.parse("E1"), (np.array([[0.1], [1e-300]]),), np.zeros(1), (7, "b c"))
    assert as_csv(table(e, points=True)) == b"label,x0\n7,0.1\nb c,1e-300\n"


# --- word2vec and the projector ---------------------------------------------------------------------


def test_word2vec_has_sizes_and_one_line_for_each_node() -> None:
    e = embedding(("a", "ü☃", "#x", 3))
    head, *lines = as_word2vec(table(e)).decode().splitlines()
    assert head == "4 2"
    parts = [line.split(" ") for line in lines]
    assert [part[0] for part in parts] == ["a", "ü☃", "#x", "3"]
    assert np.array_equal([[float(v) for v in part[1:]] for part in parts], e.features())


@pytest.mark.parametrize("name", ["two words", "tab\there", "line\n", "\u2003", "", "no-break\u00a0space"])
def test_word2vec_refuses_a_label_with_a_space(name: str) -> None:
    with pytest.raises(
        ValueError, match=r"^the label .*(has spaces|is empty), .*; the format csv holds any label$"
    ) as caught:
        as_word2vec(table(embedding(("a", name))))
    assert repr(name) in str(caught.value)


def test_the_projector_has_a_file_of_vectors_and_one_of_labels() -> None:
    e = embedding(("a b", "ü☃", 3))
    vectors, metadata = as_projector(table(e))
    found = [[float(v) for v in line.split("\t")] for line in vectors.decode().splitlines()]
    assert np.array_equal(found, e.features())
    assert metadata.decode() == "a b\nü☃\n3\n"


@pytest.mark.parametrize("name", ["tab\there", "line\n", "cr\r", ""])
def test_the_projector_refuses_a_label_that_breaks_lines(name: str) -> None:
    with pytest.raises(ValueError, match=r"^the label .*(has tabs or lines|is empty), which tsv"):
        as_projector(table(embedding(("a", name))))


# --- graphml ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [None, [0.5, 2.0, 1.0 / 3.0]])
def test_graphml_has_nodes_with_numbers_and_the_edges(weights: list[float] | None, tmp_path: Path) -> None:
    """NetworkX and read_graph both read the file."""
    e, graph = embedding(space="E1 x S1"), path_graph(weights=weights)
    data = as_graphml(e, graph, points=True)
    found = networkx.parse_graphml(data.decode())
    assert list(found) == list(NAMES)
    rows = table(e, points=True)
    assert np.array_equal([[found.nodes[n][c] for c in rows.columns] for n in NAMES], rows.values)
    lengths = {frozenset(e): w for *e, w in found.edges(data="weight")}
    given_ = weights or [None] * 3
    assert lengths == {frozenset(NAMES[i : i + 2]): w for i, w in enumerate(given_)}
    (tmp_path / "g.graphml").write_bytes(data)
    assert read_graph(tmp_path / "g.graphml", weights="lengths").key == graph.key


def test_lengths_belong_to_their_edges() -> None:
    """The length of an edge is found from both of its ends."""
    edges = {(0, 3): 3.0, (0, 1): 1.0, (1, 2): 12.0, (2, 3): 23.0, (1, 3): 13.0}
    graph = Graph.from_edges(list(edges), list(edges.values()), labels=NAMES)
    found = networkx.parse_graphml(as_graphml(embedding(), graph).decode())
    for (i, j), length in edges.items():
        assert found.edges[NAMES[i], NAMES[j]]["weight"] == length


def test_graphml_matches_nodes_by_label() -> None:
    """Nodes are matched in any order, and a number matches its text."""
    e = embedding((0, 1, 2, 3))
    found = networkx.parse_graphml(as_graphml(e, path_graph(("3", "1", "0", "2")), points=True).decode())
    assert [set(edge) for edge in found.edges()] == [{"3", "1"}, {"1", "0"}, {"0", "2"}]
    assert found.nodes["3"]["x1"] == e.points[0][3, 1]


def test_graphml_holds_hard_labels() -> None:
    found = networkx.parse_graphml(as_graphml(embedding(HARD), path_graph(HARD)).decode())
    assert list(found) == list(HARD)


def test_graphml_refuses_what_xml_cannot_hold_and_other_graphs() -> None:
    for name in ("\x00", "bell\x07", "\ufffe"):
        names = ("a", name)
        with pytest.raises(ValueError, match="has control characters, which graphml cannot hold"):
            as_graphml(embedding(names), path_graph(names))
    for names in (("a", "b", "c"), ("a", "b", "c", "e")):
        with pytest.raises(ValueError, match=r"^this is not an embedding of path: "):
            as_graphml(embedding(), path_graph(names))


# --- the command line -------------------------------------------------------------------------------


def test_export_prints_csv_by_default(saved: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The source may be the folder of a run or the file in it."""
    for source in (saved, saved / "embedding.npz"):
        assert run(source) == 0
        assert capfdbinary.readouterr() == (as_csv(table(embedding())), b"")
    assert run(saved, "--points", "--format", "word2vec") == 0
    assert capfdbinary.readouterr().out == as_word2vec(table(embedding(), points=True))


def test_export_writes_files(saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Missing folders are made, and older files are replaced."""
    rows = table(embedding())
    for _ in range(2):
        assert run(saved, "--format", "csv", "--out", tmp_path / "new" / "a.csv") == 0
        assert (tmp_path / "new" / "a.csv").read_bytes() == as_csv(rows)
        assert run(saved, "--format", "tsv", "--out", tmp_path / "tsv") == 0
        written = {file.name: file.read_bytes() for file in (tmp_path / "tsv").iterdir()}
        assert written == dict(zip(("vectors.tsv", "metadata.tsv"), as_projector(rows), strict=True))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0] == f"riemap: wrote {tmp_path / 'new' / 'a.csv'}"
    assert len(err.splitlines()) == 6


def test_export_takes_edges_from_a_graph(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "path.edges").write_text("a b\nb c\nc d\n")
    assert run(saved, "--format", "graphml", "--graph", tmp_path / "path.edges", "--out", tmp_path / "g") == 0
    assert (tmp_path / "g").read_bytes() == as_graphml(embedding(), path_graph())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "none: no such file or directory"),
        (["empty"], "empty holds no embedding.npz; 'riemap embed GRAPH --out empty' would put one there"),
        (["text"], "text is not an embedding saved by riemap"),
        (["run", "--format", "cvs"], "--format "),
        (["run", "--format", "tsv"], "tsv writes two files, vectors.tsv and metadata.tsv; name a folder"),
        (
            ["run", "--format", "graphml"],
            "run does not tell what was embedded; name the graph, e.g. riemap export run",
        ),
        (["run", "--graph", "karate"], "csv cannot hold the edges of a graph; leave out --graph"),
        (["run", "--format", "graphml", "--graph", "karate"], "this is not an embedding of karate"),
        (["run", "--format", "graphml", "--graph", "d.npy"], "d is a matrix of dissimilarities"),
        (["run", "--format", "graphml", "--graph", "nothing"], "no file, dataset or generator is called"),
        (["spaces.npz", "--format", "word2vec"], "the label 'two words' has spaces, which word2vec"),
        (["run", "--out", "empty"], "empty is a folder; name a file, e.g. empty/embedding.csv"),
        (["run", "--format", "tsv", "--out", "text"], "text is not a folder; tsv writes two files"),
        (["run", "--safe-csv", "--format", "word2vec"], "--safe-csv is for the format csv, not word2vec"),
        (["run", "--out", "text/a.csv"], "text/a.csv: not a directory"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: list[str],
    message: str,
    saved: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(saved.parent)
    Path("empty").mkdir()
    Path("text").write_text("hello")
    np.save("d.npy", 1.0 - np.eye(4))
    embedding(("a", "two words")).save("spaces.npz")
    assert run(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"riemap: {message}")
    assert err.count("\n") == 1
    assert sorted(p.name for p in Path().iterdir()) == ["d.npy", "empty", "run", "spaces.npz", "text"]


def test_help_has_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    out = capsys.readouterr().out
    assert "Example: riemap export" in out
    assert all(format in out for format in EXPORT_FORMATS)


def test_labels_beyond_ascii_are_printed_in_any_locale(tmp_path: Path) -> None:
    """The output is UTF-8 even if the locale has another encoding."""
    embedding(("ü☃", "b")).save(tmp_path / "e.npz")
    code = "import typer, sys; from riemap.cli.export import export; typer.run(export)"
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "e.npz", "--points"],
        env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
        capture_output=True,
        check=True,
    )
    assert done.stdout == as_csv(table(embedding(("ü☃", "b")), points=True))


@given(labels=st.lists(st.text(st.characters(codec="utf-8")), min_size=1, unique=True))
def test_safe_csv_holds_no_formula(labels: list[str]) -> None:
    """Fields are quoted; an apostrophe, which is all that changes, comes before what is no number."""
    rows = table(embedding(tuple(labels), "E1"))
    try:
        data = as_csv(rows, safe=True)
    except InputError:
        assert any(label.startswith("'") and label[1:] in labels for label in labels)
        return
    found = read_csv(data)[1]
    for label, field in zip(labels, found, strict=True):
        assert field in (label, f"'{label}")
        if field[:1] and field[0] in "=+-@\t\r\n":
            float(field)
    assert data.decode().count('"') >= 2 * len(labels)


@pytest.mark.parametrize(
    "label", ["=1+1", "+1 2", "-x", "@SUM(1)", "\t=1", "\r=1", "\n=1", "-", "＝1", "=cmd|' /C x'!A0"]
)
def test_formulas_get_an_apostrophe(label: str) -> None:
    rows = table(embedding((label, "a;=1+1"), "E1"))
    assert read_csv(as_csv(rows, safe=True))[1] == [f"'{label}", "a;=1+1"]
    assert read_csv(as_csv(rows))[1][0] == label, "nothing changes unless it is asked for"


@pytest.mark.parametrize("label", ["-1", "+2", "-2.5e-3", ".5", "-.5", "-3.", "a=b", "'", ""])
def test_numbers_and_harmless_labels_stay(label: str) -> None:
    assert read_csv(as_csv(table(embedding((label, "b"), "E1")), safe=True))[1] == [label, "b"]


def test_labels_that_safe_csv_would_make_equal_are_refused() -> None:
    with pytest.raises(InputError, match="differ only in an apostrophe"):
        as_csv(table(embedding(("=a", "'=a"), "E1")), safe=True)


def test_export_to_a_fifo_and_a_device(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They get what stdout would get, and are not replaced."""
    assert run(saved, "--safe-csv") == 0
    expected, fifo, found = capsys.readouterr().out.encode(), saved / "fifo", []
    os.mkfifo(fifo)
    reader = threading.Thread(target=lambda: found.append(fifo.read_bytes()))
    reader.start()
    assert run(saved, "--safe-csv", "--out", fifo) == 0
    reader.join()
    assert found == [expected]
    assert fifo.is_fifo()
    (saved / "null").symlink_to(os.devnull)
    assert run(saved, "--out", saved / "null") == 0
    assert Path(os.devnull).is_char_device()
    assert (saved / "null").is_symlink()


def test_rows_become_texts_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of any size give the same bytes."""
    rows = exports.Table([f"n{i}" for i in range(10)], ["x0", "x1"], np.random.default_rng(0).random((10, 2)))
    whole = exports.as_csv(rows), exports.as_word2vec(rows), exports.as_projector(rows)
    monkeypatch.setattr(exports, "EXPORT_ROWS", 3)
    assert (exports.as_csv(rows), exports.as_word2vec(rows), exports.as_projector(rows)) == whole
