r"""The largest δ of any four nodes, exactly, without looking at all of them.

Pairs of nodes are taken in decreasing order of distance; a pair ``x, y`` is compared with the pairs ``v, w``
before it. With ``x, y`` and ``v, w`` the pairs of the largest sum, of the triangle inequality follow

.. math::
    2\delta &\le d(x,y), & 2\delta &\le d(x,y) - |d(x,v) - d(y,v)|, & 2\delta &\le 2\min(d(x,v), d(y,v)),\\
    4\delta &\le d(x,y) + 2e(v) - d(x,v) - d(y,v),

with :math:`e(v)` the largest distance from ``v``; the first ends the search as soon as it rules out anything
above the best so far [Cohen2015]. The others rule out ``v`` for this pair. Of ``v`` and ``w``, moreover,
one is *valuable*, :math:`2\delta \le d(x,y) + 2d(v,c) - d(x,v) - d(y,v)` for any fixed ``c``, and only
the pairs of valuable nodes are looked at [Borassi2015].

Where edges are all alike, only pairs that are *far apart* count: no neighbour of one is further from the
other. And the δ of a graph is the largest of its biconnected components' [Cohen2015].

References
----------
[Cohen2015] Cohen, Coudert, Lancin. On computing the Gromov hyperbolicity. ACM JEA 2015.
[Borassi2015] Borassi, Coudert, Crescenzi, Marino. On computing the hyperbolicity of real-world graphs.
    ESA 2015.
"""

from typing import Any

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from riemap.curvature.summary import Progress
from riemap.distances import DistanceMatrix, memory, shortest_paths
from riemap.errors import InputError
from riemap.graphs.dissimilarities import AnyGraph, Dissimilarities
from riemap.graphs.graph import Graph
from riemap.vmath import pair_loop

FIRST, LAST = 1 << 8, 1 << 15
"""Pairs that are looked at together, at first and at last, against the best of the earlier ones."""

NOT_METRIC = 200
"""Most points of dissimilarities, which need not obey the triangle inequality: nothing is ruled out."""


def delta_exact(
    graph: AnyGraph, *, progress: Progress | None = None, distances: DistanceMatrix | None = None
) -> float:
    """Largest δ of any four nodes.

    Parameters
    ----------
    graph
        With lengths or without, or dissimilarities of at most 200 points, all of which are compared.
    progress
        Is told the share of the largest component's pairs that were looked at; most need not be.
    distances
        Distances between all nodes, if they are known already; computed otherwise.

    Examples
    --------
    >>> delta_exact(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]))
    1.0
    """
    distances = np.asarray(shortest_paths(graph) if distances is None else distances)
    if isinstance(graph, Dissimilarities):
        if graph.n > NOT_METRIC:
            raise InputError(
                f"{graph.name}: {graph.n} points are too many for an exact δ, which looks at all quadruples "
                f"of dissimilarities, of at most {NOT_METRIC} points; delta_sampled (no --exact) does not"
            )
        return float(_over_all(distances)) / 2.0
    twice = 0.0
    for k, nodes in enumerate(_blocks(graph)):
        _require(10 * len(nodes) ** 2, graph)  # distances as floats, which pairs are far apart, copies
        twice = _of_block(distances[np.ix_(nodes, nodes)], graph, twice, progress if k == 0 else None)
    if progress is not None:
        progress(1.0)
    return twice / 2.0


def _require(need: int, graph: Graph) -> None:
    memory.require(need, f"the exact δ of {graph.name}", "delta_sampled (no --exact) needs less")


def _blocks(graph: Graph) -> list[NDArray[np.int64]]:
    """Biconnected components with four nodes or more, the largest first."""
    import networkx as nx

    found = nx.biconnected_components(nx.Graph(graph.edges().tolist()))
    blocks = [np.array(sorted(nodes)) for nodes in found if len(nodes) >= 4]
    return sorted(blocks, key=lambda nodes: (-len(nodes), nodes.tolist()))


