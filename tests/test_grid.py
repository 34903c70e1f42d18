"""``riemap grid``: every run once, whatever happens; and what is refused before anything is computed."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import TINY, done_in_process, run, toml

import riemap
from riemap.embeddings import Embedding
from riemap.grids import local_executor, machine, record, worker
from riemap.grids.grid import LISTS, OPTIONS, grid, read_grid
from riemap.grids.local_executor import execute_locally
from riemap.grids.outcomes import Outcome
from riemap.grids.queue import unfinished
from riemap.grids.records import GridFolder
from riemap.locks import try_lock
from riemap.runs import RunSpec
from riemap.runs.engine import engine_hash

MAIN = "from riemap.cli import main; main()"
HEEDING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "  # also under nohup


def started(file: Path, out: Path, *more: str) -> "subprocess.Popen[str]":
    """The command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", HEEDING + MAIN, "grid", str(file), "--out", str(out), *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "NUMBA_NUM_THREADS": "1"},
    )


def waited_for(folder: Path, count: int, process: "subprocess.Popen[str]") -> None:
    """Until there are so many records, or the process has ended."""
    while process.poll() is None and len(lines(folder)) < count:
        time.sleep(0.01)


def lines(folder: Path) -> dict[str, bytes]:
    """Every line of the records, by the id of its run."""
    found = [line for path in (folder / "records").glob("*.jsonl") for line in path.read_bytes().splitlines()]
    return {json.loads(line)["id"]: line for line in found}


