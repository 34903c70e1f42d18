"""Tests of the command line: output, JSON, messages, exit codes."""

import hashlib
import json
import os
import re
import subprocess
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer
from helpers import parsed, program, run

from riemap.cli.messages import refusing
from riemap.embeddings import Embedding
from riemap.errors import (
    DivergedError,
    DownloadError,
    InputError,
    MissingExtraError,
    NotEnoughMemoryError,
)
from riemap.graphs import DATASETS, GraphWarning, load_dataset
from riemap.manifolds import MANIFOLDS
from riemap.metrics import METRICS, evaluate
from riemap.spaces import Space


def test_spaces_lists_every_manifold(capsys: pytest.CaptureFixture[str]) -> None:
    """Each line has the spelling, dimension, distance formula and name, and is not broken at 80 columns."""
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


@pytest.fixture
def no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set an empty folder of data and an empty cache."""
    monkeypatch.setenv("RIEMAP_DATA", str(tmp_path))
    monkeypatch.setenv("RIEMAP_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_datasets_lists_every_dataset(no_files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each line has the sizes and whether the file is present, and is not broken at 80 columns."""
    (no_files / "power.edges.gz").touch()
    assert run("datasets") == 0
    out, err = capsys.readouterr()
    for dataset in DATASETS.values():
        (line,) = (line for line in out.splitlines() if line.startswith(f"{dataset.name} "))
        here = "yes" if not dataset.file or dataset.name == "power" else "no"
        edges = [] if dataset.m is None else [str(dataset.m)]
        words = [dataset.name, str(dataset.n), *edges, here, *dataset.description.split()]
        assert line.split() == words
    assert max(map(len, out.splitlines())) <= 80
    assert err == ""


def test_datasets_as_json(no_files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("datasets", "--json") == 0
    found = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)["datasets"]}
    assert list(found) == list(DATASETS)
    assert found["power"]["sha256"] == DATASETS["power"].sha256
    assert found["power"]["citation"].startswith("Watts, Strogatz.")
    assert (found["cat-cortex"]["m"], found["karate"]["url"], found["power"]["path"]) == (None, None, None)
    assert run("datasets", "show", "power", "--json") == 0
    assert json.loads(capsys.readouterr().out) == found["power"]


