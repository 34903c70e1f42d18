r"""Loops over single points of the hyperboloid: inner products, transport, and steps.

The ambient formulas are accurate near the origin. Far from it a tangent is a difference of numbers of the
size of :math:`\cosh r`, so there its components along the ray through the point and across it are used
instead.
"""

import math

import numpy as np

from riemap.loops import inline_point, point_loop
from riemap.manifolds.shared.polar import ORIGIN_RADIUS
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import TINY

FAR_COSH = 50.0
"""First coordinate (cosh of the radius) above which tangents are transported in polar coordinates."""

EDGE_COSH = 1e13
"""Largest first coordinate after a step, reached at radius 30. Beyond it, an ambient tangent has no digits
left for its component across the ray. Without the limit, points of a tree would move outwards forever."""


@inline_point
def _product(x: Array, u: Array, v: Array) -> float:
    """Inner product of two tangents at ``x``."""
    square = u_along = v_along = 0.0
    for k in range(1, len(x)):
        square += x[k] * x[k]
    r = math.sqrt(square)
    scale = 1.0 / r if r > ORIGIN_RADIUS else 0.0  # at the origin all directions are alike
    for k in range(1, len(x)):
        u_along += u[k] * (x[k] * scale)
        v_along += v[k] * (x[k] * scale)
    total = u_along * v_along / (1.0 + square)
    for k in range(1, len(x)):
        total += (u[k] - u_along * (x[k] * scale)) * (v[k] - v_along * (x[k] * scale))
    return total


def inner(x: Array, u: Array, v: Array) -> Array:
    """Inner products of tangents ``u`` and ``v`` at ``x``, ``(n,)``."""
    out = np.empty(len(x))
    _inner_rows(len(x), x, u, v, out)
    return out


@point_loop
def _inner_rows(part: Part, x: Array, u: Array, v: Array, out: Array) -> None:
    start, stop = begin(part)
    for i in range(start, stop):
        out[i] = _product(x[i], u[i], v[i])


@inline_point
def _carry(x: Array, y: Array, cosh: float, v: Array, out: Array) -> None:
    """Transport ``v`` from ``x`` to ``y``, where ``cosh`` is that of their distance."""
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


@inline_point
def _carry_far(x: Array, u: Array, t: float, y: Array, v: Array, out: Array) -> None:
    r"""Transport ``v`` far from the origin, where products of coordinates are only rounding errors.

    Transport rotates the plane through the origin and the geodesic, and leaves the rest alone. With
    :math:`\theta` and :math:`\theta'` the angles between the geodesic and the rays at its ends, parts along
    the ray and across it, in the plane, turn by :math:`\theta' - \theta`. By the sine law :math:`\sinh
    r'\sin\theta' = \sinh r\sin\theta`, and :math:`\sinh r'\cos\theta' = \cosh r\sinh t + \sinh r\cosh
    t\cos\theta`.
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
    across, v_across = 0.0, 0.0  # component of u across the ray, and of v in that direction
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
        rest = v[k] - v_ray * (x[k] / r) - v_across * out[k]  # the part across the plane, which stays
        out[k] = rest + turned * (angle_cos * out[k] - angle_sin * (x[k] / r))
        out[k] += along * math.sqrt(1.0 + s * s) * (y[k] / s)


@inline_point
def _carry_along(x: Array, u: Array, t: float, y: Array, v: Array, out: Array) -> None:
    """Transport ``v`` to ``y`` along the geodesic that leaves ``x`` with velocity ``u`` of length ``t``."""
    if t > 0.0 and min(x[0], y[0]) > FAR_COSH:
        _carry_far(x, u, t, y, v, out)
    else:
        _carry(x, y, math.cosh(t), v, out)


def transport(x: Array, u: Array, y: Array, v: Array) -> Array:
    """Transport ``v`` from ``x`` to ``y``, where ``u`` is the logarithm of ``y`` at ``x``."""
    out = np.empty_like(v)
    _transport_rows(len(v), x, u, y, v, out)
    return out


@point_loop
def _transport_rows(part: Part, x: Array, u: Array, y: Array, v: Array, out: Array) -> None:
    start, stop = begin(part)
    for i in range(start, stop):
        t = math.sqrt(max(_product(x[i], u[i], u[i]), 0.0))
        _carry_along(x[i], u[i], t, y[i], v[i], out[i])


def move(x: Array, u: Array, v: Array) -> tuple[Array, Array]:
    """Exponential of ``u`` and transport of ``v``; a point that would pass :data:`EDGE_COSH` stops there."""
    n = x.shape[0]
    y, moved = np.empty_like(x), np.empty_like(x)
    _move_rows(n, x, u, v, y, moved)
    return y, moved


@point_loop
def _move_rows(part: Part, x: Array, u: Array, v: Array, y: Array, moved: Array) -> None:
    size = x.shape[1]
    start, stop = begin(part)
    for i in range(start, stop):
        t = math.sqrt(max(_product(x[i], u[i], u[i]), 0.0))
        cosh, sinhc = math.cosh(t), math.sinh(t) / t if t > 0.0 else 1.0
        square = 0.0
        for k in range(1, size):
            y[i, k] = cosh * x[i, k] + sinhc * u[i, k]
            square += y[i, k] * y[i, k]
        y[i, 0] = math.sqrt(1.0 + square)
        _carry_along(x[i], u[i], t, y[i], v[i], moved[i])
        if y[i, 0] > EDGE_COSH:
            for k in range(size):
                y[i, k] *= EDGE_COSH / y[i, 0] if k else 1.0
            y[i, 0] = math.hypot(1.0, EDGE_COSH)
            for k in range(size):
                moved[i, k] = 0.0
