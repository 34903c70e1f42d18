"""The order in which a node sees the others, and what it finds on the way.

Every source visits the other nodes by embedded distance, ties by node number. The visit is compared with the
*layers* of the source's shortest paths: layer 1 is its neighbours in an unweighted graph, layer ``k`` the
nodes ``k`` hops away; with weights, the nodes at the ``k``-th distinct distance.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from riemap.distances.paths import SAME
from riemap.graphs.graph import Graph
from riemap.types import Array

_DIGIT = 11  # bits sorted at a time
_DIGITS = 6
_NO_EDGES = np.zeros(0, np.int32)


class Ranking(NamedTuple):
    """Sums over sources."""

    f1: Array  # entry k - 1: of the F1 of all nodes on layer k
    counts: NDArray[np.int64]  # entry k - 1: how many they are
    precision: float  # of the average precision of a source's neighbours
    sources: int

    @classmethod
    def total(cls, parts: Sequence["Ranking"]) -> "Ranking":
        """All blocks together."""
        layers = max(len(part.f1) for part in parts)
        f1, counts = np.zeros(layers), np.zeros(layers, np.int64)
        for part in parts:
            f1[: len(part.f1)] += part.f1
            counts[: len(part.counts)] += part.counts
        return cls(f1, counts, sum(p.precision for p in parts), sum(p.sources for p in parts))


def rank_rows(
    sources: NDArray[np.int64], graph_rows: NDArray[Any], sqdist: Array, graph: Graph | None
) -> Ranking:
    """Rank the rows of one block."""
    layers = graph_rows if np.issubdtype(graph_rows.dtype, np.integer) else _layers(sources, graph_rows)
    indptr, indices = (np.zeros(sqdist.shape[1] + 1, np.int64), _NO_EDGES)
    if graph is not None:
        indptr, indices = graph.indptr, graph.indices
    f1, counts, precision = _visit(sources, layers, sqdist, indptr, indices, int(layers.max()))
    return Ranking(f1.sum(axis=0)[1:], counts.sum(axis=0)[1:], float(precision.sum()), len(sources))


@njit(cache=True, parallel=True)
def _layers(sources: Any, lengths: Any) -> Any:
    """Number of the distinct length of each node, counted from one; zero for the source itself."""
    found = np.zeros(lengths.shape, np.int32)
    for i in prange(len(sources)):
        order = np.argsort(lengths[i])
        layer, last = 0, 0.0
        for j in order:
            if j != sources[i]:
                if lengths[i, j] > last * (1.0 + SAME):
                    layer += 1
                    last = lengths[i, j]
                found[i, j] = layer
    return found


@njit(cache=True, parallel=True, error_model="numpy")
def _visit(sources: Any, layers: Any, sqdist: Any, indptr: Any, indices: Any, top: int) -> Any:
    """F1 summed by layer, nodes by layer, and average precision of the neighbours, for every source.

    When the ``i``-th visited node is on layer ``l``, and ``b`` of the visited ones are on layers up to
    ``l``, precision is ``b / i`` and recall is ``b`` over the nodes on layers below ``l`` and the visited
    ones on it, so that F1 is twice ``b`` over the sum of both denominators.
    """
    n = sqdist.shape[1]
    f1 = np.zeros((len(sources), top + 1))
    counts = np.zeros((len(sources), top + 1), np.int64)
    precision = np.zeros(len(sources))
    for i in prange(len(sources)):
        source = sources[i]
        for j in range(n):
            counts[i, layers[i, j]] += 1
        counts[i, 0] = 0
        below = np.zeros(top + 2, np.int64)  # nodes on lower layers
        for k in range(top + 1):
            below[k + 1] = below[k] + counts[i, k]
        order = _sorted_by(sqdist[i])
        seen = np.zeros(top + 1, np.int64)  # visited, by layer
        tree = np.zeros(top + 1, np.int64)  # the same as a Fenwick tree, for sums over lower layers
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
    return f1, counts, precision


@njit(cache=True)
def _average_precision(order: Any, sqdist: Any, source: int, neighbours: Any) -> float:
    """Mean over neighbours ``v`` of the share of neighbours among the nodes no further than ``v``."""
    wanted = np.zeros(len(order), np.bool_)
    for v in neighbours:
        wanted[v] = True
    total, visited, hits, pending = 0.0, 0, 0, 0
    for k in range(len(order)):
        j = order[k]
        if j != source:
            visited += 1
            pending += wanted[j]
        if pending and (k + 1 == len(order) or sqdist[order[k + 1]] != sqdist[j]):  # the last of equals
            hits += pending
            total += pending * hits / visited
            pending = 0
    return total / max(len(neighbours), 1)


@njit(cache=True)
def _sorted_by(values: Any) -> Any:
    """Node numbers by value, equal ones in increasing order: a radix sort of the bits of floats >= 0."""
    n = len(values)
    bits = values.view(np.uint64)
    counts = np.zeros((_DIGITS, 1 << _DIGIT), np.int64)
    mask = np.uint64((1 << _DIGIT) - 1)
    for j in range(n):
        bit = bits[j] & np.uint64(0x7FFFFFFFFFFFFFFF)  # zero may have a sign
        for d in range(_DIGITS):
            counts[d, (bit >> np.uint64(_DIGIT * d)) & mask] += 1
    order = np.arange(n)
    other = np.empty(n, np.int64)
    for d in range(_DIGITS):
        shift = np.uint64(_DIGIT * d)
        if counts[d, (bits[0] >> shift) & mask] == n:  # all alike in this digit
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