def scores(out: Path) -> dict[str, Any]:
    return {record["id"]: record["scores"] for record in GridFolder(out).records()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny grid, undisturbed, done in this process."""
    return done_in_process(tmp_path_factory.mktemp("whole"))


# --- what a file says ---------------------------------------------------------------------------------


def test_ids_are_canonical() -> None:
    """One run has one id however it is spelled, and another run has another."""
    base = {"graphs": ["karate"], "spaces": ["H3^2"], "losses": ["rsne(T=0.02)"], "epochs": 40}
    (one,) = grid(base)
    spelled = {"graphs": [" karate"], "spaces": [" H3xH3 "], "losses": ["rsne"], "presets": [" default"]}
    (same,) = grid({**base, **spelled, "seeds": [0]})
    assert same.id == one.id
    (same,) = grid({**base, "optimizers": ["radam(lr=0.1, betas=(0.9,0.99))"]})
    assert same.id == one.id, "what the preset takes anyway"
    for key, value in {
        "graphs": ["les-miserables"],
        "spaces": ["H3 x S3"],
        "losses": ["rsne(T=0.03)"],
        "presets": ["paper"],
        "optimizers": ["rsgd"],
        "seeds": [1],
        "epochs": 41,
    }.items():
        (other,) = grid({**base, key: value})
        assert other.id != one.id, key
    assert RunSpec.from_json(json.loads(json.dumps(one.as_json())), one.source) == one


def test_ids_are_stable() -> None:
    """Records of last week are found: a change of this id makes every grid start anew."""
    (one,) = grid({"graphs": ["cycle(n=7)"], "spaces": ["E2"], "losses": ["stress"], "epochs": 6})
    assert one.id == "cycle-n=7-E2-stress-s0-56a34797cc60"


def test_an_id_is_a_name_for_a_file() -> None:
    (one,) = grid(
        {"graphs": ["karate"], "spaces": ["Gr(1,3) x H1"], "losses": ["rsne(T=0.5->0.01) + 0.3*ad"]}
    )
    assert len(one.id) < 100
    assert not set(one.id) & set("/\\ ()<>*|:\"'")
    assert replace(one, graph="..").id[0] not in "-."


def test_a_graph_is_known_by_its_content(tmp_path: Path) -> None:
    """A file that changed makes another run, and where it lies is not recorded."""
    ids = []
    for text in ("a b\nb c\nc d\n", "a b\nb c\nb d\n"):
        (tmp_path / "mine.edges").write_text(text)
        (one,) = grid({"graphs": [str(tmp_path / "mine.edges")], "spaces": ["E2"]})
        ids.append(one.id)
        assert str(tmp_path) not in json.dumps(one.as_json()) + one.id
    assert ids[0] != ids[1]


def test_the_product_of_the_lists() -> None:
    runs = grid({**TINY, "graphs": ["cycle(n=7)", "karate"], "presets": ["default", "paper"]})
    assert len({r.id for r in runs}) == len(runs) == 2 * 2 * 2 * 2 * 2
    assert [r.graph for r in runs] == sorted(r.graph for r in runs), "a graph is opened once"


BAD = {
    "spaces = [": "is not TOML",
    'graphs = ["karate"]': "spaces is missing, e.g. spaces = [",
    'spaces = ["E2"]': "graphs is missing",
    'graph = ["karate"]': "no key is called 'graph'; did you mean 'graphs'? There are graphs, spaces",
    'graphs = ["karate"]\nspaces = ["E2"]\nwhole = true': "whole is called components now",
    'graphs = ["karate"]\nspaces = ["E2"]\nsymmetrise = true': "symmetrise is called undirected now",
    'graphs = "karate"\nspaces = ["E2"]': "graphs is a list with something in it, e.g. graphs = [",
    'graphs = ["karate"]\nspaces = []': "spaces is a list with something in it",
    'graphs = ["karat"]\nspaces = ["E2"]': "no file, dataset or generator is called 'karat'; did you mean",
    'graphs = ["karate"]\nspaces = ["Q2"]': "no manifold is called 'Q'",
    'graphs = ["karate"]\nspaces = ["E40"]': "E40 has 40 dimensions and karate 34 nodes",
    'graphs = ["karate"]\nspaces = [2]': "2 in spaces is not text",
    'graphs = ["karate"]\nspaces = ["E2"]\nlosses = ["stres"]': "no loss is called 'stres'; did you mean",
    'graphs = ["karate"]\nspaces = ["E2"]\npresets = ["papr"]': "no preset is called 'papr'; did you mean",
    'graphs = ["karate"]\nspaces = ["E2"]\noptimizers = ["adam"]': "no optimizer is called 'adam'",
    'graphs = ["karate"]\nspaces = ["E2"]\nseeds = [-1]': "-1 in seeds is not a whole number from 0 up",
    'graphs = ["karate"]\nspaces = ["E2"]\nseeds = [true]': "True in seeds is not a whole number",
    'graphs = ["karate"]\nspaces = ["E2"]\nepochs = "9"': "epochs = '9' is not understood; write e.g.",
    'graphs = ["karate"]\nspaces = ["E2"]\nepochs = 0': "epochs=0 is not a number of epochs",
    'graphs = ["karate"]\nspaces = ["H2", " H2"]': "'H2' and ' H2' are the same; keep one",
    'graphs = ["karate"]\nspaces = ["E2"]\nseeds = [1, 1]': "1 and 1 are the same",
    f'graphs = ["karate"]\nspaces = ["E2"]\nseeds = {list(range(100_001))}': "make 100,001 runs",
}


@pytest.mark.parametrize("text", BAD, ids=lambda text: BAD[text][:40])
def test_refused_before_anything_is_computed(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "grid.toml").write_text(text)
    assert run("grid", str(tmp_path / "grid.toml"), "--out", str(tmp_path / "out")) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert BAD[text] in err
    assert err.startswith("riemap: grid.toml")
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("other", ["a b\nb c\nc d\n", "a b\nb c\nb d\n"], ids=["same", "different"])
def test_two_graphs_of_one_name(other: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Their runs would be the same, or not be told apart in a table."""
    for name, text in {"a": "a b\nb c\nc d\n", "b": other}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "g.edges").write_text(text)
    files = [str(tmp_path / name / "g.edges") for name in "ab"]
    file = toml(tmp_path, {"graphs": files, "spaces": ["E2"]})
    assert run("grid", str(file), "--out", str(tmp_path / "out")) == 2
    assert "are both called 'g'" in capsys.readouterr().err


def test_one_generator_spelled_twice() -> None:
    with pytest.raises(ValueError, match=r"'cycle.n=7.' and 'cycle. n = 7 .' are both called"):
        grid({"graphs": ["cycle(n=7)", "cycle( n = 7 )"], "spaces": ["E2"]})


def test_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("grid", str(tmp_path / "none.toml"), "--out", str(tmp_path / "out")) == 2
    assert capsys.readouterr().err.endswith("none.toml: no such file or directory\n")


