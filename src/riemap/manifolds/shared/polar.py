r"""Hyperbolic distances in polar coordinates, for loops over pairs.

A point at distance ``r`` from the origin in the direction of the unit vector ``a`` and one at distance ``s``
in the direction ``b`` are at distance ``d`` with

.. math:: 4\sinh^2\tfrac{d}{2} = 4\sinh^2\tfrac{r-s}{2} + \sinh r\sinh s\,\|a-b\|^2,

a sum of positive terms. :mod:`riemap.manifolds.hyperbolic.hyperboloid` explains why this form is used.
"""

import math

from riemap.loops import inline
from riemap.vmath import log1p

ORIGIN_RADIUS = 1e-150
"""Radius below which a point counts as the origin, where every direction is as good. The square of a smaller
radius is not a normal number."""


@inline
def distance(s: float) -> float:
    """``d`` from ``s = 4 sinh²(d/2)``: ``log(1 + s/2 + sinh d)``."""
    return log1p(0.5 * s + sinh(s))


@inline
def sinh(s: float) -> float:
    """``sinh d`` from ``s = 4 sinh²(d/2)``."""
    return math.sqrt(s * (1.0 + 0.25 * s))


@inline
def chord(near: float, r: float, s: float, up_r: float, down_r: float, up_s: float, down_s: float) -> float:
    """``4 sinh²(d/2)`` from ``near = |a - b|²``, ``sinh r``, ``sinh s`` and ``exp(±r/2), exp(±s/2)``."""
    radial = up_r * down_s - down_r * up_s
    return radial * radial + r * s * near


@inline
def radial_part(
    near: float, cosh_r: float, s: float, up_r: float, down_r: float, up_s: float, down_s: float
) -> float:
    """Component along the ray through ``x`` of ``sinh(d)/d log_x y``."""
    a, b = up_s * down_r, down_s * up_r
    return 0.5 * ((a - b) * (a + b) - cosh_r * s * near)
