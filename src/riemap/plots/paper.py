"""The paper's figures 2 and 3."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from riemap.metrics.curves import Curves
from riemap.paper.figures import Box
from riemap.plots.faithful import f1_curve
from riemap.plots.style import COLOURS, INK, figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLES = {"f1@1": "best by F1@1", "auc": "best by AUC", "ad": "best by average distortion"}


@styled
def f1_curves(graphs: Mapping[str, Curves]) -> "Figure":
    """F1@k of several spaces (left axis) above the share of pairs that are k hops apart (right axis)."""
    drawn, axes = figure(1, len(graphs), 3.1 * len(graphs), 3.4)
    spaces = list(dict.fromkeys(space for curves in graphs.values() for space in curves.f1))
    for ax, (name, curves) in zip(axes[0], graphs.items(), strict=True):
        f1_curve(curves, names=spaces, legend=False, ax=ax)
        ax.set_title(name)
    handles = {label: h for ax in axes[0] for h, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    if handles:
        drawn.legend(handles.values(), handles, loc="outside lower center", ncols=len(handles))
    return drawn


@styled
def angle_boxes(metrics: Mapping[str, Mapping[str, Mapping[str, Box]]]) -> "Figure":
    """A row a metric: for each graph a box a space, of the sums of angles of its best embedding."""
    graphs = list(dict.fromkeys(graph for found in metrics.values() for graph in found))
    spaces = list(dict.fromkeys(s for found in metrics.values() for boxes in found.values() for s in boxes))
    drawn, axes = figure(len(metrics), 1, max(5.0, 1.2 + 1.1 * len(graphs)), 2.6 * len(metrics), sharex=True)
    for ax, (metric, found) in zip(axes[:, 0], metrics.items(), strict=True):
        _boxes(ax, found, graphs, spaces)
        ax.set_title(TITLES[metric])
        ax.set_ylabel("normalised sum of angles")
    handles = [drawn.axes[0].plot([], [], color=_colour(k), linewidth=6)[0] for k in range(len(spaces))]
    if handles:
        drawn.legend(handles, spaces, loc="outside lower center", ncols=len(spaces))
    return drawn


def _colour(k: int) -> str:
    return COLOURS[k % len(COLOURS)]


def _boxes(ax: "Axes", found: Mapping[str, Mapping[str, Box]], graphs: list[str], spaces: list[str]) -> None:
    width = 0.8 / max(len(spaces), 1)
    for k, space in enumerate(spaces):
        shown = [(i, found[graph][space]) for i, graph in enumerate(graphs) if space in found.get(graph, {})]
        stats = [
            dict(
                zip(("whislo", "q1", "med", "q3", "whishi"), box.quantiles, strict=True),
                mean=box.mean,
                fliers=[],
            )
            for _, box in shown
        ]
        at = [i + (k - 0.5 * (len(spaces) - 1)) * width for i, _ in shown]
        for x, (_, box) in zip(at, shown, strict=True):  # where all angles are the same, a box has no height
            ends = (x - 0.4 * width, x + 0.4 * width)
            ax.hlines(box.quantiles[2], *ends, color=_colour(k), linewidth=4)
        ax.bxp(
            stats,
            positions=at,
            widths=0.8 * width,
            showfliers=False,
            patch_artist=True,
            manage_ticks=False,
            boxprops={"facecolor": _colour(k), "edgecolor": INK, "linewidth": 0.6},
            medianprops={"color": INK, "linewidth": 1.2},
            whiskerprops={"color": INK, "linewidth": 0.8},
            capprops={"color": INK, "linewidth": 0.8},
        )
    ax.axhline(0.0, color="black", linewidth=0.6, zorder=0.5)
    ax.set_xticks(range(len(graphs)), graphs)
    ax.grid(axis="x", visible=False)
