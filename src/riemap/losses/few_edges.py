"""The losses of edges over few pairs, by NumPy; :mod:`riemap.losses.neighbourhood` has the loops for many."""

import numpy as np
from numpy.typing import NDArray

from riemap.losses.base import LEAST_DISTANCE
from riemap.types import Array


def few_statistics(target: Array, sqdist: Array, first: int, edge: float, inverse: float) -> Array:
    """Compute per row: log of the sum over non-neighbours, their common derivative, value, and degree."""
    rows, n = np.arange(len(sqdist)), sqdist.shape[1]
    scaled, near = np.sqrt(sqdist), target <= edge
    scaled *= inverse
    away = np.where(near, np.inf, scaled)
    nearest = away.min(axis=1)
    nearest[np.isinf(nearest)] = 0.0  # a node without strangers, whose sum is zero
    near[rows, first + rows] = False
    edges = np.flatnonzero(near)
    ends = edges // n
    with np.errstate(divide="ignore", over="ignore"):  # of a sum or a share that is zero
        np.exp(np.subtract(nearest[:, None], away, out=away), out=away)
        log_sum = np.log(away.sum(axis=1)) - nearest
        x = scaled.reshape(-1)[edges] + log_sum[ends]
        share = np.exp(-x)
    terms = np.zeros((2, len(sqdist), n))
    terms.reshape(2, -1)[:, edges] = 1.0 / (1.0 + share), np.logaddexp(0.0, x)
    return np.stack([log_sum, *terms.sum(axis=2), np.bincount(ends, minlength=len(sqdist))])


def few_weights(
    target: Array,
    sqdist: Array,
    first: int,
    edge: float,
    inverse: float,
    statistics: Array,
    both_ends: bool,
    out: Array,
) -> None:
    """Write the weights; if there are as many rows as columns, both are the same nodes."""
    rows, n = np.arange(len(sqdist)), sqdist.shape[1]
    d, stranger = np.sqrt(sqdist), target > edge
    slope = _slope(inverse * d, stranger, statistics[:, first + rows, None])
    if both_ends and len(sqdist) == n:
        slope = slope + slope.T
    elif both_ends:
        slope += _slope(inverse * d, stranger, statistics[:, None, :])
    slope *= 0.5 * inverse
    np.maximum(d, LEAST_DISTANCE, out=d)
    d *= n
    np.divide(slope, d, out=out)
    out[rows, first + rows] = 0.0


def _slope(scaled: Array, stranger: NDArray[np.bool_], statistics: Array) -> Array:
    """Return the derivative of one end of each pair; ``scaled`` is overwritten."""
    log_sum, push, _, weight = statistics
    with np.errstate(over="ignore", invalid="ignore"):  # a node without strangers has an infinite share
        scaled += log_sum
        share = np.exp(np.negative(scaled, out=scaled), out=scaled)
        slope: Array = 1.0 + share
        np.divide(weight, slope, out=slope)
        share *= -push
    np.copyto(slope, share, where=stranger)
    return slope
