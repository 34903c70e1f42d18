"""Shortest-path distances of a graph, their storage on disk, and the targets of training."""

from riemap.distances.balls import Balls, balls
from riemap.distances.hops import hop_counts
from riemap.distances.landmarks import Landmarks
from riemap.distances.length_counts import Spread, diameter, spread
from riemap.distances.paths import DistanceMatrix, all_rows, rows_from, shortest_paths
from riemap.distances.sampled_spread import SampledSpread, longest_distance, pseudo_diameter, sampled_spread
from riemap.distances.sampled_target import SampledTarget
from riemap.distances.target import Target

__all__ = [
    "Balls",
    "DistanceMatrix",
    "Landmarks",
    "SampledSpread",
    "SampledTarget",
    "Spread",
    "Target",
    "all_rows",
    "balls",
    "diameter",
    "hop_counts",
    "longest_distance",
    "pseudo_diameter",
    "rows_from",
    "sampled_spread",
    "shortest_paths",
    "spread",
]
