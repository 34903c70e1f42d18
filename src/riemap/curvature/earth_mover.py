"""Exact optimal transport between two small measures, by a primal-dual method.

POT's network simplex is also exact. This version is compiled into the loop over the edges of a graph and
stops early: if all costs are one, two or three, after two rounds. ``benchmarks/curvature.py`` measures both.
"""

from typing import Any

import numpy as np

from riemap.loops import compiled

DUST = 1e-9
"""Mass up to which a node counts as empty. Most masses are whole numbers, so this only absorbs rounding
errors."""

SAME = 1e-12
"""Relative difference, as a fraction of the largest cost, up to which two path lengths count as equal. It is
well above the rounding errors of sums of a few costs."""


@compiled
def transport(supply: Any, demand: Any, cost: Any) -> Any:
    """Minimal cost of moving ``supply`` to ``demand``, two vectors with equal sums; both are overwritten.

    Mass moves along shortest paths in the residual network. One round sends all the mass that can move along
    paths of the current length, by a search from every source that has mass left. If a round sends nothing,
    the potentials ``u`` and ``v`` grow by the smallest amount that opens a longer path. A direct path always
    exists, so no path is longer than the largest cost, which is three between neighbours of adjacent nodes.

    Parameters
    ----------
    supply
        ``(s,)``, mass at each source.
    demand
        ``(t,)``, mass that each sink needs.
    cost
        ``(s, t)``, cost of moving one unit of mass from a source to a sink.

    Returns
    -------
    float
        The minimal total cost.
    """
    if len(supply) == 0 or len(demand) == 0:
        return 0.0
    flow = np.zeros((len(demand), len(supply)))  # one row per sink, as searches read it by sink
    u, v = np.zeros(len(supply)), np.full(len(demand), float(cost.min()))
    length, dearest = float(cost.min()), float(cost.max())
    left, total = min(supply.sum(), demand.sum()), 0.0
    while left > DUST and length < dearest:
        sent, root, by = _search(supply, demand, cost, flow, u, v, SAME * dearest)
        total += sent * length
        left -= sent
        if sent == 0.0:
            step = _step(cost, u, v, root, by)
            if step == np.inf:  # only negligible masses are left, at several sources
                break
            length += step
    return total + left * length


@compiled
def _step(cost: Any, u: Any, v: Any, root: Any, by: Any) -> Any:
    """Raise the potentials of unreached nodes until a search reaches more of them; return the increase."""
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


@compiled
def _search(supply: Any, demand: Any, cost: Any, flow: Any, u: Any, v: Any, none: Any) -> Any:
    """Send as much mass as one search can along edges whose reduced cost is zero.

    Returns the mass sent, the root of each source, and the source that each sink was reached from. The last
    two are -1 if the node was not reached.
    """
    into = np.full(len(supply), -1)  # the sink that each source was reached from
    by = np.full(len(demand), -1)  # the source that each sink was reached from
    root = np.full(len(supply), -1)  # the source with mass left where the search began
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
        while k < count:  # the root has no mass left
            unseen[kept] = unseen[k]
            kept += 1
            k += 1
        count = kept
    return sent, root, by


@compiled
def _send(i: Any, j: Any, supply: Any, demand: Any, flow: Any, into: Any, by: Any, root: Any) -> Any:
    """Send as much mass as possible along the path found to source ``i`` and then to sink ``j``."""
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
