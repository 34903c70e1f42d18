"""The numbers of the paper's figures 2 and 3  [Cruceru2021, sec. 5].

Figure 2 shows F1@k curves of four synthetic graphs, and how many pairs of nodes are k hops apart. Figure 3
shows how the embeddings of table 5 that are best by F1@1, and by AD, curve in three dimensions. Both are
drawn from records.

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from riemap.distances import shortest_paths
from riemap.graphs import load_dataset
from riemap.grids.grid import grid
from riemap.grids.record import RunRecord
from riemap.metrics.curves import Curves
from riemap.paper.tables import PRESET, TABLES, is_current
from riemap.paper.versus_published import lines
from riemap.runs.spec import RunSpec
from riemap.types import Array

SYNTHETIC = ("grid", "cycle", "tree", "cycle-of-trees")
SPACES = ("E6", "S6", "Gr(2,5)", "SPD3", "Stein3", "H3 x S3", "H6")
"""A space of every kind in six dimensions; the paper names the kinds and not the dimension."""

HOT = "rsne(T=0.1)"
"""The higher of the two temperatures at which the paper's runs were done."""

BEST = ("f1@1", "ad")
"""Metrics by which figure 3 selects embeddings."""

DIM = 3
"""Dimension of the embeddings of figure 3."""


class Box(NamedTuple):
    """Mean and quantiles (10, 25, 50, 75, 90 %) of the sums of angles of an embedding."""

    mean: float
    quantiles: tuple[float, ...]


def synthetic_runs(seed: int = 0) -> tuple[RunSpec, ...]:
    """Make the runs from which figure 2 is drawn."""
    lists = {"graphs": list(SYNTHETIC), "spaces": list(SPACES), "losses": [HOT], "presets": [PRESET]}
    return grid({**lists, "seeds": [seed]})


def curves(records: Iterable[RunRecord]) -> dict[str, Curves]:
    """Collect the curves of figure 2 by graph, as far as there are records."""
    known: dict[tuple[str, str], Array] = {}
    for record in records:
        run = record["run"]
        if run["graph"] in SYNTHETIC and (run["loss"], run["preset"]) == (HOT, PRESET) and is_current(record):
            known[run["graph"], run["space"]] = np.array(record["f1@k"], dtype=float)
    found = {}
    for graph in SYNTHETIC:
        f1 = {space: known[graph, space] for space in SPACES if (graph, space) in known}
        if f1:
            hops = np.bincount(shortest_paths(load_dataset(graph)).ravel())[1:]
            found[graph] = Curves(f1, hops / hops.sum())
    return found


def angles(records: Iterable[RunRecord]) -> dict[str, dict[str, dict[str, Box]]]:
    """Collect the boxes of figure 3 by metric, graph and space, as far as there are records."""
    table = TABLES["table5"]
    found: dict[str, dict[str, dict[str, Box]]] = {metric: {} for metric in BEST}
    for line in lines(table, list(table.reference), records):
        for metric in BEST:
            if line.dim != DIM or metric not in line.ours:
                continue
            angles = line.ours[metric].record.get("angles")
            if angles is not None:
                box = Box(angles["mean"], tuple(angles["quantiles"]))
                found[metric].setdefault(line.graph, {})[line.space] = box
    return found
