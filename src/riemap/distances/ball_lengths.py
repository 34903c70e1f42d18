"""Exact lengths of weighted paths between all nodes of a ball."""

from typing import Any

import numpy as np

from riemap.compiling import for_loops_only
from riemap.distances.ball_hops import grow_ball
from riemap.distances.heap_search import rise, sink
from riemap.loops import exact_loop
from riemap.threads import Part, begin


@exact_loop
def weighted_ball_rows(
    part: Part, arcs: Any, centres: Any, draws: Any, limits: Any, nodes: Any, lengths: Any
) -> None:
    """Find the nodes of some balls, and compute the lengths between them.

    A ball has the nodes that a search by hops finds first. From each of them, Dijkstra's search goes on until
    all nodes of the ball are settled. Arguments are as of :func:`riemap.distances.ball_hops.ball_rows`.
    """
    indptr, indices, _ = arcs
    n, size, most = len(indptr) - 1, limits[0], limits[1]
    slot, known = np.full(n, -1, np.int32), np.full(n, np.inf)
    keys, heap, touched = (
        np.empty(len(indices) + 1),
        np.empty(len(indices) + 1, np.int32),
        np.empty(n, np.int32),
    )
    start, stop = begin(part)
    for b in range(start, stop):
        count = grow_ball(indptr, indices, centres[b], draws[b], size, most, slot, nodes[b])
        lengths[b] = 0.0
        for k in range(count):
            _settle(arcs, nodes[b, k], count, slot, known, keys, heap, touched, lengths[b, k])
        for k in range(count):
            slot[nodes[b, k]] = -1
        for i in range(count):  # both directions sum the weights in different orders
            for j in range(i):
                least = min(lengths[b, i, j], lengths[b, j, i])
                lengths[b, i, j] = lengths[b, j, i] = least


@for_loops_only()
def _settle(
    arcs: Any, source: Any, left: Any, slot: Any, known: Any, keys: Any, heap: Any, touched: Any, row: Any
) -> None:
    """Search from one node until the whole ball is settled; ``known`` is infinite before and after."""
    indptr, indices, weights = arcs
    keys[0], heap[0], known[source], touched[0] = 0.0, source, 0.0, source
    size, count = 1, 1
    while left > 0:
        u, length = heap[0], keys[0]
        size -= 1
        sink(keys, heap, size)
        if length > known[u]:
            continue
        if slot[u] >= 0:
            row[slot[u]] = length
            left -= 1
        for e in range(indptr[u], indptr[u + 1]):
            v, longer = indices[e], length + weights[e]
            if longer < known[v]:
                if known[v] == np.inf:
                    touched[count] = v
                    count += 1
                known[v] = longer
                rise(keys, heap, size, longer, v)
                size += 1
    for k in range(count):
        known[touched[k]] = np.inf
