"""Check that results have the same bytes on any number of threads.

Every kernel that divides its work is run on one to four threads, which cut its rows at different places. A
short training in every space of the registry with every loss is run on one to four threads.

Run: python tools/equal_bytes.py [--nodes 200 257 400] [--epochs 5] [--only kernels|trainings]
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

import loss_helpers
from graph_helpers import placed, random_graph
from subjects import SUBJECTS, start, unit
from thread_helpers import exactly

from riemap import curvature, linalg
from riemap.distances import Target, shortest_paths
from riemap.losses import LOSSES, Loss, RowBlock
from riemap.lower_triangle import LOWER, ORDERED, accumulate, add, mirror, row_products, scale, spread_weights
from riemap.manifolds import Manifold
from riemap.metrics import compare, evaluate, pair_report
from riemap.optim import RAdam
from riemap.spaces import Space
from riemap.training import Plan, Stage, fit
from riemap.types import Array

KERNEL_THREADS, TRAINING_THREADS = (1, 2, 3, 4), (1, 2, 3, 4)
"""Numbers of threads, on any number of cores. The results of the first are compared with the others."""

BATCH = 67
"""Nodes in a batch: an odd number, so that vectors leave a remainder."""

Calls = Iterator[tuple[str, Callable[[], Any]]]


def manifold_calls(m: Manifold, n: int) -> Calls:
    """Yield every method that takes arrays, and what the blocks of pairs compute."""
    rng, x = start(m, 1, n)
    y, u, v = x[::-1].copy(), unit(m, rng, x), unit(m, rng, x)
    w = rng.standard_normal((n, n))
    yield "project", partial(m.project, 1.01 * x)
    for name in ("to_tangent", "exp", "retract", "norm"):
        yield name, partial(getattr(m, name), x, u)
    for name in ("log", "sqdist", "sqdist_grad"):
        yield name, partial(getattr(m, name), x, y)
    for name in ("inner", "sectional", "move"):
        yield name, partial(getattr(m, name), x, u, v)
    yield "transport", partial(m.transport, x, y, u)
    yield "symmetric block", lambda: (m.symmetric_block(x).gradient(w), m.symmetric_block(x).sqdist)
    few = y[: n // 2]
    yield "rectangular block", lambda: (m.pairwise(x, few), m.pairwise_grad(x, few, w[:, : n // 2]))


def loss_calls(loss: Loss, n: int) -> Calls:
    """Yield the two ways to compute a loss, and its statistics."""
    target, sqdist = loss_helpers.drawn(7, n)
    yield "rows", partial(loss_helpers.by_rows, loss, target, sqdist, n, True)
    yield "lower", partial(loss_helpers.by_triangle, loss, target, sqdist)
    yield "statistics", partial(loss.statistics, RowBlock(target, sqdist))


def matrix_calls(n: int) -> Calls:
    """Yield the loops over matrices of pairs, and over small matrices."""
    rng = np.random.default_rng(0)
    a, b, small = rng.standard_normal((n, n)), rng.standard_normal((n, n)), rng.standard_normal((n, 3, 3))
    positive = small @ np.swapaxes(small, 1, 2) + np.eye(3)
    for f in (linalg.cholesky, linalg.eigh, linalg.left_svd):
        yield f.__name__, partial(f, positive)
    for symmetric in (False, True):
        yield "row_products", partial(row_products, a, b, symmetric)
        yield "add", partial(_lower_sum, a, b, symmetric)
        yield "accumulate", partial(_filled, accumulate, a, 0.3, b, symmetric)
        yield "scale", partial(_filled, scale, a, 0.3, symmetric)
    yield "mirror", partial(_filled, mirror, a, b)
    for given in (ORDERED, LOWER):
        yield "spread_weights", partial(_spread, a, b, given)


def graph_calls(n: int, weighted: bool) -> Calls:
    """Yield the loops over graphs, and the scores of an embedding."""
    graph = random_graph(n, n, weighted=weighted)
    matrix, e = shortest_paths(graph, stored=False), placed("H2 x S2", graph)
    target, nodes = Target(matrix), np.arange(0, n, 2)
    yield "shortest_paths", partial(shortest_paths, graph, stored=False)
    yield "targets", lambda: (target.rows(slice(None)), target.block(nodes))
    yield "evaluate", lambda: repr(evaluate(e, graph)).encode()
    yield "pair_report", lambda: repr(pair_report(compare(e, graph))).encode()
    yield "sectional", lambda: curvature.sectional(graph, distances=matrix).values
    yield "ollivier_ricci", lambda: curvature.ollivier_ricci(graph, distances=matrix).curvature
    yield "delta_sampled", lambda: curvature.delta_sampled(graph, samples=1000).mean
    yield "delta_exact", lambda: curvature.delta_exact(graph)


def _lower_sum(a: Array, b: Array, symmetric: bool) -> Array:
    return np.tril(add(a, b, symmetric))


def _spread(w: Array, sqdist: Array, given: int) -> tuple[Array, ...]:
    out, saved = w.copy(), np.stack([sqdist, w])
    sums = spread_weights(w if given == ORDERED else out, given, sqdist, saved, out)
    return out, saved, sums


def _filled(f: Callable[..., Any], *arguments: Any) -> Any:
    """Return a copy of the first argument, after a function wrote into it."""
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    f(*copies)
    return copies[0]


def training(m: Manifold, loss: Loss, n: int, epochs: int) -> Callable[[], Any]:
    """Return a short training, over all pairs and then in batches.

    The first stage has half the learning rate, so that initial points are not chosen by trial runs.
    """
    graph, space = random_graph(n, n // 2), Space((m,))
    stages = (Stage(loss, epochs, lr_factor=0.5), Stage(loss, epochs, batch=BATCH))
    plan = Plan(stages, RAdam(0.1), scale_lr=0.1)
    distances = None if plan.compares_walks else shortest_paths(graph, stored=False)

    def run() -> Any:
        e = fit(graph, space, plan, distances=distances).embedding
        return (*e.points, e.log_scales)

    return run


def in_bytes(found: Any) -> bytes:
    """Return all numbers of a result as bytes."""
    if isinstance(found, tuple):
        return b"".join(map(in_bytes, found))
    return found if isinstance(found, bytes) else np.asarray(found).tobytes()


def kernel_differences(n: int) -> Iterator[str]:
    """Yield the kernels whose bytes depend on the number of threads."""
    owners = [(str(m), manifold_calls(m, n)) for m in SUBJECTS]
    owners += [(str(loss), loss_calls(loss, n)) for loss in loss_helpers.SUBJECTS]
    owners += [
        ("matrices", matrix_calls(n)),
        ("graph", graph_calls(n, False)),
        ("lengths", graph_calls(n, True)),
    ]
    for owner, calls in owners:
        for name, call in calls:
            results = {count: on_threads(count, call) for count in KERNEL_THREADS}
            yield from (f"{owner}: {name} of {n} points on {count}" for count in different(results))


def training_differences(n: int, epochs: int) -> Iterator[str]:
    """Yield the trainings whose bytes depend on the number of threads."""
    for m in SUBJECTS:
        for loss in (cls() for cls in LOSSES):
            run = training(m, loss, n, epochs)
            results = {count: on_threads(count, run) for count in TRAINING_THREADS}
            yield from (f"{m} with {loss}, {n} nodes, on {count}" for count in different(results))


def on_threads(count: int, call: Callable[[], Any]) -> bytes:
    """The bytes of what a call returns, on so many threads."""
    with exactly(count):
        return in_bytes(call())


def different(results: dict[int, bytes]) -> Iterator[str]:
    """Yield the numbers of threads whose bytes are not those of one thread."""
    return (f"{count} threads" for count, found in results.items() if found != results[1])


def main() -> int:
    """Compare; return 1 if something differs."""
    parser = argparse.ArgumentParser(description="Compare the bytes of results on several threads.")
    parser.add_argument("--nodes", type=int, nargs="+", default=[200, 257, 400])
    parser.add_argument("--epochs", type=int, default=5, help="of each of two stages of a training")
    parser.add_argument("--only", choices=["kernels", "trainings"])
    options = parser.parse_args()
    differences: list[str] = []
    for n in options.nodes:
        if options.only != "trainings":
            differences += kernel_differences(n)
        if options.only != "kernels":
            differences += training_differences(n, options.epochs)
        print(f"{n} nodes: {len(differences)} differences so far", flush=True)
    print(*differences, sep="\n")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
