r"""Adam on a manifold  [BecigneulGanea2019].

.. math::
    m \leftarrow \beta_1 m + (1-\beta_1)\,g, \qquad v \leftarrow \beta_2 v + (1-\beta_2)\,\|g\|_x^2, \qquad
    x \leftarrow \exp_x\!\left(-\frac{\eta\,\hat m}{\sqrt{\hat v} + \epsilon}\right)

with :math:`\hat m = m/(1-\beta_1^t)`, :math:`\hat v = v/(1-\beta_2^t)`, and ``m`` carried to the new point. A
point has one ``v``, so that the step does not depend on coordinates, and its own count ``t`` of steps.

References
----------
[BecigneulGanea2019] Bécigneul, Ganea. Riemannian adaptive optimization methods. ICLR 2019.
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from riemap.manifolds import Manifold
from riemap.optim.base import Optimizer, State, check_fraction, check_positive
from riemap.specs import value_text
from riemap.types import Array

EPSILON = 1e-8
"""Added to the root of ``v``, as Adam does: a gradient much smaller than this is no gradient."""


@final
@dataclass(frozen=True)
class Betas:
    """How much of the past the two averages keep, spelled ``(0.9,0.999)``."""

    first: float = 0.9
    second: float = 0.999

    @classmethod
    def parse(cls, text: str) -> "Betas":
        """Read ``(0.9,0.999)``."""
        try:
            first, second = (float(part) for part in text.removeprefix("(").removesuffix(")").split(","))
        except ValueError:
            raise ValueError(f"{text!r} is not a pair of numbers such as (0.9,0.999)") from None
        return cls(first, second)

    def __post_init__(self) -> None:
        check_fraction(beta1=self.first, beta2=self.second)

    def __str__(self) -> str:
        return f"({value_text(self.first)},{value_text(self.second)})"


@final
@dataclass(frozen=True)
class RAdam(Optimizer):
    """Adam with the Riemannian norm of each point's gradient."""

    lr: float = 0.01
    betas: Betas = Betas()
    clip: float = 100.0
    retraction: bool = False
    symbol: ClassVar[str] = "radam"

    def __post_init__(self) -> None:
        check_positive(lr=self.lr, clip=self.clip)

    def init(self, m: Manifold, x: Array) -> State:
        """Nothing has been averaged, and no step was made."""
        return np.zeros_like(x), np.zeros(len(x)), np.zeros(len(x))

    def direction(self, m: Manifold, grad: Array, square: Array, state: State) -> tuple[Array, State]:
        """The averaged gradient over the root of its averaged square."""
        momentum, average, count = state
        b1, b2 = self.betas.first, self.betas.second
        count = count + 1.0
        momentum = b1 * momentum + (1.0 - b1) * grad
        average = b2 * average + (1.0 - b2) * square
        length = np.sqrt(average / (1.0 - b2**count)) + EPSILON
        return momentum * m._expand(1.0 / ((1.0 - b1**count) * length)), (momentum, average, count)
