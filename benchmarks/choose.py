"""riemap choose against the truth: regret of its pick, whether the truth is in its answer, and calibration.

Run: python benchmarks/choose.py [--known 5 --first 0] [--paper csphd,power --dims 3,6] [--minutes 60]
Show: python benchmarks/choose.py --show

Cases with known geometry are points of a space (`riemap sample`). Each is linked to all that are closer than
2.5 times what connects all points, by edges as long as their distance. Trees, cycles, grids and tori are
further cases. Their truth is the average distortion of all pairs in every candidate, mean over two seeds that
no method uses. Cases of the paper are graphs of its tables 5 and 6; their truth is the smallest distortion
that is recorded for each space, in results/paper by one of the losses or in results/default.

Beside choose: `delta` takes H where the mean δ is below 0.04 of the diameter, S where it is above 0.065, else
E. `gu` takes H, S or E by the sign of the mean sectional curvature (within 0.05: E) [Gu2019]. `greedy` takes
the space with the smallest distortion of all pairs after one run with one seed; for cases of the paper, where
results/default has such a run of every space. `--show` has a line for these cases, and one for the others,
whose records may have another loss for each space.

Regret is the distortion of the pick over that of the best, minus one; distortions below 0.01 count as 0.01.
For cases of the paper, a second column has it by the default run alone, which is what choose compares, where
results/default has one in every space.
A claim is a space that choose calls clearly worse than its pick; it is wrong if the truth says otherwise.
Cost is the number of pairs that all trials visit, over that of the whole plan on the whole graph with all
seeds in every candidate. A case that is in the file already is not done again.

A geometry is visible if the distortion of its best space is at most 0.9 times that of every other candidate,
in truth; only then can it be the single answer. `--first` is the number of the first case of each family, for
cases other than those that the search was tuned on.
"""

import argparse
import json
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from timing import header

import riemap
from riemap import Graph
from riemap.choosing import trials
from riemap.choosing.choose_space import answer
from riemap.choosing.question import asked
from riemap.choosing.splits import Problem
from riemap.choosing.trial_record import Trial
from riemap.curvature import delta_sampled, sectional
from riemap.graphs import AnyGraph
from riemap.grids.record import RunRecord
from riemap.grids.records import GridFolder
from riemap.paper.records import packaged_records
from riemap.random_graphs import distance_matrix, sample
from riemap.runs.spec import LOSS, PRESET, planned
from riemap.threads import limited
from riemap.training import Plan

POINTS, LINK_FACTOR = 100, 2.5
FAMILIES = {  # how points are drawn: radius and method
    "E3": (1.0, "uniform"),
    "H3": (4.0, "uniform"),
    "S3": (None, "uniform"),
    "SPD2": (4.0, "exp"),
    "Gr(1,4)": (None, "uniform"),
    "H2 x S1": (4.0, "uniform"),
}
TREES = ((2, 6), (2, 5), (2, 7), (2, 4), (3, 3), (3, 4), (4, 3), (5, 3), (6, 2), (7, 2), (8, 2), (9, 2))
TORI = tuple((n, n) for n in (10, 12, 8, 14, 6, 5, 7, 9, 11))
TORI += (*((n, m) for n in (5, 6, 8) for m in (10, 12, 14)), (10, 12), (10, 14))
SHAPES = {  # graphs of each kind, and the spaces of two dimensions in which they fit without distortion
    "tree": (
        [f"tree(r={r},h={h})" for r, h in TREES]
        + [f"random-tree(n={n},seed={n})" for n in range(50, 130, 10)],
        ("H2",),
    ),
    "cycle": (
        [f"cycle(n={n})" for n in (60, 120, 80, 100, 40, *range(30, 38), *range(44, 56, 2), 70)],
        ("S2", "Gr(1,3)", "E1 x S1", "S1^2"),
    ),
    "grid": ([f"grid(n={n},d=2)" for n in (12, 15, 10, 13, 8, 9, 7, 11, 6, 14, 5, 16, 4, 17, 18)], ("E2",)),
    "torus": ([f"torus(n={n},m={m})" for n, m in TORI], ("S1^2",)),
}
PLANES = ("E2", "H2", "S2", "Gr(1,3)", "E1 x S1", "S1^2")
TRUTH_SEEDS = (100, 101)
LEAST_DISTORTION = 0.01
VISIBLE = 0.9
RESULTS = Path(__file__).parent.parent / "results"
DEFAULT_RUNS, RECORDS = RESULTS / "default", RESULTS / "choose.jsonl"


