"""Losses made of others: weighted sums, and functions that a user brings."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from riemap.losses.base import Loss
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
        losses = [loss for _, loss in self.terms]
        object.__setattr__(self, "blockwise", all(loss.blockwise for loss in losses))
        object.__setattr__(self, "compares_rows", any(loss.compares_rows for loss in losses))
        object.__setattr__(self, "faithful", all(loss.faithful for loss in losses))
        for factor, loss in self.terms:
            if not 0.0 < factor < float("inf"):
                raise ValueError(f"the factor of {loss} is {factor:g}; it must be positive, e.g. 0.3*ad")

    def __str__(self) -> str:
        return " + ".join(
            f"{loss}" if factor == 1.0 else f"{value_text(factor)}*{loss}" for factor, loss in self.terms
        )

    def at(self, progress: float) -> "Sum":
        """Each loss at that moment."""
        return Sum(tuple((factor, loss.at(progress)) for factor, loss in self.terms))

    def on(self, least: float) -> "Sum":
        """Each loss for that target."""
        return Sum(tuple((factor, loss.on(least)) for factor, loss in self.terms))

    def statistics(self, target: Array, sqdist: Array, first: int) -> Array:
        """Those of all losses, one after the other."""
        each = [loss.statistics(target, sqdist, first) for _, loss in self.terms if loss.compares_rows]
        return np.concatenate([np.empty((0, len(sqdist))), *each])

    def rows(
        self, target: Array, sqdist: Array, first: int, statistics: Array, both: bool, out: Array
    ) -> float:
        """Weighted sums of values and weights."""
        total, part, used = 0.0, np.empty_like(out), 0
        out[:] = 0.0
        for factor, loss in self.terms:
            count = _ROWS if loss.compares_rows else 0
            total += factor * loss.rows(target, sqdist, first, statistics[used : used + count], both, part)
            part *= factor
            out += part
            used += count
        return total


@final
@dataclass(frozen=True)
class Custom(Loss):
    """A function of (target, sqdist) that gives a value and its slopes, as any loss does."""

    function: Callable[[Array, Array], tuple[float, Array]]
    symbol: ClassVar[str] = "custom"
    blockwise: ClassVar[bool] = False
    faithful: ClassVar[bool] = False

    def __str__(self) -> str:
        return getattr(self.function, "__name__", self.symbol)

    def rows(
        self, target: Array, sqdist: Array, first: int, statistics: Array, both: bool, out: Array
    ) -> float:
        """What the function says, checked."""
        value, weights = self.function(target, sqdist)
        if np.shape(weights) != sqdist.shape or np.shape(value) != ():
            raise ValueError(
                f"the loss {self} gave a value of shape {np.shape(value)} and weights of shape "
                f"{np.shape(weights)}; expected a number and {sqdist.shape}"
            )
        np.add(weights, np.transpose(weights) if both else 0.0, out=out)
        np.fill_diagonal(out, 0.0)
        return float(value)
