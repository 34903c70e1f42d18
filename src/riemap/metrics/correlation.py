"""Correlation between embedded distances and graph distances.

Neither coefficient changes when the embedding is rescaled.
"""

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.loops import compiled
from riemap.metrics.comparison import FEW_PAIRS, Comparison
from riemap.types import Array

LARGEST_SORTED_PAIRS = 1 << 25
"""Largest number of pairs that Spearman's correlation sorts at once. This many take about 1 GB of memory."""

CONSTANT_DISTANCES_VARIANCE = 1e-13
"""Ratio of variance to mean square up to which distances count as constant: just above the rounding errors
of the sums."""

_RANGE_SHIFT = np.uint64(44)
"""Number of low bits to drop from a float64. The remaining 20 bits (sign, exponent, 8 binary digits) number
the range that a distance belongs to."""


def pearson(c: Comparison) -> float | None:
    r"""Pearson's correlation of :math:`d_M` and :math:`d_G` over all pairs.

    Parameters
    ----------
    c
        The distances to compare.

    Returns
    -------
    float or None
        Between -1 and 1; ``None`` if the embedded or the graph distances are all equal.

    Examples
    --------
    >>> from riemap.metrics import score
    >>> path = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> round(score(path, 9.0 * path**2)["pearson"], 12)
    1.0
    """
    s = c.sums
    variance_d, variance_g = s.dd - s.d * s.d / s.pairs, s.gg - s.g * s.g / s.pairs
    if variance_d <= CONSTANT_DISTANCES_VARIANCE * s.dd or variance_g <= CONSTANT_DISTANCES_VARIANCE * s.gg:
        return None
    return (s.dg - s.d * s.g / s.pairs) / math.sqrt(variance_d * variance_g)


def spearman(c: Comparison) -> float | None:
    """Spearman's correlation: Pearson's correlation of the ranks of the distances.

    Equal distances share the mean of their ranks. The result is exact and memory is bounded: pairs are sorted
    by embedded distance, one range of distances after the other.

    Parameters
    ----------
    c
        The distances to compare.

    Returns
    -------
    float or None
        Between -1 and 1; ``None`` if the embedded or the graph distances are all equal.

    Examples
    --------
    >>> from riemap.metrics import score
    >>> path = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> score(path, path**4.0)["spearman"]
    1.0
    """
    lengths, counts = _distinct(c)
    centre = float(counts.sum() + 1) / 2.0
    ranks = np.cumsum(counts) - (counts - 1) / 2.0 - centre
    smaller, cross, squares = 0, 0.0, 0.0
    for low, high in pairwise(_ranges(c, int(counts.sum()))):
        graph, sqdist = _within(c, low, high)
        graph_ranks = ranks[np.searchsorted(lengths, graph)]
        order = np.argsort(sqdist)
        if len(order) <= FEW_PAIRS:
            lists = (order.tolist(), sqdist.tolist(), graph_ranks.tolist())
            products = _products.py_func(*lists, smaller - centre)
        else:
            products = _products(order, sqdist, graph_ranks, smaller - centre)
        cross, squares = cross + products[0], squares + products[1]
        smaller += len(sqdist)
    both = squares * float(counts @ ranks**2)
    return cross / math.sqrt(both) if both > 0.0 else None


def _distinct(c: Comparison) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Distinct distances in the graph, in increasing order, and the number of pairs that have each."""
    found = [np.unique(graph, return_counts=True) for graph, _ in c.pairs()]
    lengths, place = np.unique(np.concatenate([values for values, _ in found]), return_inverse=True)
    return lengths, np.bincount(place, np.concatenate([n for _, n in found])).astype(np.int64)


def _ranges(c: Comparison, total: int) -> list[int]:
    """Bounds, as leading bits, of ranges with at most :data:`LARGEST_SORTED_PAIRS` pairs each.

    A range holds more pairs only if they all share the same leading bits.
    """
    if total <= LARGEST_SORTED_PAIRS:
        return [0, 1 << 20]
    counts = np.zeros(1 << 20, np.int64)
    for _, sqdist in c.pairs():
        counts += np.bincount((sqdist.view(np.uint64) >> _RANGE_SHIFT).astype(np.int64), minlength=1 << 20)
    bounds, held = [0], 0
    for prefix in np.flatnonzero(counts):
        if held and held + counts[prefix] > LARGEST_SORTED_PAIRS:
            bounds.append(int(prefix))
            held = 0
        held += int(counts[prefix])
    return [*bounds, 1 << 20]


def _within(c: Comparison, low: int, high: int) -> tuple[NDArray[Any], Array]:
    """Graph and squared embedded distances of the pairs whose leading bits are in ``[low, high)``."""
    graph_parts, sqdist_parts = [], []
    for graph, sqdist in c.pairs():
        prefix = sqdist.view(np.uint64) >> _RANGE_SHIFT
        inside = (prefix >= np.uint64(low)) & (prefix < np.uint64(high))
        graph_parts.append(graph[inside])
        sqdist_parts.append(sqdist[inside])
    return np.concatenate(graph_parts), np.concatenate(sqdist_parts)


@compiled
def _products(order: Any, sqdist: Any, graph_ranks: Any, offset: float) -> Any:
    """Sum of the products of both ranks, and of the squared embedded ranks; equal distances share a rank."""
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
