"""What a factor of a space looks like: coordinates to draw, how to draw them, and what to say of it.

Hyperbolic space is shown as Poincaré's ball about the Fréchet mean, the sphere as a globe that turns the mean
towards the reader, 2 x 2 matrices in their cone and as ellipses. What has no picture of its own is shown
through tangent coordinates at the mean, of which principal components keep three.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from riemap.embeddings import Embedding
from riemap.linalg import apply, congruence, eigh
from riemap.manifolds import Manifold
from riemap.means import frechet_mean, tangent_coordinates
from riemap.types import Array

STEPS = 4
"""Pieces in which a geodesic between matrices is drawn."""

CURVED = 30_000
"""Most edges between matrices that are drawn as geodesics; more of them are straight."""

TALL = 20.0
"""Height of the tallest matrix in the cone, over the median, from which logarithms of heights are shown."""

MOST = 12
"""Factors of a product that are shown."""

POSITIVE = ("SPD", "Stein", "LogSPD", "BW")


@final
@dataclass(frozen=True, eq=False)
class View:
    """A picture of all nodes.

    Parameters
    ----------
    kind
        How it is drawn: ``disk ball globe cone ellipses plane space circle line``.
    title, caption
        What it is, and how to read it.
    points
        ``(n, 2)`` or ``(n, 3)``, within the unit ball.
    knots
        ``(m, k, 3)``, places that each edge goes through, where ``kind`` does not tell.
    matrices
        ``(n, 3)``, the entries a, b, c of the matrices that ellipses show.
    opposite
        Whether opposite points of a globe are the same.
    note
        What is not as it seems, in a few words, for the title of a figure.
    """

    kind: str
    title: str
    caption: str
    points: Array
    knots: Array | None = None
    matrices: Array | None = None
    opposite: bool = False
    note: str | None = None

    def as_json(self) -> dict[str, Any]:
        """What the page needs."""
        return {key: value for key, value in vars(self).items() if value is not None}


def views(embedding: Embedding, edges: NDArray[np.int64]) -> list[View]:
    """The pictures of every factor, in order; of more than twelve, the first."""
    factors, scales = embedding.space.factors, np.exp(embedding.log_scales)
    found: list[View] = []
    for m, x, scale in list(zip(factors, embedding.points, scales, strict=True))[:MOST]:
        for view in factor_views(m, x, edges):
            said = f" In the product, its squared distances count {scale:.3g} times."
            found.append(replace(view, caption=view.caption + said) if len(factors) > 1 else view)
    return found


def factor_views(m: Manifold, x: Array, edges: NDArray[np.int64]) -> list[View]:
    """The pictures of one factor."""
    if m.symbol in POSITIVE and m.shape == (2, 2):
        return _matrices(m, x, edges)
    for known, draw in _PICTURES.items():
        if str(m) == known:
            return [draw(m, x)]
    return [_components(m, x)]


def tangents(m: Manifold, x: Array) -> Array:
    """Coordinates as seen from the Fréchet mean, ``(n, m.dim)``."""
    return tangent_coordinates(m, frechet_mean(m, x), x)


# --- hyperbolic, spherical, flat --------------------------------------------------------------------


def _ball(m: Manifold, x: Array) -> View:
    """tanh(r/2), in the direction that the mean sees: the isometry that takes the mean to the centre."""
    u = tangents(m, x)
    length = np.linalg.norm(u, axis=1, keepdims=True)
    points = u * np.divide(np.tanh(0.5 * length), length, out=np.zeros_like(length), where=length > 0.0)
    if m.dim == 2:
        said = (
            "All of the hyperbolic plane is inside the circle; edges are geodesics. Drag to move about in it."
        )
        return View("disk", f"Poincaré disk, {m}", said, points)
    said = "All of hyperbolic space is inside the ball; edges are geodesics. Drag to turn it."
    return View("ball", f"Poincaré ball, {m}", said, points)


def _globe(m: Manifold, x: Array) -> View:
    u = tangents(m, x)
    length = np.linalg.norm(u, axis=1, keepdims=True)
    sine = np.divide(np.sin(length), length, out=np.ones_like(length), where=length > 0.0)
    points = np.concatenate([u * sine, np.cos(length)], axis=1)
    said = "Edges are arcs of great circles; what is behind the globe is pale. Drag to turn it."
    if m.symbol == "Gr":
        said += (
            " A node is a line through the centre, so that opposite points are the same: the one nearer to "
            "the mean is drawn, and an edge goes the shorter way, if need be to the opposite point."
        )
    return View("globe", f"Globe, {m}", said, points, opposite=m.symbol == "Gr")


def _flat(m: Manifold, x: Array) -> View:
    kind = {1: "line", 2: "plane", 3: "space"}[m.dim]
    return View(kind, f"{m.name.capitalize()}, {m}", _HOW[kind], _fitted(tangents(m, x)))


def _circle(m: Manifold, x: Array) -> View:
    angle = tangents(m, x)[:, 0] + 0.5 * np.pi
    points = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return View("circle", f"Circle, {m}", "Distances run along the circle; edges are drawn across.", points)


_HOW = {
    "line": "Nodes lie on a line; edges are arcs above it.",
    "plane": "The plane as it is; edges are straight.",
    "space": "Space as it is; edges are straight. Drag to turn it.",
}

_PICTURES: dict[str, Callable[[Manifold, Array], View]] = {
    "H1": _flat,
    "H2": _ball,
    "H3": _ball,
    "S1": _circle,
    "S2": _globe,
    "Gr(1,3)": _globe,
    "E1": _flat,
    "E2": _flat,
    "E3": _flat,
}


def _components(m: Manifold, x: Array) -> View:
    """Principal components of the tangent coordinates, at most three."""
    points, kept = _principal(tangents(m, x), min(3, m.dim))
    said = f"Tangent coordinates at the Fréchet mean of {m} ({m.dim} dimensions)"
    note = "tangent coordinates at the Fréchet mean"
    if m.dim > 3:
        note += f", three by PCA ({kept:.0%})"
        said += f", reduced to three by PCA, which keeps {kept:.0%} of their variance"
    said += ". Distances here are not quite those of the space; edges are straight."
    kind = {1: "line", 2: "plane", 3: "space"}[points.shape[1]]
    return View(kind, f"Seen from the mean, {m}", said, _fitted(points), note=note)


def _principal(u: Array, count: int) -> tuple[Array, float]:
    """The first principal components, and their share of the variance."""
    left, sizes, _ = np.linalg.svd(u - u.mean(axis=0), full_matrices=False)
    total = float(np.sum(sizes**2))
    kept = 1.0 if total == 0.0 else float(np.sum(sizes[:count] ** 2)) / total
    return left[:, :count] * sizes[:count], kept


def _fitted(points: Array) -> Array:
    """About the middle of their range, in the unit ball; on a line, with a zero beside the coordinate."""
    if points.shape[1] == 1:
        points = np.concatenate([points, np.zeros_like(points)], axis=1)
    centred = points - 0.5 * (points.min(axis=0) + points.max(axis=0))
    return centred / (float(np.linalg.norm(centred, axis=1).max()) or 1.0)


# --- positive definite matrices ---------------------------------------------------------------------


def _matrices(m: Manifold, x: Array, edges: NDArray[np.int64]) -> list[View]:
    """The cone, where (a − c)/2 and b are across and (a + c)/2 is up, and ellipses in the plane."""
    at = frechet_mean(m, x)
    heights = _rays(_about(m, at, x))[:, 2]
    low, middle, high = (float(q) for q in np.quantile(heights, (0.1, 0.5, 1.0)))
    unit = low if high > TALL * middle else None

    def place(matrices: Array) -> Array:
        return _in_cone(_rays(_about(m, at, matrices)), unit)

    points, size = place(x), float(place(x)[:, 2].max())
    knots = _knots(m, x, edges, place) if 0 < len(edges) <= CURVED else None
    said = "A matrix with entries a, b, b, c stands at ((a − c)/2, b) and at height (a + c)/2; the boundary "
    said += "of the cone is singular." + ("" if unit is None else " Heights are on a logarithmic scale.")
    said += " The mean is as high as the identity." if m.symbol == "BW" else " The mean is the identity."
    said += " Edges are straight." if knots is None else " Edges are geodesics."
    note = None if unit is None else "heights on a logarithmic scale"
    cone = View("cone", f"Cone, {m}", said, points / size, None if knots is None else knots / size, note=note)
    return [cone, _ellipses(m, tangent_coordinates(m, at, x), points, unit is not None)]


def _knots(m: Manifold, x: Array, edges: NDArray[np.int64], place: Callable[[Array], Array]) -> Array:
    """Places on the geodesics of the edges, between their ends."""
    a, b = x[edges[:, 0]], x[edges[:, 1]]
    u = m.log(a, b)
    return np.stack([place(m.project(m.exp(a, k / STEPS * u))) for k in range(1, STEPS)], axis=1)


def _ellipses(m: Manifold, where: Array, cone: Array, resized: bool) -> View:
    """Ellipses of the matrices, at the first two principal components of their tangent coordinates."""
    points, kept = _principal(where, 2)
    said = "Every node is the ellipse of its matrix"
    said += ". " if m.symbol == "BW" else ", seen from the mean, which is a circle. "
    said += "Ellipses lie where two principal components of their tangent coordinates at the mean put them, "
    said += f"which keep {kept:.0%} of the variance."
    said += " Their shapes are true, their sizes on a logarithmic scale." if resized else ""
    note = f"placed by two principal components ({kept:.0%})"
    return View(
        "ellipses", f"Ellipses, {m}", said, 0.85 * _fitted(points), matrices=_entries(cone), note=note
    )


def _about(m: Manifold, at: Array, x: Array) -> Array:
    """The matrices moved, by an isometry but for a factor, so that their mean is the identity or as large."""
    values, vectors = eigh(at)
    if m.symbol == "BW":
        return x * (2.0 / float(values.sum()))
    if m.symbol == "LogSPD":
        logs = apply(np.log, *eigh(x)) - apply(np.log, values, vectors)
        return apply(np.exp, *eigh(logs))
    return congruence(apply(lambda v: 1.0 / np.sqrt(v), values, vectors), x)


def _rays(x: Array) -> Array:
    a, b, c = x[:, 0, 0], x[:, 0, 1], x[:, 1, 1]
    return np.stack([0.5 * (a - c), b, 0.5 * (a + c)], axis=1)


def _in_cone(rays: Array, unit: float | None) -> Array:
    """The same directions; heights ``z`` as they are, or log(1 + z/unit)."""
    if unit is None:
        return rays
    height = rays[:, 2:]
    return rays * (np.log1p(height / unit) / height)


def _entries(rays: Array) -> Array:
    """a, b, c of the matrices whose places these are."""
    return np.stack([rays[:, 2] + rays[:, 0], rays[:, 1], rays[:, 2] - rays[:, 0]], axis=1)
