"""Other ways to predict links without features of the nodes, scored on the same pairs."""

from riemap.tasks.logistic import fit_logistic
from riemap.tasks.node_vectors import has_gensim, laplacian_vectors, node2vec_vectors, vector_similarities
from riemap.tasks.pair_features import pair_features
from riemap.tasks.splits import EdgeSplit
from riemap.types import Array

WITHOUT_GENSIM = "node2vec is left out: it needs gensim, which 'pip install gensim' brings"
"""What is said where a baseline cannot be computed."""


def link_baselines(split: EdgeSplit, dim: int, seed: int) -> dict[str, Array]:
    """Score the test pairs of a split by each baseline.

    Those that have no parameters score the pairs by themselves. The others are fitted to the validation pairs
    by logistic regression, as :class:`LinkPredictor` is: vectors by their inner products and cosines, and the
    features of the pair without any embedding.

    Parameters
    ----------
    split
        The training graph, and the pairs.
    dim
        Number of dimensions of vectors.
    seed
        Seed of random walks.

    Returns
    -------
    dict
        For each name the scores of the test pairs. ``"node2vec"`` is there only if gensim is installed.

    Examples
    --------
    >>> from riemap.graphs import load_dataset
    >>> from riemap.tasks import split_edges
    >>> list(link_baselines(split_edges(load_dataset("karate")), 2, 0))[:3]
    ['common neighbours', 'Adamic-Adar', 'preferential attachment']
    """
    train, (known, exists), (pairs, _) = split
    features = pair_features(train, pairs)
    degrees = train.degrees[pairs].astype(float)
    found = {
        "common neighbours": features[:, 0],
        "Adamic-Adar": features[:, 1],
        "preferential attachment": degrees.prod(axis=1),
    }
    dim = min(dim, train.n - 1)
    vectors = {"Laplacian eigenmaps": laplacian_vectors(train, dim)}
    if has_gensim():
        vectors["node2vec"] = node2vec_vectors(train, dim, seed)
    columns = {name: [vector_similarities(v, p) for p in (known, pairs)] for name, v in vectors.items()}
    columns["features of the pair"] = [pair_features(train, known), features]
    for name, (x, z) in columns.items():
        found[name] = fit_logistic(x, exists, 2).log_proba(z)[:, 1]
    return found
