"""Graphs compared with each other, and a graph compared with its embedding."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from riemap.plots.distributions import boxes, distribution
from riemap.plots.style import FAINT, escape_dollars, new_figure, styled
from riemap.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def summaries(
    degrees: Mapping[str, Array], curvatures: Mapping[str, Array], deltas: Mapping[str, tuple[float, float]]
) -> "Figure":
    """Draw degrees and sectional curvatures of several graphs as boxes, with a table of δ-hyperbolicities.

    Parameters
    ----------
    degrees, curvatures
        Degrees of the nodes and sectional curvatures, by the name of a graph.
    deltas
        Mean and maximum of δ, by the name of a graph.

    Returns
    -------
    Figure
        A figure with two axes side by side, and a table below them.

    Examples
    --------
    >>> import numpy as np
    >>> values = {"path": np.array([1.0, 2.0, 2.0, 1.0])}
    >>> figure = summaries(values, values, {"path": (0.0, 0.0)})
    >>> [ax.get_ylabel() for ax in figure.axes[:2]]
    ['degree', 'sectional curvature']
    >>> import matplotlib.pyplot as plt
    >>> plt.close(figure)
    """
    width = max(6.5, 1.5 + 1.3 * len(degrees))
    figure, axes = new_figure(2, 2, width, 4.4, gridspec_kw={"height_ratios": (4, 1)})
    boxes(degrees, label="degree", ax=axes[0, 0]).set_yscale("log")
    boxes(curvatures, label="sectional curvature", ax=axes[0, 1])
    axes[0, 1].axhline(0.0, color="black", linewidth=0.6, zorder=0.5)
    for ax in axes[1]:
        ax.remove()
    below = figure.add_subplot(axes[1, 0].get_gridspec()[1, :])
    below.set_axis_off()
    _delta_table(below, deltas)
    return figure


def _delta_table(ax: Any, deltas: Mapping[str, tuple[float, float]]) -> None:
    table = ax.table(
        [[f"{delta[k]:.2f}" for delta in deltas.values()] for k in (0, 1)],
        rowLabels=["δ, mean", "δ, largest"],
        colLabels=list(map(escape_dollars, deltas)),
        loc="center",
        cellLoc="center",
        edges="horizontal",
    )
    table.auto_set_font_size(False)
    table.set_fontsize(8)
    table.scale(1.0, 1.25)
    for cell in table.get_celld().values():
        cell.set(edgecolor=FAINT, linewidth=0.6)


@styled
def curvature(ricci: tuple[str, Array], angles: tuple[str, Array]) -> "Figure":
    """Draw the Ricci curvature of a graph's edges beside the angle sums of an embedding's triangles.

    Parameters
    ----------
    ricci
        A title, and the Ollivier-Ricci curvature of every edge.
    angles
        A title, and the normalised angle sum of every triangle.

    Returns
    -------
    Figure
        A figure with two histograms side by side.

    Examples
    --------
    >>> import numpy as np
    >>> figure = curvature(("karate", np.array([-0.2, 0.1])), ("in H2", np.array([-0.3, -0.1])))
    >>> [ax.get_title() for ax in figure.axes]
    ['karate', 'in H2']
    >>> import matplotlib.pyplot as plt
    >>> plt.close(figure)
    """
    figure, axes = new_figure(1, 2, 8.6, 3.2)
    distribution(ricci[1], label="Ollivier-Ricci curvature", counted="edges", zero=True, ax=axes[0, 0])
    distribution(angles[1], label="normalised sum of angles", counted="triangles", zero=True, ax=axes[0, 1])
    for ax, (title, _) in zip(axes[0], (ricci, angles), strict=True):
        ax.set_title(escape_dollars(title))
    return figure
