r"""Distortion: how much embedded distances differ from graph distances.

Here :math:`d_G` is a distance in the graph divided by the largest one, and :math:`d_M` an embedded distance.
"""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from riemap.metrics.comparison import Comparison
from riemap.types import Array

_RATIO_BINS = 1 << 12
"""Number of bins in each round of counting: few enough for their counters to stay in the processor's
cache."""

LARGEST_SORTED_RATIOS = 1 << 20
"""Largest number of ratios (8 MB) that are sorted. More are counted again in narrower bins."""


def average_distortion(c: Comparison) -> float:
    r"""Mean over pairs of :math:`|d_M - d_G| / d_G`.

    Parameters
    ----------
    c
        The distances to compare.

    Returns
    -------
    float
        Zero for a perfect embedding.

    Examples
    --------
    >>> from riemap.metrics import score
    >>> path = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> score(path, path**2 / 1.0)["ad"]  # all distances are twice as long as they should be
    1.0
    """
    return c.sums.deviation / c.sums.pairs


def worst_distortion(c: Comparison) -> float:
    r"""Largest ratio :math:`d_M / d_G` divided by the smallest.

    Parameters
    ----------
    c
        The distances to compare.

    Returns
    -------
    float
        1 if all distances are scaled by the same factor; infinite if two nodes have the same point.

    Examples
    --------
    >>> from riemap.metrics import score
    >>> path = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> score(path, path**2 / 1.0)["worst"]
    1.0
    """
    return c.sums.greatest / c.sums.least if c.sums.least > 0.0 else math.inf


def normalised_stress(c: Comparison) -> float:
    r""":math:`\sqrt{\sum (d_M - d_G)^2 / \sum d_G^2}` over all pairs.

    Parameters
    ----------
    c
        The distances to compare.

    Returns
    -------
    float
        Zero for a perfect embedding.

    Examples
    --------
    >>> from riemap.metrics import score
    >>> path = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> score(path, path**2 / 1.0)["stress"]
    1.0
    """
    return math.sqrt(c.sums.residual / c.sums.gg)


def rescaled_distortion(c: Comparison) -> float:
    r"""Average distortion at the best single rescaling, :math:`\min_s \operatorname{mean} |s\,d_M/d_G - 1|`.

    With :math:`r = d_M/d_G` the mean is convex and piecewise linear in ``s``. Its minimum is where
    :math:`1/s` is the weighted median of the ratios, each ratio being its own weight. The median is found
    exactly and with little memory: ratios are counted in bins, and the bin that holds the median is divided
    again until its ratios are few enough to sort.

    Parameters
    ----------
    c
        The distances to compare.

    Returns
    -------
    float
        Zero if all distances are scaled by the same factor; 1 if all nodes have the same point.

    Examples
    --------
    >>> from riemap.metrics import score
    >>> path = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> score(path, path**2 / 1.0)["ad_rescaled"]
    0.0
    """
    ratios = partial(_ratios, c)
    total, count = sum(float(r.sum()) for r in ratios()), sum(len(r) for r in ratios())
    if total == 0.0:
        return 1.0  # all nodes have the same point, whatever the scale
    smaller_sum, smaller = 0.0, 0  # sum and number of the ratios below the range
    low, high = (int(np.float64(x).view(np.uint64)) for x in (c.sums.least, c.sums.greatest))
    inside = count
    while inside > LARGEST_SORTED_RATIOS and high > low:
        width = -(-(high - low + 1) // _RATIO_BINS)
        sums, counts = _histogram(ratios(), low, high, width)
        k = _half(smaller_sum + np.cumsum(sums), total)
        smaller_sum, smaller = smaller_sum + float(sums[:k].sum()), smaller + int(counts[:k].sum())
        low, high, inside = low + k * width, min(low + (k + 1) * width - 1, high), int(counts[k])
    found = np.sort(np.concatenate([_between(r, low, high) for r in ratios()]))
    k = _half(smaller_sum + np.cumsum(found), total)
    median, smaller_sum, smaller = found[k], smaller_sum + float(found[:k].sum()), smaller + k
    deviation = smaller - smaller_sum / median + (total - smaller_sum) / median - (count - smaller)
    return max(float(deviation / count), 0.0)  # rounding errors may make it negative


def _half(cumulated: Array, total: float) -> int:
    """First index where a running sum reaches half of the total; the last one if rounding prevents that."""
    return min(int(np.searchsorted(cumulated, total / 2.0)), len(cumulated) - 1)


def _histogram(ratios: Iterator[Array], low: int, high: int, width: int) -> tuple[Array, NDArray[np.int64]]:
    """Sum and number of the ratios in each bin; ``low``, ``high`` and ``width`` are floats' bit patterns."""
    sums, counts = np.zeros(_RATIO_BINS), np.zeros(_RATIO_BINS, np.int64)
    for ratio in ratios:
        inside = _between(ratio, low, high)
        bins = ((inside.view(np.uint64) - np.uint64(low)) // np.uint64(width)).astype(np.int64)
        sums += np.bincount(bins, inside, minlength=_RATIO_BINS)
        counts += np.bincount(bins, minlength=_RATIO_BINS)
    return sums, counts


def _ratios(c: Comparison) -> Iterator[Array]:
    for graph, sqdist in c.pairs():
        yield np.sqrt(sqdist) / (graph / c.maximum)


def _between(values: Array, low: int, high: int) -> Array:
    """Values whose bit patterns are in ``[low, high]``; floats that are not negative sort like their bits."""
    bits: NDArray[np.uint64] = values.view(np.uint64)
    return values[(bits >= np.uint64(low)) & (bits <= np.uint64(high))]
