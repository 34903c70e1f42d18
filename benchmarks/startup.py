"""Time how long imports take, and the first and the second run in each of several spaces.

Run: python benchmarks/startup.py [--imports | --runs] [SPACE ...]

Each case runs in a new process. Times of imports, beyond Python and beyond NumPy, are the shortest of several
alternating rounds. The first run embeds karate on one thread with an empty folder of kernels; the second run
finds the kernels there. Beside it: how many kernels the first run compiled, and the seconds that took. As
after an installation by pip, riemap's sources are byte-compiled before.
"""

import argparse
import compileall
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from timing import best_in_turns, header

import riemap

CASES = {
    "python": "pass",
    "numpy": "import numpy",
    "riemap": "import numpy, riemap",
    "riemap.Space": "import numpy; from riemap import Space",
    "riemap --help": "import sys; sys.argv = ['riemap', '--help']; from riemap.cli import main; main()",
}

SPACES = ("E3", "H2", "S2", "SPD2", "SPD3", "Stein3", "Gr(2,4)", "SO3", "H3 x S2", "SPD4")

RUN = """
import sys
from riemap.cli import main
try:
    main(["embed", "karate", "--space", sys.argv[1], "--json"])
finally:
    from riemap.kernel_cache import compile_clock
    print(compile_clock.kernels, compile_clock.seconds, file=sys.stderr)
"""


def imports() -> None:
    """Print how long imports take."""
    runs = {
        name: partial(subprocess.run, [sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True)
        for name, code in CASES.items()
    }
    best = best_in_turns(runs, budget=3.0, rounds=7)
    for name, seconds in best.items():
        more = [seconds - best[other] for other in ("python", "numpy")]
        print(
            f"{name:14} {seconds:6.3f} s   "
            f"{more[0]:+6.3f} s against python, {more[1]:+6.3f} s against numpy alone"
        )


def embedded(space: str, folder: str) -> tuple[float, int, float]:
    """Embed karate in a new process; returns its seconds, and the kernels compiled and their seconds."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "NUMBA_NUM_THREADS": "1"}
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", RUN, space], env=environment, capture_output=True, text=True, check=True
    )
    seconds = time.perf_counter() - began
    kernels, compiling = done.stderr.split()[-2:]
    return seconds, int(kernels), float(compiling)


def runs(spaces: list[str]) -> None:
    """Print how long the first and the second run take."""
    print(f"{'space':10} {'first s':>8} {'second s':>9} {'kernels':>8} {'compiling s':>12}")
    for space in spaces:
        with tempfile.TemporaryDirectory() as folder:
            first, kernels, compiling = embedded(space, folder)
            second = min(embedded(space, folder)[0] for _ in range(2))
        print(f"{space:10} {first:8.1f} {second:9.1f} {kernels:8} {compiling:12.1f}", flush=True)


def main() -> None:
    """Print both tables, or the one that is chosen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spaces", nargs="*", default=SPACES, metavar="SPACE")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--imports", action="store_true", help="only the imports")
    only.add_argument("--runs", action="store_true", help="only the runs")
    given = parser.parse_args()
    print(header())
    compileall.compile_dir(Path(riemap.__file__).parent, quiet=1)
    if not given.runs:
        imports()
    if not given.imports:
        runs(list(given.spaces))


if __name__ == "__main__":
    main()
