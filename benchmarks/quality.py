"""Scores of the default run beside the paper's: one run without any options, every row of its tables.

Run: python benchmarks/quality.py [--tables table5,table6,table7] [--graphs csphd,power] [--spaces H3,S2]
    [--seeds 1] [--loss rank] [--out results/default] [--show]

The paper's figures are the best of its losses and settings, chosen for each score by itself; ours are those
of a single run. A cell has the mean over the seeds and, if there are several, the worst in parentheses. A `-`
after it says that the mean is below the paper's figure by more than 0.1 point, or 0.001 of AD, and a `!` by
more than 3 points, or 10 % of AD. Seconds are those of the longest run. Small graphs come first. Runs that
are recorded in the folder are not repeated, and `--show` trains nothing.
"""

import argparse
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from statistics import fmean

from timing import header

from riemap.graphs import DATASETS
from riemap.grids.grid import grid
from riemap.grids.local_executor import execute_locally
from riemap.grids.queue import unfinished
from riemap.grids.record import RunRecord
from riemap.grids.records import GridFolder
from riemap.losses import LOSSES_FOR
from riemap.paper.tables import TABLES
from riemap.paper.versus_published import value
from riemap.spaces import Space
from riemap.specs import split

METRICS = {"f1@1": (-1.0, 2, 0.1, 3.0), "auc": (-1.0, 2, 0.1, 3.0), "ad": (1.0, 4, 0.001, 0.1)}
"""For each metric: the sign that makes less better, digits, the difference that counts as equal, and the one
that counts as much worse, in points, or for AD as a share of the paper's figure."""
MOST_NODES = 6000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", default="table5,table6,table7")
    parser.add_argument("--graphs", help="only these graphs")
    parser.add_argument("--spaces", help="only these spaces")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument(
        "--loss", default="both", choices=LOSSES_FOR, help="the aim, as of riemap embed --for"
    )
    parser.add_argument("--out", type=Path, default=Path("results/default"), help="the folder of the records")
    parser.add_argument("--show", action="store_true", help="train nothing, print what is recorded")
    given = parser.parse_args()
    folder = GridFolder(given.out, compact=True)
    print(header())
    for name in given.tables.split(","):
        rows = [
            (graph, space)
            for graph, space in TABLES[name].reference
            if DATASETS[graph].n < MOST_NODES
            and (given.graphs is None or graph in given.graphs.split(","))
            and (given.spaces is None or space in split(given.spaces, ","))
        ]
        rows.sort(key=lambda row: (DATASETS[row[0]].n, Space.parse(row[1]).dim))
        print(f"\n{TABLES[name].title}, loss `{LOSSES_FOR[given.loss]}`\n")
        print("| graph | space | F1@1 | paper | AUC | paper | AD | paper | seconds |")
        print("|---" * 9 + "|")
        judged = [report(folder, name, row, given) for row in rows]
        summarise([marks for marks in judged if marks is not None], len(rows))


def report(
    folder: GridFolder, name: str, row: tuple[str, str], given: argparse.Namespace
) -> list[str] | None:
    """Print a row of a table, and return the marks of its cells; `None` if it is not recorded."""
    graph, space = row
    lists = {"graphs": [graph], "spaces": [space], "losses": [LOSSES_FOR[given.loss]]}
    runs = grid({**lists, "seeds": list(range(given.seeds))})
    if not given.show:
        with closing(execute_locally(folder, unfinished(folder, runs, retry=False), workers=1)) as outcomes:
            for _ in outcomes:
                pass
    found = [r for run in runs if (r := folder.record(run)) is not None and "error" not in r]
    if len(found) < given.seeds:
        return None
    paper = TABLES[name].reference[row]
    cells, marks = [], []
    for metric in METRICS:
        text, mark = cell([value(r, metric) or 0.0 for r in found], metric, paper.get(metric))
        cells += [text, f"{paper[metric]:g}" if metric in paper else ""]
        marks.append(mark)
    print(f"| {graph} | {space} | {' | '.join(cells)} | {max(seconds(r) for r in found):.0f} |", flush=True)
    return marks


def seconds(record: RunRecord) -> float:
    return record["seconds"] or 0.0


def cell(scores: list[float], metric: str, paper: float | None) -> tuple[str, str]:
    """The mean and the worst score, and a mark that compares the mean with the paper's."""
    sign, digits, equal, much = METRICS[metric]
    mean, worst = fmean(scores), sign * max(sign * v for v in scores)
    text = f"{mean:.{digits}f}" + (f" ({worst:.{digits}f})" if len(scores) > 1 else "")
    if paper is None:
        return text, ""
    below = sign * (mean - paper)
    mark = "!" if below > (much * paper if metric == "ad" else much) else "-" if below > equal else ""
    return text + mark, mark


def summarise(judged: list[list[str]], rows: int) -> None:
    """Print in how many rows all scores are at the paper's, and how many have one that is much worse."""
    good = sum(not any(marks) for marks in judged)
    worse: dict[str, int] = defaultdict(int)
    for marks in judged:
        for metric, mark in zip(METRICS, marks, strict=True):
            worse[metric] += mark == "!"
    print(
        f"\n{len(judged)} of {rows} rows are recorded; in {good} of them no score is below the paper's. Much"
    )
    print("worse: " + ", ".join(f"{metric} in {count}" for metric, count in worse.items()) + " rows.")


if __name__ == "__main__":
    main()
