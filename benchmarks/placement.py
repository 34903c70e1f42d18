"""New nodes: hide some nodes, embed the rest, add them by their edges, and compare with embedding them all.

Run: python benchmarks/placement.py [--graphs facebook,power] [--spaces "E3,H3,Stein2,H3 x S2"] [--epochs 100]

Nodes are hidden in a random order, 5 % of them, in two ways. "any": as long as the rest stays connected. A
hidden node may then be on the only short path between others, so that the rest is another graph; `rest` is
the average distortion of its distances against those of the whole graph, at the best scale. "ends": only
nodes without which all other distances stay the same, since every two of their neighbours are joined or have
another neighbour in common.

AD is over the pairs of a hidden and a known node, at the best scale: `all` in an embedding of the whole
graph, and `added` after `add`, both with the same plan. Their ratio should be at most 1.15. `told` is the AD
of hidden nodes that are placed by their true distances to all known nodes, which no one who adds nodes
knows: what is left is due to the known nodes, which stay where the rest of the graph put them. AUC and F1@1
are those of all nodes. Seconds are those of adding 1,000 copies of the hidden nodes, without compilation.
"""

import argparse
import time
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from timing import header

import riemap
from riemap import Embedding, Graph
from riemap.training import place
from riemap.types import Array

SHARE = 0.05
TIMED_NODES = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", default="facebook,power")
    parser.add_argument("--spaces", default="E3,H3,Stein2,H3 x S2")
    parser.add_argument("--loss", default="ad")
    parser.add_argument("--epochs", type=int, default=100)
    given = parser.parse_args()
    print(header())
    print(f"loss {given.loss}, {given.epochs} epochs\n")
    print(
        "| graph | hidden | nodes | rest | space | AD all | added | told | ratio | AUC | F1@1 | s for 1,000 |"
    )
    print("|---" * 12 + "|")
    for name in given.graphs.split(","):
        graph = riemap.load_dataset(name)
        assert isinstance(graph, Graph)
        for way in ("any", "ends"):
            hidden = hidden_nodes(graph, way)
            for space in given.spaces.split(","):
                print(row(graph, way, hidden, space.strip(), given.loss, given.epochs), flush=True)


def row(graph: Graph, way: str, hidden: NDArray[np.int64], space: str, loss: str, epochs: int) -> str:
    known = np.setdiff1d(np.arange(graph.n), hidden)
    rest, edges = split(graph, hidden)
    lengths = riemap.shortest_paths(graph)
    own = riemap.shortest_paths(rest).astype(float)
    changed = distortion(own[::10], lengths[np.ix_(known[::10], known)])
    whole = riemap.embed(graph, space, loss=loss, epochs=epochs)
    fit = riemap.embed(rest, space, loss=loss, epochs=epochs)
    added = fit.add(edges).embedding.aligned_to(graph)
    ads = [
        distortion(rows(e, hidden)[:, known], lengths[np.ix_(hidden, known)])
        for e in (whole.embedding, added)
    ]
    told = placed_by(fit.embedding.aligned_to(rest), lengths[known], hidden, known)
    ads.append(distortion(told, lengths[np.ix_(hidden, known)]))
    scores = riemap.evaluate(added, graph)
    pairs = [f"{scores[m]:.4f} (all {whole.scores[m]:.4f})" for m in ("auc", "f1@1")]
    return (
        f"| {graph.name} | {way} | {len(hidden)} | {changed:.4f} | {space} | {ads[0]:.4f} | {ads[1]:.4f} "
        f"| {ads[2]:.4f} | {ads[1] / ads[0]:.3f} | {' | '.join(pairs)} | {seconds(fit, edges):.2f} |"
    )


def placed_by(
    rest: Embedding, lengths: NDArray[np.integer], hidden: NDArray[np.int64], known: NDArray[np.int64]
) -> Array:
    """Place nodes by their true distances to all known nodes; return their embedded distances to these."""
    _, unit = best_scale(rows(rest, np.arange(rest.n)), lengths[:, known])
    wanted = (unit * lengths[:, hidden].T.astype(float)) ** 2
    found = place(rest.space, rest.points, rest.log_scales, wanted)
    return np.sqrt(rest.space.pairwise(found, rest.points, rest.log_scales))


def seconds(fit: riemap.Fit, edges: list[tuple[object, ...]]) -> float:
    """Shortest time of three in which so many copies of the hidden nodes are added."""
    joined: dict[object, list[object]] = {}
    for u, v in edges:
        for new, known in ((u, v), (v, u)):
            if known in fit.embedding and new not in fit.embedding:
                joined.setdefault(new, []).append(known)
    lists = list(joined.values())
    copies = [(f"copy {c}", known) for c in range(TIMED_NODES) for known in lists[c % len(lists)]]
    found = []
    for _ in range(3):
        began = time.perf_counter()
        fit.add(copies)
        found.append(time.perf_counter() - began)
    return min(found)


def hidden_nodes(graph: Graph, way: str) -> NDArray[np.int64]:
    """Choose nodes to hide, in a random order, so that those left stay as ``way`` says."""
    neighbours = [
        set(graph.indices[a:b].tolist()) for a, b in zip(graph.indptr, graph.indptr[1:], strict=False)
    ]
    hidden: list[int] = []
    for v in np.random.default_rng(0).permutation(graph.n).tolist():
        if len(hidden) >= SHARE * graph.n:
            break
        near = neighbours[v]
        for u in near:
            neighbours[u].discard(v)
        if same_distances(near, neighbours) if way == "ends" else connected(near, neighbours):
            hidden.append(v)
            neighbours[v] = set()
        else:
            for u in near:
                neighbours[u].add(v)
    return np.sort(np.array(hidden))


def same_distances(near: set[int], neighbours: list[set[int]]) -> bool:
    pairs = combinations(near, 2)
    return bool(near) and all(b in neighbours[a] or neighbours[a] & neighbours[b] for a, b in pairs)


def connected(near: set[int], neighbours: list[set[int]]) -> bool:
    """Whether the neighbours of a removed node are still connected with each other."""
    if not near:
        return False
    seen = {next(iter(near))}
    front = list(seen)
    while front and not near <= seen:
        front = list(set().union(*(neighbours[a] for a in front)) - seen)
        seen.update(front)
    return near <= seen


def split(graph: Graph, hidden: NDArray[np.int64]) -> tuple[Graph, list[tuple[object, ...]]]:
    """The graph without some nodes, and their edges."""
    edges = graph.edges()
    inside = ~np.isin(edges, hidden).any(axis=1)
    known = np.setdiff1d(np.arange(graph.n), hidden)
    labels = [graph.labels[i] for i in known]
    rest = Graph.from_edges(np.searchsorted(known, edges[inside]), labels=labels, name=graph.name)
    return rest, [tuple(graph.labels[i] for i in edge) for edge in edges[~inside]]


def rows(embedding: Embedding, nodes: NDArray[np.int64]) -> Array:
    return np.sqrt(embedding.sqdist_rows(nodes))


def distortion(embedded: Array, lengths: NDArray[np.integer]) -> float:
    """Average distortion at the best scale."""
    return best_scale(embedded, lengths)[0]


def best_scale(embedded: Array, lengths: NDArray[np.integer]) -> tuple[float, float]:
    """Average distortion at the best scale, and this scale: the embedded length of one hop."""
    ratios = np.sort(embedded[lengths > 0] / lengths[lengths > 0])
    best = ratios[np.searchsorted(np.cumsum(ratios), 0.5 * ratios.sum())]
    return float(np.abs(ratios / best - 1.0).mean()), float(best)


if __name__ == "__main__":
    main()
