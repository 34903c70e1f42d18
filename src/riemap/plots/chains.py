"""The way of an edge through a picture: a chain of places from one of its nodes to the other."""

import numpy as np
from numpy.typing import NDArray

from riemap.types import Array
from riemap.views import View

STEPS, FEWER = 32, 10
"""Pieces of an edge that bends; of one of many edges."""

MANY = 2000
"""Edges from which each is drawn in fewer pieces."""

INSIDE = 1.0 - 1e-9
"""Radius in a Poincaré ball beyond which a point is taken to be here, since its height would overflow."""

ASIDE = 1e-6
"""How far one of two opposite ends is put aside on a globe: of all ways, which are as long, one is chosen."""


def chains(view: View, edges: NDArray[np.int64]) -> Array:
    """Places that each edge goes through, its ends among them, ``(m, k, 2 or 3)``.

    Geodesics in a Poincaré ball and on a globe, and through the knots of a cone; half circles above a line;
    straight elsewhere.
    """
    a, b = view.points[edges[:, 0]], view.points[edges[:, 1]]
    t = np.linspace(0.0, 1.0, 1 + (STEPS if len(edges) <= MANY else FEWER))
    if view.kind in ("disk", "ball"):
        return _hyperbolic(a, b, t)
    if view.kind == "globe":
        return _spherical(a, b, t, view.opposite)
    if view.kind == "line":
        return _arched(a, b, t)
    if view.knots is not None:
        return np.concatenate([a[:, None], view.knots, b[:, None]], axis=1)
    return np.stack([a, b], axis=1)


def _hyperbolic(a: Array, b: Array, t: Array) -> Array:
    """On the hyperboloid, x(t) = (sinh((1−t)d) x + sinh(td) y) / sinh d, and back into the ball."""
    x, y = (_lifted(p) for p in (a, b))
    gap = np.sum((x[:, 1:] - y[:, 1:]) ** 2, axis=1) - (x[:, 0] - y[:, 0]) ** 2
    d = 2.0 * np.arcsinh(0.5 * np.sqrt(np.maximum(gap, 0.0)))
    found = _blended(x, y, d, t, np.sinh)
    return found[..., 1:] / (1.0 + found[..., :1])


def _spherical(a: Array, b: Array, t: Array, opposite: bool) -> Array:
    """x(t) = (sin((1−t)d) x + sin(td) y) / sin d; of two opposite points that are the same, to the nearer."""
    if opposite:
        b = np.where(np.sum(a * b, axis=1, keepdims=True) < 0.0, -b, b)
    aside = np.eye(3)[np.argmin(np.abs(a), axis=1)]
    b = np.where(np.linalg.norm(a + b, axis=1, keepdims=True) < ASIDE, b + ASIDE * aside, b)
    d = 2.0 * np.arctan2(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))
    found = _blended(a, b, d, t, np.sin)
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


def _arched(a: Array, b: Array, t: Array) -> Array:
    turn = np.pi * t
    middle, half = 0.5 * (a[:, :1] + b[:, :1]), 0.5 * (b[:, :1] - a[:, :1])
    return np.stack([middle - half * np.cos(turn), np.abs(half) * np.sin(turn)], axis=-1)


def _lifted(p: Array) -> Array:
    """From the ball to the hyperboloid."""
    size = np.linalg.norm(p, axis=1, keepdims=True)
    p = p * np.minimum(1.0, np.divide(INSIDE, size, out=np.ones_like(size), where=size > INSIDE))
    square = np.sum(p**2, axis=1, keepdims=True)
    return np.concatenate([1.0 + square, 2.0 * p], axis=1) / (1.0 - square)


def _blended(x: Array, y: Array, d: Array, t: Array, wave: np.ufunc) -> Array:
    """Shares of ``x`` and ``y`` along the way, those of a straight line where it is short."""
    whole = wave(d)[:, None]
    far = whole > 1e-9
    shares = [np.divide(wave(d[:, None] * s), whole, where=far, out=s + 0.0 * whole) for s in (1.0 - t, t)]
    return shares[0][..., None] * x[:, None] + shares[1][..., None] * y[:, None]
