"""Forward and backward over all pairs of 512 points, for us and for geoopt, in one run.

Run: make bench, or python benchmarks/kernels.py H6 SPD3

Ours is the interface that the README shows: `space.pairs(points).gradient(weights)` computes all squared
distances and then, for given weights of ordered pairs, the gradient at every point. geoopt does the same with
torch's autograd, in float64 on as many threads, by whichever is faster of two ways: the pairs above the
diagonal, gathered by index, or a broadcast to the full matrix. Times are in nanoseconds per unordered pair,
the least of several rounds in turns. `x fill` is the ratio to the time of writing one such matrix, which is a
lower bound. The last column is the ratio to geoopt that we require.

`--busy` measures ours alone, on a quiet machine and beside 1, 2 and 4 other processes that never sleep, each
in a session of its own, as programs of a desktop are (Linux divides the processors among sessions first).

`--stages` measures the parts of ours on one thread: the forward loop, the pass that forms w + wᵀ, mirrors
what the forward loop keeps and sums weights times distances, and the gradient loop.

`--near-far` measures ours alone, for points of radius 1 and of radius 4, where some kernels use other
formulas.
"""

import argparse
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
from timing import best_in_turns, header

from riemap.aligned import on_cache_lines
from riemap.loops import pair_loop
from riemap.lower_triangle import ORDERED, spread_weights
from riemap.manifolds import Manifold
from riemap.manifolds.blocks import scratch
from riemap.spaces import Space
from riemap.threads import Part, begin, count, set_count
from riemap.types import Array

SPACES = (
    "E3 S3 H3 H6 SPD2 SPD3 SPD4 Stein2 Stein3 Stein4 LogSPD3 BW2 BW3 "
    "Gr(1,4) Gr(2,4) Gr(2,5) Gr(3,5) Gr(3,6) SO3 SO4"
)
LARGER_MATRICES = "SPD4 SPD5 Stein4 Stein5 BW3 BW4 Gr(3,6) Gr(4,8) SO4 SO5"
BARS = {"E3": 20, "S3": 15, "H6": 25, "SPD2": 150, "SPD3": 150, "Stein2": 80, "Stein3": 80}


def ours(space: Space, x: Array, w: Array) -> Callable[[], object]:
    return lambda: space.pairs((x,)).gradient(w)


