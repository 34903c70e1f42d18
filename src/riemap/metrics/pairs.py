"""What the pairs of nodes say: how far each node is from faithful, who is near it, and which pairs are worst.

Embedded distances are given in the unit of the graph's: multiplied by its diameter, since they are meant to
be one where the graph has its largest.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.metrics.comparison import Comparison, Rows
from riemap.metrics.order import rank_rows
from riemap.types import Array

NEAR = 10
"""Nodes that are named as the nearest of one."""

WORST = 5
"""Pairs that are named as the most stretched, and as many as the most squeezed."""

ACROSS, UP = 60, 48
"""Cells of the density of distances: at most so many across, and so many up."""

TIE = 1e-9
"""Decides between nodes that are as far in the graph: the one that is nearer in the space comes first."""


class Near(NamedTuple):
    """The nearest of every node, ``(n, k)``, with their distances in the space and in the graph."""

    nodes: NDArray[np.int64]
    embedded: Array
    graph: Array


class Density(NamedTuple):
    """How many pairs have which graph distance and which embedded one; rows are embedded distances."""

    counts: NDArray[np.int64]
    across: Array  # edges of the cells
    up: Array


@final
@dataclass(frozen=True, eq=False)
class PairReport:
    """Everything that needs a look at the pairs."""

    distortion: Array  # (n,), mean of |d/g - 1| over the pairs of a node
    f1: Array | None  # (n,), of its neighbours; not known of nodes that were not sampled
    in_space: Near
    in_graph: Near | None
    worst: list[tuple[int, int, float, float]]  # two nodes, their distance in the graph, and embedded
    density: Density


def look(c: Comparison) -> PairReport:
    """Pass over the pairs that were compared."""
    total, f1 = np.zeros(c.n), np.full(c.n, np.nan)
    worst: list[tuple[float, int, int, float, float]] = []
    space, graph = [], []
    for rows in c.rows():
        embedded = np.sqrt(rows.sqdist) * c.maximum
        ratio = _ratio(rows, embedded)
        total += np.abs(ratio - 1.0).sum(axis=0)
        worst = _worst(worst, rows, ratio, embedded)
        if c.all_pairs:
            f1[rows.sources] = [_f1(rows, i, c) for i in range(len(rows.sources))]
            space.append(_nearest(rows, embedded, embedded))
            graph.append(_nearest(rows, rows.graph * (1.0 + TIE * embedded), embedded))
    distortion = total / (len(c.sources) - np.isin(np.arange(c.n), c.sources))
    return PairReport(
        distortion,
        f1 if c.all_pairs else None,
        _joined(space) if c.all_pairs else _nearest_of_all(c),
        _joined(graph) if c.all_pairs else None,
        [pair[1:] for pair in worst],
        density(c),
    )


def density(c: Comparison) -> Density:
    """Counts of pairs; where distances are hop counts, cells are one wide as long as they are few."""
    top = c.maximum * max(float(np.sqrt(rows.sqdist.max())) for rows in c.rows())
    whole = np.issubdtype(c.distances.dtype, np.integer) and c.maximum <= ACROSS
    across = np.linspace(0.0, c.maximum, ACROSS + 1)
    if whole:
        across = np.arange(c.maximum + 1, dtype=np.float64) + 0.5
    up = np.linspace(0.0, max(top, c.maximum), UP + 1)
    counts = np.zeros((UP, len(across) - 1), np.int64)
    for graph, sqdist in c.pairs():
        counts += np.histogram2d(np.sqrt(sqdist) * c.maximum, graph, (up, across))[0].astype(np.int64)
    return Density(counts, across, up)


def _ratio(rows: Rows, embedded: Array) -> Array:
    """Embedded over graph distance, one for a node with itself."""
    own = np.arange(len(rows.sources)), rows.sources
    ratio = np.divide(embedded, rows.graph, out=np.ones_like(embedded), where=rows.graph > 0)
    ratio[own] = 1.0
    return ratio


def _f1(rows: Rows, i: int, c: Comparison) -> float:
    part = slice(i, i + 1)
    found = rank_rows(rows.sources[part], rows.graph[part], rows.sqdist[part], c.graph)
    return float(found.f1[0] / found.counts[0])


def _worst(
    known: list[tuple[float, int, int, float, float]], rows: Rows, ratio: Array, embedded: Array
) -> list[tuple[float, int, int, float, float]]:
    """The pairs with the least and the greatest ratios so far, each pair once."""
    flat = ratio.ravel()
    count = min(2 * WORST, len(flat) - 1)  # either end may have seen a pair
    ends = np.argpartition(flat, (count, len(flat) - 1 - count))
    found = {(a, b): (r, a, b, g, d) for r, a, b, g, d in known}
    for place in np.concatenate([ends[:count], ends[len(flat) - count :]]).tolist():
        i, j = divmod(place, ratio.shape[1])
        a, b = sorted((int(rows.sources[i]), j))
        if a != b:
            pair = (float(ratio[i, j]), a, b, float(rows.graph[i, j]), float(embedded[i, j]))
            found.setdefault((a, b), pair)
    order = sorted(found.values())
    return order if len(order) <= 2 * WORST else order[:WORST] + order[-WORST:]


def _nearest(rows: Rows, by: Array, embedded: Array) -> Near:
    """The first by a distance, of those as far the earlier."""
    by = by.copy()
    row = np.arange(len(rows.sources))
    by[row, rows.sources] = np.inf
    k = min(NEAR, by.shape[1] - 1)
    some = np.argpartition(by, k - 1, axis=1)[:, :k]
    some = np.sort(some, axis=1)
    order = np.argsort(np.take_along_axis(by, some, axis=1), axis=1, kind="stable")
    nodes = np.take_along_axis(some, order, axis=1)
    near = row[:, None], nodes
    return Near(nodes, embedded[near], rows.graph[near].astype(np.float64))


def _nearest_of_all(c: Comparison) -> Near:
    """In the space alone: the graph's distances are not known of nodes that were not sampled."""
    parts = []
    step = max((1 << 21) // c.n, 1)
    for start in range(0, c.n, step):
        sources = np.arange(start, min(start + step, c.n))
        sqdist = c.sqdist(sources)
        unknown: NDArray[Any] = np.broadcast_to(np.nan, sqdist.shape)
        embedded = np.sqrt(sqdist) * c.maximum
        parts.append(_nearest(Rows(sources, unknown, sqdist), embedded, embedded))
    return _joined(parts)


def _joined(parts: list[Near]) -> Near:
    nodes, embedded, graph = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Near(nodes, embedded, graph)