class Case(NamedTuple):
    name: str
    graph: AnyGraph
    spaces: tuple[str, ...]
    family: tuple[str, ...]  # the spaces that are right, if that is known
    truth: dict[str, float] | None  # distortion of each space, if that is recorded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=RECORDS)
    parser.add_argument("--known", type=int, default=0, help="number of cases of each known geometry")
    parser.add_argument("--first", type=int, default=0, help="number of the first of them")
    parser.add_argument("--paper", default="")
    parser.add_argument("--dims", default="2,3,4")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--budget", default="10m")
    parser.add_argument("--epochs", type=int, help="epochs of the whole plan, for a quick look")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.out.read_text().splitlines()] if given.out.exists() else []
    if given.show:
        show(rows)
        return
    print(header())
    until, done = time.monotonic() + 60.0 * given.minutes, {row["case"] for row in rows}
    known = range(given.first, given.first + given.known)
    for case in cases(known, [name for name in given.paper.split(",") if name], given.dims):
        if time.monotonic() > until:
            break
        if case.name not in done:
            with limited(1):
                row = measured(case, given.seeds, given.budget, given.epochs)
            with given.out.open("a") as file:
                file.write(json.dumps(row) + "\n")
            print(row["case"], row["best"], row["picks"], f"{row['regret']['choose']:.3f}", flush=True)


def cases(known: range, paper: list[str], dims: str) -> Iterator[Case]:
    for count, k in enumerate(known):
        for space in FAMILIES:
            yield Case(f"{space} #{k}", linked(space, 1000 + k), tuple(FAMILIES), (space,), None)
        for names, family in SHAPES.values():
            if count < len(names):
                yield Case(names[count], riemap.generate(names[count]), PLANES, family, None)
    for name in paper:
        for dim in map(int, dims.split(",")):
            truth = recorded(name, dim)
            if len(truth) > 1:
                yield Case(f"{name} in {dim}", riemap.open_graph(name), tuple(truth), (), truth)


def linked(text: str, seed: int) -> Graph:
    """Draw points and link close ones, so that all are connected."""
    radius, how = FAMILIES[text]
    lengths = distance_matrix(sample(text, POINTS, radius, how, seed))
    tree, far = [0], lengths[0].copy()
    level = 0.0
    while len(tree) < POINTS:  # the longest edge of a minimum spanning tree
        far[tree] = np.inf
        node = int(np.argmin(far))
        level = max(level, float(far[node]))
        tree.append(node)
        far = np.minimum(far, lengths[node])
    i, j = np.nonzero(np.triu(lengths <= LINK_FACTOR * level, 1))
    return Graph.from_edges(np.column_stack([i, j]), weights=lengths[i, j], name=f"{text} {seed}")


def recorded(name: str, dim: int) -> dict[str, float]:
    """The best distortion that is recorded for each space of a dimension."""
    found: dict[str, float] = {}
    for records in (packaged_records(), GridFolder(DEFAULT_RUNS, compact=True).records()):
        for space, ad in distortions(records, name, dim).items():
            found[space] = min(ad, found.get(space, np.inf))
    return found


def distortions(records: list[RunRecord], name: str, dim: int) -> dict[str, float]:
    """The best distortion in some records for each space of a dimension."""
    found: dict[str, float] = {}
    for record in records:
        if record["run"]["graph"] == name and record["dim"] == dim and "error" not in record:
            ad = record["scores"]["ad"]
            assert ad is not None
            found[record["run"]["space"]] = min(ad, found.get(record["run"]["space"], np.inf))
    return found


