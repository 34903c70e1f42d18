"""Blocks of pairs of points of a space: those of its factors, scaled and added up."""

from functools import cached_property
from typing import TypeAlias, final

import numpy as np

from riemap.lower_triangle import LOWER, ORDERED, WHOLE, add, mirror, row_products, scale
from riemap.manifolds.blocks import (
    RectangularBlock,
    SymmetricBlock,
    checked_weights,
    lower_copied,
    scratch,
)
from riemap.types import Array

Points: TypeAlias = tuple[Array, ...]


@final
class SpaceSymmetricBlock:
    """All pairs within one set of ``n`` points of a space.

    Attributes
    ----------
    lower
        Squared distances, ``(n, n)``; only the lower triangle may be read.
    """

    def __init__(self, parts: list[SymmetricBlock], scales: list[float]) -> None:
        self._parts, self._scales = parts, scales
        self.lower = _scaled_sum([p.lower for p in parts], scales, symmetric=True)

    @cached_property
    def sqdist(self) -> Array:
        """All squared distances, ``(n, n)``."""
        mirror(self.lower, self.lower)
        return self.lower

    def gradient(self, w: Array) -> tuple[Points, Array]:
        r"""Gradients of :math:`\sum_{ij} w_{ij}\,d^2(x_i, x_j)` in the points and in the log-scales.

        Parameters
        ----------
        w
            Weights of ordered pairs, ``(n, n)``, of any kind.

        Returns
        -------
        points
            Riemannian gradients, an array ``(n, *shape)`` for each factor.
        log_scales
            Derivatives in the log-scales, one number for each factor.
        """
        return self._gradient(checked_weights(w, self.lower.shape), ORDERED, scratch(self.lower.shape))

    def gradient_lower(self, w: Array, out: Array | None = None) -> tuple[Points, Array]:
        r"""As :meth:`gradient`, for weights of both ends of a pair, :math:`w_{ij} + w_{ji}`.

        Parameters
        ----------
        w
            Weights of unordered pairs, ``(n, n)``; only the lower triangle is read.
        out
            Where to write the whole symmetric matrix; may be ``w`` itself. A new array by default.

        Returns
        -------
        As :meth:`gradient`.
        """
        out = lower_copied(w, self.lower.shape, out)
        return self._gradient(out, LOWER, out)

    def _gradient(self, w: Array, given: int, out: Array) -> tuple[Points, Array]:
        first, *others = self._parts
        found = [first.spread(w, given, out), *(part.spread(out, WHOLE, out) for part in others)]
        points = tuple(_times(s, gradient) for s, (gradient, _) in zip(self._scales, found, strict=True))
        return points, np.array([total for _, total in found])


@final
class SpaceRectangularBlock:
    """The pairs of ``n`` row points with ``m`` column points of a space.

    Attributes
    ----------
    sqdist
        Squared distances, ``(n, m)``.
    """

    def __init__(self, parts: list[RectangularBlock], scales: list[float]) -> None:
        self._parts, self._scales = parts, scales
        self.sqdist = _scaled_sum([p.sqdist for p in parts], scales, symmetric=False)

    def gradient(self, w: Array) -> tuple[Points, Array]:
        r"""Gradients of :math:`\sum_{ij} w_{ij}\,d^2(x_i, y_j)` in the row points and in the log-scales.

        Parameters
        ----------
        w
            Weights, ``(n, m)``.

        Returns
        -------
        points
            Riemannian gradients, an array ``(n, *shape)`` for each factor.
        log_scales
            Derivatives in the log-scales, one number for each factor.
        """
        w = checked_weights(w, self.sqdist.shape)
        points = tuple(_times(s, p.gradient(w)) for s, p in zip(self._scales, self._parts, strict=True))
        return points, np.array([float(row_products(w, p.sqdist, False).sum()) for p in self._parts])


def _scaled_sum(parts: list[Array], scales: list[float], symmetric: bool) -> Array:
    """Scale the squared distances of the factors in place, and add them up; lower triangles if symmetric."""
    for s, part in zip(scales, parts, strict=True):
        if s != 1.0:
            scale(part, s, symmetric)
    total = parts[0]
    for part in parts[1:]:
        total = add(total, part, symmetric)
    return total


def _times(s: float, gradient: Array) -> Array:
    """Return ``s * gradient``; where the scale is one, the gradient itself."""
    return np.ascontiguousarray(gradient) if s == 1.0 else s * gradient
