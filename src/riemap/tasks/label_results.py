"""Predict labels of nodes, and say how well: the whole protocol in one call."""

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.embeddings import Embedding
from riemap.graphs import Graph
from riemap.spaces import Space
from riemap.specs import checked_seed, whole_number
from riemap.tasks.checks import training_graph
from riemap.tasks.embedding import embed_told
from riemap.tasks.label_baselines import label_baselines
from riemap.tasks.label_predictor import LabelPredictor, label_scores
from riemap.tasks.labelling import Labelling, labels_of
from riemap.tasks.splits import split_nodes
from riemap.tasks.summaries import Told, silent, trial_facts
from riemap.training.trainer import never
from riemap.types import Array


class PredictedLabel(NamedTuple):
    """A node whose label was unknown, its most likely label, and the probability of that."""

    node: Hashable
    label: str
    probability: float


class LabelTrial(NamedTuple):
    """The scores of one seed.

    Parameters
    ----------
    seed
        Seed of the split and of the embedding.
    model
        The model that was chosen on the validation nodes; see :class:`LabelPredictor`.
    scores
        ``"accuracy"`` and ``"f1"``, the mean F1 of all labels, on the test nodes; of two labels also
        ``"f1_rarer"``, the F1 of the rarer one.
    baselines
        The same scores of each baseline.
    seconds
        Duration, without the baselines.
    """

    seed: int
    model: str
    scores: dict[str, float]
    baselines: dict[str, dict[str, float]]
    seconds: float


class HiddenLabels(NamedTuple):
    """The test nodes of a seed, and what was predicted for them.

    Parameters
    ----------
    graph, embedding
        The graph and its embedding.
    classes
        The label of each node; ``None`` where it is unknown.
    nodes
        Numbers of the test nodes.
    predicted, probability
        The predicted label of each test node, and its probability.
    """

    graph: Graph
    embedding: Embedding
    classes: tuple[str | None, ...]
    nodes: NDArray[np.int64]
    predicted: NDArray[Any]
    probability: Array


@final
@dataclass(frozen=True)
class LabelResults:
    """Held-out scores, and the labels of the nodes that had none.

    Parameters
    ----------
    graph, space
        Their names.
    trials
        The scores of each seed.
    predicted
        The nodes without a label, in the order of the graph.
    hidden
        The test nodes of the first seed, with their predictions.
    """

    graph: str
    space: str
    trials: tuple[LabelTrial, ...]
    predicted: tuple[PredictedLabel, ...]
    hidden: HiddenLabels

    @property
    def accuracy(self) -> float:
        """Mean accuracy over seeds."""
        return float(np.mean([trial.scores["accuracy"] for trial in self.trials]))

    def as_json(self) -> dict[str, Any]:
        """Return means and standard errors over seeds as JSON has them.

        Returns
        -------
        dict
            ``"accuracy"`` and ``"f1"`` with ``"mean"`` and ``"se"``, those of each baseline, and the
            predicted labels.
        """
        return {
            **trial_facts(self.graph, self.space, self.trials),
            "predicted": [{**one._asdict(), "node": str(one.node)} for one in self.predicted],
        }


