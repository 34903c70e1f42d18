"""Compute every metric of the registry for an embedding, with standard errors if nodes were sampled."""

import logging
import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.distances import DistanceMatrix, longest_distance, rows_from, shortest_paths
from riemap.distances.target import distances_of
from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.graphs.graph import Graph
from riemap.graphs.open_graph import take_graph
from riemap.metrics.comparison import COMPARISON_BLOCK_PAIRS, Comparison
from riemap.metrics.ranking import f1_curve
from riemap.metrics.registry import METRICS
from riemap.metrics.results import Scores
from riemap.specs import checked_seed, expect, whole_number
from riemap.specs.arrays import float_array, number_array
from riemap.types import Array

LARGEST_FULLY_SCORED = 10_000
"""Largest number of nodes for which all pairs are scored by default. Time grows with the square of the
number of nodes."""

SAMPLED_SOURCES, MIN_SAMPLED_SOURCES = 2_000, 64
"""Most and fewest sources drawn from a larger graph by default. Each score has a standard error."""

SAMPLED_PAIRS, SAMPLED_PAIRS_WEIGHTED = 1 << 26, 1 << 25
"""Number of pairs that are scored by default in a larger graph, without and with weights. It bounds the time
and the memory, whatever the number of nodes: a minute and 2 GB, measured with 100,000 nodes."""

SCORED_BYTES, SCORED_BYTES_WEIGHTED = 40, 120
"""Memory for each pair that is scored, without and with weights: its distances, and their order. Measured:
36 bytes with 12,000 nodes and 31 with 50,000 and 200,000; 94 with weights. With 32, a run on 30,000 nodes
that had just enough by this estimate did not fit."""

BLOCK_BYTES = 80
"""Memory for each pair of the block that is scored at the moment. With 1,500 to 8,000 nodes, 24 to 150 MB
more than by the numbers above were measured."""

STANDARD_ERROR_GROUPS = 10
"""Number of groups that a sample is divided into. The spread of the groups' scores gives the standard
errors."""

_LOGGER = logging.getLogger(__name__)


def evaluate(
    embedding: Any,
    graph: Any,
    *,
    distances: DistanceMatrix | None = None,
    sources: int | None = None,
    seed: int = 0,
) -> Scores:
    """Score how well an embedding preserves the distances of a graph.

    Parameters
    ----------
    embedding
        The embedding, or the fit that holds it. Its nodes are matched with those of the graph by label.
    graph
        The graph, or the dissimilarities, that was embedded, in any form that :func:`riemap.embed` takes.
    distances
        Distances between all nodes, as from :func:`shortest_paths`; computed if they are not given.
    sources
        Number of source nodes to draw at random; only pairs with a source are scored, and each score has a
        standard error. By default all nodes are sources, or 2,000 of them if the graph has more than 10,000,
        and fewer if it has more than 33,000 (67 of a million).
    seed
        Seed for drawing the sources.

    Returns
    -------
    Scores
        One value for each metric in :data:`METRICS`, and the curve of F1@k.

    Raises
    ------
    InputError
        If ``sources`` or ``seed`` is out of range, or the nodes of the embedding are not those of the graph.

    Examples
    --------
    >>> from riemap.spaces import Space
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> line = Embedding(Space.parse("E1"), (np.array([[0.0], [0.5], [1.0]]),), np.zeros(1), (0, 1, 2))
    >>> evaluate(line, path)["ad"]
    0.0
    """
    return score_comparison(compare(embedding, graph, distances=distances, sources=sources, seed=seed))


def compare(
    embedding: Any,
    graph: Any,
    *,
    distances: DistanceMatrix | None = None,
    sources: int | None = None,
    seed: int = 0,
) -> Comparison:
    """Pair the distances in a graph with those in an embedding, as :func:`evaluate` does before scoring.

    Parameters and errors are those of :func:`evaluate`.

    Returns
    -------
    Comparison
        Input for :func:`score_comparison`, :func:`riemap.metrics.pair_report` and each metric.

    Examples
    --------
    >>> from riemap.spaces import Space
    >>> edge = Graph.from_edges([(0, 1)])
    >>> line = Embedding(Space.parse("E1"), (np.array([[0.0], [1.0]]),), np.zeros(1), (0, 1))
    >>> compare(line, edge).distances.tolist()
    [[0, 1], [1, 0]]
    """
    embedding = getattr(embedding, "embedding", embedding)  # of a fit
    if not isinstance(embedding, Embedding) or isinstance(graph, Embedding):
        given = f"{type(embedding).__name__} and {type(graph).__name__}"
        raise TypeError(f"an Embedding or a Fit and its graph are compared, in this order, not {given}")
    graph = take_graph(graph)
    sources = None if sources is None else whole_number("sources", sources, 1, graph.n, "number of nodes")
    distances = None if distances is None else distances_of(graph, distances)
    seed = checked_seed(seed)
    embedding = embedding.aligned_to(graph)
    weighted = isinstance(graph, Graph) and graph.weights is not None
    count = _default_sources(graph.n, weighted) if sources is None else min(sources, graph.n)
    edges = graph if isinstance(graph, Graph) else None
    _LOGGER.info("%s: computing scores from %d of %d nodes", graph.name, count, graph.n)
    if count == graph.n:
        matrix = shortest_paths(graph) if distances is None else distances
        return Comparison(np.arange(graph.n), matrix, embedding.sqdist_rows, float(matrix.max()), edges)
    drawn = np.random.default_rng(seed).permutation(graph.n)[:count]
    if distances is not None:
        rows, maximum = distances[drawn], float(distances.max())
    else:
        rows = rows_from(graph, drawn)
        maximum = max(longest_distance(graph), float(rows.max()))
    return Comparison(drawn, rows, embedding.sqdist_rows, maximum, edges)


