r"""Ollivier-Ricci curvature of edges: how much nearer the neighbourhoods of two nodes are than the nodes.

Let :math:`m_x` be the measure that leaves mass :math:`\alpha` at ``x`` and spreads the rest uniformly over
its neighbours, whatever the lengths of the edges. Then

.. math:: \kappa_\alpha(x, y) = 1 - \frac{W_1(m_x, m_y)}{d(x, y)}, \qquad
    \kappa(x, y) = \lim_{\alpha\to1} \frac{\kappa_\alpha(x, y)}{1 - \alpha},

where ``d`` is the length of a shortest path, which may be shorter than the edge [Ollivier2009, LinLuYau2011].
The package GraphRicciCurvature weights neighbours by :math:`e^{-w^2}`, where ``w`` is the length of an edge.
Such weights depend on the unit of length; the uniform measures of the definition do not. Without lengths both
agree.

Two facts make the transport problem small. First, mass that both measures have at the same node stays there,
because ``d`` is a metric. Second, :math:`\kappa_\alpha` is linear in :math:`\alpha` between
:math:`\alpha_0 = 1/(\max(\deg x, \deg y) + 1)` and 1, where it is zero [Bourne2018]. With edge lengths it is
linear from :math:`\alpha_0 = 1/2`, because then some mass moves from ``x`` to ``y`` itself. So the curvature
for a larger :math:`\alpha`, and the limit, follow from :math:`\kappa_{\alpha_0}`, where all masses are whole
numbers in units of :math:`(1-\alpha_0)/(\deg x\deg y)`. Without edge lengths, this :math:`\alpha_0` also
makes the measures equal at whichever of ``x`` and ``y`` has fewer neighbours, which removes that node.

:func:`riemap.curvature.earth_mover.transport` solves what remains.

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
from numpy.typing import NDArray

from riemap.curvature.earth_mover import DUST, transport
from riemap.curvature.summary import ProgressCallback, Summary, require_edges
from riemap.distances import DistanceMatrix
from riemap.distances.target import distances_of
from riemap.errors import InputError
from riemap.graphs.graph import Graph
from riemap.loops import compiled, exact_loop
from riemap.threads import Part, begin
from riemap.types import Array

RICCI_PROGRESS_EDGES = 1 << 12
"""Number of edges between two calls of the progress function: enough to keep all threads busy, few enough
for a smooth progress bar."""


@final
@dataclass(frozen=True, eq=False)
class Ricci:
    """Ollivier-Ricci curvature of every edge of a graph.

    Parameters
    ----------
    edges
        ``(m, 2)``, node numbers of the edges, as :meth:`Graph.edges` lists them.
    curvature
        ``(m,)``, curvature of each edge.
    alpha
        Share of the mass that stays at a node; 1 stands for the limit.
    """

    edges: NDArray[np.int64]
    curvature: Array
    alpha: float

    @cached_property
    def node_means(self) -> Array:
        """Mean curvature of the edges at each node, ``(n,)``."""
        ends, twice = self.edges.T.ravel(), np.tile(self.curvature, 2)
        return np.bincount(ends, twice) / np.bincount(ends)

    @property
    def summary(self) -> Summary:
        """Summary statistics over all edges."""
        found = Summary.from_values(self.curvature)
        assert found is not None, "a graph has an edge"
        return found


def ollivier_ricci(
    graph: Graph,
    alpha: float = 0.5,
    *,
    progress: ProgressCallback | None = None,
    distances: DistanceMatrix | None = None,
) -> Ricci:
    r"""Exact curvature :math:`\kappa_\alpha` of every edge.

    Parameters
    ----------
    graph
        A graph with or without edge lengths.
    alpha
        Share of the mass that stays at a node, from 0 to 1. The value 1 stands for the limit
        :math:`\lim \kappa_\alpha/(1-\alpha)` of Lin, Lu and Yau.
    progress
        Function that is called with the fraction of the edges that are done.
    distances
        Distances between all nodes, as from :func:`shortest_paths`; computed if they are not given.

    Returns
    -------
    Ricci
        The curvature of each edge.

    Raises
    ------
    InputError
        If ``alpha`` is not a number from 0 to 1, or ``graph`` is a matrix of dissimilarities.

    Examples
    --------
    >>> ollivier_ricci(Graph.from_edges([(0, 1), (1, 2), (2, 0)]), alpha=1).curvature
    array([1.5, 1.5, 1.5])
    """
    require_edges(graph, "Ricci curvature")
    alpha, edges = checked_share(alpha), graph.edges()
    distances = distances_of(graph, distances)
    curvature = np.empty(graph.m)
    for start in range(0, graph.m, RICCI_PROGRESS_EDGES):
        part = slice(start, start + RICCI_PROGRESS_EDGES)
        rows, weighted = (graph.indptr, graph.indices), graph.weights is not None
        _curvatures(*rows, distances, weighted, alpha, edges[part], curvature[part])
        if progress is not None:
            progress(min(start + RICCI_PROGRESS_EDGES, graph.m) / graph.m)
    return Ricci(edges, curvature, alpha)


def checked_share(alpha: object) -> float:
    """Return ``alpha`` as a float, or raise an error if it is not a number from 0 to 1."""
    if isinstance(alpha, bool) or not isinstance(alpha, int | float | np.number) or not 0.0 <= alpha <= 1.0:
        raise InputError(
            f"alpha={alpha!r} is not a number from 0 to 1 (the share of mass that stays at a node), e.g. 0.5"
        )
    return float(alpha)


def _curvatures(
    indptr: Any, indices: Any, distances: Any, weighted: Any, alpha: Any, edges: Any, out: Any
) -> None:
    """Write the curvatures of some edges to ``out``, with one edge per iteration of a parallel loop."""
    _curvatures_rows(len(edges), indptr, indices, distances, weighted, alpha, edges, out)


@exact_loop
def _curvatures_rows(
    part: Part, indptr: Any, indices: Any, distances: Any, weighted: Any, alpha: Any, edges: Any, out: Any
) -> None:
    start, stop = begin(part)
    for e in range(start, stop):
        out[e] = edge_curvature(indptr, indices, distances, weighted, alpha, edges[e, 0], edges[e, 1])


@compiled
def edge_curvature(
    indptr: Any, indices: Any, distances: Any, weighted: Any, alpha: Any, x: Any, y: Any
) -> Any:
    """Curvature of one edge. A separate function, as a long body of a parallel loop is slow to compile."""
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


@compiled
def _difference(indptr: Any, indices: Any, x: Any, y: Any, own: Any) -> Any:
    """Difference of the measures of ``x`` and ``y``: the nodes where each has more mass, and by how much."""
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
