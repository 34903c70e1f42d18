"""A graph as dots and lines, coloured by curvature."""

from typing import TYPE_CHECKING

import numpy as np

from riemap.graphs import Graph
from riemap.plots.style import INK, new_axes, plain, styled
from riemap.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = "RdYlBu"

SIZES = (3.0, 60.0)
"""Areas of the smallest and of the largest dot, in square points, on axes of six inches."""


@styled
def network(
    graph: Graph,
    positions: Array,
    edges: Array,
    *,
    label: str = "Ollivier-Ricci curvature",
    ax: "Axes | None" = None,
) -> "Axes":
    """Edges coloured by a number of their own, nodes by the mean of their edges' and sized by degree.

    Red is negative, where the graph branches; blue is positive, where it closes up.

    Parameters
    ----------
    graph
        What to draw.
    positions
        Of its nodes, ``(n, 2)``.
    edges
        A number an edge, in the order of :meth:`Graph.edges`.
    """
    from matplotlib.collections import LineCollection

    ax = new_axes(ax, 6.0, 6.0)
    ends, degrees = graph.edges(), graph.degrees
    means = np.bincount(ends.ravel(), np.repeat(edges, 2), graph.n) / degrees
    span = float(np.quantile(np.abs(edges), 0.98)) or 1.0  # a few extremes would leave the rest pale
    order = np.argsort(np.abs(edges))  # the strongest on top
    width = 1.2 / (1.0 + graph.m / 5000.0) + 0.15
    lines = LineCollection(
        list(positions[ends[order]]), array=edges[order], linewidths=width, alpha=0.8, cmap=COLOURS
    )
    lines.set_clim(-span, span)
    ax.add_collection(lines)
    small, large = np.array(SIZES) / (1.0 + graph.n / 3000.0)
    sizes = small + (large - small) * degrees / degrees.max()
    x, y = positions.T
    dots = ax.scatter(x, y, sizes, means, cmap=COLOURS, edgecolors=INK, linewidths=0.15, zorder=2)
    dots.set_clim(-span, span)
    ax.set_aspect("equal")
    ax.autoscale_view()
    ax.set_axis_off()
    ax.set_title(f"{plain(graph.name)}: {graph.n:,} nodes, {graph.m:,} edges")
    bar = ax.figure.colorbar(dots, ax=ax, shrink=0.5, aspect=25, pad=0.01, extend="both")
    bar.set_label(label)
    bar.outline.set_visible(False)
    return ax
