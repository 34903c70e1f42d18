"""Best of several, taken in turns: on a shared machine only a ratio from one run means anything."""

import platform
import subprocess
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

import numba


def seconds(run: Callable[[], object]) -> float:
    """How long one call takes."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def best_in_turns(
    runs: Mapping[str, Callable[[], object]], budget: float = 1.0, rounds: int = 5
) -> dict[str, float]:
    """Least time of each, all of them measured in every round, after one call to warm up.

    ``budget`` is how many seconds a round may give to each run, which is called at least once.
    """
    for run in runs.values():
        run()
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            stop = time.perf_counter() + budget / rounds
            while True:
                best[name] = min(best[name], seconds(run))
                if time.perf_counter() > stop:
                    break
    return best


def header(*libraries: str) -> str:
    """What was measured, where, and with which libraries."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    versions = " ".join(f"{name} {version(name)}" for name in ("numpy", "numba", *libraries))
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "")
    return (
        f"riemap {commit.stdout.strip() or version('riemap')}, "
        f"Python {platform.python_version()}, {versions}\n"
        f"{cpu or platform.machine()}, {numba.get_num_threads()} threads"
    )
