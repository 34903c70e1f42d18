"""A round of training on a large graph: its tasks, and how their results are put together.

A loss with a term that only puts near pairs in order, such as ``edges``, is divided. The gradients of that
term come first, from blocks of nodes that are close in the embedding (:mod:`riemap.training.edge_blocks`).
Then each shard moves its nodes against landmarks, and the landmarks move among themselves, by the gradients
of both terms. All of these start from the points before the round, so that they are independent of each
other.

Any other loss is trained by balls, too: each group of balls moves the nodes of its balls, all groups from the
same points. If a node is in balls of several groups, the last group decides.

Last, the scales have one step, by the mean of the gradients of all blocks, summed in the order of the tasks.
It is the gradient of both terms, like that of the points. By the first term alone, the scales would follow
what the second one does to the points, without end.
"""

from collections.abc import Iterator
from itertools import tee
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.distances.sampled_target import BallGroup, RowTarget
from riemap.losses import Loss
from riemap.losses.sums import coarse_and_fine
from riemap.optim import Optimizer
from riemap.spaces import Points, Space
from riemap.training.edge_blocks import edge_gradients, edge_parts
from riemap.training.node_state import NodeState
from riemap.training.objective import LossGradient
from riemap.training.sampled_objective import SampledObjective, Shard, rows_gradient, square_gradient
from riemap.training.workers import Task
from riemap.types import Array, Rng

ROWS_PER_LANDMARKS = 1
"""Number of blocks of rows for each step of the landmarks among themselves; at least one step in a round. On
a hyperbolic random graph of 3,000 nodes in H3, RSNE gave F1@1 43 % with 4 and 46 % with 1; one seed."""

MOST_LANDMARK_STEPS = 64
"""Most such steps in a round. They are one task, which would otherwise take longer than all others on a large
cluster."""

LANDMARK_BATCH = 512
"""Most landmarks in such a step."""

BALL_SHARE, NEAR_BALL_SHARE = 0.1, 0.5
"""Share of all balls that a round visits, and the same for losses that nearest neighbours decide. In H3, one
seed: without balls F1@1 was 5 points lower on power and 5 points higher on facebook, with about the same
distortion; with a share of 0.3 it was a point higher on both, and the distortion of power 2 % larger."""

ROWS, LANDMARKS, BALLS, EDGES = range(4)
"""Kinds of tasks; each draws its own random numbers."""


@final
class Round(NamedTuple):
    """What all tasks of a round have in common.

    Parameters
    ----------
    space, loss, optimizer, lr_factor
        What moves the points.
    log_scales
        Logarithms of the scales, one a factor.
    landmarks
        The points of the landmarks before the round.
    block
        Number of nodes and of landmarks in a block of rows.
    seed
        Seed of the run, and number of the round.
    """

    space: Space
    loss: Loss
    optimizer: Optimizer
    lr_factor: float
    log_scales: Array
    landmarks: Points
    block: tuple[int, int]
    seed: tuple[int, int]

    @property
    def coarse(self) -> Loss:
        """The part of the loss that pairs with landmarks train."""
        return coarse_and_fine(self.loss)[0]

    @property
    def fine(self) -> Loss | None:
        """The part of the loss that blocks of near nodes train, if the loss is divided."""
        coarse, fine = coarse_and_fine(self.loss)
        return None if coarse is self.loss else fine

    def rng(self, kind: int, number: int) -> Rng:
        """Make the random numbers of a task."""
        return np.random.default_rng([*self.seed, kind, number])


@final
class Moved(NamedTuple):
    """The result of a task.

    Parameters
    ----------
    state
        The points of the task's nodes after its steps.
    loss, nodes
        Sum over the blocks of their loss times their number of nodes, and of their number of nodes.
    log_scales, blocks
        Sum over the blocks of their gradients in the log-scales, and number of blocks.
    """

    state: NodeState
    loss: float
    nodes: int
    log_scales: Array
    blocks: int

    @classmethod
    def none(cls, state: NodeState) -> "Moved":
        """Make the result before the first step."""
        return cls(state.copied(), 0.0, 0, np.zeros(len(state.points)), 0)

    def after(self, given: Round, rows: NDArray[np.int64], gradient: LossGradient) -> "Moved":
        """Step against the gradient of a block, whose nodes have these rows in the state."""
        count = len(rows)
        part = self.state.taken(rows).stepped(given.space, given.optimizer, gradient, given.lr_factor)
        self.state.put(rows, part)
        total, of_scales = self.loss + count * gradient.value, self.log_scales + count * gradient.log_scales
        return Moved(self.state, total, self.nodes + count, of_scales, self.blocks + 1)


