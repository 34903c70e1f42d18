"""The first points of all nodes of a large graph: each is placed by its distances to landmarks."""

import logging
import math
from collections.abc import Callable
from contextlib import closing
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riemap.embeddings import Embedding
from riemap.spaces import Points, Space
from riemap.training.placement import place
from riemap.training.sampled_objective import SampledObjective, Shard
from riemap.types import Array

ANCHORS = 128
"""Number of landmarks by which nodes are placed."""

START_NOISE = 0.01
"""Length of a random step away from where a node is placed. Nodes with the same distances to all landmarks
are placed at the same point, and would never leave each other."""

_LOGGER = logging.getLogger(__name__)


class Placement(NamedTuple):
    """How all shards are placed.

    Parameters
    ----------
    space
        The space.
    columns
        Numbers of the landmarks by which nodes are placed.
    anchors
        Their points.
    log_scales
        Logarithms of the scales, one a factor.
    shrinking
        Ratio of squared target distances to those between the points.
    seed
        Seed of the noise, and number of nodes.
    """

    space: Space
    columns: NDArray[np.int64]
    anchors: Points
    log_scales: Array
    shrinking: float
    seed: tuple[int, int]


def placed_points(
    objective: SampledObjective,
    known: Embedding,
    shrinking: float,
    seed: int,
    interrupted: Callable[[], bool],
) -> tuple[Points, Array]:
    """Place all nodes by their distances to landmarks, each by itself.

    Parameters
    ----------
    objective
        The objective, which knows the distances, and where tasks are done.
    known
        An embedding of the landmarks.
    shrinking
        Ratio of squared target distances to those of this embedding.
    seed
        Seed of the anchors, which are some of the landmarks, and of the noise.
    interrupted
        Is asked between shards, and ends the placement by returning ``True``.

    Returns
    -------
    tuple of Points and Array
        The points of all nodes, and the log-scales.
    """
    space, target, workers = objective.space, objective.target, objective.workers
    rng = np.random.default_rng([seed, target.n])
    nodes = target.landmarks.nodes
    longest = float(target.landmarks.columns[nodes].max())
    log_scales = known.log_scales + 2.0 * math.log(longest / target.maximum)
    columns = np.sort(rng.permutation(len(nodes))[:ANCHORS])
    anchors = tuple(p[columns] for p in known.points)
    points = space.random(rng, target.n, START_NOISE)
    given = workers.share(Placement(space, columns, anchors, log_scales, shrinking, (seed, target.n)))
    _LOGGER.info("placing %d nodes by their distances to landmarks", target.n)
    tasks = ((place_shard, given, shard) for shard in objective.shards)
    with closing(workers.results(tasks)) as results:
        for rows, found in zip(objective.ranges, results, strict=True):
            for whole, part in zip(points, found, strict=True):
                whole[rows] = part
            if interrupted():
                break
    for whole, part in zip(points, known.points, strict=True):
        whole[nodes] = part
    return points, log_scales


def place_shard(given: Placement, shard: Shard) -> Points:
    """Do the task of a shard: place its nodes, and move each a little in a random direction."""
    rng = np.random.default_rng([*given.seed, shard.number])
    wanted = shard.target.block(np.arange(len(shard.target.columns)), given.columns)
    found = place(given.space, given.anchors, given.log_scales, wanted / given.shrinking)
    points = []
    for m, x in zip(given.space.factors, found, strict=True):
        u = m.to_tangent(x, rng.standard_normal(x.shape))
        length = m._expand(np.maximum(m.norm(x, u), START_NOISE))
        points.append(m.project(m.exp(x, START_NOISE / length * u)))
    return tuple(points)
