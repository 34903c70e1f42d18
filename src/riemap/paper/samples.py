"""Random points of curved spaces, and the graphs of those that are close  [Cruceru2021, app. E].

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from riemap.curvature.geodesic_triangles import TRIPLES, angle_sums
from riemap.curvature.sectional import sectional
from riemap.embeddings import Embedding
from riemap.manifolds import Euclidean
from riemap.random_graphs import distance_matrix, sample, threshold_graphs, thresholds
from riemap.types import Array

LEVELS = 15
"""Thresholds of a sweep."""

PAIRS = 1000
"""Most pairs of neighbours of a node; points have up to all others for neighbours."""

RADIUS = 5.0
"""Of the balls in spaces that are not compact."""

PANELS: dict[str, dict[str, tuple[str, ...]]] = {
    "compact": {
        "2": ("E2", "S2", "Gr(1,3)"),
        "3": ("E3", "S3", "Gr(1,4)", "SO3"),
        "4": ("E4", "S4", "Gr(1,5)", "Gr(2,4)"),
    },
    "noncompact": {"3": ("E3", "SPD2", "H3"), "6": ("E6", "SPD3", "H6"), "10": ("E10", "SPD4", "H10")},
}
"""What the paper compares, by dimension."""


class Sweep(NamedTuple):
    """Graphs of one sample that link points below a threshold, for many thresholds."""

    thresholds: Array  # (k,)
    degrees: Array  # (k, 3), quartiles
    curvatures: Array  # (k, 3), quartiles of sectional curvatures; NaN where the graph is too small
    angles: Array  # normalised sums of angles in triangles of the sample


Columns: TypeAlias = list[tuple[str, dict[str, Sweep]]]


def sweep(points: Embedding, levels: Array, *, triples: int = TRIPLES, seed: int = 0) -> Sweep:
    """Degrees and curvatures of the graphs of all pairs nearer than each level, and the sample's angles."""
    degrees, curvatures = np.empty((len(levels), 3)), np.full((len(levels), 3), np.nan)
    for k, linked in enumerate(threshold_graphs(distance_matrix(points), levels)):
        degrees[k] = np.quantile(linked.degrees, (0.25, 0.5, 0.75))
        if linked.component is not None:
            values = sectional(linked.component, pairs=PAIRS, seed=seed).values
            curvatures[k] = np.quantile(values, (0.25, 0.5, 0.75))
    return Sweep(levels, degrees, curvatures, angle_sums(points, triples, seed).values)


def panel(kind: str, n: int = 1000, seed: int = 0) -> Columns:
    """The data of one of the paper's panels: a column a dimension, in each of them a sweep a space.

    The radius of the Euclidean ball among compact spaces is the largest distance in any of them.
    """
    compact = kind == "compact"
    drawn = {
        text: sample(text, n, None if compact else RADIUS, "uniform" if compact else "exp", seed)
        for spaces in PANELS[kind].values()
        for text in spaces
        if not (compact and _is_flat(text))
    }
    widest = max(float(distance_matrix(points).max()) for points in drawn.values()) if compact else RADIUS
    columns: Columns = []
    for dim, spaces in PANELS[kind].items():
        found = {}
        for text in spaces:
            points = drawn.get(text) or sample(text, n, widest, "uniform", seed)
            if compact and _is_flat(text):
                levels = np.linspace(0.1, 1.0, LEVELS) * widest
            else:
                levels = thresholds(points, distance_matrix(points), LEVELS, None if compact else RADIUS)
            found[text] = sweep(points, levels, seed=seed)
        columns.append((f"dimension {dim}", found))
    return columns


def bias(n: int = 1000, seed: int = 0) -> dict[str, Array]:
    """What the exponential map does to a uniform ball: points of H3, in the Poincaré ball, and of S2."""
    found = {}
    for how in ("uniform", "exp"):
        x = sample("H3", n, RADIUS, how, seed).points[0]
        found[f"H3, {how}"] = x[:, 1:] / (1.0 + x[:, :1])
    for how in ("uniform", "exp"):
        (x,) = sample("S2", n, None if how == "uniform" else float(np.pi), how, seed).points
        found[f"S2, {how}"] = np.roll(x, -1, axis=1)  # the origin on top
    return found


def _is_flat(text: str) -> bool:
    return text.startswith(Euclidean.symbol)
