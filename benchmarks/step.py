"""Time one training step of the paper's protocol beside geoopt; with --grow, time and memory by nodes.

Run: python benchmarks/step.py [E3 S3 H6 SPD3 Stein3] [--grow [H3]] [--plot docs/images/growth.png]

A step takes 512 of 4,000 nodes: it gathers their targets, computes distances, RSNE and gradients, and moves
points and scale by RAdam. geoopt does the same with torch's autograd in float64 and with as many threads,
over all ordered pairs by a broadcast or over the pairs above the diagonal, whichever is faster. Times are the
shortest of several alternating rounds. `share` is the part of our step that the kernels for pairs take. The
last column is the ratio that we aim for. `--grow` prints seconds per epoch from 1,000 to 16,000 nodes, for
all pairs and for batches of 512 nodes, with the peak memory of a new process for each, and draws both.
"""

import argparse
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from timing import best_in_turns, header

from riemap.distances import Target
from riemap.graphs import Graph, generate
from riemap.losses import as_loss
from riemap.plots.style import FIGURE_DPI, PALETTE, new_figure, styled
from riemap.spaces import Space
from riemap.threads import count, set_count
from riemap.training import Stage, Trainer, paper_plan
from riemap.training.steps import Stepper

NODES, BATCH = 4000, 512
TARGETS = {"E3": 15, "S3": 15, "H6": 25, "SPD3": 100, "Stein3": 50}
LOSS = as_loss("rsne(T=0.1)")

GROW = """
import resource, sys, time
import numpy as np
from riemap.graphs import generate
from riemap.losses import as_loss
from riemap.spaces import Space
from riemap.optim import RAdam
from riemap.training import Plan, Stage, Trainer
graph = generate(f"barabasi-albert(n={sys.argv[1]},m=2,seed=0)")
batch = int(sys.argv[3]) or None
plan = Plan((Stage(as_loss("stress"), 10, batch=batch),), RAdam(0.1), 0.1)
trainer = Trainer(graph, Space.parse(sys.argv[2]), plan)
state = trainer.step(trainer.init(0))
times = []
for _ in range(3):
    started = time.perf_counter()
    state = trainer.step(state)
    times.append(time.perf_counter() - started)
print(min(times), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def ours(graph: Graph, name: str) -> dict[str, Callable[[], object]]:
    """Return functions for our step and for the kernels in it."""
    space = Space.parse(name)
    plan = paper_plan(LOSS, graph.n)
    trainer = Trainer(graph, space, plan)
    stepper = Stepper(trainer.objective, plan.optimizer, plan.scale_lr)
    state = trainer.init(0)
    state = state._replace(points=space.random(np.random.default_rng(0), graph.n))
    nodes = np.sort(np.random.default_rng(1).permutation(graph.n)[:BATCH])
    stage: Stage = plan.stages[-1]
    weights = np.random.default_rng(2).standard_normal((BATCH, BATCH))
    weights += weights.T

    def step() -> object:
        x = tuple(p[nodes] for p in state.points)
        gradient = trainer.objective.batch(LOSS, x, state.log_scales, nodes)
        return stepper.step(state, stage, gradient, nodes, 1e-6)

    def kernels() -> object:
        x = tuple(p[nodes] for p in state.points)
        return [m.pairs(a).gradient(weights) for m, a in zip(space.factors, x, strict=True)]

    return {"riemap": step, "kernels": kernels}


def theirs(graph: Graph, name: str) -> dict[str, Callable[[], object]]:
    """Return functions for the same step with geoopt, in two ways."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from torch.jit, and from parts of geoopt that we do not use
        import geoopt
        import torch

        torch.set_num_threads(count())
        (m,) = Space.parse(name).factors
        peers: dict[str, Callable[[], Any]] = {
            "E": lambda: geoopt.Euclidean(ndim=1),
            "S": geoopt.SphereExact,
            "H": geoopt.Lorentz,
            "SPD": lambda: geoopt.SymmetricPositiveDefinite("AIM"),
            "Stein": lambda: geoopt.SymmetricPositiveDefinite("SM"),
        }
        peer = peers[m.symbol]()
    x = torch.from_numpy(m.random(np.random.default_rng(0), graph.n))
    points = geoopt.ManifoldParameter(x, manifold=peer)
    scale = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    target = torch.from_numpy(np.asarray(Target.of(graph).rows(slice(None))))
    nodes = torch.from_numpy(np.random.default_rng(1).permutation(graph.n)[:BATCH])
    i, j = torch.triu_indices(BATCH, BATCH, 1)
    diagonal = torch.eye(BATCH, dtype=torch.bool)

    def finish(optimizer: Any, batch: Any, sqdist: Any) -> None:
        wanted = target[nodes][:, nodes]
        p = torch.log_softmax((-wanted / 0.1).masked_fill(diagonal, -torch.inf), 1)
        q = torch.log_softmax((-torch.exp(scale) * sqdist).masked_fill(diagonal, -torch.inf), 1)
        terms = (p.exp() * (p - q)).masked_fill(diagonal, 0.0)
        terms.sum().backward()
        optimizer.step()

    def stepper(pairs: Callable[[Any], Any]) -> Callable[[], object]:
        batch = geoopt.ManifoldParameter(points.data[nodes].clone(), manifold=peer)
        optimizer = geoopt.optim.RiemannianAdam([batch, scale], lr=1e-8)

        def run() -> None:
            optimizer.zero_grad()
            finish(optimizer, batch, pairs(batch))

        return run

    def triangle(batch: Any) -> Any:
        whole = torch.zeros(BATCH, BATCH, dtype=torch.float64)
        whole[i, j] = peer.dist(batch[i], batch[j]) ** 2
        return whole + whole.T

    def broadcast(batch: Any) -> Any:
        return (peer.dist(batch[:, None], batch[None]) ** 2).masked_fill(diagonal, 0.0)

    ways = {"triangle": stepper(triangle), "broadcast": stepper(broadcast)}
    if m.symbol in ("SPD", "Stein"):  # its gradient on the diagonal is NaN, where all eigenvalues are equal
        del ways["broadcast"]
    return ways


