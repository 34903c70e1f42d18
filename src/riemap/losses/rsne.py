r"""The loss of stochastic neighbour embedding, which compares neighbourhoods rather than lengths.

Each node ``i`` has two distributions over the other nodes, one from the graph and one from the embedding,

.. math:: p_{j|i} \propto e^{-\delta_{ij}^2 / T}, \qquad q_{j|i} \propto e^{-d_{ij}^2},

and the loss is the mean over ``i`` of a divergence between them  [HintonRoweis2002], [Cruceru2021, sec. 4].
With a small temperature ``T`` only the nearest nodes count, with a large one all nodes do.

References
----------
[HintonRoweis2002] Hinton, Roweis. Stochastic neighbor embedding. NIPS 2002.
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph embeddings.
    AAAI 2021.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from riemap.losses.base import Loss, RowBlock
from riemap.losses.few_exponentials import combine_few_exponentials, few_exponentials
from riemap.losses.rsne_kernels import (
    combine_exponentials,
    exclusive_weights,
    exponentials,
    inclusive_weights,
    row_statistics,
)
from riemap.losses.schedule import Schedule
from riemap.lower_triangle import mirror
from riemap.types import Array

LEAST_NORMALISER = 1e-290
"""Smallest sum of exponentials that is computed without subtracting the smallest exponent first.

The terms of a smaller sum are close to the smallest normal float, 2e-308, and have lost digits.
"""

FEW_PAIRS = 1 << 11
"""Number of pairs up to which NumPy computes the exponentials: 45 nodes. There it takes 20 microseconds more
than the loops, whose compilation takes 0.6 seconds of a first run."""

NEAR_PAIRS_TEMPERATURE = 0.1
"""Temperature below which the nearest neighbours decide the loss.

Squared target distances go up to one, so that above it most nodes have a share in each distribution.
"""

DEFAULT_TEMPERATURE = Schedule(0.02, 0.02)
"""Temperature unless another is given: low enough for the nearest nodes to count most."""


@final
@dataclass(frozen=True)
class RSNE(Loss):
    r"""Mean over nodes of :math:`\mathrm{KL}(p_i\,\|\,q_i)`, which punishes lost neighbours most.

    Parameters
    ----------
    T
        The temperature, or a schedule of it.
    exclusive
        Take :math:`\mathrm{KL}(q_i\,\|\,p_i)` instead, which punishes pairs that are close in the embedding
        only.
    same_temperature
        Take :math:`q_{j|i} \propto e^{-d_{ij}^2 / T}`. The loss then has its minimum where the embedded
        distances are the target, and not :math:`T^{-1/2}` times as long, so that it agrees with a loss of
        lengths in a sum.

    Examples
    --------
    >>> str(RSNE(T="0.5->0.02"))
    'rsne(T=0.5->0.02)'
    """

    T: Schedule = DEFAULT_TEMPERATURE
    exclusive: bool = False
    same_temperature: bool = False
    symbol: ClassVar[str] = "rsne"

    def __post_init__(self) -> None:
        if not isinstance(self.T, Schedule):
            object.__setattr__(self, "T", Schedule.parse(str(self.T)))

    @property
    def compares_rows(self) -> bool:
        """Yes: each row has its own normalisers."""
        return True

    @property
    def needs_near_pairs(self) -> bool:
        """Whether the temperature is low at the start or at the end."""
        return min(self.T.start, self.T.end) < NEAR_PAIRS_TEMPERATURE

    @property
    def reads_both_triangles(self) -> bool:
        """Only if exclusive: the other divergence has a faster method that visits each pair once."""
        return self.exclusive

    def at_progress(self, progress: float) -> "RSNE":
        """Return the loss with the temperature of that moment."""
        now = self.T.value_at(progress)
        return self if now == self.T.start == self.T.end else replace(self, T=Schedule(now, now))

    @property
    def _inverses(self) -> tuple[float, float]:
        """The factors of target and squared distances in the exponents."""
        return 1.0 / self.T.start, 1.0 / self.T.start if self.same_temperature else 1.0

    def statistics(self, block: RowBlock) -> Array:
        """Compute the logarithms of both normalisers and the divergence of each row."""
        target, sqdist, first = block
        return row_statistics(target, sqdist, *self._inverses, first, self.exclusive)

    def rows(self, block: RowBlock, *, statistics: Array, both_ends: bool, out: Array) -> float:
        """Compute the contribution of a block to the mean divergence, and the weights."""
        target, sqdist, first = block
        weigh = exclusive_weights if self.exclusive else inclusive_weights
        weigh(target, sqdist, *self._inverses, first, statistics, both_ends, out)
        return float(statistics[2, first : first + len(sqdist)].sum()) / sqdist.shape[1]

    def lower(self, target: Array, sqdist: Array, *, out: Array) -> float:
        """Compute half of the exponentials, once, and use them for the statistics and for the weights."""
        if self.exclusive:
            return super().lower(target, sqdist, out=out)
        few = out.size <= FEW_PAIRS
        sums = (few_exponentials if few else exponentials)(target, sqdist, *self._inverses, out)
        if not sums[:2].min() > LEAST_NORMALISER:
            return super().lower(_symmetric(target), _symmetric(sqdist), out=out)
        inverses = self._inverses[1] / (len(out) * sums[:2])
        (combine_few_exponentials if few else combine_exponentials)(inverses, out)
        return float(np.mean(sums[2] / sums[0] - np.log(sums[0] / sums[1])))


def _symmetric(lower: Array) -> Array:
    """Return the symmetric matrix with this lower triangle."""
    both = lower.copy()
    mirror(both, lower)
    return both
