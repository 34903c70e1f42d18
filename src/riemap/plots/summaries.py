"""Graphs side by side."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from riemap.plots.distributions import boxes
from riemap.plots.faithful import distribution
from riemap.plots.style import FAINT, figure, plain, styled
from riemap.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def summaries(
    degrees: Mapping[str, Array], curvatures: Mapping[str, Array], deltas: Mapping[str, tuple[float, float]]
) -> "Figure":
    """Degrees and sectional curvatures of several graphs as boxes, and a table of their δ-hyperbolicities.

    Parameters
    ----------
    degrees, curvatures
        Numbers by the graph's name.
    deltas
        Mean and maximum by the graph's name.
    """
    drawn, axes = figure(2, 2, max(6.5, 1.5 + 1.3 * len(degrees)), 4.4, gridspec_kw={"height_ratios": (4, 1)})
    boxes(degrees, label="degree", ax=axes[0, 0]).set_yscale("log")
    boxes(curvatures, label="sectional curvature", ax=axes[0, 1])
    axes[0, 1].axhline(0.0, color="black", linewidth=0.6, zorder=0.5)
    for ax in axes[1]:
        ax.remove()
    below = drawn.add_subplot(axes[1, 0].get_gridspec()[1, :])
    below.set_axis_off()
    table = below.table(
        [[f"{delta[k]:.2f}" for delta in deltas.values()] for k in (0, 1)],
        rowLabels=["δ, mean", "δ, largest"],
        colLabels=list(map(plain, deltas)),
        loc="center",
        cellLoc="center",
        edges="horizontal",
    )
    table.auto_set_font_size(False)
    table.set_fontsize(8)
    table.scale(1.0, 1.25)
    for cell in table.get_celld().values():
        cell.set(edgecolor=FAINT, linewidth=0.6)
    return drawn


@styled
def curvature(ricci: tuple[str, Array], angles: tuple[str, Array]) -> "Figure":
    """How a graph curves and how an embedding does: Ricci curvature of edges, sums of angles of triangles.

    Parameters
    ----------
    ricci, angles
        A title, and the numbers.
    """
    drawn, axes = figure(1, 2, 8.6, 3.2)
    distribution(ricci[1], label="Ollivier-Ricci curvature", counted="edges", zero=True, ax=axes[0, 0])
    distribution(angles[1], label="normalised sum of angles", counted="triangles", zero=True, ax=axes[0, 1])
    for ax, (title, _) in zip(axes[0], (ricci, angles), strict=True):
        ax.set_title(plain(title))
    return drawn
