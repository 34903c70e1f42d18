"""The losses of edges over few pairs, by NumPy; :mod:`riemap.losses.neighbourhood` has the loops for many."""

import numpy as np
from numpy.typing import NDArray

from riemap.losses.base import LEAST_DISTANCE
from riemap.types import Array


def few_statistics(target: Array, sqdist: Array, first: int, edge: float, inverse: float) -> Array:
    """Compute per row: log of the sum over non-neighbours, their common derivative, value, and degree."""
    rows = np.arange(len(sqdist))
    scaled, stranger = inverse * np.sqrt(sqdist), target > edge
    near = ~stranger
    near[rows, first + rows] = False
    nearest = np.where(stranger, scaled, np.inf).min(axis=1)
    some = np.isfinite(nearest)
    relative = np.where(stranger, np.where(some, nearest, 0.0)[:, None] - scaled, -np.inf)
    sums = np.exp(relative).sum(axis=1)
    log_sum = np.where(some, np.log(np.where(some, sums, 1.0)) - np.where(some, nearest, 0.0), -np.inf)
    x = np.where(near, scaled + log_sum[:, None], -np.inf)
    with np.errstate(over="ignore"):  # of a share that is zero
        push = (1.0 / (1.0 + np.exp(-x))).sum(axis=1)
    return np.stack([log_sum, push, np.logaddexp(0.0, x).sum(axis=1), near.sum(axis=1)])


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
    """Write the weights."""
    rows = np.arange(len(sqdist))
    d, stranger = np.sqrt(sqdist), target > edge
    own = statistics[:, first + rows, None]
    slope = _slope(inverse * d, stranger, own)
    if both_ends:
        slope += _slope(inverse * d, stranger, statistics[:, None, :])
    out[...] = 0.5 * inverse * slope / (np.maximum(d, LEAST_DISTANCE) * sqdist.shape[1])
    out[rows, first + rows] = 0.0


def _slope(scaled: Array, stranger: NDArray[np.bool_], statistics: Array) -> Array:
    """Return the derivative of one end of each pair."""
    log_sum, push, _, weight = statistics
    with np.errstate(over="ignore", invalid="ignore"):  # a node without strangers has an infinite share
        share = np.exp(-scaled - log_sum)
        slope: Array = np.where(stranger, -share * push, weight / (1.0 + share))
    return slope
