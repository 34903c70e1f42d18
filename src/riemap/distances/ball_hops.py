r"""Exact hop counts between all nodes of a ball, found by looking at the graph around the ball only.

Each node near the ball has the set of ball nodes whose search reached it, as bits. Let :math:`R_t(x)` be the
ball nodes within ``t`` hops of ``x``. Two nodes of the ball are at most ``s`` hops apart if and only if

* ``s = 2t``: both are in :math:`R_t(x)` for some ``x``;
* ``s = 2t - 1``: one is in :math:`R_{t-1}(x)` and the other in :math:`R_{t-1}(y)` for some edge ``(x, y)``.

So searches from both ends meet in the middle, and the nodes near the ball are reached in half as many steps.
Before each step, pairs whose distance already follows are noted: a pair that is not within ``s - 1`` hops,
but is connected by ``s`` hops over a third node of the ball, is ``s`` hops apart. The search ends when no
pair is left, which in a graph with hubs is mostly before it has to walk through their neighbours.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from riemap.compiling import for_loops_only
from riemap.loops import exact_loop
from riemap.threads import Part, begin


def _typed_lowest(typing: Any, bits: Any) -> Any:
    """Return the number of the lowest bit that is set; at least one is."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), lower


REACH, FRONT, NEW = range(3)
"""Bits of a node near the ball: the searches that have reached it, those that did so in the last step, and
those that do so in this step."""

_compiled: Any = intrinsic
_lowest: Any = _compiled(_typed_lowest)


@exact_loop
def ball_rows(
    part: Part, indptr: Any, indices: Any, centres: Any, draws: Any, limits: Any, nodes: Any, hops: Any
) -> None:
    """Find the nodes of some balls, and count the hops between them.

    ``draws`` has one random number a ball. ``limits`` are the most nodes of a ball, at most 256, and the most
    neighbours of a node that are looked at when a ball grows. ``nodes`` receives the node numbers, and -1
    where a ball has fewer nodes; ``hops`` the counts.
    """
    n, size, most = len(indptr) - 1, limits[0], limits[1]
    words = (size + 63) // 64
    slot = np.full(n, -1, np.int32)  # place of each node near the ball in the arrays below; -1 is none
    near, bits = np.empty(n, np.int32), np.zeros((64 * size, 3, words), np.uint64)
    start, stop = begin(part)
    for b in range(start, stop):
        count = grow_ball(indptr, indices, centres[b], draws[b], size, most, slot, nodes[b])
        for k in range(count):
            near[k] = nodes[b, k]
            bits[k] = 0
            bits[k, REACH, k >> 6] = bits[k, FRONT, k >> 6] = np.uint64(1) << np.uint64(k & 63)
        touched, bits = _count_hops(indptr, indices, slot, near, bits, count, hops[b])
        for k in range(touched):
            slot[near[k]] = -1


@for_loops_only()
def grow_ball(
    indptr: Any, indices: Any, centre: Any, draw: Any, size: Any, most: Any, slot: Any, nodes: Any
) -> Any:
    """Write the nodes of a ball in the order of a search from its centre; return how many there are.

    Neighbours are read from a random one on, round about. Of a node with more than ``most`` neighbours, so
    many are taken at equal steps.
    """
    nodes[:] = -1
    nodes[0], slot[centre] = centre, 0
    count, state = 1, np.uint64(draw)
    for k in range(size):
        if k == count or count == size:
            break
        u = nodes[k]
        first, degree = indptr[u], indptr[u + 1] - indptr[u]
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        offset = np.int64((state >> np.uint64(33)) % np.uint64(degree))
        taken = min(degree, most)
        for i in range(taken):
            place = offset + i * degree // taken
            v = indices[first + (place if place < degree else place - degree)]
            if slot[v] < 0 and count < size:
                nodes[count], slot[v] = v, count
                count += 1
    return count


@for_loops_only()
def _count_hops(indptr: Any, indices: Any, slot: Any, near: Any, bits: Any, count: Any, hops: Any) -> Any:
    """Fill the hop counts of one ball; return how many nodes were touched, and the array of their bits."""
    words, touched = bits.shape[2], count
    levels = np.zeros((3, count, words), np.uint64)  # within s - 2, s - 1 and s hops
    need = np.zeros(words, np.uint64)
    for k in range(count):
        levels[2, k] = bits[k, REACH]
        need |= bits[k, REACH]
    hops[:] = 0
    left, s = count * (count - 1), 0
    while left > 0:
        s += 1
        levels[0], levels[1] = levels[1], levels[2]
        _add_implied(levels, hops, count, s)
        left -= _note(levels, need, count, s, hops)
        if left > 0 and s & 1:
            _meet_on_edges(indptr, indices, slot, near, bits, touched, need, levels[2])
            left -= _note(levels, need, count, s, hops)
        elif left > 0:
            touched, bits = _push(indptr, indices, slot, near, bits, touched, need)
            _meet_at_nodes(bits, touched, need, levels[2])
            left -= _note(levels, need, count, s, hops)
    return touched, bits


