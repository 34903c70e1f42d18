"""What an optimizer is."""

import math
from abc import ABC, abstractmethod
from dataclasses import fields
from typing import ClassVar, TypeAlias, final

import numpy as np

from riemap.errors import InputError
from riemap.manifolds import Manifold
from riemap.specs import value_text
from riemap.types import Array

State: TypeAlias = tuple[Array, ...]


class Optimizer(ABC):
    """A rule for steps against a gradient, spelled ``name(key=value)``; it holds numbers, and no arrays."""

    symbol: ClassVar[str]
    lr: float
    clip: float
    retraction: bool

    @abstractmethod
    def init(self, m: Manifold, x: Array) -> State:
        """What to remember about each point before the first step; one row a point."""

    @abstractmethod
    def direction(self, m: Manifold, grad: Array, square: Array, state: State) -> tuple[Array, State]:
        """Where to go for a gradient of that squared length, before the rate, and what to remember."""

    @final
    def step(
        self, m: Manifold, x: Array, grad: Array, state: State, lr_factor: float = 1.0
    ) -> tuple[Array, State]:
        """New points and state, after a step at ``lr_factor`` times the learning rate.

        The gradient of each point is clipped to the length ``clip``, and the first array of the state, the
        momentum, is carried along to the new point.
        """
        square = np.maximum(m.inner(x, grad, grad), 0.0)
        if math.sqrt(square.max(initial=0.0)) > self.clip:
            shorter = self.clip / np.maximum(np.sqrt(square), self.clip)
            grad, square = grad * m._expand(shorter), square * shorter**2
        u, (momentum, *rest) = self.direction(m, grad, square, state)
        u = u * (-lr_factor * self.lr)
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
    """Refuse numbers that are not positive."""
    for name, value in values.items():
        if not value > 0.0:
            raise InputError(f"{name}={value:g} is not positive")


def check_fraction(**values: float) -> None:
    """Refuse numbers outside of [0, 1)."""
    for name, value in values.items():
        if not 0.0 <= value < 1.0:
            raise InputError(f"{name}={value:g} is not in [0, 1)")
