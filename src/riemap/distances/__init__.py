"""All-pairs shortest paths, compact in memory and on disk, and the targets that training reads from them."""

from riemap.distances.hops import hop_counts
from riemap.distances.paths import DistanceMatrix, Spread, diameter, rows_from, shortest_paths, spread
from riemap.distances.target import Target

__all__ = [
    "DistanceMatrix",
    "Spread",
    "Target",
    "diameter",
    "hop_counts",
    "rows_from",
    "shortest_paths",
    "spread",
]
