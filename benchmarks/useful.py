"""Compare embeddings of large graphs in H3 with what a user would take instead.

Run: python benchmarks/useful.py [--graphs email-enron wordnet-nouns soc-slashdot usroads] [--methods H3 ...]
    [--records FILE] [--show]

* H3: `riemap.embed(graph, "H3")`, without options.
* landmark MDS: classical scaling of 1,024 landmarks into three dimensions; all others are placed by their
  distances to these [DeSilvaTenenbaum2004].
* landmark bound: min over landmarks l of d(u, l) + d(l, v). The landmarks are the nodes with the most
  neighbours. There are four, as many as a point of H3 has coordinates, and sixteen.
* DeepWalk: random walks and gensim's Word2Vec, 3 and 16 dimensions; distances between the vectors, and one
  minus their cosine. These are no lengths, so that only AUC and F1@1 mean something.
* PyMDE: three dimensions, relative quadratic loss, the pairs of all nodes with 64 random ones; skipped where
  `pymde` cannot be imported. It is in no extra of riemap: `pip install pymde` also installs torchvision.

All are scored from the same random nodes, with standard errors. AD is that at the best scale, for all
methods, since others than riemap do not choose one. Ties are broken at random.
Each result is one line of JSON, written as soon as it is there. A run continues where an earlier one stopped.

References
----------
[DeSilvaTenenbaum2004] De Silva, Tenenbaum. Sparse multidimensional scaling using landmark points. Technical
    report, Stanford, 2004.
"""

import argparse
import functools
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from records import add_record, read_records
from timing import commit, header, processor_seconds

from riemap import Graph, embed, evaluate, read_graph
from riemap.distances.landmarks import Landmarks, columns_from
from riemap.metrics import compare, score_comparison
from riemap.metrics.comparison import Comparison
from riemap.types import Array

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("RIEMAP_DATA") or ROOT.parent / "shared" / "data") / "large"
GRAPHS = ("email-enron", "wordnet-nouns", "soc-slashdot", "usroads")
METRICS = ("ad_rescaled", "auc", "f1@1")
LANDMARKS = 1024
TIE_NOISE = 1e-6
"""Relative size of the random numbers by which ties are broken."""

WALKS, WALK_LENGTH, WINDOW = 10, 40, 5
"""Walks from each node, their number of nodes, and how far apart in a walk two nodes are learned together."""

PYMDE_LANDMARKS = 64
"""Number of random nodes whose distances to all nodes PyMDE is given."""

Distances = Callable[[NDArray[np.int64]], Array]
"""A function from some nodes to their squared distances to all nodes."""


def between_vectors(x: Array) -> Distances:
    """Squared distances between vectors."""
    squares = np.sum(x * x, axis=1)

    def rows(nodes: NDArray[np.int64]) -> Array:
        found = squares[nodes][:, None] + squares - 2.0 * x[nodes] @ x.T
        return np.maximum(found, 0.0)

    return rows


def landmark_mds(graph: Graph) -> Distances:
    """Distances between points by classical scaling of landmarks and triangulation."""
    landmarks = Landmarks.of(graph, LANDMARKS)
    squares = landmarks.columns.astype(float) ** 2
    among = squares[landmarks.nodes]
    mean = among.mean(axis=0)
    values, vectors = np.linalg.eigh(-0.5 * (among - mean - mean[:, None] + among.mean()))
    inverse = vectors[:, -3:] / np.sqrt(values[-3:])
    return between_vectors(-0.5 * (squares - mean) @ inverse)


def landmark_bound(count: int) -> Callable[[Graph], Distances]:
    """Lengths of the shortest paths over one of the nodes with the most neighbours."""

    def made(graph: Graph) -> Distances:
        hubs = np.sort(np.argsort(-graph.degrees, kind="stable")[:count])
        columns = columns_from(graph, hubs).astype(float)

        def rows(nodes: NDArray[np.int64]) -> Array:
            found = np.full((len(nodes), graph.n), np.inf)
            for column in columns.T:
                np.minimum(found, column[nodes][:, None] + column, out=found)
            noise = np.random.default_rng(nodes).random(found.shape)
            found *= 1.0 + TIE_NOISE * noise
            found[np.arange(len(nodes)), nodes] = 0.0
            return found**2

        return rows

    return made


def deep_walk(dim: int, cosine: bool) -> Callable[[Graph], Distances]:
    """Distances between vectors that Word2Vec learns from random walks."""

    def made(graph: Graph) -> Distances:
        x = walk_vectors(graph, dim)
        return between_vectors(x / np.linalg.norm(x, axis=1, keepdims=True) if cosine else x)

    return made


