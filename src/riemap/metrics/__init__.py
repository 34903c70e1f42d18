"""Metrics that compare embedded distances with graph distances: ranking, distortion, correlation."""

from riemap.metrics.comparison import ComparedRows, Comparison, PairSums
from riemap.metrics.correlation import pearson, spearman
from riemap.metrics.curves import Curves
from riemap.metrics.distortion import (
    average_distortion,
    normalised_stress,
    rescaled_distortion,
    worst_distortion,
)
from riemap.metrics.order import Ranking
from riemap.metrics.pairs import Density, NearestNodes, PairReport, density, pair_report
from riemap.metrics.ranking import area_under_f1, f1_at_1, f1_curve, mean_average_precision
from riemap.metrics.registry import METRICS, Metric
from riemap.metrics.results import Scores
from riemap.metrics.scores import compare, evaluate, score, score_comparison

__all__ = [
    "METRICS",
    "ComparedRows",
    "Comparison",
    "Curves",
    "Density",
    "Metric",
    "NearestNodes",
    "PairReport",
    "PairSums",
    "Ranking",
    "Scores",
    "area_under_f1",
    "average_distortion",
    "compare",
    "density",
    "evaluate",
    "f1_at_1",
    "f1_curve",
    "mean_average_precision",
    "normalised_stress",
    "pair_report",
    "pearson",
    "rescaled_distortion",
    "score",
    "score_comparison",
    "spearman",
    "worst_distortion",
]
