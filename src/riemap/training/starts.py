"""Where training over all pairs starts: of several proposals, short runs show which is best."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import final

import numpy as np

from riemap.distances import Target
from riemap.errors import DivergedError
from riemap.manifolds import CompactManifold
from riemap.spaces import Space
from riemap.training.epoch import EpochRunner
from riemap.training.initialisation import LAYOUT_NODES, LAYOUT_RADIUS, initial_points
from riemap.training.plan import Plan
from riemap.training.state import TrainingState
from riemap.types import Array

TRIAL_EPOCHS, TRIAL_EPOCHS_WITH_EDGES = 100, 60
"""Epochs of each stage in a trial run, after which it shows which of several initialisations is best.

Plans whose loss has a term of edges try more initialisations, each for a shorter time."""

CLEARLY_SMALLER = 0.8
"""Share of the first initialisation's loss below which another one is taken in a space with an open factor.

Its scale takes longer to settle than a trial does. On random-tree(n=100) and tree(r=2,h=5) in H2 x S1 the
first one ends with AD 0.027 and 0.019, and the second with 0.031 and 0.055; after a trial, the loss of the
second is 11 % and 5 % smaller. Where it ends better, on a cycle or a torus, it is smaller by 30 % or more."""

UNIFORM_STARTS_WITH_EDGES = 6
"""Number of initialisations at random in the whole of a compact space, for a plan with a term of edges.

In a Grassmannian half of them end in a crumpled embedding: a mesh of a sphere in Gr(1,3) ended with an
average distortion of 0.21 in three of six, and of 0.144 in the best. With three starts, one seed of three
ended with 0.177 there. Other plans try one, as the runs of the paper's tables did."""


def trial_epochs(plan: Plan) -> int:
    """Return the number of epochs that a trial of a plan has in each stage, if the stage has as many."""
    return TRIAL_EPOCHS_WITH_EDGES if plan.refines else TRIAL_EPOCHS


@final
class Starts:
    """The states from which a run may start.

    Parameters
    ----------
    epochs
        Runs the epochs of trials.
    space, target, plan
        What the run embeds, where, and how.
    log_scales
        The log-scales at the start.
    """

    def __init__(
        self, epochs: EpochRunner, space: Space, target: Target, plan: Plan, log_scales: Array
    ) -> None:
        self.space, self.target, self.plan = space, target, plan
        self._epochs, self._log_scales = epochs, log_scales
        compact = [isinstance(m, CompactManifold) for m in space.factors]
        self._compact, self._some_compact = all(compact), any(compact)

    def proposed(self, seed: int) -> Iterator[TrainingState]:
        """Propose states, which depend on the seed."""
        layout = self.plan.initialisation == "layout" and (
            self._some_compact or self.target.n <= LAYOUT_NODES
        )
        candidates = initial_points(
            self.space,
            self.target,
            np.random.default_rng(seed),
            LAYOUT_RADIUS if layout else self.plan.radius,
            UNIFORM_STARTS_WITH_EDGES if self.plan.refines else 1,
            layout,
        )
        return (self._epochs.initial_state(points, self._log_scales, seed) for points in candidates)

    def chosen(self, seed: int, interrupted: Callable[[], bool]) -> TrainingState:
        """Choose a state by short runs from each one, if the plan begins by unfolding the graph."""
        proposed = self.proposed(seed)
        first = next(proposed)
        if not self.plan.unfolds or not (others := list(proposed)):
            return first
        trials = [self.trial(state, interrupted) for state in (first, *others)]
        losses = [loss for loss, _ in trials]
        losses[0] *= 1.0 if self._compact else CLEARLY_SMALLER
        return trials[int(np.argmin(losses))][1]

    def trial(self, state: TrainingState, interrupted: Callable[[], bool]) -> tuple[float, TrainingState]:
        """Run a short version of the plan.

        Returns
        -------
        tuple of float and TrainingState
            The loss after its last epoch, or infinity if it diverged; and a state to start from. In a compact
            space, where the first stage begins with a rescaling, it has the points and scales after that
            stage. Otherwise it is the state that was given: les-miserables in H2 x S2 ended with a loss of
            0.075 from there, and of 0.082 from what a rescaled first stage left.
        """
        most, batch = trial_epochs(self.plan), self.plan.stages[0].batch
        stages = [replace(s, epochs=min(most, s.epochs), batch=batch) for s in self.plan.stages]
        plan = replace(self.plan, stages=(replace(stages[0], rescale=self._compact), *stages[1:]))
        unfolded = state
        diverged = False
        try:
            while state.epoch < plan.epochs and not interrupted():
                state = self._epochs.attempt(state, plan)
                if self._compact and state.epoch == stages[0].epochs:
                    unfolded = state
        except DivergedError:
            diverged = True
        loss = math.inf if diverged or state.record is None else state.record.loss
        return loss, self._epochs.initial_state(unfolded.points, unfolded.log_scales, state.seed)
