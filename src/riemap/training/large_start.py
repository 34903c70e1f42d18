"""The start of training on a large graph: its landmarks, its balls, and how much memory it needs."""

import logging
import math
from collections.abc import Generator
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from riemap import memory
from riemap.distances.balls import Balls, balls
from riemap.distances.landmark_hops import Told
from riemap.distances.landmarks import TOGETHER, Landmarks, columns_from
from riemap.distances.sampled_target import SampledTarget, pool_of_balls
from riemap.errors import InputError
from riemap.graphs import AnyGraph, Graph
from riemap.graphs.dissimilarities import Dissimilarities
from riemap.metrics.scores import scored_bytes
from riemap.spaces import Space
from riemap.training.less_memory import less_memory
from riemap.training.workers import Workers

LANDMARKS = 1024
"""Number of landmarks: a byte each for every node. With 512, the distortion of grqc in H3 was 7 to 12 %
larger, by the epochs that the landmarks had, and that of power and facebook about the same; one seed.

They stay the same during a run: others that came later would add little. With 2,048 of them, 1,024 of which
are embedded first as before, 200 rounds in H3 gave AD 0.0914, AUC 90.6 %, F1@1 27.4 % on email-enron instead
of 0.0919, 90.8 %, 28.5 %; and 0.0796, 92.3 %, 42.4 % on a hyperbolic graph of 30,000 nodes instead of 0.0824,
93.1 %, 42.4 %. Where all 2,048 are embedded first, email-enron has 0.0923, 91.0 %, 32.1 %, and in the same
time 270 rounds with 1,024 give 0.0899, 91.2 %, 31.3 %; one seed."""

BALL_NODES = 256
"""Number of nodes in a ball. With 128, the F1@1 of a hyperbolic random graph of 10,000 nodes in H3 was 2
points lower after 50 rounds, and the distortion the same; one seed."""

BALLS_PER_NODE = 2
"""Number of balls that a node is in on average. Balls overlap around hubs, so that some nodes are in none."""

SEARCHED_TOGETHER = 64
"""Number of nodes that a task searches from at least: the bits of a word."""

WORKER_BYTES = 350_000_000
"""Memory of a worker of a cluster besides what grows with the graph: the libraries, compiled code, and the
blocks of a task. Measured in H3."""

LOADED_BYTES = 300_000_000
"""Address space of what is loaded once a run has begun: libraries, threads and compiled code. Measured on
5,800 nodes in H3 with 1.3 GB: 765 MB were free at the start, and 469 MB before the scores."""

SEARCH_BYTES = 3 * 64 + 4
"""Bytes a node of a search from up to 512 sources at once: three bits a source, and four flags."""

LANDMARK_SEED = 0
"""Seed of landmarks and balls, the same for all runs: they find the stored distances."""

_LOGGER = logging.getLogger(__name__)


