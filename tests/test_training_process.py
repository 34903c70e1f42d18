"""What changes the process, Ctrl-C, memory and threads, is left to those who ask for it."""

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from training_helpers import H2, TREE, flat, in_bytes, plan_of

from riemap.threads import count, limited
from riemap.training import EpochRecord, Stop, Trainer, fit, malloc, training_process
from riemap.training.malloc import _glibc
from riemap.types import Array

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("batch", [None, 4], ids=["all pairs", "batches"])
def test_an_interrupt_keeps_the_best_so_far(batch: int | None, tmp_path: Path) -> None:
    """And leaves a checkpoint, from which the run continues to the same bytes."""
    plan, path = plan_of("stress", 12, batch), tmp_path / "run.npz"
    told: list[EpochRecord] = []
    result = fit(
        TREE, H2, plan, callbacks=(told.append,), checkpoint=path, interrupted=lambda: len(told) == 7
    )
    assert result.stop is Stop.INTERRUPTED
    assert len(result.history) == 7
    assert in_bytes(result) == in_bytes(fit(TREE, H2, plan_of("stress", 7, batch)))
    told.clear()
    resumed = fit(TREE, H2, plan, checkpoint=path, callbacks=(told.append,))
    assert [record.epoch for record in told] == [7, 8, 9, 10, 11]
    assert in_bytes(resumed) == in_bytes(fit(TREE, H2, plan))
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("where", ["callback", "step"])
def test_a_keyboard_interrupt_is_raised_and_loses_no_epoch(where: str, tmp_path: Path) -> None:
    """In library use nothing catches Ctrl-C, but the checkpoint has all finished epochs."""
    plan, path = plan_of("stress", 12), tmp_path / "run.npz"

    def raising(record: EpochRecord) -> None:
        if record.epoch == 6:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        if where == "step":
            step = Trainer.step
            patch.setattr(
                Trainer, "step", lambda self, s: raising(s.record) if s.epoch == 7 else step(self, s)
            )
        with pytest.raises(KeyboardInterrupt):
            fit(TREE, H2, plan, checkpoint=path, callbacks=(raising,) if where == "callback" else ())
    told: list[EpochRecord] = []
    resumed = fit(TREE, H2, plan, checkpoint=path, callbacks=(told.append,))
    assert [record.epoch for record in told] == [7, 8, 9, 10, 11]
    assert [record.epoch for record in resumed.history] == list(range(12))
    assert in_bytes(resumed) == in_bytes(fit(TREE, H2, plan))


def test_a_run_that_is_interrupted_before_its_first_epoch_gives_the_initial_points(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    result = fit(TREE, H2, plan_of("stress", 5), checkpoint=path, interrupted=lambda: True)
    assert (result.stop, result.history) == (Stop.INTERRUPTED, ())
    start = Trainer(TREE, H2, result.plan).init(0).points[0]
    np.testing.assert_array_equal(result.embedding.points[0], start)
    assert not path.exists()


@pytest.mark.parametrize(("times", "epochs"), [(1, 4), (2, 3)], ids=["once", "twice"])
def test_control_c_waits_for_the_end_of_an_epoch(times: int, epochs: int) -> None:
    """In the middle of a step it could meet compiled code; pressed again, it waits no longer."""
    calls = 0

    def pressed(target: Array, sqdist: Array) -> tuple[float, Array]:
        nonlocal calls
        calls += 1
        if calls == 4:
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
        return flat(target, sqdist)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # also where it is ignored, as by nohup
    try:
        with training_process(TREE.n) as interrupted:
            result = fit(TREE, H2, plan_of(pressed, 9), interrupted=interrupted)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert (result.stop, len(result.history)) == (Stop.INTERRUPTED, epochs)


@pytest.mark.parametrize(("n", "threads"), [(150, 1), (151, 2)])
def test_few_nodes_are_work_for_one_thread(n: int, threads: int) -> None:
    with limited(2):
        with training_process(n):
            assert count() == threads
        assert count() == 2


def test_a_handler_of_somebody_else_is_left_alone() -> None:
    told: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: told.append(number))

    def pressed(target: Array, sqdist: Array) -> tuple[float, Array]:
        signal.raise_signal(signal.SIGINT)
        return flat(target, sqdist)

    try:
        with training_process(TREE.n) as interrupted:
            result = fit(TREE, H2, plan_of(pressed, 3), interrupted=interrupted)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (result.stop, told) == (Stop.FINISHED, [signal.SIGINT] * 3)


def test_a_library_call_changes_nothing_in_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the handler of Ctrl-C, nor the allocator, nor the number of threads."""
    monkeypatch.setattr(malloc, "_glibc", lambda: pytest.fail("the allocator was asked for"))
    before = signal.getsignal(signal.SIGINT), count()
    seen: list[object] = []

    def watching(record: EpochRecord) -> None:
        seen.append((signal.getsignal(signal.SIGINT), count()))

    fit(TREE, H2, plan_of("stress", 3), callbacks=(watching,))
    assert seen == [before] * 3


KEPT = """
import numpy as np
from riemap.training.malloc import freed_memory_kept

def pages():
    return int(open("/proc/self/statm").read().split()[1])

def used():
    np.ones(1 << 23)  # and freed
    return pages()

print(pages(), used(), sep="\\n")
with freed_memory_kept():
    print(used())
print(pages())
"""


@pytest.mark.skipif(_glibc() is None, reason="only glibc can be told")
def test_freed_pages_stay_while_training_and_go_afterwards() -> None:
    """In a process of its own, whose heap has no room from before."""
    done = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True, check=True)
    start, usual, kept, end = map(int, done.stdout.split())
    half = 1 << 13  # of 64 MB, in pages of 4 kB
    assert usual < start + half < kept
    assert end < kept - half
