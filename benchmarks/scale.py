"""Time and score embeddings of large graphs, by stage.

Run: python benchmarks/scale.py [--nodes 10000 100000] [--graphs hyperbolic grid ba] [--spaces H3 E3 ...]

Three kinds of graphs, each with about ten times as many edges as nodes: a hyperbolic random graph (degrees
with exponent 2.5); a square grid in which nodes up to three steps apart in a row or column are linked, and
each node to eight random ones; and a Barabasi-Albert graph. Each run is a process of its own. Seconds are
those of the stages: distances to landmarks and within balls (distances), embedding of the landmarks and
placement of all nodes (start), rounds (training), and scores from sampled sources. Memory is the peak of the
process. Compiling does not count, and neither does making the graph.
"""

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray
from timing import header

from riemap import Graph, Space, evaluate
from riemap.kernel_cache import working_seconds
from riemap.losses import as_loss
from riemap.training import Trainer, default_plan, landmark_plan, training_process

DEGREE = 20
"""Mean number of neighbours: ten times as many edges as nodes."""

ALPHA = 0.75
"""Decay of the radii of the hyperbolic graph; the exponent of its degrees is 2 ALPHA + 1."""


def hyperbolic(n: int, seed: int = 0) -> NDArray[np.int64]:
    """Link points of a hyperbolic disc that are closer to each other than its radius."""
    rng = np.random.default_rng(seed)
    xi = ALPHA / (ALPHA - 0.5)
    radius = 2.0 * math.log(2.0 * xi * xi * n / (math.pi * DEGREE))
    r = np.arccosh(1.0 + rng.random(n) * (math.cosh(ALPHA * radius) - 1.0)) / ALPHA
    bounds = np.linspace(0.0, radius, 2 * int(radius) + 1)
    band = np.minimum(np.searchsorted(bounds, r, side="right") - 1, len(bounds) - 2)
    angle = rng.random(n) * 2.0 * math.pi
    order = np.lexsort((angle, band))
    starts = np.searchsorted(band[order], np.arange(len(bounds)))
    return _near_pairs(r[order], angle[order], starts, bounds, radius)


@numba.njit
def _near_pairs(r, angle, starts, bounds, radius):  # type: ignore[no-untyped-def]
    out = np.empty((16 * len(r), 2), np.int64)
    count = 0
    for i in range(len(r)):
        for b in range(len(bounds) - 1):
            first, last = starts[b], starts[b + 1]
            window = _window(r[i], bounds[b], radius)
            angles = angle[first:last]
            for turn in (-2.0 * math.pi, 0.0, 2.0 * math.pi):
                low = np.searchsorted(angles, angle[i] + turn - window)
                high = np.searchsorted(angles, angle[i] + turn + window)
                for j in range(first + low, first + high):
                    gap = abs(angle[i] + turn - angle[j])
                    if j > i and gap <= math.pi and gap <= _window(r[i], r[j], radius):
                        if count == len(out):
                            larger = np.empty((2 * count, 2), np.int64)
                            larger[:count] = out
                            out = larger
                        out[count, 0], out[count, 1] = i, j
                        count += 1
    return out[:count]


@numba.njit
def _window(a, b, radius):  # type: ignore[no-untyped-def]
    """Largest angle between two points at these radii whose distance is at most ``radius``."""
    if a + b <= radius:
        return math.pi
    cosine = (math.cosh(a) * math.cosh(b) - math.cosh(radius)) / (math.sinh(a) * math.sinh(b))
    return math.acos(max(min(cosine, 1.0), -1.0))


def grid(n: int, seed: int = 0) -> NDArray[np.int64]:
    """Link the nodes of a square grid to those near them, and each to a few random ones."""
    side = round(math.sqrt(n))
    number = np.arange(side * side).reshape(side, side)
    near = [(number[:, k:], number[:, :-k]) for k in (1, 2, 3)] + [
        (number[k:], number[:-k]) for k in (1, 2, 3)
    ]
    edges = [np.column_stack([a.ravel(), b.ravel()]) for a, b in near]
    far = np.random.default_rng(seed).integers(0, side * side, (4 * side * side, 2))
    return np.concatenate([*edges, far[far[:, 0] != far[:, 1]]])


