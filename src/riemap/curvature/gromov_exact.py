r"""The largest δ over all quadruples of nodes, exactly, without visiting all of them.

Pairs of nodes are visited in decreasing order of distance, and each pair ``x, y`` is compared with the pairs
``v, w`` before it. If ``d(x, y) + d(v, w)`` is the largest of the three sums, the triangle inequality gives

.. math::
    2\delta &\le d(x,y), & 2\delta &\le d(x,y) - |d(x,v) - d(y,v)|, & 2\delta &\le 2\min(d(x,v), d(y,v)),\\
    4\delta &\le d(x,y) + 2e(v) - d(x,v) - d(y,v),

where :math:`e(v)` is the largest distance from ``v``. The first bound ends the search once no remaining pair
can exceed the best value so far [Cohen2015]. The others exclude ``v`` for this pair. Moreover, at least one
of ``v`` and ``w`` is *valuable*: :math:`2\delta \le d(x,y) + 2d(v,c) - d(x,v) - d(y,v)` for any fixed ``c``.
Only pairs with a valuable node are compared [Borassi2015].

If all edges have the same length, only *far-apart* pairs matter: pairs in which no neighbour of one node is
further from the other node. The δ of a graph is the largest δ of its biconnected components [Cohen2015].

References
----------
[Cohen2015] Cohen, Coudert, Lancin. On computing the Gromov hyperbolicity. ACM JEA 2015.
[Borassi2015] Borassi, Coudert, Crescenzi, Marino. On computing the hyperbolicity of real-world graphs.
    ESA 2015.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap import memory
from riemap.curvature.summary import ProgressCallback
from riemap.distances import DistanceMatrix
from riemap.distances.target import distances_of
from riemap.errors import InputError
from riemap.graphs.dissimilarities import AnyGraph, Dissimilarities
from riemap.graphs.graph import Graph
from riemap.loops import compiled, exact_loop, task_loop
from riemap.threads import Part, begin

FIRST_BATCH_PAIRS, LARGEST_BATCH_PAIRS = 1 << 8, 1 << 15
"""Number of pairs in the first batch, and the limit up to which batches double. Pairs of one batch are
compared in parallel and use the best value of earlier batches: small batches first find a good value
quickly."""

LARGEST_EXACT_DISSIMILARITIES = 200
"""Largest number of points for an exact δ of dissimilarities. They need not satisfy the triangle inequality,
so all quadruples are visited: 65 million for 200 points."""


def delta_exact(
    graph: AnyGraph, *, progress: ProgressCallback | None = None, distances: DistanceMatrix | None = None
) -> float:
    """Largest δ over all quadruples of nodes.

    Parameters
    ----------
    graph
        A graph with or without edge lengths, or dissimilarities of at most 200 points.
    progress
        Function that is called with the fraction of the pairs visited in the largest biconnected component.
        The search usually ends long before all pairs are visited.
    distances
        Distances between all nodes, as from :func:`shortest_paths`; computed if they are not given.

    Returns
    -------
    float
        The δ of the graph; zero for a tree.

    Raises
    ------
    InputError
        If there are dissimilarities of more than 200 points, or the graph is not connected.
    MemoryError
        If the search needs more memory than there is.

    Examples
    --------
    >>> delta_exact(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]))
    1.0
    """
    distances = distances_of(graph, distances)
    if isinstance(graph, Dissimilarities):
        if graph.n > LARGEST_EXACT_DISSIMILARITIES:
            raise InputError(
                f"{graph.name}: {graph.n} points are too many for an exact δ, which visits all quadruples of "
                f"dissimilarities and takes at most {LARGEST_EXACT_DISSIMILARITIES} points; "
                "delta_sampled (no --exact) takes any number"
            )
        return float(_over_all(distances)) / 2.0
    if (count := graph.component_numbers[0]) > 1:
        raise InputError(
            f"{graph.name}: the exact δ needs a connected graph, and this one has {count} components; "
            "delta_sampled (no --exact) takes any graph"
        )
    twice = 0.0
    for k, nodes in enumerate(_blocks(graph)):
        _require(10 * len(nodes) ** 2, graph)  # float distances, far-apart pairs, copies
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


def _of_block(
    distances: NDArray[Any], graph: Graph, twice: float, progress: ProgressCallback | None
) -> float:
    """The larger of ``twice`` and 2δ of a biconnected component."""
    if distances.max() <= twice:
        return twice
    hops = graph.weights is None
    least = 1.0 if hops else 0.0  # the smallest possible increase of 2δ
    wide = distances.astype(np.float32 if hops else np.float64)
    wanted = np.triu(distances > twice, 1)
    if hops:
        wanted &= _far_apart(wide)
    _require(80 * int(wanted.sum()), graph)  # sorted pairs, lengths, partners of nodes
    pairs = np.argwhere(wanted)
    lengths = wide[pairs[:, 0], pairs[:, 1]]
    order = np.argsort(lengths, kind="stable")[::-1]
    pairs, lengths = pairs[order], lengths[order]
    mates = _mates(pairs, len(wide))
    centre = wide[np.argmin(wide.sum(axis=0, dtype=np.float64))]
    facts = wide, wide.max(axis=0), centre
    start, size = 0, FIRST_BATCH_PAIRS
    while start < len(pairs) and lengths[start] >= twice + least and lengths[start] > twice:
        end = min(start + size, len(pairs))
        twice = max(twice, float(_compare(*facts, pairs, mates, (start, end), (twice, least))))
        start, size = end, min(2 * size, LARGEST_BATCH_PAIRS)
        if progress is not None:
            progress(start / len(pairs))
    return twice


def _far_apart(distances: Any) -> Any:
    """For each pair of nodes, whether no neighbour of either node is further from the other node."""
    n = len(distances)
    near = np.ones((n, n), np.bool_)
    _far_apart_rows(n, distances, near)
    return near & near.T


@task_loop
def _far_apart_rows(part: Part, distances: Any, near: Any) -> None:
    n = len(distances)
    start, stop = begin(part)
    for a in range(start, stop):
        most = distances[a].copy()
        for k in range(n):
            if distances[a, k] == 1:
                for b in range(n):
                    most[b] = max(most[b], distances[k, b])
        for b in range(n):
            near[a, b] = most[b] <= distances[a, b]


@compiled
def _mates(pairs: Any, n: Any) -> Any:
    """For each node, its partners in the pairs and the numbers of these pairs, in increasing order."""
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


def _compare(distances: Any, furthest: Any, centre: Any, pairs: Any, mates: Any, share: Any, bar: Any) -> Any:
    """Largest 2δ of the pairs in ``share`` with the pairs before them.

    ``bar`` holds the best 2δ so far and the smallest increase. Quadruples that cannot reach their sum are
    skipped.
    """
    found = np.zeros(share[1] - share[0])
    _compare_rows(len(found), distances, furthest, centre, pairs, mates, share, bar, found)
    return found.max()


@task_loop
def _compare_rows(
    part: Part,
    distances: Any,
    furthest: Any,
    centre: Any,
    pairs: Any,
    mates: Any,
    share: Any,
    bar: Any,
    found: Any,
) -> None:
    offsets, mate, number = mates
    n = len(distances)
    able, valuable = np.empty(n, np.bool_), np.empty(n, np.bool_)
    start, stop = begin(part)
    for t in range(start, stop):
        i = np.int64(t) + share[0]
        x, y = pairs[i, 0], pairs[i, 1]
        from_x, from_y, length = distances[x], distances[y], distances[x, y]
        need = distances.dtype.type(bar[0] + bar[1])
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
                for k in range(offsets[v], offsets[v + 1]):
                    if number[k] >= i:
                        break
                    w = mate[k]
                    if able[w]:
                        other = max(from_x[v] + from_y[w], from_y[v] + from_x[w])
                        best = max(best, length + distances[v, w] - other)
        found[t] = best


def _over_all(distances: Any) -> Any:
    """Largest 2δ over all quadruples."""
    n = len(distances)
    found = np.zeros(n)
    _over_all_rows(n, distances, found)
    return found.max()


@exact_loop
def _over_all_rows(part: Part, distances: Any, found: Any) -> None:
    start, stop = begin(part)
    for a in range(start, stop):
        for b in range(a):
            for c in range(b):
                for e in range(c):
                    r = distances[a, b] + distances[c, e]
                    s = distances[a, c] + distances[b, e]
                    t = distances[a, e] + distances[b, c]
                    low, high = min(r, s), max(r, s)
                    found[a] = max(found[a], max(high, t) - max(low, min(high, t)))
