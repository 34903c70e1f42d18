"""Predict whether two nodes are joined, from their distance in an embedding and simple numbers."""

from dataclasses import replace
from typing import NamedTuple, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.graphs import Graph
from riemap.specs import shown
from riemap.tasks.checks import check_known_pairs, checked_pairs, training_graph
from riemap.tasks.embedding import embed_for_prediction, pair_distances, rows_in
from riemap.tasks.estimators import GraphPredictor
from riemap.tasks.logistic import FittedLogistic, fit_logistic, folds
from riemap.tasks.pair_features import pair_features
from riemap.tasks.scores import roc_auc
from riemap.types import Array

CHOICE_FOLDS = 5
"""Number of parts that the pairs are dealt into when a model is chosen."""

PAIRS_PER_COLUMN = 2
"""Number of pairs for each column of a model that is compared with others. With fewer, as on karate with its
16 pairs for 9 columns, cross-validation cannot tell which model is better, and the simplest one is taken."""


LEAST_SLOPE = 0.1
"""Smallest change of the log-odds by a standard deviation of the distance. On few pairs, those that are
joined may be the more distant ones by chance, and a model that follows them would rank pairs backwards."""


class _Model(NamedTuple):
    """A logistic regression on some numbers about a pair."""

    features: bool
    quadratic: bool
    C: float

    def columns(self, distance: Array, features: Array) -> Array:
        """The numbers it sees."""
        if not self.features:
            return distance[:, None]
        x = np.column_stack([distance, features])
        if not self.quadratic:
            return x
        i, j = np.triu_indices(x.shape[1])
        return np.column_stack([x, x[:, i] * x[:, j]])

    def fitted(self, columns: Array, exists: NDArray[np.int64]) -> FittedLogistic:
        """Fit it; by the distance alone, a pair that is closer is never less likely."""
        found = fit_logistic(columns, exists, 2, self.C)
        slope = found.weights[0, 0] - found.weights[0, 1]
        if self.features or slope >= LEAST_SLOPE:
            return found
        steep = np.array([[LEAST_SLOPE / 2.0, -LEAST_SLOPE / 2.0]])
        return replace(found, weights=np.concatenate([steep, found.weights[1:]]))


MODELS = {
    "fermi-dirac": _Model(False, False, 1e6),
    "features": _Model(True, False, 1.0),
    "quadratic": _Model(True, True, 0.1),
}
"""The models: without a penalty on the distance alone, which is Fermi-Dirac's; and with the features of the
pair, as they are or with their products."""


