"""Optimal transport between two small measures, exactly, by a primal-dual method.

POT's network simplex does the same and is as exact; ours is compiled into the loop over the edges of a graph,
and knows when to stop: where costs are one, two or three, after two rounds. ``benchmarks/curvature.py``
measures both.
"""

from typing import Any

import numpy as np
from numba import njit

DUST = 1e-9
"""Mass that counts as none; most masses are whole numbers."""

SAME = 1e-12
"""Difference of two lengths, in shares of the longest, that is rounding error."""


@njit(cache=True, error_model="numpy")
def transport(supply: Any, demand: Any, cost: Any) -> Any:
    """Least cost of carrying ``supply`` to ``demand``, two vectors of equal sums.

    Mass goes along shortest paths in the network of what can still be carried or sent back. All that go at
    one length go together, found by searches from every source that has some left; when none is left of
    that length, potentials ``u``, ``v`` grow by the least that makes a longer one. A direct way always
    exists, so no path is longer than the dearest of them: between neighbours of two adjacent nodes, three.
    """
    if len(supply) == 0 or len(demand) == 0:
        return 0.0
    flow = np.zeros((len(demand), len(supply)))  # sinks first: a search looks back from them
    u, v = np.zeros(len(supply)), np.full(len(demand), float(cost.min()))
    length, dearest = float(cost.min()), float(cost.max())
    left, total = min(supply.sum(), demand.sum()), 0.0
    while left > DUST and length < dearest:
        sent, root, by = _search(supply, demand, cost, flow, u, v, SAME * dearest)
        total += sent * length
        left -= sent
        if sent == 0.0:
            step = _step(cost, u, v, root, by)
            if step == np.inf:  # what is left is dust, at several sources
                break
            length += step
    return total + left * length


@njit(cache=True, error_model="numpy")
def _step(cost: Any, u: Any, v: Any, root: Any, by: Any) -> Any:
    """Raise the potentials of what a search did not reach until it reaches more; by how much."""
    step = np.inf
    for i in range(len(u)):
        if root[i] >= 0:
            for j in range(len(v)):
                if by[j] < 0:
                    step = min(step, cost[i, j] + u[i] - v[j])
    if step < np.inf:
        for i in range(len(u)):
            if root[i] < 0:
                u[i] += step
        for j in range(len(v)):
            if by[j] < 0:
                v[j] += step
    return step


@njit(cache=True, error_model="numpy")
def _search(supply: Any, demand: Any, cost: Any, flow: Any, u: Any, v: Any, none: Any) -> Any:
    """Send what can be sent along tight ways in one search.

    How much, and from where every source and sink was reached; -1 where it was not.
    """
    into = np.full(len(supply), -1)  # the sink from which a source was reached
    by = np.full(len(demand), -1)  # the source from which a sink was
    root = np.full(len(supply), -1)  # the source with some left that a search to it began at
    queue = np.empty(len(supply), np.int64)
    tail, sent = 0, 0.0
    for i in range(len(supply)):
        if supply[i] > DUST:
            queue[tail], root[i] = i, i
            tail += 1
    unseen = np.arange(len(demand))
    head, count = 0, len(demand)
    while head < tail and count > 0:
        i = queue[head]
        head += 1
        kept, k = 0, 0
        while k < count and supply[root[i]] > DUST:
            j = unseen[k]
            k += 1
            if cost[i, j] + u[i] - v[j] > none:
                unseen[kept] = j
                kept += 1
                continue
            by[j] = i
            if demand[j] > DUST:
                sent += _send(i, j, supply, demand, flow, into, by, root[i])
            else:
                for s in range(len(supply)):
                    if root[s] < 0 and flow[j, s] > DUST:
                        into[s], root[s], queue[tail] = j, root[i], s
                        tail += 1
        while k < count:  # this source has nothing left
            unseen[kept] = unseen[k]
            kept += 1
            k += 1
        count = kept
    return sent, root, by


@njit(cache=True, error_model="numpy")
def _send(i: Any, j: Any, supply: Any, demand: Any, flow: Any, into: Any, by: Any, root: Any) -> Any:
    """Send what fits along the way that a search found to source ``i`` and on to sink ``j``."""
    amount, s = min(demand[j], supply[root]), i
    while into[s] >= 0:
        amount = min(amount, flow[into[s], s])
        s = by[into[s]]
    if amount <= DUST:
        return 0.0
    flow[j, i] += amount
    s = i
    while into[s] >= 0:
        t = into[s]
        flow[t, s] -= amount
        s = by[t]
        flow[t, s] += amount
    supply[root] -= amount
    demand[j] -= amount
    return amount
