"""Timing for the benchmarks: run the candidates alternately, and keep the shortest time of each.

On a shared machine only the ratio of times from one run is meaningful.
"""

import platform
import resource
import subprocess
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

from riemap.threads import count

PAUSE_SECONDS = 0.05
"""Pause before each turn. Threads of OpenMP, which torch uses, spin for some milliseconds after their last
task and would occupy the cores of the next run."""


def seconds(run: Callable[[], object]) -> float:
    """Return the time of one call, in seconds."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def processor_seconds() -> float:
    """Return the processor seconds of all threads of this process, and of its forks that have ended."""
    forks = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + forks.ru_utime + forks.ru_stime


def best_in_turns(
    runs: Mapping[str, Callable[[], object]], budget: float = 1.0, rounds: int = 5
) -> dict[str, float]:
    """Call each run once to warm up, time all of them in every round, and return the shortest time of each.

    ``budget`` is the time for each run over all rounds, in seconds. A run is called at least once per round.
    Before its turn there is a pause, in which the threads of the run before it fall asleep.
    """
    for run in runs.values():
        run()
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            time.sleep(PAUSE_SECONDS)
            stop = time.perf_counter() + budget / rounds
            while True:
                best[name] = min(best[name], seconds(run))
                if time.perf_counter() > stop:
                    break
    return best


def header(*libraries: str) -> str:
    """Return the commit, the versions of the libraries, the processor and the number of threads."""
    versions = " ".join(f"{name} {version(name)}" for name in ("numpy", "numba", *libraries))
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "")
    return (
        f"riemap {commit() or version('riemap')}, "
        f"Python {platform.python_version()}, {versions}\n"
        f"{cpu or platform.machine()}, {count()} threads"
    )


def commit() -> str:
    """Return the commit of the sources, or an empty text outside of a repository."""
    found = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return found.stdout.strip()
