r"""Whether each node sees its graph neighbours first.

These metrics use only the order of the embedded distances, so they do not change when the embedding is
rescaled.

References
----------
[Cruceru2020] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. 2020, section 4.
[NickelKiela2017] Nickel, Kiela. Poincaré embeddings for learning hierarchical representations. NeurIPS 2017.
"""

import numpy as np

from riemap.metrics.comparison import Comparison
from riemap.types import Array


def f1_curve(c: Comparison) -> Array:
    """F1@k, entry ``k - 1`` for every layer ``k``  [Cruceru2020].

    A source visits the other nodes by embedded distance. When it comes to a node on layer ``k`` of its
    shortest paths, precision is the share of nodes on layers up to ``k`` among the visited; recall is their
    number over that of all nodes below layer ``k`` and the visited ones on it. F1@k is the mean of the
    harmonic mean of both over all sources and all nodes on layer ``k``; a perfect embedding has 1 at every
    ``k``.
    """
    return c.ranking.f1 / c.ranking.counts


def f1_at_1(c: Comparison) -> float:
    """F1@k of the first layer: how well direct neighbours are recovered."""
    return float(f1_curve(c)[0])


def area_under_f1(c: Comparison) -> float:
    """Mean over consecutive ``k`` of (F1@k + F1@(k+1)) / 2; F1@1 itself if there is one layer."""
    curve = f1_curve(c)
    return float(np.mean((curve[1:] + curve[:-1]) / 2.0)) if len(curve) > 1 else float(curve[0])


def mean_average_precision(c: Comparison) -> float | None:
    r"""Mean over nodes of the average precision of their neighbours  [NickelKiela2017].

    .. math:: \frac1n\sum_u \frac1{\deg u}\sum_{v\in N(u)} \frac{|N(u)\cap R_{uv}|}{|R_{uv}|},

    where :math:`R_{uv}` holds the nodes no further from ``u`` than ``v`` is, ``u`` excepted. Without a graph
    there are no neighbours, and it is ``None``.
    """
    return None if c.graph is None else c.ranking.precision / c.ranking.sources
