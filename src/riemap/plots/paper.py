"""Figures 2 and 3 of the paper [Cruceru2021].

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from riemap.metrics.curves import Curves
from riemap.paper.figures import Box
from riemap.plots.distributions import WHISKER_STYLE
from riemap.plots.faithfulness import f1_curve
from riemap.plots.style import INK, PALETTE, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BEST_BY_TITLES = {"f1@1": "best by F1@1", "auc": "best by AUC", "ad": "best by average distortion"}
"""Titles of the rows of figure 3, by metric."""


@styled
def f1_curves(graphs: Mapping[str, Curves]) -> "Figure":
    """Draw figure 2: for each graph, F1@k of several spaces above the share of pairs that are k hops apart.

    Parameters
    ----------
    graphs
        Curves by the name of a graph, from :func:`riemap.paper.figures.curves`.

    Returns
    -------
    Figure
        A figure with axes for each graph, side by side.

    Examples
    --------
    >>> import numpy as np
    >>> from riemap.paper.figures import Curves
    >>> figure = f1_curves({"tree": Curves({"H2": np.array([0.9, 0.8])}, np.array([0.3, 0.7]))})
    >>> figure.axes[0].get_title()
    'tree'
    >>> import matplotlib.pyplot as plt
    >>> plt.close(figure)
    """
    figure, axes = new_figure(1, len(graphs), 3.1 * len(graphs), 3.4)
    spaces = list(dict.fromkeys(space for curves in graphs.values() for space in curves.f1))
    for ax, (name, curves) in zip(axes[0], graphs.items(), strict=True):
        f1_curve(curves, names=spaces, legend=False, ax=ax)
        ax.set_title(name)
    handles = {label: h for ax in axes[0] for h, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    if handles:
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=len(handles))
    return figure


@styled
def angle_boxes(metrics: Mapping[str, Mapping[str, Mapping[str, Box]]]) -> "Figure":
    """Draw figure 3: angle sums of the best embeddings, as a box per graph and space and a row per metric.

    Parameters
    ----------
    metrics
        Boxes by metric, graph and space, from :func:`riemap.paper.figures.angles`.

    Returns
    -------
    Figure
        A figure with axes for each metric, one below the other.

    Examples
    --------
    >>> from riemap.paper.figures import Box
    >>> figure = angle_boxes({"ad": {"tree": {"H3": Box(-0.2, (-0.4, -0.3, -0.2, -0.1, 0.0))}}})
    >>> figure.axes[0].get_title()
    'best by average distortion'
    >>> import matplotlib.pyplot as plt
    >>> plt.close(figure)
    """
    graphs = list(dict.fromkeys(graph for found in metrics.values() for graph in found))
    spaces = list(dict.fromkeys(s for found in metrics.values() for boxes in found.values() for s in boxes))
    width = max(5.0, 1.2 + 1.1 * len(graphs))
    figure, axes = new_figure(len(metrics), 1, width, 2.6 * len(metrics), sharex=True)
    for ax, (metric, found) in zip(axes[:, 0], metrics.items(), strict=True):
        _graph_boxes(ax, found, graphs, spaces)
        ax.set_title(BEST_BY_TITLES[metric])
        ax.set_ylabel("normalised sum of angles")
    handles = [figure.axes[0].plot([], [], color=_colour(k), linewidth=6)[0] for k in range(len(spaces))]
    if handles:
        figure.legend(handles, spaces, loc="outside lower center", ncols=len(spaces))
    return figure


def _colour(k: int) -> str:
    return PALETTE[k % len(PALETTE)]


def _graph_boxes(
    ax: "Axes", found: Mapping[str, Mapping[str, Box]], graphs: list[str], spaces: list[str]
) -> None:
    """Draw the boxes of all spaces side by side at the position of each graph."""
    width = 0.8 / max(len(spaces), 1)
    for k, space in enumerate(spaces):
        shown = {
            i + (k - 0.5 * (len(spaces) - 1)) * width: found[graph][space]
            for i, graph in enumerate(graphs)
            if space in found.get(graph, {})
        }
        _space_boxes(ax, shown, 0.8 * width, _colour(k))
    ax.axhline(0.0, color="black", linewidth=0.6, zorder=0.5)
    ax.set_xticks(range(len(graphs)), graphs)
    ax.grid(axis="x", visible=False)


def _space_boxes(ax: "Axes", shown: Mapping[float, Box], width: float, colour: str) -> None:
    """Draw the boxes of one space, by their horizontal positions."""
    names = ("whislo", "q1", "med", "q3", "whishi")
    stats = [dict(zip(names, box.quantiles, strict=True), mean=box.mean, fliers=[]) for box in shown.values()]
    for x, box in shown.items():  # a thick line at the median, since a box of equal angles has no height
        ax.hlines(box.quantiles[2], x - 0.5 * width, x + 0.5 * width, color=colour, linewidth=4)
    ax.bxp(
        stats,
        positions=list(shown),
        widths=width,
        showfliers=False,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": colour, "edgecolor": INK, "linewidth": 0.6},
        medianprops={"color": INK, "linewidth": 1.2},
        whiskerprops=WHISKER_STYLE,
        capprops=WHISKER_STYLE,
    )
