"""A loss of one's own: a value, and its slope in every squared distance."""

import numpy as np

import riemap
from riemap.types import Array


def relative(target: Array, sqdist: Array) -> tuple[float, Array]:
    """Mean of (d/δ − 1)²: a pair counts by the share that it is wrong by. Both arguments are squared."""
    n, own = len(target), np.eye(len(target))
    delta, d = np.sqrt(target) + own, np.sqrt(sqdist) + own  # own: nothing is divided by zero
    error = d / delta - 1.0
    return float(np.sum(error**2)) / (n * (n - 1)), error / (delta * d) / (n * (n - 1))


graph = riemap.load_dataset("karate")
for loss in ("stress", relative):
    scores = riemap.evaluate(riemap.embed(graph, "H2", loss=loss, epochs=600).embedding, graph)
    name = loss if isinstance(loss, str) else loss.__name__
    print(f"{name:9} average distortion {scores['ad']:.3f}, worst-case distortion {scores['worst']:.1f}")
