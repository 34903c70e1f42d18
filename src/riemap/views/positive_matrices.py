"""Pictures of 2 x 2 positive definite matrices: a cone, and ellipses."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from riemap.linalg import apply, congruence, eigh
from riemap.manifolds import Manifold
from riemap.means import frechet_mean, tangent_coordinates
from riemap.types import Array
from riemap.views.coordinates import fit_unit_ball, principal_components
from riemap.views.view import View

GEODESIC_PIECES = 4
"""Number of straight pieces that a geodesic between matrices is drawn with; four look smooth."""

LARGEST_CURVED_EDGES = 30_000
"""Largest number of edges between matrices that are drawn as geodesics. More are drawn straight, as each
geodesic adds three points to the page."""

LOG_HEIGHT_RATIO = 20.0
"""Ratio of the largest height in the cone to the median height above which heights are on a logarithmic
scale. Otherwise most nodes would crowd at the tip."""


def matrix_views(m: Manifold, x: Array, edges: NDArray[np.int64]) -> list[View]:
    """The cone, with horizontal coordinates (a − c)/2 and b and height (a + c)/2, and ellipses in a plane."""
    at = frechet_mean(m, x)
    heights = cone_coordinates(centre_at_identity(m, at, x))[:, 2]
    low, middle, high = (float(q) for q in np.quantile(heights, (0.1, 0.5, 1.0)))
    unit = low if high > LOG_HEIGHT_RATIO * middle else None

    def place(matrices: Array) -> Array:
        return _in_cone(cone_coordinates(centre_at_identity(m, at, matrices)), unit)

    points, size = place(x), float(place(x)[:, 2].max())
    knots = _knots(m, x, edges, place) if 0 < len(edges) <= LARGEST_CURVED_EDGES else None
    caption = "The matrix with entries a, b, b, c is drawn at ((a − c)/2, b), at height (a + c)/2. "
    caption += "Matrices on the boundary of the cone are singular."
    caption += "" if unit is None else " Heights are on a logarithmic scale."
    caption += (
        " The mean is at the height of the identity." if m.symbol == "BW" else " The mean is the identity."
    )
    caption += " Edges are straight." if knots is None else " Edges are geodesics."
    note = None if unit is None else "heights on a logarithmic scale"
    curves = None if knots is None else knots / size
    cone = View("cone", f"Cone, {m}", caption, points / size, curves, note=note)
    return [cone, _ellipses(m, tangent_coordinates(m, at, x), points, unit is not None)]


def _knots(m: Manifold, x: Array, edges: NDArray[np.int64], place: Callable[[Array], Array]) -> Array:
    """Intermediate points on the geodesic of each edge."""
    a, b = x[edges[:, 0]], x[edges[:, 1]]
    u = m.log(a, b)
    return np.stack(
        [place(m.project(m.exp(a, k / GEODESIC_PIECES * u))) for k in range(1, GEODESIC_PIECES)], axis=1
    )


def _ellipses(m: Manifold, where: Array, cone: Array, resized: bool) -> View:
    """Ellipses of the matrices, placed by two principal components of their tangent coordinates."""
    points, kept = principal_components(where, 2)
    caption = "Every node is the ellipse of its matrix"
    caption += ". " if m.symbol == "BW" else " in a basis in which the mean is a circle. "
    caption += "Ellipses are placed by two principal components of their tangent coordinates at the mean, "
    caption += f"which keep {kept:.0%} of the variance."
    caption += " Their shapes are exact; their sizes are on a logarithmic scale." if resized else ""
    note = f"placed by two principal components ({kept:.0%})"
    return View(
        "ellipses",
        f"Ellipses, {m}",
        caption,
        0.85 * fit_unit_ball(points),
        matrices=_entries(cone),
        note=note,
    )


def centre_at_identity(m: Manifold, at: Array, x: Array) -> Array:
    """Matrices moved by a similarity so that their mean is the identity (BW: so that it has trace two)."""
    values, vectors = eigh(at)
    if m.symbol == "BW":
        return x * (2.0 / float(values.sum()))
    if m.symbol == "LogSPD":
        logs = apply(np.log, *eigh(x)) - apply(np.log, values, vectors)
        return apply(np.exp, *eigh(logs))
    return congruence(apply(lambda v: 1.0 / np.sqrt(v), values, vectors), x)


def cone_coordinates(x: Array) -> Array:
    """Coordinates of matrices in the cone."""
    a, b, c = x[:, 0, 0], x[:, 0, 1], x[:, 1, 1]
    return np.stack([0.5 * (a - c), b, 0.5 * (a + c)], axis=1)


def _in_cone(rays: Array, unit: float | None) -> Array:
    """Coordinates with the same directions and heights ``z``, or log(1 + z/unit) if there is a unit."""
    if unit is None:
        return rays
    height = rays[:, 2:]
    return rays * (np.log1p(height / unit) / height)


def _entries(rays: Array) -> Array:
    """Entries a, b, c of the matrices with these coordinates in the cone."""
    return np.stack([rays[:, 2] + rays[:, 0], rays[:, 1], rays[:, 2] - rays[:, 0]], axis=1)
