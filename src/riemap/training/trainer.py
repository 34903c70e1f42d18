"""The trainer: makes the first state of a run, and the next state after each epoch."""

from collections.abc import Callable
from typing import final

from riemap.distances import Target
from riemap.distances.paths import DistanceMatrix
from riemap.distances.walks import walk_target
from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.graphs import AnyGraph
from riemap.graphs.dissimilarities import check_graph
from riemap.kernel_cache import working_seconds
from riemap.spaces import Points, Space
from riemap.specs import checked_seed, expect
from riemap.training.epoch import EpochRunner
from riemap.training.first_points import placed_points
from riemap.training.forked_workers import workers_here
from riemap.training.landmark_plans import plan_among_landmarks, shrinking
from riemap.training.large_start import among_landmarks, sampled_target
from riemap.training.objective import Objective
from riemap.training.plan import Plan
from riemap.training.sampled_objective import SampledObjective
from riemap.training.starts import Starts
from riemap.training.state import TrainingState
from riemap.training.steps import Stepper
from riemap.training.workers import InProcess, Workers
from riemap.types import Array

LEAST_LR = 1e-5
"""Learning rate below which a run with the schedule ``plateau`` has converged."""


def _all_pairs(
    graph: AnyGraph, plan: Plan, distances: DistanceMatrix | None, interrupted: Callable[[], bool]
) -> Target:
    """Make the target of all pairs, and check that it is that of the graph."""
    if plan.compares_walks:
        if distances is not None:
            raise InputError("the loss walks compares random walks of the graph; leave out the distances")
        return walk_target(graph, interrupted)
    target = Target.of(graph) if distances is None else Target(distances)
    if target.n != graph.n:
        raise InputError(
            f"the distances have shape {target.matrix.shape}; {graph.name} has {graph.n} nodes, so "
            f"that {(graph.n, graph.n)} is expected, as of riemap.shortest_paths(graph)"
        )
    return target


def never() -> bool:
    """Return ``False``: the answer of a caller that never interrupts."""
    return False