@functools.cache
def walk_vectors(graph: Graph, dim: int) -> Array:
    """Vectors of all nodes by DeepWalk."""
    from gensim.models import Word2Vec

    options = {"window": WINDOW, "sg": 1, "min_count": 0, "epochs": 1, "workers": 1, "seed": 1}
    model = Word2Vec(Walks(graph), vector_size=dim, **options)
    found: Array = model.wv[[str(i) for i in range(graph.n)]].astype(float)
    return found


class Walks:
    """Random walks as texts. They are made while they are read, and are the same each time."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def __iter__(self) -> Any:
        g, rng = self.graph, np.random.default_rng(0)
        for _ in range(WALKS):
            at: NDArray[Any] = rng.permutation(g.n)
            steps = [at]
            for _ in range(WALK_LENGTH - 1):
                at = g.indices[g.indptr[at] + (rng.random(g.n) * g.degrees[at]).astype(np.int64)]
                steps.append(at)
            for walk in np.column_stack(steps):
                yield [str(i) for i in walk]


def pymde_points(graph: Graph) -> Distances:
    """Distances between points by PyMDE, from all pairs with random landmarks."""
    import pymde
    import torch

    landmarks = Landmarks.of(graph, PYMDE_LANDMARKS)
    nodes, columns = np.nonzero(landmarks.columns)
    edges = torch.tensor(np.column_stack([nodes, landmarks.nodes[columns]]))
    lengths = torch.tensor(landmarks.columns[nodes, columns], dtype=torch.float32)
    loss = pymde.losses.WeightedQuadratic(lengths)
    pymde.seed(0)
    x = pymde.MDE(graph.n, 3, edges, loss, pymde.Centered()).embed()
    return between_vectors(x.numpy().astype(float))


METHODS: dict[str, Callable[[Graph], Distances]] = {
    "landmark MDS": landmark_mds,
    "landmark bound, 4": landmark_bound(4),
    "landmark bound, 16": landmark_bound(16),
    "DeepWalk 3": deep_walk(3, cosine=False),
    "DeepWalk 16": deep_walk(16, cosine=False),
    "DeepWalk 16, cosine": deep_walk(16, cosine=True),
    "PyMDE 3": pymde_points,
}


def one(graph: Graph, method: str) -> dict[str, Any]:
    """Embed a graph, and score the result."""
    clock = time.perf_counter(), processor_seconds()
    if method in METHODS:
        distances = METHODS[method](graph)
        spent = time.perf_counter() - clock[0], processor_seconds() - clock[1]
        scores = score_comparison(replace(compared(graph), sqdist=distances))
    else:
        fit = embed(graph, method)
        spent = time.perf_counter() - clock[0], processor_seconds() - clock[1]
        scores = evaluate(fit, graph)
    found = {m: [scores[m], scores.errors.get(m)] for m in METRICS}
    return {"n": graph.n, "m": graph.m, "seconds": spent, **found}


def compared(graph: Graph) -> Comparison:
    """The distances in a graph from the nodes that an embedding is scored from."""
    from riemap import Embedding, Space

    nowhere = Embedding(Space.parse("E1"), (np.zeros((graph.n, 1)),), np.zeros(1), graph.labels)
    return compare(nowhere, graph)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS))
    parser.add_argument("--methods", nargs="+", default=["H3", *METHODS], help="these, or names of spaces")
    parser.add_argument("--records", type=Path, default=ROOT / "results" / "useful.jsonl")
    parser.add_argument("--show", action="store_true", help="run nothing, print what is recorded")
    given = parser.parse_args()
    print(header())
    print(
        "\n| graph | method | AD | AUC | F1@1 | seconds | of the processor |\n|---|---|---|---|---|---|---|"
    )
    for name in given.graphs:
        graph = None
        for method in given.methods:
            key = {"graph": name, "method": method}
            records = read_records(given.records)
            found = [r for r in records if {"graph": r["graph"], "method": r["method"]} == key]
            if not found and not given.show:
                graph = graph or read_graph(DATA / f"{name}.edges.gz")
                where = commit()
                try:
                    found = [{**key, **one(graph, method), "commit": where}]
                except ModuleNotFoundError as missing:
                    print(
                        f"{name}: {method} is skipped, since {missing.name} is not installed", file=sys.stderr
                    )
                    continue
                add_record(given.records, found[0])
            if found:
                _show(found[-1])


def _show(record: dict[str, Any]) -> None:
    cells = [
        f"{factor * value:.{digits}f} ({factor * error:.{digits}f})"
        for (value, error), factor, digits in (
            (record["ad_rescaled"], 1.0, 4),
            (record["auc"], 100.0, 1),
            (record["f1@1"], 100.0, 1),
        )
    ]
    if record["method"].startswith("DeepWalk"):
        cells[0] = ""
    times = [f"{t:.0f}" for t in record["seconds"]]
    print(f"| {record['graph']} | {record['method']} | {' | '.join([*cells, *times])} |", flush=True)


if __name__ == "__main__":
    main()
