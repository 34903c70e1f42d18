"""The numbers of an embedding as one matrix with named columns, for tables and files."""

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from riemap.means import tangent_coordinates
from riemap.spaces import Points, Space
from riemap.types import Array

if TYPE_CHECKING:
    from riemap.embeddings.embedding import Embedding


def coordinates(e: "Embedding", *, points: bool) -> tuple[list[str], Array]:
    """Return the names of the columns and one row for each node: features, or coordinates of the points.

    Features are called ``t0, t1, …``. Coordinates are called ``x0, x1, …``, or ``x0_0, x0_1, …`` if points
    are matrices. In a product, names start with the factor, as in ``factor1_t0``.
    """
    factors = e.space.factors
    if points:
        values = np.concatenate([x.reshape(e.n, -1) for x in e.points], axis=1)
        names = [_names(m.shape, "x") for m in factors]
    else:
        values, names = e.features(), [_names((m.dim,), "t") for m in factors]
    prefixes = [""] if len(names) == 1 else [f"factor{k}_" for k in range(1, len(names) + 1)]
    return [prefix + name for prefix, own in zip(prefixes, names, strict=True) for name in own], values


def tangent_features(space: Space, log_scales: Array, at: Points, points: Points) -> Array:
    """Tangent coordinates of points at one point, times the roots of the scales, ``(n, dim)``."""
    parts = zip(space.factors, at, points, np.exp(0.5 * log_scales), strict=True)
    return np.concatenate([root * tangent_coordinates(m, y, x) for m, y, x, root in parts], axis=1)


def _names(shape: tuple[int, ...], letter: str) -> list[str]:
    """Names of coordinates: ``x0, x1, …`` for vectors, ``x0_0, x0_1, …`` for matrices."""
    return [letter + "_".join(map(str, index)) for index in product(*map(range, shape))]