def geoopt_runs(m: Manifold, x: Array, w: Array) -> dict[str, Callable[[], object]]:
    """The two ways to do it with geoopt, if it has the space."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch.jit and unfinished parts that we do not use
        import geoopt
        import torch

        torch.set_num_threads(count())
        spaces = {
            "E": lambda: geoopt.Euclidean(ndim=1),
            "S": geoopt.Sphere,
            "H": geoopt.Lorentz,
            "SPD": lambda: geoopt.SymmetricPositiveDefinite("AIM"),
            "Stein": lambda: geoopt.SymmetricPositiveDefinite("SM"),
            "LogSPD": lambda: geoopt.SymmetricPositiveDefinite("LEM"),
        }
        if m.symbol not in spaces:
            return {}
        peer = spaces[m.symbol]()
    points, weights = torch.from_numpy(x), torch.from_numpy(w)
    i, j = torch.triu_indices(len(x), len(x), 1)
    upper = weights[i, j]

    def triangle() -> object:
        z = points.clone().requires_grad_()
        (peer.dist(z[i], z[j]) ** 2 * upper).sum().backward()
        return z.grad

    def broadcast() -> object:
        z = points.clone().requires_grad_()
        (peer.dist(z[:, None], z[None]) ** 2 * weights).sum().backward()
        return z.grad

    return {"triangle": triangle, "broadcast": broadcast}


COMPETITORS = (0, 1, 2, 4)


@contextmanager
def competitors(count: int) -> Iterator[None]:
    """Run so many processes that never sleep, each in a session of its own."""
    processes = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
        for _ in range(count)
    ]
    try:
        time.sleep(0.5 if count else 0.0)
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def busy(names: list[str], n: int, radius: float, seconds: float) -> None:
    """Nanoseconds a pair beside other processes, and how many times those on a quiet machine that is."""
    pair = n * (n - 1) / 2 * 1e-9
    others = "".join(f"{f'{count} others':>20}" for count in COMPETITORS[1:])
    print(f"{'space':8} {'quiet':>8}{others}")
    for name in names:
        space, rng = Space.parse(name), np.random.default_rng(0)
        (points,) = space.random(rng, n, radius)
        run = ours(space, points, rng.standard_normal((n, n)))
        run()  # compile
        found = []
        for number in COMPETITORS:
            with competitors(number):
                found.append(typical(run, seconds) / pair)
        line = f"{name:8} {found[0]:8.2f}"
        line += "".join(f"{time:12.2f} ({time / found[0]:4.1f}x)" for time in found[1:])
        print(line, flush=True)


def stages(names: list[str], n: int, radius: float, seconds: float) -> None:
    """Nanoseconds a pair of each part, on one thread."""
    set_count(1)
    pair = n * (n - 1) / 2 * 1e-9
    print(f"{'space':8} {'forward':>8} {'between':>8} {'gradient':>8} {'all':>8}")
    for name in names:
        space, rng = Space.parse(name), np.random.default_rng(0)
        (points,), weights = space.random(rng, n, radius), rng.standard_normal((n, n))
        kernel = space.factors[0].pair_kernel
        prepared = kernel.prepare(points)
        matrices = on_cache_lines((1 + kernel.saved, n, n))
        sqdist, *saved = matrices
        mirrored = matrices[1:] if kernel.saved_symmetric else matrices[:0]
        gradient = kernel.symmetric_gradient or kernel.gradient
        runs: dict[str, Callable[[], object]] = {
            "forward": partial(kernel.forward, prepared, prepared, True, sqdist, *saved),
            "between": partial(spread_weights, weights, ORDERED, sqdist, mirrored, scratch((n, n))),
            "gradient": partial(gradient, prepared, prepared, *saved, scratch((n, n))),
            "all": ours(space, points, weights),
        }
        found = best_in_turns(runs, seconds)
        print(f"{name:8} " + " ".join(f"{found[part] / pair:8.2f}" for part in runs), flush=True)


def near_far(names: list[str], n: int, seconds: float) -> None:
    """Nanoseconds a pair for points of radius 1 and 4, and seconds of the first call, which may compile."""
    pair = n * (n - 1) / 2 * 1e-9
    print(f"{'space':8} {'near':>8} {'far':>8} {'first, s':>9}")
    for name in names:
        space, rng = Space.parse(name), np.random.default_rng(0)
        weights = rng.standard_normal((n, n))
        runs = {
            part: ours(space, space.random(rng, n, radius)[0], weights)
            for part, radius in (("near", 1.0), ("far", 4.0))
        }
        started = time.perf_counter()
        runs["near"]()
        first = time.perf_counter() - started
        found = best_in_turns(runs, seconds)
        print(f"{name:8} {found['near'] / pair:8.2f} {found['far'] / pair:8.2f} {first:9.1f}", flush=True)


def typical(run: Callable[[], object], seconds: float) -> float:
    """Mean time of one call, over so many seconds: what a user waits for, unlike the least."""
    calls, started = 0, time.perf_counter()
    while (spent := time.perf_counter() - started) < seconds:
        run()
        calls += 1
    return spent / calls


@pair_loop
def fill(part: Part, out: Array) -> None:
    start, stop = begin(part)
    for i in range(start, stop):
        for j in range(out.shape[1]):
            out[i, j] = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("spaces", nargs="*")
    parser.add_argument("--points", type=int, default=512)
    parser.add_argument("--radius", type=float, default=1.0, help="how far points are from the origin")
    parser.add_argument("--seconds", type=float, default=1.0, help="time for each run")
    parser.add_argument("--busy", action="store_true", help="measure beside other processes, without geoopt")
    parser.add_argument("--stages", action="store_true", help="measure the parts of ours on one thread")
    parser.add_argument("--near-far", action="store_true", help="measure ours at two radii")
    options = parser.parse_args()
    names = options.spaces or (LARGER_MATRICES if options.near_far else SPACES).split()
    set_count(min(2, count()))
    print(header("geoopt", "torch"))
    n = options.points
    if options.busy:
        busy(names, n, options.radius, options.seconds)
        return
    if options.near_far:
        near_far(names, n, options.seconds)
        return
    if options.stages:
        stages(names, n, options.radius, options.seconds)
        return
    pair = n * (n - 1) / 2 * 1e-9
    print(f"{n} points, float64, forward + backward; ns per unordered pair\n")
    print(f"{'space':8} {'riemap':>8} {'x fill':>7} {'geoopt':>9} {'by':>10} {'ratio':>7} {'bar':>5}")
    for name in names:
        space = Space.parse(name)
        (m,) = space.factors
        rng = np.random.default_rng(0)
        x, w, page = m.random(rng, n, options.radius), rng.standard_normal((n, n)), np.empty((n, n))
        runs: dict[str, Callable[[], object]] = {
            "riemap": ours(space, x, w),
            "fill": partial(fill, n, page),
            **geoopt_runs(m, x, w),
        }
        best = {k: t / pair for k, t in best_in_turns(runs, options.seconds).items()}
        line = f"{name:8} {best['riemap']:8.2f} {best['riemap'] / best['fill']:7.1f}"
        peers = {k: t for k, t in best.items() if k in ("triangle", "broadcast")}
        if peers:
            way = min(peers, key=peers.__getitem__)
            line += f" {peers[way]:9.1f} {way:>10} {peers[way] / best['riemap']:6.0f}x"
            line += f" {BARS[name]:4}x" if name in BARS else ""
        print(line, flush=True)


if __name__ == "__main__":
    main()