def predict_labels(
    graph: Any,
    labels: Labelling,
    space: str | Space = "H10",
    *,
    seeds: int = 1,
    seed: int = 0,
    target: str = "auto",
    epochs: int | None = None,
    told: Told = silent,
    interrupted: Callable[[], bool] = never,
    **split: Any,
) -> LabelResults:
    """Hide labels of nodes, predict them from an embedding of the graph, and score the prediction.

    Parameters
    ----------
    graph
        A graph in any form that :func:`riemap.embed` takes.
    labels
        Labels by node; a sequence with one for each node, ``None`` where it is unknown; or a CSV file with
        lines ``node,label``. Nodes without a label are predicted.
    space
        Where to embed, such as ``"H10"``.
    seeds, seed
        Number of seeds, and the first one. Each has its own split, embedding and scores.
    target, epochs
        As for :func:`embed_for_prediction`.
    told
        Is told what is done, and which share of it.
    interrupted
        As for :func:`riemap.training.fit`.
    split
        ``train``, ``validation``, ``test`` and ``per_class`` of :func:`split_nodes`.

    Returns
    -------
    LabelResults
        Accuracy and F1 beside those of baselines, and the predicted labels.

    Raises
    ------
    InputError
        If a node is unknown, there is one label only, or there are too few labels.

    Examples
    --------
    >>> labels = ["low" if i < 17 else "high" for i in range(33)] + [None]
    >>> found = predict_labels("karate", labels, "H2", epochs=20)
    >>> sorted(found.trials[0].scores), len(found.predicted)
    (['accuracy', 'f1', 'f1_rarer'], 1)
    """
    given, where = training_graph(graph), Space.of(space)
    classes = labels_of(given, labels)
    seeds = whole_number("seeds", seeds, 1, 10, "number of seeds")
    first = checked_seed(seed)
    training: Any = {"target": target, "epochs": epochs, "interrupted": interrupted}
    trials, models = [], []
    for k in range(seeds):
        trial, model = label_trial(given, classes, where, first + k, split=split, told=told, **training)
        trials.append(trial)
        models.append(model)
    nodes = split_nodes(classes, seed=first, **split).test
    proba = models[0].predict_proba(nodes)
    likeliest = models[0].predict(nodes)
    hidden = HiddenLabels(
        given, models[0].embedding_, tuple(classes), nodes, likeliest, proba.max(axis=1, initial=0.0)
    )
    return LabelResults(given.name, str(where), tuple(trials), _filled_in(given, classes, models[0]), hidden)


def label_trial(
    graph: Graph,
    classes: Sequence[str | None],
    space: Space,
    seed: int,
    *,
    split: Mapping[str, Any],
    told: Told = silent,
    baselines: bool = True,
    **training: Any,
) -> tuple[LabelTrial, LabelPredictor]:
    """Split, embed, predict and score once.

    Parameters
    ----------
    graph, classes, space, seed
        The graph, the label of each node or ``None``, where to embed, and the seed of split and embedding.
    split
        Arguments of :func:`split_nodes`.
    told
        As for :func:`predict_labels`.
    baselines
        Whether to compute the scores of baselines as well.
    training
        ``target``, ``epochs`` and ``interrupted`` of :func:`embed_for_prediction`.

    Returns
    -------
    tuple of LabelTrial and LabelPredictor
        The scores, and the fitted predictor.
    """
    parts = split_nodes(classes, seed=seed, **split)
    named = np.array(["" if one is None else one for one in classes])
    train, validation, test = ((part, named[part]) for part in parts)
    began = time.perf_counter()
    placed = embed_told(graph, space, seed, told, f"seed {seed}", **training)
    model = LabelPredictor(graph, space, embedding=placed, random_state=seed).fit(*train, validation)
    every = np.unique(named[np.concatenate(parts)])
    scores = label_scores(test[1], model.predict(test[0]), every)
    seconds = time.perf_counter() - began
    others = {}
    if baselines:
        told(f"seed {seed}: baselines", 0.0)
        found = label_baselines(graph, train, validation, space.dim, seed)
        others = {name: label_scores(test[1], labels[test[0]], every) for name, labels in found.items()}
    return LabelTrial(seed, model.model_, scores, others, seconds), model


def _filled_in(graph: Graph, classes: list[str | None], model: LabelPredictor) -> tuple[PredictedLabel, ...]:
    """Predict the nodes without a label from all that have one, by a model that was chosen already."""
    known = np.array([i for i, one in enumerate(classes) if one is not None])
    unknown: NDArray[np.int64] = np.setdiff1d(np.arange(graph.n), known)
    if not len(unknown):
        return ()
    all_known = LabelPredictor(graph, embedding=model.embedding_, model=model.model_)
    proba = all_known.fit(known, [classes[i] for i in known]).predict_proba(unknown)
    best = proba.argmax(axis=1)
    return tuple(
        PredictedLabel(graph.labels[i], str(all_known.classes_[c]), float(p[c]))
        for i, c, p in zip(unknown.tolist(), best.tolist(), proba, strict=True)
    )
