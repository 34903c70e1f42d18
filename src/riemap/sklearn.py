"""An estimator for scikit-learn: it turns a graph, or a matrix of dissimilarities, into Euclidean vectors.

It needs scikit-learn, which ``pip install riemap[sklearn]`` installs. Without it this module can still be
imported; an ``ImportError`` says what is missing when an estimator is made.
"""

import hashlib
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np

from riemap.distances import shortest_paths
from riemap.embeddings.columns import tangent_features
from riemap.errors import InputError, MissingExtraError
from riemap.graphs import Dissimilarities, Graph, take_graph
from riemap.graphs.options import StrengthToLength, Weights
from riemap.losses import LossLike
from riemap.runs.embed_graph import embed
from riemap.runs.spec import LOSS
from riemap.spaces import Points, Space
from riemap.specs import expect, shown
from riemap.training.added_nodes import SCALE_SOURCES, unit_length
from riemap.training.placement import place
from riemap.types import Array

__all__ = ["GraphEmbedding"]

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "sklearn":
        raise

    class BaseEstimator:  # type: ignore[no-redef]
        """Stands in for scikit-learn's class, and cannot be made."""

        def __new__(cls, *_: Any, **__: Any) -> Self:
            """Raise ``MissingExtraError``."""
            raise MissingExtraError(
                "GraphEmbedding needs scikit-learn; pip install 'riemap[sklearn]' brings it"
            )

    class ClassNamePrefixFeaturesOutMixin:  # type: ignore[no-redef]
        """Stands in for scikit-learn's class."""

    class TransformerMixin:  # type: ignore[no-redef]
        """Stands in for scikit-learn's class."""


SYMMETRY_TOLERANCE = 1e-10
"""Largest difference of a matrix from its transpose that is rounding, relative to its largest entry."""


class GraphEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Embed nodes in a curved space, and return their tangent coordinates at the mean of the embedding.

    The vectors can be given to any classifier. There is one row a node, in the order of
    ``embedding_.labels``. :meth:`transform` knows the nodes that were fitted, in any order, and places
    others by their distances to them. No node may be lost: a graph with several components is refused, and so
    is a matrix with a zero between two different points. Keep one component, or one of the two points.

    Parameters
    ----------
    space
        The space to embed in, such as ``"H2"`` or ``"H2 x S2"``.
    weights, strength_to_length
        What the weights of edges are, and how strengths become lengths; see :func:`riemap.embed`. They are
        not for ``metric="precomputed"``.
    loss, preset, epochs
        What to minimise and how to train; see :func:`riemap.embed`.
    metric
        ``"graph"``: the data are a graph, in any form that :func:`riemap.as_graph` accepts, or a text as for
        :func:`riemap.embed`. ``"precomputed"``: the data are a square matrix of dissimilarities, symmetric,
        positive, and zero on the diagonal.
    n_jobs, verbose
        Number of threads, and whether to write lines about the training to stderr; see :func:`riemap.embed`.
    random_state
        A seed, a ``numpy.random.RandomState``, or ``None`` for another result each time.

    Attributes
    ----------
    embedding_
        The :class:`riemap.Embedding`: points, distances, nearest nodes.
    fit_
        The :class:`riemap.Fit`: history, and why training stopped.
    n_features_in_
        Number of nodes.

    Examples
    --------
    >>> GraphEmbedding("H2", epochs=20).fit_transform("karate").shape
    (34, 2)
    """

    def __init__(
        self,
        space: str | Space = "H2",
        *,
        weights: Weights | None = None,
        strength_to_length: StrengthToLength = "inverse",
        loss: LossLike = LOSS,
        preset: str = "default",
        epochs: int | None = None,
        metric: Literal["graph", "precomputed"] = "graph",
        n_jobs: int | None = None,
        verbose: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.space = space
        self.weights = weights
        self.strength_to_length = strength_to_length
        self.loss = loss
        self.preset = preset
        self.epochs = epochs
        self.metric = metric
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Embed a graph or a matrix of dissimilarities.

        Parameters
        ----------
        X
            The data; see ``metric``.
        y
            Ignored.

        Returns
        -------
        GraphEmbedding
            This estimator.

        Raises
        ------
        InputError
            If the data or the settings are not accepted.
        """
        from sklearn.utils import check_random_state

        given = self._given(X, reset=True)
        state = self.random_state
        seed = (
            int(state) if isinstance(state, Integral) else int(check_random_state(state).randint(2**31 - 1))
        )
        graph = given if isinstance(given, Graph) else _dissimilarities(given)
        self.fit_ = embed(
            graph,
            self.space,
            loss=self.loss,
            preset=self.preset,
            epochs=self.epochs,
            seed=seed,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        self.embedding_ = self.fit_.embedding
        self.n_features_in_ = graph.n
        self._mean = self.embedding_.mean()
        self._features = self._coordinates(self.embedding_.points)
        self._n_features_out = self._features.shape[1]
        self._places = {key: i for i, key in enumerate(_keys(given))}
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Embed, and return the vectors of all nodes.

        Parameters
        ----------
        X
            The data; see ``metric``.
        y
            Ignored.

        Returns
        -------
        Array
            One row a node, ``(n, dim)``.
        """
        return self.fit(X)._features.copy()

    def transform(self, X: Any) -> Array:
        """Return the vectors of nodes; those that were not fitted are placed, and the others stay.

        Parameters
        ----------
        X
            The same graph, or one with more nodes; or rows of dissimilarities to all points that were fitted.

        Returns
        -------
        Array
            One row for each row of ``X``, ``(n, dim)``.

        Raises
        ------
        InputError
            If a graph lacks nodes that were fitted, or joins them otherwise.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        given = self._given(X, reset=False)
        keys = _keys(given)
        unknown = [i for i, key in enumerate(keys) if key not in self._places]
        if not unknown:
            return self._features[[self._places[key] for key in keys]]
        if isinstance(given, Graph):
            return self._grown(given)
        found = np.empty((len(given), self._features.shape[1]))
        for i, key in enumerate(keys):
            if key in self._places:
                found[i] = self._features[self._places[key]]
        found[unknown] = self._placed(given[unknown])
        return found

    def _grown(self, graph: Graph) -> Array:
        """Vectors of the nodes of a graph that has grown."""
        if not set(self.embedding_.labels) < set(graph.labels):
            raise InputError(
                "row 0 is not one of the nodes that were fitted, and this is not the graph that was fitted "
                "with more nodes; fit it"
            )
        added = self.fit_.add(graph)
        new = self._coordinates(tuple(x[self.embedding_.n :] for x in added.embedding.points))
        return np.concatenate([self._features, new])[added.embedding.row_numbers(graph.labels)]

    def _placed(self, rows: Array) -> Array:
        """Vectors of points with these dissimilarities to the fitted ones."""
        embedding, matrix = self.embedding_, shortest_paths(self.fit_.graph)
        some = np.arange(min(embedding.n, SCALE_SOURCES))
        unit, _ = unit_length(np.sqrt(embedding.sqdist_rows(some)), matrix[some])
        points = place(embedding.space, embedding.points, embedding.log_scales, (unit * rows) ** 2)
        return self._coordinates(points)

    def _coordinates(self, points: Points) -> Array:
        """Tangent coordinates at the mean of the fitted nodes."""
        return tangent_features(self.embedding_.space, self.embedding_.log_scales, self._mean, points)

    def _given(self, X: Any, reset: bool) -> "Graph | Array":
        """Check the data; return a graph or a matrix."""
        expect(self.metric, str, "metric='graph' or 'precomputed'", "the data are one of the two")
        if self.metric == "precomputed":
            from sklearn.utils.validation import validate_data

            if self.weights is not None:
                raise InputError(f"weights={self.weights!r} is for metric='graph'; a matrix has no edges")
            return validate_data(
                self,
                X,
                reset=reset,
                dtype=np.float64,
                order="C",
                ensure_non_negative=True,
                ensure_min_samples=2 if reset else 1,
            )
        if self.metric != "graph":
            raise InputError(f"metric={shown(self.metric)} is not 'graph' or 'precomputed'")
        reading: Any = {"weights": self.weights, "strength_to_length": self.strength_to_length}
        opened = take_graph(X, components="require", **reading)
        if not isinstance(opened, Graph):
            raise InputError(
                f"{opened.name} is a matrix of dissimilarities; give it with metric='precomputed'"
            )
        return opened

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        matrix = self.metric == "precomputed"
        tags.input_tags.pairwise = tags.input_tags.two_d_array = tags.input_tags.positive_only = matrix
        return tags


def _dissimilarities(matrix: Array) -> Dissimilarities:
    """Return the matrix, made exactly symmetric if only rounding keeps it from that."""
    square = matrix.shape[0] == matrix.shape[1]
    if square and np.abs(matrix - matrix.T).max() <= SYMMETRY_TOLERANCE * np.abs(matrix).max():
        matrix = 0.5 * (matrix + matrix.T)
    return Dissimilarities(matrix.copy(), tuple(range(len(matrix))), "X")


def _keys(given: Graph | Array) -> list[Any]:
    """Return what identifies each row: its label in this graph, or a hash of its dissimilarities."""
    if isinstance(given, Graph):
        return [(given.key, label) for label in given.labels]
    return [hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in given]
