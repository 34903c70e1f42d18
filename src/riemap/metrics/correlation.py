"""Do embedded distances grow with the graph's? Neither measure changes when the embedding is rescaled."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from riemap.metrics.comparison import Comparison
from riemap.types import Array

SORTED = 1 << 25
"""Pairs that are sorted at a time."""

CONSTANT = 1e-13
"""Variance over mean square below which distances are all alike, and what is left is rounding."""

_SHIFT = np.uint64(44)
"""The leading 20 bits of a distance (sign, exponent and 8 binary digits) say to which range it belongs."""


def pearson(c: Comparison) -> float | None:
    """Linear correlation of the two distances over all pairs; ``None`` where one of them is constant."""
    s = c.sums
    of_d, of_g = s.dd - s.d * s.d / s.pairs, s.gg - s.g * s.g / s.pairs
    if of_d <= CONSTANT * s.dd or of_g <= CONSTANT * s.gg:
        return None
    return (s.dg - s.d * s.g / s.pairs) / math.sqrt(of_d * of_g)


def spearman(c: Comparison) -> float | None:
    """Linear correlation of the ranks, equal distances sharing theirs; ``None`` where one is constant.

    Exact in bounded memory: pairs are sorted by embedded distance, one range of it after the other.
    """
    lengths, counts = _distinct(c)
    centre = (counts.sum() + 1) / 2.0
    ranks = np.cumsum(counts) - (counts - 1) / 2.0 - centre
    smaller, cross, squares = 0, 0.0, 0.0
    for low, high in pairwise(_ranges(c, int(counts.sum()))):
        graph, sqdist = _within(c, low, high)
        graph_ranks = ranks[np.searchsorted(lengths, graph)]
        products = _products(np.argsort(sqdist), sqdist, graph_ranks, smaller - centre)
        cross, squares = cross + products[0], squares + products[1]
        smaller += len(sqdist)
    both = squares * float(counts @ ranks**2)
    return cross / math.sqrt(both) if both > 0.0 else None


def _distinct(c: Comparison) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The graph's different distances, in increasing order, and how many pairs have each."""
    found = [np.unique(graph, return_counts=True) for graph, _ in c.pairs()]
    lengths, place = np.unique(np.concatenate([values for values, _ in found]), return_inverse=True)
    return lengths, np.bincount(place, np.concatenate([n for _, n in found])).astype(np.int64)


def _ranges(c: Comparison, total: int) -> list[int]:
    """Bounds, in leading bits, of ranges that hold at most :data:`SORTED` pairs where that is possible."""
    if total <= SORTED:
        return [0, 1 << 20]
    counts = np.zeros(1 << 20, np.int64)
    for _, sqdist in c.pairs():
        counts += np.bincount((sqdist.view(np.uint64) >> _SHIFT).astype(np.int64), minlength=1 << 20)
    bounds, held = [0], 0
    for prefix in np.flatnonzero(counts):
        if held and held + counts[prefix] > SORTED:
            bounds.append(int(prefix))
            held = 0
        held += int(counts[prefix])
    return [*bounds, 1 << 20]


def _within(c: Comparison, low: int, high: int) -> tuple[NDArray[Any], Array]:
    """All pairs whose embedded distance has its leading bits in a range."""
    graph_parts, sqdist_parts = [], []
    for graph, sqdist in c.pairs():
        prefix = sqdist.view(np.uint64) >> _SHIFT
        inside = (prefix >= np.uint64(low)) & (prefix < np.uint64(high))
        graph_parts.append(graph[inside])
        sqdist_parts.append(sqdist[inside])
    return np.concatenate(graph_parts), np.concatenate(sqdist_parts)


@njit(cache=True)
def _products(order: Any, sqdist: Any, graph_ranks: Any, offset: float) -> Any:
    """Sums of the products of both ranks, and of the squares of the embedded one, which equals share."""
    cross, squares, first = 0.0, 0.0, 0
    while first < len(order):
        last, ranks = first, 0.0
        while last < len(order) and sqdist[order[last]] == sqdist[order[first]]:
            ranks += graph_ranks[order[last]]
            last += 1
        own = (first + last + 1) / 2.0 + offset
        cross += own * ranks
        squares += (last - first) * own * own
        first = last
    return cross, squares
