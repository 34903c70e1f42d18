"""Predict links of a graph, and say how well: the whole protocol in one call."""

import time
from collections.abc import Callable
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
from riemap.tasks.link_baselines import link_baselines
from riemap.tasks.link_predictor import LinkPredictor
from riemap.tasks.missing_links import PredictedLink, likely_links
from riemap.tasks.scores import average_precision, roc_auc
from riemap.tasks.splits import EdgeSplit, split_edges
from riemap.tasks.summaries import Told, silent, summarised, trial_facts
from riemap.training.trainer import never
from riemap.types import Array


class LinkTrial(NamedTuple):
    """The scores of one seed.

    Parameters
    ----------
    seed
        Seed of the split and of the embedding.
    model
        The model that was chosen on the validation pairs; see :class:`LinkPredictor`.
    scores
        ``"auc"`` and ``"ap"`` on the test pairs.
    distance
        The same scores by the distance in the embedding alone.
    baselines
        The same scores of each baseline.
    seconds
        Duration, without the baselines.
    """

    seed: int
    model: str
    scores: dict[str, float]
    distance: dict[str, float]
    baselines: dict[str, dict[str, float]]
    seconds: float


class HiddenLinks(NamedTuple):
    """The test pairs of a seed, and what was predicted for them.

    Parameters
    ----------
    train, embedding
        The graph without the hidden edges, and its embedding.
    pairs, exists
        Node numbers of the test pairs, and 1 for those that are joined.
    probability, distance
        The probability that each pair is joined, and its distance in the embedding.
    """

    train: Graph
    embedding: Embedding
    pairs: NDArray[np.int64]
    exists: NDArray[np.int64]
    probability: Array
    distance: Array


@final
@dataclass(frozen=True)
class LinkResults:
    """Held-out scores, and the links that are most likely missing.

    Parameters
    ----------
    graph, space
        Their names.
    trials
        The scores of each seed.
    predicted
        Pairs that are not joined, the most likely first.
    hidden
        The test pairs of the first seed, with their predictions.
    """

    graph: str
    space: str
    trials: tuple[LinkTrial, ...]
    predicted: tuple[PredictedLink, ...]
    hidden: HiddenLinks

    @property
    def auc(self) -> float:
        """Mean ROC AUC over seeds."""
        return float(np.mean([trial.scores["auc"] for trial in self.trials]))

    def as_json(self) -> dict[str, Any]:
        """Return means and standard errors over seeds as JSON has them.

        Returns
        -------
        dict
            ``"auc"`` and ``"ap"`` with ``"mean"`` and ``"se"``, those of the distance alone and of each
            baseline, and the predicted links.
        """
        return {
            **trial_facts(self.graph, self.space, self.trials),
            "distance": summarised([trial.distance for trial in self.trials]),
            "predicted": [
                {"source": str(link.source), "target": str(link.target), "probability": link.probability}
                for link in self.predicted
            ],
        }


def link_trial(
    graph: Graph,
    space: Space,
    seed: int,
    *,
    test: float = 0.10,
    validation: float = 0.05,
    told: Told = silent,
    baselines: bool = True,
    **training: Any,
) -> tuple[LinkTrial, LinkPredictor]:
    """Split, embed, predict and score once.

    Parameters
    ----------
    graph, space, seed
        The graph, where to embed it, and the seed of the split and of the embedding.
    test, validation, told
        As for :func:`predict_links`.
    baselines
        Whether to compute the scores of baselines as well.
    training
        ``target``, ``epochs`` and ``interrupted`` of :func:`embed_for_prediction`.

    Returns
    -------
    tuple of LinkTrial and LinkPredictor
        The scores, and the fitted predictor.
    """
    split = split_edges(graph, test=test, validation=validation, seed=seed)
    began = time.perf_counter()
    placed = embed_told(split.train, space, seed, told, f"seed {seed}", **training)
    model = LinkPredictor(split.train, space, embedding=placed, random_state=seed)
    model.fit(*split.validation)
    pairs, exists = split.test
    scores = _scores(exists, model.log_odds(pairs))
    distance = _scores(exists, -model.distances(pairs))
    seconds = time.perf_counter() - began
    others = {}
    if baselines:
        told(f"seed {seed}: baselines", 0.0)
        found = link_baselines(split, space.dim, seed)
        others = {name: _scores(exists, values) for name, values in found.items()}
    return LinkTrial(seed, model.model_, scores, distance, others, seconds), model


def _scores(exists: NDArray[np.int64], values: Array) -> dict[str, float]:
    return {"auc": roc_auc(exists == 1, values), "ap": average_precision(exists == 1, values)}


def predict_links(
    graph: Any,
    space: str | Space = "H10",
    *,
    seeds: int = 1,
    seed: int = 0,
    predict: int = 0,
    test: float = 0.10,
    validation: float = 0.05,
    target: str = "auto",
    epochs: int | None = None,
    told: Told = silent,
    interrupted: Callable[[], bool] = never,
) -> LinkResults:
    """Hide edges of a graph, predict them from an embedding of the rest, and score the prediction.

    Parameters
    ----------
    graph
        A graph in any form that :func:`riemap.embed` takes.
    space
        Where to embed, such as ``"H10"``.
    seeds, seed
        Number of seeds, and the first one. Each has its own split, embedding and scores.
    predict
        Number of missing links to predict, with the model of the first seed on the whole graph.
    test, validation
        Shares of the edges to score with, and to choose and calibrate the model with.
    target, epochs
        As for :func:`embed_for_prediction`.
    told
        Is told what is done, and which share of it.
    interrupted
        As for :func:`riemap.training.fit`.

    Returns
    -------
    LinkResults
        ROC AUC and average precision beside those of baselines, and the predicted links.

    Raises
    ------
    InputError
        If the graph has too few edges or an argument is not accepted.

    Examples
    --------
    >>> found = predict_links("karate", "H2", epochs=20, predict=3)
    >>> sorted(found.trials[0].scores), len(found.predicted)
    (['ap', 'auc'], 3)
    """
    given, where = training_graph(graph), Space.of(space)
    seeds = whole_number("seeds", seeds, 1, 10, "number of seeds")
    predict = whole_number("predict", predict, 0, 100, "number of links")
    first = checked_seed(seed)
    training: Any = {"target": target, "epochs": epochs, "interrupted": interrupted}
    trials, models = [], []
    for k in range(seeds):
        trial, model = link_trial(
            given, where, first + k, test=test, validation=validation, told=told, **training
        )
        trials.append(trial)
        models.append(model)
    found: tuple[PredictedLink, ...] = ()
    if predict:
        placed = embed_told(given, where, first, told, "all edges", **training)
        found = likely_links(models[0].on(given, placed), predict, test * given.m, told)
    hidden = _hidden(models[0], split_edges(given, test=test, validation=validation, seed=first))
    return LinkResults(given.name, str(where), tuple(trials), found, hidden)


def _hidden(model: LinkPredictor, split: EdgeSplit) -> HiddenLinks:
    pairs, exists = split.test
    chances, distances = model.predict_proba(pairs)[:, 1], model.distances(pairs)
    return HiddenLinks(split.train, model.embedding_, pairs, exists, chances, distances)
