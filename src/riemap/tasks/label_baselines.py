"""Other ways to predict labels without features of the nodes, on the same split."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.graphs import Graph
from riemap.tasks.label_models import Known, spread
from riemap.tasks.logistic import fit_logistic
from riemap.tasks.node_vectors import has_gensim, laplacian_vectors, node2vec_vectors
from riemap.tasks.pair_features import adjacency
from riemap.tasks.scores import accuracy
from riemap.types import Array

PENALTIES = (0.1, 1.0, 10.0)
"""Values of ``C`` that are tried for vectors; the best on the validation nodes counts."""

SPREADING_SHARES = (0.2, 0.5, 0.9, 0.99)
"""Shares that are tried for label propagation: those of our own models, and more."""

LabelledNodes = tuple[NDArray[np.int64], NDArray[Any]]


def label_baselines(
    graph: Graph, train: LabelledNodes, validation: LabelledNodes, dim: int, seed: int
) -> dict[str, NDArray[Any]]:
    """Predict the label of every node by each baseline; settings are chosen on the validation nodes.

    Parameters
    ----------
    graph
        The graph.
    train, validation
        Node numbers and labels.
    dim, seed
        Number of dimensions of vectors, and seed of random walks.

    Returns
    -------
    dict
        For each name the predicted label of every node: the majority, label propagation on the graph, and
        logistic regression on vectors. ``"node2vec"`` is there only if gensim is installed.

    Examples
    --------
    >>> from riemap.graphs import load_dataset
    >>> some = (np.array([0, 33, 1]), np.array(["a", "b", "a"]))
    >>> list(label_baselines(load_dataset("karate"), some, some, 2, 0))[:2]
    ['majority', 'label propagation']
    """
    classes, codes = np.unique(train[1], return_inverse=True)
    known = Known(train[0], codes, len(classes))
    dim = min(dim, graph.n - 1)
    vectors = {"Laplacian eigenmaps": laplacian_vectors(graph, dim)}
    if has_gensim():
        vectors["node2vec"] = node2vec_vectors(graph, dim, seed)
    tried: dict[str, list[Array]] = {
        "majority": [np.tile(known.shares, (graph.n, 1))],
        "label propagation": [spread(adjacency(graph), known, share) for share in SPREADING_SHARES],
    }
    for name, x in vectors.items():
        fitted = (fit_logistic(x[known.nodes], codes, known.classes, C) for C in PENALTIES)
        tried[name] = [model.log_proba(x) for model in fitted]
    found = {name: [classes[p.argmax(axis=1)] for p in several] for name, several in tried.items()}
    return {
        name: max(several, key=lambda one: accuracy(validation[1], one[validation[0]]))
        for name, several in found.items()
    }