def greedy_and_truth(case: Case, epochs: int | None) -> tuple[dict[str, float], dict[str, float]]:
    """The distortion of each space in one run, and in truth."""
    if case.truth:
        records = GridFolder(DEFAULT_RUNS, compact=True).records()
        one_run = distortions(records, case.graph.name, riemap.Space.parse(case.spaces[0]).dim)
        return one_run if set(one_run) == set(case.spaces) else {}, dict(case.truth)
    ads = {
        (space, seed): riemap.embed(case.graph, space, seed=seed, epochs=epochs).scores["ad"] or 0.0
        for space in case.spaces
        for seed in (0, *TRUTH_SEEDS)
    }
    greedy = {space: ads[space, 0] for space in case.spaces}
    return greedy, {space: fmean(ads[space, seed] for seed in TRUTH_SEEDS) for space in case.spaces}


def visited(plan: Plan, n: int) -> float:
    """How many pairs of n nodes a plan visits."""
    return sum(0.5 * stage.epochs * n * min(stage.batch or n, n) for stage in plan.stages)


def measured(case: Case, seeds: int, budget: str, epochs: int | None) -> dict[str, Any]:
    if epochs is not None:  # shorter plans for trials, as embed(epochs=...) has them
        vars(trials)["planned"] = partial(shortened, epochs)
    question = asked(case.graph, None, metric="ad", spaces=case.spaces, budget=budget, seeds=seeds)
    known = len(Problem(case.graph).split(0).known)
    done: list[Trial] = []
    choice = answer(question, None, lambda trial, search: done.append(trial))
    spent = sum(visited(planned(LOSS, PRESET, None, t.record["epochs"], known), known) for t in done)
    whole = visited(planned(LOSS, PRESET, None, epochs, case.graph.n), case.graph.n)
    greedy, truth = greedy_and_truth(case, epochs)
    picks = {"choose": choice.best[0], **heuristics(case)}
    picks |= {"greedy": min(greedy, key=greedy.__getitem__)} if greedy else {}
    row = {
        "case": case.name,
        "n": case.graph.n,
        "epochs": epochs,
        "family": case.family,
        "best": choice.best,
        "stop": choice.stop.name,
        "picks": picks,
        "cost": spent / (seeds * len(case.spaces) * whole),
        "seconds": round(choice.seconds, 1),
        "trials": [
            [t.record["space"], t.record["seed"], t.record["epochs"], t.record["scores"].get("ad")]
            for t in done
        ],
        "ranking": {
            s.space: [s.mean, s.difference, s.difference_se, s.runs, s.epochs] for s in choice.ranking
        },
    }
    return judged(row, truth, greedy if case.truth else {})


def judged(row: dict[str, Any], truth: dict[str, float], default: dict[str, float]) -> dict[str, Any]:
    """A row with what the truth says of it; the default runs of graphs of the paper are another truth."""
    floor, pick = floored(truth), row["picks"]["choose"]
    claims = [space for space, found in row["ranking"].items() if found[0] and space not in row["best"]]
    return {
        **row,
        "regret": {k: regret(v, truth) for k, v in row["picks"].items()},
        "default_regret": regret(pick, default) if default else None,
        "truth": truth,
        "true_best": min(truth, key=truth.__getitem__),
        "claims": len(claims),
        "wrong": sum(floor[space] < floor[pick] for space in claims),
    }


