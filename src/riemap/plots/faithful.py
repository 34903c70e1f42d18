"""How faithful an embedding is: F1@k over hops, distances against distances, nodes one by one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riemap.metrics.curves import Curves
from riemap.metrics.pairs import Density
from riemap.plots.style import COLOURS, FAINT, INK, new_axes, plain, styled
from riemap.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SOFT = "#888888"
BINS = 40


@styled
def f1_curve(
    curves: Curves, *, names: Sequence[str] = (), legend: bool = True, ax: "Axes | None" = None
) -> "Axes":
    """F1@k of one or more embeddings (left axis) above the share of pairs that are k hops apart (right axis).

    Parameters
    ----------
    curves
        The values.
    names
        Whose colours come first; by default in the order of the curves.
    legend
        Whether to name the curves.
    """
    from matplotlib.ticker import MaxNLocator

    ax = new_axes(ax)
    names = list(dict.fromkeys([*names, *curves.f1]))
    right = ax.twinx()
    hops = np.arange(len(curves.pairs) + 1) + 0.5
    right.stairs(curves.pairs, hops, color=FAINT, fill=True)
    right.set_ylim(0.0, 2.5 * float(curves.pairs.max()))
    right.set_ylabel("share of pairs", color=SOFT)
    right.grid(visible=False)
    right.tick_params(colors=SOFT)
    ax.set_zorder(right.get_zorder() + 1)
    ax.patch.set_visible(False)
    marker = "o" if len(curves.pairs) <= 30 else "None"
    for name, values in curves.f1.items():
        number, k = names.index(name), np.arange(1, len(values) + 1)
        (line,) = ax.plot(k, values, color=COLOURS[number % len(COLOURS)], linewidth=1.4, label=plain(name))
        line.set(marker=marker, markersize=3.5, linestyle=("-", (0, (5, 3)))[number % 2])  # where two are one
    ax.set_xlabel("hops k")
    ax.set_ylabel("F1@k")
    if legend:
        ax.legend(loc="lower right", frameon=True, framealpha=0.8, edgecolor="none")
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    return ax


@styled
def distances(density: Density, *, unit: str = "hops", ax: "Axes | None" = None) -> "Axes":
    """How many pairs have which graph distance and which embedded one; on the line they are equal.

    Darker is more; the white dots are medians, in bars from the first quartile to the third.

    Parameters
    ----------
    density
        Counts, of :func:`riemap.metrics.pairs.density`.
    unit
        Of the graph's distances.
    """
    from matplotlib.colors import LogNorm

    ax = new_axes(ax, 5.0, 4.2)
    counts = np.where(density.counts > 0, density.counts, np.nan)
    mesh = ax.pcolormesh(
        density.across,
        density.up,
        counts,
        cmap="Blues",
        norm=LogNorm(1, max(int(density.counts.max()), 2)),
        rasterized=True,
    )
    ax.axline((0.0, 0.0), slope=1.0, color=COLOURS[1], linewidth=1.2, label="equal")
    seen = density.counts.sum(axis=0) > 0
    middles = (0.5 * (density.across[:-1] + density.across[1:]))[seen]
    low, middle, high = _quantiles(density.counts[:, seen], density.up, (0.25, 0.5, 0.75))
    ax.vlines(middles, low, high, color=INK, linewidth=1.0)
    ax.scatter(
        middles, middle, 14, "white", edgecolors=INK, linewidths=0.8, zorder=3, label="median, quartiles"
    )
    ax.set(xlim=(density.across[0], density.across[-1]), ylim=(0.0, density.up[-1]))
    ax.set_xlabel(f"distance in the graph, {unit}")
    ax.set_ylabel(f"distance in the embedding, {unit}")
    ax.legend(loc="upper left")
    bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.8, aspect=25, pad=0.02)
    bar.set_label("pairs")
    bar.outline.set_visible(False)
    return ax


@styled
def distribution(
    values: Array, *, label: str, counted: str = "nodes", zero: bool = False, ax: "Axes | None" = None
) -> "Axes":
    """A histogram of one set of numbers, with their median.

    Parameters
    ----------
    values
        The numbers.
    label, counted
        What they are, and of what.
    zero
        Whether zero is a place of note.
    """
    ax = new_axes(ax, 4.6, 3.2)
    ax.hist(
        values,
        min(BINS, max(8, int(2.0 * np.sqrt(len(values))))),
        color=COLOURS[5],
        edgecolor="white",
        lw=0.4,
    )
    middle = float(np.median(values))
    ax.axvline(middle, color=COLOURS[1], linewidth=1.4, label=f"median {middle:.3g}")
    if zero:
        ax.axvline(0.0, color="black", linewidth=0.6)
    ax.grid(axis="x", visible=False)
    ax.set_xlabel(label)
    ax.set_ylabel(counted)
    ax.legend()
    return ax


def _quantiles(counts: NDArray[np.int64], edges: Array, shares: tuple[float, ...]) -> list[Array]:
    """Of every column, where its counts reach these shares; straight within a cell."""
    total = np.concatenate([np.zeros((1, counts.shape[1])), np.cumsum(counts, axis=0)]) / counts.sum(axis=0)
    return [np.array([np.interp(share, column, edges) for column in total.T]) for share in shares]