def _default_sources(n: int, weighted: bool) -> int:
    """Number of sources to draw from a large graph: few enough that their distances fit into memory."""
    if n <= LARGEST_FULLY_SCORED:
        return n
    pairs = SAMPLED_PAIRS_WEIGHTED if weighted else SAMPLED_PAIRS
    return min(max(pairs // n, MIN_SAMPLED_SOURCES), SAMPLED_SOURCES)


def scored_bytes(n: int, weighted: bool) -> int:
    """Estimate the memory that :func:`evaluate` needs by default, beyond that of the embedding.

    Parameters
    ----------
    n, weighted
        Number of nodes of the graph, and whether its edges have weights.

    Returns
    -------
    int
        Bytes. Where all nodes are sources, each pair counts once.

    Examples
    --------
    >>> scored_bytes(10**6, weighted=False)
    2847772160
    """
    sources = _default_sources(n, weighted)
    pairs = n * n // 2 if sources == n else n * sources
    block = BLOCK_BYTES * min(pairs, COMPARISON_BLOCK_PAIRS)
    return block + pairs * (SCORED_BYTES_WEIGHTED if weighted else SCORED_BYTES)


def score_comparison(c: Comparison) -> Scores:
    """Compute every metric of a comparison.

    Parameters
    ----------
    c
        The distances to compare, from :func:`compare`.

    Returns
    -------
    Scores
        With standard errors if only some of the nodes are sources.

    Examples
    --------
    >>> hops, sqdist = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> score_comparison(Comparison(np.arange(2), hops, sqdist.__getitem__, 1.0))["stress"]
    0.0
    """
    expect(c, Comparison, "a comparison", "riemap.metrics.compare makes one")
    return _scores(c) if c.all_pairs else _with_errors(c)


def score(distances: NDArray[Any], sqdist: Array, graph: Graph | None = None) -> Scores:
    """Score a matrix of squared distances against a matrix of distances.

    Layer ``k`` of a node holds the nodes at its ``k``-th distinct distance.

    Parameters
    ----------
    distances
        ``(n, n)``, distances to reproduce: positive, finite, and zero on the diagonal.
    sqdist
        ``(n, n)``, squared distances of an embedding from any source.
    graph
        A graph whose edges define the neighbours for the mean average precision.

    Returns
    -------
    Scores
        One value for each metric in :data:`METRICS`.

    Raises
    ------
    InputError
        If the matrices are not both ``(n, n)`` with ``n`` at least 2, or ``distances`` are not as required.

    Examples
    --------
    >>> score(np.array([[0, 1], [1, 0]]), np.array([[0.0, 1.0], [1.0, 0.0]]))["ad"]
    0.0
    """
    distances, sqdist = number_array("distances", distances), float_array("squared distances", sqdist)
    expect(graph, Graph | None, "a graph", "as_graph makes one")
    n = len(distances) if distances.ndim else 0
    if distances.shape != (n, n) or sqdist.shape != (n, n) or n < 2:
        raise InputError(
            f"cannot compare distances of shape {distances.shape} with squared distances of shape "
            f"{sqdist.shape}; both must be (n, n), with n at least 2"
        )
    lengths = np.asarray(distances, np.float64)
    if np.diagonal(lengths).any() or np.count_nonzero((lengths > 0.0) & (lengths < np.inf)) != n * (n - 1):
        raise InputError("distances must be positive and finite, and zero on the diagonal")
    return _scores(Comparison(np.arange(n), lengths, sqdist.__getitem__, float(lengths.max()), graph))


def _scores(c: Comparison) -> Scores:
    return Scores(
        {metric.name: metric.compute(c) for metric in METRICS},
        tuple(f1_curve(c).tolist()),
        tuple(c.ranking.counts.tolist()),
        c.n,
        len(c.sources),
    )


def _with_errors(c: Comparison) -> Scores:
    """Scores over a sample, with standard errors from how much the scores of groups of it differ."""
    groups = min(STANDARD_ERROR_GROUPS, len(c.sources))
    bounds = np.linspace(0, len(c.sources), groups + 1).astype(int)
    parts = [_scores(c.part(slice(a, b))) for a, b in pairwise(bounds.tolist())]
    correction = math.sqrt(1.0 - len(c.sources) / c.n)  # for a sample from a finite population
    errors = {
        m.name: _standard_error([p[m.name] for p in parts], correction) for m in METRICS if not m.extreme
    }
    return replace(_scores(c), errors=errors)


def _standard_error(values: list[float | None], correction: float) -> float | None:
    """Standard error of the mean of independent values; ``None`` if one value is missing or not finite."""
    numbers = [v for v in values if v is not None and math.isfinite(v)]
    if len(numbers) < max(len(values), 2):
        return None
    return float(np.std(numbers, ddof=1)) / math.sqrt(len(numbers)) * correction
