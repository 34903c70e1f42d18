"""Measured facts beside the answer: the curvature of the graph, and what the embeddings did."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.choosing.comparisons import Board
from riemap.choosing.splits import Problem
from riemap.choosing.trial_record import TrialRecord
from riemap.choosing.trials import THIRDS
from riemap.curvature import angle_sums, delta_among, delta_sampled, ricci_sampled, sectional
from riemap.embeddings import Embedding
from riemap.graphs import Graph

QUADRUPLES, EDGES, NEIGHBOUR_PAIRS, TRIPLES = 100_000, 300, 50, 10_000
"""How many quadruples, edges, pairs of neighbours of a node, and triangles are drawn: all take a second."""

SECTIONAL_NODES = 1_000
"""Largest number of nodes whose sectional curvature is computed: more would take seconds."""

BALL_RADII = 8
"""Number of radii at which the sizes of balls are told."""


def graph_facts(problem: Problem, in_time: Callable[[], bool] = lambda: True) -> dict[str, Any]:
    """Measure the curvature of the graph and the growth of its balls.

    Parameters
    ----------
    problem
        The graph and its distances.
    in_time
        Is asked before each curvature, which is left out if there is no time for it.

    Returns
    -------
    dict
        ``diameter``, ``growth`` and ``delta``; ``ricci`` and ``sectional`` if there are edges.
    """
    facts: dict[str, Any] = {
        "diameter": float(problem.distances.max()),
        "growth": ball_growth(problem.distances),
    }
    for name, measure in (("delta", _delta), ("ricci", _ricci), ("sectional", _sectional)):
        if in_time() and (found := measure(problem)) is not None:
            facts[name] = found
    return facts


def _delta(problem: Problem) -> dict[str, float]:
    distances = problem.distances
    if problem.sampled:
        delta = delta_among(distances, samples=QUADRUPLES, hops=distances.dtype.kind == "u")
    else:
        delta = delta_sampled(problem.graph, samples=QUADRUPLES, distances=distances)
    relative = delta.mean / float(distances.max())
    return {"mean": delta.mean, "se": delta.se, "max": delta.max, "mean_over_diameter": relative}


def _ricci(problem: Problem) -> dict[str, float] | None:
    if not isinstance(problem.graph, Graph):
        return None
    curvature = ricci_sampled(problem.graph, edges=EDGES).curvature
    error = float(curvature.std() / np.sqrt(len(curvature)))
    return {"mean": float(curvature.mean()), "se": error, "negative": float(np.mean(curvature < 0.0))}


def _sectional(problem: Problem) -> dict[str, float] | None:
    graph = problem.graph
    if not isinstance(graph, Graph) or problem.sampled or graph.n > SECTIONAL_NODES:
        return None
    summary = sectional(graph, pairs=NEIGHBOUR_PAIRS, distances=problem.distances).summary
    return None if summary is None else {"mean": summary.mean, "median": summary.median}


def ball_growth(distances: NDArray[Any]) -> dict[str, Any]:
    """Measure how many nodes a ball holds on average, for radii up to half of the largest distance.

    Parameters
    ----------
    distances
        ``(n, n)`` distances.

    Returns
    -------
    dict
        ``radius``, ``nodes`` (means over all centres), and ``exponent``: the slope of log(nodes) over
        log(radius), by least squares; ``None`` if there are fewer than two radii.

    Examples
    --------
    >>> line = np.arange(41)
    >>> ball_growth(abs(line[:, None] - line))["exponent"] < 1.0
    True
    """
    half = float(distances.max()) / 2.0
    if distances.dtype.kind == "u":
        radii = np.unique(np.linspace(1, max(half, 1.0), BALL_RADII).round())
    else:
        radii = half * np.arange(1, BALL_RADII + 1) / BALL_RADII
    nodes = np.array([np.count_nonzero(distances <= r) for r in radii]) / len(distances)
    grown = nodes > 1.0
    slope = None
    if np.count_nonzero(grown) > 1:
        slope = float(np.polyfit(np.log(radii[grown]), np.log(nodes[grown]), 1)[0])
    return {"radius": radii.tolist(), "nodes": nodes.round(2).tolist(), "exponent": slope}


def embedding_facts(embedding: Embedding) -> dict[str, Any]:
    """Measure how an embedding curves, and what each factor contributes.

    Parameters
    ----------
    embedding
        The embedding.

    Returns
    -------
    dict
        ``angles``, the mean of the angle sums of triangles minus π; and ``shares`` of a product.
    """
    facts: dict[str, Any] = {"space": str(embedding.space)}
    sums = angle_sums(embedding, TRIPLES).values
    if len(sums):
        facts["angles"] = {"mean": float(sums.mean()), "se": float(sums.std() / np.sqrt(len(sums)))}
    if len(embedding.space.factors) > 1:
        parts = zip(embedding.space.factors, embedding.shares().tolist(), strict=True)
        facts["shares"] = [{"factor": str(m), "share": share} for m, share in parts]
    return facts


def gains(records: list[TrialRecord], board: Board, best: str, baseline: str) -> dict[str, Any] | None:
    """Compare the distortion of near, middle and far held-out pairs in the best space and in the baseline.

    Parameters
    ----------
    records, board
        All trials.
    best, baseline
        Two spaces.

    Returns
    -------
    dict or None
        For each third of the pairs, both means over the common seeds of the longest trials; ``None`` if the
        two are the same space, or have no trials in common.
    """
    found = board.difference(baseline, best)
    if best == baseline or found is None:
        return None
    sides = []
    for space in (best, baseline):
        same = [r for r in records if r["space"] == space and r["epochs"] == found[1] and r["distortion"]]
        sides.append({r["seed"]: r["distortion"] for r in same})
    common = sorted(sides[0].keys() & sides[1].keys())
    if not common:
        return None
    a, b = (np.mean([side[seed] for seed in common], axis=0).tolist() for side in sides)
    return {name: {best: x, baseline: y} for name, x, y in zip(THIRDS, a, b, strict=True)}
