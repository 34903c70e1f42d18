"""Ollivier-Ricci curvature of some edges, from the neighbourhoods of their ends alone."""

from heapq import heappop, heappush
from typing import Any

import numpy as np

from riemap.curvature.ollivier import Ricci, checked_share, edge_curvature
from riemap.curvature.summary import ProgressCallback, require_edges
from riemap.graphs.graph import Graph
from riemap.loops import compiled
from riemap.specs import checked_seed, whole_number

DEFAULT_EDGES = 2000
"""Default number of edges to draw: their mean curvature then has a standard error of about 0.01."""

RICCI_SAMPLE_PROGRESS = 50
"""Number of edges between two calls of the progress function."""


def ricci_sampled(
    graph: Graph,
    alpha: float = 0.5,
    *,
    edges: int = DEFAULT_EDGES,
    seed: int = 0,
    progress: ProgressCallback | None = None,
) -> Ricci:
    r"""Exact curvature :math:`\kappa_\alpha` of random edges, without distances between all nodes.

    Neighbours of two adjacent nodes are at most three hops apart, or, with lengths, at most as far as the
    path over both nodes. So a search around the edge finds all distances that its curvature needs.

    Parameters
    ----------
    graph
        A graph with or without edge lengths.
    alpha
        Share of the mass that stays at a node, as for :func:`ollivier_ricci`.
    edges
        Number of edges to draw, without replacement; all edges of a graph that has fewer.
    seed
        Seed of the draw.
    progress
        Function that is called with the fraction of the edges that are done.

    Returns
    -------
    Ricci
        The edges drawn, in increasing order, and their curvature.

    Raises
    ------
    InputError
        If ``alpha`` is not a number from 0 to 1, ``edges`` is not a positive whole number, or ``seed`` is
        negative.

    Examples
    --------
    >>> ricci_sampled(Graph.from_edges([(0, 1), (1, 2), (2, 0)]), alpha=1, edges=2).curvature
    array([1.5, 1.5])
    """
    require_edges(graph, "Ricci curvature")
    alpha, count = checked_share(alpha), whole_number("edges", edges, 1, DEFAULT_EDGES)
    rng = np.random.default_rng(checked_seed(seed))
    drawn = graph.edges()[np.sort(rng.choice(graph.m, min(count, graph.m), replace=False))]
    curvature = np.empty(len(drawn))
    scratch = np.full(graph.n, -1 if graph.weights is None else np.inf)
    for i, (x, y) in enumerate(drawn.tolist()):
        curvature[i] = _curvature_nearby(graph, alpha, x, y, scratch)
        if progress is not None and i % RICCI_SAMPLE_PROGRESS == 0:
            progress(i / len(drawn))
    return Ricci(drawn, curvature, alpha)


def _curvature_nearby(graph: Graph, alpha: float, x: int, y: int, scratch: Any) -> float:
    """Curvature of one edge, in the graph that consists of its ends and their neighbours."""
    near_x = graph.indices[graph.indptr[x] : graph.indptr[x + 1]]
    near_y = graph.indices[graph.indptr[y] : graph.indptr[y + 1]]
    nodes = np.union1d(near_x, near_y).astype(np.int64)
    distances = np.zeros((len(nodes), len(nodes)))
    if graph.weights is None:
        _fill_hops(graph.indptr, graph.indices, nodes, scratch, distances)
    else:
        _fill_lengths(graph.indptr, graph.indices, graph.weights, nodes, scratch, distances)
    # Only the rows of x and y are read, so that the others are empty.
    a, b = np.searchsorted(nodes, (x, y))
    degrees = np.zeros(len(nodes) + 1, np.int64)
    degrees[a + 1], degrees[b + 1] = len(near_x), len(near_y)
    rows = (near_x, near_y) if a < b else (near_y, near_x)
    indices = np.searchsorted(nodes, np.concatenate(rows)).astype(np.int32)
    weighted = graph.weights is not None
    return float(edge_curvature(np.cumsum(degrees), indices, distances, weighted, alpha, a, b))


@compiled
def _fill_hops(indptr: Any, indices: Any, nodes: Any, seen: Any, out: Any) -> None:
    """Write the hop counts between nodes, up to three. ``seen`` holds -1 before and after."""
    for i in range(len(nodes)):
        near = indices[indptr[nodes[i]] : indptr[nodes[i] + 1]]
        for node in near:
            seen[node] = i
        for j in range(len(nodes)):
            if j == i:
                continue
            hops = 1.0 if seen[nodes[j]] == i else 3.0
            if hops == 3.0:
                for node in indices[indptr[nodes[j]] : indptr[nodes[j] + 1]]:
                    if seen[node] == i:
                        hops = 2.0
                        break
            out[i, j] = hops
        for node in near:
            seen[node] = -1


@compiled
def _fill_lengths(indptr: Any, indices: Any, weights: Any, nodes: Any, found: Any, out: Any) -> None:
    """Write the lengths of shortest paths between nodes, by Dijkstra's search from each until all are found.

    ``found`` is infinite before and after.
    """
    wanted = np.zeros(len(found), np.bool_)
    for node in nodes:
        wanted[node] = True
    for i in range(len(nodes)):
        left, touched = len(nodes), [nodes[i]]
        found[nodes[i]] = 0.0
        heap = [(0.0, nodes[i])]
        while left > 0 and len(heap) > 0:
            length, node = heappop(heap)
            if length > found[node]:
                continue
            if wanted[node]:
                left -= 1
            for k in range(indptr[node], indptr[node + 1]):
                other, longer = np.int64(indices[k]), length + weights[k]
                if longer < found[other]:
                    if found[other] == np.inf:
                        touched.append(other)
                    found[other] = longer
                    heappush(heap, (longer, other))
        for j in range(len(nodes)):
            out[i, j] = found[nodes[j]]
        for node in touched:
            found[node] = np.inf
