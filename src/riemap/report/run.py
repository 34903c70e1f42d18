"""The page of one embedding: pictures, scores, curvature and training curves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np

import riemap
from riemap.distances import DistanceMatrix, shortest_paths
from riemap.embeddings import Embedding
from riemap.graphs import AnyGraph, Graph
from riemap.grids.record import RunRecord, finite
from riemap.metrics import METRICS, Scores
from riemap.metrics.pairs import NearestNodes, PairReport, pair_report
from riemap.metrics.scores import LARGEST_FULLY_SCORED, compare, score_comparison
from riemap.report.curvatures import Curvatures, angle_histogram, graph_curvatures, histogram
from riemap.report.document import document
from riemap.report.drawn_nodes import LARGEST_DRAWN, draw_nodes
from riemap.report.other_nodes import search_index, split_cloud, with_cloud
from riemap.views import LARGEST_SHOWN_FACTORS, views

RUN_SCRIPTS = (
    *("geometry.js", "guides.js", "scene.js", "gestures.js", "model.js", "details.js"),
    *("search.js", "cards.js", "run.js"),
)
"""Scripts of the page, in the order in which they run, after the shared ones."""

RUN_SECTIONS = {
    "map": "Map",
    "faithfulness": "Faithfulness",
    "curvature": "Curvature",
    "training": "Training",
    "again": "Again",
}
"""Links at the top of the page: the id of each section, and the text of its link."""

MAX_CURVE_POINTS = 800
"""Most points of a training curve: more than a chart has pixels. Longer histories skip epochs."""


@final
@dataclass(frozen=True, eq=False)
class Subject:
    """What the page of a run is about: an embedding, its graph, and how it was trained.

    Parameters
    ----------
    embedding
        The embedding to show.
    graph
        Its graph. Nodes are matched by label.
    commands
        Commands that make the page again, to show at its end.
    setting
        How the embedding was trained: any of ``loss``, ``preset``, ``seed`` and ``stages`` (the losses of
        the stages).
    history
        ``stage``, ``loss`` and ``lr`` of every epoch.
    groups
        The name of a group for every node, in the order of the graph's nodes, to colour nodes by.
    others
        Records of a grid's runs on the same graph, to compare with.
    curvatures, distances, scores
        Curvatures of the graph, distances between all its nodes, and scores of the embedding; those that are
        not given are computed.
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
    """Build the page of one embedding.

    Parameters
    ----------
    subject
        The embedding, its graph, and how it was trained.

    Returns
    -------
    str
        The page as HTML.

    Raises
    ------
    InputError
        If the nodes of the embedding are not those of the graph.

    Examples
    --------
    >>> import riemap
    >>> graph = riemap.load_dataset("karate")
    >>> fit = riemap.embed(graph, "H2")  # doctest: +SKIP
    >>> page = run_page(Subject(fit.embedding, graph, []))  # doctest: +SKIP
    """
    embedding, graph = subject.embedding.aligned_to(subject.graph), subject.graph
    if graph.n > LARGEST_DRAWN:
        return _large_page(subject, embedding)
    distances = subject.distances
    if distances is None and graph.n <= LARGEST_FULLY_SCORED:
        distances = shortest_paths(graph)
    comparison = compare(embedding, graph, distances=distances)
    pairs, scores = pair_report(comparison), subject.scores or score_comparison(comparison)
    curved = subject.curvatures or graph_curvatures(graph, distances)
    data = {
        **_head(subject, embedding),
        **scores.as_json(),
        **_pictures(embedding, graph),
        "nodes": _nodes(pairs, curved, graph),
        "groups": None if subject.groups is None else list(subject.groups),
        **_pair_facts(pairs),
        "curvature": {**curved.facts, "angles": angle_histogram(embedding)},
        "history": None if subject.history is None else thin_history(subject.history),
        "others": [_other(record) for record in subject.others],
    }
    return _document(subject, data)


