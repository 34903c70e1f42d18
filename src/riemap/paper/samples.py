"""Random points of curved spaces, and the graphs of those that are close  [Cruceru2021, app. E].

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021.
"""

from typing import TypeAlias

import numpy as np

from riemap.curvature import sectional
from riemap.curvature.geodesic_triangles import DEFAULT_TRIPLES, angle_sums
from riemap.embeddings import Embedding
from riemap.manifolds.euclidean import Euclidean
from riemap.random_graphs import Sweep, distance_matrix, sample, threshold_graphs, thresholds
from riemap.types import Array

SWEEP_LEVELS = 15
"""Number of thresholds of a sweep."""

SWEEP_PAIRS = 1000
"""Largest number of pairs of neighbours per node at which curvature is measured: dense graphs have many."""

BALL_RADIUS = 5.0
"""Radius of the balls from which points of spaces that are not compact are drawn."""

PANELS: dict[str, dict[str, tuple[str, ...]]] = {
    "compact": {
        "2": ("E2", "S2", "Gr(1,3)"),
        "3": ("E3", "S3", "Gr(1,4)", "SO3"),
        "4": ("E4", "S4", "Gr(1,5)", "Gr(2,4)"),
    },
    "noncompact": {"3": ("E3", "SPD2", "H3"), "6": ("E6", "SPD3", "H6"), "10": ("E10", "SPD4", "H10")},
}
"""The spaces that the paper compares, by dimension."""


Columns: TypeAlias = list[tuple[str, dict[str, Sweep]]]


def sweep(points: Embedding, levels: Array, *, triples: int = DEFAULT_TRIPLES, seed: int = 0) -> Sweep:
    """Link the points that are nearer than each level, and measure the graphs.

    Parameters
    ----------
    points
        Points of a space.
    levels
        The thresholds, ``(k,)``.
    triples
        Number of triangles whose angles are summed.
    seed
        Seed for drawing triangles and pairs of neighbours.

    Returns
    -------
    Sweep
        Quartiles of degrees and of sectional curvatures at each threshold, and angle sums of the sample.
    """
    degrees, curvatures = np.empty((len(levels), 3)), np.full((len(levels), 3), np.nan)
    for k, linked in enumerate(threshold_graphs(distance_matrix(points), levels)):
        degrees[k] = np.quantile(linked.degrees, (0.25, 0.5, 0.75))
        if linked.component is not None:
            values = sectional(linked.component, pairs=SWEEP_PAIRS, seed=seed).values
            curvatures[k] = np.quantile(values, (0.25, 0.5, 0.75))
    return Sweep(levels, degrees, curvatures, angle_sums(points, triples, seed).values)


def panel(kind: str, n: int = 1000, seed: int = 0) -> Columns:
    """Compute the data of one of the paper's panels: for each dimension, a sweep for each space.

    The radius of the Euclidean ball among compact spaces is the largest distance in any of them.

    Parameters
    ----------
    kind
        ``"compact"`` or ``"noncompact"``.
    n
        Number of points of each sample.
    seed
        Seed for drawing the points.

    Returns
    -------
    list
        A title and the sweeps by space, for each dimension.
    """
    compact = kind == "compact"
    drawn = {
        text: sample(text, n, None if compact else BALL_RADIUS, "uniform" if compact else "exp", seed)
        for spaces in PANELS[kind].values()
        for text in spaces
        if not (compact and _is_flat(text))
    }
    widest = (
        max(float(distance_matrix(points).max()) for points in drawn.values()) if compact else BALL_RADIUS
    )
    columns: Columns = []
    for dim, spaces in PANELS[kind].items():
        found = {}
        for text in spaces:
            points = drawn.get(text) or sample(text, n, widest, "uniform", seed)
            if compact and _is_flat(text):
                levels = np.linspace(0.1, 1.0, SWEEP_LEVELS) * widest
            else:
                levels = thresholds(
                    points, distance_matrix(points), SWEEP_LEVELS, None if compact else BALL_RADIUS
                )
            found[text] = sweep(points, levels, seed=seed)
        columns.append((f"dimension {dim}", found))
    return columns


def bias(n: int = 1000, seed: int = 0) -> dict[str, Array]:
    """Draw points of H3 (in the Poincaré ball) and S2 uniformly, and through the exponential map.

    Parameters
    ----------
    n
        Number of points of each sample.
    seed
        Seed for drawing the points.

    Returns
    -------
    dict
        Points by the name of the space and of the way of drawing.
    """
    found = {}
    for how in ("uniform", "exp"):
        x = sample("H3", n, BALL_RADIUS, how, seed).points[0]
        found[f"H3, {how}"] = x[:, 1:] / (1.0 + x[:, :1])
    for how in ("uniform", "exp"):
        (x,) = sample("S2", n, None if how == "uniform" else float(np.pi), how, seed).points
        found[f"S2, {how}"] = np.roll(x, -1, axis=1)  # the origin on top
    return found


def _is_flat(text: str) -> bool:
    return text.startswith(Euclidean.symbol)
