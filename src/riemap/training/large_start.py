"""The start of training on a large graph: landmarks, balls, and initial points from the landmarks' ones."""

import logging
import math
from collections.abc import Callable

import numpy as np

from riemap import memory
from riemap.distances.landmarks import Landmarks
from riemap.distances.sampled_target import SampledTarget, pool_of_balls
from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.graphs import AnyGraph, Graph
from riemap.graphs.dissimilarities import Dissimilarities
from riemap.spaces import Points, Space
from riemap.training.placement import place
from riemap.types import Array

LANDMARKS = 1024
"""Number of landmarks: a byte each for every node. With 512, the distortion of grqc in H3 was 7 to 12 %
larger, by the epochs that the landmarks had, and that of power and facebook about the same; one seed."""

BALL_NODES = 128
"""Number of nodes in a ball."""

BALLS_PER_NODE = 2
"""Number of balls that a node is in on average. Balls overlap around hubs, so that some nodes are in none."""

ANCHORS = 128
"""Number of landmarks by which nodes are placed."""

PLACED_TOGETHER = 1 << 16
"""Number of nodes that are placed in one call. Ctrl-C is heard between two calls."""

START_NOISE = 0.01
"""Length of a random step away from where a node is placed. Nodes with the same distances to all landmarks
are placed at the same point, and would never leave each other."""

LANDMARK_SEED = 0
"""Seed of landmarks and balls, the same for all runs, so that they find the stored distances."""

_LOGGER = logging.getLogger(__name__)


def sampled_target(graph: AnyGraph, space: Space) -> SampledTarget:
    """Choose landmarks and balls, and compute the distances to landmarks and within balls.

    Parameters
    ----------
    graph
        A connected graph.
    space
        The space to embed in.

    Returns
    -------
    SampledTarget
        The target. It depends on the graph alone.

    Raises
    ------
    InputError
        If it is not a graph, or not connected.
    MemoryError
        If the distances and the points do not fit into memory.
    """
    if not isinstance(graph, Graph):
        raise InputError(
            f"the sampler 'landmarks' searches paths in a graph, and {graph.name} is a matrix of "
            "dissimilarities; take the sampler 'all'"
        )
    memory.require(
        needed_bytes(graph, space),
        f"{graph.n} points in {space} for {graph.name}, and distances to {LANDMARKS} landmarks,",
        "take a space with fewer coordinates, a part of the graph, or a machine with more memory",
    )
    landmarks = Landmarks.of(graph, min(LANDMARKS, max(graph.n // 2, 2)), LANDMARK_SEED)
    count = -(-BALLS_PER_NODE * graph.n // BALL_NODES)
    _LOGGER.info("%s: computing the distances within %d balls", graph.name, count)
    found = pool_of_balls(graph, count, BALL_NODES, LANDMARK_SEED)
    return SampledTarget(graph, landmarks, found)


def needed_bytes(graph: Graph, space: Space) -> int:
    """Estimate the memory of a run with landmarks, beyond that of the graph.

    Parameters
    ----------
    graph, space
        What to embed, and where.

    Returns
    -------
    int
        Bytes: distances to landmarks and within balls; and points, averages of gradients, and the copies of
        both that a round and a checkpoint make.
    """
    numbers = sum(math.prod(m.shape) for m in space.factors)
    width = 1 if graph.weights is None else 4
    return graph.n * (
        width * (LANDMARKS + BALLS_PER_NODE * BALL_NODES) + 8 * (10 * numbers + 8 * len(space.factors))
    )


def among_landmarks(target: SampledTarget) -> Dissimilarities:
    """Return the distances between all landmarks, as a small problem of its own.

    Parameters
    ----------
    target
        The target of the whole graph.

    Returns
    -------
    Dissimilarities
        One point a landmark.
    """
    matrix = target.landmarks.columns[target.landmarks.nodes].astype(np.float64)
    return Dissimilarities(np.minimum(matrix, matrix.T), tuple(range(len(matrix))), "landmarks")


def placed_points(
    space: Space, target: SampledTarget, known: Embedding, seed: int, interrupted: Callable[[], bool]
) -> tuple[Points, Array]:
    """Place all nodes by their distances to landmarks, each by itself.

    Parameters
    ----------
    space
        The space.
    target
        The target of the whole graph.
    known
        An embedding of the landmarks.
    seed
        Seed of the anchors, which are some of the landmarks, and of the noise.
    interrupted
        Is asked between blocks of nodes, and ends the placement by returning ``True``.

    Returns
    -------
    tuple of Points and Array
        The points of all nodes, and the log-scales.
    """
    rng = np.random.default_rng([seed, target.n])
    nodes = target.landmarks.nodes
    longest = float(target.landmarks.columns[nodes].max())
    log_scales = known.log_scales + 2.0 * math.log(longest / target.maximum)
    columns = np.sort(rng.permutation(len(nodes))[:ANCHORS])
    anchors = tuple(p[columns] for p in known.points)
    points = space.random(rng, target.n, START_NOISE)
    for first in range(0, target.n, PLACED_TOGETHER):
        if interrupted():
            break
        rows = np.arange(first, min(first + PLACED_TOGETHER, target.n))
        wanted = target.to_landmarks(rows, columns, np.empty((len(rows), len(columns))))
        found = place(space, anchors, log_scales, wanted)
        for m, whole, part in zip(space.factors, points, found, strict=True):
            u = m.to_tangent(part, rng.standard_normal(part.shape))
            length = m._expand(np.maximum(m.norm(part, u), START_NOISE))
            whole[rows] = m.project(m.exp(part, START_NOISE / length * u))
    for whole, part in zip(points, known.points, strict=True):
        whole[nodes] = part
    return points, log_scales