def test_every_key_has_an_example_that_is_right() -> None:
    assert grid({**LISTS, **OPTIONS})


# --- folders that are taken ---------------------------------------------------------------------------


def test_folders_of_others(tmp_path: Path, whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another version, another grid, something else, a list or a record that is damaged."""
    out = tmp_path / "out"
    ids = [r.id for r in grid(TINY)]
    GridFolder(out).begin(ids)
    file = toml(tmp_path, {**TINY, "seeds": [1, 2]})
    assert run("grid", str(file), "--out", str(out)) == 2
    assert (
        f"holds another grid: 4 of its runs are not in this one, such as '{ids[0]}'"
        in capsys.readouterr().err
    )
    (out / "grid.json").write_text(json.dumps({"version": "0.0.9", "runs": ids}))
    assert run("grid", str(toml(tmp_path)), "--out", str(out)) == 2
    assert f"holds records of riemap '0.0.9', and this is {riemap.__version__}" in capsys.readouterr().err
    (out / "grid.json").write_text("[")
    assert run("grid", str(toml(tmp_path)), "--out", str(out)) == 2
    assert "cannot read" in capsys.readouterr().err
    (out / "grid.json").rename(out / "other.json")
    assert run("grid", str(toml(tmp_path)), "--out", str(out)) == 2
    assert "holds something else than a grid" in capsys.readouterr().err
    (out / "other.json").unlink()
    GridFolder(out).begin(ids)
    (out / "records").mkdir()
    (out / "records" / f"{ids[0]}.json").write_text("{}")
    assert run("table", str(out)) == 2
    assert "convert them: python tools/convert_records.py" in capsys.readouterr().err
    (out / "records" / f"{ids[0]}.json").unlink()


def unchecked(line: bytes, old: bytes, new: bytes) -> bytes:
    """A line without its checksum, as earlier versions wrote it, and with a change."""
    assert old in line
    return re.sub(rb', "checksum": "\w+"', b"", line).replace(old, new)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda line: line[:100], "Unterminated string"),
        (lambda line: b"[]", "it holds [] instead of a JSON object"),
        (lambda line: line.replace(b'"id": "cycle', b'"id": "../cycle'), "does not match its checksum"),
        (lambda line: unchecked(line, b'"id": "cycle', b'"id": "../cycle'), "is not the id of a run"),
        (lambda line: unchecked(line, b'"f1@k"', b'"f2@k"'), "its f1@k is missing, and it has no error"),
        (lambda line: unchecked(line, b'"seed"', b'"sead"'), "its run.seed is missing"),
        (lambda line: unchecked(line, b'"dim": 2', b'"dim": "2"'), "its dim is '2' instead of a whole"),
        (lambda line: unchecked(line, b'"ad": 0', b'"ad": 1e999, "a": 0'), "is not a finite number"),
        (lambda line: b'{"id": "a"}', "its version is missing"),
        (lambda line: b"\xff", "can't decode byte"),
    ],
)
def test_a_line_that_is_torn_or_foreign(
    damage: Any, said: str, tmp_path: Path, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One message names the file and the line."""
    out = tmp_path / "out"
    shutil.copytree(whole, out)
    path = out / "records" / "cycle-n=7.jsonl"
    first, second, *others = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([first, damage(second), *others]) + b"\n")
    for command in (["grid", str(toml(tmp_path)), "--out", str(out)], ["table", str(out)]):
        assert run(*command) == 2
        stdout, err = capsys.readouterr()
        assert stdout == ""
        assert err.startswith(f"riemap: {path}, line 2 is not the record of a run (")
        assert said in err
        assert err.endswith("; remove the line to have the run done again\n")
        assert err.count("\n") == 1


def test_a_grid_may_grow(tmp_path: Path) -> None:
    folder = GridFolder(tmp_path)
    folder.begin(["a", "b"])
    folder.begin(["a", "c", "b"])
    found = folder.grid()
    assert found is not None
    assert found["runs"] == ["a", "c", "b"]


# --- what is done -------------------------------------------------------------------------------------


