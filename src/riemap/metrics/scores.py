"""Scores of an embedding: every metric of the registry, with standard errors where nodes were sampled."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.distances import DistanceMatrix, diameter, rows_from, shortest_paths
from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.graphs.dissimilarities import AnyGraph, Dissimilarities
from riemap.graphs.graph import Graph
from riemap.metrics import correlation, distortion, ranking
from riemap.metrics.comparison import Comparison
from riemap.types import Array

LARGE = 10_000
"""Nodes of the largest graph that is scored over all its nodes unless told otherwise."""

SAMPLE = 2_000
"""Sources for a larger one."""

GROUPS = 10
"""Parts of a sample whose scores, taken apart, give the standard error of the whole."""


class Metric(NamedTuple):
    """One number about an embedding; listing it in :data:`METRICS` puts it wherever scores are shown."""

    name: str
    title: str
    best: Literal["high", "low"]
    of: Callable[[Comparison], float | None]
    extreme: bool = False  # of one pair, so that a sample bounds it and has no standard error


METRICS = (
    Metric("f1@1", "F1 of direct neighbours", "high", ranking.f1_at_1),
    Metric("auc", "area under F1@k", "high", ranking.area_under_f1),
    Metric("map", "mean average precision", "high", ranking.mean_average_precision),
    Metric("ad", "average distortion", "low", distortion.average_distortion),
    Metric("ad_rescaled", "… at the best rescaling", "low", distortion.rescaled_distortion),
    Metric("worst", "worst-case distortion", "low", distortion.worst_distortion, extreme=True),
    Metric("stress", "normalised stress", "low", distortion.normalised_stress),
    Metric("pearson", "correlation of distances", "high", correlation.pearson),
    Metric("spearman", "correlation of their ranks", "high", correlation.spearman),
)


@final
@dataclass(frozen=True)
class Scores:
    """What :func:`evaluate` finds; ``scores["auc"]`` is one metric.

    Fractions are of 1. A metric is ``None`` where it has no meaning, such as a correlation with
    distances that are all the same.
    """

    values: Mapping[str, float | None]
    f1_curve: tuple[float, ...]
    layers: tuple[int, ...]
    n: int
    sources: int
    errors: Mapping[str, float | None] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float | None:
        if name not in self.values:
            raise KeyError(f"no metric is called {name!r}; there are {', '.join(self.values)}")
        return self.values[name]

    def as_json(self) -> dict[str, Any]:
        """Everything, of types that JSON has; a distortion without bound is ``None``."""
        found: dict[str, Any] = {
            "n": self.n,
            "sources": self.sources,
            "scores": _finite(self.values),
            "f1@k": list(self.f1_curve),
            "layers": list(self.layers),
        }
        return {**found, "standard_errors": _finite(self.errors)} if self.errors else found

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "Scores":
        """What :meth:`as_json` gave; a bound that is missing there is missing here."""
        return cls(
            found["scores"],
            tuple(found["f1@k"]),
            tuple(found["layers"]),
            found["n"],
            found["sources"],
            found.get("standard_errors", {}),
        )


def _finite(values: Mapping[str, float | None]) -> dict[str, float | None]:
    return {k: v if v is not None and math.isfinite(v) else None for k, v in values.items()}


def evaluate(
    embedding: Embedding,
    graph: AnyGraph,
    *,
    distances: DistanceMatrix | None = None,
    sources: int | None = None,
    seed: int = 0,
) -> Scores:
    """How faithful an embedding is to the distances of a graph.

    Parameters
    ----------
    embedding
        Its nodes are matched with the graph's by label.
    graph
        What was embedded.
    distances
        Distances between all nodes, if they are known already; computed otherwise.
    sources
        Score what this many nodes, drawn at random, see of all others; each score then comes with a
        standard error. Left out, all nodes count, unless the graph has more than 10,000: then 2,000 do.
    seed
        Of the draw.
    """
    return scores_of(compared(embedding, graph, distances=distances, sources=sources, seed=seed))


def compared(
    embedding: Embedding,
    graph: AnyGraph,
    *,
    distances: DistanceMatrix | None = None,
    sources: int | None = None,
    seed: int = 0,
) -> Comparison:
    """The distances that :func:`evaluate` scores, for those who want to know more of them."""
    if not isinstance(embedding, Embedding) or not isinstance(graph, Graph | Dissimilarities):
        given = f"{type(embedding).__name__} and {type(graph).__name__}"
        raise TypeError(f"an Embedding is compared with a Graph, not {given}; as_graph makes one of others")
    if sources is not None and sources < 1:
        raise InputError(f"sources={sources} is not a number of nodes; give one from 1 to {graph.n}")
    if seed < 0:
        raise InputError(f"seed={seed} is negative; give a whole number from 0 up")
    embedding = embedding.aligned_to(graph)
    count = (SAMPLE if graph.n > LARGE else graph.n) if sources is None else min(sources, graph.n)
    edges = graph if isinstance(graph, Graph) else None
    if count == graph.n:
        matrix = shortest_paths(graph) if distances is None else distances
        return Comparison(np.arange(graph.n), matrix, embedding.sqdist_rows, float(matrix.max()), edges)
    drawn = np.random.default_rng(seed).permutation(graph.n)[:count]
    if distances is not None:
        rows, maximum = distances[drawn], float(distances.max())
    else:
        rows, maximum = rows_from(graph, drawn), diameter(graph)
    return Comparison(drawn, rows, embedding.sqdist_rows, maximum, edges)


def scores_of(c: Comparison) -> Scores:
    """Scores of what was compared; with standard errors where not all nodes were."""
    return _scores(c) if c.all_pairs else _with_errors(c)


def score(distances: NDArray[Any], sqdist: Array, graph: Graph | None = None) -> Scores:
    """Scores of squared distances ``(n, n)`` against distances ``(n, n)``, wherever both come from.

    Layers are the different distances that a node sees.

    >>> score(np.array([[0, 1], [1, 0]]), np.array([[0.0, 1.0], [1.0, 0.0]]))["ad"]
    0.0
    """
    n = len(distances)
    if distances.shape != (n, n) or sqdist.shape != (n, n) or n < 2:
        raise InputError(f"cannot compare {distances.shape} distances with {sqdist.shape}; both are (n, n)")
    lengths = np.asarray(distances, np.float64)
    if np.diagonal(lengths).any() or np.count_nonzero((lengths > 0.0) & (lengths < np.inf)) != n * (n - 1):
        raise InputError("distances are positive and finite, and zero from each node to itself")
    return _scores(Comparison(np.arange(n), lengths, sqdist.__getitem__, float(lengths.max()), graph))


def _scores(c: Comparison) -> Scores:
    return Scores(
        {metric.name: metric.of(c) for metric in METRICS},
        tuple(ranking.f1_curve(c).tolist()),
        tuple(c.ranking.counts.tolist()),
        c.n,
        len(c.sources),
    )


def _with_errors(c: Comparison) -> Scores:
    """Scores over a sample, and from how much they differ between parts of it, their standard errors."""
    groups = min(GROUPS, len(c.sources))
    bounds = np.linspace(0, len(c.sources), groups + 1).astype(int)
    parts = [_scores(c.part(slice(a, b))) for a, b in pairwise(bounds.tolist())]
    left_out = math.sqrt(1.0 - len(c.sources) / c.n)
    errors = {m.name: _standard_error([p[m.name] for p in parts], left_out) for m in METRICS if not m.extreme}
    return replace(_scores(c), errors=errors)


def _standard_error(values: list[float | None], left_out: float) -> float | None:
    """Of a mean of independent values from a finite population; ``None`` if one value is no number."""
    numbers = [v for v in values if v is not None and math.isfinite(v)]
    if len(numbers) < max(len(values), 2):
        return None
    return float(np.std(numbers, ddof=1)) / math.sqrt(len(numbers)) * left_out
