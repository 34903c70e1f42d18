r"""A space to embed in: a product of manifolds, each with a positive scale.

.. math:: d^2(x, y) = \sum_k s_k\,d_k^2(x_k, y_k), \qquad s_k = e^{\ell_k} > 0.

Points of a space are a tuple of arrays, one for each factor. The scales are given by their logarithms
:math:`\ell`, one number a factor; left out, every scale is one.
"""

import functools
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from itertools import groupby
from typing import NamedTuple, TypeAlias, final

import numpy as np

from riemap.errors import InputError
from riemap.lower_triangle import add, mirror, row_products, scale
from riemap.manifolds import MANIFOLDS, Manifold
from riemap.manifolds.base import Pairs
from riemap.types import Array, Rng

Points: TypeAlias = tuple[Array, ...]

MAX_NUMBERS = 4096
"""How many numbers one point may have; a space beyond that is a slip of the keyboard."""


class SpacePairs(NamedTuple):
    """Pairs of points, in every factor of a space."""

    sqdist: Array  # (rows, n)
    gradient: Callable[[Array], tuple[Points, Array]]  # w -> gradients in points and in log-scales


@final
@dataclass(frozen=True)
class Space:
    """A product of one or more manifolds.

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
        """Read a space as it is spelled everywhere: ``"H3^2 x Gr(2,4)"``."""
        return cls(tuple(_parse(text)))

    def __str__(self) -> str:
        groups = [(m, len(list(same))) for m, same in groupby(self.factors)]
        return " x ".join(f"{m}^{count}" if count > 1 else f"{m}" for m, count in groups)

    @property
    def dim(self) -> int:
        """Intrinsic dimension."""
        return sum(m.dim for m in self.factors)

    def random(self, rng: Rng, n: int, radius: float = 1.0) -> Points:
        """``n`` points about the origin, at typical distance ``radius`` from it in every factor."""
        return tuple(m.random(rng, n, radius) for m in self.factors)

    def sqdist(self, x: Points, y: Points, log_scales: Array | None = None) -> Array:
        """Squared distance of ``x`` and ``y``; leading axes broadcast."""
        parts = [m.sqdist(a, b) for m, a, b in zip(self.factors, x, y, strict=True)]
        return _weighted(self._scales(log_scales), parts)

    def pairwise(self, x: Points, y: Points, log_scales: Array | None = None) -> Array:
        """All squared distances, ``(n, m)``."""
        parts = [m.pairwise(a, b) for m, a, b in zip(self.factors, x, y, strict=True)]
        return _weighted(self._scales(log_scales), parts)

    def pairs(self, x: Points, log_scales: Array | None = None) -> SpacePairs:
        r"""All squared distances within ``x``, ready for the way back.

        ``gradient(w)`` differentiates :math:`\sum_{ij} w_{ij}\,d^2(x_i, x_j)`. A point is in a row and
        in a column, so its gradient takes :math:`w + w^\top`; a scale's takes ``w``.
        """
        sqdist, gradient = self.triangle(x, log_scales)
        mirror(sqdist, sqdist)
        return SpacePairs(sqdist, lambda w: gradient(w + w.T))

    def triangle(self, x: Points, log_scales: Array | None = None) -> SpacePairs:
        r"""All squared distances within ``x``, of which only the lower triangle may be read.

        ``gradient(both)`` takes :math:`w + w^\top` and gives what it does for :meth:`pairs`.
        """
        parts = [m.triangle(a) for m, a in zip(self.factors, x, strict=True)]
        return _joined(parts, self._scales(log_scales), True)

    def rows(self, x: Points, rows: slice, log_scales: Array | None = None) -> SpacePairs:
        r"""Squared distances from some of the points to all of them, ready for the way back.

        ``gradient(both)`` takes these rows of :math:`w + w^\top` and gives the gradient at these points of
        :math:`\sum_{ij} w_{ij}\,d^2(x_i, x_j)`, and the share of these rows in that of the log-scales.
        """
        parts = [m.pairs(a[rows], a) for m, a in zip(self.factors, x, strict=True)]
        return _joined(parts, self._scales(log_scales), False)

    def gradient(self, x: Points, w: Array, log_scales: Array | None = None) -> tuple[Points, Array]:
        r"""Gradients of :math:`\sum_{ij} w_{ij}\,d^2(x_i, x_j)` in the points and in the log-scales."""
        return self.pairs(x, log_scales).gradient(w)

    def _scales(self, log_scales: Array | None) -> Array:
        if log_scales is None:
            return np.ones(len(self.factors))
        if np.shape(log_scales) != (len(self.factors),):
            raise InputError(
                f"log-scales of shape {np.shape(log_scales)} for {self}; expected {(len(self.factors),)}"
            )
        return np.exp(log_scales)


def _joined(parts: list[Pairs], scales: Array, symmetric: bool) -> SpacePairs:
    """The sum of the factors' squared distances times their scales; if ``symmetric``, lower triangles."""
    for s, p in zip(scales, parts, strict=True):
        if s != 1.0:
            scale(p.sqdist, s, symmetric)  # ours alone: nothing else has seen it

    def gradient(both: Array) -> tuple[Points, Array]:
        share = 1.0 if symmetric else 0.5
        points = tuple(s * p.gradient(both) for s, p in zip(scales, parts, strict=True))
        products = [row_products(both, p.sqdist, symmetric) for p in parts]
        return points, np.array([share * float(row.sum()) for row in products])

    sqdist = functools.reduce(lambda a, b: add(a, b, symmetric), [p.sqdist for p in parts])
    return SpacePairs(sqdist, gradient)


def _weighted(scales: Array, parts: list[Array]) -> Array:
    """Sum of the parts times their scales, without touching a lone part of scale one."""
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
