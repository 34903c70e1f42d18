"""What an epoch of a plan does to the points, the scales and what the optimizer remembers of them."""

import math
import time
import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from riemap.distances import Target
from riemap.embeddings import Embedding
from riemap.graphs import Dissimilarities, Graph
from riemap.losses import Loss
from riemap.manifolds import Euclidean
from riemap.optim import RAdam
from riemap.spaces import Points, Space
from riemap.training.initialisation import starts
from riemap.training.objective import Objective, Slope
from riemap.training.plan import Plan, Stage
from riemap.training.state import EpochRecord, TrainingState
from riemap.types import Array

PLATEAU_EPOCHS, PLATEAU_GAIN, LEAST_LR = 50, 1e-4, 1e-5
"""A plateau: epochs without a relative improvement by the second number; the rate at which to stop."""

LR_DROP = 0.1
"""What the rate is multiplied by on a plateau, and after a step to a place that is none."""

LOG_SCALE_SHIFTS = np.arange(-14.0, 14.5, 0.5)
"""Logarithms of the factors that are tried on all distances when a stage begins."""

SHIFT_NODES = 512
"""Nodes that they are tried on."""

TRIAL_EPOCHS = 100
"""Epochs of each stage after which it shows which of some starts is best."""


class TrainingWarning(UserWarning):
    """Training went on, but not as planned."""


class DivergedError(ArithmeticError):
    """The loss, or a point, was no number, and a lower rate did not help."""


