r"""Ollivier-Ricci curvature of edges: how much nearer the neighbourhoods of two nodes are than the nodes.

With :math:`m_x` the measure that leaves :math:`\alpha` at ``x`` and spreads the rest uniformly over its
neighbours, whatever the lengths of the edges to them,

.. math:: \kappa_\alpha(x, y) = 1 - \frac{W_1(m_x, m_y)}{d(x, y)}, \qquad
    \kappa(x, y) = \lim_{\alpha\to1} \frac{\kappa_\alpha(x, y)}{1 - \alpha},

where ``d`` is the length of a shortest path, which may be shorter than the edge [Ollivier2009, LinLuYau2011].
The package GraphRicciCurvature weighs neighbours by :math:`e^{-w^2}` of an edge's length ``w``, which
depends on the unit of length; the uniform measures of the definition do not. Without lengths both agree.

Two facts make the transport problem small. Mass that both measures have at a node stays there, because ``d``
is a metric. And :math:`\kappa_\alpha` is linear in :math:`\alpha` from
:math:`\alpha_0 = 1/(\max(\deg x, \deg y) + 1)` up to 1, where it vanishes [Bourne2018]; with lengths, from
:math:`\alpha_0 = 1/2` up, because then some mass goes from ``x`` to ``y`` itself. So a larger
:math:`\alpha`, and the limit, are read off :math:`\kappa_{\alpha_0}`, where all masses are whole numbers
in units of :math:`(1-\alpha_0)/(\deg x\deg y)`. Without lengths, moreover, ``x`` itself is left out there.

What remains is solved by :func:`riemap.curvature.earth_mover.transport`.

References
----------
[Ollivier2009] Ollivier. Ricci curvature of Markov chains on metric spaces. J. Funct. Anal. 2009.
[LinLuYau2011] Lin, Lu, Yau. Ricci curvature of graphs. Tohoku Math. J. 2011.
[Bourne2018] Bourne et al. Ollivier-Ricci idleness functions of graphs. SIAM J. Discrete Math. 2018.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from riemap.curvature.earth_mover import DUST, transport
from riemap.curvature.summary import Progress, Summary, need_edges
from riemap.distances import DistanceMatrix, shortest_paths
from riemap.errors import InputError
from riemap.graphs.graph import Graph
from riemap.types import Array

BLOCK = 1 << 12
"""Edges between two reports of progress."""


@final
@dataclass(frozen=True, eq=False)
class Ricci:
    """Curvature of every edge.

    Parameters
    ----------
    edges
        ``(m, 2)``, as :meth:`Graph.edges` lists them.
    curvature
        ``(m,)``, of each of them.
    alpha
        The share of mass that stays; 1 stands for the limit.
    """

    edges: NDArray[np.int64]
    curvature: Array
    alpha: float

    @cached_property
    def nodes(self) -> Array:
        """Mean curvature of the edges at each node."""
        ends, twice = self.edges.T.ravel(), np.tile(self.curvature, 2)
        return np.bincount(ends, twice) / np.bincount(ends)

    @property
    def summary(self) -> Summary:
        """The distribution over edges."""
        found = Summary.of(self.curvature)
        assert found is not None, "a graph has an edge"
        return found


def ollivier_ricci(
    graph: Graph,
    alpha: float = 0.5,
    *,
    progress: Progress | None = None,
    distances: DistanceMatrix | None = None,
) -> Ricci:
    r"""Curvature :math:`\kappa_\alpha` of every edge, exactly.

    Parameters
    ----------
    graph
        With lengths or without.
    alpha
        The share of mass that stays, from 0 to 1; 1 stands for the limit
        :math:`\lim \kappa_\alpha/(1-\alpha)` of Lin, Lu and Yau.
    progress
        Is told the share of the edges that are done.
    distances
        Distances between all nodes, if they are known already; computed otherwise.

    Examples
    --------
    >>> ollivier_ricci(Graph.from_edges([(0, 1), (1, 2), (2, 0)]), alpha=1).curvature
    array([1.5, 1.5, 1.5])
    """
    need_edges(graph, "Ricci curvature")
    if isinstance(alpha, bool) or not isinstance(alpha, int | float | np.number) or not 0.0 <= alpha <= 1.0:
        raise InputError(
            f"alpha={alpha!r} is not a number from 0 to 1, the share of mass that stays, e.g. 0.5"
        )
    edges = graph.edges()
    distances = np.asarray(shortest_paths(graph) if distances is None else distances)
    curvature = np.empty(graph.m)
    for start in range(0, graph.m, BLOCK):
        part = slice(start, start + BLOCK)
        _curvatures(
            graph.indptr,
            graph.indices,
            distances,
            graph.weights is not None,
            float(alpha),
            edges[part],
            curvature[part],
        )
        if progress is not None:
            progress(min(start + BLOCK, graph.m) / graph.m)
    return Ricci(edges, curvature, float(alpha))


@njit(cache=True, parallel=True)
def _curvatures(
    indptr: Any, indices: Any, distances: Any, weighted: Any, alpha: Any, edges: Any, out: Any
) -> None:
    """Curvatures of some edges, shared out between threads edge by edge."""
    for e in prange(len(edges)):
        out[e] = _curvature(indptr, indices, distances, weighted, alpha, edges[e, 0], edges[e, 1])


@njit(cache=True, error_model="numpy")
def _curvature(indptr: Any, indices: Any, distances: Any, weighted: Any, alpha: Any, x: Any, y: Any) -> Any:
    """Of one edge; apart from the parallel loop, which takes long to compile if much is in it."""
    deg_x, deg_y = indptr[x + 1] - indptr[x], indptr[y + 1] - indptr[y]
    stays = 0.5 if weighted else 1.0 / (max(deg_x, deg_y) + 1.0)
    own = float(deg_x * deg_y if weighted else min(deg_x, deg_y))
    scale = 1.0
    if alpha < stays:
        stays, own = alpha, alpha / (1.0 - alpha) * deg_x * deg_y
    else:
        scale = (1.0 - alpha if alpha < 1.0 else 1.0) / (1.0 - stays)
    sources, supply, sinks, demand = _difference(indptr, indices, x, y, own)
    cost = np.empty((len(sources), len(sinks)), distances.dtype)
    for i in range(len(sources)):
        for j in range(len(sinks)):
            cost[i, j] = distances[sources[i], sinks[j]]
    work = transport(supply, demand, cost)
    return scale * (1.0 - work * (1.0 - stays) / (deg_x * deg_y) / distances[x, y])


@njit(cache=True, error_model="numpy")
def _difference(indptr: Any, indices: Any, x: Any, y: Any, own: Any) -> Any:
    """Where the measure about ``x`` has more, and how much, then where that about ``y`` has."""
    p, end_p, q, end_q = indptr[x], indptr[x + 1], indptr[y], indptr[y + 1]
    share_x, share_y = float(end_q - q), float(end_p - p)
    most = end_p - p + end_q - q
    nodes, mass = np.empty((2, most), np.int64), np.empty((2, most))
    count = np.zeros(2, np.int64)
    while p < end_p or q < end_q:
        u = indices[p] if p < end_p else len(indptr)
        v = indices[q] if q < end_q else len(indptr)
        z = min(u, v)
        value = 0.0
        if u == z:
            value += share_x
            p += 1
        if v == z:
            value -= share_y
            q += 1
        if z == x:
            value += own
        if z == y:
            value -= own
        if abs(value) > DUST:
            side = 0 if value > 0.0 else 1
            nodes[side, count[side]], mass[side, count[side]] = z, abs(value)
            count[side] += 1
    return nodes[0, : count[0]], mass[0, : count[0]], nodes[1, : count[1]], mass[1, : count[1]]
