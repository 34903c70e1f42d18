"""What is held out of the loss: some nodes, and how the others are used to place and to score them.

For each seed, a tenth of the nodes is held out. The others, or as many of them as a trial embeds, are the
*known* nodes, which are embedded by themselves. Half of these are *anchors*: a held-out node is placed by its
distances to them alone. The score is over the remaining pairs of a held-out node, with the known nodes that
are no anchors and with other held-out nodes. No number of these pairs was used, so that a space with more
freedom does not gain by memory.
"""

from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.choosing.prediction import PredictionTask
from riemap.distances import DistanceMatrix, rows_from, shortest_paths
from riemap.errors import InputError
from riemap.graphs import AnyGraph, Dissimilarities, Graph

HELD_OUT_SHARE, FEWEST_HELD_OUT = 0.1, 8
"""Share of the nodes that is held out for each seed, and the smallest number of them. In a graph of 34 nodes,
three nodes would leave scores that say little."""

KNOWN_NODES, MOST_KNOWN_NODES, KNOWN_SHARE = 180, 400, 0.2
"""How many nodes a trial embeds: a share of all, but at least the first number and at most the second. Each
seed draws its own. Distances between few nodes rank spaces as those between all nodes do, in a small part of
the time, and those between more nodes do so better: of web-edu, five seeds put H6 before SPD3 by 0.001 ±
0.003 with 180 nodes, and after it by 0.003 ± 0.002 with 400; SPD3 has the smaller distortion of all pairs.
Fewer epochs do not: in SPD spaces the distortion falls long after that of other spaces has settled."""

ALL_PAIRS_NODES, SAMPLED_NODES = 1_000, 1_000
"""Largest number of nodes from which trials draw, and how many of a larger graph these are. Their distances
are those in the whole graph."""

ALL_PAIRS_NODES_BY_EDGES, SAMPLED_NODES_BY_EDGES = 6_000, 3_000
"""The same for a metric of edges, of which a small sample has few. A run of more nodes takes minutes."""

EDGE_METRICS = ("f1@1", "map")
"""Metrics of edges."""

SAMPLE_BLOCK_PAIRS = 1 << 26
"""Number of distances from drawn nodes to all nodes that are in memory at a time."""

SPLIT_STREAM, SAMPLE_STREAM = 1, 2
"""Numbers that tell the random streams of splits and of drawn nodes from those of training."""


class Split(NamedTuple):
    """The parts of the nodes for one seed, each as node numbers in increasing order.

    Parameters
    ----------
    known
        Nodes that are embedded.
    held_out
        Nodes that are placed afterwards.
    anchors
        Known nodes whose distances place the others.
    scored
        Known nodes that are no anchors.
    """

    known: NDArray[np.int64]
    held_out: NDArray[np.int64]
    anchors: NDArray[np.int64]
    scored: NDArray[np.int64]

    @property
    def nodes(self) -> NDArray[np.int64]:
        """All nodes of the trial, in increasing order."""
        return np.sort(np.concatenate([self.known, self.held_out]))


