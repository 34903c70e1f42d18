"""A run is one thing: the same folder from Python and the command line, one identity, one refusal."""

import json
import sys
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import networkx as nx
import numpy as np
import pytest
from helpers import run

import riemap
from riemap.curvature import delta_exact, delta_sampled, ollivier_ricci, sectional
from riemap.distances import shortest_paths
from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.locks import remove_stale_locks, try_lock, wait_for_lock
from riemap.manifolds.euclidean import Euclidean
from riemap.metrics import evaluate
from riemap.runs import GraphSource, RunFolder, RunSpec, difference, execute
from riemap.runs.engine import engine_hash, hash_of_sources
from riemap.training import Stop

GRAPH = "tree(r=2,h=3)"
CHOICE: dict[str, Any] = {"loss": "stress + 0.2*ad", "optimizer": "radam(lr=0.05)", "epochs": 24, "seed": 3}
WORDS = ["--loss", "stress + 0.2*ad", "--optimizer", "radam(lr=0.05)", "--epochs", "24", "--seed", "3"]


TIMED = ("seconds", "checksum", "history_checksum")
"""Entries of ``scores.json`` that differ between two runs."""


def spec(**changes: Any) -> RunSpec:
    source = GraphSource(GRAPH)
    return RunSpec.of(source.open(), "E2", **{**CHOICE, **changes}, source=source)


def files(folder: Path) -> dict[str, Any]:
    """What a folder holds, without times, and without the checksums of what has times in it."""
    found: dict[str, Any] = {path.name: path.read_bytes() for path in folder.iterdir()}
    scores = json.loads(found["scores.json"])
    lines = found["history.csv"].decode().splitlines()
    return {
        **found,
        "scores.json": {key: scores[key] for key in scores if key not in TIMED},
        "history.csv": [line.rpartition(",")[0] for line in lines],
    }


# --- one folder -----------------------------------------------------------------------------------------


def test_python_writes_the_folder_of_the_command_line(tmp_path: Path) -> None:
    assert run("embed", GRAPH, "-s", "E2", *WORDS, "--out", str(tmp_path / "cli")) == 0
    fit = riemap.embed(GRAPH, "E2", **CHOICE, out=tmp_path / "api")
    assert files(tmp_path / "api") == files(tmp_path / "cli")
    assert (
        Embedding.load(tmp_path / "api" / "embedding.npz").points[0].tolist()
        == fit.embedding.points[0].tolist()
    )


def test_each_resumes_what_the_other_began(tmp_path: Path) -> None:
    """A run that a callback interrupts is continued to the bytes of one that nothing disturbed."""
    whole = riemap.embed(GRAPH, "E2", **CHOICE, out=tmp_path / "whole")
    seen: list[int] = []

    def interrupt(record: Any) -> None:
        seen.append(record.epoch)
        if len(seen) == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        riemap.embed(GRAPH, "E2", **CHOICE, out=tmp_path / "part", callbacks=(interrupt,))
    assert sorted(path.name for path in (tmp_path / "part").iterdir()) == ["checkpoint.npz", "config.json"]
    arguments = ["embed", GRAPH, "-s", "E2", *WORDS, "--out", str(tmp_path / "part"), "--resume"]
    assert run(*arguments) == 0
    assert files(tmp_path / "part") == files(tmp_path / "whole")
    again = riemap.embed(GRAPH, "E2", **CHOICE, out=tmp_path / "part", resume=True, callbacks=(interrupt,))
    assert len(seen) == 10, "there was nothing left to do"
    assert again.stop is whole.stop is Stop.FINISHED
    np.testing.assert_array_equal(again.embedding.points[0], whole.embedding.points[0])
    assert [record[:4] for record in again.history] == [record[:4] for record in whole.history]
    assert again.plan == whole.plan


def test_a_folder_is_not_taken_twice(tmp_path: Path) -> None:
    riemap.embed(GRAPH, "E2", epochs=4, out=tmp_path / "run")
    with pytest.raises(
        InputError, match=r"holds a run already, of tree.r=2,h=3. in E2; --resume \(in Python"
    ):
        riemap.embed(GRAPH, "E2", epochs=4, out=tmp_path / "run")
    with pytest.raises(InputError, match="resume=True needs the folder"):
        riemap.embed(GRAPH, "E2", epochs=4, resume=True)


