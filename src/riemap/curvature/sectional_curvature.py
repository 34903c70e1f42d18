r"""Discrete sectional curvature: how much triangles of a graph deviate from the parallelogram law.

The curvature at a node ``m``, in the directions of two neighbours ``y`` and ``z``, as seen from ``x``, is

.. math::
    k(m; y, z; x) = \frac1{2d(x, m)}\Bigl(d(x, m)^2 + \frac{d(y, z)^2}4
        - \frac{d(x, y)^2 + d(x, z)^2}2\Bigr),

and :math:`k(m; y, z)` is its mean over all ``x`` [Cruceru2021, app. C; Gu2019, app. C.2]. It is at most zero
on trees, at least zero on cycles, zero on lines and 1/8 on complete graphs. The paper's value of 1/8 holds
for every ``x`` other than ``y`` and ``z``. With ``x = y`` or ``x = z`` the triangle is degenerate, and on a
complete graph the value is 3/8. So these two are excluded from the mean, unless ``ends=True``.

The mean over ``x`` splits into terms that depend on one neighbour each,

.. math:: k(m; y, z) = A_m + B_m\,d(y, z)^2 - Q_m(y) - Q_m(z),

with :math:`A = \overline{d(x,m)}/2`, :math:`B = \overline{1/d(x,m)}/8` and
:math:`Q(y) = \overline{d(x,y)^2/d(x,m)}/4`. After one pass over ``x`` for every edge, each pair of neighbours
needs only one distance.

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021.
[Gu2019] Gu, Sala, Gunel, Ré. Learning mixed-curvature representations in product spaces. ICLR 2019.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from riemap import memory
from riemap.curvature.summary import ProgressCallback, Summary, require_edges
from riemap.distances import DistanceMatrix
from riemap.distances.target import distances_of
from riemap.graphs.graph import Graph
from riemap.loops import task_loop
from riemap.specs import checked_seed, whole_number
from riemap.threads import Part, begin
from riemap.types import Array

Layout: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

LARGEST_NEIGHBOUR_PAIRS = 100_000
"""Default for the largest number of pairs of neighbours per node. A node with more pairs (448 neighbours)
gets this many random ones, so that hubs do not dominate time and memory."""

SECTIONAL_PROGRESS_NODES = 1 << 9
"""Number of nodes between two calls of the progress function: enough to keep all threads busy, few enough
for a smooth progress bar."""


@final
@dataclass(frozen=True, eq=False)
class Sectional:
    """Sectional curvatures at all nodes, in the directions of pairs of their neighbours.

    Parameters
    ----------
    values
        All curvatures, node after node. Those of node ``m`` are ``values[start[m]:start[m + 1]]``.
    start
        ``(n + 1,)``, index of the first value of each node.
    sampled_nodes
        Numbers of the nodes with so many neighbours that their pairs were drawn at random.
    seed
        Seed of the draw.
    """

    values: Array
    start: NDArray[np.int64]
    sampled_nodes: NDArray[np.int64]
    seed: int

    @property
    def node_means(self) -> Array:
        """Mean curvature at each node, ``(n,)``; NaN if a node has only one neighbour."""
        counts = np.diff(self.start)
        sums = np.add.reduceat(np.append(self.values, 0.0), self.start[:-1])
        return np.where(counts > 0, sums, np.nan) / np.maximum(counts, 1)

    def values_at_node(self, m: int) -> Array:
        """Return the curvatures at one node.

        Parameters
        ----------
        m
            Number of the node.

        Returns
        -------
        array
            One value for each pair of neighbours of ``m``; empty if it has only one neighbour.
        """
        return self.values[self.start[m] : self.start[m + 1]]

    @property
    def summary(self) -> Summary | None:
        """Summary statistics over all nodes and pairs; ``None`` if no node has two neighbours."""
        return Summary.from_values(self.values)


def sectional(
    graph: Graph,
    *,
    pairs: int = LARGEST_NEIGHBOUR_PAIRS,
    ends: bool = False,
    seed: int = 0,
    progress: ProgressCallback | None = None,
    distances: DistanceMatrix | None = None,
) -> Sectional:
    """Sectional curvature at every node, averaged over all other nodes as reference points.

    Parameters
    ----------
    graph, distances
        A graph with or without edge lengths, and its :func:`shortest_paths` if they are known already.
    pairs
        Largest number of pairs of neighbours per node; a node with more gets this many random ones.
    ends
        Whether the neighbours ``y`` and ``z`` are reference points too; with three nodes they always are.
    seed
        Seed for drawing pairs, with replacement. The result does not depend on the number of threads.
    progress
        Function that is called with the fraction of the nodes that are done.

    Returns
    -------
    Sectional
        The curvatures at every node.

    Raises
    ------
    InputError
        If ``pairs`` or ``seed`` is out of range, or ``graph`` is a matrix of dissimilarities.

    Examples
    --------
    >>> sectional(Graph.from_edges([(0, 1), (1, 2), (1, 3)])).values.tolist()
    [-1.0, -1.0, -1.0]
    """
    require_edges(graph, "sectional curvature")
    pairs, seed = whole_number("pairs", pairs, 1, LARGEST_NEIGHBOUR_PAIRS), checked_seed(seed)
    ends = bool(ends) or graph.n < 4  # with three nodes there is no other reference point
    distances = distances_of(graph, distances)
    layout, sampled_nodes = _layout(graph, pairs, seed)
    values = np.empty(layout[0][-1])
    for last in _fill(graph, distances, ends, layout, values):
        if progress is not None:
            progress(last / graph.n)
    return Sectional(values, layout[0], sampled_nodes, seed)


def _fill(graph: Graph, distances: NDArray[Any], ends: bool, layout: Layout, values: Array) -> Iterator[int]:
    """Write all curvatures to ``values``, some nodes at a time; yield the number of nodes done so far."""
    for first in range(0, graph.n, SECTIONAL_PROGRESS_NODES):
        last = min(first + SECTIONAL_PROGRESS_NODES, graph.n)
        _curvatures(graph.indptr, graph.indices, distances, ends, (first, last), layout, values)
        yield last


def _layout(graph: Graph, pairs: int, seed: int) -> tuple[Layout, NDArray[np.int64]]:
    """Decide which pairs of neighbours each node gets, and where their values are stored.

    Returns three arrays for the kernel, and the sampled nodes. The arrays are: the index of the first value
    of each node; the index of the first drawn pair of each node, or -1 if it has all pairs; the drawn pairs.
    """
    degrees = graph.degrees
    all_pairs = degrees * (degrees - 1) // 2
    start = np.concatenate([[0], np.cumsum(np.minimum(all_pairs, pairs))])
    memory.require(
        8 * int(start[-1]),
        f"the sectional curvatures of {graph.name}",
        f"draw fewer pairs, e.g. {pairs // 10 or 1}",
    )
    sampled = np.flatnonzero(all_pairs > pairs)
    draws = [np.random.default_rng([seed, int(m)]).integers(all_pairs[m], size=pairs) for m in sampled]
    chosen = np.concatenate([np.zeros(0, np.int64), *draws])
    place = np.full(graph.n, -1)
    place[sampled] = pairs * np.arange(len(sampled))
    return (start, place, chosen), sampled


def _curvatures(
    indptr: Any, indices: Any, distances: Any, ends: Any, nodes: Any, layout: Any, values: Any
) -> None:
    """Write the curvatures at the nodes of a range to ``values``, with one node per parallel iteration."""
    _curvatures_rows(nodes[1] - nodes[0], indptr, indices, distances, ends, nodes, layout, values)


@task_loop
def _curvatures_rows(
    part: Part, indptr: Any, indices: Any, distances: Any, ends: Any, nodes: Any, layout: Any, values: Any
) -> None:
    offsets, place, chosen = layout
    n = len(indptr) - 1
    inverse = np.empty(n)
    start, stop = begin(part)
    for t in range(start, stop):
        m = np.int64(t) + nodes[0]
        near = indices[indptr[m] : indptr[m + 1]]
        if len(near) < 2:
            continue
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
        for p in range(offsets[m + 1] - offsets[m]):
            i, j = _pair(p if place[m] < 0 else chosen[place[m] + p])
            y, z = near[i], near[j]
            across = np.float64(distances[y, z]) ** 2
            total, count = a / 2.0 + b * across / 8.0 - (q[i] + q[j]) / 4.0, n - 1
            if not ends:
                to_y, to_z = np.float64(distances[m, y]), np.float64(distances[m, z])
                total -= (to_y + to_z) / 2.0 - across * (1.0 / to_y + 1.0 / to_z) / 8.0
                count = n - 3
            values[offsets[m] + p] = total / count


@njit(inline="always")
def _pair(p: Any) -> Any:
    """Pair number ``p`` in the order (1, 0), (2, 0), (2, 1), (3, 0), …; exact while ``8 p`` is below 2⁵³."""
    i = np.int64((1.0 + np.sqrt(1.0 + 8.0 * p)) / 2.0)
    return i, p - i * (i - 1) // 2