def test_a_record_holds_everything(whole: Path) -> None:
    for one in grid(TINY):
        text = lines(whole)[one.id].decode()
        assert "NaN" not in text
        assert "Infinity" not in text
        assert os.uname().nodename not in text
        found = json.loads(text)
        assert found["run"] == one.as_json()
        assert (found["version"], found["dim"], found["stop"]) == (
            riemap.__version__,
            2,
            "all epochs are done",
        )
        assert (found["engine"], found["attempt"]) == (engine_hash(), 1)
        assert set(found["machine"]) == {"cores", "threads", "platform", "python", "numpy", "numba"}
        assert found["history"]["epochs"] == 6
        assert found["history"]["best"] <= min(found["history"]["first"], found["history"]["last"])
        assert len(found["f1@k"]) == 3
        assert found["seconds"] > 0.0
        embedding = Embedding.load(whole / "embeddings" / f"{one.id}.npz")
        assert (embedding.n, str(embedding.space)) == (7, one.space)
        again = riemap.evaluate(embedding, riemap.generate("cycle(n=7)")).as_json()
        assert again["scores"] == found["scores"]
        assert found["angles"] == record.angles(embedding)
        assert found["angles"]["quantiles"] == sorted(found["angles"]["quantiles"])
        assert abs(found["angles"]["mean"]) < 1e-9 if one.space == "E2" else found["angles"]["mean"] > 0.0


def test_numbers_that_are_none() -> None:
    found = record.finite({"a": (float("inf"), 1.0), "b": [{"c": float("nan")}, "NaN", None, 3]})
    assert found == {"a": [None, 1.0], "b": [{"c": None}, "NaN", None, 3]}


def test_kill_9_at_any_moment(tmp_path: Path, whole: Path) -> None:
    """Records are whole after every kill, stay as they are, and are those of an undisturbed grid."""
    out, file = tmp_path / "out", toml(tmp_path)
    rng, kills = random.Random(0), 0
    seen: dict[str, bytes] = {}
    for longest in (0.05, 2.0, 0.05, 1.0, 0.05, 0.5, 2.0, 0.05, 1.5, 2.5):  # after a record, or the start
        process = started(file, out)
        if longest < 0.1:
            waited_for(out, len(seen) + 1, process)
        time.sleep(rng.uniform(0.0, longest))
        kills += process.poll() is None
        process.kill()
        process.communicate()
        for id, line in lines(out).items():
            Embedding.load(out / "embeddings" / f"{id}.npz")
            assert seen.setdefault(id, line) == line
        assert seen.keys() == lines(out).keys(), "nothing that was finished is lost"
    assert kills > 2, "on a fast machine, later ones find the grid done"
    last = started(file, out, "--json")
    told = json.loads(last.communicate()[0])
    assert last.returncode == 0
    assert (told["runs"], told["done"], told["failed"]) == (8, 8, 0)
    assert told["computed"] <= 8 - len(seen)
    assert {id: lines(out)[id] for id in seen} == seen
    assert scores(out) == scores(whole)
    assert list((out / "locks").iterdir()) == []
    assert run("grid", str(file), "--out", str(out)) == 0, "nothing to do"
    assert {id: lines(out)[id] for id in seen} == seen


