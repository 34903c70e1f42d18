"""One epoch of a plan: the start of a stage, the steps, the comparison with the best points, the rollback."""

import math
import warnings
from typing import final

import numpy as np

from riemap.errors import DivergedError
from riemap.kernel_cache import working_seconds
from riemap.losses import Loss
from riemap.spaces import Points
from riemap.training.plan import Plan, Stage
from riemap.training.state import EpochRecord, TrainingState
from riemap.training.steps import Stepper
from riemap.types import Array

PLATEAU_EPOCHS = 50
"""Epochs without an improvement after which the schedule ``plateau`` lowers the learning rate."""

PLATEAU_GAIN = 1e-4
"""Relative decrease of the loss that counts as an improvement."""

LR_DROP = 0.1
"""Factor of the learning rate on a plateau, and after the loss became NaN or infinite."""

LOG_SCALE_SHIFTS = np.arange(-14.0, 14.5, 0.5)
"""Numbers that are tried as an addition to all log-scales when a stage begins with a rescaling.

Distances thus change by factors from e⁻⁷ to e⁷, in steps of 28 %.
"""

SHIFT_NODES = 512
"""Number of nodes on whose pairs these numbers are tried: enough to compare them, at the cost of a batch."""


class TrainingWarning(UserWarning):
    """Training continues, but not as planned."""


@final
class EpochRunner:
    """Runs single epochs.

    Parameters
    ----------
    stepper
        Moves the points.
    """

    def __init__(self, stepper: Stepper) -> None:
        self._stepper = stepper
        self._objective = stepper.objective
        self._target = stepper.objective.target
        self._known_loss: tuple[Stage, Loss] | None = None

    def initial_state(self, points: Points, log_scales: Array, seed: int) -> TrainingState:
        """Make the state before the first epoch of a run that starts at these points."""
        moments = self._stepper.initial_moments(points)
        return TrainingState(
            points, log_scales, moments, self._stepper.initial_scale_moments(log_scales), seed=seed
        )

    def attempt(self, state: TrainingState, plan: Plan) -> TrainingState:
        """Run one epoch, or return to the best points if the loss becomes NaN or infinite.

        Returns
        -------
        TrainingState
            The state after the epoch; or, with the same number of finished epochs, the best state so far with
            a tenth of the learning rate.

        Raises
        ------
        DivergedError
            If the loss became NaN or infinite before.
        """
        began = working_seconds()
        number, stage, within = plan.stage(state.epoch)
        if within == 0:
            state = self._begin_stage(state, stage)
        loss = self._loss_at(stage, within / max(stage.epochs - 1, 1))
        lr_factor = stage.lr_factor_at(within) * state.lr_factor
        try:
            following, value = self._stepper.epoch(state, stage, loss, lr_factor)
        except (FloatingPointError, np.linalg.LinAlgError):  # LAPACK's name for NaN in a factorisation
            state = self._rolled_back(state)
            return state._replace(seconds=state.seconds + working_seconds() - began)
        seconds = state.seconds + working_seconds() - began
        record = EpochRecord(state.epoch, number, value, lr_factor * plan.optimizer.lr, seconds)
        following = following._replace(epoch=state.epoch + 1, record=record, seconds=seconds)
        seen = following if self._stepper.moves_in_batches(stage) else state
        return _judged(_with_best(following, seen, stage, value), stage, improved=_improved(following, value))

    def _loss_at(self, stage: Stage, progress: float) -> Loss:
        """Return the loss of an epoch; that of the stage for this target is made once."""
        if self._known_loss is None or self._known_loss[0] is not stage:
            self._known_loss = stage, stage.loss.for_target(self._target.least)
        return self._known_loss[1].at_progress(progress)

    def _begin_stage(self, state: TrainingState, stage: Stage) -> TrainingState:
        """Forget the best points, since the loss is another one now, and rescale if the stage says so."""
        lr_factor = LR_DROP**state.rollbacks
        state = state._replace(best_loss=math.inf, best_points=(), stalled_epochs=0, lr_factor=lr_factor)
        if not stage.rescale:
            return state
        log_scales = state.log_scales + self._best_shift(state, stage)
        return state._replace(
            log_scales=log_scales,
            moments=self._stepper.initial_moments(state.points),
            scale_moments=self._stepper.initial_scale_moments(log_scales),
        )

    def _best_shift(self, state: TrainingState, stage: Stage) -> float:
        """Return the number that, added to all log-scales, gives some nodes the smallest loss."""
        nodes = self._objective.sample(np.random.default_rng(state.seed), SHIFT_NODES)
        loss, x = self._loss_at(stage, 0.0), tuple(p[nodes] for p in state.points)
        tried = [
            (self._objective.batch(loss, x, state.log_scales + shift, nodes).value, shift)
            for shift in LOG_SCALE_SHIFTS
        ]
        return float(min((pair for pair in tried if math.isfinite(pair[0])), default=(0.0, 0.0))[1])

    def _rolled_back(self, state: TrainingState) -> TrainingState:
        """Return to the best points with a tenth of the learning rate; give up the second time."""
        where = f"epoch {state.epoch + 1} of training in {self._objective.space}"
        if state.rollbacks:
            raise DivergedError(
                f"{where}: the loss became NaN or infinite again, with a tenth of the learning rate; try a "
                f"lower rate, such as --optimizer 'radam(lr={self._stepper.optimizer.lr / 10:g})'"
            )
        warnings.warn(
            f"{where}: the loss became NaN or infinite; training continues from the best points so far "
            "with a tenth of the learning rate",
            TrainingWarning,
            stacklevel=3,
        )
        points = state.best_points or state.points
        log_scales = state.best_log_scales if state.best_points else state.log_scales
        return state._replace(
            points=points,
            log_scales=log_scales,
            moments=self._stepper.initial_moments(points),
            scale_moments=self._stepper.initial_scale_moments(log_scales),
            lr_factor=state.lr_factor * LR_DROP,
            rollbacks=state.rollbacks + 1,
        )


def _improved(state: TrainingState, value: float) -> bool:
    """Whether a loss is clearly below the best one so far."""
    return value < state.best_loss * (1.0 - PLATEAU_GAIN)


def _with_best(state: TrainingState, seen: TrainingState, stage: Stage, value: float) -> TrainingState:
    """Remember the points that the loss belongs to if it is the smallest.

    While the loss itself changes, its values are not comparable, and the latest points count.
    """
    if value < state.best_loss or stage.loss_changes:
        return state._replace(best_loss=value, best_points=seen.points, best_log_scales=seen.log_scales)
    return state


def _judged(state: TrainingState, stage: Stage, *, improved: bool) -> TrainingState:
    """Lower the learning rate on a plateau, if that is the schedule of the stage."""
    if stage.schedule != "plateau" or improved:
        return state._replace(stalled_epochs=0)
    if state.stalled_epochs < PLATEAU_EPOCHS:
        return state._replace(stalled_epochs=state.stalled_epochs + 1)
    return state._replace(stalled_epochs=0, lr_factor=state.lr_factor * LR_DROP)
