"""Checkpoints: a run continues from one to the same bytes, and others are refused."""

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from training_helpers import BATCHED, H2, TREE, failing, flat, in_bytes, losses, plan_of, stopped

from riemap import Graph, Space, generate
from riemap.errors import InputError
from riemap.losses import as_loss
from riemap.optim import RAdam
from riemap.training import DivergedError, EpochRecord, Plan, Stage, Stop, TrainingWarning, fit

pytestmark = pytest.mark.usefixtures("one_thread")


CHILD = """
import os, random, signal, sys, zipfile
from pathlib import Path
import riemap.files, riemap.training.fit
from riemap import Space, generate
from riemap.losses import as_loss
from riemap.optim import RAdam
from riemap.training import Plan, Stage, fit

folder, batch, seed = Path(sys.argv[1]), eval(sys.argv[2]), int(sys.argv[3])
stages = (
    Stage(as_loss("rsne(T=0.2)"), 10, batch=batch),
    Stage(as_loss("rsne(T=0.3->0.1) + 0.3*ad"), 30, schedule="cosine", rescale=True, batch=batch),
)
plan = Plan(stages, RAdam(0.1), 0.1)

def run(die, cut):
    def killed(record):
        nonlocal die
        die -= 1
        if die == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    if cut:  # in the midst of writing a checkpoint
        zipfile.ZipFile._write_end_record = lambda file: os.kill(os.getpid(), signal.SIGKILL)
    graph, space, path = generate("tree(r=2,h=3)"), Space.parse("H2 x E1"), folder / "state.npz"
    result = fit(graph, space, plan, checkpoint=path, every=3, callbacks=(killed,))
    result.embedding.save(folder / "done.npz")
    with open(folder / "losses.txt", "w") as file:
        file.write(" ".join(f"{r.epoch}:{r.loss.hex()}" for r in result.history))

rng, kills = random.Random(seed), 0
while True:
    die, cut = rng.randint(3, 9) if kills < 4 else 1000, kills in (1, 3)
    pid = os.fork()  # before any thread was started
    if pid == 0:
        run(die, cut)
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    if status == 0:
        break
    assert os.WTERMSIG(status) == signal.SIGKILL, status
    kills += 1
print(kills)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.parametrize("batch", [None, 4], ids=["all pairs", "batches"])
def test_killed_and_resumed_runs_give_the_same_bytes(batch: int | None, tmp_path: Path) -> None:
    """SIGKILL after random epochs, now and then while a checkpoint is written."""
    stages = (
        Stage(as_loss("rsne(T=0.2)"), 10, batch=batch),
        Stage(as_loss("rsne(T=0.3->0.1) + 0.3*ad"), 30, schedule="cosine", rescale=True, batch=batch),
    )
    expected = fit(TREE, Space.parse("H2 x E1"), Plan(stages, RAdam(0.1), 0.1))
    expected.embedding.save(tmp_path / "expected.npz")
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path), repr(batch), "1"],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"NUMBA_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == 4
    with np.load(tmp_path / "expected.npz") as a, np.load(tmp_path / "done.npz") as b:
        assert a.files == b.files
        for name in a.files:
            assert a[name].tobytes() == b[name].tobytes(), name
    wanted = " ".join(f"{record.epoch}:{record.loss.hex()}" for record in expected.history)
    assert (tmp_path / "losses.txt").read_text() == wanted


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """The checkpoint of a run of the batched plan, stopped after eight of its twelve epochs."""
    path = tmp_path / "run.npz"
    fit(TREE, H2, BATCHED, checkpoint=path, every=4, callbacks=(stopped(8),))
    return path


def test_history_is_complete_after_a_resume(checkpoint: Path) -> None:
    told: list[EpochRecord] = []
    result = fit(TREE, H2, BATCHED, checkpoint=checkpoint, every=4, callbacks=(told.append,))
    whole = fit(TREE, H2, BATCHED)
    assert [record.epoch for record in told] == [8, 9, 10, 11]
    assert [record._replace(seconds=0.0) for record in result.history] == [
        record._replace(seconds=0.0) for record in whole.history
    ]
    seconds = [record.seconds for record in result.history]
    assert seconds == sorted(seconds)
    assert in_bytes(result) == in_bytes(whole)


def test_the_best_may_be_from_before_a_checkpoint(tmp_path: Path) -> None:
    """With a rate far too high, the fourth epoch is best, and the checkpoint is of the fifth."""
    plan, path = replace(plan_of("stress", 6), optimizer=RAdam(2.0)), tmp_path / "run.npz"
    fit(TREE, H2, plan, checkpoint=path, every=5, callbacks=(stopped(5),))
    result = fit(TREE, H2, plan, checkpoint=path)
    assert losses(result).index(min(losses(result))) < 4
    assert in_bytes(result) == in_bytes(fit(TREE, H2, plan))


def test_a_finished_run_is_resumed_to_itself(checkpoint: Path) -> None:
    first, second = (fit(TREE, H2, BATCHED, checkpoint=checkpoint) for _ in range(2))
    assert in_bytes(first) == in_bytes(second)
    assert first.history == second.history
    assert second.stop is Stop.FINISHED


def test_a_run_that_stood_still_is_not_gone_on_with(tmp_path: Path) -> None:
    """Its last epoch stays the last, also where a checkpoint was written just then."""
    path, plan = tmp_path / "run.npz", replace(plan_of(flat, 400, schedule="plateau"), optimizer=RAdam(1e-4))
    first, second = (fit(TREE, H2, plan, checkpoint=path, every=1) for _ in range(2))
    assert first.stop is second.stop is Stop.PLATEAU
    assert first.history == second.history
    assert in_bytes(first) == in_bytes(second)


def test_what_was_rescued_stays_rescued(tmp_path: Path) -> None:
    """The lower rate, and that there is no second chance, are part of a checkpoint."""
    path, always = tmp_path / "run.npz", plan_of(failing(lambda call: call in (3, 5)), 8)
    with pytest.warns(TrainingWarning):
        first = fit(TREE, H2, always, checkpoint=path, every=1, callbacks=(stopped(3),))
    with pytest.raises(DivergedError, match=r"^epoch 4 of"):
        fit(TREE, H2, always, checkpoint=path, every=1)
    assert first.history[-1].lr == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("graph", "space", "plan", "seed", "said"),
    [
        (TREE, H2, BATCHED, 7, "its seed is 0, and not 7"),
        (TREE, Space.parse("E2"), BATCHED, 0, "its space is 'H2', and not 'E2'"),
        (generate("path(n=15)"), H2, BATCHED, 0, "its graph is '"),
        (
            TREE,
            H2,
            plan_of("rsne(T=0.1) + 0.3*ad", 12, batch=5),
            0,
            "its plan.stages[0].batch is 4, and not 5",
        ),
        (
            TREE,
            H2,
            plan_of("rsne(T=0.1) + 0.3*ad", 13, batch=4),
            0,
            "its plan.stages[0].epochs is 12, and not 13",
        ),
        (
            TREE,
            H2,
            plan_of("rsne(T=0.1000001) + 0.3*ad", 12, batch=4),
            0,
            "and not 'rsne(T=0.1000001) + 0.3*ad'",
        ),
        (TREE, H2, replace(BATCHED, optimizer=RAdam(0.1000001)), 0, "and not 'radam(lr=0.1000001)'"),
        (TREE, H2, replace(BATCHED, radius=0.2), 0, "its plan.radius is 0.1, and not 0.2"),
        (TREE, H2, replace(BATCHED, scale_lr=0.2), 0, "its plan.scale_lr is 0.1, and not 0.2"),
    ],
)
def test_the_checkpoint_of_another_run_is_refused(
    checkpoint: Path, graph: Graph, space: Space, plan: Plan, seed: int, said: str
) -> None:
    before = checkpoint.read_bytes()
    with pytest.raises(InputError, match="is the checkpoint of another run: ") as caught:
        fit(graph, space, plan, seed=seed, checkpoint=checkpoint)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    assert checkpoint.read_bytes() == before


def damaged(whole: bytes, embedding: bytes) -> Iterator[bytes]:
    yield b""
    yield b"not a checkpoint\n" * 9
    yield embedding
    yield b"\x93NUMPY" + whole[6:]
    rng = np.random.default_rng(0)
    for cut in rng.integers(1, len(whole) - 1, 12):
        yield whole[:cut]
    for place in rng.integers(0, len(whole), 40):
        yield whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]


@pytest.mark.parametrize("checked", [True, False], ids=["checksum", "no checksum"])
def test_a_checkpoint_with_a_changed_array_is_refused(checkpoint: Path, checked: bool) -> None:
    """An array is missing, has another shape or type, or another value; the archive itself is valid."""
    with np.load(checkpoint) as arrays:
        whole = {name: arrays[name] for name in arrays.files if checked or name != "checksum"}
    for name, array in whole.items():
        for change in (None, array[None], np.zeros(3, np.int8), np.array("text")):
            found = {**whole, name: change}
            if name == "checksum" or (name == "identity" and change is not None):
                continue
            np.savez(checkpoint, **{key: value for key, value in found.items() if value is not None})
            if name == "best_points0" and change is None and not checked:
                continue
            with pytest.raises(
                InputError, match=f"is not a checkpoint of riemap: .*{'' if checked else name}"
            ):
                fit(TREE, H2, BATCHED, checkpoint=checkpoint)
    if checked:
        np.savez(checkpoint, **{**whole, "points0": whole["points0"] * (1 + 1e-15)})
        with pytest.raises(InputError, match=r"does not match its checksum, .*; remove it to begin the run"):
            fit(TREE, H2, BATCHED, checkpoint=checkpoint)


def test_a_damaged_checkpoint_is_refused_in_one_line(checkpoint: Path, tmp_path: Path) -> None:
    """Or, where the damage is in a place that nobody reads, gives the same bytes."""
    result = fit(TREE, H2, BATCHED)
    result.embedding.save(tmp_path / "embedding.npz")
    whole, said = checkpoint.read_bytes(), []
    for data in damaged(whole, (tmp_path / "embedding.npz").read_bytes()):
        checkpoint.write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # zipfile has something to say about some of these
            try:
                again = fit(TREE, H2, BATCHED, checkpoint=checkpoint)
            except InputError as error:
                said.append(str(error))
            else:
                assert in_bytes(again) == in_bytes(result)
    assert len(said) >= 40
    assert all("is not a checkpoint of riemap" in text and "\n" not in text for text in said)
