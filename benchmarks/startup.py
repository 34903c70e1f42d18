"""Time how long imports take beyond Python and beyond NumPy.

Run: python benchmarks/startup.py

Each case runs in a new process. Times are the shortest of several alternating rounds.
"""

import subprocess
import sys
from functools import partial

from timing import best_in_turns, header

CASES = {
    "python": "pass",
    "numpy": "import numpy",
    "riemap": "import numpy, riemap",
    "riemap.Space": "import numpy; from riemap import Space",
    "riemap --help": "import sys; sys.argv = ['riemap', '--help']; from riemap.cli import main; main()",
}

if __name__ == "__main__":
    print(header())
    runs = {
        name: partial(subprocess.run, [sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True)
        for name, code in CASES.items()
    }
    best = best_in_turns(runs, budget=3.0, rounds=7)
    for name, time in best.items():
        more = [time - best[other] for other in ("python", "numpy")]
        print(
            f"{name:14} {time:6.3f} s   "
            f"{more[0]:+6.3f} s against python, {more[1]:+6.3f} s against numpy alone"
        )