def ba(n: int, seed: int = 0) -> NDArray[np.int64]:
    """Link each new node to ends of earlier edges."""
    draws = np.random.default_rng(seed).random((n, DEGREE // 2))
    return _attached(n, DEGREE // 2, draws)


@numba.njit
def _attached(n, m, draws):  # type: ignore[no-untyped-def]
    out = np.empty(((n - m) * m, 2), np.int64)
    for i in range(m, n):
        for k in range(m):
            place = int(draws[i, k] * 2 * (i - m) * m)
            out[(i - m) * m + k, 0] = i
            out[(i - m) * m + k, 1] = k if i == m else out[place >> 1, place & 1]
    return out


MAKERS = {"hyperbolic": hyperbolic, "grid": grid, "ba": ba}


def one(kind: str, n: int, space: str, rounds: int | None) -> None:
    """Do one run, and print its figures as JSON."""
    edges = np.unique(np.sort(MAKERS[kind](n), axis=1), axis=0)
    graph = Graph.from_edges(edges[edges[:, 0] != edges[:, 1]], name=f"{kind} {n}")
    del edges
    plan = landmark_plan(default_plan(as_loss("stress"), graph.n), graph.n, rounds)
    with training_process(graph.n):
        times = [working_seconds()]
        trainer = Trainer(graph, Space.parse(space), plan)
        times.append(working_seconds())
        state = trainer.init()
        times.append(working_seconds())
        for k in range(plan.epochs):
            state = trainer.step(state)
            if sys.stderr.isatty() or k % 50 == 0:
                print(f"{graph.name} in {space}: round {k + 1} of {plan.epochs}", file=sys.stderr)
        times.append(working_seconds())
        scores = evaluate(trainer.embedding(state), graph)
        times.append(working_seconds())
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) * 1024 / 1e9 for line in status if line.startswith("VmHWM"))
    found = {m: (scores[m], scores.errors.get(m)) for m in ("ad", "auc", "f1@1")}
    facts = {
        "n": graph.n,
        "m": graph.m,
        "rounds": plan.epochs,
        "seconds": np.diff(times).tolist(),
        "gb": peak,
    }
    print(json.dumps({**facts, **found}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[10**4, 10**5, 10**6])
    parser.add_argument("--graphs", nargs="+", default=list(MAKERS), choices=list(MAKERS))
    parser.add_argument("--spaces", nargs="+", default=["H3", "E3", "Stein2", "H3 x S2"])
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(given.graphs[0], given.nodes[0], given.spaces[0], given.rounds)
        return
    print(header())
    columns = ("nodes", "edges", "rounds", "distances", "start", "training", "scores", "total s", "GB")
    print(
        f"\n{'graph':11}{'space':9}"
        + "".join(f"{c:>10}" for c in columns)
        + "   AD, AUC, F1@1 (standard errors)"
    )
    for n in given.nodes:
        for kind in given.graphs:
            for space in given.spaces:
                command = [sys.executable, __file__, "--one", "--nodes", str(n), "--graphs", kind]
                command += ["--spaces", space] + (["--rounds", str(given.rounds)] if given.rounds else [])
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                _show(kind, space, json.loads(done.stdout.splitlines()[-1]))


def _show(kind: str, space: str, facts: dict[str, Any]) -> None:
    seconds: list[float] = facts["seconds"]
    counts = "".join(f"{facts[name]:10}" for name in ("n", "m", "rounds"))
    times = "".join(f"{t:10.1f}" for t in (*seconds, sum(seconds)))
    scores = ", ".join(
        f"{value:.4f}" + (f" ({error:.4f})" if error is not None else "")
        for value, error in (facts[m] for m in ("ad", "auc", "f1@1"))
    )
    print(f"{kind:11}{space:9}{counts}{times}{facts['gb']:10.1f}   {scores}", flush=True)


if __name__ == "__main__":
    main()
