"""How faithful an embedding is to its graph: F1@k by hops, and embedded distances by graph distances."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riemap.metrics.curves import Curves
from riemap.metrics.pairs import Density
from riemap.plots.style import (
    FAINT,
    INK,
    PALETTE,
    add_colour_bar,
    axes_or_new,
    escape_dollars,
    right_axis,
    styled,
)
from riemap.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAIR_SHARE_COLOUR = "#888888"
"""Colour of the axis of the share of pairs: paler than that of F1@k, which matters more."""


@styled
def f1_curve(
    curves: Curves, *, names: Sequence[str] = (), legend: bool = True, ax: "Axes | None" = None
) -> "Axes":
    """Draw F1@k of embeddings (left axis) above the share of pairs that are k hops apart (right axis).

    Parameters
    ----------
    curves
        F1@k by name, and the share of pairs by hops.
    names
        Names in the order in which they take colours; by default, the order of the curves.
    legend
        Whether to add a legend.
    ax
        Axes to draw into; by default, those of a new figure.

    Returns
    -------
    Axes
        The axes with the curves.

    Examples
    --------
    >>> from riemap.paper.figures import Curves
    >>> ax = f1_curve(Curves({"H2": np.array([0.9, 0.8])}, np.array([0.3, 0.7])))
    >>> ax.lines[0].get_ydata().tolist()
    [0.9, 0.8]
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    ax = axes_or_new(ax)
    _pair_shares(ax, curves.pairs)
    _f1_lines(ax, curves, list(dict.fromkeys([*names, *curves.f1])))
    ax.set_xlabel("hops k")
    ax.set_ylabel("F1@k")
    if legend:
        ax.legend(loc="lower right", frameon=True, framealpha=0.8, edgecolor="none")
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    return ax


def _pair_shares(ax: "Axes", shares: Array) -> None:
    """Draw the share of pairs as bars in the lower 40 % of the axes."""
    from matplotlib.ticker import PercentFormatter

    right = right_axis(ax, "share of pairs", PAIR_SHARE_COLOUR)
    right.stairs(shares, np.arange(len(shares) + 1) + 0.5, color=FAINT, fill=True)
    right.set_ylim(0.0, 2.5 * float(shares.max()))
    right.yaxis.set_major_formatter(PercentFormatter(1.0))


def _f1_lines(ax: "Axes", curves: Curves, names: list[str]) -> None:
    """Draw a line per embedding. Every other line is dashed, so that two equal curves both show."""
    marker = "o" if len(curves.pairs) <= 30 else "None"
    for name, values in curves.f1.items():
        number, k = names.index(name), np.arange(1, len(values) + 1)
        colour = PALETTE[number % len(PALETTE)]
        (line,) = ax.plot(k, values, color=colour, linewidth=1.4, label=escape_dollars(name))
        line.set(marker=marker, markersize=3.5, linestyle=("-", (0, (5, 3)))[number % 2])


@styled
def distances(density: Density, *, unit: str = "hops", ax: "Axes | None" = None) -> "Axes":
    """Draw the counts of pairs by graph distance and embedded distance, with a line where they are equal.

    Darker cells hold more pairs. White dots are medians, with bars from the first quartile to the third.

    Parameters
    ----------
    density
        Counts of pairs, from :func:`riemap.metrics.pairs.density`.
    unit
        Unit of the graph's distances, for the labels.
    ax
        Axes to draw into; by default, those of a new figure.

    Returns
    -------
    Axes
        The axes with the counts.

    Examples
    --------
    >>> from riemap.metrics.pairs import Density
    >>> ax = distances(Density(np.eye(2, dtype=np.int64), np.array([0.5, 1.5, 2.5]), np.arange(3.0)))
    >>> ax.get_xlabel()
    'distance in the graph, hops'
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    from matplotlib.colors import LogNorm

    ax = axes_or_new(ax, 5.0, 4.2)
    counts = np.where(density.counts > 0, density.counts, np.nan)
    norm = LogNorm(1, max(int(density.counts.max()), 2))
    mesh = ax.pcolormesh(
        density.graph_bounds, density.embedded_bounds, counts, cmap="Blues", norm=norm, rasterized=True
    )
    ax.axline((0.0, 0.0), slope=1.0, color=PALETTE[1], linewidth=1.2, label="equal")
    _column_quartiles(ax, density)
    ax.set(xlim=(density.graph_bounds[0], density.graph_bounds[-1]), ylim=(0.0, density.embedded_bounds[-1]))
    ax.set_xlabel(f"distance in the graph, {unit}")
    ax.set_ylabel(f"distance in the embedding, {unit}")
    ax.legend(loc="upper left")
    add_colour_bar(mesh, ax, "pairs", shrink=0.8, pad=0.02)
    return ax


def _column_quartiles(ax: "Axes", density: Density) -> None:
    """Draw the median and the quartiles of the embedded distances at every graph distance."""
    seen = density.counts.sum(axis=0) > 0
    x = (0.5 * (density.graph_bounds[:-1] + density.graph_bounds[1:]))[seen]
    low, middle, high = _quantiles(density.counts[:, seen], density.embedded_bounds, (0.25, 0.5, 0.75))
    ax.vlines(x, low, high, color=INK, linewidth=1.0)
    style: dict[str, Any] = {"edgecolors": INK, "linewidths": 0.8, "zorder": 3}
    ax.scatter(x, middle, 14, "white", label="median, quartiles", **style)


def _quantiles(counts: NDArray[np.int64], edges: Array, shares: tuple[float, ...]) -> list[Array]:
    """Quantiles of every column of counts, interpolated linearly within a cell."""
    total = np.concatenate([np.zeros((1, counts.shape[1])), np.cumsum(counts, axis=0)]) / counts.sum(axis=0)
    return [np.array([np.interp(share, column, edges) for column in total.T]) for share in shares]
