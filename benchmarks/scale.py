"""Time and score embeddings of large graphs, by stage.

Run: python benchmarks/scale.py [--nodes 10000 100000] [--graphs hyperbolic grid ba] [--spaces H3 E3 ...]
    [--rounds 100] [--records FILE] [--checkpoints FOLDER] [--show]

The graphs are those of large_graphs.py, the plan is that of `riemap embed` without options. Each run is a
process of its own, with an empty cache of distances. The stages are: distances to landmarks and within balls
(distances), embedding of the landmarks and placement of all nodes (start), rounds (training), and scores from
sampled sources. A first line for each run has seconds on the clock, and a second one processor seconds of all
threads and forks, which other programs on the machine disturb less. Memory is the peak of the process with
its forks. A small graph is embedded first, so that compiling does not count, and neither does making the
graph.

Each result is one line of JSON, written as soon as it is there, and a run in training writes checkpoints. A
benchmark that is started again continues. The table has all results so far; --show only prints it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
from large_graphs import MAKERS, made
from records import add_record, read_records
from timing import commit, header, processor_seconds

from riemap import Graph, Space, evaluate, threads
from riemap.kernel_cache import kernel_folder, working_seconds
from riemap.losses import as_loss
from riemap.training import Trainer, default_plan, landmark_plan, training_process
from riemap.training.checkpoint import load_checkpoint, save_checkpoint
from riemap.training.state import TrainingState

ROOT = Path(__file__).parents[1]
STAGES = ("distances", "start", "training", "scores")
METRICS = ("ad", "auc", "f1@1")
SPACES = ("H3", "E3", "Stein2", "H3 x S2")

SAVED_SECONDS = 60.0
"""Seconds of training between two checkpoints."""

LOOK_SECONDS = 0.25
"""Seconds between two looks at how much memory there is."""


class Clock:
    """Seconds and processor seconds of each stage. They are kept in a file, for a run that continues."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.spent: dict[str, list[float]] = json.loads(path.read_text()) if path.exists() else {}
        self.now = self._read()

    @staticmethod
    def _read() -> tuple[float, float]:
        return working_seconds(), processor_seconds()

    def add(self, stage: str) -> None:
        """Add the time since the last call to a stage."""
        now = self._read()
        parts = zip(self.spent.get(stage, (0.0, 0.0)), now, self.now, strict=True)
        self.spent[stage] = [sum_ + new - old for sum_, new, old in parts]
        self.now = now

    def skip(self) -> None:
        """Count the time since the last call for nothing."""
        self.now = self._read()

    def save(self) -> None:
        """Write the file."""
        self.path.write_text(json.dumps(self.spent))


class Memory:
    """The most memory that this process and its forks have at a time; pages that they share count once."""

    def __init__(self) -> None:
        self.peak = 0
        Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            self.peak = max(self.peak, sum(map(_proportional_bytes, family())))
            time.sleep(LOOK_SECONDS)


def family() -> list[int]:
    """The numbers of this process and of those that it has forked."""
    own = os.getpid()
    return [own, *map(int, Path(f"/proc/{own}/task/{own}/children").read_text().split())]


