"""Of the graph's distances and the embedded ones: ranking, distortion, correlation."""

from riemap.metrics.scores import METRICS, Metric, Scores, evaluate, score

__all__ = ["METRICS", "Metric", "Scores", "evaluate", "score"]
