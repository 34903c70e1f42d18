"""Time one run with landmarks on a Ray cluster of one and of two workers, each on one core.

Run: python benchmarks/cluster.py [--nodes 200000] [--rounds 200] [--space H3] [--repeats 1]

The graph is the hyperbolic random graph of large_graphs.py. Each cluster is started for its run, on loopback
where the process may make a network namespace, and first does a small run, in which its workers load compiled
code. Seconds are those of the stages: distances to landmarks and within balls (distances), embedding of the
landmarks and placement of all nodes (start), and rounds; and of the fastest round. This process has one
thread. The last line tells whether both embeddings, and that of this process without a cluster after a few
rounds, have the same bytes.
"""

import argparse
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from large_graphs import made
from timing import header

from riemap import Graph, Space, generate, threads
from riemap.kernel_cache import kernel_folder
from riemap.losses import as_loss
from riemap.training import Plan, Trainer, default_plan, landmark_plan, training_process
from riemap.training.ray_cluster import ray_workers
from riemap.training.workers import InProcess, Workers

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from ray_nodes import ray_nodes

STAGES = ("distances", "start", "rounds", "whole run", "fastest round")

CHECKED_ROUNDS = 3
"""Number of rounds after which the bytes of all ways are compared."""


NODE: Any = {"num_cpus": 1, "object_store_memory": 1 << 30}


@contextmanager
def cluster(nodes: int, space: Space) -> Iterator[Workers]:
    """Start so many nodes of one core each, do a small run on them, and stop them afterwards."""
    with ray_nodes(nodes, NODE) as found, ray_workers(found.address) as workers:
        small = generate("tree(r=3,h=9)")
        assert isinstance(small, Graph)
        run(small, plan_of(small.n, 2), space, workers)
        yield workers


def plan_of(n: int, rounds: int | None) -> Plan:
    return landmark_plan(default_plan(as_loss("both"), n), n, rounds)


def run(
    graph: Graph, plan: Plan, space: Space, workers: Workers, last: int | None = None
) -> tuple[list[float], list[str]]:
    """Return the seconds of the stages, and a hash of the points after some rounds and at the end.

    The run ends early after round ``last``.
    """
    with tempfile.TemporaryDirectory() as folder, training_process(graph.n):
        os.environ["RIEMAP_CACHE"] = folder  # so that no distances are stored
        times, hashes = [time.perf_counter()], []
        trainer = Trainer(graph, space, plan, workers=workers)
        times.append(time.perf_counter())
        state = trainer.init()
        times.append(time.perf_counter())
        while state.epoch < (last or plan.epochs):
            state = trainer.step(state)
            times.append(time.perf_counter())
            if state.epoch in (CHECKED_ROUNDS, plan.epochs):
                arrays: tuple[Any, ...] = (*state.points, state.log_scales)
                hashes.append(hashlib.sha256(b"".join(a.tobytes() for a in arrays)).hexdigest())
            if sys.stderr.isatty() or state.epoch % 20 == 0:
                print(f"{graph.name}: round {state.epoch} of {plan.epochs}", file=sys.stderr)
    spent = np.diff(times)
    return [spent[0], spent[1], spent[2:].sum(), spent.sum(), spent[2:].min()], hashes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--space", default="H3")
    parser.add_argument("--repeats", type=int, default=1)
    given = parser.parse_args()
    print(header("ray"), flush=True)
    kernel_folder()  # it is remembered, and compiled code stays there
    threads.set_count(1)
    graph = made("hyperbolic", given.nodes)
    plan, space = plan_of(graph.n, given.rounds), Space.parse(given.space)
    print(f"{graph.n} nodes, {graph.m} edges, {space}, {plan.epochs} rounds")
    best: dict[int, Any] = {}
    hashes: dict[int, list[str]] = {}
    for nodes in (1, 2) * given.repeats:
        with cluster(nodes, space) as workers:
            seconds, hashes[nodes] = run(graph, plan, space, workers)
        best[nodes] = np.minimum(seconds, best.get(nodes, np.inf))
    print(f"\n{'seconds':16}{'one worker':>12}{'two workers':>13}{'ratio':>8}")
    for name, one, two in zip(STAGES, best[1], best[2], strict=True):
        print(f"{name:16}{one:12.2f}{two:13.2f}{one / two:8.2f}")
    _, alone = run(graph, plan, space, InProcess(), last=min(CHECKED_ROUNDS, plan.epochs))
    print(f"same bytes: {hashes[1] == hashes[2]}; without a cluster: {alone[0] == hashes[1][0]}")


if __name__ == "__main__":
    main()
