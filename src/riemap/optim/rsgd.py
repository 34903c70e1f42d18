r"""Gradient descent on a manifold  [Bonnabel2013], with momentum.

.. math:: m \leftarrow \mu\,m + g, \qquad x \leftarrow \exp_x(-\eta\,m)

References
----------
[Bonnabel2013] Bonnabel. Stochastic gradient descent on Riemannian manifolds. IEEE TAC 2013.
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from riemap.manifolds import Manifold
from riemap.optim.base import Optimizer, State, check_fraction, check_positive
from riemap.types import Array


@final
@dataclass(frozen=True)
class RSGD(Optimizer):
    """Gradient descent, with momentum if it is not zero.

    Parameters
    ----------
    lr
        Learning rate.
    momentum
        Factor of the previous direction; in [0, 1).
    clip
        Largest Riemannian length of a point's gradient; longer ones are shortened to it.
    retraction
        Move points by the retraction of the manifold instead of the exponential map.

    Examples
    --------
    >>> str(RSGD(lr=0.05, momentum=0.9))
    'rsgd(lr=0.05,momentum=0.9)'
    """

    lr: float = 0.01
    momentum: float = 0.0
    clip: float = 20.0
    retraction: bool = False
    symbol: ClassVar[str] = "rsgd"

    def __post_init__(self) -> None:
        check_positive(lr=self.lr, clip=self.clip)
        check_fraction(momentum=self.momentum)

    def init(self, m: Manifold, x: Array) -> State:
        """Return a momentum of zero for each point."""
        return (np.zeros_like(x),)

    def direction(self, m: Manifold, grad: Array, square: Array, state: State) -> tuple[Array, State]:
        """Return the gradient plus the remembered momentum."""
        momentum = self.momentum * state[0] + grad
        return momentum, (momentum,)
