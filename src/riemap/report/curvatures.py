"""Curvature of a graph and of its embedding, as data of a page: δ, Ricci curvature, angle sums."""

from typing import Any, NamedTuple

import numpy as np

from riemap.curvature import Summary, delta_sampled, ollivier_ricci
from riemap.curvature.geodesic_triangles import angle_sums
from riemap.distances import DistanceMatrix
from riemap.embeddings import Embedding
from riemap.graphs import AnyGraph, Graph
from riemap.metrics.scores import LARGEST_FULLY_SCORED
from riemap.plots.distributions import bin_range
from riemap.types import Array

MAX_CHART_BINS = 40
"""Most bins of a histogram, which is as many as a chart on a phone can show; few values have fewer bins."""


class Curvatures(NamedTuple):
    """Curvatures of a graph.

    Parameters
    ----------
    facts
        Data for the page: ``delta`` and, for a graph with edges, ``ricci``. Empty for large graphs.
    nodes
        Mean Ricci curvature of the edges at every node, ``(n,)``; ``None`` if it was not computed.
    """

    facts: dict[str, Any]
    nodes: Array | None


def graph_curvatures(graph: AnyGraph, distances: DistanceMatrix | None = None) -> Curvatures:
    """Compute δ-hyperbolicity and Ricci curvature of a graph, unless it has more than 10,000 nodes.

    Parameters
    ----------
    graph
        A graph, or dissimilarities, which have no Ricci curvature.
    distances
        Distances between all nodes, as from :func:`shortest_paths`; computed if they are not given.

    Returns
    -------
    Curvatures
        Data for the page, and Ricci curvature by node.
    """
    if graph.n > LARGEST_FULLY_SCORED:
        return Curvatures({}, None)
    delta = delta_sampled(graph, distances=distances)
    facts: dict[str, Any] = {
        "delta": {
            "values": delta.values.tolist(),
            "counts": delta.counts.tolist(),
            "ranges": delta.ranges,
            "mean": delta.mean,
            "max": delta.max,
            "samples": delta.samples,
        }
    }
    if not isinstance(graph, Graph):
        return Curvatures(facts, None)
    ricci = ollivier_ricci(graph, distances=distances)
    return Curvatures({**facts, "ricci": histogram(ricci.curvature)}, ricci.node_means)


def angle_histogram(embedding: Embedding) -> dict[str, Any] | None:
    """Return a histogram of normalised angle sums of triangles of nodes, or ``None`` without triangles."""
    if embedding.n < 3:
        return None
    found = angle_sums(embedding)
    return histogram(found.values) if len(found.values) else None


def histogram(values: Array) -> dict[str, Any]:
    """Return the edges and counts of equal bins, and summary statistics of the values."""
    bins = min(MAX_CHART_BINS, max(8, int(2.0 * np.sqrt(len(values)))))
    counts, edges = np.histogram(values, bins, bin_range(values))
    summary = Summary.from_values(values)
    assert summary is not None, "there are values"
    return {"edges": edges.tolist(), "counts": counts.tolist(), **summary._asdict()}