def split_nodes(n: int, seed: int, most: int | None = None) -> Split:
    """Divide the nodes of a graph; every space is compared on the same parts.

    Parameters
    ----------
    n
        Number of nodes.
    seed
        Seed of the division.
    most
        Largest number of known nodes; all that are not held out by default.

    Returns
    -------
    Split
        The parts.

    Examples
    --------
    >>> [len(part) for part in split_nodes(200, seed=0)]
    [180, 20, 90, 90]
    >>> [len(part) for part in split_nodes(200, seed=0, most=60)]
    [60, 20, 30, 30]
    """
    count = max(round(HELD_OUT_SHARE * n), min(FEWEST_HELD_OUT, n // 4))
    order = np.random.default_rng([SPLIT_STREAM, seed]).permutation(n)
    held_out, known = order[:count], order[count:][:most]
    half = len(known) // 2
    return Split(*(np.sort(part) for part in (known, held_out, known[:half], known[half:])))


@final
class Problem:
    """A graph whose distances spaces compete to fit, or a sample of its nodes.

    Parameters
    ----------
    graph
        The graph.
    task
        What is to be predicted, if spaces compete in that and not in distances.
    metric
        Name of the metric that decides.
    """

    def __init__(self, graph: AnyGraph, task: PredictionTask | None = None, metric: str = "ad") -> None:
        self.graph, self.task = graph, task
        most, drawn = ALL_PAIRS_NODES, SAMPLED_NODES
        share = int(KNOWN_SHARE * graph.n)
        self.most_known: int | None = max(KNOWN_NODES, min(share, MOST_KNOWN_NODES))
        if metric in EDGE_METRICS:
            most, drawn, self.most_known = ALL_PAIRS_NODES_BY_EDGES, SAMPLED_NODES_BY_EDGES, None
        self.sampled = graph.n > most
        self.nodes = np.arange(graph.n)
        if self.sampled:
            rng = np.random.default_rng([SAMPLE_STREAM, 0])
            self.nodes = np.sort(rng.permutation(graph.n)[:drawn])

    @property
    def n(self) -> int:
        """Number of nodes that are used."""
        return len(self.nodes)

    def split(self, seed: int) -> Split:
        """Divide the nodes that are used, for the trials with a seed."""
        return split_nodes(self.n, seed, self.most_known)

    @cached_property
    def distances(self) -> DistanceMatrix:
        """Distances in the graph between the nodes that are used; computed once."""
        if not self.sampled:
            return shortest_paths(self.graph)
        if isinstance(self.graph, Dissimilarities):
            return self.graph.matrix[np.ix_(self.nodes, self.nodes)]
        size = max(SAMPLE_BLOCK_PAIRS // self.graph.n, 1)
        blocks = range(0, self.n, size)
        return np.concatenate(
            [rows_from(self.graph, self.nodes[k : k + size])[:, self.nodes] for k in blocks]
        )

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        """Labels of the nodes that are used."""
        return tuple(self.graph.labels[i] for i in self.nodes.tolist())

    @cached_property
    def edges(self) -> Graph | None:
        """The graph with the edges among the nodes that are used; ``None`` for dissimilarities."""
        if isinstance(self.graph, Dissimilarities) or not self.sampled:
            return None if isinstance(self.graph, Dissimilarities) else self.graph
        return induced(self.graph, self.nodes)


def induced(graph: Graph, nodes: NDArray[np.int64]) -> Graph:
    """Take some nodes of a graph with the edges among them; the result need not be connected.

    Parameters
    ----------
    graph
        The graph.
    nodes
        Node numbers, in the order that they have in the result.

    Returns
    -------
    Graph
        Without attributes; its shortest paths may be longer than in ``graph``.
    """
    from scipy.sparse import csr_array

    lengths = np.ones(len(graph.indices)) if graph.weights is None else graph.weights
    rows: Any = (lengths, graph.indices, graph.indptr)
    found = csr_array(rows, shape=(graph.n, graph.n))[nodes][:, nodes].tocsr()
    found.sort_indices()
    labels = tuple(graph.labels[i] for i in nodes.tolist())
    weights = None if graph.weights is None else found.data.astype(np.float64)
    return Graph(found.indptr.astype(np.int64), found.indices.astype(np.int32), weights, labels, graph.name)


def check_size(problem: Problem, dim: int) -> None:
    """Refuse a graph with so few nodes that its held-out nodes have fewer anchors than they need."""
    anchors = len(problem.split(0).anchors)
    if anchors <= dim + 1:
        least = 1
        while len(split_nodes(least, 0).anchors) <= dim + 1:
            least += 1
        raise InputError(
            f"{problem.graph.name} has {problem.n} nodes, and comparing spaces of {dim} dimensions on "
            f"held-out pairs needs {least} or more; 'riemap embed' compares them on all pairs, "
            "e.g. -s E2 -s H2"
        )
