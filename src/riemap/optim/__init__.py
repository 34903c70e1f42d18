"""Gradient descent on manifolds.

An optimizer has ``init(m, x) -> state`` and ``step(m, x, grad, state, lr_factor) -> (x, state)``.

A state is a tuple of arrays with one row a point, so that a step on some of the points takes their rows.
"""

from riemap.optim.base import Optimizer, State
from riemap.optim.radam import RAdam
from riemap.optim.rsgd import RSGD
from riemap.specs import resolve

__all__ = ["OPTIMIZERS", "RSGD", "Optimizer", "RAdam", "State", "as_optimizer"]

OPTIMIZERS: tuple[type[Optimizer], ...] = (RAdam, RSGD)


def as_optimizer(given: str | Optimizer) -> Optimizer:
    """An optimizer from its spelling.

    >>> str(as_optimizer("radam(lr=0.05)"))
    'radam(lr=0.05)'
    """
    if isinstance(given, Optimizer):
        return given
    registry = {optimizer.symbol: optimizer for optimizer in OPTIMIZERS}
    return resolve(given, registry, what="optimizer", example="radam(lr=0.01)")()
