"""Attack on the readers: damaged files of every format, compressed or not."""

import bz2
import gzip
import lzma
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import final

import numpy as np

from fuzz.attack import Attack, Case, packed, unpacked
from fuzz.corpus import FIGURES, GRID, GROUPS, MATRIX, TABLES, TEXTS, sparse_npz
from fuzz.mutations import cut_or_flipped, damaged
from fuzz.structures import damaged_npy, damaged_npz
from fuzz.verdict import SilentChangeError, Verdict, judge
from riemap import Graph, generate, read_dissimilarities, read_graph
from riemap.graphs import Dissimilarities
from riemap.graphs.groups import read_groups
from riemap.grids.grid import read_grid
from riemap.grids.published import read_reference

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}

BOMB_BYTES = 280 << 20
"""Decompressed size in bytes of a bomb: somewhat more than the 256 MB up to which any ratio is accepted."""


@final
class Readers(Attack):
    """Files that are damaged, cut short, forged, or of another format than their name says."""

    name = "readers"
    seconds = 20.0
    share = 1.5
    short = 200

    def draw(self, rng: Random, number: int) -> Case:
        kind = rng.choice(("text",) * 6 + ("table", "npy", "npz", "npz", "groups", "grid", "figures"))
        name, data = _file(rng, kind)
        if kind in ("text", "table", "npy", "npz", "groups") and rng.random() < 0.25:
            suffix = rng.choice(list(COMPRESSORS))
            name += suffix
            data = COMPRESSORS[suffix](data)
            if rng.random() < 0.7:
                data = cut_or_flipped(rng, data)
            if rng.random() < 0.002:
                data = gzip.compress(bytes(BOMB_BYTES)) if suffix == ".gz" else data
        how = {"npy": "table", "npz": "text"}.get(kind, kind)
        return {"how": how, "name": name, "data": packed(data), "undirected": rng.random() < 0.5}

    def check(self, case: Case, folder: Path) -> Verdict:
        path = folder / case["name"]
        path.write_bytes(unpacked(case["data"]))

        def action() -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                warnings.simplefilter("ignore", UserWarning)
                _read(case, path)

        return judge(action)


def _file(rng: Random, kind: str) -> tuple[str, bytes]:
    """A damaged file of a kind, and its name; now and then the name is of another format."""
    every = {**TEXTS, **TABLES}
    if kind == "npy":
        array = MATRIX if rng.random() < 0.5 else np.array([1.0, 2.0, 1.5])
        data = damaged_npy(rng, array)
        return "points.npy", data if rng.random() < 0.7 else damaged(rng, data)
    if kind == "npz":
        data = sparse_npz(rng.choice(("csr", "csc", "coo", "bsr", "dia")))
        data = damaged_npz(rng, data, [sparse_npz("coo")])
        return "graph.npz", data if rng.random() < 0.7 else damaged(rng, data)
    files = {"text": TEXTS, "table": TABLES, "groups": {"groups.csv": GROUPS}}.get(kind)
    files = files or ({"grid.toml": GRID} if kind == "grid" else {"figures.csv": FIGURES})
    name = rng.choice(list(files))
    data = files[name] if rng.random() < 0.97 else every[rng.choice(list(every))]
    return name, damaged(rng, data, list(every.values()))


def _read(case: Case, path: Path) -> None:
    if case["how"] == "text":
        _check_graph(read_graph(path, undirected=case["undirected"]), path)
    elif case["how"] == "table":
        _check_table(read_dissimilarities(path))
    elif case["how"] == "groups":
        read_groups(path, generate("path(n=5)"))
    elif case["how"] == "grid":
        if b"n=" in path.read_bytes().replace(b"n=5", b"").replace(b"n=6", b""):
            return  # another number of nodes may be a large one: the attack on specs has those
        read_grid(path)
    else:
        read_reference(path, ("auc",))


def _check_graph(graph: Graph, path: Path) -> None:
    """What is accepted is a graph: indices in range, lengths positive, labels all different."""
    right = graph.n >= 2 and len(graph.labels) == graph.n == len(set(graph.labels))
    right = right and int(graph.indices.min()) >= 0 and int(graph.indices.max()) < graph.n
    if graph.weights is not None:
        right = right and bool(np.isfinite(graph.weights).all() and (graph.weights > 0).all())
    if not right:
        raise SilentChangeError(f"read_graph gives an invalid graph, {graph!r}")
    texts = path.suffix in (".edges", ".txt", ".tsv", ".csv", ".edgelist")
    if texts and not set(path.read_bytes()) & set(b'";\t'):  # where a comma can only be a separator
        commas = [label for label in graph.labels if isinstance(label, str) and "," in label]
        if commas:
            raise SilentChangeError(f"the label {commas[0]!r} holds a separator")


def _check_table(table: Dissimilarities) -> None:
    m = table.matrix
    if not (np.isfinite(m).all() and (m == m.T).all() and (m >= 0).all() and len(table.labels) == len(m)):
        raise SilentChangeError(f"read_dissimilarities gives invalid ones, {table!r}")
