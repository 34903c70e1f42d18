"""The optimizer's steps of one epoch: over all pairs at once, or over one batch of nodes after the other."""

from typing import final

import numpy as np
from numpy.typing import NDArray

from riemap.embeddings.validation import LARGEST_LOG_SCALE
from riemap.losses import Loss
from riemap.manifolds import CompactManifold, Euclidean
from riemap.optim import Optimizer, RAdam
from riemap.optim import State as OptimizerState
from riemap.spaces import Points
from riemap.training.node_state import NodeState
from riemap.training.objective import LossGradient, Objective
from riemap.training.plan import Stage
from riemap.training.round_tasks import Round
from riemap.training.rounds import run_round
from riemap.training.sampled_objective import SampledObjective, block_sizes
from riemap.training.state import TrainingState
from riemap.types import Array

HYPERBOLIC_LOG_SCALE = -2.0
"""Where the scale of a factor of negative curvature waits until a large graph is unfolded. Otherwise it may
fall faster than points can follow: grqc in H3 had AUC 85.5 % instead of 88.7 %."""

MOST_SCALED_LR = 16.0
"""Largest factor of the learning rate of points by the scale of their space. With 8, bio-diseasome in SPD2
had AD 0.0769 instead of 0.0762, and in H3 0.0634 instead of 0.0632; mean of two seeds. The learning rate in a
compact space has no such factor: it made no difference on karate and les-miserables, and with it cat-cortex
in Gr(1,3) had AD 0.233 instead of 0.222; mean of four seeds."""

MOST_SCALED_LR_OF_MATRICES = 8.0
"""The same in a space whose curvature varies, such as SPD2. With 16, star(n=100) diverged there with two of
three seeds, at distances where matrices have lost most of their digits; with 8, none of nine stars did. It
costs up to 1 % of AD on karate and les-miserables."""

LOG_SCALES = Euclidean(1)
"""The manifold of a log-scale: for the optimizer, each of them is one point on a line."""


