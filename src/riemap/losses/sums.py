"""Losses made of others: weighted sums, and functions that a user brings."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from riemap.errors import InputError
from riemap.losses.base import Loss
from riemap.lower_triangle import accumulate, scale
from riemap.specs import value_text
from riemap.types import Array

_ROWS = 3  # of statistics, of every loss that has any


@final
@dataclass(frozen=True)
class Sum(Loss):
    """Several losses, each times a factor, spelled ``rsne(T=0.02) + 0.3*ad``."""

    terms: tuple[tuple[float, Loss], ...]
    symbol: ClassVar[str] = "sum"

    def __post_init__(self) -> None:
        flat = [(f * g, part) for f, loss in self.terms for g, part in _terms(loss)]
        object.__setattr__(self, "terms", tuple(flat))
        losses = [loss for _, loss in self.terms]
        object.__setattr__(self, "blockwise", all(loss.blockwise for loss in losses))
        object.__setattr__(self, "compares_rows", any(loss.compares_rows for loss in losses))
        object.__setattr__(self, "least_at_target", all(loss.least_at_target for loss in losses))
        object.__setattr__(self, "needs_near_pairs", any(loss.needs_near_pairs for loss in losses))
        for factor, loss in self.terms:
            if not 0.0 < factor < float("inf"):
                raise InputError(f"the factor of {loss} is {factor:g}; it must be positive, e.g. 0.3*ad")

    def __str__(self) -> str:
        return " + ".join(
            f"{loss}" if factor == 1.0 else f"{value_text(factor)}*{loss}" for factor, loss in self.terms
        )

    def at_progress(self, progress: float) -> "Sum":
        """Each loss at that moment."""
        return Sum(tuple((factor, loss.at_progress(progress)) for factor, loss in self.terms))

    def for_target(self, least: float) -> "Sum":
        """Each loss for that target."""
        return Sum(tuple((factor, loss.for_target(least)) for factor, loss in self.terms))

    def statistics(self, target: Array, sqdist: Array, first: int) -> Array:
        """Those of all losses, one after the other."""
        each = [loss.statistics(target, sqdist, first) for _, loss in self.terms if loss.compares_rows]
        return np.concatenate([np.empty((0, len(sqdist))), *each])

    def rows(
        self, target: Array, sqdist: Array, first: int, statistics: Array, both_ends: bool, out: Array
    ) -> float:
        """Weighted sums of values and weights."""
        used = 0

        def one(loss: Loss, part: Array) -> float:
            nonlocal used
            own = statistics[used : used + (_ROWS if loss.compares_rows else 0)]
            used += len(own)
            return loss.rows(target, sqdist, first, own, both_ends, part)

        return self._added(one, out, False)

    def lower(self, target: Array, sqdist: Array, out: Array) -> float:
        """Each in its own way."""
        return self._added(lambda loss, part: loss.lower(target, sqdist, part), out, True)

    def _added(self, one: Callable[[Loss, Array], float], out: Array, symmetric: bool) -> float:
        """The sum of what ``one`` says of each loss, of values and of weights (lower triangles or all)."""
        (factor, loss), *others = self.terms
        total = factor * one(loss, out)
        if factor != 1.0:  # a pass over all pairs
            scale(out, factor, symmetric)
        part = _scratch(out.shape) if others else out
        for factor, loss in others:
            total += factor * one(loss, part)
            accumulate(out, factor, part, symmetric)
        return total


_kept = threading.local()


def _scratch(shape: tuple[int, ...]) -> Array:
    """The same memory in every step: a new array of this size would be paged in each time."""
    if getattr(_kept, "shape", None) != shape:
        _kept.shape, _kept.array = shape, np.empty(shape)
    found: Array = _kept.array
    return found


def _terms(loss: Loss) -> tuple[tuple[float, Loss], ...]:
    """Of a sum within a sum, its own."""
    return loss.terms if isinstance(loss, Sum) else ((1.0, loss),)


@final
@dataclass(frozen=True)
class Custom(Loss):
    """A function of (target, sqdist) that gives a value and its slopes, as any loss does."""

    function: Callable[[Array, Array], tuple[float, Array]]
    symbol: ClassVar[str] = "custom"
    blockwise: ClassVar[bool] = False
    least_at_target: ClassVar[bool] = False

    def __str__(self) -> str:
        return getattr(self.function, "__name__", self.symbol)

    def rows(
        self, target: Array, sqdist: Array, first: int, statistics: Array, both_ends: bool, out: Array
    ) -> float:
        """What the function says, checked."""
        value, weights = self.function(target, sqdist)
        if np.shape(weights) != sqdist.shape or np.shape(value) != ():
            raise InputError(
                f"the loss {self} gave a value of shape {np.shape(value)} and weights of shape "
                f"{np.shape(weights)}; expected a number and {sqdist.shape}"
            )
        np.add(weights, np.transpose(weights) if both_ends else 0.0, out=out)
        np.fill_diagonal(out, 0.0)
        return float(value)
