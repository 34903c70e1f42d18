"""Distributions side by side, and how they change along an axis."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from riemap.plots.style import COLOURS, INK, new_axes, plain, styled
from riemap.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BINS = 60


@styled
def boxes(values: Mapping[str, Array], *, label: str = "", ax: "Axes | None" = None) -> "Axes":
    """A box for each name: quartiles, whiskers from the 10th to the 90th percentile, a diamond at the mean.

    Parameters
    ----------
    values
        Numbers by name.
    label
        Of the axis.
    ax
        Where to draw; new axes by default.
    """
    ax = new_axes(ax, 1.5 + 0.6 * len(values), 3.2)
    ax.boxplot(
        list(values.values()),
        tick_labels=list(map(plain, values)),
        whis=(10, 90),
        showfliers=False,
        showmeans=True,
        patch_artist=True,
        widths=0.55,
        medianprops={"color": COLOURS[4], "linewidth": 1.5},
        meanprops={"marker": "D", "markersize": 4, "markerfacecolor": COLOURS[1], "markeredgecolor": "none"},
        boxprops={"facecolor": "#e8eef4", "edgecolor": INK, "linewidth": 0.8},
        whiskerprops={"color": INK, "linewidth": 0.8},
        capprops={"color": INK, "linewidth": 0.8},
    )
    ax.grid(axis="x", visible=False)
    ax.set_ylabel(label)
    if sum(map(len, values)) > 40:
        for text in ax.get_xticklabels():
            text.set(rotation=35, ha="right", rotation_mode="anchor")
    return ax


@styled
def bands(
    positions: Mapping[str, Array],
    quartiles: Mapping[str, Array],
    *,
    xlabel: str = "",
    label: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Medians as marked lines in bands from the first quartile to the third.

    Parameters
    ----------
    positions, quartiles
        By name: ``(k,)`` places and ``(k, 3)`` quartiles, NaN where there are none.
    """
    ax = new_axes(ax)
    for k, name in enumerate(quartiles):
        x, (low, middle, high) = positions[name], np.asarray(quartiles[name]).T
        colour = COLOURS[k % len(COLOURS)]
        ax.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
        ax.plot(x, middle, color=colour, marker="o", markersize=3, linewidth=1.2, label=name)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(label)
    return ax


@styled
def histograms(
    values: Mapping[str, Array],
    *,
    xlabel: str = "",
    bins: int | Sequence[float] = BINS,
    colours: Mapping[str, str] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Outlines of histograms over common bins, each of area one."""
    ax = new_axes(ax)
    edges = np.histogram_bin_edges(np.concatenate(list(values.values())), bins)
    for k, (name, numbers) in enumerate(values.items()):
        colour = colours[name] if colours else COLOURS[k % len(COLOURS)]
        heights, _ = np.histogram(numbers, edges, density=True)
        ax.stairs(heights, edges, color=colour, linewidth=1.2, label=name)
        ax.stairs(heights, edges, color=colour, alpha=0.12, fill=True)
    ax.set_xlabel(xlabel)
    ax.set_ylabel("density")
    return ax
