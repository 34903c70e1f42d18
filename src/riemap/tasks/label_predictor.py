"""Predict the label of nodes from those of others."""

from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.specs import shown
from riemap.tasks.checks import checked_nodes, training_graph
from riemap.tasks.embedding import embed_for_prediction
from riemap.tasks.estimators import GraphPredictor
from riemap.tasks.label_models import LABEL_MODELS, Known, PlacedGraph
from riemap.tasks.logistic import folds
from riemap.tasks.scores import accuracy, f1_of_classes
from riemap.types import Array

LABEL_FOLDS = 6
"""Number of parts that the known nodes are dealt into when a model is chosen. With fewer parts, models are
compared with fewer known nodes than they will have."""


@final
class LabelPredictor(GraphPredictor):
    """The label of a node, from an embedding of the graph and the labels of other nodes.

    * ``"nearest(k=…)"``: a vote of the nearest known nodes, by geodesic distance.
    * ``"logistic(C=…)"``: logistic regression on the tangent coordinates and the degree of a node.
    * ``"smoothed(C=…)"``: what logistic regression predicts, spread over the edges.
    * ``"spreading(share=…)"``: labels spread over the edges and the nearest nodes in the embedding.
    * ``"both(share=…)"``: the mean of a vote of the three nearest, and of labels spread over the edges alone.
    * ``"balanced(share=…)"``: the same mean divided by the square roots of the shares of the labels, for
      labels of which one is rare.
    * ``"auto"``: the one that is best in cross-validation, and on validation nodes if there are any.

    Parameters
    ----------
    graph
        The graph, with all its edges.
    space
        Where to embed it.
    embedding
        An embedding of the graph, if there is one already. Then ``space`` and ``epochs`` are not used.
    model
        One of :data:`riemap.tasks.LABEL_MODELS`, or ``"auto"``.
    epochs
        As for :func:`embed_for_prediction`.
    random_state
        Seed of the embedding and of the cross-validation.

    Attributes
    ----------
    embedding_
        The embedding.
    model_
        Name of the model that was chosen.
    classes_
        The labels.

    Examples
    --------
    >>> model = LabelPredictor("karate", "H2", epochs=20, model="nearest(k=3)")
    >>> model.fit([0, 1, 32, 33], ["a", "a", "b", "b"]).predict([2, 31]).shape
    (2,)
    """

    def fit(self, X: ArrayLike, y: ArrayLike, validation: tuple[ArrayLike, ArrayLike] | None = None) -> Self:
        """Embed the graph, choose a model, and predict all nodes.

        Parameters
        ----------
        X, y
            Node numbers, ``(k,)`` or ``(k, 1)``, and their labels.
        validation
            Other node numbers and labels that the model is chosen by, besides cross-validation.

        Returns
        -------
        LabelPredictor
            This predictor.

        Raises
        ------
        InputError
            If there is one label only, or a number is not that of a node.
        """
        if self.model != "auto" and self.model not in LABEL_MODELS:
            raise InputError(f"model={shown(self.model)} is not one of auto, {', '.join(LABEL_MODELS)}")
        graph = training_graph(self.graph)
        nodes, labels = checked_nodes(graph.n, X), np.asarray(y)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(labels) != len(nodes) or len(self.classes_) < 2:
            raise InputError(
                f"{len(nodes)} nodes have {len(labels)} labels, {len(self.classes_)} of them different; each "
                "node needs one, and a prediction needs at least two different ones"
            )
        self.embedding_: Embedding = self.embedding or embed_for_prediction(
            graph, self.space, epochs=self.epochs, seed=self.random_state
        )
        self.n_features_in_ = 1
        known, placed = Known(nodes, codes, len(self.classes_)), PlacedGraph(graph, self.embedding_)
        self.model_ = self.model
        if self.model == "auto":
            self.model_ = self._best(placed, known, validation)
        self._proba = _predicted(self.model_, placed, known)
        return self

    def _best(self, placed: PlacedGraph, known: Known, validation: tuple[ArrayLike, ArrayLike] | None) -> str:
        """Name of the model with the best mean of accuracy and macro-F1 on nodes that it does not know."""
        truth = self.classes_[known.codes]
        found = {name: _held_out(name, placed, known, self.random_state) for name in LABEL_MODELS}
        if validation is not None:
            nodes = checked_nodes(placed.graph.n, validation[0])
            truth = np.concatenate([truth, np.asarray(validation[1])])
            for name, proba in found.items():
                found[name] = np.concatenate([proba, _predicted(name, placed, known)[nodes]])
        scores = {
            name: label_scores(truth, self.classes_[proba.argmax(axis=1)], self.classes_)
            for name, proba in found.items()
        }
        return max(scores, key=lambda name: scores[name]["accuracy"] + scores[name]["f1"])

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probability of each label, in the order of ``classes_``.

        Parameters
        ----------
        X
            Node numbers.

        Returns
        -------
        array
            ``(k, labels)``; rows add up to one.

        Raises
        ------
        InputError
            If the predictor is not fitted, or a number is not that of a node.
        """
        self.check_fitted()
        return self._proba[checked_nodes(len(self._proba), X)]

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most likely label of each node.

        Parameters
        ----------
        X
            Node numbers.

        Returns
        -------
        array
            ``(k,)``.
        """
        likeliest = self.predict_proba(X).argmax(axis=1)
        return self.classes_[likeliest]

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy on nodes whose label is known.

        Parameters
        ----------
        X, y
            Node numbers, and their labels.
        sample_weight
            Weight of each node; equal weights if it is not given.

        Returns
        -------
        float
            From 0 to 1.
        """
        right = self.predict(X) == np.asarray(y)
        return float(np.average(right, weights=None if sample_weight is None else np.asarray(sample_weight)))


def label_scores(truth: NDArray[Any], predicted: NDArray[Any], classes: NDArray[Any]) -> dict[str, float]:
    """Accuracy and macro-F1; of two classes also the F1 of the rarer one.

    The mean is over the classes that occur. Which scores there are depends on ``classes`` alone, so that
    those of several splits have the same names.
    """
    f1 = f1_of_classes(truth, predicted, classes)
    counts = np.array([int(np.sum(truth == one)) for one in classes])
    occurs = (counts > 0) | np.isin(classes, predicted)
    found = {"accuracy": accuracy(truth, predicted), "f1": float(f1[occurs].mean())}
    return found | ({"f1_rarer": float(f1[counts.argmin()])} if len(classes) == 2 else {})


def _held_out(name: str, placed: PlacedGraph, known: Known, seed: int) -> Array:
    """Predict each known node from those in other folds; without any other, all labels are as likely."""
    fold = folds(known.codes, LABEL_FOLDS, seed)
    found = np.full((len(known.nodes), known.classes), 1.0 / known.classes)
    for k in np.unique(fold) if fold.any() else []:  # where each label has one node, all are in fold 0
        out = fold == k
        part = Known(known.nodes[~out], known.codes[~out], known.classes)
        found[out] = _predicted(name, placed, part)[known.nodes[out]]
    return found


def _predicted(name: str, placed: PlacedGraph, known: Known) -> Array:
    model = LABEL_MODELS[name]
    return model.predict(placed, known, model.setting)
