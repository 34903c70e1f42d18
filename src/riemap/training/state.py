"""The state of training between two epochs, and the record of an epoch."""

from collections.abc import Callable
from typing import NamedTuple, Self, final

import numpy as np

from riemap.embeddings import Embedding
from riemap.optim import State as OptimizerState
from riemap.spaces import Points
from riemap.types import Array


class EpochRecord(NamedTuple):
    """What happened in one epoch.

    Parameters
    ----------
    epoch
        Number of the epoch, from 0.
    stage
        Number of its stage, from 0.
    loss
        Value of the loss: over all pairs before the step, or the mean over the batches.
    lr
        Learning rate.
    seconds
        Seconds of training since its start, including this epoch. The time of callbacks and checkpoints does
        not count.
    """

    epoch: int
    stage: int
    loss: float
    lr: float
    seconds: float


@final
class EpochReport(EpochRecord):
    """The record of an epoch as a callback receives it; it also gives the embedding so far.

    A report keeps the points of its epoch in memory. A callback that collects one an epoch should collect
    ``EpochRecord(*report)`` instead.
    """

    _make_embedding: Callable[[], Embedding]

    @classmethod
    def of(cls, record: EpochRecord, make_embedding: Callable[[], Embedding]) -> Self:
        """Make a report of a record and a function that makes the embedding."""
        report = cls(*record)
        report._make_embedding = make_embedding
        return report

    def embedding(self) -> Embedding:
        """Return the embedding so far.

        Returns
        -------
        Embedding
            What :func:`riemap.training.fit` would return if the run stopped after this epoch: the best points
            of the present stage.
        """
        return self._make_embedding()


@final
class TrainingState(NamedTuple):
    """Everything that decides how training continues after an epoch, to the last byte.

    :meth:`Trainer.init <riemap.training.Trainer.init>` makes the first one, and
    :meth:`Trainer.step <riemap.training.Trainer.step>` makes the next one of it. Its arrays are not modified.

    Parameters
    ----------
    points
        Points of all nodes, one array a factor of the space.
    log_scales
        Logarithms of the scales, one a factor.
    moments
        What the optimizer remembers about the points of each factor: averages of gradients.
    scale_moments
        The same for the log-scales.
    seed
        Seed of the batches.
    epoch
        Number of finished epochs.
    lr_factor
        Factor of the learning rate: a tenth for each plateau of this stage and for each rollback.
    stalled_epochs
        Number of epochs since the loss last improved. It counts in stages with the schedule ``plateau``.
    rollbacks
        How often the loss became NaN or infinite, and training returned to the best points.
    best_loss
        Loss of the best points of the present stage; infinite before its first epoch ends.
    best_points, best_log_scales
        Those points and their log-scales; empty before the first epoch of a stage ends.
    record
        Record of the last finished epoch; ``None`` before the first.
    seconds
        Seconds spent on training so far.
    """

    points: Points
    log_scales: Array
    moments: tuple[OptimizerState, ...]
    scale_moments: OptimizerState
    seed: int = 0
    epoch: int = 0
    lr_factor: float = 1.0
    stalled_epochs: int = 0
    rollbacks: int = 0
    best_loss: float = float("inf")
    best_points: Points = ()
    best_log_scales: Array = np.empty(0)
    record: EpochRecord | None = None
    seconds: float = 0.0
