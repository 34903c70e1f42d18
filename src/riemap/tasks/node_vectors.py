"""Vectors of nodes by other methods, as baselines: Laplacian eigenmaps, and DeepWalk by gensim.

References
----------
[BelkinNiyogi2003] Belkin, Niyogi. Laplacian eigenmaps for dimensionality reduction. Neural Computation 2003.
[GroverLeskovec2016] Grover, Leskovec. node2vec: scalable feature learning for networks. KDD 2016.
"""

import importlib.util

import numpy as np

from riemap.graphs import Graph
from riemap.tasks.pair_features import adjacency
from riemap.types import Array

WALKS_PER_NODE, WALK_LENGTH, WINDOW, NEGATIVE_SAMPLES = 10, 80, 10, 5
"""Settings of node2vec, as in [GroverLeskovec2016]; its walks are those of DeepWalk for p = q = 1."""

LEAST_LENGTH = 1e-12
"""Length below which a vector is not normalised: that of a node without edges is zero."""


def laplacian_vectors(graph: Graph, dim: int) -> Array:
    """First eigenvectors of the normalised adjacency matrix, ``(n, dim)``  [BelkinNiyogi2003].

    Parameters
    ----------
    graph, dim
        The graph, and the number of eigenvectors; at most the number of nodes minus one.

    Returns
    -------
    array
        One row a node; zeros for nodes without edges.

    Examples
    --------
    >>> laplacian_vectors(Graph.from_edges([(0, 1), (1, 2), (2, 3)]), 2).shape
    (4, 2)
    """
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import eigsh

    roots = diags_array(1.0 / np.sqrt(np.maximum(graph.degrees, 1)))
    matrix = roots @ adjacency(graph) @ roots
    start = np.random.default_rng(0).standard_normal(graph.n)
    if graph.n <= 2 * dim + 2:
        values, vectors = np.linalg.eigh(matrix.toarray())
    else:
        values, vectors = eigsh(matrix, k=dim, which="LA", v0=start)
    return vectors[:, np.argsort(-values, kind="stable")[:dim]]


def has_gensim() -> bool:
    """Whether gensim is installed."""
    try:
        return importlib.util.find_spec("gensim") is not None
    except ValueError:  # it was imported in vain before
        return False


def node2vec_vectors(graph: Graph, dim: int, seed: int) -> Array:
    """Vectors by node2vec with p = q = 1, ``(n, dim)``; it needs gensim  [GroverLeskovec2016].

    Parameters
    ----------
    graph, dim, seed
        The graph, the number of dimensions, and the seed of walks and vectors.

    Returns
    -------
    array
        One row a node.
    """
    from gensim.models import Word2Vec

    rng = np.random.default_rng(seed)
    at = np.tile(np.arange(graph.n), WALKS_PER_NODE)
    walks = [at]
    for _ in range(WALK_LENGTH - 1):
        degrees = graph.degrees[at]
        steps = graph.indptr[at] + (rng.random(len(at)) * degrees).astype(np.int64)
        at = np.where(degrees > 0, graph.indices[np.minimum(steps, len(graph.indices) - 1)], at)
        walks.append(at)
    texts = [[str(i) for i in walk] for walk in rng.permutation(np.column_stack(walks)).tolist()]
    options = {"window": WINDOW, "negative": NEGATIVE_SAMPLES, "sg": 1, "min_count": 0, "epochs": 1}
    model = Word2Vec(texts, vector_size=dim, workers=1, seed=seed % 2**32, **options)
    return model.wv[[str(i) for i in range(graph.n)]].astype(float)


def vector_similarities(vectors: Array, pairs: "np.typing.NDArray[np.int64]") -> Array:
    """Inner product and cosine of the vectors of pairs, ``(k, 2)``."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(lengths > LEAST_LENGTH, lengths, 1.0)
    i, j = pairs.T
    return np.column_stack([np.sum(v[i] * v[j], axis=1) for v in (vectors, unit)])
