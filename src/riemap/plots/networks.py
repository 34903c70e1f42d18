"""A graph drawn as dots and lines that are coloured by curvature."""

from typing import TYPE_CHECKING, Any

import numpy as np

from riemap.graphs import Graph
from riemap.plots.style import INK, add_colour_bar, axes_or_new, escape_dollars, styled
from riemap.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVATURE_COLOURMAP = "RdYlBu"
"""Matplotlib's colour map of curvatures: red is negative, blue is positive."""

DOT_AREAS = (3.0, 60.0)
"""Areas of the smallest and the largest dot of a small graph, in square points, on axes of six inches."""


@styled
def network(
    graph: Graph,
    positions: Array,
    edges: Array,
    *,
    label: str = "Ollivier-Ricci curvature",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a graph. Edges are coloured by their numbers, nodes by the mean over their edges.

    Red is negative, where the graph branches; blue is positive, where it has many short cycles. Nodes of
    higher degree are larger.

    Parameters
    ----------
    graph
        The graph to draw.
    positions
        Positions of its nodes, ``(n, 2)``.
    edges
        A number per edge, in the order of :meth:`Graph.edges`.
    label
        Label of the colour bar.
    ax
        Axes to draw into; by default, those of a new figure.

    Returns
    -------
    Axes
        The axes with the graph.

    Examples
    --------
    >>> graph = Graph.from_edges([(0, 1), (1, 2)], name="path")
    >>> ax = network(graph, np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), np.array([-1.0, 1.0]))
    >>> ax.get_title()
    'path: 3 nodes, 2 edges'
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    ax = axes_or_new(ax, 6.0, 6.0)
    _draw_network(ax, graph, positions, edges, label)
    ax.set_aspect("equal")
    ax.autoscale_view()
    ax.set_axis_off()
    ax.set_title(f"{escape_dollars(graph.name)}: {graph.n:,} nodes, {graph.m:,} edges")
    return ax


def _draw_network(ax: "Axes", graph: Graph, positions: Array, edges: Array, label: str) -> None:
    from matplotlib.collections import LineCollection

    ends, degrees = graph.edges(), graph.degrees
    means = np.bincount(ends.ravel(), np.repeat(edges, 2), graph.n) / degrees
    span = float(np.quantile(np.abs(edges), 0.98)) or 1.0  # extreme values would make all others pale
    order = np.argsort(np.abs(edges))  # edges with the largest absolute values are drawn on top
    width = 1.2 / (1.0 + graph.m / 5000.0) + 0.15
    colours: dict[str, Any] = {"array": edges[order], "cmap": CURVATURE_COLOURMAP}
    lines = LineCollection(list(positions[ends[order]]), linewidths=width, alpha=0.8, **colours)
    lines.set_clim(-span, span)
    ax.add_collection(lines)
    small, large = np.array(DOT_AREAS) / (1.0 + graph.n / 3000.0)
    sizes = small + (large - small) * degrees / degrees.max()
    x, y = positions.T
    outline: dict[str, Any] = {"edgecolors": INK, "linewidths": 0.15}
    dots = ax.scatter(x, y, sizes, means, cmap=CURVATURE_COLOURMAP, zorder=2, **outline)
    dots.set_clim(-span, span)
    add_colour_bar(dots, ax, label, shrink=0.5, pad=0.01, extend="both")
