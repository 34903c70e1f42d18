"""The page of predicted links or labels: scores beside baselines, where predictions are wrong, and a map."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import riemap
from riemap.report.document import document
from riemap.report.still_maps import placed_pairs, still_maps
from riemap.spaces import Space
from riemap.tasks import HiddenLabels, HiddenLinks, LabelResults, LinkResults
from riemap.tasks.pair_features import neighbour_sums
from riemap.tasks.scores import f1_of_classes
from riemap.types import Array

SECTIONS = {"scores": "Scores", "wrong": "Right and wrong", "predicted": "Predictions", "again": "Again"}
"""Links at the top of the page: the id of each section, and the text of its link."""

LISTED_WRONG = 15
"""Number of wrong predictions of a kind that are listed, the surest first."""

LISTED_LABELS = 12
"""Number of labels in the table of confusions, the most frequent first; the others are counted together."""

OTHER_LABELS = "others"
"""What labels without a row of their own are called."""

LARGEST_MAP = 3000
"""Largest number of nodes of a map. A browser would draw more slowly."""

CHANCE_BINS = 20
"""Number of bins of probabilities from 0 to 1."""

LINK_CAPTION = (
    "The training graph, with the wrong predictions that are listed above. Pairs that were wrongly predicted "
    "are dashed."
)
"""What is said below a map of links."""

LABEL_CAPTION = (
    "Nodes are coloured by their labels; those without one are grey. Wrong predictions have a ring."
)
"""What is said below a map of labels."""


def links_page(found: LinkResults, commands: Sequence[str]) -> str:
    """Build the page of predicted links.

    Parameters
    ----------
    found
        What :func:`riemap.predict_links` returned.
    commands
        Commands that make the page again, to show at its end.

    Returns
    -------
    str
        The page as HTML.
    """
    hidden, facts = found.hidden, found.as_json()
    own = {f"riemap, {found.space}": facts, f"distance in {found.space} alone": facts["distance"]}
    joined, likely = hidden.exists == 1, hidden.probability > 0.5
    missed = _surest(joined & ~likely, -hidden.probability)
    alarms = _surest(~joined & likely, hidden.probability)
    data = {
        **_head("links", found.graph, found.space, hidden.train.n, len(found.trials), commands),
        "counts": {"joined": int(joined.sum()), "missed": int(np.sum(joined & ~likely))}
        | {"others": int(np.sum(~joined)), "alarms": int(np.sum(~joined & likely))},
        "columns": [["auc", "ROC AUC"], ["ap", "average precision"]],
        "scores": _scores(own | facts["baselines"], ("auc", "ap")),
        "chances": _chances(hidden.probability, {"joined": joined, "not joined": ~joined}),
        "missed": _pair_rows(hidden, missed),
        "alarms": _pair_rows(hidden, alarms),
        "predicted": [[str(one.source), str(one.target), one.probability] for one in found.predicted],
        "maps": _link_maps(found, missed, alarms),
    }
    return _document(f"{found.graph}: predicted links", data)


def labels_page(found: LabelResults, commands: Sequence[str], predict: bool = True) -> str:
    """Build the page of predicted labels.

    Parameters
    ----------
    found
        What :func:`riemap.predict_labels` returned.
    commands
        Commands that make the page again, to show at its end.
    predict
        Whether to list the predicted labels of nodes that have none.

    Returns
    -------
    str
        The page as HTML.
    """
    hidden, facts = found.hidden, found.as_json()
    truth = np.array([hidden.classes[i] for i in hidden.nodes])
    right = truth == hidden.predicted
    wrong = _surest(~right, hidden.probability)
    data = {
        **_head("labels", found.graph, found.space, hidden.graph.n, len(found.trials), commands),
        "counts": {"nodes": len(truth), "wrong": int(np.sum(~right))},
        "columns": [["accuracy", "accuracy"], ["f1", "macro-F1"]],
        "scores": _scores({f"riemap, {found.space}": facts} | facts["baselines"], ("accuracy", "f1")),
        "chances": _chances(hidden.probability, {"right": right, "wrong": ~right}),
        "confusion": _confusion(truth, hidden.predicted),
        "mistakes": _node_rows(hidden, wrong),
        "predicted": [[str(one.node), one.label, one.probability] for one in found.predicted if predict],
        "groups": ["" if one is None else one for one in hidden.classes],
        "maps": _label_maps(hidden, hidden.nodes[~right]),
    }
    return _document(f"{found.graph}: predicted labels", data)


def _document(title: str, data: dict[str, Any]) -> str:
    scripts = ("still_map.js", "cards.js", "predictions.js")
    return document("predictions.html", scripts, SECTIONS, title, {**data, "title": title})


def _head(kind: str, graph: str, space: str, n: int, seeds: int, commands: Sequence[str]) -> dict[str, Any]:
    """Names and sizes, for the head and the foot of the page."""
    return {
        "kind": kind,
        "graph": graph,
        "space": space,
        "dim": Space.parse(space).dim,
        "n": n,
        "seeds": seeds,
        "largest_map": LARGEST_MAP,
        "version": riemap.__version__,
        "commands": list(commands),
        "metrics": [],
    }


def _scores(rows: dict[str, Any], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Mean and standard error of every score of every method; ours are first."""
    return [{"name": title, **{name: scores[name] for name in names}} for title, scores in rows.items()]


