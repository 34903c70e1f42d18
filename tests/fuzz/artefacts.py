"""The files that riemap writes: a finished run, one that was interrupted, a grid, and stored distances."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from fuzz import corpus
from fuzz.command import run
from riemap import Graph, generate
from riemap.distances import paths
from riemap.runs import GraphSource, RunFolder, RunSpec, execute

GRAPH = "tree(r=2,h=2)"
EMBED = ("embed", GRAPH, "-s", "H2 x E1", "--epochs", "8", "--checkpoint-every", "3")
GRID = 'graphs = ["path(n=5)", "cycle(n=6)"]\nspaces = ["E2", "H2"]\nepochs = 5\n'
EDGES = "0 1\n1 2\n2 3\n3 0\n3 4\n"
STORED_NODES = 1100
"""Nodes of the ring whose distances are stored: they take more than a megabyte, below which none are."""


def make(shared: Path) -> None:
    """Make them all, once."""
    if (shared / "done").exists():
        return
    (shared / "grid.toml").write_text(GRID)
    (shared / "ring.edges").write_text(EDGES)
    (shared / "weighted.edges").write_text("a b 1e-6\nb c 1e6\nc d 1\n")
    (shared / "groups.csv").write_text("node,label\n0,red\n1,blue\n")
    (shared / "figures.csv").write_bytes(corpus.FIGURES)
    np.save(shared / "points.npy", corpus.MATRIX)
    for name, more in (("run", []), ("other", ["--seed", "1"])):
        _made([*EMBED, *more, "--out", name], shared)
        _interrupted(shared / f"half-{name}", seed=int(name == "other"))
    _made(["grid", "grid.toml", "--out", "grid"], shared)
    _made(["report", "run", "-o", "run.html"], shared)
    paths.shortest_paths(stored_graph())
    (shared / "done").touch()


def _made(words: list[str], shared: Path) -> None:
    finished = run(words, shared)
    if finished.code != 0:
        raise RuntimeError(f"{words} ended with {finished.code}: {finished.err}") from finished.error


def _interrupted(path: Path, seed: int) -> None:
    """The folder of the same run, stopped after its fifth epoch by what Ctrl-C does."""
    graph = generate(GRAPH)
    spec = RunSpec.of(graph, "H2 x E1", epochs=8, seed=seed, source=GraphSource(GRAPH))
    epochs: list[Any] = []
    folder = RunFolder(path, checkpoint_every=3)
    execute(spec, folder, graph=graph, callbacks=(epochs.append,), interrupted=lambda: len(epochs) == 5)
    if not folder.checkpoint.exists():
        raise RuntimeError("the interrupted run has no checkpoint")


def stored_graph() -> Graph:
    """A ring with one chord, whose distances are large enough to be stored."""
    n = STORED_NODES
    ring = np.column_stack([np.arange(n), np.roll(np.arange(n), -1)])
    return Graph.from_edges(np.vstack([ring, [[0, n // 3]]]), name="ring")


def copied(shared: Path, folder: Path, *names: str) -> None:
    """Copy some of them into the folder of a case."""
    for name in names:
        if (shared / name).is_dir():
            shutil.copytree(shared / name, folder / name)
        else:
            shutil.copy(shared / name, folder / name)


def strict(text: str) -> Any:
    """The value of a JSON text; ``None`` for what is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None