class Trainer:
    """What stays the same from the first epoch to the last."""

    def __init__(self, graph: Graph | Dissimilarities, space: Space, plan: Plan, seed: int) -> None:
        self.labels, self.space, self.plan, self.seed = graph.labels, space, plan, seed
        self.target = Target.of(graph)
        self.objective = Objective(space, self.target)
        self.scale_optimizer = RAdam(plan.scale_lr)
        self.log_scale = Euclidean(1)  # each logarithm of a scale is a point of its own
        self.started = time.perf_counter()

    def start(self, stopped: Callable[[], bool] = lambda: False) -> TrainingState:
        """Where to start from; if there is a choice, from where a short run gets furthest."""
        rng = np.random.default_rng(self.seed)
        found = starts(self.space, self.target, rng, self.plan.radius)
        if not self.plan.unfolds:
            return self._at(next(found))
        first, *others = [self._at(points) for points in found]
        if not others:
            return first
        return min((self._tried(state, stopped) for state in (first, *others)), key=itemgetter(0))[1]

    def _at(self, points: Points) -> TrainingState:
        """At these points, every scale one."""
        log_scales = np.zeros(len(points))
        return TrainingState(points, log_scales, self._moments(points), self._scale_moments(log_scales))

    def _tried(self, state: TrainingState, stopped: Callable[[], bool]) -> tuple[float, TrainingState]:
        """The loss that a short run comes to, and where its first stage has led."""
        trial = copy(self)
        batch = self.plan.stages[0].batch
        stages = [replace(s, epochs=min(TRIAL_EPOCHS, s.epochs), batch=batch) for s in self.plan.stages]
        trial.plan = replace(self.plan, stages=(replace(stages[0], rescale=True), *stages[1:]))
        unfolded = state
        try:
            while state.epoch < trial.plan.epochs and not stopped():
                state = trial.epoch(state)
                if state.epoch == stages[0].epochs:
                    unfolded = state
        except DivergedError:
            state = replace(state, history=[])  # counts for nothing
        fresh = replace(self._at(unfolded.points), log_scales=unfolded.log_scales)
        return state.history[-1].loss if state.history else math.inf, fresh

    def _moments(self, points: Points) -> tuple[tuple[Array, ...], ...]:
        return tuple(self.plan.optimizer.init(m, x) for m, x in zip(self.space.factors, points, strict=True))

    def _scale_moments(self, log_scales: Array) -> tuple[Array, ...]:
        return self.scale_optimizer.init(self.log_scale, log_scales[:, None])

    def epoch(self, state: TrainingState) -> TrainingState:
        """One pass over the nodes; from a place that is none, back to where it began, at a lower rate."""
        number, stage, within = self.plan.stage(state.epoch)
        if within == 0:
            state = self._begin(state, stage)
        loss = stage.loss.for_target(self.target.least).at_progress(within / max(stage.epochs - 1, 1))
        lr_factor = stage.lr_factor_at(within) * state.lr_factor
        try:
            following, value = self._steps(state, loss, lr_factor, stage)
        except FloatingPointError:
            return self._rescue(state)
        lr = lr_factor * self.plan.optimizer.lr
        record = EpochRecord(state.epoch, number, value, lr, time.perf_counter() - self.started)
        following = replace(following, epoch=state.epoch + 1, history=[*state.history, record])
        return self._judge(state, following, value, stage)

    def _begin(self, state: TrainingState, stage: Stage) -> TrainingState:
        """What changes between two stages.

        Their losses are not comparable, so what was best counts no more.
        """
        state = replace(state, best=math.inf, best_points=(), patience=0, lr_factor=LR_DROP**state.rescued)
        if not stage.rescale:
            return state
        log_scales = state.log_scales + self._best_shift(state, stage)
        moments, scale_moments = self._moments(state.points), self._scale_moments(log_scales)
        return replace(state, log_scales=log_scales, moments=moments, scale_moments=scale_moments)

    def _best_shift(self, state: TrainingState, stage: Stage) -> float:
        """The one number to add to all log-scales that makes the loss of some nodes least."""
        nodes = np.sort(np.random.default_rng(self.seed).permutation(self.target.n)[:SHIFT_NODES])
        loss, x = (
            stage.loss.for_target(self.target.least).at_progress(0.0),
            tuple(p[nodes] for p in state.points),
        )
        tried = [
            (self.objective.batch(loss, x, state.log_scales + c, nodes).value, c) for c in LOG_SCALE_SHIFTS
        ]
        return float(min((pair for pair in tried if math.isfinite(pair[0])), default=(0.0, 0.0))[1])

    def _is_all_pairs(self, stage: Stage) -> bool:
        """Whether every step is over all pairs."""
        return stage.batch is None or stage.batch >= self.target.n

    def _steps(
        self, state: TrainingState, loss: Loss, lr_factor: float, stage: Stage
    ) -> tuple[TrainingState, float]:
        """An epoch's steps and its loss: over all pairs before its one step, or the mean over its batches."""
        if self._is_all_pairs(stage):
            slope = self.objective.all_pairs(loss, state.points, state.log_scales)
            return self._step(state, slope, slice(None), self.target.n, lr_factor, stage), slope.value
        batches = self._batches(state.epoch, stage)
        total = 0.0
        state = replace(state, points=tuple(x.copy() for x in state.points), moments=_copied(state.moments))
        for nodes in batches:
            x = tuple(p[nodes] for p in state.points)
            slope = self.objective.batch(loss, x, state.log_scales, nodes)
            total += slope.value * len(nodes)
            state = self._step(state, slope, nodes, len(nodes), lr_factor, stage)
        return state, total / self.target.n

    def _batches(self, epoch: int, stage: Stage) -> list[NDArray[np.int64]]:
        """All nodes in a new order, dealt into batches of nearly one size, each sorted to be read fast."""
        assert stage.batch is not None
        order = np.random.default_rng([self.seed, epoch]).permutation(self.target.n)
        count = min(-(-self.target.n // stage.batch), self.target.n // 2)  # a lone node has no pair
        return [np.sort(part) for part in np.array_split(order, count)]

    def _step(
        self,
        state: TrainingState,
        slope: Slope,
        nodes: slice | NDArray[np.int64],
        count: int,
        lr_factor: float,
        stage: Stage,
    ) -> TrainingState:
        """Move some points, and the scales.

        A loss is a mean over nodes; what moves a point is the slope of the sum, which is of the same size for
        any number of nodes.
        """
        if not math.isfinite(slope.value):
            raise FloatingPointError
        points, moments = list(state.points), list(state.moments)
        for k, m in enumerate(self.space.factors):
            x, own = points[k][nodes], tuple(a[nodes] for a in moments[k])
            y, own = self.plan.optimizer.step(m, x, count * slope.points[k], own, lr_factor)
            if not np.isfinite(y).all():
                raise FloatingPointError
            if isinstance(nodes, slice):
                points[k], moments[k] = y, own
            else:
                points[k][nodes] = y
                for a, b in zip(moments[k], own, strict=True):
                    a[nodes] = b
        state = replace(state, points=tuple(points), moments=tuple(moments))
        return self._scale_step(state, count * slope.log_scales, lr_factor) if stage.scales else state

    def _scale_step(self, state: TrainingState, slope: Array, lr_factor: float) -> TrainingState:
        x, moments = self.scale_optimizer.step(
            self.log_scale, state.log_scales[:, None], slope[:, None], state.scale_moments, lr_factor
        )
        return replace(state, log_scales=x[:, 0], scale_moments=moments)

    def _judge(
        self, before: TrainingState, after: TrainingState, value: float, stage: Stage
    ) -> TrainingState:
        """Keep what is best, and lower the rate on a plateau."""
        seen = before if self._is_all_pairs(stage) else after
        moving = stage.loss.at_progress(0.0) != stage.loss.at_progress(
            1.0
        )  # its values are not comparable: the last counts
        improved = value < after.best * (1.0 - PLATEAU_GAIN)
        if value < after.best or moving:
            after = replace(after, best=value, best_points=seen.points, best_log_scales=seen.log_scales)
        if stage.schedule != "plateau" or improved:
            return replace(after, patience=0)
        if after.patience < PLATEAU_EPOCHS:
            return replace(after, patience=after.patience + 1)
        return replace(after, patience=0, lr_factor=after.lr_factor * LR_DROP)

    def _rescue(self, state: TrainingState) -> TrainingState:
        """Back to the best points, at a lower rate; once."""
        where = f"epoch {state.epoch + 1} of training in {self.space}"
        if state.rescued:
            raise DivergedError(
                f"{where}: the loss is no number again, at a tenth of the rate; try a lower one, such as "
                f"--optimizer 'radam(lr={self.plan.optimizer.lr / 10:g})'"
            )
        warnings.warn(
            f"{where}: the loss is no number; going back, at a tenth of the rate", TrainingWarning, 2
        )
        points = state.best_points or state.points
        log_scales = state.best_log_scales if state.best_points else state.log_scales
        return replace(
            state,
            points=points,
            log_scales=log_scales,
            moments=self._moments(points),
            scale_moments=self._scale_moments(log_scales),
            lr_factor=state.lr_factor * LR_DROP,
            rescued=state.rescued + 1,
        )

    def stands_still(self, state: TrainingState) -> bool:
        """Whether plateaus have brought the rate below the least one."""
        if not state.epoch:
            return False
        _, stage, _ = self.plan.stage(state.epoch - 1)
        lr = self.plan.optimizer.lr * stage.lr_factor * state.lr_factor
        return stage.schedule == "plateau" and lr < LEAST_LR * (1.0 - 1e-9)

    def embedding(self, state: TrainingState) -> Embedding:
        """The best points, if an epoch of the last stage has told which they are."""
        if not state.best_points:
            return Embedding(self.space, state.points, state.log_scales, self.labels)
        return Embedding(self.space, state.best_points, state.best_log_scales, self.labels)


def _copied(moments: tuple[tuple[Array, ...], ...]) -> tuple[tuple[Array, ...], ...]:
    return tuple(tuple(a.copy() for a in part) for part in moments)