def _chances(probability: Array, kinds: dict[str, NDArray[np.bool_]]) -> dict[str, Any]:
    """Counts of items of each kind, in bins of their probability."""
    edges = np.linspace(0.0, 1.0, CHANCE_BINS + 1)
    counts = {name: np.histogram(probability[of], edges)[0].tolist() for name, of in kinds.items()}
    return {"edges": edges.tolist(), "counts": counts}


def _surest(which: NDArray[np.bool_], sureness: Array) -> NDArray[np.int64]:
    """Numbers of the wrong predictions to list, the surest first."""
    found = np.flatnonzero(which)
    return found[np.argsort(-sureness[found], kind="stable")][:LISTED_WRONG]


def _pair_rows(hidden: HiddenLinks, which: NDArray[np.int64]) -> list[list[Any]]:
    """Names, probability, distance, common neighbours and degrees of pairs."""
    train, pairs = hidden.train, hidden.pairs[which]
    common = neighbour_sums(train, pairs)[:, 0] if len(pairs) else np.empty(0)
    return [
        [
            *(str(train.labels[i]) for i in pair),
            float(hidden.probability[k]),
            float(hidden.distance[k]),
            int(shared),
            *(int(train.degrees[i]) for i in pair),
        ]
        for k, pair, shared in zip(which.tolist(), pairs.tolist(), common, strict=True)
    ]


def _node_rows(hidden: HiddenLabels, which: NDArray[np.int64]) -> list[list[Any]]:
    """Name, label, predicted label and probability of nodes, and how many neighbours have each of the two."""
    graph, classes = hidden.graph, hidden.classes
    rows = []
    for k in which.tolist():
        i, guess = int(hidden.nodes[k]), str(hidden.predicted[k])
        near = [classes[j] for j in graph.indices[graph.indptr[i] : graph.indptr[i + 1]]]
        truth = classes[i]
        chance = float(hidden.probability[k])
        rows.append(
            [str(graph.labels[i]), truth, guess, chance, len(near), near.count(truth), near.count(guess)]
        )
    return rows


def _confusion(truth: NDArray[Any], predicted: NDArray[Any]) -> dict[str, Any]:
    """Counts of nodes by label and predicted label, and the F1 of each label."""
    names, sizes = np.unique(truth, return_counts=True)
    listed = names[np.argsort(-sizes, kind="stable")][:LISTED_LABELS].tolist()
    shown = [*listed, OTHER_LABELS] if len(listed) < len(np.union1d(truth, predicted)) else listed
    rows, columns = (
        [shown.index(one) if one in listed else len(listed) for one in side.tolist()]
        for side in (truth, predicted)
    )
    counts = np.zeros((len(shown), len(shown)), np.int64)
    np.add.at(counts, (rows, columns), 1)
    f1 = f1_of_classes(truth, predicted, np.array(listed)).tolist()
    return {"labels": shown, "counts": counts.tolist(), "f1": f1}


def _link_maps(
    found: LinkResults, missed: NDArray[np.int64], alarms: NDArray[np.int64]
) -> list[dict[str, Any]]:
    """Pictures of the training graph, with the wrong predictions that are listed and the predicted links."""
    hidden = found.hidden
    if hidden.train.n > LARGEST_MAP:
        return []
    numbers = {label: i for i, label in enumerate(hidden.train.labels)}
    likely = np.array([[numbers[one.source], numbers[one.target]] for one in found.predicted], np.int64)
    marked = {
        "missed": hidden.pairs[missed],
        "alarms": hidden.pairs[alarms],
        "predicted": likely.reshape(-1, 2),
    }
    marks = {name: placed_pairs(hidden.embedding, hidden.train, pairs) for name, pairs in marked.items()}
    flat = {name: pairs.ravel().tolist() for name, pairs in marks.items()}
    return [{**one, "marks": flat} for one in still_maps(hidden.embedding, hidden.train, LINK_CAPTION)]


def _label_maps(hidden: HiddenLabels, wrong: NDArray[np.int64]) -> list[dict[str, Any]]:
    """Pictures of the graph; nodes have the numbers of the graph, and wrong ones are listed."""
    if hidden.graph.n > LARGEST_MAP:
        return []
    number = {label: i for i, label in enumerate(hidden.graph.labels)}
    nodes = [number[label] for label in hidden.embedding.labels]
    row = {i: k for k, i in enumerate(nodes)}
    rings = [row[i] for i in wrong.tolist() if i in row]
    return [
        {**one, "nodes": nodes, "rings": rings}
        for one in still_maps(hidden.embedding, hidden.graph, LABEL_CAPTION)
    ]
