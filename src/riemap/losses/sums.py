"""Losses made of others: weighted sums, and functions that a user brings."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from riemap.errors import InputError
from riemap.losses.base import STATISTICS_ROWS, Loss, RowBlock
from riemap.lower_triangle import accumulate, scale
from riemap.specs import expect, finite_number, shown, value_text
from riemap.types import Array


@final
@dataclass(frozen=True)
class Sum(Loss):
    """A weighted sum of losses, spelled ``rsne(T=0.02) + 0.3*ad``.

    Parameters
    ----------
    terms
        Pairs of a positive factor and a loss. A term that is a sum is replaced by its own terms.

    Raises
    ------
    InputError
        If a factor is not a positive finite number, or a term is ``walks``.
    """

    terms: tuple[tuple[float, Loss], ...]
    symbol: ClassVar[str] = "sum"

    def __post_init__(self) -> None:
        expect(self.terms, tuple, "a tuple of pairs of a factor and a loss", "e.g. ((0.3, as_loss('ad')),)")
        for term in self.terms:
            expect(term, tuple, "a pair of a factor and a loss", "e.g. (0.3, as_loss('ad'))")
            finite_number("factor", term[0], 0.3)
        flat = [(f * g, part) for f, loss in self.terms for g, part in _terms(loss)]
        object.__setattr__(self, "terms", tuple(flat))
        if not flat:
            raise InputError("a sum of losses needs at least one term, e.g. 'rsne(T=0.02) + 0.3*ad'")
        for factor, loss in self.terms:
            if loss.compares_walks:
                raise InputError(
                    f"{loss} compares random walks, and other losses compare distances in the graph, so that "
                    f"it is no term of a sum and has no factor; take {loss} alone, e.g. --loss {loss}"
                )
            if not 0.0 < factor < float("inf"):
                raise InputError(f"the factor of {loss} is {factor:g}; it must be positive, e.g. 0.3*ad")

    @property
    def blockwise(self) -> bool:
        """Whether all terms are."""
        return all(loss.blockwise for _, loss in self.terms)

    @property
    def compares_rows(self) -> bool:
        """Whether a term does."""
        return any(loss.compares_rows for _, loss in self.terms)

    @property
    def least_at_target(self) -> bool:
        """Whether all terms are."""
        return all(loss.least_at_target for _, loss in self.terms)

    @property
    def needs_near_pairs(self) -> bool:
        """Whether a term does."""
        return any(loss.needs_near_pairs for _, loss in self.terms)

    @property
    def reads_both_triangles(self) -> bool:
        """Whether a term does."""
        return any(loss.reads_both_triangles for _, loss in self.terms)

    def __str__(self) -> str:
        return " + ".join(
            f"{loss}" if factor == 1.0 else f"{value_text(factor)}*{loss}" for factor, loss in self.terms
        )

    def at_progress(self, progress: float) -> "Sum":
        """Return the sum of the terms at that moment."""
        return Sum(tuple((factor, loss.at_progress(progress)) for factor, loss in self.terms))

    def for_target(self, least: float) -> "Sum":
        """Return the sum of the terms for that target."""
        return Sum(tuple((factor, loss.for_target(least)) for factor, loss in self.terms))

    def statistics(self, block: RowBlock) -> Array:
        """Compute the statistics of all terms that have some, one below the other."""
        each = [loss.statistics(block) for _, loss in self.terms if loss.compares_rows]
        return np.concatenate([np.empty((0, len(block.sqdist))), *each])

    def rows(self, block: RowBlock, *, statistics: Array, both_ends: bool, out: Array) -> float:
        """Compute the weighted sums of contributions and of weights."""
        used = 0

        def one(loss: Loss, part: Array) -> float:
            nonlocal used
            own = statistics[used : used + (STATISTICS_ROWS if loss.compares_rows else 0)]
            used += len(own)
            return loss.rows(block, statistics=own, both_ends=both_ends, out=part)

        return self._added(one, out, False)

    def lower(self, target: Array, sqdist: Array, *, out: Array) -> float:
        """Compute each term by its own method for lower triangles."""
        return self._added(lambda loss, part: loss.lower(target, sqdist, out=part), out, True)

    def _added(self, one: Callable[[Loss, Array], float], out: Array, symmetric: bool) -> float:
        """Add up the values and weights that ``one`` computes; if symmetric, only the lower triangles."""
        (factor, loss), *others = self.terms
        total = factor * one(loss, out)
        if factor != 1.0:  # saves a pass over all pairs
            scale(out, factor, symmetric)
        part = _scratch(out.shape) if others else out
        for factor, loss in others:
            total += factor * one(loss, part)
            accumulate(out, factor, part, symmetric)
        return total


def coarse_and_fine(loss: Loss) -> tuple[Loss, Loss]:
    """Divide a loss into terms that any pairs can train, and terms that only put near pairs in order.

    Parameters
    ----------
    loss
        The loss.

    Returns
    -------
    tuple of two Loss
        The two parts of a sum that has both kinds of terms. Any other loss is both parts.

    Examples
    --------
    >>> from riemap.losses import as_loss
    >>> [str(part) for part in coarse_and_fine(as_loss("ad + 0.5*edges"))]
    ['ad', '0.5*edges']
    """
    terms = _terms(loss)
    fine = tuple(term for term in terms if term[1].refines)
    coarse = tuple(term for term in terms if not term[1].needs_near_pairs)
    if not fine or not coarse:
        return loss, loss
    return coarse[0][1] if len(coarse) == 1 and coarse[0][0] == 1.0 else Sum(coarse), Sum(fine)


_kept = threading.local()


def _scratch(shape: tuple[int, ...]) -> Array:
    """Return an uninitialised array, the same one in every step.

    The operating system would have to map and clear the memory of a new array each time.
    """
    if getattr(_kept, "shape", None) != shape:
        _kept.shape, _kept.array = shape, np.empty(shape)
    found: Array = _kept.array
    return found


def _terms(loss: Loss) -> tuple[tuple[float, Loss], ...]:
    return loss.terms if isinstance(loss, Sum) else ((1.0, loss),)


@final
@dataclass(frozen=True)
class Custom(Loss):
    r"""A loss made of a user's function.

    Parameters
    ----------
    function
        Takes target and sqdist, both ``(n, n)``, and returns the value and the weights
        :math:`\partial L/\partial d_{ij}^2`, ``(n, n)``. Weights on the diagonal are ignored.
    """

    function: Callable[[Array, Array], tuple[float, Array]]
    symbol: ClassVar[str] = "custom"

    @property
    def blockwise(self) -> bool:
        """No: the function takes whole matrices."""
        return False

    @property
    def least_at_target(self) -> bool:
        """No: nothing is known about the function."""
        return False

    def __str__(self) -> str:
        return getattr(self.function, "__name__", self.symbol)

    def rows(self, block: RowBlock, *, statistics: Array, both_ends: bool, out: Array) -> float:
        """Call the function, and check the shapes of what it returns."""
        sqdist = block.sqdist
        found = self.function(block.target, sqdist)
        if not isinstance(found, tuple) or len(found) != 2:
            raise InputError(
                f"the loss {self} returned {shown(found)}; "
                f"expected a number and weights of shape {sqdist.shape}"
            )
        value, weights = found
        if np.shape(weights) != sqdist.shape or np.shape(value) != ():
            raise InputError(
                f"the loss {self} returned a value of shape {np.shape(value)} and weights of shape "
                f"{np.shape(weights)}; expected a number and weights of shape {sqdist.shape}"
            )
        np.add(weights, np.transpose(weights) if both_ends else 0.0, out=out)
        np.fill_diagonal(out, 0.0)
        return float(value)
