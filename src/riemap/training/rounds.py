"""A round of training on a large graph: its tasks, and how their results are put together.

A loss with a term that only puts near pairs in order, such as ``edges``, is divided. The gradients of that
term come first, from blocks of nodes that are close in the embedding (:mod:`riemap.training.edge_blocks`).
Then each shard moves its nodes against landmarks, and the landmarks move among themselves, by the gradients
of both terms. All of these start from the points before the round, so that they are independent of each
other.

Any other loss is trained by balls, too: each group of balls moves the nodes of its balls, all groups from the
same points. If a node is in balls of several groups, the last group decides. Nodes have two steps against
landmarks in such a round, so that points and averages are carried to the workers and back half as often.

Last, the scales have one step, by the mean of the gradients of all blocks, summed in the order of the tasks.
It is the gradient of both terms, like that of the points. By the first term alone, the scales would follow
what the second one does to the points, without end.
"""

from collections.abc import Iterator
from itertools import tee

import numpy as np
from numpy.typing import NDArray

from riemap.spaces import Points
from riemap.training.edge_blocks import edge_gradients, group_draws, near_groups
from riemap.training.node_state import NodeState
from riemap.training.round_tasks import (
    BALLS,
    EDGES,
    LANDMARK_BATCH,
    Round,
    move_balls,
    move_landmarks,
    move_rows,
)
from riemap.training.sampled_objective import SampledObjective
from riemap.training.workers import Task
from riemap.types import Array

ROWS_PER_LANDMARKS = 1
"""Number of blocks of rows for each step of the landmarks among themselves; at least one step in a round. On
a hyperbolic random graph of 3,000 nodes in H3, RSNE gave F1@1 43 % with 4 and 46 % with 1; one seed."""

MOST_LANDMARK_STEPS = 64
"""Most such steps for each step of all nodes. They are one task, which would otherwise take longer than all
others on a large cluster."""

BALL_SHARE, NEAR_BALL_SHARE = 0.2, 1.0
"""Share of all balls that a round visits, and the same for losses that nearest neighbours decide. In H3, one
seed, half of these shares and rounds with one step: without balls F1@1 was 5 points lower on power and 5
points higher on facebook, with about the same distortion; with three times as many balls it was a point
higher on both, and the distortion of power 2 % larger."""

PARTS_PER_WORKER = 8
"""Most parts of near nodes for each worker: more halvings of all nodes take longer than they let workers wait
for each other."""


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
    before = moved  # no task sees what another one has moved
    balls = workers.results(_ball_tasks(objective, given, chosen, before))
    for (_, nodes), found in zip(chosen, balls, strict=True):
        moved = before.copied() if moved is before else moved  # now, since workers are busy with other balls
        moved.put(nodes, found.state)
        of_scales, blocks = of_scales + found.log_scales, blocks + found.blocks
    return moved, loss / count, of_scales / blocks


def _fine_gradients(objective: SampledObjective, given: Round, state: NodeState) -> tuple[Points, Array]:
    """Compute the gradients of the loss of edges in all points, if it is divided, and in the log-scales."""
    if given.fine is None:
        return (), np.zeros(len(state.points))
    space, scales, workers = given.space, given.log_scales, objective.workers
    n, draws = objective.target.n, group_draws(objective.target.n, given.rng(EDGES, 0))
    most = -(-n // min(len(objective.ranges), PARTS_PER_WORKER * workers.size))
    parts, sent = tee(near_groups(space, state.points, scales, draws, most))
    shared = (objective.arcs, workers.share(state.points), workers.share(draws))
    tasks = ((edge_gradients, space, given.fine, scales, *shared, part) for part in sent)
    gradients, of_scales = tuple(np.empty_like(p) for p in state.points), []
    for part, (of_points, of_groups) in zip(parts, workers.results(tasks, anywhere=True), strict=True):
        for whole, some in zip(gradients, of_points, strict=True):
            whole[part.nodes] = some
        of_scales.append(of_groups)
    return gradients, np.concatenate(of_scales).sum(axis=0)  # the same sum for any number of parts


def _landmark_steps(objective: SampledObjective, given: Round) -> tuple[int, int]:
    """Return the number of steps of the landmarks, and how many times as long as a shard's task they take.

    A pair of landmarks takes a third as long as one of a shard, with the messages about the shard's points:
    on two workers, 200,000 nodes in H3, the landmarks take 3.3 times as long as a shard with RSNE, and 2.9
    times with edges.
    """
    counts = [len(nodes) for nodes in objective.shard_nodes]
    blocks = sum(-(-count // given.block[0]) for count in counts)
    steps = given.steps * min(max(blocks // ROWS_PER_LANDMARKS, 1), MOST_LANDMARK_STEPS)
    pairs = steps * min(len(given.landmarks[0]), LANDMARK_BATCH) ** 2
    return steps, max(round(pairs / (3 * max(given.steps * given.block[1] * max(counts), 1))), 1)


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
