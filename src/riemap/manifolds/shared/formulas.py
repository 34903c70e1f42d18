"""Formulas on arrays that several families use."""

import numpy as np

from riemap.manifolds.blocks import writeable
from riemap.types import Array

VECTOR_PAIRS = 8
"""Number of pairs that one vector register holds. Rows of a triangle are computed up to the next multiple."""

POINTS_PER_TASK = 32
"""Number of points that a thread takes at a time, with one scratch array for all of them."""


def contiguous(*arrays: Array) -> list[Array]:
    """Broadcast arrays to one shape and return them in the form that compiled loops take."""
    shapes = {a.shape for a in arrays}
    shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
    return [writeable(a if a.shape == shape else np.broadcast_to(a, shape)) for a in arrays]


def sectional_from(curvature: Array, u: Array, v: Array, uv: Array) -> Array:
    r""":math:`\langle R(u,v)v,u\rangle / (|u|^2|v|^2 - \langle u,v\rangle^2)`, 0 for parallel ``u``, ``v``.

    Parameters
    ----------
    curvature
        The numerator.
    u, v, uv
        :math:`|u|^2`, :math:`|v|^2` and :math:`\langle u,v\rangle`.

    Returns
    -------
    Sectional curvatures, of the shape of the arguments.
    """
    area = u * v - uv * uv
    flat = area <= 1e-14 * u * v  # the angle is lost in rounding
    return np.where(flat, 0.0, curvature / np.where(flat, 1.0, area))


def sinc(theta: Array) -> Array:
    """``sin θ / θ``, 1 at zero."""
    return np.asarray(np.sinc(theta / np.pi), dtype=np.float64)


def sinhc(t: Array) -> Array:
    """``sinh(t) / t``, 1 at zero."""
    return np.where(t == 0, 1.0, np.sinh(t) / np.where(t == 0, 1.0, t))