def judged_by_records(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the paper by what is recorded now."""
    name, _, dim = row["case"].rpartition(" in ")
    truth = {space: ad for space, ad in recorded(name, int(dim)).items() if space in row["ranking"]}
    default = distortions(GridFolder(DEFAULT_RUNS, compact=True).records(), name, int(dim))
    complete = set(truth) <= set(default)
    greedy = {"greedy": min(truth, key=default.__getitem__)} if complete else {}
    others = {k: v for k, v in row["picks"].items() if k != "greedy"}
    return judged({**row, "picks": others | greedy}, truth, default if complete else {})


def floored(truth: dict[str, float]) -> dict[str, float]:
    return {space: max(ad, LEAST_DISTORTION) for space, ad in truth.items()}


def regret(pick: str, truth: dict[str, float]) -> float | None:
    """How much larger the distortion of a pick is than the smallest one, if both are known."""
    floor = floored(truth)
    return floor[pick] / min(floor.values()) - 1.0 if pick in floor else None


def shortened(most: int, loss: str, preset: str, optimizer: None, epochs: int | None, n: int) -> Plan:
    return planned(loss, preset, optimizer, epochs or most, n)


def heuristics(case: Case) -> dict[str, str]:
    """What δ alone, and the sectional curvature of the graph, would take."""
    dim = riemap.Space.parse(case.spaces[0]).dim
    distances = riemap.shortest_paths(case.graph)
    share = delta_sampled(case.graph, distances=distances, samples=100_000).mean / float(distances.max())
    found = {"delta": f"H{dim}" if share < 0.04 else f"S{dim}" if share > 0.065 else f"E{dim}"}
    if isinstance(case.graph, Graph):
        summary = sectional(case.graph, distances=distances, pairs=50).summary
        mean = 0.0 if summary is None else summary.mean
        found["gu"] = f"H{dim}" if mean < -0.05 else f"S{dim}" if mean > 0.05 else f"E{dim}"
    return found


def show(rows: list[dict[str, Any]]) -> None:
    rows = [row if row["family"] else judged_by_records(row) for row in rows]
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(rows, key=group):
        groups.setdefault(group(row), []).append(row)
    print(
        "| cases | number | family in the answer | single, where visible | true best in the answer ", end=""
    )
    print("| regret, mean (worst): choose | by default runs | greedy | δ | Gu | cost |")
    print("|---" * 11 + "|")
    for name, some in [*groups.items(), ("all", rows)]:
        print(f"| {name} | {len(some)} | {' | '.join(cells(some))} |")
    claims, wrong = sum(r["claims"] for r in rows), sum(r["wrong"] for r in rows)
    print(f"\n{wrong} of {claims} claims that a space is worse are wrong ({wrong / max(claims, 1):.1%}).")


def group(row: dict[str, Any]) -> str:
    """The line of the table to which a case belongs."""
    if row["family"]:
        name: str = row["case"]
        if "#" in name:
            return f"points of {name.split(' #')[0]}"
        return name.split("(")[0].removeprefix("random-")
    return "paper, default runs" if "greedy" in row["picks"] else "paper, other losses"


def visible(row: dict[str, Any]) -> bool:
    """Whether the geometry of a case is clearly the best one, in truth."""
    floor = floored(row["truth"])
    inside = min(floor[space] for space in row["family"])
    return all(inside <= VISIBLE * ad for space, ad in floor.items() if space not in row["family"])


def cells(rows: list[dict[str, Any]]) -> list[str]:
    known = [r for r in rows if r["family"]]
    inside = [bool(set(r["family"]) & set(r["best"])) for r in known]
    single = [set(r["best"]) <= set(r["family"]) for r in known if visible(r)]
    best = [r["true_best"] in r["best"] for r in rows]
    found = [f"{sum(x)} of {len(x)}" if x else "–" for x in (inside, single, best)]
    regrets = [{**r["regret"], "default": r.get("default_regret")} for r in rows]
    for method in ("choose", "default", "greedy", "delta", "gu"):
        values = [v for r in regrets if (v := r.get(method)) is not None]
        found.append(f"{fmean(values):.1%} ({max(values):.0%})" if values else "–")
    return [*found, f"{fmean(r['cost'] for r in rows):.2f}"]


if __name__ == "__main__":
    main()
