"""Checks that every embedding passes when it is made."""

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from riemap.errors import InputError
from riemap.spaces import Space
from riemap.specs import shown
from riemap.specs.arrays import float_array
from riemap.types import Array

if TYPE_CHECKING:
    from riemap.embeddings.embedding import Embedding

ON_MANIFOLD_TOLERANCE = 1e-6
"""Largest distance of a point from its manifold, relative to the largest coordinate. It is far above
rounding errors and far below the error of a point from another manifold."""

LARGEST_LOG_SCALE = 300.0
"""Largest absolute value of a log-scale. Beyond it, squared distances overflow or become zero in float64."""


def as_parts(space: Space, points: Any, log_scales: Any, labels: Any) -> dict[str, Any]:
    """Turn lists into the arrays and tuples that an embedding holds, by name; arrays stay as they are.

    Raises
    ------
    InputError
        If one of the four is something else.
    """
    if not isinstance(space, Space):
        raise InputError(f"the space of an embedding is {shown(space)}; Space.parse('H2') makes one")
    if isinstance(points, np.ndarray) or not isinstance(points, Iterable):
        raise InputError(
            f"the points in {space} are a tuple with one array for each factor, e.g. (x,), not "
            f"{type(points).__name__}"
        )
    if isinstance(labels, str) or not isinstance(labels, Iterable) or getattr(labels, "ndim", 1) != 1:
        raise InputError(f"the labels are one for each node, e.g. ('a', 'b'), not {shown(labels)}")
    arrays = tuple(_array("points", x) for x in points)
    return {"points": arrays, "log_scales": _array("log-scales", log_scales), "labels": tuple(labels)}


def _array(what: str, given: Any) -> Array:
    """Return lists as an array; an array keeps its type, which is checked later."""
    return given if isinstance(given, np.ndarray) else float_array(what, given)


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
    if not all(isinstance(label, Hashable) for label in e.labels):
        raise InputError("a label is not hashable; labels are texts, numbers or tuples of these")
    if len(set(e.labels)) < len(e.labels):
        raise InputError("two nodes have the same label; labels must differ")