def grow(name: str, path: Path) -> None:
    print(f"\nstress in {name}\n{'':8}{'all pairs':>27}{'batches of 512':>27}")
    print(f"{'nodes':>8}" + f"{'s/epoch':>10}{'ns/pair':>9}{'MB':>8}" * 2)
    sizes, rows = (1000, 2000, 4000, 8000, 16000), {}
    for n in sizes:
        print(f"{n:>8}", end="")
        for batch in (0, BATCH):
            done = subprocess.run(
                [sys.executable, "-c", GROW, str(n), name, str(batch)],
                capture_output=True,
                text=True,
                check=True,
            )
            rows[n, batch] = seconds, peak = tuple(float(x) for x in done.stdout.split())
            pairs = 0.5 * n * (batch or n)
            print(f"{seconds:>10.3f}{seconds / pairs * 1e9:>9.2f}{peak:>8.0f}", end="", flush=True)
        print()
    draw(name, sizes, rows, path)
    print(f"\n{path}")


@styled
def draw(
    name: str, sizes: tuple[int, ...], rows: dict[tuple[int, int], tuple[float, ...]], path: Path
) -> None:
    """Draw seconds and memory against nodes, for all pairs and for batches."""
    drawn, axes = new_figure(1, 2, 7.0, 2.8)
    for ax, k, unit in zip(axes[0], (0, 1), ("seconds per epoch", "peak memory, MB"), strict=True):
        for batch, label, colour in (
            (0, "all pairs", PALETTE[0]),
            (BATCH, f"batches of {BATCH}", PALETTE[1]),
        ):
            ax.loglog(sizes, [rows[n, batch][k] for n in sizes], "o-", color=colour, label=label)
        ax.set(xlabel=f"nodes, embedded in {name}", ylabel=unit)
    axes[0, 0].legend()
    drawn.savefig(path, dpi=FIGURE_DPI)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spaces", nargs="*", default=list(TARGETS))
    parser.add_argument("--grow", nargs="?", const="H3", metavar="SPACE")
    parser.add_argument(
        "--plot", type=Path, default=Path("docs/images/growth.png"), help="file for the figure of --grow"
    )
    given = parser.parse_args()
    set_count(min(2, count()))
    print(header("geoopt", "torch"))
    if given.grow:
        grow(given.grow, given.plot)
        return
    graph = generate(f"barabasi-albert(n={NODES},m=2,seed=0)")
    print(f"\n{'space':8}{'riemap ms':>10}{'share':>7}{'geoopt ms':>11}{'by':>11}{'ratio':>7}{'target':>8}")
    for name in given.spaces:
        runs = {**ours(graph, name), **theirs(graph, name)}
        best = {k: 1e3 * t for k, t in best_in_turns(runs, 2.0).items()}
        way = min((k for k in best if k in ("triangle", "broadcast")), key=best.__getitem__)
        ratio, share = best[way] / best["riemap"], best["kernels"] / best["riemap"]
        line = f"{name:8}{best['riemap']:>10.2f}{share:>7.0%}{best[way]:>11.1f}{way:>11}{ratio:>6.0f}x"
        print(line + (f"{TARGETS[name]:>7}x" if name in TARGETS else ""), flush=True)


if __name__ == "__main__":
    main()
