"""``riemap embed`` as a person meets it: results, folders, interruptions, and what is refused."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from commands import spelled
from helpers import run

from riemap import files
from riemap.cli import progress
from riemap.embeddings import Embedding
from riemap.training import presets

MAIN = "from riemap.cli import main; main()"


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty epochs are enough to see what is printed, and a slow machine adds no line."""
    monkeypatch.setattr(presets, "MOST_EPOCHS", 40)
    monkeypatch.setattr(presets, "FEWEST_EPOCHS", 40)
    monkeypatch.setattr(progress, "LINE_SECONDS", 1e9)


def test_scores_of_one_space(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("embed", "karate", "--space", "H2") == 0
    out, err = capsys.readouterr()
    assert out.startswith("karate in H2 (2 dimensions), ad + 0.5*edges, seed 0\n40 epochs in ")
    assert "all epochs are done" in out
    assert "average distortion" in out
    assert err.count("\n") == 11, "ten plain lines where there is no terminal, and one about the result"
    assert err.endswith("riemap: the embedding is not kept; --out DIR keeps it\n")
    assert "karate in H2: epoch 40 of 40, loss " in err
    assert "\x1b" not in out + err


def test_the_loss_follows_from_what_it_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    losses = {"both": "ad + 0.5*edges", "rank": "ad + 4*edges", "distance": "ad"}
    for aim, loss in (losses | {"links": "walks", "labels": "walks"}).items():
        assert run("embed", "karate", "--space", "H2", "--for", aim, "--json") == 0
        assert json.loads(capsys.readouterr().out)["loss"] == loss


def test_several_spaces_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("embed", "karate", "-s", "E3", "-s", "H3", "-s", "H2 x E1") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines[3:6]] == ["E3", "H3", "H2 x E1"]
    assert max(map(len, lines[:6])) <= 80
    for column in range(4):  # each metric has a best space, and it is marked
        assert (
            sum(line.replace("H2 x E1", "H2xE1").split()[2 + column].endswith("*") for line in lines[3:6])
            >= 1
        )
    assert lines[7].partition(" is best by average distortion (ad): 0.")[0] in ("E3", "H3", "H2 x E1")


def test_json_is_one_object_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("embed", "karate", "-s", "H2 x E1", "--loss", "rsne(T=0.5->0.01) + 0.3*ad", "--json") == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["space"], found["dim"], found["loss"]) == ("H2 x E1", 3, "rsne(T=0.5->0.01) + 0.3*ad")
    assert set(found["scores"]) >= {"f1@1", "auc", "ad", "ad_rescaled", "map"}
    assert len(found["f1@k"]) == 5
    assert err == ""


def test_a_run_has_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "deep" / "run"
    assert run("embed", "karate", "-s", "H2", "--seed", "3", "--out", str(folder)) == 0
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["config.json", "embedding.npz", "history.csv", "scores.json"]
    config = json.loads((folder / "config.json").read_text())
    assert (config["space"], config["loss"], config["seed"]) == ("H2", "ad + 0.5*edges", 3)
    rows = list(csv.DictReader((folder / "history.csv").read_text().splitlines()))
    assert [int(row["epoch"]) for row in rows] == list(range(40))
    assert float(rows[-1]["loss"]) < float(rows[12]["loss"])
    assert Embedding.load(folder / "embedding.npz").labels == tuple(range(34))
    said = capsys.readouterr().err
    assert f"riemap: wrote {folder}; 'riemap report {folder}' makes a page" in said
    assert run("evaluate", str(folder), "karate", "--json") == 0
    again = json.loads(capsys.readouterr().out)["scores"]
    assert again == json.loads((folder / "scores.json").read_text())["scores"]
    assert run("embed", "karate", "-s", "H2", "--out", str(folder)) == 2
    assert (
        "holds a run already, of karate in H2; --resume (in Python, resume=True) continues it"
        in capsys.readouterr().err
    )
    assert run("embed", "karate", "-s", "H2", "--seed", "4", "--out", str(folder), "--resume") == 2
    assert "holds another run: its seed is 3, and 4 is asked for" in capsys.readouterr().err
    assert run("embed", "karate", "-s", "H2", "--seed", "3", "--out", str(folder), "--resume") == 0, (
        "nothing to do"
    )


