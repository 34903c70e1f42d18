r"""Adam on a manifold  [BecigneulGanea2019].

.. math::
    m \leftarrow \beta_1 m + (1-\beta_1)\,g, \qquad v \leftarrow \beta_2 v + (1-\beta_2)\,\|g\|_x^2, \qquad
    x \leftarrow \exp_x\!\left(-\frac{\eta\,\hat m}{\sqrt{\hat v} + \epsilon}\right)

with :math:`\hat m = m/(1-\beta_1^t)` and :math:`\hat v = v/(1-\beta_2^t)`. The average ``m`` is transported
to the new point. A point has a single ``v``, so that steps do not depend on coordinates, and its own number
of steps ``t``, since a batch moves only some of the points.

References
----------
[BecigneulGanea2019] Bécigneul, Ganea. Riemannian adaptive optimization methods. ICLR 2019.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from riemap.errors import InputError
from riemap.loops import compiled
from riemap.manifolds import Manifold
from riemap.optim.base import Optimizer, State, check_fraction, check_positive
from riemap.specs import expect, value_text
from riemap.types import Array

ADAM_EPSILON = 1e-8
"""Added to the root of ``v``, as in Adam, so that gradients much shorter than this make short steps."""


@final
@dataclass(frozen=True)
class Betas:
    """Decay factors of the two averages, spelled ``(0.9,0.999)``.

    Parameters
    ----------
    first, second
        Factors of the averages of the gradient and of its squared length; each in [0, 1).

    Raises
    ------
    InputError
        If a factor is outside of [0, 1).
    """

    first: float = 0.9
    second: float = 0.999

    @classmethod
    def parse(cls, text: str) -> "Betas":
        """Read a text such as ``(0.9,0.999)``.

        Parameters
        ----------
        text
            Two numbers.

        Returns
        -------
        Betas
            The factors.

        Raises
        ------
        InputError
            If the text is not a pair of numbers.
        """
        try:
            first, second = (float(part) for part in text.removeprefix("(").removesuffix(")").split(","))
        except ValueError:
            raise InputError(f"{text!r} is not a pair of numbers such as (0.9,0.999)") from None
        return cls(first, second)

    def __post_init__(self) -> None:
        check_fraction(beta1=self.first, beta2=self.second)

    def __str__(self) -> str:
        return f"({value_text(self.first)},{value_text(self.second)})"


@final
@dataclass(frozen=True)
class RAdam(Optimizer):
    """Adam with the Riemannian length of each point's gradient.

    Parameters
    ----------
    lr
        Learning rate.
    betas
        Decay factors of the averages.
    clip
        Largest Riemannian length of a point's gradient; longer ones are shortened to it.
    retraction
        Move points by the retraction of the manifold instead of the exponential map.

    Examples
    --------
    >>> str(RAdam(lr=0.05))
    'radam(lr=0.05)'
    """

    lr: float = 0.01
    betas: Betas = Betas()
    clip: float = 100.0
    retraction: bool = False
    symbol: ClassVar[str] = "radam"

    def __post_init__(self) -> None:
        check_positive(lr=self.lr, clip=self.clip)
        expect(self.betas, Betas, "a pair of decay factors", "e.g. Betas(0.9, 0.999)")

    def init(self, m: Manifold, x: Array) -> State:
        """Return averages of zero and a count of zero for each point."""
        return np.zeros_like(x), np.zeros(len(x)), np.zeros(len(x))

    def direction(self, m: Manifold, grad: Array, square: Array, state: State) -> tuple[Array, State]:
        """Return the average gradient, divided by the root of the average squared length."""
        shape, flat = grad.shape, (len(grad), -1)
        grad, momentum = grad.reshape(flat), state[0].reshape(flat)
        u, new_momentum, new_average = np.empty_like(grad), np.empty_like(grad), np.empty(len(grad))
        new_count = state[2] + 1.0
        b1, b2 = self.betas.first, self.betas.second
        _direction(grad, momentum, square, state[1], new_count, b1, b2, u, new_momentum, new_average)
        return u.reshape(shape), (new_momentum.reshape(shape), new_average, new_count)


@compiled
def _direction(
    grad: Array,
    momentum: Array,
    square: Array,
    average: Array,
    count: Array,
    b1: float,
    b2: float,
    u: Array,
    new_momentum: Array,
    new_average: Array,
) -> None:
    """Apply the formula of this module to each point."""
    n, size = grad.shape
    steps, first, second = -1.0, 0.0, 0.0  # divisors of the averages, which points with the same count share
    for i in range(n):
        if count[i] != steps:
            steps = count[i]
            first, second = 1.0 - b1**steps, 1.0 - b2**steps
        new_average[i] = b2 * average[i] + (1.0 - b2) * square[i]
        length = math.sqrt(new_average[i] / second) + ADAM_EPSILON
        scale = 1.0 / (first * length)
        for k in range(size):
            new_momentum[i, k] = b1 * momentum[i, k] + (1.0 - b1) * grad[i, k]
            u[i, k] = new_momentum[i, k] * scale