def sampled_target(graph: AnyGraph, space: Space, workers: Workers) -> SampledTarget:
    """Choose landmarks and balls, and compute the distances to landmarks and within balls.

    Parameters
    ----------
    graph
        A connected graph.
    space
        The space to embed in.
    workers
        Where the searches are done.

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
        f"{graph.n} points in {space} for {graph.name}, distances to {LANDMARKS} landmarks, and scores",
        less_memory(graph.n, space, partial(needed_bytes, graph)),
    )
    search = _SharedSearch(workers, graph)
    wanted = min(LANDMARKS, graph.n // 2 if graph.n > 3 else graph.n)  # one node alone makes no block
    together = TOGETHER * workers.size  # a search from half as many takes as long
    landmarks = Landmarks.of(graph, wanted, LANDMARK_SEED, search=search.columns, together=together)
    count = -(-BALLS_PER_NODE * graph.n // BALL_NODES)
    _LOGGER.info("%s: computing the distances within %d balls", graph.name, count)
    found = pool_of_balls(graph, count, BALL_NODES, LANDMARK_SEED, search=search.balls)
    return SampledTarget(graph, landmarks, found)


@final
class _SharedSearch:
    """Searches of paths in a graph, divided among workers. The distances do not depend on the division."""

    def __init__(self, workers: Workers, graph: Graph) -> None:
        self.workers, self.graph = workers, graph

    @cached_property
    def shared(self) -> Graph:
        """The graph without its labels, where the tasks are done."""
        return self.workers.share(replace(self.graph, labels=(), attributes={}))

    def columns(self, graph: Graph, sources: NDArray[np.int64], told: Told) -> NDArray[Any]:
        """Compute the distances to some sources."""
        found = list(self._divided(columns_from, sources))
        told(1.0)
        return found[0] if len(found) == 1 else np.concatenate(found, axis=1)

    def balls(self, graph: Graph, centres: NDArray[np.int64], size: int, seed: int) -> Balls:
        """Find the balls around some centres."""
        found = list(self._divided(balls, centres, size, seed))
        return Balls(*map(np.concatenate, zip(*found, strict=True)))

    def _divided(self, function: Any, nodes: NDArray[np.int64], *more: int) -> Generator[Any, None, None]:
        parts = np.array_split(nodes, min(self.workers.size, -(-len(nodes) // SEARCHED_TOGETHER)))
        return self.workers.results((function, self.shared, part, *more) for part in parts)


def needed_bytes(graph: Graph, space: Space, n: int | None = None) -> int:
    """Estimate the memory of a run with landmarks, beyond that of the graph.

    Parameters
    ----------
    graph, space, n
        What to embed, and where; and the number of nodes, if only a part of the graph is embedded.

    Returns
    -------
    int
        Bytes: distances to landmarks and within balls; points, averages of gradients, and the copies of both
        that a round and a checkpoint make; gradients of edges; two lists of all nodes, by groups; scores; and
        what is loaded for these.
    """
    n, weighted = graph.n if n is None else n, graph.weights is not None
    numbers = 11 * _coordinates(space) + 8 * len(space.factors) + 2
    distances = (4 if weighted else 1) * (LANDMARKS + BALLS_PER_NODE * BALL_NODES)
    return n * (distances + 8 * numbers) + scored_bytes(n, weighted) + LOADED_BYTES


def _coordinates(space: Space) -> int:
    """Count the numbers of a point."""
    return sum(math.prod(m.shape) for m in space.factors)


def cluster_needs(graph: Graph, space: Space, cores: int, machines: int) -> str:
    """Say how much memory a run needs on a cluster.

    Parameters
    ----------
    graph, space
        What to embed, and where.
    cores, machines
        Number of workers and of machines of the cluster.

    Returns
    -------
    str
        One line: what a machine keeps in Ray's object store, and what a worker and this process need. The
        graph and all points are what a round compares edges with.

    Examples
    --------
    >>> from riemap import generate
    >>> cluster_needs(generate("path(n=1000)"), Space.parse("E2"), 4, 2)[:84]
    'the cluster has 4 cores (machines: 2); a machine keeps the graph and all points (32 '
    """
    width = 1 if graph.weights is None else 4
    arrays = (graph.indptr, graph.indices, graph.weights)
    of_all = sum(0 if a is None else a.nbytes for a in arrays) + 8 * graph.n * _coordinates(space)
    shards = width * graph.n * (LANDMARKS + BALLS_PER_NODE * BALL_NODES)
    worker = WORKER_BYTES + graph.n * (SEARCH_BYTES + -(-width * LANDMARKS // cores))
    return (
        f"the cluster has {cores} cores (machines: {machines}); a machine keeps the graph "
        f"and all points ({memory.text(of_all)}) and its shards ({memory.text(shards // machines)}; this one "
        f"keeps all, {memory.text(shards)}), a worker needs {memory.text(worker)} at most, and this process "
        f"{memory.text(needed_bytes(graph, space))}"
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
    _LOGGER.info("embedding %d landmarks", len(matrix))
    return Dissimilarities(np.minimum(matrix, matrix.T), tuple(range(len(matrix))), "landmarks")
