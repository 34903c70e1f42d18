"""Compare training with landmarks with training on all pairs, in the same time.

Run: python benchmarks/sampler.py [--graphs power facebook grqc condmat] [--spaces E3 H3 Stein2] [--seeds 1]
    [--rounds N] [--records FILE] [--show]

Each graph is embedded with landmarks by the default plan. A short run with all pairs tells the time of an
epoch, and a second one has as many epochs as take the time of the run with landmarks, distances included. If
it took less, it is done again with more epochs, since the short run had a start as well.
Times are processor seconds of all threads, which other programs on the machine disturb less than seconds on
the clock; they do not count compiling. The last columns are the ratio of AD and the differences of AUC and
F1@1 in points; the aim is at most 1.05, and at least -1 and -3.

Each result is one line of JSON, written as soon as it is there. A run continues where an earlier one stopped.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from records import add_record, read_records
from timing import commit, header, processor_seconds

from riemap import Fit, Graph, embed, evaluate, load_dataset

ROOT = Path(__file__).parents[1]

TRIAL_EPOCHS = 40
"""Number of epochs of the run that tells the time of an epoch."""

LEAST_SHARE = 0.95
"""Least time of the run with all pairs, as a share of that with landmarks, for which it is not repeated."""


def timed(graph: Graph, space: str, sampler: str, seed: int, epochs: int | None = None) -> tuple[Fit, float]:
    """Embed a graph; return the result and the processor seconds."""
    began = processor_seconds()
    found = embed(graph, space, sampler=sampler, seed=seed, epochs=epochs)
    return found, processor_seconds() - began


def one(graph: Graph, space: str, seed: int, rounds: int | None) -> dict[str, Any]:
    """Embed a graph in both ways, and score the results."""
    for sampler in ("landmarks", "all"):  # compiles, and stores the distances between all nodes
        embed(graph, space, sampler=sampler, epochs=4)
    ours, seconds = timed(graph, space, "landmarks", seed, rounds)
    each = timed(graph, space, "all", seed, TRIAL_EPOCHS)[1] / TRIAL_EPOCHS
    theirs, their_seconds = timed(graph, space, "all", seed, max(int(seconds / each), 8))
    if their_seconds < LEAST_SHARE * seconds:
        epochs = int(len(theirs.history) * seconds / their_seconds)
        theirs, their_seconds = timed(graph, space, "all", seed, epochs)
    return {
        "landmarks": [seconds, len(ours.history), *scores(ours, graph)],
        "all": [their_seconds, len(theirs.history), *scores(theirs, graph)],
    }


def scores(fit: Fit, graph: Graph) -> list[float]:
    """Return AD, and AUC and F1@1 in percent."""
    found = evaluate(fit, graph)
    return [
        float(found[name] or 0.0) * factor for name, factor in (("ad", 1.0), ("auc", 100.0), ("f1@1", 100.0))
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", nargs="+", default=["power", "facebook", "grqc", "condmat"])
    parser.add_argument("--spaces", nargs="+", default=["E3", "H3", "Stein2"])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--rounds", type=int, help="number of rounds with landmarks, if not the default")
    parser.add_argument("--records", type=Path, default=ROOT / "results" / "sampler.jsonl")
    parser.add_argument("--show", action="store_true", help="run nothing, print what is recorded")
    given = parser.parse_args()
    print(header())
    print("\n| graph | space | s | landmarks: AD, AUC, F1@1 | s | all pairs | AD | AUC | F1@1 |")
    print("|---" * 9 + "|")
    for name in given.graphs:
        for space in given.spaces:
            rows = [r for seed in range(given.seeds) if (r := _recorded(name, space, seed, given))]
            if rows:
                _show(name, space, rows)


def _recorded(name: str, space: str, seed: int, given: argparse.Namespace) -> dict[str, Any] | None:
    """Find the record of a cell, or make it."""
    key = {"graph": name, "space": space, "seed": seed, "rounds": given.rounds}
    for record in read_records(given.records):
        if all(record.get(k) == value for k, value in key.items()):
            return record
    if given.show:
        return None
    graph, where = load_dataset(name), commit()
    assert isinstance(graph, Graph)
    record = {**key, **one(graph, space, seed, given.rounds), "commit": where}
    add_record(given.records, record)
    return record


def _show(name: str, space: str, rows: list[dict[str, Any]]) -> None:
    ours, theirs = (np.mean([row[way] for row in rows], axis=0) for way in ("landmarks", "all"))
    cells = [f"{a[0]:.0f} | {a[2]:.4f}, {a[3]:.2f} %, {a[4]:.2f} %" for a in (ours, theirs)]
    verdict = f"{ours[2] / theirs[2]:.2f} | {ours[3] - theirs[3]:+.2f} | {ours[4] - theirs[4]:+.2f}"
    print(f"| {name} | {space} | {' | '.join(cells)} | {verdict} |", flush=True)


if __name__ == "__main__":
    main()
