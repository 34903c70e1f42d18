"""The page of one embedding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

import riemap
from riemap.distances import DistanceMatrix, shortest_paths
from riemap.embeddings import Embedding
from riemap.graphs import AnyGraph, Graph
from riemap.grids.record import RunRecord, finite
from riemap.metrics import METRICS, Scores
from riemap.metrics.pairs import Near, PairReport, look
from riemap.metrics.scores import LARGE, compared, scores_of
from riemap.report.curvatures import Curvatures, angles, graph_curvatures, histogram
from riemap.report.document import document
from riemap.views import MOST, views

SCRIPTS = ("geometry.js", "guides.js", "scene.js", "gestures.js", "model.js", "details.js", "run.js")

EPOCHS = 800
"""Points of a curve of the training; of more epochs, some are left out."""


@final
@dataclass(frozen=True, eq=False)
class Subject:
    """An embedding, its graph, and what else is known of it.

    Parameters
    ----------
    embedding, graph
        Their nodes are matched by label.
    commands
        That make the page again.
    setting
        How it was trained: ``loss``, ``preset``, ``seed``, ``stages`` (losses of them).
    history
        ``stage``, ``loss`` and ``lr`` of every epoch.
    groups
        A group of every node, in the order of the graph's nodes, to colour by.
    others
        Records of a grid, to compare with.
    curvatures, distances, scores
        Curvatures and distances of the graph, and scores of the embedding, if they are known already;
        computed otherwise.
    """

    embedding: Embedding
    graph: AnyGraph
    commands: Sequence[str]
    setting: Mapping[str, Any] = field(default_factory=dict)
    history: Mapping[str, Sequence[float]] | None = None
    groups: Sequence[str] | None = None
    others: Sequence[RunRecord] = ()
    curvatures: Curvatures | None = None
    distances: DistanceMatrix | None = None
    scores: Scores | None = None


def run_page(subject: Subject) -> str:
    """The whole page, as HTML."""
    embedding, graph = subject.embedding.aligned_to(subject.graph), subject.graph
    distances = (
        subject.distances if subject.distances is not None or graph.n > LARGE else shortest_paths(graph)
    )
    comparison = compared(embedding, graph, distances=distances)
    pairs, scores = look(comparison), subject.scores or scores_of(comparison)
    curved = subject.curvatures or graph_curvatures(graph, distances)
    edges = graph.edges() if isinstance(graph, Graph) else np.zeros((0, 2), np.int64)
    data = {
        "graph": graph.name,
        "space": str(embedding.space),
        "dim": embedding.space.dim,
        "n": graph.n,
        "m": len(edges),
        "unit": "hops" if isinstance(graph, Graph) and graph.weights is None else "distance",
        "setting": subject.setting,
        "version": riemap.__version__,
        "commands": list(subject.commands),
        "metrics": [{"name": m.name, "title": m.title, "best": m.best} for m in METRICS],
        **scores.as_json(),
        "labels": [str(label) for label in graph.labels],
        "edges": edges,
        "views": [view.as_json() for view in views(embedding, edges)],
        "factors": {"count": len(embedding.space.factors), "shown": MOST},
        "nodes": _nodes(pairs, curved, graph),
        "groups": None if subject.groups is None else list(subject.groups),
        **_faithful(pairs),
        "curvature": {**curved.facts, "angles": angles(embedding)},
        "history": None if subject.history is None else thinned(subject.history),
        "others": [_other(record) for record in subject.others],
    }
    return document("run.html", SCRIPTS, f"{graph.name} in {embedding.space}", finite(data))


def _nodes(pairs: PairReport, curved: Curvatures, graph: AnyGraph) -> dict[str, Any]:
    found: dict[str, Any] = {"distortion": pairs.distortion, "in_space": _near(pairs.in_space)}
    if isinstance(graph, Graph):
        found["degree"] = graph.degrees
    if curved.nodes is not None:
        found["ricci"] = curved.nodes
    if pairs.f1 is not None:
        found["f1"] = pairs.f1
    if pairs.in_graph is not None:
        found["in_graph"] = _near(pairs.in_graph)
    return found


def _near(near: Near) -> dict[str, Any]:
    known = not np.isnan(near.graph).any()
    return {"nodes": near.nodes, "embedded": near.embedded, **({"graph": near.graph} if known else {})}


def _faithful(pairs: PairReport) -> dict[str, Any]:
    return {
        "worst": pairs.worst,
        "density": {
            "counts": pairs.density.counts,
            "across": pairs.density.across.tolist(),
            "up": pairs.density.up.tolist(),
        },
        "distortions": histogram(pairs.distortion),
    }


def _other(record: RunRecord) -> dict[str, Any]:
    run = record["run"]
    return {
        "space": run["space"],
        "dim": record["dim"],
        "loss": run["loss"],
        "seed": run["seed"],
        "scores": record["scores"],
    }


def thinned(history: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """The curves, with as many epochs as can be told apart; the first and the last of a stage stay."""
    stage = np.asarray(history["stage"])
    step = -(-len(stage) // EPOCHS)
    ends = np.flatnonzero(np.diff(stage, prepend=-1, append=-1))
    kept = np.union1d(np.arange(0, len(stage), step), np.concatenate([ends[:-1], ends[1:] - 1]))
    return {"epoch": kept.tolist(), **{key: np.asarray(history[key])[kept].tolist() for key in history}}