def test_datasets_shows_one_with_its_citation(no_files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Addresses are not broken across lines, so that they can be copied."""
    assert run("datasets", "show", "csphd") == 0
    out = capsys.readouterr().out
    assert "Exploratory social network analysis with Pajek" in " ".join(out.split())
    assert f"address      {DATASETS['csphd'].url}\n" in out


def test_datasets_prints_a_path(
    no_files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The output is the path alone, for use in a shell. A file with another hash is refused."""
    path = no_files / "power.edges.gz"
    path.write_bytes(b"0 1")
    assert run("datasets", "path", "power") == 2
    assert "is not the file of dataset 'power': its SHA-256" in capsys.readouterr().err
    digest = hashlib.sha256(b"0 1").hexdigest()
    monkeypatch.setitem(DATASETS, "power", replace(DATASETS["power"], sha256=digest))
    assert run("datasets", "path", "power") == 0
    assert capsys.readouterr() == (f"{path}\n", "")
    assert run("datasets", "path", "power", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"name": "power", "path": str(path)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "pwer"], "riemap: no dataset is called 'pwer'; did you mean 'power'?"),
        (["path", "karate"], "riemap: dataset 'karate' comes with NetworkX and has no file"),
        (["path"], "riemap: which dataset? For example: riemap datasets path power"),
        (["list", "power"], "riemap: 'list' takes no name; did you mean 'riemap datasets show power'?"),
    ],
)
def test_bad_datasets_are_one_message_and_exit_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("datasets", *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message)
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (InputError("first\nsecond\x1b[31m"), "riemap: first second\\x1b[31m\n"),
        (
            FileNotFoundError(2, "No such file or directory", "a.edges"),
            "riemap: a.edges: no such file or directory\n",
        ),
        (DownloadError("no network"), "riemap: no network\n"),
        (MissingExtraError("install it"), "riemap: install it\n"),
        (NotEnoughMemoryError("need 2 GB"), "riemap: need 2 GB\n"),
    ],
)
def test_bad_input_is_one_line(error: Exception, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as stop, refusing():
        raise error
    assert stop.value.exit_code == 2
    assert capsys.readouterr().err == line


def test_training_that_diverges_is_one_line_and_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as stop, refusing():
        raise DivergedError("the loss is NaN")
    assert (stop.value.exit_code, capsys.readouterr().err) == (1, "riemap: the loss is NaN\n")


@pytest.mark.parametrize(
    "error",
    [
        BrokenPipeError(32, "Broken pipe", "a"),
        RuntimeError("a fault of ours"),
        ValueError("a fault of ours"),
        ArithmeticError("a fault of ours"),
        ImportError("a fault of ours"),
        OSError("a fault of ours"),
    ],
)
def test_other_errors_are_not_the_input_s_fault(error: Exception) -> None:
    with pytest.raises(type(error)), refusing():
        raise error


def test_warnings_about_the_input_are_lines_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """Each warning of riemap is printed at once, even if repeated; other warnings are not caught."""
    with warnings.catch_warnings(record=True) as others, refusing():
        for _ in range(2):
            warnings.warn("dropped 1 self-loop", GraphWarning, stacklevel=1)
            assert capsys.readouterr().err == "riemap: warning: dropped 1 self-loop\n"
        warnings.simplefilter("always")
        warnings.warn("something else", UserWarning, stacklevel=1)
    assert [str(other.message) for other in others] == ["something else"]
    with pytest.raises(GraphWarning):
        warnings.warn("outside, an error as everywhere in these tests", GraphWarning, stacklevel=1)


# --- describe and evaluate --------------------------------------------------------------------------


@pytest.fixture
def karate(tmp_path: Path) -> Path:
    """Save an embedding of the karate club at random points."""
    graph, space = load_dataset("karate"), Space.parse("H2")
    points = space.random(np.random.default_rng(0), graph.n)
    Embedding(space, points, np.zeros(1), graph.labels).save(tmp_path / "karate.npz")
    return tmp_path / "karate.npz"


def test_describe_shows_sizes_degrees_and_distances(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("describe", "karate") == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[:7] == [
        "karate: 34 nodes, 78 edges",
        "degree         1 to 17, median 3, mean 4.59",
        "diameter       5 hops",
        "mean distance  2.41 hops",
        "attributes     club",
        "",
        "    hops   pairs of nodes",
    ]
    assert [line.split()[:3] for line in out.splitlines()[7:]] == [
        ["1", "78", "14%"],
        ["2", "265", "47%"],
        ["3", "137", "24%"],
        ["4", "73", "13%"],
        ["5", "8", "1%"],
    ]
    assert err == ""


def test_a_small_share_of_pairs_is_shown_as_less_than_one_percent(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("describe", "complete-bipartite(n=1,m=600)") == 0
    bars = capsys.readouterr().out.splitlines()[6:]
    assert [line.split() for line in bars] == [["1", "600", "<1%", "▏"], ["2", "179700", "100%", "█" * 24]]


@pytest.mark.parametrize("columns", [30, 50, 80, 200])
def test_describe_fits_the_terminal(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many distances are grouped, so that each bar takes one line."""
    monkeypatch.setenv("COLUMNS", str(columns))
    assert run("describe", "cycle(n=101)") == 0
    bars = capsys.readouterr().out.splitlines()[6:]
    assert len(bars) == 17, "fifty distances, three on each line"
    assert bars[0].split()[:3] == ["1–3", "303", "6%"]
    assert bars[-1].split()[:3] == ["49–50", "202", "4%"]
    assert max(map(len, bars)) <= columns
    assert len({len(line) for line in bars[:-1]}) == 1


def test_describe_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("describe", "tree(r=4,h=5)", "--json") == 0
    assert parsed(capsys.readouterr().out) == {
        "graph": "tree(r=4,h=5)",
        "n": 1365,
        "m": 1364,
        "weighted": False,
        "degree": {"min": 1, "median": 1.0, "mean": 2 * 1364 / 1365, "max": 5},
        "diameter": 10,
        "mean_distance": pytest.approx(8.681005016488887),
        "distances": {
            "values": list(range(1, 11)),
            "pairs": [1364, 3406, 5424, 13472, 20992, 50688, 73728, 172032, 196608, 393216],
        },
    }


def test_describe_weighted_graphs_and_matrices(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Distances that are all different are counted in ranges. A matrix has no degrees."""
    rng = np.random.default_rng(0)
    edges = "".join(f"a{i} a{i + 1} {w!r}\n" for i, w in enumerate(rng.uniform(1, 2, 60).tolist()))
    (tmp_path / "line.edges").write_text(edges)
    assert run("describe", str(tmp_path / "line.edges")) == 0
    out = capsys.readouterr().out
    assert out.startswith("line: 61 nodes, 60 edges, weighted\n")
    assert "hops" not in out
    assert len(out.splitlines()[6:]) == 20
    assert run("describe", str(tmp_path / "line.edges"), "--json") == 0
    found = parsed(capsys.readouterr().out)
    assert found["distances"]["up_to"][-1] == found["diameter"]
    assert sum(found["distances"]["pairs"]) == 61 * 60 // 2
    np.save(tmp_path / "three.npy", np.array([[0.0, 2.0, 4.0], [2.0, 0.0, 2.0], [4.0, 2.0, 0.0]]))
    assert run("describe", str(tmp_path / "three.npy")) == 0
    out = capsys.readouterr().out
    assert out.startswith("three: 3 points, no edges\ndiameter       4\nmean distance  2.67\n")
    assert "degree" not in out


def test_evaluate_shows_every_metric_and_the_curve(karate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("evaluate", str(karate), "karate") == 0
    out, err = capsys.readouterr()
    exact = evaluate(Embedding.load(karate), load_dataset("karate"))
    lines = [line.split() for line in out.splitlines()]
    assert out.startswith("karate in H2 (2 dimensions)\n")
    for metric in METRICS:
        (line,) = (line for line in lines if line[:1] == [metric.name])
        best = "100%" if metric.percent else "0" if metric.best == "low" and not metric.extreme else "1"
        assert line[1:] == [metric.text(exact[metric.name]), best, *metric.title.split()]
    assert [f"{exact['auc']:.2%}", "100%"] in [line[1:3] for line in lines]
    for k, (f1, pairs) in enumerate(zip(exact.f1_curve, exact.layers, strict=True), 1):
        assert [str(k), f"{f1:.2%}", str(pairs)] in [line[:3] for line in lines]
    assert err == ""


def test_evaluate_as_json(karate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("evaluate", str(karate), "karate", "--json") == 0
    found = parsed(capsys.readouterr().out)
    exact = evaluate(Embedding.load(karate), load_dataset("karate"))
    assert (found["graph"], found["space"], found["dim"], found["loss"]) == ("karate", "H2", 2, None)
    assert found["scores"] == dict(exact.values)
    assert (found["f1@k"], found["layers"]) == (list(exact.f1_curve), list(exact.layers))
    assert (found["n"], found["sources"]) == (34, 34)
    assert found["seconds"] >= 0.0
    assert "standard_errors" not in found


def test_evaluate_some_sources(karate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("evaluate", str(karate), "karate", "--sources", "20", "--seed", "3") == 0
    out = capsys.readouterr().out
    assert "estimated from 20 of 34 nodes, ± one standard error\n" in out
    drawn = evaluate(Embedding.load(karate), load_dataset("karate"), sources=20, seed=3)
    assert f"{drawn['ad']:.4f} ± {drawn.errors['ad']:.4f}" in out
    assert run("evaluate", str(karate), "karate", "--sources", "20", "--seed", "3", "--json") == 0
    found = parsed(capsys.readouterr().out)
    assert found["sources"] == 20
    assert found["standard_errors"] == dict(drawn.errors)


def test_evaluate_nodes_that_meet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If all nodes coincide, undefined scores are shown as signs in the table and as null in JSON."""
    e = Embedding(Space.parse("E1"), (np.zeros((5, 1)),), np.zeros(1), tuple(range(5)))
    e.save(tmp_path / "point.npz")
    arguments = ("evaluate", str(tmp_path / "point.npz"), "cycle(n=5)")
    assert run(*arguments) == 0
    lines = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert ["worst", "∞"] in lines
    assert ["pearson", "–"] in lines
    assert run(*arguments, "--json") == 0
    scores = parsed(capsys.readouterr().out)["scores"]
    assert (scores["worst"], scores["pearson"], scores["ad"]) == (None, None, 1.0)


def test_a_curve_of_many_layers_is_thinned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    e = Embedding(Space.parse("E1"), (np.arange(101.0)[:, None],), np.zeros(1), tuple(range(101)))
    e.save(tmp_path / "line.npz")
    assert run("evaluate", str(tmp_path / "line.npz"), "path(n=101)") == 0
    curve = capsys.readouterr().out.rpartition("F1@k")[2].splitlines()[1:]
    assert [line.split()[:2] for line in curve] == [[str(k), "100.00%"] for k in range(1, 101, 5)]


def test_nearest_nodes_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Labels may be of any type, and their control characters are escaped."""
    labels = ("Frodo", "Sam [bold]", "Bil\x1b[1mbo", 7)
    points = (np.array([[0.0], [1.0], [0.5], [3.0]]),)
    e = Embedding(Space.parse("E1"), points, np.zeros(1), labels)
    e.save(tmp_path / "line.npz")
    assert run("nearest", str(tmp_path / "line.npz"), "Frodo") == 0
    rows = [line.rsplit(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert rows == [
        ["Node", "Distance"],
        ["Bil\\x1b[1mbo", "0.5000"],
        ["Sam [bold]", "1.0000"],
        ["7", "3.0000"],
    ]
    assert run("nearest", str(tmp_path / "line.npz"), "7", "-k", "1", "--json") == 0
    assert parsed(capsys.readouterr().out) == {
        "node": "7",
        "nearest": [{"node": "Sam [bold]", "distance": 2.0}],
    }
    for arguments, message in ((["Gollum"], "no node is called 'Gollum'"), (["7", "-k", "0"], "k=0 is not")):
        assert run("nearest", str(tmp_path / "line.npz"), *arguments) == 2
        assert message in capsys.readouterr().err


FILES = {
    "directed.mtx": "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n",
    "pieces.edges": "a b\nc d\nd e\n",
    "loops.edges": "a a\na b\na b\nb c\n",
    "empty.edges": "",
    "text.npz": "not an embedding",
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["describe", "karte"], "no file, dataset or generator is called 'karte'; did you mean 'karate'\\?"),
        (["describe", "tre(r=4,h=5)"], "no generator is called 'tre'; did you mean 'tree'\\?"),
        (["describe", "tree(r=4)"], r"generator 'tree\(r=4\)': h must be given; it is spelled tree\("),
        (["describe", "nowhere.edges"], "no file, dataset or generator is called 'nowhere.edges'."),
        (["describe", "empty.edges"], "empty.edges is empty"),
        (["describe", "directed.mtx"], "directed, line 3: the edge from 1 to 2 .*--undirected"),
        (
            ["describe", "pieces.edges", "--components", "require"],
            "pieces: the graph has 2 components, .*--components largest",
        ),
        (["evaluate", "karate.npz", "karte"], "no file, dataset or generator is called 'karte'"),
        (["evaluate", "karate.npz"], "karate.npz does not tell what was embedded; name the graph"),
        (["evaluate", "none.npz", "karate"], "none.npz: no such file or directory"),
        (["evaluate", ".", "karate"], r"\. holds no embedding.npz; 'riemap embed GRAPH"),
        (["evaluate", "text.npz", "karate"], "text.npz is not an embedding saved by riemap"),
        (["evaluate", "karate.npz", "davis"], "this is not an embedding of davis: no node is called"),
        (["evaluate", "karate.npz", "cycle(n=9)"], r"this is not an embedding of cycle\(n=9\): 9 nodes"),
        (
            ["evaluate", "karate.npz", "pieces.edges", "--components", "require"],
            "pieces: the graph has 2 components",
        ),
        (["evaluate", "karate.npz", "karate", "--sources", "0"], "sources=0 is not a number of nodes"),
        (["evaluate", "karate.npz", "karate", "--seed", "-1"], "seed=-1 is negative"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_bad_graphs_and_embeddings_are_one_message_and_exit_code_2(
    arguments: list[str],
    message: str,
    as_json: bool,
    karate: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(karate.parent)
    for name, text in FILES.items():
        Path(name).write_text(text)
    assert run(*arguments, *(["--json"] if as_json else [])) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.match(f"riemap: {message}", err), err
    assert err.count("\n") == 1


def test_changes_to_a_graph_are_warnings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    for name, told in {
        "loops.edges": ["loops: dropped 1 self-loop", "loops: merged 1 parallel edge into 2"],
        "pieces.edges": [
            "pieces: the graph has 2 components, the largest with 3 of 5 nodes and 2 of 3 edges"
        ],
    }.items():
        assert run("describe", name, "--json") == 0
        out, err = capsys.readouterr()
        assert parsed(out)["n"] == 3
        for line, message in zip(err.splitlines(), told, strict=True):
            assert line.startswith(f"riemap: warning: {message}")
    assert run("describe", "directed.mtx", "--undirected") == 0
    out, err = capsys.readouterr()
    assert out.startswith("directed: 3 nodes, 2 edges\n")
    assert err == ""


# --- as a program -----------------------------------------------------------------------------------


def test_version_and_unknown_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out.startswith("riemap 0.")
    assert run("spases") == 2
    assert "No such command" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["spaces", "datasets", "describe", "evaluate"])
def test_output_to_a_pipe_has_no_control_codes(verb: str, karate: Path) -> None:
    arguments = {"describe": ["karate"], "evaluate": [str(karate), "karate"]}.get(verb, [])
    done = subprocess.run(program(verb, *arguments), capture_output=True, check=True)
    assert b"\x1b" not in done.stdout
    assert done.stdout.count(b"\n") > 5
    told = done.stderr.splitlines()
    assert [line for line in told if b"compiling" not in line] == []  # a slow machine says that it compiles


def test_a_reader_that_goes_away_is_no_error_to_report() -> None:
    """A closed pipe, as after ``riemap describe ... | head -1``, gives exit code 1 and no message."""
    read, write = os.pipe()
    os.close(read)
    try:
        for arguments in (["describe", "path(n=30)"], ["describe", "path(n=30)", "--json"], ["datasets"]):
            done = subprocess.run(program(*arguments), stdout=write, stderr=subprocess.PIPE, check=False)
            assert done.stderr == b""
            assert done.returncode == 1
    finally:
        os.close(write)


def test_an_interrupt_ends_with_code_130_and_without_a_traceback() -> None:
    """The interrupt arrives while distances are computed."""
    interrupted = """
import riemap.distances.paths as paths
def hop_counts(*arguments):
    raise KeyboardInterrupt
paths.hop_counts = hop_counts
"""
    done = subprocess.run(
        program("describe", "karate", before=interrupted), capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
