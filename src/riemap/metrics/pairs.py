"""Statistics of pairs for the report: distortion of each node, its nearest nodes, and the worst pairs.

Embedded distances are given in the unit of the graph's distances. Training divides graph distances by the
largest one, so embedded distances are multiplied by it here.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.metrics.comparison import COMPARISON_BLOCK_PAIRS, ComparedRows, Comparison
from riemap.metrics.order import rank_rows
from riemap.specs import expect
from riemap.types import Array

LISTED_NEAREST_NODES = 10
"""Number of nearest nodes that are listed for each node in the report."""

LISTED_WORST_PAIRS = 5
"""Number of pairs that are listed with the largest ratio of distances, and also with the smallest."""

DENSITY_COLUMNS, DENSITY_ROWS = 60, 48
"""Largest number of cells of the density of distances along graph distance, and along embedded distance."""

TIE_BREAKING_WEIGHT = 1e-9
"""Weight of the embedded distance in the order by graph distance. Among nodes at the same graph distance the
one nearer in the space comes first; the weight is too small to change the order of different hop counts."""


class NearestNodes(NamedTuple):
    """The ``k`` nearest nodes of every node, the nearest first.

    Parameters
    ----------
    nodes
        ``(n, k)``, numbers of the nearest nodes.
    embedded, graph
        ``(n, k)``, their distances in the embedding and in the graph.
    """

    nodes: NDArray[np.int64]
    embedded: Array
    graph: Array


class Density(NamedTuple):
    """Number of pairs by graph distance and embedded distance.

    Parameters
    ----------
    counts
        ``(r, q)``: row ``i`` is a range of embedded distances, column ``j`` a range of graph distances.
    graph_bounds
        ``(q + 1,)``, bounds of the ranges of graph distances.
    embedded_bounds
        ``(r + 1,)``, bounds of the ranges of embedded distances.
    """

    counts: NDArray[np.int64]
    graph_bounds: Array
    embedded_bounds: Array


@final
@dataclass(frozen=True, eq=False)
class PairReport:
    """Statistics of the pairs of a comparison.

    Parameters
    ----------
    distortion
        ``(n,)``, mean over the pairs of each node of ``|d/g - 1|``, with ``d`` the embedded distance and
        ``g`` the graph distance.
    f1
        ``(n,)``, F1@1 of each node; ``None`` if only some nodes were sources.
    in_space
        Nearest nodes by embedded distance.
    in_graph
        Nearest nodes by graph distance; ``None`` if only some nodes were sources.
    worst
        The most contracted and the most stretched pairs, in increasing order of ``d/g``. Each is a tuple of
        two node numbers, their graph distance, and their embedded distance.
    density
        Number of pairs by graph distance and embedded distance.
    """

    distortion: Array
    f1: Array | None
    in_space: NearestNodes
    in_graph: NearestNodes | None
    worst: list[tuple[int, int, float, float]]
    density: Density


def pair_report(c: Comparison) -> PairReport:
    """Compute the statistics of all pairs in one pass.

    Parameters
    ----------
    c
        The distances to compare.

    Returns
    -------
    PairReport
        With one entry for each node of the graph.

    Examples
    --------
    >>> from riemap.graphs import Graph
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> hops = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> sqdist = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    >>> report = pair_report(Comparison(np.arange(3), hops, sqdist.__getitem__, 2.0, path))
    >>> report.distortion.tolist(), report.in_space.nodes.tolist()
    ([0.5, 1.0, 0.5], [[1, 2], [0, 2], [0, 1]])
    """
    expect(c, Comparison, "a comparison", "riemap.metrics.compare makes one")
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
            graph.append(_nearest(rows, rows.graph * (1.0 + TIE_BREAKING_WEIGHT * embedded), embedded))
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
    """Count pairs by graph distance and embedded distance.

    Hop counts up to :data:`DENSITY_COLUMNS` get one column each. Otherwise columns are equal ranges.

    Parameters
    ----------
    c
        The distances to compare.

    Returns
    -------
    Density
        Counts and the bounds of the cells.

    Examples
    --------
    >>> hops, sqdist = np.array([[0, 1], [1, 0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> found = density(Comparison(np.arange(2), hops, sqdist.__getitem__, 1.0))
    >>> found.counts.shape, found.counts.sum(), found.graph_bounds
    ((48, 1), np.int64(1), array([0.5, 1.5]))
    """
    top = c.maximum * max(float(np.sqrt(rows.sqdist.max())) for rows in c.rows())
    one_column_per_hop = np.issubdtype(c.distances.dtype, np.integer) and c.maximum <= DENSITY_COLUMNS
    columns = np.linspace(0.0, c.maximum, DENSITY_COLUMNS + 1)
    if one_column_per_hop:
        columns = np.arange(c.maximum + 1, dtype=np.float64) + 0.5
    rows = np.linspace(0.0, max(top, c.maximum), DENSITY_ROWS + 1)
    counts = np.zeros((DENSITY_ROWS, len(columns) - 1), np.int64)
    for graph, sqdist in c.pairs():
        counts += np.histogram2d(np.sqrt(sqdist) * c.maximum, graph, (rows, columns))[0].astype(np.int64)
    return Density(counts, columns, rows)


def _ratio(rows: ComparedRows, embedded: Array) -> Array:
    """Embedded distance divided by graph distance; 1 for a node and itself."""
    own = np.arange(len(rows.sources)), rows.sources
    ratio = np.divide(embedded, rows.graph, out=np.ones_like(embedded), where=rows.graph > 0)
    ratio[own] = 1.0
    return ratio


def _f1(rows: ComparedRows, i: int, c: Comparison) -> float:
    """F1@1 of the source in row ``i``; NaN if no node is one hop away, as in a part of a graph."""
    part = slice(i, i + 1)
    found = rank_rows(rows.sources[part], rows.graph[part], rows.sqdist[part], c.graph)
    return float(found.f1[0] / found.counts[0]) if found.counts[0] else float("nan")


def _worst(
    known: list[tuple[float, int, int, float, float]], rows: ComparedRows, ratio: Array, embedded: Array
) -> list[tuple[float, int, int, float, float]]:
    """Update the pairs with the smallest and the largest ratios so far; each pair occurs once."""
    flat = ratio.ravel()
    count = min(2 * LISTED_WORST_PAIRS, len(flat) - 1)  # twice, as a pair may occur from both ends
    ends = np.argpartition(flat, (count, len(flat) - 1 - count))
    found = {(a, b): (r, a, b, g, d) for r, a, b, g, d in known}
    for place in np.concatenate([ends[:count], ends[len(flat) - count :]]).tolist():
        i, j = divmod(place, ratio.shape[1])
        a, b = sorted((int(rows.sources[i]), j))
        if a != b:
            pair = (float(ratio[i, j]), a, b, float(rows.graph[i, j]), float(embedded[i, j]))
            found.setdefault((a, b), pair)
    order = sorted(found.values())
    if len(order) <= 2 * LISTED_WORST_PAIRS:
        return order
    return order[:LISTED_WORST_PAIRS] + order[-LISTED_WORST_PAIRS:]


def _nearest(rows: ComparedRows, lengths: Array, embedded: Array) -> NearestNodes:
    """The nearest nodes of each source by ``lengths``; ties are broken by node number."""
    lengths = lengths.copy()
    row = np.arange(len(rows.sources))
    lengths[row, rows.sources] = np.inf
    k = min(LISTED_NEAREST_NODES, lengths.shape[1] - 1)
    some = np.argpartition(lengths, k - 1, axis=1)[:, :k]
    some = np.sort(some, axis=1)
    order = np.argsort(np.take_along_axis(lengths, some, axis=1), axis=1, kind="stable")
    nodes = np.take_along_axis(some, order, axis=1)
    near = row[:, None], nodes
    return NearestNodes(nodes, embedded[near], rows.graph[near].astype(np.float64))


def _nearest_of_all(c: Comparison) -> NearestNodes:
    """The nearest nodes of all nodes by embedded distance; graph distances are NaN."""
    parts = []
    step = max(COMPARISON_BLOCK_PAIRS // c.n, 1)
    for start in range(0, c.n, step):
        sources = np.arange(start, min(start + step, c.n))
        sqdist = c.sqdist(sources)
        unknown: NDArray[Any] = np.broadcast_to(np.nan, sqdist.shape)
        embedded = np.sqrt(sqdist) * c.maximum
        parts.append(_nearest(ComparedRows(sources, unknown, sqdist), embedded, embedded))
    return _joined(parts)


def _joined(parts: list[NearestNodes]) -> NearestNodes:
    nodes, embedded, graph = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return NearestNodes(nodes, embedded, graph)
