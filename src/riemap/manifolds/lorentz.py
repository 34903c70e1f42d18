r"""A step on the hyperboloid, point by point: lengths of gradients, moves, and what is carried along.

The ambient formulas are right near the origin. Far from it a tangent is a difference of numbers of the size
of :math:`\cosh r`, and what it needs is found along the ray through the point and across it.
"""

import math

import numpy as np
from numba import prange

from riemap.manifolds.base import TINY
from riemap.types import Array
from riemap.vmath import inline, pair_loop

FAR = 50.0
"""First coordinate from which on polar coordinates are taken to carry tangents."""

EDGE = 1e13
"""Largest first coordinate after a move, at radius 30. Beyond, an ambient tangent has no digits left for its
part across the ray. Points of a tree would go on forever, but have all it takes long before."""

ORIGIN = 1e-150
"""Radius below which a point has any direction: the square of a smaller one is not a normal number."""


@inline
def _product(x: Array, u: Array, v: Array) -> float:
    """Inner product of two tangents at ``x``."""
    square = u_along = v_along = 0.0
    for k in range(1, len(x)):
        square += x[k] * x[k]
    r = math.sqrt(square)
    scale = 1.0 / r if r > ORIGIN else 0.0  # at the origin no direction is different
    for k in range(1, len(x)):
        u_along += u[k] * (x[k] * scale)
        v_along += v[k] * (x[k] * scale)
    total = u_along * v_along / (1.0 + square)
    for k in range(1, len(x)):
        total += (u[k] - u_along * (x[k] * scale)) * (v[k] - v_along * (x[k] * scale))
    return total


@pair_loop
def inner(x: Array, u: Array, v: Array) -> Array:
    """Inner products of tangents, a point at a time."""
    out = np.empty(len(x))
    for i in prange(len(x)):
        out[i] = _product(x[i], u[i], v[i])
    return out


@inline
def _carry(x: Array, y: Array, cosh: float, v: Array, out: Array) -> None:
    """``v`` carried from ``x`` to ``y``, a distance with this cosine away."""
    slope = (x[0] - y[0]) * v[0]
    for k in range(1, len(x)):
        slope += (y[k] - x[k]) * v[k]
    slope /= 1.0 + cosh
    excess = 0.0
    for k in range(len(x)):
        out[k] = v[k] + slope * (x[k] + y[k])
        excess += out[k] * (y[k] if k else -y[k])
    for k in range(len(x)):
        out[k] += excess * y[k]


@inline
def _carry_far(x: Array, u: Array, t: float, y: Array, v: Array, out: Array) -> None:
    r"""The same far from the origin, where products of coordinates are all rounding error.

    Only the plane of the origin and the geodesic turns. With :math:`\theta` and :math:`\theta'` the angles
    between the geodesic and the rays at its ends, parts along the ray and across it, in the plane, turn by
    :math:`\theta' - \theta`. By the sine law :math:`\sinh r'\sin\theta' = \sinh r\sin\theta`, and
    :math:`\sinh r'\cos\theta' = \cosh r\sinh t + \sinh r\cosh t\cos\theta`.
    """
    size = len(x)
    r, s = 0.0, 0.0
    for k in range(1, size):
        r += x[k] * x[k]
        s += y[k] * y[k]
    r, s = math.sqrt(r), math.sqrt(s)
    u_along, v_along = 0.0, 0.0
    for k in range(1, size):
        u_along += u[k] * (x[k] / r)
        v_along += v[k] * (x[k] / r)
    across, v_across = 0.0, 0.0  # of u, and of v in its direction
    for k in range(1, size):
        out[k] = u[k] - u_along * (x[k] / r)
        across += out[k] * out[k]
    across = math.sqrt(across)
    for k in range(1, size):
        out[k] /= across + TINY
        v_across += out[k] * (v[k] - v_along * (x[k] / r))
    u_along, v_along = u_along / math.sqrt(1.0 + r * r), v_along / math.sqrt(1.0 + r * r)
    cos, sin = u_along / t, across / t
    far_sin = r * sin / s
    far_cos = (math.sqrt(1.0 + r * r) * math.sinh(t) + r * math.cosh(t) * cos) / s
    turn_cos, turn_sin = far_cos * cos + far_sin * sin, far_sin * cos - far_cos * sin
    along = turn_cos * v_along - turn_sin * v_across
    turned = turn_sin * v_along + turn_cos * v_across
    angle_cos, angle_sin = 0.0, 0.0  # between the rays
    for k in range(1, size):
        angle_cos += (x[k] / r) * (y[k] / s)
        angle_sin += out[k] * (y[k] / s)
    v_ray = v_along * math.sqrt(1.0 + r * r)
    out[0] = along * s
    for k in range(1, size):
        rest = v[k] - v_ray * (x[k] / r) - v_across * out[k]  # across the plane: it stays
        out[k] = rest + turned * (angle_cos * out[k] - angle_sin * (x[k] / r))
        out[k] += along * math.sqrt(1.0 + s * s) * (y[k] / s)


@inline
def _carry_along(x: Array, u: Array, t: float, y: Array, v: Array, out: Array) -> None:
    """``v`` carried along the geodesic that leaves ``x`` with velocity ``u``, of length ``t``, to ``y``."""
    if t > 0.0 and min(x[0], y[0]) > FAR:
        _carry_far(x, u, t, y, v, out)
    else:
        _carry(x, y, math.cosh(t), v, out)


@pair_loop
def transport(x: Array, u: Array, y: Array, v: Array) -> Array:
    """``v`` carried from ``x`` to ``y``, whose logarithm is ``u``, a point at a time."""
    out = np.empty_like(v)
    for i in prange(len(v)):
        t = math.sqrt(max(_product(x[i], u[i], u[i]), 0.0))
        _carry_along(x[i], u[i], t, y[i], v[i], out[i])
    return out


@pair_loop
def move(x: Array, u: Array, v: Array) -> tuple[Array, Array]:
    """``exp`` and ``transport``, a point at a time, and no farther than :data:`EDGE` from the origin."""
    n, size = x.shape
    y, moved = np.empty_like(x), np.empty_like(x)
    for i in prange(n):
        t = math.sqrt(max(_product(x[i], u[i], u[i]), 0.0))
        cosh, sinhc = math.cosh(t), math.sinh(t) / t if t > 0.0 else 1.0
        square = 0.0
        for k in range(1, size):
            y[i, k] = cosh * x[i, k] + sinhc * u[i, k]
            square += y[i, k] * y[i, k]
        y[i, 0] = math.sqrt(1.0 + square)
        _carry_along(x[i], u[i], t, y[i], v[i], moved[i])
        if y[i, 0] > EDGE:
            for k in range(size):
                y[i, k] *= EDGE / y[i, 0] if k else 1.0
            y[i, 0] = math.hypot(1.0, EDGE)
            for k in range(size):
                moved[i, k] = 0.0
    return y, moved
