"""Links and labels predicted without features of the nodes, beside published figures and baselines.

    python benchmarks/tasks.py [--seeds 10] [--seed 100] [--space H16 ...] [--task cora_links ...] [--show]

The protocol is that of the published figures: of the edges, 85 % for training, 5 % for validation and 10 %
for test, with as many uniform non-edges; of the nodes, 30/10/60 % of disease, 70/15/15 % of airport, and 20
nodes of each class, 500 and 1,000 of cora and pubmed. The published split of the latter is a fixed one, which
the data do not tell; here it is drawn anew for each seed.

Each result is one line of JSON, written as soon as it is there. A run continues where an earlier one stopped,
and prints all results so far in the end, with differences between spaces; --show only
prints. --records names the file.
"""

import argparse
import csv
import gzip
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from records import add_record, read_records
from timing import header

from riemap import Graph, Space
from riemap.tasks import label_trial, labels_of, link_trial

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("RIEMAP_DATA") or ROOT.parent / "shared" / "data") / "downstream"
PUBLISHED = DATA.parents[1] / "paper" / "downstream_published.csv"
SPACES = ("H16", "E16", "S16", "SPD5", "Stein5", "Gr(4,8)", "H8 x S8", "H2^8")
FIRST_SEED = 100
"""Settings of the models of labels were compared on the test nodes of the splits of seeds 0 to 7, so that
these must not be used to report how well they do."""
PLANETOID = {"train": 20, "validation": 500, "test": 1000, "per_class": True}
TASKS: dict[str, tuple[str, dict[str, Any] | None, str]] = {
    "disease_links": ("disease-links", None, "auc"),
    "disease_nodes": ("disease", {"train": 0.3, "validation": 0.1}, "f1_rarer"),
    "airport_links": ("airport", None, "auc"),
    "airport_nodes": ("airport", {"train": 0.7, "validation": 0.15}, "accuracy"),
    "cora_links": ("cora", None, "auc"),
    "cora_nodes": ("cora", PLANETOID, "accuracy"),
    "pubmed_links": ("pubmed", None, "auc"),
    "pubmed_nodes": ("pubmed", PLANETOID, "accuracy"),
}
"""Columns of the published table: data, split of the nodes (``None`` for links), and score."""


def opened(name: str) -> tuple[Graph, list[str | None]]:
    """The graph with all nodes that have a label, and the labels; some nodes of airport have no edge."""
    with (DATA / f"{name}.labels.csv").open(encoding="utf-8") as file:
        classes = {row["node"]: row["label"] for row in csv.DictReader(file)}
    with gzip.open(DATA / f"{name}.edges.gz", "rt", encoding="utf-8") as lines:
        ends = [line.split()[:2] for line in lines if line.strip() and not line.startswith(("#", "%"))]
    numbers = {node: i for i, node in enumerate(dict.fromkeys([*classes, *(a for e in ends for a in e)]))}
    edges = np.array([[numbers[a] for a in e] for e in ends])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # airport has one self-loop, which is dropped
        graph = Graph.from_edges(edges, labels=list(numbers), name=name, components="keep")
    return graph, labels_of(graph, classes)


def one(task: str, space: str, seed: int, baselines: bool) -> dict[str, Any]:
    """Do one task once, with the baselines or without them."""
    name, split, _ = TASKS[task]
    graph, classes = opened(name)
    options: Any = {"baselines": baselines}
    if split is None:
        trial: Any = link_trial(graph, Space.parse(space), seed, **options)[0]
    else:
        trial = label_trial(graph, classes, Space.parse(space), seed, split=split, **options)[0]
    return {"task": task, "space": space, **trial._asdict()}


def table(records: list[dict[str, Any]]) -> str:
    """Means and standard errors in percent, with the number of seeds; and the published rows."""
    rows: dict[str, dict[str, list[float]]] = {}
    for record in records:
        task, score = record["task"], TASKS[record["task"]][2]
        rows.setdefault(f"riemap {record['space']}", {}).setdefault(task, []).append(record["scores"][score])
        if "distance" in record:
            title = f"distance in {record['space']}"
            rows.setdefault(title, {}).setdefault(task, []).append(record["distance"][score])
        for name, scores in record["baselines"].items():
            rows.setdefault(name, {}).setdefault(task, []).append(scores[score])
    lines = [
        ["", *TASKS],
        *([name, *(_cell(found.get(task)) for task in TASKS)] for name, found in rows.items()),
    ]
    with PUBLISHED.open(encoding="utf-8") as file:
        published = csv.DictReader(line for line in file if not line.startswith("#"))
        lines += [
            [f"{p['model']}, features: {p['features']}", *(p[task] for task in TASKS)] for p in published
        ]
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) for line in lines)


def differences(records: list[dict[str, Any]], other: str = "E16") -> str:
    """Means and standard errors of differences from another space on the same seeds, in points of percent."""
    found: dict[tuple[str, str, str, int], float] = {}
    for record in records:
        score, names = TASKS[record["task"]][2], ("scores", "distance")
        for name in [name for name in names if name in record]:
            found[name, record["space"], record["task"], record["seed"]] = record[name][score]
    rows: dict[str, dict[str, list[float]]] = {}
    for (name, space, task, seed), value in found.items():
        if space != other and (name, other, task, seed) in found:
            title = f"{'riemap' if name == 'scores' else 'distance in'} {space} - {other}"
            rows.setdefault(title, {}).setdefault(task, []).append(value - found[name, other, task, seed])
    lines = [
        f"{title}: " + ", ".join(f"{t} {_cell(v)}" for t, v in row.items()) for title, row in rows.items()
    ]
    return "\n".join(sorted(lines))


def _cell(values: list[float] | None) -> str:
    if not values:
        return "-"
    error = f"±{100 * np.std(values, ddof=1) / len(values) ** 0.5:.1f}" if len(values) > 1 else ""
    return f"{100 * np.mean(values):.1f}{error} ({len(values)})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10, help="number of seeds")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="the first one")
    parser.add_argument("--space", action="append", help=f"by default {', '.join(SPACES)}")
    parser.add_argument("--task", action="append", choices=tuple(TASKS), help="by default all")
    parser.add_argument("--records", type=Path, default=ROOT / "results" / "tasks.jsonl")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    print(header("scipy"))
    records = read_records(given.records)
    done = {(r["task"], r["space"], r["seed"]) for r in records}
    compared = {(r["task"], r["seed"]) for r in records if r["baselines"]}
    spaces, tasks = given.space or SPACES, given.task or TASKS
    wanted = [(t, s, k) for k in _seeds(given) for s in spaces for t in tasks]
    for task, space, seed in [] if given.show else [key for key in wanted if key not in done]:
        # Baselines hardly depend on the space, only on its number of dimensions: the first one has them.
        records.append(one(task, space, seed, baselines=(task, seed) not in compared))
        compared.add((task, seed))
        add_record(given.records, records[-1])
        score = records[-1]["scores"][TASKS[task][2]]
        print(f"{task} {space} seed {seed}: {100 * score:.1f}, {records[-1]['seconds']:.0f} s", flush=True)
    print(f"{table(records)}\n\n{differences(records)}" if records else "there are no results yet")


def _seeds(given: argparse.Namespace) -> range:
    return range(given.seed, given.seed + given.seeds)


if __name__ == "__main__":
    main()
