r"""Discrete sectional curvature: how far triangles of a graph deviate from the parallelogram law.

At a node ``m``, in the directions of two of its neighbours ``y`` and ``z``, as seen from ``x``,

.. math::
    k(m; y, z; x) = \frac1{2d(x, m)}\Bigl(d(x, m)^2 + \frac{d(y, z)^2}4
        - \frac{d(x, y)^2 + d(x, z)^2}2\Bigr),

and :math:`k(m; y, z)` is its mean over all ``x`` [Cruceru2020, app. C; Gu2019, app. C.2]. It is at most zero
on trees, at least zero on cycles, zero on lines and 1/8 on complete graphs. The last of these, which the
paper states, holds of every ``x`` other than ``y`` and ``z``, whose triangles are none; on a complete graph
those two give 3/8. So they are left out of the mean, unless asked for (``ends=True``).

The mean over ``x`` splits into terms of one neighbour each,

.. math:: k(m; y, z) = A_m + B_m\,d(y, z)^2 - Q_m(y) - Q_m(z),

with :math:`A = \overline{d(x,m)}/2`, :math:`B = \overline{1/d(x,m)}/8` and
:math:`Q(y) = \overline{d(x,y)^2/d(x,m)}/4`. After one pass over ``x`` for every edge, a pair costs no more
than a look at its distance.

References
----------
[Cruceru2020] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. 2020.
[Gu2019] Gu, Sala, Gunel, Ré. Learning mixed-curvature representations in product spaces. ICLR 2019.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from riemap.curvature.summary import Progress, Summary, checked_count, need_edges
from riemap.distances import DistanceMatrix, memory, shortest_paths
from riemap.graphs.graph import Graph
from riemap.types import Array
from riemap.vmath import pair_loop

PAIRS = 100_000
"""Pairs of neighbours that are all looked at; of more, as many are drawn."""

BLOCK = 1 << 9
"""Nodes between two reports of progress."""


@final
@dataclass(frozen=True, eq=False)
class Sectional:
    """Curvatures at all nodes, in the directions of all pairs of their neighbours, or of some drawn.

    Parameters
    ----------
    values
        Curvatures, node after node: those of node ``m`` are ``values[start[m]:start[m + 1]]``.
    start
        ``(n + 1,)``.
    drawn
        Nodes with so many neighbours that only some of their pairs were drawn.
    seed
        With which.
    """

    values: Array
    start: NDArray[np.int64]
    drawn: NDArray[np.int64]
    seed: int

    @property
    def nodes(self) -> Array:
        """Mean at each node; NaN where it has only one neighbour."""
        counts = np.diff(self.start)
        sums = np.add.reduceat(np.append(self.values, 0.0), self.start[:-1])
        return np.where(counts > 0, sums, np.nan) / np.maximum(counts, 1)

    def at(self, m: int) -> Array:
        """The distribution at node ``m``."""
        return self.values[self.start[m] : self.start[m + 1]]

    @property
    def summary(self) -> Summary | None:
        """The distribution over all nodes and pairs; ``None`` if no node has two neighbours."""
        return Summary.of(self.values)


def sectional(
    graph: Graph,
    *,
    pairs: int = PAIRS,
    ends: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
    distances: DistanceMatrix | None = None,
) -> Sectional:
    """Sectional curvature at every node, averaged over all others as references.

    Parameters
    ----------
    graph
        With lengths or without.
    pairs
        Most pairs of neighbours of one node; where it has more, as many are drawn, with replacement.
    ends
        Whether ``y`` and ``z`` are among the references; of three nodes there are no others.
    seed
        For the pairs that are drawn; the same seed gives the same numbers, whatever the number of threads.
    progress
        Is told the share of the nodes that are done.
    distances
        Distances between all nodes, if they are known already; computed otherwise.

    Examples
    --------
    >>> sectional(Graph.from_edges([(0, 1), (1, 2), (1, 3)])).values.tolist()
    [-1.0, -1.0, -1.0]
    """
    need_edges(graph, "sectional curvature")
    pairs, seed = checked_count("pairs", pairs, 1, PAIRS), checked_count("seed", seed, 0, 0)
    ends = bool(ends) or graph.n < 4  # without them there may be no other
    degrees = graph.degrees
    distances = np.asarray(shortest_paths(graph) if distances is None else distances)
    all_pairs = degrees * (degrees - 1) // 2
    start = np.concatenate([[0], np.cumsum(np.minimum(all_pairs, pairs))])
    drawn = np.flatnonzero(all_pairs > pairs)
    draws = [np.random.default_rng([seed, int(m)]).integers(all_pairs[m], size=pairs) for m in drawn]
    chosen = np.concatenate([np.zeros(0, np.int64), *draws])
    place = np.full(graph.n, -1)
    place[drawn] = pairs * np.arange(len(drawn))
    memory.require(
        8 * int(start[-1]),
        f"the sectional curvatures of {graph.name}",
        f"draw fewer pairs, e.g. {pairs // 10 or 1}",
    )
    values = np.empty(start[-1])
    for first in range(0, graph.n, BLOCK):
        last = min(first + BLOCK, graph.n)
        _curvatures(
            graph.indptr, graph.indices, distances, ends, (first, last), (start, place, chosen), values
        )
        if progress is not None:
            progress(last / graph.n)
    return Sectional(values, start, drawn, seed)


@pair_loop
def _curvatures(
    indptr: Any, indices: Any, distances: Any, ends: Any, nodes: Any, layout: Any, values: Any
) -> None:
    """Curvatures at the nodes of a range, one node a thread."""
    start, place, chosen = layout
    n = len(indptr) - 1
    for t in prange(nodes[1] - nodes[0]):
        m = np.int64(t) + nodes[0]
        near = indices[indptr[m] : indptr[m + 1]]
        if len(near) < 2:
            continue
        inverse = np.empty(n)
        for x in range(n):
            inverse[x] = 1.0 / distances[m, x]
        inverse[m] = 0.0
        a, b = 0.0, 0.0
        for x in range(n):
            a += distances[m, x]
            b += inverse[x]
        q = np.empty(len(near))
        for k in range(len(near)):
            row, total = distances[near[k]], 0.0
            for x in range(n):
                d = np.float64(row[x])
                total += d * d * inverse[x]
            q[k] = total
        for p in range(start[m + 1] - start[m]):
            i, j = _pair(p if place[m] < 0 else chosen[place[m] + p])
            y, z = near[i], near[j]
            across = np.float64(distances[y, z]) ** 2
            total, count = a / 2.0 + b * across / 8.0 - (q[i] + q[j]) / 4.0, n - 1
            if not ends:
                to_y, to_z = np.float64(distances[m, y]), np.float64(distances[m, z])
                total -= (to_y + to_z) / 2.0 - across * (1.0 / to_y + 1.0 / to_z) / 8.0
                count = n - 3
            values[start[m] + p] = total / count


@njit(cache=True, inline="always")
def _pair(p: Any) -> Any:
    """Pair number ``p`` of (1, 0), (2, 0), (2, 1), (3, 0) and so on; right as long as 8p is below 2⁵³."""
    i = np.int64((1.0 + np.sqrt(1.0 + 8.0 * p)) / 2.0)
    return i, p - i * (i - 1) // 2
