r"""The loss of an embedding that is made for prediction: where random walks lead, and how near that is.

With :math:`s_{ij}` the probability that a walk leads from ``i`` to ``j`` or back, of
:mod:`riemap.distances.walks`, each node ``i`` has two distributions over the other nodes,

.. math:: p_{j|i} \propto s_{ij}, \qquad q_{j|i} \propto e^{-d_{ij}^2},

and the loss is the mean over ``i`` of :math:`\mathrm{KL}(p_i\,\|\,q_i)`: :class:`riemap.losses.RSNE` of the
dissimilarities :math:`\delta_{ij}^2 = -\log s_{ij}`, at the temperature that undoes their scaling.
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from riemap.distances.walks import NEAREST_SQUARE
from riemap.losses.base import Loss, RowBlock
from riemap.losses.rsne import RSNE
from riemap.losses.schedule import Schedule
from riemap.types import Array


@final
@dataclass(frozen=True)
class Walks(Loss):
    """Mean divergence between where random walks lead and the neighbourhoods of the embedding.

    Its target are the dissimilarities of walks, and not distances of the graph, so that it is no term of a
    sum with losses of distances.

    Examples
    --------
    >>> str(Walks().for_target(0.001))
    'rsne(T=0.1)'
    """

    symbol: ClassVar[str] = "walks"

    @property
    def compares_walks(self) -> bool:
        """Yes."""
        return True

    @property
    def compares_rows(self) -> bool:
        """Yes: each row has its own normalisers."""
        return True

    @property
    def least_at_target(self) -> bool:
        """No: it is at the dissimilarities themselves, which are larger than the scaled ones."""
        return False

    def for_target(self, least: float) -> RSNE:
        """Return the loss at the temperature for which the target's smallest entry is ``NEAREST_SQUARE``."""
        temperature = least / NEAREST_SQUARE
        return RSNE(Schedule(temperature, temperature))

    def statistics(self, block: RowBlock) -> Array:
        """Compute the statistics of RSNE; the smallest entry is that of the block."""
        return self.for_target(_least(block)).statistics(block)

    def rows(self, block: RowBlock, *, statistics: Array, both_ends: bool, out: Array) -> float:
        """Compute the contribution of RSNE; the smallest entry is that of the block."""
        bound = self.for_target(_least(block))
        return bound.rows(block, statistics=statistics, both_ends=both_ends, out=out)


def _least(block: RowBlock) -> float:
    """The smallest target between two different nodes."""
    other = np.ones(block.target.shape, dtype=bool)
    other[block.diagonal] = False
    return float(block.target[other].min())
