"""Kernels give up threads where other programs need the cores, and refuse what their threads cannot do."""

import os
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numba
import pytest

from riemap import threads
from riemap.threads import MEASURED_SECONDS, sharing_cores

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither fork nor getrusage")

SCRIPT = """
import multiprocessing, sys, threading, warnings
import numpy as np
from riemap.spaces import Space

warnings.simplefilter("ignore")  # newer Pythons warn of every fork
x = np.linspace(0.0, 1.0, 60).reshape(20, 3)

def total(_=0):
    return float(Space.parse("E3").pairs((x,)).sqdist.sum())

if __name__ == "__main__":
    {body}
"""

POOL = """
    expected = total()
    try:
        with multiprocessing.get_context("{how}").Pool(1) as pool:
            print(pool.map(total, [0])[0] == expected)
    except ValueError as error:
        print(type(error).__name__, error)
"""

THREADS = """
    expected, found = total(), []
    def work():
        found.extend(total() for _ in range(200))
    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()
    print(len(found) == 800 and set(found) == {expected})
"""


def run(tmp_path: Any, body: str, **environment: str) -> str:
    """What a new process prints that runs this body after the definitions of ``SCRIPT``."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("{body}", body.strip()))
    done = subprocess.run(
        [sys.executable, script],
        env={**os.environ, "NUMBA_NUM_THREADS": "2", **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class Machine:
    """A clock and a count of processor time that a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.processor, self.switches = 100.0, 50.0, 0
        monkeypatch.setattr(threads, "time", SimpleNamespace(perf_counter=lambda: self.now))
        monkeypatch.setattr(threads, "getrusage", lambda _: self.usage())
        monkeypatch.setattr(threads, "_share", threads._Share())
        monkeypatch.setattr(threads._layer, "name", "omp")
        monkeypatch.setattr(threads, "_WAIT_POLICY_CHOSEN", False)

    def usage(self) -> SimpleNamespace:
        return SimpleNamespace(ru_utime=self.processor, ru_stime=0.0, ru_nivcsw=self.switches)

    def work(self, cores: float, switches: int, seconds: float = MEASURED_SECONDS) -> int:
        """Run a kernel that gets so many cores; returns its threads."""

        @sharing_cores
        def kernel() -> int:
            self.now += seconds
            self.processor += seconds * cores
            self.switches += switches
            return numba.get_num_threads()

        return kernel()


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    before = numba.get_num_threads()
    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("the machine has one core")
    numba.set_num_threads(2)
    yield Machine(monkeypatch)
    numba.set_num_threads(before)


def test_a_quiet_machine_keeps_all_threads(machine: Machine) -> None:
    assert [machine.work(2.0, 0) for _ in range(5)] == [2] * 5


def test_beside_another_program_a_thread_is_given_up_for_a_while(machine: Machine) -> None:
    assert [machine.work(1.4, 6) for _ in range(4)] == [2, 2, 1, 1]
    assert numba.get_num_threads() == 2  # outside riemap, the user's number
    used = [machine.work(1.0, 0) for _ in range(40)]
    assert 1 in used[:20]
    assert used[-1] == 2


def test_idle_threads_are_not_lost_cores(machine: Machine) -> None:
    assert [machine.work(1.0, 0) for _ in range(5)] == [2] * 5  # no switches: nobody took the core
    for _ in range(5):
        machine.now += 1.0  # the user's own work, between calls
        machine.switches += 100
        assert machine.work(2.0, 6) == 2
    assert [machine.work(1.0, 60, seconds=1.0) for _ in range(3)] == [2] * 3  # compiles


def test_a_users_single_thread_stays(machine: Machine) -> None:
    numba.set_num_threads(1)
    assert [machine.work(0.5, 6) for _ in range(5)] == [1] * 5


def test_a_forked_process_gets_a_message_and_a_spawned_one_works(tmp_path: Any) -> None:
    refused = run(tmp_path, POOL.format(how="fork"), NUMBA_THREADING_LAYER="omp")
    assert refused.startswith("InputError this process was forked")
    assert "get_context('spawn')" in refused
    assert run(tmp_path, POOL.format(how="spawn"), NUMBA_THREADING_LAYER="omp") == "True"


@pytest.mark.parametrize("layer", ["omp", "workqueue"])
def test_several_threads_of_python_run_kernels(tmp_path: Any, layer: str) -> None:
    assert run(tmp_path, THREADS, NUMBA_THREADING_LAYER=layer) == "True"