def _of_block(distances: NDArray[Any], graph: Graph, twice: float, progress: Progress | None) -> float:
    """The larger of ``twice`` and 2δ of a biconnected component."""
    if distances.max() <= twice:
        return twice
    hops = graph.weights is None
    least = 1.0 if hops else 0.0  # by which 2δ grows if it does
    wide = distances.astype(np.float32 if hops else np.float64)
    wanted = np.triu(distances > twice, 1)
    if hops:
        wanted &= _far_apart(wide)
    _require(80 * int(wanted.sum()), graph)  # pairs in order, their lengths, the mates of every node
    pairs = np.argwhere(wanted)
    lengths = wide[pairs[:, 0], pairs[:, 1]]
    order = np.argsort(lengths, kind="stable")[::-1]
    pairs, lengths = pairs[order], lengths[order]
    mates = _mates(pairs, len(wide))
    centre = wide[np.argmin(wide.sum(axis=0, dtype=np.float64))]
    facts = wide, wide.max(axis=0), centre
    start, size = 0, FIRST
    while start < len(pairs) and lengths[start] >= twice + least and lengths[start] > twice:
        end = min(start + size, len(pairs))
        twice = max(twice, float(_compare(*facts, pairs, mates, (start, end), (twice, least))))
        start, size = end, min(2 * size, LAST)
        if progress is not None:
            progress(start / len(pairs))
    return twice


@pair_loop
def _far_apart(distances: Any) -> Any:
    """Whether no neighbour of either node is further from the other."""
    n = len(distances)
    near = np.ones((n, n), np.bool_)
    for a in prange(n):
        most = distances[a].copy()
        for k in range(n):
            if distances[a, k] == 1:
                for b in range(n):
                    most[b] = max(most[b], distances[k, b])
        for b in range(n):
            near[a, b] = most[b] <= distances[a, b]
    return near & near.T


@njit(cache=True)
def _mates(pairs: Any, n: Any) -> Any:
    """For each node, the other nodes of its pairs and the numbers of these, in order."""
    start = np.zeros(n + 1, np.int64)
    for i in range(len(pairs)):
        start[pairs[i, 0] + 1] += 1
        start[pairs[i, 1] + 1] += 1
    start = np.cumsum(start)
    free = start[:-1].copy()
    mate, number = np.empty(2 * len(pairs), np.int32), np.empty(2 * len(pairs), np.int32)
    for i in range(len(pairs)):
        for side in range(2):
            node = pairs[i, side]
            mate[free[node]], number[free[node]] = pairs[i, 1 - side], i
            free[node] += 1
    return start, mate, number


@pair_loop
def _compare(distances: Any, furthest: Any, centre: Any, pairs: Any, mates: Any, part: Any, bar: Any) -> Any:
    """Largest 2δ of the pairs of a part with those before them; what does not pass the bar is left out."""
    start, mate, number = mates
    n = len(distances)
    found = np.zeros(part[1] - part[0])
    for t in prange(part[1] - part[0]):
        i = np.int64(t) + part[0]
        x, y = pairs[i, 0], pairs[i, 1]
        from_x, from_y, length = distances[x], distances[y], distances[x, y]
        need = distances.dtype.type(bar[0] + bar[1])
        able, valuable = np.empty(n, np.bool_), np.empty(n, np.bool_)
        for v in range(n):
            p, q = from_x[v], from_y[v]
            slack = length - p - q
            able[v] = (
                (length - abs(p - q) >= need)
                & (min(p, q) + min(p, q) >= need)
                & (furthest[v] + furthest[v] + slack >= need + need)
            )
            valuable[v] = able[v] & (centre[v] + centre[v] + slack >= need)
        best = 0.0
        for v in range(n):
            if valuable[v]:
                for k in range(start[v], start[v + 1]):
                    if number[k] >= i:
                        break
                    w = mate[k]
                    if able[w]:
                        other = max(from_x[v] + from_y[w], from_y[v] + from_x[w])
                        best = max(best, length + distances[v, w] - other)
        found[t] = best
    return found.max()


@njit(cache=True, parallel=True)
def _over_all(distances: Any) -> Any:
    """2δ from all quadruples."""
    n = len(distances)
    found = np.zeros(n)
    for a in prange(n):
        for b in range(a):
            for c in range(b):
                for e in range(c):
                    r = distances[a, b] + distances[c, e]
                    s = distances[a, c] + distances[b, e]
                    t = distances[a, e] + distances[b, c]
                    low, high = min(r, s), max(r, s)
                    found[a] = max(found[a], max(high, t) - max(low, min(high, t)))
    return found.max()
