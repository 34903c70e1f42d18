"""The picture of each factor, and of all factors of an embedding."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from riemap.embeddings import Embedding
from riemap.manifolds import Manifold
from riemap.types import Array
from riemap.views.coordinates import fit_unit_ball, mean_tangents, principal_components
from riemap.views.positive_matrices import matrix_views
from riemap.views.view import View

LARGEST_SHOWN_FACTORS = 12
"""Largest number of factors of a product that are shown; each one adds a copy of all nodes to the page."""

POSITIVE_DEFINITE_SYMBOLS = ("SPD", "Stein", "LogSPD", "BW")
"""Symbols of the manifolds of symmetric positive definite matrices."""


def views(embedding: Embedding, edges: NDArray[np.int64]) -> list[View]:
    """Make the pictures of every factor of an embedding.

    Parameters
    ----------
    embedding
        The embedding to show.
    edges
        ``(m, 2)``, node numbers of the edges to draw.

    Returns
    -------
    list of View
        In the order of the factors; only the first twelve factors of a product are shown.

    Examples
    --------
    >>> from riemap.spaces import Space
    >>> points = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> plane = Embedding(Space.parse("E2"), (points,), np.zeros(1), ("a", "b"))
    >>> [view.kind for view in views(plane, np.array([[0, 1]]))]
    ['plane']
    """
    factors, found = embedding.space.factors, list[View]()
    shares = embedding.shares() if len(factors) > 1 else [1.0]
    parts = list(zip(factors, embedding.points, embedding.scales, shares, strict=True))
    for m, x, scale, share in parts[:LARGEST_SHOWN_FACTORS]:
        for view in factor_views(m, x, edges):
            weight = (
                f" It makes {share:.0%} of the squared distances of the product (its scale is {scale:.3g})."
            )
            found.append(replace(view, caption=view.caption + weight) if len(factors) > 1 else view)
    return found


def factor_views(m: Manifold, x: Array, edges: NDArray[np.int64]) -> list[View]:
    """Make the pictures of one factor.

    Parameters
    ----------
    m
        The factor.
    x
        ``(n, *m.shape)``, points of the factor.
    edges
        ``(m, 2)``, node numbers of the edges to draw.

    Returns
    -------
    list of View
        Two for 2 x 2 positive definite matrices (cone and ellipses), one for other factors.

    Examples
    --------
    >>> from riemap.manifolds import MANIFOLDS
    >>> line = MANIFOLDS[0](1)
    >>> factor_views(line, np.array([[0.0], [4.0]]), np.array([[0, 1]]))[0].points.tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    if m.symbol in POSITIVE_DEFINITE_SYMBOLS and m.shape == (2, 2):
        return matrix_views(m, x, edges)
    for known, draw in _PICTURES.items():
        if str(m) == known:
            return [draw(m, x)]
    return [_components(m, x)]


# --- hyperbolic, spherical, flat --------------------------------------------------------------------


def _ball(m: Manifold, x: Array) -> View:
    """Poincaré ball: radius tanh(r/2) in the direction seen from the mean, which is at the centre."""
    u = mean_tangents(m, x)
    length = np.linalg.norm(u, axis=1, keepdims=True)
    points = u * np.divide(np.tanh(0.5 * length), length, out=np.zeros_like(length), where=length > 0.0)
    if m.dim == 2:
        caption = (
            "The circle contains the whole hyperbolic plane. Edges are geodesics. Drag to move the view."
        )
        return View("disk", f"Poincaré disk, {m}", caption, points)
    caption = "The ball contains the whole hyperbolic space. Edges are geodesics. Drag to rotate it."
    return View("ball", f"Poincaré ball, {m}", caption, points)


def _globe(m: Manifold, x: Array) -> View:
    u = mean_tangents(m, x)
    length = np.linalg.norm(u, axis=1, keepdims=True)
    sine = np.divide(np.sin(length), length, out=np.ones_like(length), where=length > 0.0)
    points = np.concatenate([u * sine, np.cos(length)], axis=1)
    caption = "Edges are arcs of great circles. The far side of the globe is pale. Drag to rotate it."
    if m.symbol == "Gr":
        caption += (
            " A node is a line through the centre, so opposite points are the same: the one nearer to the "
            "mean is drawn, and an edge takes the shorter way, which may end at the opposite point."
        )
    return View("globe", f"Globe, {m}", caption, points, opposite=m.symbol == "Gr")


def _flat(m: Manifold, x: Array) -> View:
    kind = {1: "line", 2: "plane", 3: "space"}[m.dim]
    return View(kind, f"{m.name.capitalize()}, {m}", _FLAT_CAPTIONS[kind], fit_unit_ball(mean_tangents(m, x)))


def _circle(m: Manifold, x: Array) -> View:
    angle = mean_tangents(m, x)[:, 0] + 0.5 * np.pi
    points = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    caption = "Distances are measured along the circle; edges are drawn as chords."
    return View("circle", f"Circle, {m}", caption, points)


_FLAT_CAPTIONS = {
    "line": "Nodes are on a line; edges are arcs above it.",
    "plane": "Distances are those of the plane; edges are straight.",
    "space": "Distances are those of the space; edges are straight. Drag to rotate it.",
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
    """At most three principal components of the tangent coordinates."""
    points, kept = principal_components(mean_tangents(m, x), min(3, m.dim))
    caption = f"Tangent coordinates at the Fréchet mean of {m} ({m.dim} dimensions)"
    note = "tangent coordinates at the Fréchet mean"
    if m.dim > 3:
        note += f", three by PCA ({kept:.0%})"
        caption += f", reduced to three by PCA, which keeps {kept:.0%} of the variance"
    caption += ". Distances differ from those of the space. Edges are straight."
    kind = {1: "line", 2: "plane", 3: "space"}[points.shape[1]]
    return View(kind, f"Tangent space at the mean, {m}", caption, fit_unit_ball(points), note=note)