def _large_page(subject: Subject, embedding: Embedding) -> str:
    """The page of a graph of which only some nodes are drawn. Scores are those of the whole graph."""
    graph, part = subject.graph, draw_nodes(embedding, subject.graph)
    # F1@1 of a node among the nodes drawn would not be that of the graph.
    pairs = replace(pair_report(part.comparison), f1=None)
    scores = subject.scores or score_comparison(compare(embedding, graph))
    nodes = _nodes(pairs, Curvatures({}, None), part.graph)
    if isinstance(graph, Graph):
        nodes["degree"] = graph.degrees[part.nodes]
    groups = subject.groups
    data = {
        **_head(subject, embedding),
        **scores.as_json(),
        **_pictures(part.embedding, part.graph, with_cloud(embedding, part.nodes)),
        "whole": graph.n,
        "search": search_index(embedding, part.nodes),
        "n": len(part.nodes),
        "nodes": nodes,
        "groups": None if groups is None else [groups[i] for i in part.nodes.tolist()],
        **_pair_facts(pairs),
        "curvature": {"angles": angle_histogram(part.embedding)},
        "history": None if subject.history is None else thin_history(subject.history),
        "others": [_other(record) for record in subject.others],
    }
    return _document(subject, data)


def _document(subject: Subject, data: dict[str, Any]) -> str:
    title = f"{subject.graph.name} in {subject.embedding.space}"
    return document("run.html", RUN_SCRIPTS, RUN_SECTIONS, title, finite(data))


def _head(subject: Subject, embedding: Embedding) -> dict[str, Any]:
    """Names, sizes and settings, for the head and the foot of the page."""
    graph = subject.graph
    return {
        "graph": graph.name,
        "space": str(embedding.space),
        "dim": embedding.space.dim,
        "n": graph.n,
        "m": graph.m if isinstance(graph, Graph) else 0,
        "unit": "hops" if isinstance(graph, Graph) and graph.weights is None else "distance",
        "setting": subject.setting,
        "version": riemap.__version__,
        "commands": list(subject.commands),
        "metrics": [m.as_json() for m in METRICS],
    }


def _pictures(embedding: Embedding, graph: AnyGraph, cloud: Embedding | None = None) -> dict[str, Any]:
    """Labels, edges, and the views of every factor. A cloud has the same nodes first, and then others."""
    edges = graph.edges() if isinstance(graph, Graph) else np.zeros((0, 2), np.int64)
    found = views(embedding if cloud is None else cloud, edges)
    return {
        "labels": [str(label) for label in graph.labels],
        "edges": edges,
        "views": [view.as_json() if cloud is None else split_cloud(view, graph.n) for view in found],
        "factors": {
            "count": len(embedding.space.factors),
            "shown": LARGEST_SHOWN_FACTORS,
            "names": [str(m) for m in embedding.space.factors],
            "shares": embedding.shares().tolist(),
        },
    }


def _nodes(pairs: PairReport, curved: Curvatures, graph: AnyGraph) -> dict[str, Any]:
    """Numbers of every node, and the nodes nearest to it."""
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


def _near(near: NearestNodes) -> dict[str, Any]:
    known = not np.isnan(near.graph).any()
    return {"nodes": near.nodes, "embedded": near.embedded, **({"graph": near.graph} if known else {})}


def _pair_facts(pairs: PairReport) -> dict[str, Any]:
    """The worst pairs, the counts of pairs by distance, and the distortion of the nodes."""
    return {
        "worst": pairs.worst,
        "density": {
            "counts": pairs.density.counts,
            "graph_bounds": pairs.density.graph_bounds.tolist(),
            "embedded_bounds": pairs.density.embedded_bounds.tolist(),
        },
        "distortions": histogram(pairs.distortion),
    }


def _other(record: RunRecord) -> dict[str, Any]:
    """What the page shows of another run on the same graph."""
    run = record["run"]
    return {
        "space": run["space"],
        "dim": record["dim"],
        "loss": run["loss"],
        "seed": run["seed"],
        "scores": record["scores"],
    }


def thin_history(history: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Keep epochs at equal steps, and the first and the last epoch of every stage.

    Parameters
    ----------
    history
        Columns of the history by name, among them ``stage``.

    Returns
    -------
    dict[str, Any]
        The numbers of the epochs that are kept, as ``epoch``, and the columns at these epochs.

    Examples
    --------
    >>> thin_history({"stage": [0, 0, 1], "loss": [3.0, 2.0, 1.0]})
    {'epoch': [0, 1, 2], 'stage': [0, 0, 1], 'loss': [3.0, 2.0, 1.0]}
    """
    stage = np.asarray(history["stage"])
    step = -(-len(stage) // MAX_CURVE_POINTS)
    ends = np.flatnonzero(np.diff(stage, prepend=-1, append=-1))
    kept = np.union1d(np.arange(0, len(stage), step), np.concatenate([ends[:-1], ends[1:] - 1]))
    return {"epoch": kept.tolist(), **{key: np.asarray(history[key])[kept].tolist() for key in history}}