@final
class Trainer:
    """Trains an embedding epoch by epoch; :func:`riemap.training.fit` is a loop over it.

    A trainer holds what stays the same in a run. What changes is in the :class:`TrainingState`, which no
    method modifies.

    Parameters
    ----------
    graph
        The graph or the dissimilarities to embed.
    space
        The space to embed in.
    plan
        Losses, epochs and learning rates; see :func:`riemap.training.default_plan`.
    distances
        The matrix of :func:`riemap.shortest_paths` for this graph, if it is known already. The loss ``walks``
        does not compare them.
    workers
        Where the tasks of a plan with landmarks are done; ``None`` does them on this machine.
    interrupted
        Is asked while the walks of a large graph are computed; ``True`` raises ``KeyboardInterrupt``.

    Raises
    ------
    InputError
        If the distances do not have one row and one column a node, or are not distances, or are given for
        the loss ``walks``.

    Examples
    --------
    >>> from riemap import Space, generate
    >>> from riemap.losses import as_loss
    >>> from riemap.training import default_plan
    >>> graph = generate("path(n=5)")
    >>> trainer = Trainer(graph, Space.parse("H2"), default_plan(as_loss("stress"), graph.n, epochs=8))
    >>> state = trainer.init(seed=0)
    >>> while state.epoch < trainer.plan.epochs and not trainer.converged(state):
    ...     state = trainer.step(state)
    >>> state.record.epoch, trainer.embedding(state)
    (7, <Embedding of 5 nodes in H2 (2 dimensions)>)
    """

    def __init__(
        self,
        graph: AnyGraph,
        space: Space,
        plan: Plan,
        distances: DistanceMatrix | None = None,
        workers: Workers | None = None,
        interrupted: Callable[[], bool] = never,
    ) -> None:
        check_graph(graph)
        expect(space, Space, "a space", "Space.parse('H2') makes one")
        expect(plan, Plan, "a plan", "riemap.training.default_plan makes one")
        self.labels, self.space, self.plan = graph.labels, space, plan
        if plan.sampler == "landmarks":
            target = sampled_target(graph, space, workers or InProcess())  # searches use threads here
            self.objective: Objective | SampledObjective = SampledObjective(
                space, target, workers or workers_here(graph.n)
            )
        else:
            self.objective = Objective(space, _all_pairs(graph, plan, distances, interrupted))
        self.target = self.objective.target
        self._stepper = Stepper(self.objective, plan.optimizer, plan.scale_lr)
        self._epochs = EpochRunner(self._stepper)

    def init(
        self, seed: int = 0, *, interrupted: Callable[[], bool] = never, start: Embedding | None = None
    ) -> TrainingState:
        """Make the state before the first epoch.

        Points start around the origin. In a space with a compact factor, if the plan begins by unfolding the
        graph, points that are spread over it are tried too: a short run from each shows which are best.

        Parameters
        ----------
        seed
            Seed of the initial points and of the batches. The same seed gives the same bytes, on any number
            of threads.
        interrupted
            Is asked before each epoch of a short run, and ends it by returning ``True``.
        start
            An embedding of the same nodes in the same space, whose points and scales to start from.

        Returns
        -------
        TrainingState
            The initial points, with all scales equal to one or as a short run has left them; or ``start``.

        Raises
        ------
        InputError
            If the seed is not a whole number from 0 up, or ``start`` has other nodes or another space.
        """
        seed = checked_seed(seed)
        if start is not None:
            return self._initial_state_from(start, seed)
        began = working_seconds()
        if isinstance(self.objective, SampledObjective):
            state = self._epochs.initial_state(*self._placed(self.objective, seed, interrupted), seed)
            return state._replace(seconds=working_seconds() - began)
        state = self.starts(self.objective.target).chosen(seed, interrupted)
        return state._replace(seconds=working_seconds() - began)

    def step(self, state: TrainingState) -> TrainingState:
        """Run one epoch.

        If the loss becomes NaN or infinite, the epoch is repeated from the best points so far with a tenth of
        the learning rate, and a :class:`TrainingWarning` says so.

        Parameters
        ----------
        state
            The state after the epoch before.

        Returns
        -------
        TrainingState
            The state after the epoch; its ``record`` has the loss.

        Raises
        ------
        InputError
            If all epochs of the plan are done.
        DivergedError
            If the loss becomes NaN or infinite a second time.
        """
        if state.epoch >= self.plan.epochs:
            raise InputError(f"all {self.plan.epochs} epochs of the plan are done")
        following = self._epochs.attempt(state, self.plan)
        while following.epoch == state.epoch:
            following = self._epochs.attempt(following, self.plan)
        return following

    def converged(self, state: TrainingState) -> bool:
        """Tell whether the loss has stopped improving.

        Parameters
        ----------
        state
            The state after an epoch.

        Returns
        -------
        bool
            Whether the schedule ``plateau`` has brought the learning rate below ``LEAST_LR``. With other
            schedules a run never converges before its last epoch.
        """
        if not state.epoch:
            return False
        _, stage, _ = self.plan.stage(state.epoch - 1)
        lr = self.plan.optimizer.lr * stage.lr_factor * state.lr_factor
        return stage.schedule == "plateau" and lr < LEAST_LR * (1.0 - 1e-9)

    def embedding(self, state: TrainingState) -> Embedding:
        """Make an embedding of a state.

        Parameters
        ----------
        state
            Any state of this trainer.

        Returns
        -------
        Embedding
            The points with the smallest loss in the present stage, or the present points before the first
            epoch of a stage ends. While the loss has a changing temperature, the latest points are the best.
        """
        if not state.best_points:
            return Embedding(self.space, state.points, state.log_scales, self.labels)
        return Embedding(self.space, state.best_points, state.best_log_scales, self.labels)

    def starts(self, target: Target) -> Starts:
        """Return the states from which a run over all pairs may start.

        Parameters
        ----------
        target
            The distances of all pairs.

        Returns
        -------
        Starts
            Some initialisations, and the choice among them.
        """
        log_scales = self._stepper.initial_log_scales(self.plan.stages[0])
        return Starts(self._epochs, self.space, target, self.plan, log_scales)

    def _initial_state(self, points: Points, seed: int) -> TrainingState:
        log_scales = self._stepper.initial_log_scales(self.plan.stages[0])
        return self._epochs.initial_state(points, log_scales, seed)

    def _initial_state_from(self, start: Embedding, seed: int) -> TrainingState:
        if start.space != self.space:
            raise InputError(
                f"the embedding to start from is in {start.space}, and {self.space} is asked for; "
                "start from one in the same space"
            )
        try:
            start = start.reordered(self.labels)
        except InputError as error:
            raise InputError(f"the embedding to start from has other nodes than the graph: {error}") from None
        return self._epochs.initial_state(start.points, start.log_scales, seed)

    def _placed(
        self, objective: SampledObjective, seed: int, interrupted: Callable[[], bool]
    ) -> tuple[Points, Array]:
        """Embed the landmarks, and place all other nodes relative to them."""
        target = objective.target
        plan = plan_among_landmarks(self.plan, len(target.landmarks.nodes))
        trainer = Trainer(among_landmarks(target), self.space, plan)
        state = trainer.init(seed, interrupted=interrupted)
        while state.epoch < plan.epochs and not interrupted():
            state = trainer.step(state)
        return placed_points(objective, trainer.embedding(state), shrinking(plan), seed, interrupted)
