"""Time the scores of an embedding with 5,000 nodes.

Run: python benchmarks/metrics.py [nodes]

The script times the exact F1@k curve, its growth with the number of sources, and all scores. The peer for
F1@k is a NumPy version that sorts each row and counts by layer, because no other library has this metric.
Times are in seconds, the shortest of several alternating rounds.
"""

import argparse

import numpy as np
from timing import best_in_turns, header, seconds

from riemap.distances import shortest_paths
from riemap.embeddings import Embedding
from riemap.graphs import generate
from riemap.metrics import comparison, evaluate
from riemap.metrics.ranking import f1_curve
from riemap.spaces import Space
from riemap.types import Array


def in_numpy(distances: Array, sqdist: Array) -> Array:
    """Compute F1@k with NumPy: one source at a time, all its layers at once."""
    top = int(distances.max())
    total, count = np.zeros(top + 1), np.zeros(top + 1, np.int64)
    for u in range(len(distances)):
        order = np.argsort(sqdist[u], kind="stable")
        order = order[order != u]
        layer = distances[u][order].astype(np.int64)
        on = np.zeros((len(layer), top + 1), np.int32)
        on[np.arange(len(layer)), layer] = 1
        seen = np.cumsum(on, axis=0)
        upto = np.cumsum(seen, axis=1)[np.arange(len(layer)), layer]
        sizes = np.bincount(layer, minlength=top + 1)
        below = np.concatenate([[0], np.cumsum(sizes)[:-1]])[layer]
        denominator = np.arange(1, len(layer) + 1) + below + seen[np.arange(len(layer)), layer]
        total += np.bincount(layer, 2.0 * upto / denominator, minlength=top + 1)
        count += sizes
    return total[1:] / count[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("nodes", nargs="?", type=int, default=5000)
    n = parser.parse_args().nodes
    print(header())
    graph = generate(f"barabasi-albert(n={n},m=2,seed=0)")
    space = Space.parse("H3")
    points = space.random(np.random.default_rng(0), n)
    embedding = Embedding(space, points, np.zeros(1), graph.labels)
    matrix = shortest_paths(graph)

    def curve(count: int) -> Array:
        sources = np.arange(count)
        compared = comparison.Comparison(
            sources, matrix[:count], embedding.sqdist_rows, float(matrix.max()), graph
        )
        return f1_curve(compared)

    sqdist = embedding.sqdist_rows(np.arange(n))
    assert np.allclose(curve(n), in_numpy(matrix, sqdist))
    counts = [n // 8, n // 4, n // 2, n]
    best = best_in_turns({str(c): (lambda c=c: curve(c)) for c in counts}, budget=2.0)  # type: ignore[misc]
    print(f"\nF1@k of {n} nodes in {space}, exact, {len(curve(n))} layers")
    print(f"{'sources':>10}{'seconds':>10}{'ms each':>10}")
    for c in counts:
        print(f"{c:>10}{best[str(c)]:>10.3f}{best[str(c)] / c * 1e3:>10.3f}")
    numpy_time = seconds(lambda: in_numpy(matrix, sqdist))
    print(f"NumPy, all sources: {numpy_time:.2f} s, {numpy_time / best[str(n)]:.1f}x ours")
    everything = min(seconds(lambda: evaluate(embedding, graph)) for _ in range(3))
    print(f"all scores, exact: {everything:.2f} s")
    sampled = min(seconds(lambda: evaluate(embedding, graph, sources=500)) for _ in range(3))
    print(f"all scores from 500 sources, with standard errors: {sampled:.2f} s")


if __name__ == "__main__":
    main()
