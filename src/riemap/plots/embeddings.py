"""Pictures of an embedding: a disk, a ball, a globe, a cone, ellipses, or principal components."""

import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.graphs import AnyGraph, Graph, take_graph
from riemap.plots.colouring import DEFAULT_NODE_COLOUR, Colouring
from riemap.plots.edge_paths import edge_paths
from riemap.plots.guides import guides
from riemap.plots.node_names import PlotWarning, draw_names
from riemap.plots.style import FAINT, axes_or_new, escape_dollars, new_figure, styled
from riemap.plots.view_layers import (
    draw_boundary,
    draw_edges,
    draw_ellipses,
    draw_nodes,
    screen_rotation,
)
from riemap.views import View, views

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURE_SIDE = 4.2
"""Width and height of a picture, in inches."""


@styled
def embedding(
    embedded: Any,
    graph: Any = None,
    *,
    colouring: Colouring | None = None,
    names: int = 0,
) -> "Figure":
    """Draw an embedding, with a picture for each factor of the space. 2 x 2 matrices have two pictures.

    Parameters
    ----------
    embedded
        The embedding to draw, or a fit.
    graph
        Its graph, in any form that :func:`riemap.embed` takes; by default that of the fit. Nodes are matched
        by label.
    colouring
        Colours of the nodes, in the order of the graph's nodes; by default, all are alike.
    names
        How many nodes to name: those with the most neighbours. A name for which there is no room, without
        covering another, is left out, and a :class:`PlotWarning` says how many are.

    Returns
    -------
    Figure
        A figure with the pictures side by side.

    Raises
    ------
    InputError
        If the nodes of the embedding are not those of the graph.

    Examples
    --------
    >>> from riemap import Embedding, Graph, Space
    >>> graph = Graph.from_edges([(0, 1), (1, 2)], name="path")
    >>> points = (np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0]]),)
    >>> figure = embedding(Embedding(Space.parse("E2"), points, np.zeros(1), (0, 1, 2)), graph)
    >>> len(figure.axes)
    1
    >>> import matplotlib.pyplot as plt
    >>> plt.close(figure)
    """
    if graph is None and not hasattr(embedded, "graph"):
        raise InputError("an embedding does not hold its graph; give both, e.g. embedding(e, 'karate')")
    graph = take_graph(embedded.graph if graph is None else graph)
    embedded = getattr(embedded, "embedding", embedded)
    edges = graph.edges() if isinstance(graph, Graph) else np.zeros((0, 2), np.int64)
    found = views(embedded.aligned_to(graph), edges)
    figure, axes = new_figure(1, len(found), PICTURE_SIDE * len(found) + 0.6, PICTURE_SIDE + 0.35)
    for ax, view in zip(axes[0], found, strict=True):
        picture(view, edges, colouring=colouring, ax=ax)
    if colouring is not None:
        colouring.add_legend(list(axes[0]))
    axes[0, 0].set_title(f"{escape_dollars(graph.name)}: {axes[0, 0].get_title()}")
    for ax, view in zip(axes[0], found, strict=True):
        _add_names(ax, view, _best_connected(graph, edges, names))
    return figure


@styled
def picture(
    view: View,
    edges: NDArray[np.int64],
    *,
    colouring: Colouring | None = None,
    names: Mapping[int, str] = MappingProxyType({}),
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw one view of an embedding: its boundary, edges and nodes.

    Parameters
    ----------
    view
        The view to draw, from :func:`riemap.views.views`.
    edges
        Pairs of nodes, ``(m, 2)``.
    colouring
        Colours of the nodes; by default, all are alike.
    names
        Names of some nodes, by number. A name that would cover an earlier one is left out.
    ax
        Axes to draw into; by default, those of a new figure.

    Returns
    -------
    Axes
        The axes with the picture.

    Examples
    --------
    >>> view = View("plane", "E2", "", np.array([[0.0, 0.0], [0.5, 0.5]]))
    >>> ax = picture(view, np.array([[0, 1]]))
    >>> ax.get_title()
    'E2'
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    ax = axes_or_new(ax, PICTURE_SIDE, PICTURE_SIDE)
    _draw_view(ax, view, edges, colouring)
    ax.set_aspect("equal")
    ax.autoscale_view()
    ax.set_axis_off()
    ax.set_title(f"{view.title}\n{view.note}" if view.note else view.title)
    _add_names(ax, view, names)
    return ax


def _add_names(ax: "Axes", view: View, names: Mapping[int, str]) -> None:
    """Write names beside their nodes, and warn if some find no place."""
    if not names:
        return
    ax.figure.canvas.figure.draw_without_rendering()  # completes the layout
    drawn = draw_names(ax, view.points @ screen_rotation(view), names)
    if drawn < len(names):
        warnings.warn(
            f"{view.title}: {drawn} of {len(names)} names are drawn; there is no room for the others that is "
            "inside of the picture and not on another name",
            PlotWarning,
            stacklevel=4,
        )


def _draw_view(ax: "Axes", view: View, edges: NDArray[np.int64], colouring: Colouring | None) -> None:
    from matplotlib.colors import to_rgb

    count, rotation = len(view.points), screen_rotation(view)
    colours = np.tile(to_rgb(DEFAULT_NODE_COLOUR), (count, 1)) if colouring is None else colouring.colours()
    for line in guides(view.kind):
        ax.plot(*(line @ rotation[:, :2]).T, color=FAINT, linewidth=0.6, zorder=0.5)
    draw_boundary(ax, view.kind)
    if view.matrices is not None:
        draw_ellipses(ax, view, colours)
    else:
        draw_edges(ax, edge_paths(view, edges) @ rotation, view.kind)
        draw_nodes(ax, view.points @ rotation, colours, view.kind)


def _best_connected(graph: AnyGraph, edges: NDArray[np.int64], count: int) -> dict[int, str]:
    """Labels of the nodes with the most neighbours, by number."""
    degrees = np.bincount(edges.ravel(), minlength=graph.n)
    return {int(i): str(graph.labels[i]) for i in np.argsort(-degrees, kind="stable")[:count]}