def move_rows(given: Round, shard: Shard, state: NodeState, fine: Points) -> Moved:
    """Do the task of a shard: each node that is no landmark has one step against some of the landmarks.

    ``fine`` has another gradient for each node, or is empty.
    """
    rng, moved, loss = given.rng(ROWS, shard.number), Moved.none(state), given.coarse
    count = len(shard.rows)
    for part in np.array_split(rng.permutation(count), max(-(-count // given.block[0]), 1)):
        if not len(part):
            continue
        places = np.sort(part)
        columns = _drawn(rng, len(given.landmarks[0]), min(given.block[1], len(part)))
        target = shard.target.block(shard.rows[places], columns)
        x = tuple(p[places] for p in moved.state.points)
        y = tuple(p[columns] for p in given.landmarks)
        gradient = rows_gradient(given.space, loss, target, x, y, given.log_scales)
        moved = moved.after(given, places, _added(gradient, fine, places))
    return moved


def move_landmarks(given: Round, target: RowTarget, steps: int, state: NodeState, fine: Points) -> Moved:
    """Do the task of the landmarks: some steps by the pairs among some of them.

    ``fine`` has another gradient for each landmark, or is empty.
    """
    rng, moved, loss = given.rng(LANDMARKS, 0), Moved.none(state), given.coarse
    for _ in range(steps):
        places = _drawn(rng, len(given.landmarks[0]), LANDMARK_BATCH)
        x = tuple(p[places] for p in moved.state.points)
        among = target.block(places, places)
        gradient = square_gradient(given.space, loss, among, x, given.log_scales)
        moved = moved.after(given, places, _added(gradient, fine, places))
    return moved


def _added(gradient: LossGradient, fine: Points, places: NDArray[np.int64]) -> LossGradient:
    """Add gradients of a sum over nodes to those of a mean over some of the nodes."""
    if not fine:
        return gradient
    sums = (g + more[places] / len(places) for g, more in zip(gradient.points, fine, strict=True))
    return gradient._replace(points=tuple(sums))


def move_balls(
    given: Round,
    group: BallGroup,
    chosen: NDArray[np.int64],
    nodes: NDArray[np.int64],
    state: NodeState,
) -> Moved:
    """Do the task of a group of balls: one step of each chosen ball, whose nodes are among these."""
    moved, loss = Moved.none(state), given.loss
    for number in chosen.tolist():
        ball = group.ball(number)
        places = np.searchsorted(nodes, ball.nodes)
        x = tuple(p[places] for p in moved.state.points)
        gradient = square_gradient(given.space, loss, ball.target, x, given.log_scales)
        moved = moved.after(given, places, gradient)
    return moved


def _drawn(rng: Rng, count: int, most: int) -> NDArray[np.int64]:
    """Draw at most so many of some numbers, in increasing order."""
    return np.sort(rng.permutation(count)[:most])


def run_round(objective: SampledObjective, given: Round, state: NodeState) -> tuple[NodeState, float, Array]:
    """Do all tasks of a round.

    Parameters
    ----------
    objective
        The objective, which knows where tasks are done.
    given
        What all tasks have in common.
    state
        All nodes before the round.

    Returns
    -------
    tuple of NodeState, float and Array
        All nodes after the round, the mean loss over pairs with landmarks, and the gradient in the
        log-scales.

    Raises
    ------
    FloatingPointError
        If the loss or a point becomes NaN or infinite.
    """
    workers = objective.workers
    parts = [objective.target.landmarks.nodes, *objective.shard_nodes]
    fine, of_fine = _fine_gradients(objective, given, state)
    steps, first = _landmark_steps(objective, given)
    rows = workers.results(_row_tasks(objective, given, steps, state, fine), first)
    moved, chosen = state.copied(), [] if fine else _chosen_balls(objective, given)
    loss, count, of_scales, blocks = 0.0, 0, np.zeros(len(state.points)), 0
    for nodes, found in zip(parts, rows, strict=True):
        moved.put(nodes, found.state)
        loss, count = loss + found.loss, count + found.nodes
        of_scales, blocks = of_scales + found.log_scales, blocks + found.blocks
    of_scales += count / objective.target.n * of_fine  # that is a sum over all nodes
    balls = workers.results(_ball_tasks(objective, given, chosen, moved))
    moved = moved.copied() if chosen else moved  # no task sees what another one has moved
    for (_, nodes), found in zip(chosen, balls, strict=True):
        moved.put(nodes, found.state)
        of_scales, blocks = of_scales + found.log_scales, blocks + found.blocks
    return moved, loss / count, of_scales / blocks


def _fine_gradients(objective: SampledObjective, given: Round, state: NodeState) -> tuple[Points, Array]:
    """Compute the gradients of the loss of edges in all points, if it is divided, and in the log-scales."""
    of_scales = np.zeros(len(state.points))
    if given.fine is None:
        return (), of_scales
    space, scales, workers = given.space, given.log_scales, objective.workers
    points = workers.share(state.points)
    most = -(-objective.target.n // len(objective.ranges))
    parts, sent = tee(edge_parts(space, state.points, scales, given.rng(EDGES, 0), most))
    tasks = ((edge_gradients, space, given.fine, scales, objective.arcs, points, part) for part in sent)
    gradients = tuple(np.empty_like(p) for p in state.points)
    for part, (of_points, some_of_scales) in zip(parts, workers.results(tasks, anywhere=True), strict=True):
        for whole, some in zip(gradients, of_points, strict=True):
            whole[part.nodes] = some
        of_scales += some_of_scales
    return gradients, of_scales


def _landmark_steps(objective: SampledObjective, given: Round) -> tuple[int, int]:
    """Return the number of steps of the landmarks, and how many times as long as a shard's task they take."""
    counts = [len(nodes) for nodes in objective.shard_nodes]
    blocks = sum(-(-count // given.block[0]) for count in counts)
    steps = min(max(blocks // ROWS_PER_LANDMARKS, 1), MOST_LANDMARK_STEPS)
    pairs = steps * min(len(given.landmarks[0]), LANDMARK_BATCH) ** 2 // 2
    return steps, max(pairs // max(given.block[1] * max(counts), 1), 1)


def _row_tasks(
    objective: SampledObjective, given: Round, steps: int, state: NodeState, fine: Points
) -> Iterator[Task]:
    """Make the task of the landmarks, which is the longest, and those of the shards. No node is in two."""

    def of(nodes: NDArray[np.int64]) -> tuple[NodeState, Points]:
        return state.taken(nodes), tuple(g.take(nodes, axis=0) for g in fine)

    yield move_landmarks, given, objective.among_landmarks, steps, *of(objective.target.landmarks.nodes)
    for shard, nodes in zip(objective.shards, objective.shard_nodes, strict=True):
        yield move_rows, given, shard, *of(nodes)


def _chosen_balls(objective: SampledObjective, given: Round) -> list[tuple[NDArray[np.int64], ...]]:
    """Draw the balls of a round; return their numbers and their nodes, for each group."""
    share = NEAR_BALL_SHARE if given.loss.needs_near_pairs else BALL_SHARE
    found: list[tuple[NDArray[np.int64], ...]] = []
    for number, group in enumerate(objective.groups):
        count = len(group.nodes)
        chosen = given.rng(BALLS, number).permutation(count)[: -int(-share * count // 1)]
        nodes = np.sort(group.nodes[chosen], axis=None).astype(np.int64)  # faster than np.unique
        found.append((chosen, nodes[np.diff(nodes, prepend=-1) > 0]))  # each node once, and no -1
    return found


def _ball_tasks(
    objective: SampledObjective, given: Round, balls: list[tuple[NDArray[np.int64], ...]], state: NodeState
) -> Iterator[Task]:
    """Make the tasks of the groups of balls."""
    for group, (chosen, nodes) in zip(objective.shared_groups, balls, strict=bool(balls)):
        yield move_balls, given, group, chosen, nodes, state.taken(nodes)
