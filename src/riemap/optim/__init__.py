"""Optimizers: gradient descent on manifolds.

An optimizer has ``init(m, x) -> state`` and ``step(m, x, grad, state, lr_factor) -> (x, state)``. A state is
a tuple of arrays with one row a point. To move only some of the points, give :meth:`Optimizer.step` the rows
of these points.
"""

from riemap.optim.base import Optimizer, State
from riemap.optim.radam import Betas, RAdam
from riemap.optim.rsgd import RSGD
from riemap.specs import resolve

__all__ = ["OPTIMIZERS", "RSGD", "Betas", "Optimizer", "RAdam", "State", "as_optimizer"]

OPTIMIZERS: tuple[type[Optimizer], ...] = (RAdam, RSGD)
"""All optimizers. A class that is added here is known everywhere."""


def as_optimizer(given: str | Optimizer) -> Optimizer:
    """Make an optimizer of its spelling.

    Parameters
    ----------
    given
        A text such as ``"radam(lr=0.05)"``, or an optimizer.

    Returns
    -------
    Optimizer
        The optimizer; ``given`` itself if it is one.

    Raises
    ------
    InputError
        If the text is not the spelling of an optimizer.

    Examples
    --------
    >>> str(as_optimizer("radam(lr=0.05)"))
    'radam(lr=0.05)'
    """
    if isinstance(given, Optimizer):
        return given
    registry = {optimizer.symbol: optimizer for optimizer in OPTIMIZERS}
    return resolve(given, registry, what="optimizer", example="radam(lr=0.01)")()
