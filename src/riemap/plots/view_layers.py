"""The layers of a picture of a view: boundary, edges, nodes and ellipses.

Three-dimensional views are drawn in parallel projection; parts that are farther from the reader are paler.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from riemap.plots.style import INK
from riemap.types import Array
from riemap.views import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FARTHEST_WHITE_SHARE = 0.6
"""Share of white in the colour of the farthest node; the nearest has none."""

EDGE_COLOUR = np.array((0.42, 0.45, 0.5))
"""Red, green and blue of an edge: a grey that leaves the colours of the nodes visible."""


def screen_rotation(view: View) -> Array:
    """Return the rotation to coordinates that point right, up, and towards the reader."""
    width = view.points.shape[1]
    if view.kind in ("ball", "space"):  # the two directions of largest variance are shown undistorted
        turn: Array = (
            np.linalg.svd(view.points, full_matrices=True)[2].T if len(view.points) > 2 else np.eye(3)
        )
        return turn
    if view.kind == "cone":  # seen from slightly above
        tilt = 0.3
        return np.array(
            [[1.0, 0.0, 0.0], [0.0, np.sin(tilt), -np.cos(tilt)], [0.0, np.cos(tilt), np.sin(tilt)]]
        )
    return np.eye(width)


def draw_boundary(ax: "Axes", kind: str) -> None:
    """Draw the unit circle around a round view."""
    from matplotlib.patches import Circle

    if kind in ("disk", "ball", "globe", "circle"):
        face = "#f7f8fa" if kind != "circle" else "none"
        ax.add_patch(Circle((0, 0), 1, facecolor=face, edgecolor="none", zorder=0.1))
        ax.add_patch(Circle((0, 0), 1, facecolor="none", edgecolor=INK, linewidth=0.8, zorder=0.6))


def draw_edges(ax: "Axes", paths: Array, kind: str) -> None:
    """Draw edges along their paths, given in screen coordinates."""
    from matplotlib.collections import LineCollection

    if len(paths) == 0:
        return
    if paths.shape[-1] < 3:
        lines: Sequence[Array] = list(paths)
        colours = np.tile(EDGE_COLOUR, (len(lines), 1))
    else:  # every piece of a path has a depth of its own
        pieces = np.stack([paths[:, :-1], paths[:, 1:]], axis=2).reshape(-1, 2, 3)
        depth = _depth(pieces.mean(axis=1), kind)
        order = np.argsort(-depth, kind="stable")
        lines, colours = list(pieces[order][..., :2]), _paler(EDGE_COLOUR, depth[order])
    width = 0.25 + 0.6 / (1.0 + len(paths) / 500.0)
    ax.add_collection(LineCollection(lines, colors=colours, linewidths=width, alpha=0.55, zorder=1))


def draw_nodes(ax: "Axes", places: Array, colours: Array, kind: str) -> None:
    """Draw nodes as dots at their screen coordinates, the farthest first."""
    depth = _depth(places, kind)
    order = np.argsort(-depth, kind="stable")
    x, y = places[order, :2].T
    size = 6.0 + 34.0 / (1.0 + len(places) / 150.0)
    ax.scatter(
        x,
        y,
        s=size * (1.0 - 0.4 * depth[order]),
        c=_paler(colours, depth)[order],
        edgecolors=list(map(tuple, _paler(np.full((len(places), 3), 0.2), depth)[order])),
        linewidths=0.3,
        zorder=2,
        clip_on=False,
    )


def draw_ellipses(ax: "Axes", view: View, colours: Array) -> None:
    """Draw each 2 x 2 matrix as an ellipse whose half axes are the square roots of its eigenvalues."""
    from matplotlib.collections import PolyCollection

    assert view.matrices is not None
    a, b, c = view.matrices.T
    middle, far = 0.5 * (a + c), np.hypot(0.5 * (a - c), b)  # the eigenvalues are middle ± far
    unit = 0.45 / np.sqrt(len(a)) / np.sqrt(np.quantile(middle, 0.8))
    turn, tilt = np.linspace(0.0, 2.0 * np.pi, 49), 0.5 * np.arctan2(b, 0.5 * (a - c))[:, None]
    x = unit * np.sqrt(middle + far)[:, None] * np.cos(turn)
    y = unit * np.sqrt(np.maximum(middle - far, 0.0))[:, None] * np.sin(turn)
    outline = np.stack([x * np.cos(tilt) - y * np.sin(tilt), x * np.sin(tilt) + y * np.cos(tilt)], axis=-1)
    order = np.argsort(-middle, kind="stable")  # small ellipses are drawn on top of large ones
    shapes = list((outline + view.points[:, None])[order])
    faces = np.concatenate([colours[order], np.full((len(a), 1), 0.45)], axis=1)
    ax.add_collection(
        PolyCollection(shapes, facecolors=faces, edgecolors=colours[order] * 0.75, linewidths=0.6)
    )


def _depth(places: Array, kind: str) -> Array:
    """Distance from the reader, from 0 to 1. On a globe it is 0 in front and 1 behind."""
    if places.shape[-1] < 3:
        return np.zeros(places.shape[:-1])
    if kind == "globe":
        return np.where(places[..., 2] < -0.01, 1.0, 0.0)
    low, high = float(places[..., 2].min()), float(places[..., 2].max())
    return (high - places[..., 2]) / (high - low or 1.0)


def _paler(colours: Array, depth: Array) -> Array:
    """Mix colours with white by their depth."""
    share = FARTHEST_WHITE_SHARE * depth[..., None]
    return colours * (1.0 - share) + share
