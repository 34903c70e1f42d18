"""Time shortest paths between all pairs of nodes beside rustworkx, SciPy, networkit and igraph.

Run: python benchmarks/distances.py [facebook power condmat]

Each library starts from its own graph object and ends with all distances in memory. Libraries that can use
threads use two (riemap, rustworkx, networkit). SciPy uses its fastest method for an unweighted graph. Times
are in seconds, the shortest of several alternating rounds. A peer that takes more than five seconds runs
once, and igraph does not run on graphs with more than 10,000 nodes. The last lines show the weighted case
(Dijkstra, random lengths on power), the time of a block of targets, and the peak memory for condmat's matrix
beside that of a process that only imports riemap, each in a new process. With ``--landmarks``, only the
distances from some sources to all nodes of a random graph are timed, beside the search that all pairs use,
and those of a tenth of its nodes with weights beside SciPy and networkit.
"""

import argparse
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from timing import best_in_turns, header, seconds

from riemap.distances import Target, hop_counts, shortest_paths
from riemap.distances.heap_search import source_lengths
from riemap.distances.landmark_hops import source_columns
from riemap.graphs import Graph, load_dataset
from riemap.threads import count

# Read VmHWM and not ru_maxrss: a process inherits ru_maxrss from the process that started it.
PEAK = """
from riemap.distances import shortest_paths
from riemap.graphs import load_dataset
{}
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def peers(graph: Graph) -> dict[str, Callable[[], object]]:
    """Build the graph in each library, and return a function per library that computes all distances."""
    import igraph
    import networkit
    import rustworkx

    threads = count()
    edges = [(int(u), int(v)) for u, v in graph.edges()]
    adjacency = csr_array((np.ones(2 * graph.m), graph.indices, graph.indptr), shape=(graph.n, graph.n))
    rust = rustworkx.PyGraph()
    rust.add_nodes_from(range(graph.n))
    rust.add_edges_from_no_data(edges)
    kit = networkit.Graph(graph.n)
    for u, v in edges:
        kit.addEdge(u, v)
    networkit.setNumberOfThreads(threads)
    runs: dict[str, Callable[[], object]] = {
        "rustworkx": lambda: rustworkx.graph_distance_matrix(rust),
        "SciPy": lambda: dijkstra(adjacency, unweighted=True),
        "networkit": lambda: networkit.distance.APSP(kit).run(),
    }
    if graph.n < 10_000:  # igraph returns lists, which take eight bytes per distance
        runs["igraph"] = igraph.Graph(n=graph.n, edges=edges).distances
    return runs


def compare(name: str, runs: dict[str, Callable[[], object]], slow: float = 5.0) -> None:
    """Time riemap and the others alternately, and print one line."""
    once = {label: seconds(run) for label, run in runs.items()}
    quick = {label: run for label, run in runs.items() if once[label] < slow}
    best = {**once, **best_in_turns(quick, budget=1.0)}
    width = 5 * 12
    fastest = min((t, label) for label, t in best.items() if label != "riemap")
    times = "".join(f"{best[label]:12.3f}" for label in runs)
    print(f"{name:14}{times:{width}}   {fastest[0] / best['riemap']:6.1f}x ({fastest[1]})", flush=True)


def weighted(graph: Graph) -> None:
    import networkit

    lengths = np.random.default_rng(0).uniform(0.5, 2.0, graph.m)
    given = Graph.from_edges(graph.edges(), lengths, name=graph.name)
    kit, adjacency = in_networkit(given), in_scipy(given)
    compare(
        f"{graph.name}, weights",
        {
            "riemap": lambda: shortest_paths(given, stored=False),
            "SciPy": lambda: dijkstra(adjacency),
            "networkit": lambda: networkit.distance.APSP(kit).run(),
        },
    )


def in_scipy(graph: Graph) -> csr_array:
    """Build a graph with weights as a sparse matrix."""
    assert graph.weights is not None
    return csr_array((graph.weights, graph.indices, graph.indptr), shape=(graph.n, graph.n))


def in_networkit(graph: Graph) -> Any:
    """Build a graph with weights in networkit."""
    import networkit

    assert graph.weights is not None
    networkit.setNumberOfThreads(count())
    rows, columns = np.repeat(np.arange(graph.n), graph.degrees), graph.indices.astype(np.int64)
    once = rows < columns
    edges = (graph.weights[once], (rows[once].astype(np.uint64), columns[once].astype(np.uint64)))
    return networkit.GraphFromCoo(edges, n=graph.n, weighted=True)


def blocks(graph: Graph, size: int = 512) -> None:
    target, rng, out = Target.of(graph), np.random.default_rng(0), np.empty((size, size))
    batches = [np.sort(rng.choice(graph.n, size, replace=False)) for _ in range(20)]
    target.block(batches[0], out)
    times = [seconds(lambda nodes=nodes: target.block(nodes, out)) for _ in range(50) for nodes in batches]  # type: ignore[misc]
    least, median = min(times), float(np.median(times))
    print(f"\na block of {size} of {graph.n} nodes: {least * 1e3:.2f} ms, median {median * 1e3:.2f} ms")


def random_edges(nodes: int) -> NDArray[np.int64]:
    """Link random pairs of nodes, four a node, and each node to the next one."""
    ends = np.random.default_rng(0).integers(0, nodes, (3 * nodes, 2))
    row = np.column_stack([np.arange(nodes - 1), np.arange(1, nodes)])
    return np.unique(np.sort(np.concatenate([row, ends[ends[:, 0] != ends[:, 1]]]), axis=1), axis=0)


def landmarks(nodes: int) -> None:
    """Time the distances to some sources, laid out by node, on a random graph with four edges a node."""
    import networkit

    rng, graph = np.random.default_rng(0), Graph.from_edges(random_edges(nodes))
    print(f"\n{graph.n} nodes, {graph.m} edges{'by node':>12}{'by source':>12}   seconds")
    for number in (64, 512):
        sources = rng.permutation(graph.n)[:number]
        runs = {
            "by node": lambda sources=sources: source_columns(graph, sources),
            "by source": lambda sources=sources: hop_counts(graph, sources),
        }
        best = best_in_turns(runs, budget=1.0)
        print(f"{number:4} sources{best['by node']:12.2f}{best['by source']:12.2f}", flush=True)
    edges = random_edges(nodes // 10)
    given = Graph.from_edges(edges, rng.uniform(0.5, 2.0, len(edges)))
    few = rng.permutation(given.n)[:32]
    kit, adjacency = in_networkit(given), in_scipy(given)
    weighted_runs: dict[str, Callable[[], object]] = {
        "riemap": lambda: source_lengths(given, few),
        "SciPy": lambda: dijkstra(adjacency, indices=few),
        "networkit": lambda: networkit.distance.SPSP(kit, few.tolist()).run(),
    }
    best = best_in_turns(weighted_runs, budget=1.0)
    print(f"{given} from 32 sources: " + ", ".join(f"{name} {t:.2f} s" for name, t in best.items()))


def peak(work: str) -> float:
    """Return the peak memory, in megabytes, of a new process that runs ``work``."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK.format(work)], capture_output=True, text=True, check=True
    )
    return int(done.stdout) * 1024 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graphs", nargs="*", default=["facebook", "power", "condmat"])
    parser.add_argument("--landmarks", type=int, metavar="NODES", help="time sources of a random graph")
    given = parser.parse_args()
    names = given.graphs
    print(header("rustworkx", "scipy", "networkit", "igraph"))
    if given.landmarks:
        landmarks(given.landmarks)
        return
    print(
        f"\n{'seconds':14}"
        + "".join(f"{x:>12}" for x in ("riemap", "rustworkx", "SciPy", "networkit", "igraph"))
    )
    hop_counts(Graph.from_edges([(0, 1)]))  # compile before timing
    for name in names:
        graph = load_dataset(name)
        assert isinstance(graph, Graph)
        compare(name, {"riemap": lambda graph=graph: hop_counts(graph), **peers(graph)})  # type: ignore[misc]
    power = load_dataset("power")
    assert isinstance(power, Graph)
    print(f"\n{'seconds':14}" + "".join(f"{x:>12}" for x in ("riemap", "SciPy", "networkit")))
    weighted(power)
    blocks(power)
    bare = peak("")
    whole = peak("shortest_paths(load_dataset('condmat'), stored=False)")
    print(f"condmat in memory: {whole:.0f} MB at its peak, {whole - bare:.0f} MB above the bare process")


if __name__ == "__main__":
    main()