def _proportional_bytes(process: int) -> int:
    """The memory of a process, with its share of pages that others have, too; zero if it has just ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def one(kind: str, n: int, space: Space, rounds: int | None, folder: Path) -> dict[str, Any]:
    """Do one run, or continue it, and return its figures."""
    _embed(made("ba", 3000), space, 2, folder / "small")
    graph, memory = made(kind, n), Memory()
    clock, scores = _embed(graph, space, rounds, folder)
    seconds = {stage: clock.spent[stage] for stage in STAGES}
    return {"n": graph.n, "m": graph.m, "gb": memory.peak / 1e9, "seconds": seconds, **scores}


def _embed(graph: Graph, space: Space, rounds: int | None, folder: Path) -> tuple[Clock, dict[str, Any]]:
    """Embed and score a graph; the clock has the time of each stage."""
    folder.mkdir(parents=True, exist_ok=True)
    plan = landmark_plan(default_plan(as_loss("both"), graph.n), graph.n, rounds)
    with training_process(graph.n):
        clock = Clock(folder / "seconds.json")
        trainer = Trainer(graph, space, plan)
        clock.skip() if clock.spent else clock.add("distances")
        state, history = _started(trainer, graph, folder, clock)
        saved = time.monotonic()
        while state.epoch < plan.epochs:
            state = trainer.step(state)
            assert state.record is not None
            history.append(state.record)
            if time.monotonic() > saved + SAVED_SECONDS:
                clock.add("training")
                _save(folder, graph, state, history, clock)
                print(f"{graph.name} in {space}: round {state.epoch} of {plan.epochs}", file=sys.stderr)
                saved = time.monotonic()
        clock.add("training")
        scores = evaluate(trainer.embedding(state), graph)
        clock.add("scores")
    found = {m: [scores[m], scores.errors.get(m)] for m in METRICS}
    return clock, {"rounds": plan.epochs, **found}


def _started(trainer: Trainer, graph: Graph, folder: Path, clock: Clock) -> tuple[TrainingState, list[Any]]:
    """Return the state to continue from, which is new unless there is a checkpoint."""
    path = folder / "checkpoint.npz"
    if path.exists():
        like = trainer._initial_state(tuple(np.zeros((graph.n, *m.shape)) for m in trainer.space.factors), 0)
        found = load_checkpoint(path, json.dumps({"graph": graph.key}), like)
        clock.skip()
        return found
    state = trainer.init()
    clock.add("start")
    return state, []


def _save(folder: Path, graph: Graph, state: TrainingState, history: list[Any], clock: Clock) -> None:
    save_checkpoint(folder / "checkpoint.npz", json.dumps({"graph": graph.key}), state, history)
    clock.skip()
    clock.save()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[10**4, 10**5, 10**6])
    parser.add_argument("--graphs", nargs="+", default=list(MAKERS), choices=list(MAKERS))
    parser.add_argument("--spaces", nargs="+", default=list(SPACES))
    parser.add_argument("--rounds", type=int, help="by default as many as `riemap embed` takes")
    parser.add_argument("--records", type=Path, default=ROOT / "results" / "scale.jsonl")
    parser.add_argument("--checkpoints", type=Path, default=Path(tempfile.gettempdir()) / "riemap-scale")
    parser.add_argument("--show", action="store_true", help="run nothing, print what is recorded")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        space = Space.parse(given.spaces[0])
        print(json.dumps(one(given.graphs[0], given.nodes[0], space, given.rounds, given.checkpoints)))
        return
    print(header())
    columns = ("nodes", "edges", "rounds", *STAGES, "total s", "GB")
    print(
        "".join([f"\n{'graph':11}{'space':9}", *(f"{c:>10}" for c in columns)]) + "   AD, AUC, F1@1 (errors)"
    )
    for key in [(n, kind, space) for n in given.nodes for kind in given.graphs for space in given.spaces]:
        record = _recorded(key, given)
        if record is not None:
            _show(record)


def _recorded(key: tuple[int, str, str], given: argparse.Namespace) -> dict[str, Any] | None:
    """Find the record of a run, or do it."""
    facts = dict(zip(("nodes", "graph", "space"), key, strict=True)) | {"given_rounds": given.rounds}
    known = [r for r in read_records(given.records) if all(r[name] == value for name, value in facts.items())]
    if known or given.show:
        return known[-1] if known else None
    nodes, kind, space = key
    folder = given.checkpoints / f"{kind}-{nodes}-{space.replace(' ', '')}-{given.rounds}"
    command = [sys.executable, __file__, "--one", "--nodes", str(nodes), "--graphs", kind, "--spaces", space]
    command += ["--checkpoints", str(folder)] + (["--rounds", str(given.rounds)] if given.rounds else [])
    where = {"threads": threads.count(), "commit": commit()}
    with tempfile.TemporaryDirectory() as empty:
        env = {**os.environ, "RIEMAP_CACHE": empty, "NUMBA_CACHE_DIR": str(kernel_folder().parent)}
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=env)
    found = json.loads(done.stdout.splitlines()[-1])
    record = {**facts, **found, **where, "load": os.getloadavg()[2]}
    add_record(given.records, record)
    return record


def _show(record: dict[str, Any]) -> None:
    counts = "".join(f"{record[name]:10}" for name in ("n", "m", "rounds"))
    clock, processor = zip(*record["seconds"].values(), strict=True)
    scores = ", ".join(
        f"{value:.4f}" + (f" ({error:.4f})" if error is not None else "")
        for value, error in (record[m] for m in METRICS)
    )
    lines = [
        f"{record['graph']:11}{record['space']:9}{counts}"
        + _times(clock)
        + f"{record['gb']:10.1f}   {scores}",
        f"{'':20}" + f"processor, {record['threads']} threads".rjust(30) + _times(processor),
    ]
    print("\n".join(lines), flush=True)


def _times(seconds: tuple[float, ...]) -> str:
    return "".join(f"{t:10.1f}" for t in (*seconds, sum(seconds)))


if __name__ == "__main__":
    main()
