"""Compare the order in which each source sees the other nodes with their layers in the graph.

Every source visits the other nodes in increasing order of embedded distance; ties are broken by node number.
The *layers* of a source are defined by its shortest paths. In an unweighted graph, layer ``k`` holds the
nodes ``k`` hops away, so that layer 1 holds the neighbours. With weights, it holds the nodes at the ``k``-th
distinct distance.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riemap.distances.paths import SAME_LENGTH_RTOL
from riemap.graphs.graph import Graph
from riemap.loops import compiled, exact_loop
from riemap.threads import Part, begin
from riemap.types import Array

FEW_NODES = 150
"""Largest number of nodes that NumPy ranks, in up to 40 milliseconds. Our loops take one, but two seconds to
compile on the first run."""

_DIGIT = 11  # bits that one pass of the radix sort compares
_DIGITS = 6  # passes of the radix sort: 6 * 11 bits cover the 64 bits of a float
_NO_EDGES = np.zeros(0, np.int32)


class Ranking(NamedTuple):
    """Sums over sources of what depends on the order of the embedded distances.

    Parameters
    ----------
    f1
        Entry ``k - 1`` is the sum of the F1 of all nodes on layer ``k``.
    counts
        Entry ``k - 1`` is the number of nodes on layer ``k``.
    precision
        Sum over sources of the average precision of their neighbours.
    sources
        Number of sources.
    """

    f1: Array
    counts: NDArray[np.int64]
    precision: float
    sources: int

    @classmethod
    def total(cls, parts: Sequence["Ranking"]) -> "Ranking":
        """Add up the rankings of several blocks of sources.

        Parameters
        ----------
        parts
            One ranking for each block, at least one.

        Returns
        -------
        Ranking
            The sums over all blocks, with as many layers as the block that has most.
        """
        layers = max(len(part.f1) for part in parts)
        f1, counts = np.zeros(layers), np.zeros(layers, np.int64)
        for part in parts:
            f1[: len(part.f1)] += part.f1
            counts[: len(part.counts)] += part.counts
        return cls(f1, counts, sum(p.precision for p in parts), sum(p.sources for p in parts))


def rank_rows(
    sources: NDArray[np.int64], graph_rows: NDArray[Any], sqdist: Array, graph: Graph | None
) -> Ranking:
    """Rank one block of rows.

    Parameters
    ----------
    sources
        ``(k,)``, node numbers of the rows.
    graph_rows
        ``(k, n)``, distances in the graph. Integers are hop counts and serve as layers.
    sqdist
        ``(k, n)``, squared distances in the embedding.
    graph
        The graph whose edges define neighbours, or ``None``: then the precision is zero.

    Returns
    -------
    Ranking
        Sums over these sources.
    """
    layers = graph_rows if np.issubdtype(graph_rows.dtype, np.integer) else _layers(sources, graph_rows)
    indptr, indices = (np.zeros(sqdist.shape[1] + 1, np.int64), _NO_EDGES)
    if graph is not None:
        indptr, indices = graph.indptr, graph.indices
    visit = _visit_few if sqdist.shape[1] <= FEW_NODES else _visit
    f1, counts, precision = visit(sources, layers, sqdist, indptr, indices, int(layers.max()))
    return Ranking(f1.sum(axis=0)[1:], counts.sum(axis=0)[1:], float(precision.sum()), len(sources))


def _layers(sources: Any, lengths: Any) -> Any:
    """Layer of each node: the rank of its distance among the distinct ones, from one; zero for the source."""
    found = np.zeros(lengths.shape, np.int32)
    _layers_rows(len(sources), sources, lengths, found)
    return found


@exact_loop
def _layers_rows(part: Part, sources: Any, lengths: Any, found: Array) -> None:
    start, stop = begin(part)
    for i in range(start, stop):
        order = np.argsort(lengths[i])
        layer, last = 0, 0.0
        for j in order:
            if j != sources[i]:
                if lengths[i, j] > last * (1.0 + SAME_LENGTH_RTOL):
                    layer += 1
                    last = lengths[i, j]
                found[i, j] = layer


def _visit(sources: Any, layers: Any, sqdist: Any, indptr: Any, indices: Any, top: int) -> Any:
    """For every source: sum of F1 by layer, number of nodes by layer, average precision of the neighbours.

    Suppose that the ``i``-th visited node is on layer ``l``, and ``b`` of the visited nodes are on layers up
    to ``l``. Precision is ``b / i``. Recall is ``b / r``, where ``r`` counts the nodes on layers below ``l``
    and the visited nodes on layer ``l``. So F1 is ``2 b / (i + r)``.
    """
    f1 = np.zeros((len(sources), top + 1))
    counts = np.zeros((len(sources), top + 1), np.int64)
    precision = np.zeros(len(sources))
    _visit_rows(len(sources), sources, layers, sqdist, indptr, indices, top, f1, counts, precision)
    return f1, counts, precision


def _visit_few(sources: Any, layers: Any, sqdist: Any, indptr: Any, indices: Any, top: int) -> Any:
    """Do what :func:`_visit` does, to the same bytes, by NumPy, which compiles nothing."""
    f1 = np.zeros((len(sources), top + 1))
    counts = np.zeros((len(sources), top + 1), np.int64)
    precision = np.zeros(len(sources))
    for i, source in enumerate(sources):
        order = np.argsort(sqdist[i], kind="stable")
        order = order[order != source]
        step, layer = np.arange(len(order)), layers[i, order].astype(np.int64)
        counts[i] = np.bincount(layer, minlength=top + 1)
        below = np.cumsum(counts[i]) - counts[i]
        seen = np.cumsum(
            layer[:, None] == np.arange(top + 1), axis=0
        )  # visited nodes by layer, after each step
        good = np.cumsum(seen, axis=1)[step, layer]
        f1[i] = np.bincount(layer, 2.0 * good / (step + 1 + below[layer] + seen[step, layer]), top + 1)
        neighbours = indices[indptr[source] : indptr[source + 1]]
        last = np.flatnonzero(np.append(np.diff(sqdist[i, order]) != 0.0, True))  # of equal distances
        hits = np.cumsum(np.isin(order, neighbours))[last]
        shares = np.diff(hits, prepend=0) * hits / (last + 1)
        precision[i] = sum(shares.tolist()) / max(len(neighbours), 1)
    return f1, counts, precision


@exact_loop
def _visit_rows(
    part: Part,
    sources: Any,
    layers: Any,
    sqdist: Any,
    indptr: Any,
    indices: Any,
    top: int,
    f1: Array,
    counts: Array,
    precision: Array,
) -> None:
    n = sqdist.shape[1]
    start, stop = begin(part)
    for i in range(start, stop):
        source = sources[i]
        for j in range(n):
            counts[i, layers[i, j]] += 1
        counts[i, 0] = 0
        below = np.zeros(top + 2, np.int64)  # number of nodes on lower layers
        for k in range(top + 1):
            below[k + 1] = below[k] + counts[i, k]
        order = _sorted_by(sqdist[i])
        seen = np.zeros(top + 1, np.int64)  # number of visited nodes by layer
        tree = np.zeros(top + 1, np.int64)  # a Fenwick tree of ``seen``, for sums over layers
        visited = 0
        for j in order:
            if j == source:
                continue
            visited += 1
            layer: Any = np.int64(layers[i, j])
            seen[layer] += 1
            k = layer
            while k <= top:
                tree[k] += 1
                k += k & -k
            k, good = layer, 0
            while k > 0:
                good += tree[k]
                k -= k & -k
            f1[i, layer] += 2.0 * good / (visited + below[layer] + seen[layer])
        precision[i] = _average_precision(
            order, sqdist[i], source, indices[indptr[source] : indptr[source + 1]]
        )


@compiled
def _average_precision(order: Any, sqdist: Any, source: int, neighbours: Any) -> float:
    """Mean over neighbours ``v`` of the share of neighbours among the nodes at most as far as ``v``."""
    wanted = np.zeros(len(order), np.bool_)
    for v in neighbours:
        wanted[v] = True
    total, visited, hits, pending = 0.0, 0, 0, 0
    for k in range(len(order)):
        j = order[k]
        if j != source:
            visited += 1
            pending += wanted[j]
        if pending and (k + 1 == len(order) or sqdist[order[k + 1]] != sqdist[j]):  # last of equal distances
            hits += pending
            total += pending * hits / visited
            pending = 0
    return total / max(len(neighbours), 1)


@compiled
def _sorted_by(values: Any) -> Any:
    """Node numbers in increasing order of value, ties by number: a radix sort of the bits of floats >= 0."""
    n = len(values)
    bits = values.view(np.uint64)
    counts = np.zeros((_DIGITS, 1 << _DIGIT), np.int64)
    mask = np.uint64((1 << _DIGIT) - 1)
    for j in range(n):
        bit = bits[j] & np.uint64(0x7FFFFFFFFFFFFFFF)  # clear the sign bit of -0.0
        for d in range(_DIGITS):
            counts[d, (bit >> np.uint64(_DIGIT * d)) & mask] += 1
    order = np.arange(n)
    other = np.empty(n, np.int64)
    for d in range(_DIGITS):
        shift = np.uint64(_DIGIT * d)
        if counts[d, (bits[0] >> shift) & mask] == n:  # all values agree in this digit
            continue
        position = 0
        for k in range(1 << _DIGIT):
            count = counts[d, k]
            counts[d, k] = position
            position += count
        for k in range(n):
            j = order[k]
            digit = ((bits[j] & np.uint64(0x7FFFFFFFFFFFFFFF)) >> shift) & mask
            other[counts[d, digit]] = j
            counts[d, digit] += 1
        order, other = other, order
    return order