@for_loops_only()
def _add_implied(levels: Any, hops: Any, count: Any, s: Any) -> None:
    """Add the pairs that are ``s`` hops apart over a third node of the ball, at most two from one of them."""
    words = levels.shape[2]
    for u in range(count):
        for w in range(count):
            near = hops[u, w]
            if (near == 1 or near == 2) and near < s:
                for k in range(words):
                    levels[2, u, k] |= levels[2 - near, w, k]


@for_loops_only()
def _note(levels: Any, need: Any, count: Any, s: Any, hops: Any) -> Any:
    """Write the counts of new pairs, and find out which nodes still miss some; return how many are new."""
    words, new = levels.shape[2], 0
    v: Any
    for u in range(count):
        for k in range(words):
            bits = levels[2, u, k] & ~levels[1, u, k]
            while bits:
                v = 64 * k + np.int64(_lowest(bits))
                if hops[u, v] == 0:
                    hops[u, v] = hops[v, u] = s
                    levels[2, v, u >> 6] |= np.uint64(1) << np.uint64(u & 63)
                    new += 2
                bits &= bits - np.uint64(1)
    need[:] = 0
    for u in range(count):
        for v in range(count):
            if hops[u, v] == 0 and u != v:
                need[u >> 6] |= np.uint64(1) << np.uint64(u & 63)
                break
    return new


@for_loops_only()
def _meet_on_edges(
    indptr: Any, indices: Any, slot: Any, near: Any, bits: Any, touched: Any, need: Any, within: Any
) -> None:
    """Add the pairs whose searches meet on an edge."""
    words = len(need)
    for x in range(touched):
        if not _any(bits[x, FRONT], need):
            continue
        for e in range(indptr[near[x]], indptr[near[x] + 1]):
            y = slot[indices[e]]
            if y >= 0 and _any(bits[y, FRONT], need):
                for k in range(words):
                    ends = bits[x, FRONT, k] & need[k]
                    while ends:
                        u = 64 * k + np.int64(_lowest(ends))
                        for w in range(words):
                            within[u, w] |= bits[y, FRONT, w] & need[w]
                        ends &= ends - np.uint64(1)


@for_loops_only()
def _meet_at_nodes(bits: Any, touched: Any, need: Any, within: Any) -> None:
    """Add the pairs whose searches meet at a node."""
    words = len(need)
    for x in range(touched):
        for k in range(words):
            ends = bits[x, FRONT, k] & need[k]
            while ends:
                u = 64 * k + np.int64(_lowest(ends))
                for w in range(words):
                    within[u, w] |= bits[x, FRONT, w] & need[w]
                ends &= ends - np.uint64(1)


@for_loops_only(forceinline=True)
def _any(front: Any, need: Any) -> Any:
    """Whether one of the searches that are still needed is in the front of a node."""
    some = np.uint64(0)
    for k in range(len(need)):
        some |= front[k] & need[k]
    return some != 0


@for_loops_only()
def _push(indptr: Any, indices: Any, slot: Any, near: Any, bits: Any, touched: Any, need: Any) -> Any:
    """Move all searches that are still needed by one hop."""
    words, before = len(need), touched
    for x in range(before):
        if not _any(bits[x, FRONT], need):
            continue
        for e in range(indptr[near[x]], indptr[near[x] + 1]):
            v = indices[e]
            y = slot[v]
            if y < 0:
                if touched == len(bits):
                    larger = np.empty((2 * touched, 3, words), np.uint64)
                    larger[:touched] = bits
                    bits = larger
                y = touched
                slot[v], near[touched], bits[touched] = y, v, 0
                touched += 1
            for k in range(words):
                bits[y, NEW, k] |= bits[x, FRONT, k] & need[k] & ~bits[y, REACH, k]
    for y in range(touched):
        for k in range(words):
            bits[y, FRONT, k] = bits[y, NEW, k]
            bits[y, REACH, k] |= bits[y, NEW, k]
            bits[y, NEW, k] = 0
    return touched, bits