@pytest.mark.parametrize("aim", ["both", "links"])
def test_killed_and_resumed_to_the_same_bytes(aim: str, tmp_path: Path) -> None:
    """SIGKILL at three moments of a run; the last start finishes it."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    arguments = ["embed", "karate", "-s", "H2 x S1", "--for", aim, "--epochs", "1500"]
    arguments += ["--checkpoint-every", "7", "--out"]
    environment = {**os.environ, "NUMBA_NUM_THREADS": "1"}
    command = [sys.executable, "-c", MAIN, *arguments]
    subprocess.run([*command, str(whole)], check=True, capture_output=True, env=environment)
    kills = 0
    for delay in (0.3, 0.8, 0.1):
        process = subprocess.Popen(
            [*command, str(broken), "--resume"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        while process.poll() is None and not (broken / "checkpoint.npz").exists():
            time.sleep(0.01)
        time.sleep(delay)
        kills += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert kills > 0
    subprocess.run([*command, str(broken), "--resume"], check=True, capture_output=True, env=environment)
    a, b = (Embedding.load(folder / "embedding.npz") for folder in (whole, broken))
    assert all(np.array_equal(x, y) for x, y in zip(a.points, b.points, strict=True))
    assert np.array_equal(a.log_scales, b.log_scales)
    assert not (broken / "checkpoint.npz").exists()


def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C prints the best so far, keeps a checkpoint, and exits with 130."""
    heeding = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "  # also under nohup
    command = [sys.executable, "-c", heeding + MAIN, "embed", "karate", "-s", "H2", "--epochs", "200000"]
    process = subprocess.Popen(
        [*command, "--checkpoint-every", "5", "--out", str(tmp_path / "run")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NUMBA_NUM_THREADS": "1"},
    )
    while not (tmp_path / "run" / "checkpoint.npz").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "it was interrupted" in out
    assert "Traceback" not in err
    assert (tmp_path / "run" / "checkpoint.npz").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-s", "H2", "--loss", "rsn"], "no loss is called 'rsn'; did you mean 'rsne'?"),
        (["-s", "H2", "--loss", "rsne(T=0)"], "0 is not a positive number"),
        (["-s", "H2", "--loss", "rsne(T=-1)"], "-1 is not a positive number"),
        (["-s", "H2", "--optimizer", "adam"], "no optimizer is called 'adam'; did you mean 'radam'?"),
        (["-s", "H2", "--preset", "papers"], "no preset is called 'papers'; did you mean 'paper'?"),
        (["-s", "H2", "--epochs", "0"], "epochs=0 is not a number of epochs"),
        (["-s", "H40"], "H40 has 40 dimensions and karate 34 nodes; take fewer dimensions than nodes"),
        (["-s", "Q3"], "cannot read factor 'Q3' of space 'Q3'"),
        (["-s", "H2", "--for", "speed"], "what matters is one of both, rank, distance, links, labels"),
        (["-s", "H2", "--for", "rank", "--loss", "ad"], "--for rank and --loss ad exclude each other"),
        (["-s", "H2", "--for", "links", "--loss", "ad"], "--for links is --loss 'walks'"),
        (["-s", "H2", "--loss", "walks + ad"], "walks compares random walks"),
        (["-s", "H2", "--for", "links", "--sampler", "landmarks"], "takes all pairs of nodes"),
        (["-s", "H2", "--resume"], "--resume needs --out"),
        ([], "which space? riemap embed karate --space H2"),
    ],
)
def test_what_is_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("embed", "karate", *arguments) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert (out, err.count("\n"), err.startswith("riemap: ")) == ("", 1, True)


