"""Affine-invariant distances of a few listed pairs, any size, from singular values and vectors.

For kernels whose own method has too few digits for some pairs. Points are given by the coordinates of
:func:`riemap.manifolds.spd.lower_entries.factors`, and their size by the zeros ``none``.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.linalg import LANES, device, svd_lanes
from riemap.loops import inline
from riemap.manifolds.spd.coordinates import add_outer, squared_lengths
from riemap.manifolds.spd.lower_entries import at, whitened
from riemap.types import Array
from riemap.vmath import log


@inline
def _gather(x: Array, i: int, y: Array, columns: NDArray[np.int64], none: Any, g: Array) -> None:
    """Write ``L_x⁻¹ L_y`` to ``g`` for these columns; the last one fills the remaining lanes."""
    for lane in range(LANES):
        entries = whitened(x, i, y, columns[min(lane, len(columns) - 1)], none)
        for p in range(g.shape[0]):
            for q in range(g.shape[1]):
                g[p, q, lane] = entries[at(p, q)] if q <= p else 0.0


@device
def _singular(x: Array, i: int, y: Array, columns: NDArray[np.int64], none: Any, g: Array, v: Array) -> None:
    """Write left singular vectors times singular values of ``L_x⁻¹ L_y`` to ``g``."""
    _gather(x, i, y, columns, none, g)
    svd_lanes(g, v)


@device
def far_distances(x: Array, i: int, y: Array, far: NDArray[np.int64], none: Any, out: Array) -> None:
    """Write the squared distances of row ``i`` in the columns ``far``."""
    size = _size(none)
    g, v = np.empty((size, size, LANES)), np.empty((size, size, LANES))
    s, total = np.empty(LANES), np.empty(LANES)
    for start in range(0, len(far), LANES):
        columns = far[start : start + LANES]
        _singular(x, i, y, columns, none, g, v)
        total[:] = 0.0
        for k in range(size):
            squared_lengths(g, k, s)
            for lane in range(LANES):
                total[lane] += log(s[lane]) ** 2
        for lane in range(len(columns)):
            out[columns[lane]] = total[lane]


@device
def add_far_slopes(
    x: Array, i: int, y: Array, far: NDArray[np.int64], w: Array, none: Any, out: Array
) -> None:
    """Add the sum of ``-2 w log`` at the identity, over the columns ``far`` of row ``i``, to ``out``."""
    size = len(out)
    g, v, s = np.empty((size, size, LANES)), np.empty((size, size, LANES)), np.empty(LANES)
    for start in range(0, len(far), LANES):
        columns = far[start : start + LANES]
        _singular(x, i, y, columns, none, g, v)
        for k in range(size):
            squared_lengths(g, k, s)
            for lane in range(LANES):
                s[lane] = -2.0 * w[columns[lane]] * log(s[lane]) / s[lane] if lane < len(columns) else 0.0
            add_outer(out, g, k, s)


@inline
def _size(none: Any) -> int:
    """The size of matrices whose lower triangle has so many entries."""
    size = 0
    while at(size, 0) < len(none):
        size += 1
    return size
