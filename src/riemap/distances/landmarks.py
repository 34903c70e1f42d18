"""Landmarks: some nodes of a large graph, and the exact distances from all nodes to them."""

import logging
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from riemap import memory
from riemap.distances import store
from riemap.distances.heap_search import source_lengths
from riemap.distances.landmark_hops import Told, nothing_told, source_columns
from riemap.distances.store import Landmarked
from riemap.errors import InputError
from riemap.graphs.graph import Graph
from riemap.specs import checked_seed, expect, whole_number

Search: TypeAlias = Callable[[Graph, NDArray[np.int64], Told], NDArray[Any]]
"""A function that computes distances as :func:`columns_from` does."""

TOGETHER = 512
"""Number of landmarks from which a search starts at once: as many as the bits of the words of a node."""

LEAST_PART_BYTES = 1 << 26
"""Smallest size of a part that is stored by itself, 64 MB. It takes seconds to compute."""

_LOGGER = logging.getLogger(__name__)


@final
class Landmarks:
    """Some nodes, and the distances from all nodes to them; :meth:`of` chooses the nodes.

    Parameters
    ----------
    columns
        ``(n, k)`` distances: hop counts in the smallest sufficient unsigned type, or float32 lengths. Each
        column has one zero, at its landmark.

    Examples
    --------
    >>> found = Landmarks.of(Graph.from_edges([(0, 1), (1, 2)]), 2)
    >>> found.nodes.tolist(), found.columns.tolist()
    ([0, 2], [[0, 2], [1, 1], [2, 0]])
    """

    def __init__(self, columns: NDArray[Any]) -> None:
        self.columns = columns

    @cached_property
    def nodes(self) -> NDArray[np.int64]:
        """The landmarks' node numbers, in increasing order."""
        rows = np.flatnonzero(self.columns.min(axis=1) == 0)  # argmin of all rows takes 2 s for 200,000 nodes
        return rows[np.argmin(self.columns[rows], axis=0)]

    @cached_property
    def maximum(self) -> float:
        """The largest of these distances: at least half of the largest in the graph, mostly equal to it."""
        return float(self.columns.max())

    @classmethod
    def of(
        cls,
        graph: Graph,
        count: int,
        seed: int = 0,
        *,
        stored: bool = True,
        told: Told = nothing_told,
        search: Search | None = None,
        together: int = TOGETHER,
    ) -> "Landmarks":
        """Choose landmarks, and compute the distances to them.

        Two are the ends of a long shortest path, found by a search from the node with the most neighbours
        and one from the node farthest from it, so that the largest distance to a landmark is nearly the
        largest in the graph. The others are drawn at random, since the scores of an embedding are means over
        all pairs of nodes. Where a tenth were hubs and the others drawn by their distance from those drawn
        before, the distortion in H3 was 15 % larger on power and 5 % on grqc (512 landmarks, one seed).

        Parameters
        ----------
        graph
            A connected graph.
        count
            Number of landmarks; all nodes if there are fewer.
        seed
            Seed of the draw. The landmarks depend on the graph, the number and the seed alone.
        stored
            Read the distances from the user's cache, and write them to it.
        told
            Is told which share of the distances is computed.
        search
            Computes the distances instead of :func:`columns_from`, such as on several machines.
        together
            Number of landmarks that it is given at once. In a large graph with more landmarks, the distances
            to so many are stored as soon as they are computed, so that a process that is killed can be
            started again.

        Returns
        -------
        Landmarks
            The landmarks.

        Raises
        ------
        InputError
            If the graph is not connected.
        MemoryError
            If the distances do not fit into memory.
        """
        expect(graph, Graph, "a graph", "it is read by read_graph, load_dataset or as_graph")
        if graph.component_numbers[0] > 1:
            raise InputError(
                f"{graph.name} has {graph.component_numbers[0]} components, and landmarks need a connected "
                "graph; take its largest component, which is the default when a graph is read"
            )
        seed = checked_seed(seed)
        count = min(whole_number("count", count, 1, 512, "number of landmarks"), graph.n)
        which = Landmarked(count, seed)
        found = store.load(graph, which) if stored else None
        if found is not None:
            store.remove_parts(graph, which)  # which a killed process may have left
            return cls(found)
        memory.require(
            count * graph.n * (1 if graph.weights is None else 4),
            f"the distances from {graph.n} nodes of {graph.name} to {count} landmarks",
            "take a smaller graph, or a machine with more memory",
        )
        _LOGGER.info("%s: computing the distances to %d landmarks", graph.name, count)
        nodes, compute = landmark_nodes(graph, count, seed), search or columns_from
        if not stored or count <= together or graph.n * together < LEAST_PART_BYTES:
            columns = compute(graph, nodes, told)
        else:
            columns = _computed_by_parts(graph, nodes, which, compute, together, told)
        columns.flags.writeable = False
        if not stored:
            return cls(columns)
        kept = store.save(graph, columns, which)
        store.remove_parts(graph, which)
        return cls(kept)


def _computed_by_parts(
    graph: Graph, nodes: NDArray[np.int64], which: Landmarked, compute: Search, together: int, told: Told
) -> NDArray[Any]:
    """Compute the distances to so many landmarks at a time, but for those that an earlier process stored."""
    found = []
    for part in _parts(len(nodes), together):
        columns = store.load(graph, which._replace(part=part))
        if columns is None:
            columns = compute(graph, nodes[part.start : part.stop], nothing_told)
            columns = store.save(graph, columns, which._replace(part=part))
        found.append(columns)
        told(part.stop / len(nodes))
        _LOGGER.info("%s: distances to %d of %d landmarks", graph.name, part.stop, len(nodes))
    return np.concatenate(found, axis=1)


def _parts(count: int, together: int) -> list[range]:
    return [range(first, min(first + together, count)) for first in range(0, count, together)]


def landmark_nodes(graph: Graph, count: int, seed: int) -> NDArray[np.int64]:
    """Choose landmarks as :meth:`Landmarks.of` says.

    Parameters
    ----------
    graph, count, seed
        The graph, the number of landmarks, and the seed of the draw.

    Returns
    -------
    NDArray[np.int64]
        Node numbers, in increasing order.
    """
    hub = np.array([np.argmax(graph.degrees)])
    one = np.argmax(columns_from(graph, hub), axis=0)
    other = np.argmax(columns_from(graph, one), axis=0)
    drawn = np.concatenate([one, other, np.random.default_rng(seed).permutation(graph.n)])
    _, first = np.unique(drawn, return_index=True)
    return np.sort(drawn[np.sort(first)[:count]])


def columns_from(graph: Graph, sources: NDArray[np.int64], told: Told = nothing_told) -> NDArray[Any]:
    """Compute the distances from all nodes to some sources.

    Parameters
    ----------
    graph
        A connected graph.
    sources
        Node numbers.
    told
        Is told which share of the sources is done.

    Returns
    -------
    NDArray
        ``(n, len(sources))`` hop counts, or float32 lengths.

    Examples
    --------
    >>> columns_from(Graph.from_edges([(0, 1), (1, 2)]), np.array([0])).tolist()
    [[0], [1], [2]]
    """
    if graph.weights is None:
        return source_columns(graph, sources, told)
    return source_lengths(graph, sources, told)
