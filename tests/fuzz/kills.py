"""Attack by kill -9 at every file operation, after which the same command must give the same bytes.

The commands are ``embed`` (with a report, and on a graph that is trained with landmarks), ``grid`` (its
worker process too), ``report`` and the distance store. The run with landmarks is also killed whenever it
tells its log what it does next, so that kills fall into stages that write no file. The cases go through all
operations of each of them; the next round kills the second attempt as well.
"""

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, final

from fuzz import artefacts
from fuzz.attack import Attack, Case
from fuzz.command import without
from fuzz.dying import write_shim
from fuzz.verdict import ACCEPTED, Outcome, Verdict

MAIN = "import sys; from riemap.cli import main; main(sys.argv[1:])"
LARGE_MAIN = """
import logging, sys
from riemap.cli import main
from riemap.distances import landmarks
from riemap.training import large_start, sampled_objective
from fuzz.dying import ticking
landmarks.LEAST_PART_BYTES = 1
large_start.LANDMARKS, large_start.BALL_NODES = 48, 24
large_start.TOGETHER = large_start.SEARCHED_TOGETHER = 16
sampled_objective.SHARD_NODES = 50
log = logging.getLogger("riemap")
log.addHandler(ticking())
log.setLevel(logging.INFO)
main(sys.argv[1:])
"""
"""Train a small graph as a large one is trained: several shards, and distances that are stored in parts."""

STORE = "import riemap; from fuzz.artefacts import stored_graph; riemap.shortest_paths(stored_graph())"
TIMES = ("seconds", "attempt", "machine", "warnings", "checksum", "history_checksum")
"""Entries that differ between two runs of a command: times, and checksums of what has times in it."""
LARGE = ("embed", "tree(r=3,h=4)", "-s", "E1 x H2", "--sampler", "landmarks", "--epochs", "6")
TOP = ("embed", "cycle(n=7)", "-s", "E1 x H2", "--epochs", "6", "--checkpoint-every", "4")


@dataclass(frozen=True)
class Scenario:
    """A command, what is added to it after a kill, what must be there before, and the Python code to run."""

    words: tuple[str, ...]
    again: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    code: str = MAIN


SCENARIOS = {
    "embed": Scenario((*TOP, "--report", "--out", "new"), ("--resume",)),
    "grid": Scenario(("grid", "grid.toml", "--out", "new"), ("--retry-failed",), ("grid.toml",)),
    "report": Scenario(("report", "run", "-o", "new/page.html"), (), ("run",)),
    "report of a grid": Scenario(("report", "grid", "-o", "new/page.html"), (), ("grid",)),
    "store": Scenario((), code=STORE),
    "landmarks": Scenario(
        (*LARGE, "--checkpoint-every", "2", "--out", "new"), ("--resume",), code=LARGE_MAIN
    ),
}

SMALL_GRID = 'graphs = ["path(n=5)"]\nspaces = ["E2", "H2"]\nepochs = 4\n'


@final
class Kills(Attack):
    """A process that is killed at any moment that matters, and started again."""

    name = "kills"
    seconds = 300.0
    share = 2.0
    short = 0

    def prepare(self, shared: Path) -> int:
        artefacts.make(shared)
        return self.begin(shared, SCENARIOS)

    def begin(self, shared: Path, names: Iterable[str]) -> int:
        """Run some of the commands without a kill, and count their file operations."""
        write_shim(shared / "shim")
        self.shared, self.right = shared, {name: _finished(name, shared) for name in names}
        self.cases = [(name, k) for name, (count, _) in self.right.items() for k in range(1, count + 1)]
        return len(self.cases)

    def draw(self, rng: Random, number: int) -> Case:
        order = list(range(len(self.cases)))
        Random(number // len(order)).shuffle(order)
        name, k = self.cases[order[number % len(order)]]
        kills = (
            [k] if number < len(order) else [k, *(rng.randrange(1, 40) for _ in range(rng.choice((0, 1, 2))))]
        )
        return {"scenario": name, "kills": kills}

    def check(self, case: Case, folder: Path) -> Verdict:
        name = case["scenario"]
        work = _begun(name, folder, self.shared)
        for attempt, k in enumerate(case["kills"]):
            ended = _started(name, work, self.shared, k, again=attempt > 0)
            if ended.returncode not in (0, 1, -signal.SIGKILL):
                return _wrong(
                    name, f"a command that was killed before: {ended.stderr[-1500:]}", Outcome.TRACEBACK
                )
        ended = _started(name, work, self.shared, 0, again=True)
        if ended.returncode != 0:
            return _wrong(
                name, f"exit code {ended.returncode} after a kill: {ended.stderr[-1500:]}", Outcome.TRACEBACK
            )
        found, right = contents(work), self.right[name][1]
        for path in sorted({*found, *right}):
            if found.get(path) != right.get(path):
                return _wrong(name, f"{path} differs from that of an uninterrupted run", Outcome.CHANGED)
        return ACCEPTED


def _wrong(name: str, message: str, outcome: Outcome) -> Verdict:
    return Verdict(outcome, message, f"{name}: {message[:60]}")


def _finished(name: str, shared: Path) -> tuple[int, dict[str, Any]]:
    """The number of file operations of a command that nobody kills, and what it leaves."""
    folder = shared / f"whole-{name.replace(' ', '-')}"
    if not folder.exists():
        folder.mkdir()
        ended = _started(name, _begun(name, folder, shared), shared, 0, again=False)
        if ended.returncode != 0:
            raise RuntimeError(f"{name} fails without a kill: {ended.stderr}")
    return (folder / "counter").stat().st_size, contents(folder / "work")


def _begun(name: str, folder: Path, shared: Path) -> Path:
    """The folder for a command, with what it needs."""
    work = folder / "work"
    work.mkdir()
    artefacts.copied(shared, work, *SCENARIOS[name].needs)
    if name == "grid":
        (work / "grid.toml").write_text(SMALL_GRID)
    return work


def _started(
    name: str, work: Path, shared: Path, k: int, *, again: bool
) -> "subprocess.CompletedProcess[str]":
    """Run the command, killed at its k-th file operation."""
    scenario, counter = SCENARIOS[name], work.parent / "counter"
    counter.unlink(missing_ok=True)
    python = [sys.executable, "-c", scenario.code, *scenario.words]
    tests = Path(__file__).parents[1]
    paths = [str(shared / "shim"), str(tests), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "FUZZ_COUNTER": str(counter),
        "FUZZ_FOLDER": str(work if scenario.words else work / "cache"),
        "FUZZ_KILL": str(k),
        "RIEMAP_CACHE": str(work / "cache"),
        "NUMBA_NUM_THREADS": "1",
    }
    return subprocess.run(
        python + list(scenario.again if again else ()),
        cwd=work,
        env=environment,
        capture_output=True,
        text=True,
    )


def contents(work: Path) -> dict[str, Any]:
    """Everything in a folder, without times, and without what a killed process leaves beside its files."""
    found: dict[str, Any] = {}
    for path in sorted(p for p in work.rglob("*") if p.is_file()):
        name = str(path.relative_to(work))
        if path.name.endswith(".part") or "/locks/" in name:
            continue
        if path.suffix in (".json", ".jsonl"):
            lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
            found[name] = [without(artefacts.strict(line), *TIMES) for line in lines]
        elif path.name == "history.csv":
            found[name] = [line.rsplit(",", 1)[0] for line in path.read_text().splitlines()]
        elif path.suffix == ".html" and "new/report" in name:
            found[name] = "a page"  # it shows the seconds of the training
        else:
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found