def test_two_processes_on_one_folder(tmp_path: Path, whole: Path) -> None:
    """They share the runs, and none is done twice; one of them has two workers."""
    file, out = toml(tmp_path), tmp_path / "out"
    both = [started(file, out, "--json"), started(file, out, "--json", "--workers", "2")]
    told = [json.loads(process.communicate()[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert [found["done"] for found in told] == [8, 8], "each waits for what the other does"
    assert sum(found["computed"] for found in told) == 8
    assert scores(out) == scores(whole)


def test_a_run_that_another_process_has(tmp_path: Path) -> None:
    """It is left alone, waited for, and done if nothing came of it."""
    folder, (one,) = GridFolder(tmp_path), grid({**TINY, "spaces": ["E2"], "losses": ["ad"], "seeds": [5]})
    folder.begin([one.id])
    with folder.lock(one) as ours:
        assert ours
        assert worker.attempt(folder, one, 0) == Outcome.HELD
    assert worker.attempt(folder, one, 0) == Outcome.DONE
    assert worker.attempt(folder, one, 0) == Outcome.FOUND
    other = replace(one, seed=6)
    claimed, release = threading.Event(), threading.Event()

    def hold() -> None:
        with folder.lock(other):
            claimed.set()
            release.wait(20)

    holder = threading.Thread(target=hold)
    holder.start()
    claimed.wait(20)
    threading.Timer(3.0, release.set).start()
    assert [found.outcome for found in execute_locally(folder, [other])] == [Outcome.DONE]
    assert release.is_set()
    holder.join()


def test_failures_are_recorded_and_tried_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = (
        toml(tmp_path, {**TINY, "losses": ["stress"], "optimizers": ["radam", "rsgd(lr=1e300)"]}),
        tmp_path / "out",
    )
    assert run("grid", str(file), "--out", str(out)) == 1
    _, err = capsys.readouterr()
    assert "riemap: 4 of 8 runs failed, such as cycle-n=7-E2-stress-s0-" in err
    failed = [record for record in GridFolder(out).records() if "error" in record]
    assert {record["error"]["type"] for record in failed} == {"DivergedError"}
    assert all("the loss became NaN or infinite again" in record["error"]["message"] for record in failed)
    assert not (out / "embeddings" / f"{failed[0]['id']}.npz").exists()
    before = {r.id: GridFolder(out).attempts(r) for r in read_grid(file)}
    assert set(before.values()) == {1}
    assert run("grid", str(file), "--out", str(out), "--json") == 1
    assert json.loads(capsys.readouterr().out)["computed"] == 0
    assert run("grid", str(file), "--out", str(out), "--retry-failed", "--json") == 1
    assert json.loads(capsys.readouterr().out)["computed"] == 4
    after = {r.id: GridFolder(out).attempts(r) for r in read_grid(file)}
    assert {id for id in before if after[id] == 2} == {record["id"] for record in failed}
    assert len(lines(out)) == 8


def test_a_failure_that_was_an_accident(tmp_path: Path, whole: Path) -> None:
    """Done again it is like any other; but only once, if two processes try."""
    folder, (one, *_) = GridFolder(tmp_path), grid(TINY)
    folder.begin([one.id])
    folder.write(record.failure(one, 1, "MemoryError", "too large"))
    assert unfinished(folder, [one]) == []
    assert unfinished(folder, [one], retry=True) == [one]
    assert worker.attempt(folder, one, 1) == Outcome.DONE
    assert worker.attempt(folder, one, 1) == Outcome.FOUND
    assert scores(tmp_path)[one.id] == scores(whole)[one.id]


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_worker_that_is_killed(deaths: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It costs its run a second try; a run that ends two workers has failed, and the others go on."""
    folder, runs = GridFolder(tmp_path), grid({**TINY, "spaces": ["E2"], "losses": ["ad"]})
    folder.begin([one.id for one in runs])
    left = [deaths]
    ask = local_executor.Worker.ask

    def deadly(worker: local_executor.Worker, job: Any) -> str | None:
        if json.loads(job)["run"]["seed"] == 0 and left[0]:
            left[0] -= 1
            worker.process.kill()
        return ask(worker, job)

    monkeypatch.setattr(local_executor.Worker, "ask", deadly)
    found = {outcome.run.seed: outcome.outcome for outcome in execute_locally(folder, runs)}
    assert found == {0: Outcome.DONE if deaths == 1 else Outcome.FAILED, 1: Outcome.DONE}
    if deaths == 2:
        found_record = folder.record(runs[0])
        assert found_record is not None
        assert found_record["error"] == {"type": "WorkerError", "message": "its process was ended by SIGKILL"}


def test_a_worker_that_is_killed_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it trains; another begins anew, and comes to what an undisturbed one comes to."""
    folder, (one,) = (
        GridFolder(tmp_path),
        grid({**TINY, "spaces": ["E2"], "losses": ["ad"], "seeds": [0], "epochs": 9999}),
    )
    folder.begin([one.id])
    killed: list[int] = []
    hire = local_executor.WorkerPool._hire

    def watched(crew: local_executor.WorkerPool) -> local_executor.Worker | None:
        worker = hire(crew)
        if worker is not None and not killed:
            killed.append(worker.process.pid)
            threading.Thread(target=kill, args=(worker.process,)).start()
        return worker

    def kill(process: "subprocess.Popen[bytes]") -> None:
        while not at_work(folder, one):
            time.sleep(0.01)
        process.kill()

    monkeypatch.setattr(local_executor.WorkerPool, "_hire", watched)
    assert [found.outcome for found in execute_locally(folder, [one])] == [Outcome.DONE]
    other = GridFolder(tmp_path / "undisturbed")
    other.begin([one.id])
    assert worker.attempt(other, one, 0) == Outcome.DONE
    assert (folder.record(one) or {})["scores"] == (other.record(one) or {})["scores"]
    assert len(killed) == 1


def test_a_lock_has_one_holder(tmp_path: Path) -> None:
    """Though it is removed by whoever had it, while others have opened it; and none is left."""
    holders, counts = [0], [0, 0]

    def contend() -> None:
        held = 0
        while held < 40:
            with try_lock(tmp_path / "locks" / "a") as ours:
                if ours:
                    held += 1
                    holders[0] += 1
                    time.sleep(1e-5)
                    counts[holders[0] != 1] += 1
                    holders[0] -= 1

    threads = [threading.Thread(target=contend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [160, 0]
    assert list((tmp_path / "locks").iterdir()) == []


def test_more_workers_than_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """That is said, once."""
    for module in (machine, local_executor):
        monkeypatch.setattr(module, "cores", lambda: 1)
    file = toml(tmp_path, {**TINY, "spaces": ["E2"], "losses": ["ad"]})
    assert run("grid", str(file), "--out", str(tmp_path / "out"), "--workers", "3", "--json") == 0
    assert capsys.readouterr().err == "riemap: --workers 3 is more than one a core; 1 will do the work\n"


def test_records_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A worker that cannot ends; if we cannot either, there is no going on, and one message."""

    def full(folder: GridFolder, record: Any) -> None:
        raise OSError(28, "No space left on device", "records")

    monkeypatch.setattr(GridFolder, "write", full)
    folder = GridFolder(tmp_path / "begun")
    folder.begin([grid(TINY)[0].id])
    with pytest.raises(OSError, match="No space"):
        worker.attempt(folder, grid(TINY)[0], 0)
    monkeypatch.setattr(local_executor.Worker, "ask", lambda worker, job: worker.process.kill())
    assert run("grid", str(toml(tmp_path)), "--out", str(tmp_path / "out"), "--workers", "2") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1].startswith("riemap: records: no space left on device; free some space")


def test_cores_are_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_executor, "cores", lambda: 8)
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    assert [local_executor._threads(n) for n in (1, 2, 3, 8)] == [8, 4, 2, 1]
    monkeypatch.setenv("NUMBA_NUM_THREADS", "3")
    assert [local_executor._threads(n) for n in (1, 2, 3, 8)] == [3, 3, 2, 1]


def at_work(folder: GridFolder, one: RunSpec) -> bool:
    """Whether a process has this run."""
    with folder.lock(one) as ours:
        return not ours


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_ended_in_the_middle_of_a_run(how: signal.Signals, tmp_path: Path, whole: Path) -> None:
    """Finished records are kept, and nobody is at work any more; after Ctrl-C there is one line, and 130."""
    file, folder = toml(tmp_path, {**TINY, "epochs": 10_000_000}), GridFolder(tmp_path / "out")
    first, second, *_ = runs = read_grid(file)
    folder.begin([one.id for one in runs])
    kept = {**GridFolder(whole).records()[0], "id": first.id}
    folder.write(kept)
    process = started(file, folder.path)
    while process.poll() is None and not at_work(folder, second):
        time.sleep(0.05)
    if how is signal.SIGINT:
        os.killpg(process.pid, how)  # as a terminal does
    else:
        process.send_signal(how)
    stdout, stderr = process.communicate(timeout=20)
    assert stdout == ""
    if how is signal.SIGINT:
        assert process.returncode == 130, stderr
        said = "riemap: interrupted; what is done is kept, and the same command does the rest"
        assert stderr.splitlines()[-1] == said
        assert "Traceback" not in stderr
        assert not at_work(folder, second)
    limit = time.monotonic() + 20
    while at_work(folder, second):
        assert time.monotonic() < limit, "a worker outlives what started it"
        time.sleep(0.05)
    assert folder.records() == [kept]


def test_messages(tmp_path: Path, whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("grid", str(toml(tmp_path)), "--out", str(whole)) == 0
    out, err = capsys.readouterr()
    assert out == f"8 of 8 runs are done; 'riemap table {whole}' compares them\n"
    assert err == ""
