"""``riemap grid --ray``, ``riemap embed --ray``: a real cluster of two nodes does what one machine does."""

import builtins
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph_helpers import random_graph
from helpers import TINY, done_in_process, run, toml
from ray_nodes import NODE, children, ray_nodes
from training_helpers import in_bytes

import riemap
from riemap import Graph, InputError, embed
from riemap.choosing.executors import InTurn, TrialJob, executor
from riemap.choosing.splits import Problem
from riemap.embeddings import Embedding
from riemap.errors import DivergedError
from riemap.grids import ray_executor
from riemap.grids.grid import grid
from riemap.grids.outcomes import Outcome
from riemap.grids.ray_executor import execute_on_ray
from riemap.grids.record import failure
from riemap.grids.records import GridFolder
from riemap.training import large_start, ray_cluster, sampled_objective
from riemap.training.epoch import TrainingWarning

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """Two nodes of one core each."""
    with ray_nodes(2) as found:
        yield found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny grid, undisturbed, done in this process."""
    return done_in_process(tmp_path_factory.mktemp("whole"))


def kill_one(nodes: Any, killed: list[int]) -> None:
    limit = time.monotonic() + 120
    while not killed and time.monotonic() < limit:
        at_work = [pid for pid, name in children(nodes).items() if b"ray::remote_run" in name]
        for pid in at_work[:1]:
            time.sleep(0.3)
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
        time.sleep(0.02)


def same(record: dict[str, Any]) -> dict[str, Any]:
    """What does not depend on the machine."""
    return {key: value for key, value in record.items() if key not in ("seconds", "machine")}


def test_records_of_a_cluster_are_those_of_one_machine(
    nodes: Any,
    tmp_path: Path,
    whole: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Though a worker is killed in the middle; and a graph is sent once, for all of its runs."""
    sent: list[Any] = []
    put = ray.put
    monkeypatch.setattr(ray, "put", lambda value: sent.append(value) or put(value))
    killed: list[int] = []
    killer = threading.Thread(target=kill_one, args=(nodes, killed))
    killer.start()
    out = tmp_path / "out"
    code = run("grid", str(toml(tmp_path)), "--out", str(out), "--ray", nodes.address, "--json")
    killer.join()
    told = json.loads(capsys.readouterr().out)
    assert (code, told["done"], told["computed"]) == (0, 8, 8)
    assert len(killed) == 1
    assert [same(r) for r in GridFolder(out).records()] == [same(r) for r in GridFolder(whole).records()]
    for one in grid(TINY):
        here, there = (Embedding.load(folder / "embeddings" / f"{one.id}.npz") for folder in (whole, out))
        np.testing.assert_array_equal(here.points[0], there.points[0])
    assert len(sent) == 2
    assert list((out / "locks").iterdir()) == []
    assert not ray.is_initialized()


