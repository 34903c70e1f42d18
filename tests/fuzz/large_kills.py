"""``python -m fuzz.large_kills GRAPH``: kill a large run at ten random moments, and continue it each time.

The run is ``riemap embed GRAPH`` with landmarks and an empty cache of distances. It is done once without a
kill. Then it is done again, and killed in each of its stages after a random part of the time that the stage
took, with ``--resume`` after each kill. What both leave must be the same bytes but for times. Unlike the
attack ``kills``, which stops small runs at file operations, this one stops real runs in their computations.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random
from threading import Condition, Thread

from fuzz.kills import contents

CODE = """
import logging, sys
log = logging.getLogger("riemap")
log.addHandler(logging.StreamHandler(sys.stdout))
log.setLevel(logging.INFO)
from riemap.cli import main
main(sys.argv[1:])
"""
"""The command line, which also writes on stdout what riemap logs."""

STAGES = {
    "computing the distances to": "distances to landmarks",
    "computing the distances within": "distances within balls",
    "embedding": "landmarks among themselves",
    "placing": "placement",
    "training": "rounds",
    "computing scores": "scores",
}
"""Part of the message that begins a stage, and the name of the stage."""

KILLS = dict.fromkeys(STAGES.values(), 1) | {"rounds": 4, "scores": 2}
"""Number of kills in each stage."""

MOST_ATTEMPTS = 10
"""Most kills that are tried for one in a stage: one that comes too late hits the next stage."""


def main() -> int:
    """Do both runs, print a table, and return 1 if they left different bytes."""
    parser = argparse.ArgumentParser(prog="fuzz.large_kills", description=__doc__.splitlines()[0])
    parser.add_argument("graph", type=Path, help="a file with a graph")
    parser.add_argument("--space", default="H3")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="another one each time by default")
    given = parser.parse_args()
    words = ["embed", str(given.graph.absolute()), "--space", given.space, "--epochs", str(given.epochs)]
    words += ["--sampler", "landmarks", "--checkpoint-every", "5", "--out", "run"]
    print(f"seed {given.seed}", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="riemap-kills-") as name:
        undisturbed, killed = Path(name) / "undisturbed", Path(name) / "killed"
        Run([*words[:1], "tree(r=3,h=5)", *words[2:]], Path(name) / "compiled").seconds()
        seconds = Run(words, undisturbed).seconds()
        kills = killed_everywhere(words, killed, seconds, Random(given.seed))
        Run([*words, "--resume"], killed).seconds()
        same = contents(undisturbed) == contents(killed)
    print("| stage | s without a kill | kills |\n|---|---|---|")
    for stage, duration in seconds.items():
        print(f"| {stage} | {duration:.1f} | {kills[stage]} |")
    print(f"{kills.total()} kills: {'the same bytes' if same else 'OTHER BYTES'}")
    return int(not same)


def killed_everywhere(words: list[str], folder: Path, seconds: dict[str, float], rng: Random) -> Counter[str]:
    """Kill and continue a run until each stage had its kills; count them by stage.

    The part of a stage that is waited for is at most a half, so that the process is still in it.
    """
    found: Counter[str] = Counter()
    for stage, wanted in KILLS.items():
        for _ in range(MOST_ATTEMPTS):
            if found[stage] >= wanted:
                break
            run = Run([*words, "--resume"], folder)
            hit = run.killed(stage, rng.random() * seconds[stage] / (wanted + 1))
            print(f"killed in: {hit}", file=sys.stderr)
            found[hit] += 1
    if missed := [stage for stage, wanted in KILLS.items() if found[stage] < wanted]:
        raise RuntimeError(f"no kill came in time for {', '.join(missed)}; take a larger graph")
    return found


class Run:
    """A process that does the run, and when it began each stage."""

    def __init__(self, words: list[str], folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        env = {**os.environ, "RIEMAP_CACHE": str(folder / "cache"), "PYTHONUNBUFFERED": "1"}
        env.setdefault("NUMBA_CACHE_DIR", str(folder.parent / "kernels"))
        self.process = subprocess.Popen(
            [sys.executable, "-c", CODE, *words], stdout=subprocess.PIPE, cwd=folder, env=env, text=True
        )
        self.checkpoint = folder / "run" / "checkpoint.npz"
        self.began: dict[str, float] = {}
        self.told = Condition()
        self.reader = Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            for part, stage in STAGES.items():
                if part in line:
                    with self.told:
                        self.began.setdefault(stage, time.monotonic())
                        self.told.notify()
                    break

    def seconds(self) -> dict[str, float]:
        """Wait until the run is done, and return the time of each stage."""
        if self.process.wait() != 0:
            raise RuntimeError(f"the run ended with exit code {self.process.returncode}")
        self.reader.join()
        times = [*self.began.values(), time.monotonic()]
        return {stage: end - begin for stage, (begin, end) in zip(self.began, pairwise(times), strict=True)}

    def _written(self) -> int:
        return self.checkpoint.stat().st_mtime_ns if self.checkpoint.exists() else 0

    def killed(self, stage: str, delay: float) -> str:
        """Kill the process some seconds after a stage has begun; return the stage in which it was then.

        It is killed earlier if it writes a checkpoint: it may be faster than the run without a kill was, and
        rounds that are done are not done again.
        """
        with self.told:
            self.told.wait_for(lambda: stage in self.began or self.process.poll() is not None)
        end, before = time.monotonic() + delay, self._written()
        while time.monotonic() < end and self._written() == before:
            time.sleep(0.01)
        self.process.send_signal(signal.SIGKILL)
        if self.process.wait() != -signal.SIGKILL:
            raise RuntimeError(f"the run ended with exit code {self.process.returncode} before it was killed")
        self.reader.join()
        return list(self.began)[-1] if self.began else "reading"


if __name__ == "__main__":
    sys.exit(main())
