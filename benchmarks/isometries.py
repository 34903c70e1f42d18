"""Spaces that are isometric must give equal results: where one is worse, its optimisation is at fault.

Run: python benchmarks/isometries.py [--graphs 'karate;cycle(n=60)'] [--pairs SPD2,SO3] [--seeds 5]
    [--out results/isometries.jsonl] [--show]

Each pair of isometric spaces embeds the same graphs from the same seeds by the default plan. A cell has the
mean of a score over the seeds in both spaces, and the larger over the smaller one; a `!` says that they
differ by more than 2 %. The last column but one has the worst AD of the seeds over the best. An AD below
0.0001 counts as that much. Runs are recorded as they are done, and not repeated; `--show` trains nothing.

SPD2 has one scale, d² = s (2 dH² + dE²), and H2 x E1 has two, so that H2 x E1 could be better without any
fault. Gr(1,3) is S2 with antipodes identified, which is another space, so that it has no row.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path
from statistics import fmean

from timing import header

import riemap
from riemap.runs.engine import engine_hash

PAIRS = {"SPD2": "H2 x E1", "SO3": "Gr(1,4)", "LogSPD2": "E3", "S1": "SO2"}

GRAPHS = ("karate", "les-miserables", "tree(r=2,h=5)", "cycle(n=60)", "grid(n=8,d=2)")
METRICS = ("ad", "auc")
MOST_DIFFERENT = 1.02
EXACT = 1e-4
"""Smaller scores count as this much: distortions of 1e-5 and 1e-8 are both those of an exact embedding."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", help="only these graphs, separated by ;")
    parser.add_argument("--pairs", help="only these spaces and their twins")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("results/isometries.jsonl"))
    parser.add_argument("--show", action="store_true", help="train nothing, print what is recorded")
    given = parser.parse_args()
    graphs = GRAPHS if given.graphs is None else given.graphs.split(";")
    pairs = list(PAIRS) if given.pairs is None else given.pairs.split(",")
    found = recorded(given.out)
    print(header())
    print("\n| graph | spaces | AD | ratio | AUC | ratio | worst / best AD | seeds |\n" + "|---" * 8 + "|")
    far = rows = 0
    for graph in graphs:
        for space in pairs:
            if not given.show:
                train(graph, (space, PAIRS[space]), given.seeds, given.out, found)
            both = [found[graph, name] for name in (space, PAIRS[space])]
            if seeds := sorted(both[0].keys() & both[1].keys()):
                far += report(graph, space, both, seeds)
                rows += 1
    print(f"\nIn {rows - far} of {rows} rows both scores are within 2 %.")


def recorded(path: Path) -> dict[tuple[str, str], dict[int, dict[str, float]]]:
    """Read the scores of each graph and space by seed."""
    found: dict[tuple[str, str], dict[int, dict[str, float]]] = defaultdict(dict)
    for line in path.read_text().splitlines() if path.exists() else []:
        run = json.loads(line)
        found[run["graph"], run["space"]][run["seed"]] = run["scores"]
    return found


def train(
    graph: str,
    spaces: tuple[str, str],
    seeds: int,
    path: Path,
    found: dict[tuple[str, str], dict[int, dict[str, float]]],
) -> None:
    """Do the runs that are not recorded, and record each."""
    for space in spaces:
        for seed in range(seeds):
            if seed not in found[graph, space]:
                scores = embedded(graph, space, seed)
                found[graph, space][seed] = scores
                run = {"graph": graph, "space": space, "seed": seed, "scores": scores}
                facts = {"version": riemap.__version__, "engine": engine_hash()}
                with path.open("a") as file:
                    file.write(json.dumps({**run, **facts}) + "\n")


def embedded(name: str, space: str, seed: int) -> dict[str, float]:
    """Embed a graph by the default plan, and return its scores."""
    scores = riemap.embed(name, space, seed=seed).scores
    return {metric: round(scores[metric] or 0.0, 6) for metric in METRICS}


def report(graph: str, space: str, both: list[dict[int, dict[str, float]]], seeds: list[int]) -> bool:
    """Print a row, and tell whether a score differs by more than 2 %."""
    cells, far = [], False
    for metric in METRICS:
        a, b = (fmean(runs[seed][metric] for seed in seeds) for runs in both)
        ratio = max(a, b, EXACT) / max(min(a, b), EXACT)
        far |= ratio > MOST_DIFFERENT
        cells += [f"{a:.4f} / {b:.4f}", f"{ratio:.3f}{'!' if ratio > MOST_DIFFERENT else ''}"]
    found = [[runs[seed]["ad"] for seed in seeds] for runs in both]
    cells.append(" / ".join(f"{max(*ads, EXACT) / max(min(ads), EXACT):.2f}" for ads in found))
    print(f"| {graph} | {space} / {PAIRS[space]} | {' | '.join(cells)} | {len(seeds)} |", flush=True)
    return far


if __name__ == "__main__":
    main()
