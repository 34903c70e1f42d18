"""Paths along which edges are drawn: geodesics, as chains of short straight pieces."""

import numpy as np
from numpy.typing import NDArray

from riemap.types import Array
from riemap.views import View

EDGE_PIECES, EDGE_PIECES_IF_MANY = 32, 10
"""Straight pieces per curved edge; fewer for graphs with more than ``MANY_EDGES``, to keep files small."""

MANY_EDGES = 2000
"""Number of edges above which each is drawn with fewer pieces."""

MAX_BALL_RADIUS = 1.0 - 1e-9
"""Points of the Poincaré ball beyond this radius are moved to it: on the hyperboloid they would overflow."""

ANTIPODAL_SHIFT = 1e-6
"""Shift of one of two antipodal ends of an edge on a globe, which selects one of its many geodesics."""


def edge_paths(view: View, edges: NDArray[np.int64]) -> Array:
    """Compute the path along which each edge is drawn.

    Edges are geodesics in a Poincaré ball and on a globe, pass through ``view.knots`` in a cone, are half
    circles above a line, and are straight in every other view.

    Parameters
    ----------
    view
        The view that holds the nodes.
    edges
        Pairs of nodes, ``(m, 2)``.

    Returns
    -------
    Array
        Points of every path, both ends included, ``(m, k, 2)`` or ``(m, k, 3)``.
    """
    a, b = view.points[edges[:, 0]], view.points[edges[:, 1]]
    t = np.linspace(0.0, 1.0, 1 + (EDGE_PIECES if len(edges) <= MANY_EDGES else EDGE_PIECES_IF_MANY))
    if view.kind in ("disk", "ball"):
        return _hyperbolic(a, b, t)
    if view.kind == "globe":
        return _spherical(a, b, t, view.opposite)
    if view.kind == "line":
        return _half_circles(a, b, t)
    if view.knots is not None:
        return np.concatenate([a[:, None], view.knots, b[:, None]], axis=1)
    return np.stack([a, b], axis=1)


def _hyperbolic(a: Array, b: Array, t: Array) -> Array:
    """x(t) = (sinh((1−t)d) x + sinh(td) y) / sinh d on the hyperboloid, projected back into the ball."""
    x, y = (_to_hyperboloid(p) for p in (a, b))
    gap = np.sum((x[:, 1:] - y[:, 1:]) ** 2, axis=1) - (x[:, 0] - y[:, 0]) ** 2
    d = 2.0 * np.arcsinh(0.5 * np.sqrt(np.maximum(gap, 0.0)))
    found = _interpolate(x, y, d, t, np.sinh)
    return found[..., 1:] / (1.0 + found[..., :1])


def _spherical(a: Array, b: Array, t: Array, opposite: bool) -> Array:
    """x(t) = (sin((1−t)d) x + sin(td) y) / sin d; if y and −y are one point, the nearer is taken."""
    if opposite:
        b = np.where(np.sum(a * b, axis=1, keepdims=True) < 0.0, -b, b)
    aside = np.eye(3)[np.argmin(np.abs(a), axis=1)]
    antipodal = np.linalg.norm(a + b, axis=1, keepdims=True) < ANTIPODAL_SHIFT
    b = np.where(antipodal, b + ANTIPODAL_SHIFT * aside, b)
    d = 2.0 * np.arctan2(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))
    found = _interpolate(a, b, d, t, np.sin)
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


def _half_circles(a: Array, b: Array, t: Array) -> Array:
    angle = np.pi * t
    middle, half = 0.5 * (a[:, :1] + b[:, :1]), 0.5 * (b[:, :1] - a[:, :1])
    return np.stack([middle - half * np.cos(angle), np.abs(half) * np.sin(angle)], axis=-1)


def _to_hyperboloid(p: Array) -> Array:
    """Map points of the Poincaré ball to the hyperboloid."""
    size = np.linalg.norm(p, axis=1, keepdims=True)
    too_far = size > MAX_BALL_RADIUS
    p = p * np.minimum(1.0, np.divide(MAX_BALL_RADIUS, size, out=np.ones_like(size), where=too_far))
    square = np.sum(p**2, axis=1, keepdims=True)
    return np.concatenate([1.0 + square, 2.0 * p], axis=1) / (1.0 - square)


def _interpolate(x: Array, y: Array, d: Array, t: Array, wave: np.ufunc) -> Array:
    """(wave((1−t)d) x + wave(td) y) / wave(d), and (1−t) x + t y where wave(d) is nearly zero."""
    divisor = wave(d)[:, None]
    far = divisor > 1e-9
    shares = [
        np.divide(wave(d[:, None] * s), divisor, where=far, out=s + 0.0 * divisor) for s in (1.0 - t, t)
    ]
    return shares[0][..., None] * x[:, None] + shares[1][..., None] * y[:, None]
