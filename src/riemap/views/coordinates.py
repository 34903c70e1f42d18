"""Coordinates for pictures: tangent space at the mean, principal components, the unit ball."""

import numpy as np

from riemap.manifolds import Manifold
from riemap.means import frechet_mean, tangent_coordinates
from riemap.types import Array


def mean_tangents(m: Manifold, x: Array) -> Array:
    """Tangent coordinates at the Fréchet mean, ``(n, m.dim)``."""
    return tangent_coordinates(m, frechet_mean(m, x), x)


def principal_components(u: Array, count: int) -> tuple[Array, float]:
    """The first principal components, and their share of the variance."""
    left, sizes, _ = np.linalg.svd(u - u.mean(axis=0), full_matrices=False)
    total = float(np.sum(sizes**2))
    kept = 1.0 if total == 0.0 else float(np.sum(sizes[:count] ** 2)) / total
    return left[:, :count] * sizes[:count], kept


def fit_unit_ball(points: Array) -> Array:
    """Centre points on their range and scale them to the unit ball; points on a line get a second zero."""
    if points.shape[1] == 1:
        points = np.concatenate([points, np.zeros_like(points)], axis=1)
    centred = points - 0.5 * (points.min(axis=0) + points.max(axis=0))
    return centred / (float(np.linalg.norm(centred, axis=1).max()) or 1.0)