@pytest.mark.parametrize(("edges", "space", "advised"), [("0 1", "H2", "H1"), ("0 1\n1 2\n2 3", "E9", "H3")])
def test_the_advised_space_is_small_enough(
    edges: str, space: str, advised: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "few.edges").write_text(edges)
    assert run("embed", str(tmp_path / "few.edges"), "-s", space) == 2
    assert capsys.readouterr().err.endswith(f"take fewer dimensions than nodes, e.g. '{advised}'\n")
    assert run("embed", str(tmp_path / "few.edges"), "-s", advised) == 0


def test_a_misspelt_space_is_refused_before_the_graph_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("embed", "nowhere.edges", "-s", "E2", "-s", "Hyp3") == 2
    assert "no manifold is called 'Hyp'" in capsys.readouterr().err


def test_options_that_are_advised_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where memory is short, ``--sources`` is advised for the two commands that have it."""
    monkeypatch.setattr("riemap.memory.free", lambda: 1_000_000)
    assert run("embed", "cycle(n=2000)", "-s", "E2", "--out", str(tmp_path / "run")) == 2
    err = capsys.readouterr().err
    assert "'riemap evaluate' and 'riemap describe' can do with some of the nodes: --sources 1000" in err
    for line in ("riemap evaluate run karate --sources 1000", "riemap describe karate --sources 1000"):
        spelled(line)
    assert not (tmp_path / "run").exists(), "a refused run leaves nothing behind"


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "letters.txt").write_text("dear")
    assert run("embed", "karate", "-s", "H2", "--out", str(tmp_path)) == 2
    assert "holds something else than a run" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]


def test_a_full_disk_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", str(tmp_path / "run"))

    monkeypatch.setattr(files.tempfile, "mkstemp", full)
    assert run("embed", "karate", "-s", "H2", "--out", str(tmp_path / "run")) == 2
    full_disk = (
        f"riemap: {tmp_path / 'run'}: no space left on device; free some space, or write to another disk\n"
    )
    assert capsys.readouterr().err == full_disk


def test_training_that_diverges_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "riemap.training.objective.Objective.all_pairs", lambda *_: (_ for _ in ()).throw(FloatingPointError)
    )
    assert run("embed", "karate", "-s", "H2") == 1
    err = capsys.readouterr().err
    assert (
        "riemap: warning: epoch 1 of training in H2: the loss became NaN or infinite; training continues"
        in err
    )
    assert "the loss became NaN or infinite again" in err


def test_a_run_is_resumed_however_its_graph_is_spelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ring.edges").write_text("0 1\n1 2\n2 3\n3 0\n3 4\n")
    assert run("embed", "ring.edges", "-s", "E2", "--out", "run") == 0
    assert json.loads(Path("run/config.json").read_text())["given"]["graph"] == "ring.edges"
    assert run("embed", "./ring.edges", "-s", "E2", "--out", "run", "--resume") == 0
    Path("ring.edges").write_text("0 1\n1 2\n2 3\n3 4\n")
    capsys.readouterr()
    assert run("embed", "ring.edges", "-s", "E2", "--out", "run", "--resume") == 2
    assert "run holds another run: its key is" in capsys.readouterr().err


def test_a_bug_of_ours_shows_its_traceback() -> None:
    """Whatever its type: only errors that a user can mend are one line and code 2."""
    for error in ("ValueError('oops')", "ArithmeticError('oops')", "OSError('oops')"):
        broken = (
            f"import riemap.distances.paths as m; m.hop_counts = lambda *a: (_ for _ in ()).throw({error}); "
        )
        found = subprocess.run(
            [sys.executable, "-c", broken + MAIN, "embed", "karate", "-s", "H2"],
            capture_output=True,
            text=True,
        )
        assert found.returncode == 1
        assert found.stderr.startswith("Traceback")
        assert found.stderr.rstrip().endswith(error.replace("('oops')", ": oops"))


@pytest.mark.parametrize(
    ("old", "new"), [("--whole", "--components require"), ("--symmetrise", "--undirected")]
)
@pytest.mark.parametrize("verb", ["embed karate -s H2", "describe karate", "report run"])
def test_old_spellings_of_options(verb: str, old: str, new: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*verb.split(), old) == 2
    assert capsys.readouterr() == ("", f"riemap: {old} is called {new} now\n")
