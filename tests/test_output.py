"""Output of the command line: any terminal, streams, full disks, and words while the user waits."""

import json
import logging
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import program, run

from riemap.cli import describe, progress, sample
from riemap.cli.messages import refusing
from riemap.embeddings import Embedding
from riemap.graphs import load_dataset
from riemap.metrics import Scores, evaluate
from riemap.runs import result
from riemap.spaces import Space

FULL = "no space left on device; free some space, or write to another disk\n"


def done(*arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, with variables of the environment from ``env``."""
    environment = {**os.environ, **more.pop("env", {})}  # type: ignore[dict-item]
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **more}
    return subprocess.run(program(*arguments), env=environment, check=False, **given)  # type: ignore[call-overload, no-any-return]


@pytest.fixture
def karate(tmp_path: Path) -> Path:
    """Save an embedding of the karate club at random points."""
    graph, space = load_dataset("karate"), Space.parse("H2")
    points = space.random(np.random.default_rng(0), graph.n)
    Embedding(space, points, np.zeros(1), graph.labels).save(tmp_path / "karate.npz")
    return tmp_path / "karate.npz"


# --- terminals --------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_terminal_without_unicode(encoding: str, karate: Path) -> None:
    """Our own characters get plain ones instead, and nothing ends in a traceback."""
    env = {"PYTHONIOENCODING": encoding}
    for words in (["spaces"], ["describe", "karate"], ["evaluate", str(karate), "karate"]):
        found = done(*words, env=env, encoding=encoding)
        assert found.returncode == 0, found.stderr
        assert "\\u" not in found.stdout
    assert "##########" in done("describe", "karate", env=env, encoding=encoding).stdout


def test_json_is_the_same_in_any_encoding(tmp_path: Path) -> None:
    (tmp_path / "ünï☃.edges").write_text("ä ☃\n☃ \U0001f600\n")
    words = ("describe", str(tmp_path / "ünï☃.edges"), "--json")
    plain, full = (done(*words, env={"PYTHONIOENCODING": e}).stdout for e in ("ascii", "utf-8"))
    assert plain.isascii()
    assert not full.isascii()
    assert json.loads(plain) == json.loads(full)
    assert json.loads(full)["graph"] == "ünï☃"


def test_names_that_are_not_unicode(tmp_path: Path) -> None:
    """A file name of Latin-1 is printed escaped, and a run, its page and its figure can be made of it."""
    path = os.fsdecode(os.fsencode(tmp_path) + b"/g\xff.edges")
    Path(path).write_text("a b\nb c\nc d\nd a\n")
    assert done("describe", path).stdout.startswith("g\\udcff: 4 nodes")
    assert json.loads(done("describe", path, "--json").stdout)["graph"].startswith("g")
    out = os.fsdecode(os.fsencode(tmp_path) + b"/run\xff")
    for words in (
        ["embed", path, "-s", "E2", "--epochs", "2", "--out", out],
        ["embed", path, "-s", "E2", "--epochs", "2", "--out", out, "--resume"],
        ["report", out, "-o", str(tmp_path / "page.html")],
        ["plot", "angles", out, "-o", str(tmp_path / "angles.png")],
    ):
        found = done(*words)
        assert found.returncode == 0, found.stderr


def test_labels_that_are_not_unicode(tmp_path: Path) -> None:
    points = (np.random.default_rng(0).normal(size=(4, 2)),)
    path = tmp_path / "e.npz"
    Embedding(Space.parse("E2"), points, np.zeros(1), ("a", "\ud800b", "c", "d")).save(path)
    assert "\\ud800b" in done("nearest", str(path), "a").stdout
    found = json.loads(done("nearest", str(path), "a", "--json").stdout)
    assert "\ud800b" in {row["node"] for row in found["nearest"]}
    refused = done("export", str(path))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("riemap: the label '\\ud800b' has a lone surrogate")


# --- streams and full disks ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "start"),
    [
        (["export", "karate.npz"], b"label,t0,t1\n"),
        (["report", "karate.npz", "karate"], b"<!doctype html>"),
        (["plot", "angles", "karate.npz"], b"\x89PNG"),
    ],
)
def test_dev_stdout_is_a_file_to_write_to(words: list[str], start: bytes, karate: Path) -> None:
    found = done(*words, "--out", "/dev/stdout", cwd=karate.parent, text=False)
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith(start)
    assert found.stderr.splitlines()[-1].startswith(b"riemap: wrote /dev/stdout")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_is_one_line_and_exit_code_2(karate: Path) -> None:
    """Whether stdout goes there, or a file is written there."""
    with Path("/dev/full").open("w") as full:
        for words in (
            ["describe", "karate"],
            ["describe", "karate", "--json"],
            ["spaces"],
            ["export", str(karate)],
            ["--help"],
        ):
            found = done(*words, stdout=full)
            assert (found.returncode, found.stderr) == (2, f"riemap: cannot write to stdout: {FULL}")
        assert done("spaces", stdout=full, stderr=full).returncode == 2
    found = done("export", str(karate), "--out", "/dev/full")
    assert (found.returncode, found.stderr) == (2, f"riemap: /dev/full: {FULL}")


def test_a_grid_cannot_write_pages_beside_a_stream(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "grid.json").write_text("{}")
    assert run("report", str(tmp_path), "-o", os.devnull) == 2
    assert "add --no-pages" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "said"), [(MemoryError(), "nothing is free"), (MemoryError("1 TB"), "1 TB")]
)
def test_a_lack_of_memory_is_one_line(
    error: MemoryError, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Exception, match="2"), refusing():
        raise error
    assert capsys.readouterr().err == f"riemap: there is not enough memory for this: {said}\n"


# --- while the user waits -----------------------------------------------------------------------------


def test_what_takes_long_is_told_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "FIRST_LINE_SECONDS", 0.05)
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.1)
    with progress.telling("counting", 10):
        time.sleep(0.2)
    assert capsys.readouterr().err == "", "few nodes take a moment"
    with progress.telling("counting"):
        time.sleep(0.5)
    lines = capsys.readouterr().err.splitlines()
    assert 2 <= len(lines) <= 5
    assert set(lines) == {"riemap: counting, 0 s so far"}
    time.sleep(0.2)
    assert capsys.readouterr().err == "", "nothing is said afterwards"
    with progress.telling("counting") as postpone:
        monkeypatch.setattr(progress, "LINE_SECONDS", 60.0)
        postpone()
        time.sleep(0.2)
    assert capsys.readouterr().err == "", "something else was just said"


def test_a_share_is_told_with_the_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "FIRST_LINE_SECONDS", 0.0)
    with progress.stage_progress("karate") as stage:
        told = stage("distances")
        for share in (0.0, 0.25, 0.5, 1.0):
            told(share)
    assert capsys.readouterr().err == "karate: distances, 25%, 0 s left\n"


def test_large_graphs_are_described_from_some_nodes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(describe, "LARGEST_FULLY_DESCRIBED", 100)
    monkeypatch.setattr(describe, "DEFAULT_SOURCES", 10)
    assert run("describe", "cycle(n=101)") == 0
    out, err = capsys.readouterr()
    assert err == "riemap: counting the distances from 10 of 101 nodes; --sources 101 takes them all\n"
    assert "diameter       at least 50 hops\n" in out
    assert "pairs of nodes, from 10 random nodes\n" in out
    assert run("describe", "cycle(n=101)", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["sources"], found["seed"], sum(found["distances"]["pairs"])) == (10, 0, 1000)
    assert run("describe", "cycle(n=101)", "--sources", "101", "--json") == 0
    out, err = capsys.readouterr()
    assert (
        err == "riemap: counting the distances from 101 of 101 nodes, which may take long; Ctrl-C stops it\n"
    )
    assert "sources" not in json.loads(out)
    assert sum(json.loads(out)["distances"]["pairs"]) == 101 * 50


def test_distances_from_some_nodes_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for seed in (1, 1, 2):
        assert run("describe", "karate", "--sources", "5", "--seed", str(seed), "--json") == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]
    assert found[0]["distances"] != found[2]["distances"]
    assert run("describe", "karate", "--sources", "5", "--seed", "-1") == 2
    assert "seed=-1" in capsys.readouterr().err


@pytest.mark.parametrize("count", [0, -1, sample.MAX_THRESHOLDS + 1, 10**9])
def test_thresholds_are_bounded(count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sample", "H2", "--out", str(tmp_path / "new"), f"--thresholds={count}") == 2
    assert capsys.readouterr().err == (
        f"riemap: --thresholds is not {count}; it is a number from 1 to 1000, e.g. 10\n"
    )
    assert not (tmp_path / "new").exists()


def test_what_riemap_logs_is_told_during_a_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each stage of a run on a large graph is named while it is done."""
    monkeypatch.setattr(progress, "FIRST_LINE_SECONDS", 0.05)
    logger = logging.getLogger("riemap.distances")
    with progress.telling("computing", logged=True):
        logger.info("placing %d nodes", 9)
        logging.getLogger("riemap.distances.store").info("stored")
        time.sleep(0.2)
    with progress.telling("computing"):
        logger.info("placing %d nodes", 9)
        time.sleep(0.2)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["riemap: placing 9 nodes, 0 s so far", "riemap: computing, 0 s so far"]
    assert not logging.getLogger("riemap").handlers


def test_the_scores_of_a_run_that_is_not_kept_are_told_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "FIRST_LINE_SECONDS", 0.05)
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.05)
    monkeypatch.setattr(progress, "SLOW_NODES", 1)

    def slowly(*given: Any, **options: Any) -> Scores:
        logging.getLogger("riemap.metrics").info("computing scores")
        time.sleep(0.5)
        return evaluate(*given, **options)

    monkeypatch.setattr(result, "evaluate", slowly)
    assert run("embed", "karate", "-s", "E2", "--epochs", "2") == 0
    assert "riemap: computing scores, 0 s so far" in capsys.readouterr().err
