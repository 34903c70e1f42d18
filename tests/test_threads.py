"""Kernels on several threads: every row once, errors, forks, and fewer threads beside other programs."""

import os
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from thread_helpers import exactly

from riemap import core_share
from riemap.core_share import MEASURED_SECONDS, CoreShare
from riemap.errors import InputError
from riemap.loops import exact_loop
from riemap.threads import Part, begin, count, limited, set_count

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither fork nor getrusage")

SCRIPT = """
import multiprocessing, sys, threading, warnings
import numpy as np
from riemap.spaces import Space
from riemap.threads import count

warnings.simplefilter("ignore")  # newer Pythons warn of every fork
x = np.linspace(0.0, 1.0, 600).reshape(200, 3)

def total(_=0):
    return float(Space.parse("E3").pairs((x,)).sqdist.sum())

if __name__ == "__main__":
    {body}
"""

POOL = """
    expected = total()
    with multiprocessing.get_context("{how}").Pool(1) as pool:
        print(pool.map(total, [0])[0] == expected)
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
        self.share = CoreShare()
        monkeypatch.setattr(core_share, "time", SimpleNamespace(perf_counter=lambda: self.now))
        monkeypatch.setattr(core_share, "getrusage", lambda _: self.usage())

    def usage(self) -> SimpleNamespace:
        return SimpleNamespace(ru_utime=self.processor, ru_stime=0.0, ru_nivcsw=self.switches)

    def work(self, cores: float, switches: int, seconds: float = 1.1 * MEASURED_SECONDS) -> int:
        """Run a kernel that gets so many cores; returns its threads."""
        used = self.share.threads(2)
        self.now += seconds
        self.processor += seconds * cores
        self.switches += switches
        return used


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


def test_a_quiet_machine_keeps_all_threads(machine: Machine) -> None:
    assert [machine.work(2.0, 0) for _ in range(5)] == [2] * 5


def test_beside_another_program_a_thread_is_given_up_for_a_while(machine: Machine) -> None:
    assert [machine.work(1.4, 6) for _ in range(5)] == [2, 2, 1, 1, 1]
    used = [machine.work(1.0, 0) for _ in range(40)]
    assert 1 in used[:20]
    assert used[-1] == 2


def test_a_rest_becomes_longer_while_the_machine_stays_busy(machine: Machine) -> None:
    used = [machine.work(1.4, 6) for _ in range(1000)]
    trials = [k for k in range(1, 1000) if used[k] == 2 and used[k - 1] == 1]
    assert trials == sorted(trials)
    assert trials[1] - trials[0] < trials[2] - trials[1]


def test_idle_threads_are_not_lost_cores(machine: Machine) -> None:
    assert [machine.work(1.0, 0) for _ in range(5)] == [2] * 5  # no switches: nobody took the core
    assert [machine.work(1.0, 600, seconds=1.0) for _ in range(5)] == [2] * 5  # compiles
    assert [machine.work(1.4, 6), machine.work(2.0, 0)] * 3 == [2] * 6  # once is chance


def test_the_number_of_threads_is_restored_and_checked() -> None:
    before = count()
    with limited(3):
        assert count() == 3
    assert count() == before
    for wrong in (0, -1, 1.5, True, "2"):
        with pytest.raises(InputError, match="positive integer"):
            set_count(wrong)  # type: ignore[arg-type]
    set_count(np.int64(before))  # type: ignore[arg-type]


@exact_loop
def _number_rows(part: Part, out: Any, thread_of: Any) -> None:
    start, stop = begin(part)
    for i in range(start, stop):
        out[i] = i
        thread_of[i] = start


@pytest.mark.parametrize("workers", [1, 2, 3, 4])
@pytest.mark.parametrize("rows", [0, 1, 2, 3, 7, 100])
def test_each_row_is_done_once(rows: int, workers: int) -> None:
    out, thread_of = np.full(rows, -1), np.full(rows, -1)
    with exactly(workers):
        _number_rows(rows, out, thread_of)
    assert out.tolist() == list(range(rows))
    assert len(set(thread_of.tolist())) == (min(workers, rows) if rows >= 2 else rows)


@exact_loop
def _failing(part: Part, out: Any, limit: int) -> None:
    start, stop = begin(part)
    if stop > limit:
        raise ValueError("too many rows")
    for i in range(start, stop):
        out[i] = 1


@pytest.mark.parametrize("limit", [0, 60])
def test_an_error_in_any_thread_reaches_the_caller_and_the_pool_stays_usable(limit: int) -> None:
    out = np.zeros(100, np.int64)
    with exactly(2):
        for _ in range(3):
            with pytest.raises(ValueError, match="too many rows"):
                _failing(100, out, limit)
        _failing(100, out, 100)
    assert out.all()


def test_workers_that_sleep_are_woken() -> None:
    out, thread_of = np.zeros(10, np.int64), np.zeros(10, np.int64)
    with exactly(2):
        for pause in (0.0, 0.05, 0.2, 0.0):
            time.sleep(pause)
            _number_rows(10, out, thread_of)
            assert len(set(thread_of.tolist())) == 2


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_processes_that_were_forked_or_spawned_run_kernels(tmp_path: Any, how: str) -> None:
    assert run(tmp_path, POOL.format(how=how)) == "True"


def test_several_threads_of_python_run_kernels(tmp_path: Any) -> None:
    assert run(tmp_path, THREADS) == "True"