@final
class LinkPredictor(GraphPredictor):
    r"""Probability that two nodes are joined, from a graph some of whose edges are missing.

    The training graph is embedded, and a model turns the distance ``d`` of a pair into a probability. It is
    fitted to pairs that are no edges of the training graph, and of which is known whether they are joined.

    * ``"fermi-dirac"``: :math:`1 / (1 + e^{(d - r) / t})`, with ``r`` and ``t`` fitted.
    * ``"features"``: logistic regression on the distance and on numbers about the pair in the training graph:
      common neighbours, Adamic-Adar, resource allocation, degrees, and whether a path joins them.
    * ``"quadratic"``: the same with all products of two of these.
    * ``"auto"``: the one with the best ROC AUC in cross-validation on the given pairs. A model for which
      there are less than two pairs for each number that it sees is not compared.

    Parameters
    ----------
    graph
        The training graph, without the pairs that are given to :meth:`fit`; see :func:`split_edges`.
    space
        Where to embed it.
    embedding
        An embedding of the training graph, if there is one already.
        Then ``space`` and ``epochs`` are not used.
    model
        One of the above.
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
        0 and 1.

    Examples
    --------
    >>> from riemap.graphs import load_dataset
    >>> from riemap.tasks import split_edges
    >>> split = split_edges(load_dataset("karate"), test=0.1, validation=0.1)
    >>> model = LinkPredictor(split.train, "H2", epochs=20).fit(*split.validation)
    >>> model.predict_proba(split.test.pairs).shape
    (16, 2)
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Embed the training graph, and fit the model to pairs.

        Parameters
        ----------
        X
            ``(k, 2)`` node numbers; none of the pairs is an edge of the training graph.
        y
            ``(k,)`` 1 for pairs that are joined, and 0 for others.

        Returns
        -------
        LinkPredictor
            This predictor.

        Raises
        ------
        InputError
            If a pair is an edge of the training graph, only one kind of pairs is given, or there is no such
            model.
        """
        if self.model != "auto" and self.model not in MODELS:
            raise InputError(f"model={shown(self.model)} is not one of auto, {', '.join(MODELS)}")
        self._train = training_graph(self.graph)
        pairs, exists = checked_pairs(self._train, X), np.asarray(y, np.int64)
        check_known_pairs(self._train, pairs, exists)
        self.embedding_: Embedding = self.embedding or embed_for_prediction(
            self._train, self.space, epochs=self.epochs, seed=self.random_state
        )
        self._rows = rows_in(self.embedding_, self._train)
        self.classes_ = np.array([0, 1])
        self.n_features_in_ = 2
        numbers = self._numbers(pairs)
        names = _comparable(numbers) if self.model == "auto" else (self.model,)
        scores = {name: _held_out_auc(MODELS[name], numbers, exists, self.random_state) for name in names}
        self.model_ = max(scores, key=lambda name: scores[name])
        chosen = MODELS[self.model_]
        self._fitted: FittedLogistic = chosen.fitted(chosen.columns(*numbers), exists)
        return self

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probabilities that pairs are not joined, and that they are, ``(k, 2)``.

        They hold for pairs drawn like those that were given to :meth:`fit`, half of which were joined if they
        are from :func:`split_edges`.

        Parameters
        ----------
        X
            ``(k, 2)`` node numbers.

        Returns
        -------
        array
            Two columns that add up to one.
        """
        return np.exp(self._log_proba(X))

    def log_odds(self, pairs: ArrayLike) -> Array:
        """Return the logarithm of the odds that pairs are joined, ``(k,)``; it has no ties at 0 or 1.

        Parameters
        ----------
        pairs
            ``(k, 2)`` node numbers.

        Returns
        -------
        array
            Above zero where a pair is more likely joined than not.
        """
        log_p = self._log_proba(pairs)
        return log_p[:, 1] - log_p[:, 0]

    def _log_proba(self, pairs: ArrayLike) -> Array:
        """Return the logarithms of the probabilities that pairs are not joined, and that they are."""
        self.check_fitted()
        numbers = self._numbers(checked_pairs(self._train, pairs))
        return self._fitted.log_proba(MODELS[self.model_].columns(*numbers))

    def distances(self, pairs: ArrayLike) -> Array:
        """Return the distances of pairs in the embedding; the median distance where a node has no place.

        Parameters
        ----------
        pairs
            ``(k, 2)`` node numbers.

        Returns
        -------
        array
            ``(k,)``.
        """
        return pair_distances(self.embedding_, self._rows, checked_pairs(self._train, pairs))

    def on(self, graph: Graph, embedding: Embedding) -> "LinkPredictor":
        """Return the same fitted model for another graph, such as the one with all known edges.

        Parameters
        ----------
        graph, embedding
            The graph, and its embedding, made like that of this predictor.

        Returns
        -------
        LinkPredictor
            A fitted predictor.
        """
        moved = LinkPredictor(
            graph, self.space, embedding=embedding, model=self.model_, random_state=self.random_state
        )
        moved.__dict__.update(self.__dict__ | moved.__dict__)
        moved._train, moved.embedding_, moved._rows = graph, embedding, rows_in(embedding, graph)
        return moved

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return 1 for pairs that are more likely joined than not, and 0 for others.

        Parameters
        ----------
        X
            ``(k, 2)`` node numbers.

        Returns
        -------
        array
            ``(k,)``.
        """
        likeliest = self.predict_proba(X).argmax(axis=1)
        return self.classes_[likeliest]

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: None = None) -> float:
        """Return the ROC AUC on pairs that are no edges of the training graph.

        Parameters
        ----------
        X, y
            As for :meth:`fit`.
        sample_weight
            Not used.

        Returns
        -------
        float
            From 0 to 1.

        Raises
        ------
        InputError
            As :meth:`fit` does.
        """
        self.check_fitted()
        pairs, exists = checked_pairs(self._train, X), np.asarray(y, np.int64)
        check_known_pairs(self._train, pairs, exists)
        return roc_auc(exists == 1, self.predict_proba(pairs)[:, 1])

    def _numbers(self, pairs: NDArray[np.int64]) -> tuple[Array, Array]:
        return pair_distances(self.embedding_, self._rows, pairs), pair_features(self._train, pairs)


def _comparable(numbers: tuple[Array, Array]) -> list[str]:
    """Names of the models that these pairs are enough for; that of the distance alone always is."""
    first, *others = MODELS
    widths = {name: MODELS[name].columns(*numbers).shape[1] for name in others}
    return [first, *(name for name in others if len(numbers[0]) >= PAIRS_PER_COLUMN * widths[name])]


def _held_out_auc(model: _Model, numbers: tuple[Array, Array], exists: NDArray[np.int64], seed: int) -> float:
    """ROC AUC of a model by cross-validation on these pairs."""
    x = model.columns(*numbers)
    count = min(CHOICE_FOLDS, int(np.bincount(exists).min()))
    if count < 2:
        return 0.0
    fold, score = folds(exists, count, seed), np.empty(len(exists))
    for k in range(count):
        out = fold == k
        score[out] = model.fitted(x[~out], exists[~out]).log_proba(x[out])[:, 1]
    return float(np.mean([roc_auc(exists[fold == k] == 1, score[fold == k]) for k in range(count)]))
