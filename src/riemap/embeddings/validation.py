"""Checks that every embedding passes when it is made."""

from typing import TYPE_CHECKING

import numpy as np

from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.embeddings.embedding import Embedding

ON_MANIFOLD_TOLERANCE = 1e-6
"""Largest distance of a point from its manifold, relative to the largest coordinate. It is far above
rounding errors and far below the error of a point from another manifold."""

LARGEST_LOG_SCALE = 300.0
"""Largest absolute value of a log-scale. Beyond it, squared distances overflow or become zero in float64."""


def check_embedding(e: "Embedding") -> None:
    """Raise an :class:`InputError` unless points, log-scales and labels fit the space."""
    factors = e.space.factors
    if len(e.points) != len(factors) or e.log_scales.shape != (len(e.points),):
        raise InputError(
            f"an embedding in {e.space} needs one array of points and one log-scale for each factor"
        )
    if e.n == 0:
        raise InputError("an embedding needs at least one node")
    for m, x in zip(factors, e.points, strict=True):
        if x.shape != (e.n, *m.shape):
            raise InputError(f"points of {m} have shape {x.shape}; expected {(e.n, *m.shape)}")
        if x.dtype != np.float64 or e.log_scales.dtype != np.float64:
            raise InputError(f"points and log-scales must be float64, not {x.dtype} and {e.log_scales.dtype}")
        tolerance = ON_MANIFOLD_TOLERANCE * max(np.abs(x).max(), 1.0)
        if not np.isfinite(x).all() or np.abs(m.project(x) - x).max() > tolerance:
            raise InputError(f"some of the points are not on {m}")
    if not (np.abs(e.log_scales) <= LARGEST_LOG_SCALE).all():
        raise InputError(
            f"the log-scales {e.log_scales} are not all between -{LARGEST_LOG_SCALE} and {LARGEST_LOG_SCALE}"
        )
    if len(set(e.labels)) < len(e.labels):
        raise InputError("two nodes have the same label; labels must differ")
