"""Time reading an edge list of four million edges beside what a user would write with pandas and SciPy.

Run: python benchmarks/reading.py [edges]

The file has a quarter as many nodes as edges; both ends are random. Each reader runs in a new process, in
turns: riemap (checked, merged, largest component), pandas' C parser and a SciPy matrix of the same edges, and
pandas and a NetworkX graph (once, for the first file). Seconds are the shortest of three rounds, without the
time of importing (wall clock, and the processor's). The memory is the peak of the process, beside that after
importing.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from timing import header

READERS = {
    "riemap": ("from riemap.graphs import read_graph", "read_graph(path)"),
    "pandas + SciPy": (
        "import numpy, pandas, scipy.sparse",
        "e = pandas.read_csv(path, sep=separator, header=None).to_numpy()\n"
        "n = int(e.max()) + 1\n"
        "m = scipy.sparse.csr_array((numpy.ones(len(e)), (e[:, 0], e[:, 1])), shape=(n, n))\n"
        "m = m + m.T",
    ),
    "pandas + NetworkX": (
        "import networkx, pandas",
        "e = pandas.read_csv(path, sep=separator, header=None)\nnetworkx.from_pandas_edgelist(e, 0, 1)",
    ),
}
"""What each reader imports and runs."""

# VmHWM and not ru_maxrss: a process inherits ru_maxrss from the process that started it.
PROCESS = """
import sys, time, warnings
warnings.simplefilter("ignore")
path, separator = sys.argv[1:]
peak = lambda: int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
{imports}
before, wall, cpu = peak(), time.perf_counter(), time.process_time()
{run}
print(time.perf_counter() - wall, time.process_time() - cpu, peak() / 1024, before / 1024)
"""


def measure(reader: str, path: Path, separator: str) -> list[float]:
    """Return the seconds by the clock and of the processor, the peak and the first memory in MB."""
    imports, run = READERS[reader]
    code = PROCESS.format(imports=imports, run=run)
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), separator], capture_output=True, text=True, check=True
    )
    return [float(word) for word in done.stdout.split()]


def main() -> None:
    """Write the files, run the readers, and print a table for each file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("edges", nargs="?", type=int, default=4_000_000)
    count = parser.parse_args().edges
    rng = np.random.default_rng(0)
    ends = rng.integers(0, max(count // 4, 2), (count, 2))
    weights = np.round(rng.uniform(0.5, 2.0, count), 4)
    print(header("pandas", "scipy", "networkx"))
    with tempfile.TemporaryDirectory() as folder:
        for name, separator, weighted in [
            ("g.edges", " ", False),
            ("g.csv", ",", False),
            ("w.csv", ",", True),
        ]:
            path = Path(folder) / name
            lines = [f"{u}{separator}{v}" for u, v in ends.tolist()]
            if weighted:
                lines = [f"{line}{separator}{w}" for line, w in zip(lines, weights.tolist(), strict=True)]
            path.write_text("\n".join(lines) + "\n")
            del lines
            print(f"\n{name}: {count:,} edges, {path.stat().st_size / 1e6:.0f} MB")
            fast = list(READERS)[:2]
            rounds = [{reader: measure(reader, path, separator) for reader in fast} for _ in range(3)]
            best = {reader: np.min([one[reader] for one in rounds], axis=0) for reader in fast}
            if name == "g.edges":
                best |= {
                    reader: np.array(measure(reader, path, separator))
                    for reader in READERS
                    if reader not in fast
                }
            for reader, (wall, cpu, peak, first) in best.items():
                ratio = wall / best["riemap"][0]
                print(f"{reader:18} {wall:6.2f} s ({cpu:.2f} s of processor), {ratio:.2f}x,", end=" ")
                print(f"{peak:5.0f} MB at the peak, {first:.0f} MB before", flush=True)


if __name__ == "__main__":
    main()
