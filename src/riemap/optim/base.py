"""The interface of an optimizer."""

import math
from abc import ABC, abstractmethod
from dataclasses import fields
from typing import ClassVar, TypeAlias, final

import numpy as np

from riemap.errors import InputError
from riemap.manifolds import Manifold
from riemap.specs import finite_number, value_text
from riemap.types import Array

State: TypeAlias = tuple[Array, ...]
"""What an optimizer remembers: arrays with one row a point. The first is the momentum, a tangent vector."""


LONGEST_STEP = 1e6
"""Longest step of a point, as a Riemannian length. A step is wrong by about 1e-16 of its length, so that much
longer ones end off the manifold. The largest target is one: whoever steps this far has diverged."""

HARMLESS_STEP = 1e4
"""Product of learning rate and clip up to which no step is measured: none can then be as long as above."""


class Optimizer(ABC):
    """A rule for steps against a gradient, spelled ``name(key=value)``.

    A subclass is a frozen dataclass of numbers; what changes during training is in the state.

    Attributes
    ----------
    lr
        Learning rate.
    clip
        Largest Riemannian length of a point's gradient; longer ones are shortened to it.
    retraction
        Move points by the retraction of the manifold instead of the exponential map.
    """

    symbol: ClassVar[str]
    lr: float
    clip: float
    retraction: bool

    @abstractmethod
    def init(self, m: Manifold, x: Array) -> State:
        """Make the state before the first step.

        Parameters
        ----------
        m
            The manifold.
        x
            The points.

        Returns
        -------
        State
            Arrays with one row a point.
        """

    @abstractmethod
    def direction(self, m: Manifold, grad: Array, square: Array, state: State) -> tuple[Array, State]:
        """Compute the direction of a step, which is then multiplied by minus the learning rate.

        Parameters
        ----------
        m
            The manifold.
        grad
            The clipped gradient of each point.
        square
            Its squared Riemannian length.
        state
            The state before the step.

        Returns
        -------
        tuple of Array and State
            A tangent vector for each point, and the state after the step.
        """

    @final
    def step(
        self, m: Manifold, x: Array, grad: Array, state: State, lr_factor: float = 1.0
    ) -> tuple[Array, State]:
        """Move points against their gradients.

        The gradient of each point is clipped to the length ``clip``. The first array of the state, the
        momentum, is transported to the new points.

        Parameters
        ----------
        m
            The manifold.
        x
            The points.
        grad
            Their Riemannian gradients.
        state
            The state before the step.
        lr_factor
            Factor of the learning rate.

        Returns
        -------
        tuple of Array and State
            The new points, and the state after the step.

        Raises
        ------
        FloatingPointError
            If a point would move farther than ``LONGEST_STEP``.
        """
        square = np.maximum(m.inner(x, grad, grad), 0.0)
        if math.sqrt(square.max(initial=0.0)) > self.clip:
            shorter = self.clip / np.maximum(np.sqrt(square), self.clip)
            grad, square = grad * m._expand(shorter), square * shorter**2
        u, (momentum, *rest) = self.direction(m, grad, square, state)
        u = u * (-lr_factor * self.lr)
        if lr_factor * self.lr * max(self.clip, 1.0) > HARMLESS_STEP:
            with np.errstate(over="ignore"):  # an infinite length is too long as well
                longest = m.norm(x, u).max(initial=0.0)
            if not longest <= LONGEST_STEP:
                raise FloatingPointError(f"a step is longer than {LONGEST_STEP:g}")
        if self.retraction:
            y = m.project(m.retract(x, u))
            return y, (m.transport(x, y, momentum), *rest)
        y, momentum = m.move(x, u, momentum)
        return y, (momentum, *rest)

    @final
    def __str__(self) -> str:
        shown = [f for f in fields(self) if f.name == "lr" or getattr(self, f.name) != f.default]  # type: ignore[arg-type]
        return f"{self.symbol}({','.join(f'{f.name}={value_text(getattr(self, f.name))}' for f in shown)})"


def check_positive(**values: float) -> None:
    """Raise ``InputError`` for what is not a positive finite number; only ``clip`` may be infinite."""
    for name, value in values.items():
        if name == "clip" and isinstance(value, float) and value == math.inf:
            continue
        if not finite_number(name, value, 0.1) > 0.0:
            raise InputError(f"{name}={value:g} is not positive")


def check_fraction(**values: float) -> None:
    """Raise ``InputError`` for a number outside of [0, 1)."""
    for name, value in values.items():
        if not 0.0 <= finite_number(name, value, 0.9) < 1.0:
            raise InputError(f"{name}={value:g} is not in [0, 1)")
