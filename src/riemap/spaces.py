r"""A space to embed in: a product of manifolds, each with a positive scale.

.. math:: d^2(x, y) = \sum_k s_k\,d_k^2(x_k, y_k), \qquad s_k = e^{\ell_k} > 0.

Points of a space are a tuple of arrays, one for each factor. Scales are given by their logarithms
:math:`\ell`, one number for each factor; without them, every scale is one.
"""

import functools
import math
import re
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import groupby
from typing import TypeAlias, final

import numpy as np

from riemap.errors import InputError
from riemap.lower_triangle import add, mirror, row_products, scale
from riemap.manifolds import MANIFOLDS, Manifold
from riemap.manifolds.blocks import RectangularBlock, SymmetricBlock, both_ends, checked_weights, mirrored
from riemap.types import Array, Rng

Points: TypeAlias = tuple[Array, ...]

MAX_NUMBERS = 4096
"""How many numbers one point may have. A larger space is taken for a typing error."""


@final
class SpaceSymmetricBlock:
    """All pairs within one set of ``n`` points of a space.

    Attributes
    ----------
    lower
        Squared distances, ``(n, n)``; only the lower triangle may be read.
    """

    def __init__(self, parts: list[SymmetricBlock], scales: Array) -> None:
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
        return self._gradient(both_ends(w, self.lower.shape))

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
        return self._gradient(mirrored(w, self.lower.shape, out))

    def _gradient(self, both: Array) -> tuple[Points, Array]:
        points = tuple(s * p.gradient_symmetric(both) for s, p in zip(self._scales, self._parts, strict=True))
        return points, _scale_gradient(both, [p.lower for p in self._parts], symmetric=True)


@final
class SpaceRectangularBlock:
    """The pairs of ``n`` row points with ``m`` column points of a space.

    Attributes
    ----------
    sqdist
        Squared distances, ``(n, m)``.
    """

    def __init__(self, parts: list[RectangularBlock], scales: Array) -> None:
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
        points = tuple(s * p.gradient(w) for s, p in zip(self._scales, self._parts, strict=True))
        return points, _scale_gradient(w, [p.sqdist for p in self._parts], symmetric=False)


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
        if not self.factors:
            raise InputError(f"a space needs at least one factor; {_accepted()}")

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
        return cls(tuple(_parse(text)))

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
        parts = [m.sqdist(a, b) for m, a, b in zip(self.factors, x, y, strict=True)]
        return _weighted(self._scales(log_scales), parts)

    def pairwise(self, x: Points, y: Points, log_scales: Array | None = None) -> Array:
        """Return all squared distances of two sets of points, ``(n, m)``."""
        parts = [m.pairwise(a, b) for m, a, b in zip(self.factors, x, y, strict=True)]
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
        parts = [m.symmetric_block(a) for m, a in zip(self.factors, x, strict=True)]
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
        parts = [m.rectangular_block(a, b) for m, a, b in zip(self.factors, x, y, strict=True)]
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

    def _scales(self, log_scales: Array | None) -> Array:
        if log_scales is None:
            return np.ones(len(self.factors))
        if np.shape(log_scales) != (len(self.factors),):
            raise InputError(
                f"log-scales of shape {np.shape(log_scales)} for {self}; expected {(len(self.factors),)}"
            )
        return np.exp(log_scales)


def _scaled_sum(parts: list[Array], scales: Array, symmetric: bool) -> Array:
    """Scale the squared distances of the factors in place, and add them up; lower triangles if symmetric."""
    for s, part in zip(scales, parts, strict=True):
        if s != 1.0:
            scale(part, s, symmetric)
    return functools.reduce(lambda a, b: add(a, b, symmetric), parts)


def _scale_gradient(w: Array, parts: list[Array], symmetric: bool) -> Array:
    """Sum the weights times the scaled squared distances of each factor."""
    return np.array([float(row_products(w, part, symmetric).sum()) for part in parts])


def _weighted(scales: Array, parts: list[Array]) -> Array:
    """Sum the parts times their scales; a single part of scale one is returned as it is."""
    if len(parts) == 1 and scales[0] == 1.0:
        return parts[0]
    total = scales[0] * parts[0]
    for s, part in zip(scales[1:], parts[1:], strict=True):
        total += s * part
    return np.asarray(total)


# --- spelling ---------------------------------------------------------------------------------------

_SYMBOLS = {m.symbol: m for m in MANIFOLDS}
_FACTOR = re.compile(r"([A-Za-z]*)(\(.*\)|[^^(]*)(?:\s*\^(.*))?", re.DOTALL)


def _accepted() -> str:
    one = ", ".join(s for s, m in _SYMBOLS.items() if len(fields(m)) == 1)  # type: ignore[arg-type]
    return f"a factor is one of {one} followed by its size, or Gr(k,n), e.g. 'H3 x S2^2' or 'SPD3 x Gr(2,4)'"


def _parse(text: str) -> list[Manifold]:
    if not isinstance(text, str):
        raise TypeError(f"a space is given as text such as 'H3', not {type(text).__name__}")
    shown = repr(text if len(text) <= 60 else text[:57] + "...")
    if not text.strip():
        raise InputError(f"cannot read space {shown}: it is empty; {_accepted()}")
    factors: list[Manifold] = []
    for part in re.split(r"[x×]", text):
        try:
            m, power = _parse_factor(part.strip())
        except ValueError as error:
            name = repr(part.strip()[:30])
            raise InputError(f"cannot read factor {name} of space {shown}: {error}; {_accepted()}") from None
        numbers = sum(math.prod(f.shape) for f in factors) + power * math.prod(m.shape)
        if numbers > MAX_NUMBERS:
            raise InputError(
                f"cannot use factor {part.strip()[:30]!r} of space {shown}: a point would have {numbers} "
                f"numbers, and at most {MAX_NUMBERS} are accepted; {_accepted()}"
            )
        factors += [m] * power
    return factors


def _parse_factor(text: str) -> tuple[Manifold, int]:
    if not text:
        raise InputError("nothing stands on one side of an 'x'")
    match = _FACTOR.fullmatch(text)
    symbol, sizes, power = match.groups() if match else ("", text, None)
    if symbol not in _SYMBOLS:
        hint = next((s for s in _SYMBOLS if s.lower() == symbol.lower()), None)
        raise InputError(f"no manifold is called {symbol!r}" + (f", did you mean {hint!r}?" if hint else ""))
    cls = _SYMBOLS[symbol]
    names = [f.name for f in fields(cls)]  # type: ignore[arg-type]
    if not sizes:
        raise InputError("its size is missing")
    numbers = sizes[1:-1].split(",") if sizes.startswith("(") else [sizes]
    if len(numbers) != len(names):
        spelled = symbol + (f"({','.join(names)})" if len(names) > 1 else names[0])
        raise InputError(f"its sizes are written {spelled}")
    m = cls(*(_integer(number.strip(), "size") for number in numbers))
    count = 1 if power is None else _integer(power.strip(), "power")
    if count < 1:
        raise InputError("the power must be at least 1")
    return m, count


def _integer(text: str, what: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise InputError(f"{text[:20]!r} is not a {what}, which is a whole number of at most nine digits")
    return int(text)
