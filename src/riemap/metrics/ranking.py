r"""Ranking metrics: whether the nodes nearest in the embedding are also nearest in the graph.

These metrics use only the order of the embedded distances, so they do not change when the embedding is
rescaled.

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021, section 4.
[NickelKiela2017] Nickel, Kiela. Poincaré embeddings for learning hierarchical representations. NeurIPS 2017.
"""

import numpy as np

from riemap.metrics.comparison import Comparison
from riemap.types import Array


def f1_curve(c: Comparison) -> Array:
    """F1@k for every layer ``k``  [Cruceru2021].

    Each source visits the other nodes in increasing order of embedded distance. Layer ``k`` of a source holds
    the nodes ``k`` hops away, or at the ``k``-th distinct distance. When the source visits a node on layer
    ``k``, let ``b`` be the number of visited nodes on layers up to ``k``. Precision is ``b`` divided by the
    number of visited nodes. Recall is ``b`` divided by the number of nodes that are on lower layers, or
    visited and on layer ``k``. F1 is the harmonic mean of both, and F1@k its mean over all sources and all
    nodes on layer ``k``.

    Parameters
    ----------
    c
        The distances to compare.

    Returns
    -------
    array
        Entry ``k - 1`` is F1@k. A perfect embedding has 1 everywhere.

    Examples
    --------
    >>> from riemap.metrics import score
    >>> path = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> score(path, path**2 / 4.0).f1_curve
    (1.0, 1.0)
    """
    return c.ranking.f1 / c.ranking.counts


def f1_at_1(c: Comparison) -> float:
    """F1@1: how well the direct neighbours of each node are recovered.

    Parameters
    ----------
    c
        The distances to compare.

    Returns
    -------
    float
        Between 0 and 1; see :func:`f1_curve`.

    Examples
    --------
    >>> from riemap.metrics import score
    >>> path = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> score(path, path**2 / 4.0)["f1@1"]
    1.0
    """
    return float(f1_curve(c)[0])


def area_under_f1(c: Comparison) -> float:
    """Area under the curve of F1@k: the mean over ``k`` of (F1@k + F1@(k+1)) / 2.

    Parameters
    ----------
    c
        The distances to compare.

    Returns
    -------
    float
        Between 0 and 1; F1@1 if there is only one layer.

    Examples
    --------
    >>> from riemap.metrics import score
    >>> path = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> score(path, path**2 / 4.0)["auc"]
    1.0
    """
    curve = f1_curve(c)
    return float(np.mean((curve[1:] + curve[:-1]) / 2.0)) if len(curve) > 1 else float(curve[0])


def mean_average_precision(c: Comparison) -> float | None:
    r"""Mean average precision of the neighbours of each node  [NickelKiela2017].

    .. math:: \frac1n\sum_u \frac1{\deg u}\sum_{v\in N(u)} \frac{|N(u)\cap R_{uv}|}{|R_{uv}|},

    where :math:`R_{uv}` is the set of nodes other than ``u`` that are at most as far from ``u`` as ``v`` is.

    Parameters
    ----------
    c
        The distances to compare.

    Returns
    -------
    float or None
        Between 0 and 1; ``None`` for dissimilarities, which have no edges and so no neighbours.

    Examples
    --------
    >>> from riemap.metrics import score
    >>> print(score(np.array([[0, 1], [1, 0]]), np.array([[0.0, 1.0], [1.0, 0.0]]))["map"])
    None
    """
    if c.graph is None:
        return None
    asked = np.count_nonzero(c.graph.degrees[c.sources])  # a node without neighbours has no precision
    return float(c.ranking.precision / asked) if asked else None
