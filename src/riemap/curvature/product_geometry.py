"""Tangent vectors, lengths and angles in a product of manifolds with scales.

Points and tangent vectors are tuples with one array of ``n`` rows for each factor.
"""

import numpy as np

from riemap.manifolds import Manifold
from riemap.spaces import Points, Space
from riemap.specs import expect
from riemap.types import Array


def factor_scales(space: Space, log_scales: Array | None) -> Array:
    """Scale of each factor; ones if ``log_scales`` is ``None``."""
    expect(space, Space, "a space", "Space.parse('H2') makes one")
    return np.array(space._scales(log_scales))


def log(space: Space, x: Points, y: Points) -> Points:
    """Tangent vectors at ``x`` of the geodesics to ``y``."""
    return tuple(m.log(a, b) for m, a, b in space._by_factor(x, y))


def norm(space: Space, scales: Array, x: Points, u: Points) -> Array:
    """Length of the tangent vectors ``u`` at ``x``."""
    parts = zip(space.factors, scales, x, u, strict=True)
    return np.sqrt(sum(s * np.maximum(m.inner(a, v, v), 0.0) for m, s, a, v in parts))


def angle(space: Space, scales: Array, at: Points, u: Points, v: Points) -> Array:
    """Angle between two tangent vectors at a point; finite if one of them is zero."""
    a, b = _unit(space, scales, at, u), _unit(space, scales, at, v)
    near = tuple(p - q for p, q in zip(a, b, strict=True))
    far = tuple(p + q for p, q in zip(a, b, strict=True))
    return 2.0 * np.arctan2(norm(space, scales, at, near), norm(space, scales, at, far))


def _unit(space: Space, scales: Array, at: Points, u: Points) -> Points:
    """Tangent vectors scaled to length one; zero stays zero."""
    length = norm(space, scales, at, u)
    over = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0.0)
    return tuple(v * over.reshape(-1, *(1,) * (v.ndim - 1)) for v in u)


def geodesic_sqdist(space: Space, scales: Array, x: Points, y: Points) -> Array:
    """Squared length of the shortest geodesics from ``x`` to ``y``."""
    parts = zip(space.factors, scales, x, y, strict=True)
    return np.asarray(sum(s * factor_sqdist(m, a, b) for m, s, a, b in parts))


def factor_sqdist(m: Manifold, x: Array, y: Array) -> Array:
    """Squared length of the shortest geodesic in one factor."""
    if m.geodesic:
        return m.sqdist(x, y)
    u = m.log(x, y)
    return np.maximum(m.inner(x, u, u), 0.0)
