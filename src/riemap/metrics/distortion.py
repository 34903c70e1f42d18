r"""How far embedded distances are from the graph's.

With :math:`d_G` the graph's distances, scaled so that the largest is one, and :math:`d_M` the embedded ones.
"""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from riemap.metrics.comparison import Comparison
from riemap.types import Array

_BINS = 1 << 12
FEW = 1 << 20
"""Ratios that are sorted rather than counted again in finer bins."""


def average_distortion(c: Comparison) -> float:
    r"""Mean over pairs of :math:`|d_M - d_G| / d_G`."""
    return c.sums.deviation / c.sums.pairs


def worst_distortion(c: Comparison) -> float:
    r"""Largest :math:`d_M / d_G` over the smallest.

    It is 1 if all distances are scaled alike, and infinite if two nodes meet.
    """
    return c.sums.greatest / c.sums.least if c.sums.least > 0.0 else math.inf


def normalised_stress(c: Comparison) -> float:
    r""":math:`\sqrt{\sum (d_M - d_G)^2 / \sum d_G^2}` over all pairs."""
    return math.sqrt(c.sums.residual / c.sums.gg)


def rescaled_distortion(c: Comparison) -> float:
    r"""Average distortion at the best single rescaling, :math:`\min_s \operatorname{mean} |s\,d_M/d_G - 1|`.

    With :math:`r = d_M/d_G` the sum is convex and piecewise linear in ``s``, and least where :math:`1/s` is
    the median of the ratios weighted by themselves. The median is found exactly and in little memory:
    ratios are counted in bins, and those of the bin that holds it are counted in finer ones, or sorted if
    they are few.
    """
    ratios = partial(_ratios, c)
    total, count = sum(float(r.sum()) for r in ratios()), sum(len(r) for r in ratios())
    if total == 0.0:
        return 1.0  # all nodes at one point: no scale helps
    smaller_sum, smaller = 0.0, 0  # of the ratios below the range
    low, high = (int(np.float64(x).view(np.uint64)) for x in (c.sums.least, c.sums.greatest))
    inside = count
    while inside > FEW and high > low:
        width = -(-(high - low + 1) // _BINS)
        sums, counts = _histogram(ratios(), low, high, width)
        k = _half(smaller_sum + np.cumsum(sums), total)
        smaller_sum, smaller = smaller_sum + float(sums[:k].sum()), smaller + int(counts[:k].sum())
        low, high, inside = low + k * width, min(low + (k + 1) * width - 1, high), int(counts[k])
    found = np.sort(np.concatenate([_between(r, low, high) for r in ratios()]))
    k = _half(smaller_sum + np.cumsum(found), total)
    median, smaller_sum, smaller = found[k], smaller_sum + float(found[:k].sum()), smaller + k
    deviation = smaller - smaller_sum / median + (total - smaller_sum) / median - (count - smaller)
    return max(float(deviation / count), 0.0)  # rounding may leave less than nothing


def _half(cumulated: Array, total: float) -> int:
    """First place where a running sum reaches half of the total; the last one should rounding prevent it."""
    return min(int(np.searchsorted(cumulated, total / 2.0)), len(cumulated) - 1)


def _histogram(ratios: Iterator[Array], low: int, high: int, width: int) -> tuple[Array, NDArray[np.int64]]:
    """Sum and number of the ratios in each bin of ``width`` between two numbers made of a float's bits."""
    sums, counts = np.zeros(_BINS), np.zeros(_BINS, np.int64)
    for ratio in ratios:
        inside = _between(ratio, low, high)
        bins = ((inside.view(np.uint64) - np.uint64(low)) // np.uint64(width)).astype(np.int64)
        sums += np.bincount(bins, inside, minlength=_BINS)
        counts += np.bincount(bins, minlength=_BINS)
    return sums, counts


def _ratios(c: Comparison) -> Iterator[Array]:
    for graph, sqdist in c.pairs():
        yield np.sqrt(sqdist) / (graph / c.maximum)


def _between(values: Array, low: int, high: int) -> Array:
    """Values whose bits, read as a number, lie in a range: floats from zero up are in the order of theirs."""
    bits: NDArray[np.uint64] = values.view(np.uint64)
    return values[(bits >= np.uint64(low)) & (bits <= np.uint64(high))]