def test_predictions_of_a_cluster_are_those_of_one_machine(
    nodes: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Labels are sent with the graph, since nodes need no file of ours."""
    labels = tmp_path / "labels.csv"
    labels.write_text("".join(f"{k},{'low' if k < 20 else 'high'}\n" for k in range(40)))
    tasks = ["links(test=0.2,validation=0.2)", f"labels(file={labels})"]
    entries = {"graphs": ["cycle(n=40)"], "spaces": ["E2"], "tasks": tasks, "epochs": 4, "seeds": [0, 1]}
    found = {}
    for name, more in {"here": [], "there": ["--ray", nodes.address]}.items():
        out = tmp_path / name
        assert run("grid", str(toml(tmp_path, entries)), "--out", str(out), "--json", *more) == 0
        assert json.loads(capsys.readouterr().out)["done"] == 4
        found[name] = [same(record) for record in GridFolder(out).records()]
    assert found["here"] == found["there"]


def test_a_run_that_ends_its_workers(nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has failed, and that is recorded; one that another process has is waited for, or found."""
    monkeypatch.setattr(ray_executor, "RETRIES", 1)

    def deadly(version: str, spec: dict[str, Any], graph: Any, matrix: Any, compact: bool) -> Any:
        import os

        if spec["seed"] == 0:
            os._exit(1)
        from riemap.grids.ray_executor import remote_run

        return remote_run(version, spec, graph, matrix, compact)

    monkeypatch.setattr(ray_executor, "remote_run", deadly)
    folder = GridFolder(tmp_path, compact=True)
    runs = grid({**TINY, "spaces": ["E2"], "losses": ["ad"], "seeds": [0, 1, 2, 3]})
    claim = folder.lock(runs[2])
    assert claim.__enter__()
    found = {}
    for outcome in execute_on_ray(folder, runs, nodes.address, lambda one: one.seed != 3):
        found[outcome.run.seed] = outcome.outcome
        if outcome.run.seed == 1:
            folder.write(failure(runs[2], 1, "Error", "no"))
            claim.__exit__(None, None, None)
    assert found == {0: Outcome.FAILED, 1: Outcome.DONE, 2: Outcome.FOUND, 3: Outcome.LEFT}
    record = folder.record(runs[0])
    assert record is not None
    assert record["error"]["type"] == "WorkerError"
    assert "its worker died 2 times" in record["error"]["message"]
    assert not (tmp_path / "embeddings").exists(), "the folder is compact"


def test_nodes_of_another_version(nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(riemap, "__version__", "9.9")
    with pytest.raises(ValueError, match=r"cannot do the runs of riemap 9\.9: .*a node has riemap 0"):
        list(execute_on_ray(GridFolder(tmp_path, compact=True), grid(TINY)[:1], nodes.address))
    assert not ray.is_initialized()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Graph:
    """A graph with the shards, landmarks and balls of a large one."""
    monkeypatch.setenv("RIEMAP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(large_start, "LANDMARKS", 150)
    monkeypatch.setattr(large_start, "BALL_NODES", 16)
    monkeypatch.setattr(sampled_objective, "SHARD_NODES", 110)
    monkeypatch.setattr(sampled_objective, "GROUP_BALLS", 15)
    monkeypatch.setattr("riemap.training.landmark_plans.LANDMARK_EPOCHS", 20)
    monkeypatch.setattr("riemap.training.landmark_plans.COOLING_EPOCHS", 20)
    return random_graph(500, 700, seed=5, weighted=True)


def alone_and_on(graph: Graph, address: str, tmp_path: Path, **options: Any) -> tuple[bytes, bytes]:
    """The bytes of a run in this process, and of the same run on a cluster, with its own stored distances."""
    choice: Any = {"sampler": "landmarks", "epochs": 12}
    alone = embed(graph, "H2 x S2", **choice)
    os.environ["RIEMAP_CACHE"] = str(tmp_path / "other cache")
    return in_bytes(alone), in_bytes(embed(graph, "H2 x S2", **choice, ray=address, **options))


def test_one_run_on_a_cluster_has_the_bytes_of_one_process(
    nodes: Any, small: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though workers are killed before they send a result back, one in the searches and one in a round."""
    folder = str(tmp_path)

    def deadly(version: str, function: Any, *arguments: Any) -> Any:
        import os
        import signal
        from pathlib import Path

        from riemap.training.ray_cluster import remote_task

        found, mark = remote_task(version, function, *arguments), Path(folder, function.__name__)
        if function.__name__ in ("columns_from", "move_rows") and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    monkeypatch.setattr(ray_cluster, "remote_task", deadly)
    here, there = alone_and_on(small, nodes.address, tmp_path)
    assert there == here
    assert (tmp_path / "columns_from").exists()
    assert (tmp_path / "move_rows").exists()
    assert not ray.is_initialized()


def test_one_run_while_a_node_dies_and_another_one_comes(nodes: Any, small: Graph, tmp_path: Path) -> None:
    """There are two workers at first, then one, and then two again."""

    def change(report: Any) -> None:
        if report.epoch == 3:
            nodes.remove_node(nodes.list_all_nodes()[-1], allow_graceful=False)
        if report.epoch == 7:
            nodes.add_node(**NODE)

    here, there = alone_and_on(small, nodes.address, tmp_path, callbacks=(change,))
    assert there == here


def test_one_run_by_the_command_line(nodes: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["embed", "tree(r=3,h=4)", "--space", "E2", "--sampler", "landmarks", "--epochs", "4"]
    assert run(*options, "--ray", nodes.address, "--out", str(tmp_path / "there")) == 0
    said = capsys.readouterr().err.splitlines()[0]
    assert said.startswith("riemap: the cluster has 2 cores (machines: 2); a machine keeps the graph and ")
    assert run(*options, "--out", str(tmp_path / "here")) == 0
    here, there = (Embedding.load(tmp_path / name / "embedding.npz") for name in ("here", "there"))
    np.testing.assert_array_equal(here.points[0], there.points[0])


def test_a_run_that_diverges_on_a_cluster(nodes: Any, small: Graph) -> None:
    with pytest.raises(DivergedError, match="a tenth of the learning rate"), pytest.warns(TrainingWarning):
        embed(small, "E2", sampler="landmarks", epochs=4, optimizer="rsgd(lr=1e300)", ray=nodes.address)


def test_one_run_on_nodes_of_another_version(
    nodes: Any, small: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(riemap, "__version__", "9.9")
    with pytest.raises(InputError, match=r"cannot do a run of riemap 9\.9: a node has riemap 0"):
        embed(small, "E2", sampler="landmarks", ray=nodes.address)
    assert not ray.is_initialized()


def test_only_a_run_with_landmarks_is_shared_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("embed", "karate", "--space", "H2", "--ray", "auto") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "(--ray auto) shares out a run with landmarks, and karate in H2 takes all pairs" in err
    assert "--sampler landmarks" in err
    assert err.count("\n") == 1


def test_a_choice_on_a_cluster_has_the_same_trials(nodes: Any, tmp_path: Path) -> None:
    problem = Problem(random_graph(40, 30))
    jobs = [TrialJob(space, seed, 20) for space in ("E2", "H2") for seed in (0, 1)]
    with executor(problem, nodes.address) as where:
        assert where.at_once == 2
        found = list(where.trials(jobs, 60.0, lambda: 60.0))
        assert list(where.trials(jobs, 60.0, lambda: 0.0)) == []
    for (job, trial), (_, here) in zip(found, InTurn(problem).trials(jobs, 60.0, lambda: 60.0), strict=True):
        assert trial is not None
        assert here is not None
        assert {**trial.record, "seconds": 0.0} == {**here.record, "seconds": 0.0}, job
        assert trial.embedding is not None
        assert here.embedding is not None
        np.testing.assert_array_equal(trial.embedding.points[0], here.embedding.points[0])


def test_a_cluster_with_another_version_chooses_nothing(nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with executor(Problem(random_graph(40, 30)), nodes.address) as where:
        monkeypatch.setattr(riemap, "__version__", "0.0.1")
        with pytest.raises(InputError, match=r"the cluster cannot do trials of riemap 0\.0\.1: .*a node has"):
            list(where.trials([TrialJob("E2", 0, 5)], 60.0, lambda: 60.0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ray", "127.0.0.1:{port}"], "no Ray cluster answers at 127.0.0.1:"),
        (["--ray", "a b"], "'a b' is not the address of a Ray cluster, e.g. 127.0.0.1:6379, or auto"),
        (["--ray", "127.0.0.1:99999"], "no Ray cluster answers at 127.0.0.1:99999"),
        (["--ray", "auto", "--workers", "2"], "--workers 2 and --ray auto exclude each other"),
    ],
)
def test_refused(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:  # so that nobody listens there
        taken.bind(("127.0.0.1", 0))
        given = [option.format(port=taken.getsockname()[1]) for option in options]
        assert run("grid", str(toml(tmp_path)), "--out", str(tmp_path / "out"), *given) == 2
        out, err = capsys.readouterr()
        if "--workers" not in options:
            assert run("embed", "karate", "--space", "H2", "--sampler", "landmarks", *given) == 2
            assert capsys.readouterr() == (out, err)
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_without_ray(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    original = builtins.__import__

    def lacking(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "ray":
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", lacking)
    for options in (
        ["grid", str(toml(tmp_path)), "--out", str(tmp_path / "out")],
        ["embed", "karate", "--space", "H2", "--sampler", "landmarks"],
        ["choose", "karate", "--dim", "2"],
    ):
        assert run(*options, "--ray", "auto") == 2
        said = "riemap: clusters need Ray; install it with: pip install 'riemap[ray]'\n"
        assert capsys.readouterr().err == said
