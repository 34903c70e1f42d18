"""How the graph curves, and the embedding: δ, Ricci curvature, angles of triangles."""

from typing import Any, NamedTuple

import numpy as np

from riemap.curvature import Summary, delta_sampled, ollivier_ricci
from riemap.curvature.geodesic_triangles import angle_sums
from riemap.distances import DistanceMatrix
from riemap.embeddings import Embedding
from riemap.graphs import AnyGraph, Graph
from riemap.metrics.scores import LARGE
from riemap.types import Array

BINS = 40
"""Most ranges of a histogram; of few values there are fewer."""


class Curvatures(NamedTuple):
    """Of a graph: what the page shows, and the mean Ricci curvature at every node."""

    facts: dict[str, Any]
    nodes: Array | None


def graph_curvatures(graph: AnyGraph, distances: DistanceMatrix | None = None) -> Curvatures:
    """δ of random quadruples and the Ricci curvature of the edges; nothing of a graph that is too large."""
    if graph.n > LARGE:
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
    return Curvatures({**facts, "ricci": histogram(ricci.curvature)}, ricci.nodes)


def angles(embedding: Embedding) -> dict[str, Any] | None:
    """Normalised sums of angles in triangles of nodes; nothing where there are no triangles."""
    if embedding.n < 3:
        return None
    found = angle_sums(embedding)
    return histogram(found.values) if len(found.values) else None


def histogram(values: Array) -> dict[str, Any]:
    """Counts in equal ranges, and the quartiles."""
    low, high = float(values.min()), float(values.max())
    if high - low < 1e-9 * max(abs(low), abs(high), 1.0):  # all alike, but for rounding
        low, high = low - 0.5, high + 0.5
    bins = min(BINS, max(8, int(2.0 * np.sqrt(len(values)))))
    counts, edges = np.histogram(values, bins, (low, high))
    summary = Summary.of(values)
    assert summary is not None, "there are values"
    return {"edges": edges.tolist(), "counts": counts.tolist(), **summary._asdict()}
