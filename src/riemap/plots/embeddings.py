"""An embedding as a picture: a disk, a ball, a globe, a cone, ellipses, or what principal components keep.

Solid views are seen from far away along an axis; what is farther from the reader is paler.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riemap.embeddings import Embedding
from riemap.graphs import Dissimilarities, Graph
from riemap.plots.chains import chains
from riemap.plots.colouring import PLAIN, Colouring
from riemap.plots.guides import guides
from riemap.plots.style import FAINT, INK, figure, new_axes, plain, styled
from riemap.types import Array
from riemap.views import View, views

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE = 4.2
"""Inches of a picture."""

FAR = 0.6
"""How much of the colour of the farthest node is white."""

LETTER, LINE = 0.04, 0.08
"""About as wide and as high as letters are, where the picture is two wide."""

EDGE = np.array((0.42, 0.45, 0.5))
"""Colour of an edge."""


@styled
def embedding(
    embedded: Embedding,
    graph: Graph | Dissimilarities,
    *,
    colouring: Colouring | None = None,
    names: int = 0,
) -> "Figure":
    """Every factor of the space in axes of its own, side by side; 2 x 2 matrices also as ellipses.

    Parameters
    ----------
    embedded, graph
        Their nodes are matched by label.
    colouring
        Of the nodes, in the order of the graph's.
    names
        How many nodes to name, those with the most neighbours; where names would overlap, fewer.
    """
    edges = graph.edges() if isinstance(graph, Graph) else np.zeros((0, 2), np.int64)
    found = views(embedded.aligned_to(graph), edges)
    drawn, axes = figure(1, len(found), SIDE * len(found) + 0.6, SIDE + 0.35)
    for ax, view in zip(axes[0], found, strict=True):
        picture(view, edges, colouring=colouring, names=_famous(graph, edges, names), ax=ax)
    if colouring is not None:
        colouring.key(list(axes[0]))
    axes[0, 0].set_title(f"{plain(graph.name)}: {axes[0, 0].get_title()}")
    return drawn


@styled
def picture(
    view: View,
    edges: NDArray[np.int64],
    *,
    colouring: Colouring | None = None,
    names: Mapping[int, str] = MappingProxyType({}),
    ax: "Axes | None" = None,
) -> "Axes":
    """One view: its boundary, its edges, its nodes.

    Parameters
    ----------
    view
        What to draw, of :func:`riemap.views.views`.
    edges
        Pairs of nodes, ``(m, 2)``.
    colouring
        Of the nodes; without it they are all alike.
    names
        Of some nodes, by number; one that would cover another is left out.
    ax
        Where to draw; new axes by default.
    """
    from matplotlib.colors import to_rgb

    ax = new_axes(ax, SIDE, SIDE)
    count = len(view.points)
    colours = np.tile(to_rgb(PLAIN), (count, 1)) if colouring is None else colouring.colours()
    turn = _turn(view)
    for line in guides(view.kind):
        ax.plot(*(line @ turn[:, :2]).T, color=FAINT, linewidth=0.6, zorder=0.5)
    _boundary(ax, view.kind)
    if view.matrices is not None:
        _ellipses(ax, view, colours)
    else:
        _edges(ax, chains(view, edges) @ turn, view.kind)
        _nodes(ax, view.points @ turn, colours, view.kind)
    _names(ax, view.points @ turn, names)
    ax.set_aspect("equal")
    ax.autoscale_view()
    ax.set_axis_off()
    ax.set_title(f"{view.title}\n{view.note}" if view.note else view.title)
    return ax


def _famous(graph: Graph | Dissimilarities, edges: NDArray[np.int64], count: int) -> dict[int, str]:
    degrees = np.bincount(edges.ravel(), minlength=graph.n)
    return {int(i): str(graph.labels[i]) for i in np.argsort(-degrees, kind="stable")[:count]}


def _names(ax: "Axes", places: Array, names: Mapping[int, str]) -> None:
    """Beside their nodes, with a white rim."""
    from matplotlib.patheffects import withStroke

    taken: list[tuple[float, float, float]] = []
    for i, name in names.items():
        x, y, width = *places[i, :2], LETTER * len(name)
        if any(abs(y - v) < LINE and x < u + w and u < x + width for u, v, w in taken):
            continue
        taken.append((x, y, width))
        rim = [withStroke(linewidth=2.5, foreground="white")]
        ax.annotate(
            plain(name), (x, y), (4, 0), textcoords="offset points", va="center", fontsize=8, path_effects=rim
        )


def _turn(view: View) -> Array:
    """A rotation to coordinates that are across, up, and towards the reader."""
    width = view.points.shape[1]
    if view.kind in ("ball", "space"):  # the widest two directions across and up
        turn: Array = (
            np.linalg.svd(view.points, full_matrices=True)[2].T if len(view.points) > 2 else np.eye(3)
        )
        return turn
    if view.kind == "cone":  # from a little above
        tilt = 0.3
        return np.array(
            [[1.0, 0.0, 0.0], [0.0, np.sin(tilt), -np.cos(tilt)], [0.0, np.cos(tilt), np.sin(tilt)]]
        )
    return np.eye(width)


def _depth(places: Array, kind: str) -> Array:
    """From 0, next to the reader, to 1; what lies behind a globe is far."""
    if places.shape[-1] < 3:
        return np.zeros(places.shape[:-1])
    if kind == "globe":
        return np.where(places[..., 2] < -0.01, 1.0, 0.0)
    low, high = float(places[..., 2].min()), float(places[..., 2].max())
    return (high - places[..., 2]) / (high - low or 1.0)


def _pale(colours: Array, depth: Array) -> Array:
    share = FAR * depth[..., None]
    return colours * (1.0 - share) + share


def _edges(ax: "Axes", places: Array, kind: str) -> None:
    from matplotlib.collections import LineCollection

    if len(places) == 0:
        return
    pieces = np.stack([places[:, :-1], places[:, 1:]], axis=2)  # each has a depth of its own
    if places.shape[-1] < 3:
        lines: Sequence[Array] = list(places)
        colours = np.tile(EDGE, (len(lines), 1))
    else:
        pieces = pieces.reshape(-1, 2, 3)
        depth = _depth(pieces.mean(axis=1), kind)
        order = np.argsort(-depth, kind="stable")
        lines, colours = list(pieces[order][..., :2]), _pale(EDGE, depth[order])
    width = 0.25 + 0.6 / (1.0 + len(places) / 500.0)
    ax.add_collection(LineCollection(lines, colors=colours, linewidths=width, alpha=0.55, zorder=1))


def _nodes(ax: "Axes", places: Array, colours: Array, kind: str) -> None:
    depth = _depth(places, kind)
    order = np.argsort(-depth, kind="stable")
    x, y = places[order, :2].T
    size = 6.0 + 34.0 / (1.0 + len(places) / 150.0)
    ax.scatter(
        x,
        y,
        s=size * (1.0 - 0.4 * depth[order]),
        c=_pale(colours, depth)[order],
        edgecolors=list(map(tuple, _pale(np.full((len(places), 3), 0.2), depth)[order])),
        linewidths=0.3,
        zorder=2,
        clip_on=False,
    )


def _boundary(ax: "Axes", kind: str) -> None:
    from matplotlib.patches import Circle

    if kind in ("disk", "ball", "globe", "circle"):
        face = "#f7f8fa" if kind != "circle" else "none"
        ax.add_patch(Circle((0, 0), 1, facecolor=face, edgecolor="none", zorder=0.1))
        ax.add_patch(Circle((0, 0), 1, facecolor="none", edgecolor=INK, linewidth=0.8, zorder=0.6))


def _ellipses(ax: "Axes", view: View, colours: Array) -> None:
    """Half axes are the roots of the eigenvalues, in a common unit."""
    from matplotlib.collections import PolyCollection

    assert view.matrices is not None
    a, b, c = view.matrices.T
    middle, far = 0.5 * (a + c), np.hypot(0.5 * (a - c), b)
    unit = 0.45 / np.sqrt(len(a)) / np.sqrt(np.quantile(middle, 0.8))
    turn, tilt = np.linspace(0.0, 2.0 * np.pi, 49), 0.5 * np.arctan2(b, 0.5 * (a - c))[:, None]
    x = unit * np.sqrt(middle + far)[:, None] * np.cos(turn)
    y = unit * np.sqrt(np.maximum(middle - far, 0.0))[:, None] * np.sin(turn)
    outline = np.stack([x * np.cos(tilt) - y * np.sin(tilt), x * np.sin(tilt) + y * np.cos(tilt)], axis=-1)
    order = np.argsort(-middle, kind="stable")  # the small on top
    shapes = list((outline + view.points[:, None])[order])
    faces = np.concatenate([colours[order], np.full((len(a), 1), 0.45)], axis=1)
    ax.add_collection(
        PolyCollection(shapes, facecolors=faces, edgecolors=colours[order] * 0.75, linewidths=0.6)
    )
