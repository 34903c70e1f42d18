"""Products of manifolds with scales."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, final

import numpy as np

from riemap.errors import InputError
from riemap.manifolds import Manifold
from riemap.spaces.blocks import Points, SpaceRectangularBlock, SpaceSymmetricBlock
from riemap.spaces.spelling import accepted, parse_factors
from riemap.specs import expect
from riemap.specs.arrays import float_array
from riemap.types import Array, Rng


@final
@dataclass(frozen=True)
class Space:
    """A product of one or more manifolds.

    Parameters
    ----------
    factors
        The manifolds, at least one.

    Raises
    ------
    InputError
        If there is no factor.

    Examples
    --------
    >>> space = Space.parse("H3^2 x Gr(2,4)")
    >>> space.dim, str(space)
    (10, 'H3^2 x Gr(2,4)')
    """

    factors: tuple[Manifold, ...]

    def __post_init__(self) -> None:
        expect(self.factors, tuple, "a tuple of manifolds", "Space.parse('H2 x S2') makes a space")
        for factor in self.factors:
            expect(factor, Manifold, "a manifold", "e.g. riemap.manifolds.Sphere(2)")
        if not self.factors:
            raise InputError(f"a space needs at least one factor; {accepted()}")

    @classmethod
    def parse(cls, text: str) -> "Space":
        """Read a space as it is spelled everywhere.

        Parameters
        ----------
        text
            Factors joined by ``x``, each with an optional power: ``"H3^2 x Gr(2,4)"``.

        Returns
        -------
        The space.

        Raises
        ------
        InputError
            If a factor cannot be read, or a point would have more than 4096 numbers.
        """
        return cls(tuple(parse_factors(text)))

    @classmethod
    def of(cls, given: "str | Space") -> "Space":
        """Return a space, or read its spelling.

        Parameters
        ----------
        given
            A space, or a text such as ``"H3^2 x Gr(2,4)"``.

        Returns
        -------
        The space.

        Raises
        ------
        InputError, TypeError
            If the text cannot be read; if it is neither.
        """
        return given if isinstance(given, Space) else cls.parse(given)

    def __str__(self) -> str:
        groups = [(m, len(list(same))) for m, same in groupby(self.factors)]
        return " x ".join(f"{m}^{count}" if count > 1 else f"{m}" for m, count in groups)

    @property
    def dim(self) -> int:
        """Intrinsic dimension."""
        return sum(m.dim for m in self.factors)

    def random(self, rng: Rng, n: int, radius: float = 1.0) -> Points:
        """Draw points around the origin of every factor.

        Parameters
        ----------
        rng
            Random generator.
        n
            Number of points.
        radius
            Root mean square of the distances to the origin, in every factor.

        Returns
        -------
        Points, an array ``(n, *shape)`` for each factor.
        """
        return tuple(m.random(rng, n, radius) for m in self.factors)

    def sqdist(self, x: Points, y: Points, log_scales: Array | None = None) -> Array:
        """Return the squared distances of ``x`` and ``y``; leading axes broadcast."""
        parts = [m.sqdist(a, b) for m, a, b in self._by_factor(x, y)]
        return _weighted(self._scales(log_scales), parts)

    def pairwise(self, x: Points, y: Points, log_scales: Array | None = None) -> Array:
        """Return all squared distances of two sets of points, ``(n, m)``."""
        parts = [m.pairwise(a, b) for m, a, b in self._by_factor(x, y)]
        return _weighted(self._scales(log_scales), parts)

    def symmetric_block(self, x: Points, log_scales: Array | None = None) -> SpaceSymmetricBlock:
        """Compute all pairs within one set of points.

        Parameters
        ----------
        x
            Points, an array ``(n, *shape)`` for each factor.
        log_scales
            Logarithms of the scales, one for each factor; zeros by default.

        Returns
        -------
        Squared distances, and gradients at both ends of every pair.

        Raises
        ------
        InputError
            If the shape of the points or of the log-scales is not that of the space.
        """
        parts = [m.symmetric_block(a) for m, a in self._by_factor(x)]
        return SpaceSymmetricBlock(parts, self._scales(log_scales))

    def rectangular_block(
        self, x: Points, y: Points, log_scales: Array | None = None
    ) -> SpaceRectangularBlock:
        """Compute the pairs of two sets of points.

        Parameters
        ----------
        x, y
            Row points and column points.
        log_scales
            Logarithms of the scales, one for each factor; zeros by default.

        Returns
        -------
        Squared distances, and gradients at the row points.

        Raises
        ------
        InputError
            If the shape of the points or of the log-scales is not that of the space.
        """
        parts = [m.rectangular_block(a, b) for m, a, b in self._by_factor(x, y)]
        return SpaceRectangularBlock(parts, self._scales(log_scales))

    def pairs(self, x: Points, log_scales: Array | None = None) -> SpaceSymmetricBlock:
        """Compute all pairs within one set of points; a short name of :meth:`symmetric_block`.

        Examples
        --------
        >>> pairs = Space.parse("E1").pairs((np.array([[0.0], [2.0]]),))
        >>> pairs.sqdist.tolist()
        [[0.0, 4.0], [4.0, 0.0]]
        """
        return self.symmetric_block(x, log_scales)

    def gradient(self, x: Points, w: Array, log_scales: Array | None = None) -> tuple[Points, Array]:
        r"""Return the gradients of :math:`\sum_{ij} w_{ij}\,d^2(x_i, x_j)` in points and log-scales."""
        return self.symmetric_block(x, log_scales).gradient(w)

    def _by_factor(self, *sets: Points) -> Iterator[tuple[Any, ...]]:
        """Iterate over the factors, each with its array from every set of points."""
        for x in sets:
            if not isinstance(x, tuple | list) or len(x) != len(self.factors):
                raise InputError(
                    f"points of {self} are a tuple of {len(self.factors)} arrays, one for each factor, "
                    f"e.g. (x,), not {type(x).__name__}"
                )
        return zip(self.factors, *sets, strict=True)

    def _scales(self, log_scales: Array | None) -> list[float]:
        if log_scales is None:
            return [1.0] * len(self.factors)
        found = float_array("log-scales", log_scales)
        if found.shape != (len(self.factors),):
            raise InputError(f"log-scales of shape {found.shape} for {self}; expected {(len(self.factors),)}")
        scales: list[float] = np.exp(found).tolist()
        return scales


def _weighted(scales: list[float], parts: list[Array]) -> Array:
    """Sum the parts times their scales; a single part of scale one is returned as it is."""
    if len(parts) == 1 and scales[0] == 1.0:
        return parts[0]
    total = scales[0] * parts[0]
    for s, part in zip(scales[1:], parts[1:], strict=True):
        total += s * part
    return np.asarray(total)
