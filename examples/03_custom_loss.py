"""Use your own loss: a function that returns a value and its derivative in every squared distance.

Needs riemap alone: pip install riemap
"""

import numpy as np

import riemap
from riemap.types import Array


def relative(target: Array, sqdist: Array) -> tuple[float, Array]:
    """Return the mean squared relative error (d/δ − 1)² and its derivatives. Both arguments are squared."""
    n, ones = len(target), np.eye(len(target))  # ones on the diagonal avoid division by zero
    delta, d = np.sqrt(target) + ones, np.sqrt(sqdist) + ones
    error = d / delta - 1.0
    return float(np.sum(error**2)) / (n * (n - 1)), error / (delta * d) / (n * (n - 1))


graph = riemap.load_dataset("karate")
for loss in ("stress", relative):
    scores = riemap.evaluate(riemap.embed(graph, "H2", loss=loss, epochs=600).embedding, graph)
    name = loss if isinstance(loss, str) else loss.__name__
    print(f"{name:9} average distortion {scores['ad']:.3f}, worst-case distortion {scores['worst']:.1f}")