@final
class Stepper:
    """Moves points and scales against the gradient of an objective.

    Parameters
    ----------
    objective
        Computes loss and gradients.
    optimizer
        Moves the points.
    scale_lr
        Learning rate of the log-scales, which are moved by RAdam.
    """

    def __init__(
        self, objective: Objective | SampledObjective, optimizer: Optimizer, scale_lr: float
    ) -> None:
        self.objective = objective
        self.optimizer = optimizer
        self.scale_optimizer = RAdam(scale_lr)
        self._least_log_scales = np.array([[m.least_log_scale] for m in objective.space.factors])
        self._compact = np.array([isinstance(m, CompactManifold) for m in objective.space.factors])
        constant = np.array([m.curvature[0] == m.curvature[1] for m in objective.space.factors])
        self._most_scaled_lr = np.where(constant, MOST_SCALED_LR, MOST_SCALED_LR_OF_MATRICES)
        self._hyperbolic = np.array([[m.curvature[1] < 0.0] for m in objective.space.factors])
        waiting = [
            HYPERBOLIC_LOG_SCALE if m.curvature[1] < 0.0 else m.waiting_log_scale
            for m in objective.space.factors
        ]
        self._waiting_log_scales = np.array([[0.0 if x is None else x] for x in waiting])
        all_that_wait = np.array([[x is not None] for x in waiting])
        self._waiting = {"hyperbolic": self._hyperbolic, "all": all_that_wait}

    def initial_moments(self, points: Points) -> tuple[OptimizerState, ...]:
        """Return the optimizer's memory before its first step on the points."""
        factors = self.objective.space.factors
        return tuple(self.optimizer.init(m, x) for m, x in zip(factors, points, strict=True))

    def initial_log_scales(self, first: Stage) -> Array:
        """Return the log-scales at the start: zero, or where they wait if the first stage does."""
        waits = self._waiting.get(first.waits, np.zeros_like(self._hyperbolic))
        return np.where(waits, self._waiting_log_scales, 0.0)[:, 0]

    def initial_scale_moments(self, log_scales: Array) -> OptimizerState:
        """Return the optimizer's memory before its first step on the log-scales."""
        return self.scale_optimizer.init(LOG_SCALES, log_scales[:, None])

    def epoch(
        self, state: TrainingState, stage: Stage, loss: Loss, lr_factor: float
    ) -> tuple[TrainingState, float]:
        """Make all steps of an epoch.

        Returns
        -------
        tuple of TrainingState and float
            The state with the points moved, and the loss: over all pairs before the single step, or the mean
            over the batches.

        Raises
        ------
        FloatingPointError
            If the loss or a point becomes NaN or infinite, or a step or a scale is absurdly large. ``state``
            is unchanged.
        """
        if isinstance(self.objective, SampledObjective):
            return self._round(self.objective, state, stage, loss, lr_factor)
        n = self.objective.target.n
        if not uses_batches(stage, n):
            gradient = self.objective.all_pairs(loss, state.points, state.log_scales)
            return self.step(state, stage, gradient, slice(None), lr_factor), gradient.value
        total = 0.0
        moved = _copied(state)
        for nodes in batches(n, stage, state.seed, state.epoch):
            x = tuple(p[nodes] for p in moved.points)
            gradient = self.objective.batch(loss, x, moved.log_scales, nodes)
            total += gradient.value * len(nodes)
            moved = self.step(moved, stage, gradient, nodes, lr_factor)
        return moved, total / n

    def moves_in_batches(self, stage: Stage) -> bool:
        """Whether the steps of a stage see a part of the nodes only."""
        return isinstance(self.objective, SampledObjective) or uses_batches(stage, self.objective.target.n)

    def _round(
        self, objective: SampledObjective, state: TrainingState, stage: Stage, loss: Loss, lr_factor: float
    ) -> tuple[TrainingState, float]:
        """Make all steps of a round over a large graph; the loss is the mean over pairs with landmarks."""
        given = Round(
            objective.space,
            loss,
            self.optimizer,
            lr_factor,
            state.log_scales,
            tuple(x[objective.target.landmarks.nodes] for x in state.points),
            block_sizes(objective.target.n),
            (state.seed, state.epoch),
        )
        nodes, value, of_scales = run_round(objective, given, NodeState(state.points, state.moments))
        moved = state._replace(points=nodes.points, moments=nodes.moments)
        return self._scale_step(moved, stage, of_scales, lr_factor), value

    def step(
        self,
        state: TrainingState,
        stage: Stage,
        gradient: LossGradient,
        nodes: slice | NDArray[np.int64],
        lr_factor: float,
    ) -> TrainingState:
        """Move the points of some nodes, and the scales where the stage learns them.

        The rows of given nodes are written into the arrays of ``state``; a slice of all nodes makes new
        arrays.
        """
        before = NodeState(state.points, state.moments)
        lr_factors = lr_factor * self._lengths(state.log_scales) if stage.scaled_lr else lr_factor
        after = before.taken(nodes).stepped(self.objective.space, self.optimizer, gradient, lr_factors)
        if not isinstance(nodes, slice):
            before.put(nodes, after)
            after = before
        moved = state._replace(points=after.points, moments=after.moments)
        count = len(gradient.points[0])
        return self._scale_step(moved, stage, count * gradient.log_scales, lr_factor)

    def _lengths(self, log_scales: Array) -> Array:
        """Return the length in each factor that is one in units of the target, within bounds."""
        return np.where(self._compact, 1.0, np.clip(np.exp(-0.5 * log_scales), 1.0, self._most_scaled_lr))

    def _scale_step(
        self, state: TrainingState, stage: Stage, gradient: Array, lr_factor: float
    ) -> TrainingState:
        """Move the scales, where the stage learns them."""
        if not stage.scales:
            return state
        old = state.log_scales[:, None]
        x, moments = self.scale_optimizer.step(
            LOG_SCALES, old, gradient[:, None], state.scale_moments, lr_factor
        )
        if stage.waits != "none":
            x = np.where(self._waiting[stage.waits], old, x)
        if stage.hyperbolic_rate != 1.0:
            x = np.where(self._hyperbolic, old + stage.hyperbolic_rate * (x - old), x)
        if not (np.abs(x) <= LARGEST_LOG_SCALE).all():
            raise FloatingPointError
        x = np.maximum(x, self._least_log_scales)
        return state._replace(log_scales=x[:, 0], scale_moments=moments)


def uses_batches(stage: Stage, n: int) -> bool:
    """Whether the steps of a stage see a part of the ``n`` nodes only."""
    return stage.batch is not None and stage.batch < n


def batches(n: int, stage: Stage, seed: int, epoch: int) -> list[NDArray[np.int64]]:
    """Deal all nodes into random batches of nearly equal size.

    The order is a new one in every epoch. Each batch is sorted, so that memory is read in order, and has at
    least two nodes, since a single node has no pair.
    """
    assert stage.batch is not None
    order = np.random.default_rng([seed, epoch]).permutation(n)
    count = min(-(-n // stage.batch), n // 2)
    return [np.sort(part) for part in np.array_split(order, count)]


def _copied(state: TrainingState) -> TrainingState:
    """Copy the arrays that steps on some of the nodes write into."""
    copy = NodeState(state.points, state.moments).copied()
    return state._replace(points=copy.points, moments=copy.moments)
