"""Time the Ricci curvature of a graph, its sectional curvature and its exact δ-hyperbolicity.

Run: python benchmarks/curvature.py [--edges 300] [--delta NAME …]

The peer for the Ricci curvature does what GraphRicciCurvature does for an edge: it builds both measures with
all their nodes, looks up the distances between them one by one in networkit's matrix of all pairs, and calls
POT's ``emd2``. It is timed on some edges, drawn at random, and the time is scaled to all edges. The time to
compute the matrices of distances is not included. Times are in seconds, the shortest of several alternating
rounds.
"""

import argparse
import os
from collections.abc import Callable

import networkit as nk
import numpy as np
from numpy.typing import NDArray
from timing import best_in_turns, header, seconds

os.environ.setdefault("POT_BACKEND_DISABLE_PYTORCH", "1")

import ot

from riemap.curvature import delta_exact, delta_sampled, ollivier_ricci, sectional
from riemap.distances import shortest_paths
from riemap.graphs import Graph, load_dataset
from riemap.types import Array

ALPHA = 0.5


def peer(graph: Graph) -> Callable[[NDArray[np.int64]], Array]:
    """Return a function that computes the curvature of given edges, one after the other."""
    other = nk.Graph(graph.n)
    for x, y in graph.edges().tolist():
        other.addEdge(x, y)
    distances = nk.distance.APSP(other).run().getDistances()

    def measure(x: int) -> tuple[list[float], list[int]]:
        near = list(other.iterNeighbors(x))
        return [(1.0 - ALPHA) / len(near)] * len(near) + [ALPHA], [*near, x]

    def curvature(x: int, y: int) -> float:
        (mass_x, nodes_x), (mass_y, nodes_y) = measure(x), measure(y)
        cost = np.array([[distances[u][v] for v in nodes_y] for u in nodes_x])
        return 1.0 - float(ot.emd2(np.array(mass_x), np.array(mass_y), cost)) / distances[x][y]

    return lambda edges: np.array([curvature(x, y) for x, y in edges.tolist()])


def opened(name: str) -> Graph:
    graph = load_dataset(name)
    assert isinstance(graph, Graph), "a matrix of dissimilarities has no edges"
    return graph


def ricci(name: str, count: int) -> None:
    graph = opened(name)
    shortest_paths(graph)
    theirs, edges = peer(graph), graph.edges()
    chosen = np.random.default_rng(0).choice(graph.m, min(count, graph.m), replace=False)
    ours = ollivier_ricci(graph, ALPHA).curvature[chosen]
    assert np.allclose(theirs(edges[chosen]), ours, rtol=0.0, atol=1e-9)
    best = best_in_turns(
        {"ours": lambda: ollivier_ricci(graph, ALPHA), "theirs": lambda: theirs(edges[chosen])},
        budget=1.0,
        rounds=3,
    )
    whole = best["theirs"] * graph.m / len(chosen)
    part = f"from {len(chosen)} of {graph.m} edges"
    print(f"{name:>15}{best['ours']:>10.3f}{whole:>10.2f}{whole / best['ours']:>8.0f}x  {part}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=int, default=300, help="number of edges on which the peer is timed")
    parser.add_argument("--delta", nargs="*", default=["csphd", "bio-diseasome", "web-edu", "road-minnesota"])
    arguments = parser.parse_args()
    print(header("networkit", "POT"))
    print(f"\nRicci curvature of all edges, α = {ALPHA}\n{'':15}{'ours':>10}{'theirs':>10}{'ratio':>9}")
    for name in ("power", "facebook"):
        ricci(name, arguments.edges)
    facebook = opened("facebook")
    sectional(facebook)
    time = min(seconds(lambda: sectional(facebook)) for _ in range(3))
    print(f"\nsectional curvatures of facebook: {time:.2f} s")
    print(f"\n{'δ':15}{'sampled':>10}{'exact':>10}")
    delta_exact(opened("bio-diseasome"))  # compile before timing
    for name in arguments.delta:
        graph = opened(name)
        sampled = seconds(lambda graph=graph: delta_sampled(graph))  # type: ignore[misc]
        print(f"{name:15}{sampled:>10.2f}{seconds(lambda graph=graph: delta_exact(graph)):>10.2f}")  # type: ignore[misc]


if __name__ == "__main__":
    main()
