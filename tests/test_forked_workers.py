"""Tasks in forked processes: the same results as in one process, also when one of them fails or dies."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from graph_helpers import random_graph
from training_helpers import in_bytes

from riemap import Space, threads
from riemap.forks import can_fork
from riemap.losses import as_loss
from riemap.training import default_plan, fit, landmark_plan
from riemap.training.forked_workers import ForkedWorkers, workers_here
from riemap.training.workers import InProcess

pytestmark = pytest.mark.skipif(not can_fork(), reason="forks are used on Linux only")

HERE = os.getpid()


@pytest.fixture(autouse=True)
def _three_processes() -> Iterator[None]:
    with threads.limited(3):
        yield


def scaled(x: Any, factor: float) -> Any:
    time.sleep(0.01)  # so that no process does all tasks
    return x * factor, os.getpid()


def fails_elsewhere(k: int) -> int:
    time.sleep(0.01)
    if os.getpid() != HERE:
        raise ValueError("not here")
    return k


def dies_elsewhere(k: int) -> int:
    time.sleep(0.01)
    if os.getpid() != HERE:
        os.kill(os.getpid(), signal.SIGKILL)
    return k


def fails(k: int) -> int:
    if k == 4:
        raise FloatingPointError(k)
    return k


def no_process_is_left() -> bool:
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    return True


def test_results_are_in_order_and_from_several_processes() -> None:
    x = np.arange(200_000.0)  # larger than what a pipe holds
    found = list(ForkedWorkers().results((scaled, x, float(k)) for k in range(30)))
    for k, (y, _) in enumerate(found):
        np.testing.assert_array_equal(y, x * k)
    assert found[0][1] == HERE, "the first task, which is the longest, is done here"
    assert len({process for _, process in found}) == 3
    assert no_process_is_left()


@pytest.mark.parametrize("function", [fails_elsewhere, dies_elsewhere])
def test_what_a_process_leaves_undone_is_done_here(function: Any) -> None:
    assert list(ForkedWorkers().results((function, k) for k in range(9))) == list(range(9))
    assert no_process_is_left()


def test_an_error_is_raised_here() -> None:
    results = ForkedWorkers().results((fails, k) for k in range(9))
    assert [next(results) for _ in range(4)] == list(range(4))
    with pytest.raises(FloatingPointError, match="4"):
        next(results)
    assert no_process_is_left()


def test_without_another_process_all_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as where memory is committed in full, or the number of processes is limited."""
    real, made = os.fork, []

    def fork() -> int:
        if made:
            raise BlockingIOError("Resource temporarily unavailable")
        made.append(1)
        return real()

    monkeypatch.setattr(os, "fork", fork)
    assert list(ForkedWorkers().results((abs, -k) for k in range(9))) == list(range(9))
    assert list(ForkedWorkers().results((abs, -k) for k in range(9))) == list(range(9))
    assert no_process_is_left()


def test_leaving_early_ends_the_processes() -> None:
    results = ForkedWorkers().results((time.sleep, k and 60.0) for k in range(3))
    assert next(results) is None
    began = time.monotonic()
    results.close()
    assert time.monotonic() < began + 30.0
    assert no_process_is_left()


def test_processes_end_with_their_parent() -> None:
    """A run that is killed leaves nothing behind that goes on computing."""
    code = (
        "import os, time\n"
        "from riemap import threads\n"
        "from riemap.training.forked_workers import ForkedWorkers\n"
        "def told(k):\n"
        "    os.write(1, b'%d\\n' % os.getpid())\n"
        "    time.sleep(60.0)\n"
        "threads.set_count(2)\n"
        "list(ForkedWorkers().results((told, k) for k in range(2)))\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        numbers = {int(run.stdout.readline()) for _ in range(2)}
        run.kill()
    (fork,) = numbers - {run.pid}
    until = time.monotonic() + 30.0
    while os.path.exists(f"/proc/{fork}") and time.monotonic() < until:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{fork}")


def test_a_run_has_the_bytes_of_one_process(tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIEMAP_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr("riemap.training.sampled_objective.SHARD_NODES", 400)
    monkeypatch.setattr("riemap.training.landmark_plans.COOLING_EPOCHS", 5)
    graph, space = random_graph(2500, 2000, seed=3), Space.parse("H2 x S1")
    plan = landmark_plan(default_plan(as_loss("both"), graph.n), graph.n, 4)
    alone = fit(graph, space, plan, workers=InProcess())
    assert in_bytes(fit(graph, space, plan, workers=ForkedWorkers())) == in_bytes(alone)


def test_processes_are_for_graphs_with_several_shards() -> None:
    assert isinstance(workers_here(1_000), InProcess)
    assert isinstance(workers_here(100_000), ForkedWorkers)