def test_a_graph_in_memory_and_a_loss_that_is_a_function(tmp_path: Path) -> None:
    def squares(target: Any, sqdist: Any) -> tuple[float, Any]:
        return float(((sqdist - target) ** 2).sum()), 2.0 * (sqdist - target)

    graph = nx.balanced_tree(2, 3)
    first = riemap.embed(graph, "E2", loss=squares, epochs=6, out=tmp_path / "run")
    again = riemap.embed(graph, "E2", loss=squares, epochs=6, out=tmp_path / "run", resume=True)
    np.testing.assert_array_equal(first.embedding.points[0], again.embedding.points[0])
    assert json.loads((tmp_path / "run" / "config.json").read_text())["given"] == {}


def test_a_manifold_that_is_not_registered() -> None:
    """It is taken as an object; its name would not be found."""
    mine = type("Mine", (Euclidean,), {"symbol": "Mine"})
    fit = riemap.embed(GRAPH, riemap.Space((mine(2),)), epochs=4)
    assert str(fit.embedding.space) == "Mine2"


# --- one identity ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words", "field", "theirs", "ours"),
    [
        ({"seed": 4}, ["--seed", "4"], "seed", 3, 4),
        ({"epochs": 25}, ["--epochs", "25"], "epochs", 24, 25),
        ({"loss": "ad"}, ["--loss", "ad"], "loss", "stress + 0.2*ad", "ad"),
        (
            {"optimizer": "radam(lr=0.06)"},
            ["--optimizer", "radam(lr=0.06)"],
            "optimizer",
            "radam(lr=0.05)",
            "radam(lr=0.06)",
        ),
    ],
)
def test_a_refusal_names_the_field_and_both_values(
    changes: dict[str, Any],
    words: list[str],
    field: str,
    theirs: Any,
    ours: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "run"
    riemap.embed(GRAPH, "E2", **CHOICE, out=out)
    assert difference(spec(), spec(**changes)) == (field, theirs, ours)
    said = f"{out} holds another run: its {field} is {theirs!r}, and {ours!r} is asked for"
    with pytest.raises(InputError) as refused:
        riemap.embed(GRAPH, "E2", **{**CHOICE, **changes}, out=out, resume=True)
    assert str(refused.value) == said
    assert run("embed", GRAPH, "-s", "E2", *WORDS, *words, "--out", str(out), "--resume") == 2
    assert capsys.readouterr() == ("", f"riemap: {said}\n")


def test_values_are_given_in_full(tmp_path: Path) -> None:
    """However long they are; and a difference deep in the plan is found there."""
    folder, one = RunFolder(tmp_path / "run"), spec(loss=" + ".join(["stress", *["0.125*ad"] * 20]))
    folder.begin(one)
    again = RunFolder(tmp_path / "run", resume=True)
    with pytest.raises(InputError) as refused:
        again.begin(spec())
    assert repr(one.loss) in str(refused.value)
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    del config["checksum"]
    config["plan"]["stages"][1]["schedule"] = "constant"
    (tmp_path / "run" / "config.json").write_text(json.dumps(config))
    with pytest.raises(
        InputError, match=r"its plan.stages\[1\].schedule is 'constant', and 'cosine' is asked"
    ):
        again.begin(one)


def test_another_version_is_another_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    RunFolder(tmp_path / "run").begin(spec())
    monkeypatch.setattr(riemap, "__version__", "9.9")
    with pytest.raises(InputError, match=r"its version is '0.1.0', and '9.9' is asked for"):
        RunFolder(tmp_path / "run", resume=True).begin(spec())


def test_spellings_that_come_to_the_same_plan_are_one_run(tmp_path: Path) -> None:
    """The default's optimizer, named or not."""
    usual = spec(optimizer=None)
    named = spec(optimizer="radam(lr=0.1, betas=(0.9,0.99))")
    assert usual != named
    assert difference(usual, named) is None
    RunFolder(tmp_path / "run").begin(usual)
    RunFolder(tmp_path / "run", resume=True).begin(named)


@pytest.mark.parametrize("seed", [-1, -(2**70)])
def test_a_negative_seed_is_refused(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="is negative"):
        spec(seed=seed)
    assert run("embed", GRAPH, "-s", "E2", "--seed", str(seed)) == 2
    message = f"riemap: seed={seed} is negative; a seed is a whole number from 0 up, e.g. 0\n"
    assert capsys.readouterr().err == message


def test_a_graph_that_changed_is_refused(tmp_path: Path) -> None:
    """By the one who does the run, with both keys."""
    path = tmp_path / "g.edges"
    path.write_text("a b\nb c\nc d\n")
    source = GraphSource(str(path))
    one = RunSpec.of(source.open(), "E2", epochs=4, source=source)
    path.write_text("a b\nb c\nb d\n")
    with pytest.raises(InputError, match=rf"the key of the graph was '{one.key}', and is '"):
        execute(one)


def test_one_result(tmp_path: Path) -> None:
    """Scores are computed when they are asked for, from the distances that training had."""
    graph = GraphSource(GRAPH).open()
    result = execute(spec(), distances=shortest_paths(graph))
    assert "scores" not in vars(result)
    assert result.scores == evaluate(result.fit.embedding, graph)
    assert result.as_json()["scores"] == result.scores.as_json()["scores"]
    assert (
        repr(result) == f"<RunResult of {GRAPH} in E2, stress + 0.2*ad, default, {spec().optimizer}, seed 3>"
    )


@pytest.mark.parametrize("text", ["[1]", "{", '{"seconds": 1}', '{"stop": "for fun", "seconds": 1}'])
def test_damaged_scores_are_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["embed", GRAPH, "-s", "E2", "--epochs", "4", "--out", str(tmp_path / "run")]
    assert run(*arguments) == 0
    (tmp_path / "run" / "scores.json").write_text(text)
    capsys.readouterr()
    assert run(*arguments, "--resume") == 2
    assert "scores.json" in capsys.readouterr().err


def test_distances_that_are_given_are_taken() -> None:
    """As they are, by training, scores and curvature; nothing is computed from the graph."""
    graph = GraphSource(GRAPH).open()
    known = shortest_paths(graph)
    fit = execute(spec(), graph=graph, distances=known).fit
    assert evaluate(fit.embedding, graph, distances=known, sources=7) == evaluate(
        fit.embedding, graph, sources=7
    )
    ring = shortest_paths(GraphSource("cycle(n=15)").open())
    other = execute(spec(), graph=graph, distances=ring)
    assert other.scores["ad"] < evaluate(other.fit.embedding, graph)["ad"]
    for measure in (delta_sampled, delta_exact, ollivier_ricci, sectional):
        assert repr(measure(graph, distances=known)) == repr(measure(graph))
    assert delta_sampled(graph, distances=ring).max > delta_sampled(graph).max == 0.0


# --- the engine -----------------------------------------------------------------------------------------


def test_prose_does_not_change_the_engine() -> None:
    code = 'LIMIT = 3\n"""Of what."""\n\ndef f(x):\n    """Double."""\n    return 2 * x\n'
    prose = 'LIMIT = 3  # three\n"""The limit."""\ndef f(x):\n    # twice\n    return (2 * x)\n'
    assert hash_of_sources([code]) == hash_of_sources([prose])
    for other in (
        code.replace("2 *", "3 *"),
        code.replace("LIMIT = 3", "LIMIT = 4"),
        code.replace("f(", "g("),
    ):
        assert hash_of_sources([other]) != hash_of_sources([code])
    assert hash_of_sources(["x = '1'"]) != hash_of_sources(["x = 1"])


def test_the_engine_is_known_once() -> None:
    assert engine_hash() is engine_hash()
    assert len(engine_hash()) == 16


# --- locks ----------------------------------------------------------------------------------------------


@pytest.fixture(params=["fcntl", "msvcrt"])
def _system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Either way of locking; that of Windows by a module that behaves like its own."""
    if request.param == "fcntl":
        return
    import fcntl

    def locking(file: int, mode: int, count: int) -> None:
        assert (mode, count) == (2, 1)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises an OSError, as Windows does

    windows = ModuleType("msvcrt")
    windows.locking = locking  # type: ignore[attr-defined]
    windows.LK_NBLCK = 2  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "msvcrt", windows)
    monkeypatch.setitem(sys.modules, "fcntl", None)  # type: ignore[arg-type]


@pytest.mark.usefixtures("_system")
def test_a_lock_has_one_holder(tmp_path: Path) -> None:
    path = tmp_path / "locks" / "a"
    with try_lock(path) as ours:
        assert ours
        assert path.exists()
        with try_lock(path) as theirs:
            assert not theirs
    assert not path.exists()
    with pytest.raises(RuntimeError), try_lock(path):
        raise RuntimeError
    assert not path.exists()


@pytest.mark.usefixtures("_system")
def test_locks_of_killed_processes_are_removed(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).touch()
    with try_lock(tmp_path / "a"):
        remove_stale_locks(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["a"]
    remove_stale_locks(tmp_path / "none")


@pytest.mark.usefixtures("_system")
def test_a_lock_is_waited_for(tmp_path: Path) -> None:
    path, order = tmp_path / "a", []
    with try_lock(path):

        def wait() -> None:
            with wait_for_lock(path):
                order.append("second")

        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.05)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
