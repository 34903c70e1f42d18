"""Distributions of numbers: boxes side by side, quartiles along an axis, histograms."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from riemap.plots.style import INK, PALETTE, axes_or_new, escape_dollars, styled
from riemap.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COMMON_BINS = 60
"""Default number of bins that several histograms share."""

MAX_BINS = 40
"""Most bins of a single histogram; it has fewer where there are few numbers."""

SAME_NUMBERS = 1e-9
"""Range of numbers, relative to the largest, below which they are equal up to rounding."""

LETTER_INCHES = 0.075
"""Average width of a letter of a tick label, in inches, with room between two labels: 8 points high."""

WHISKER_STYLE: dict[str, Any] = {"color": INK, "linewidth": 0.8}
"""Line style of whiskers and of their caps."""


def bin_range(values: Array) -> tuple[float, float]:
    """Return the smallest and the largest number, or a range of one around equal numbers or if there is none.

    Parameters
    ----------
    values
        The numbers of a histogram.

    Returns
    -------
    tuple of float and float
        Both ends of the bins.

    Examples
    --------
    >>> bin_range(np.array([0.25, 0.25]))
    (-0.25, 0.75)
    """
    if len(values) == 0:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    if high - low < SAME_NUMBERS * max(abs(low), abs(high), 1.0):
        return low - 0.5, high + 0.5
    return low, high


@styled
def boxes(values: Mapping[str, Array], *, label: str = "", ax: "Axes | None" = None) -> "Axes":
    """Draw a box per name: quartiles, whiskers from the 10th to the 90th percentile, a diamond at the mean.

    Parameters
    ----------
    values
        Numbers by name.
    label
        Label of the vertical axis.
    ax
        Axes to draw into; by default, those of a new figure.

    Returns
    -------
    Axes
        The axes with the boxes.

    Examples
    --------
    >>> ax = boxes({"H2": np.arange(5.0), "S2": np.arange(9.0)}, label="distortion")
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['H2', 'S2']
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    ax = axes_or_new(ax, 1.5 + 0.6 * len(values), 3.2)
    ax.boxplot(list(values.values()), tick_labels=list(map(escape_dollars, values)), **_box_style())
    ax.grid(axis="x", visible=False)
    ax.set_ylabel(label)
    room = ax.get_window_extent().width / ax.figure.dpi / len(values)
    if LETTER_INCHES * max(map(len, values)) > room:
        for text in ax.get_xticklabels():
            text.set(rotation=35, ha="right", rotation_mode="anchor")
    return ax


def _box_style() -> dict[str, Any]:
    return {
        "whis": (10, 90),
        "showfliers": False,
        "showmeans": True,
        "patch_artist": True,
        "widths": 0.55,
        "medianprops": {"color": PALETTE[4], "linewidth": 1.5},
        "meanprops": {
            "marker": "D",
            "markersize": 4,
            "markerfacecolor": PALETTE[1],
            "markeredgecolor": "none",
        },
        "boxprops": {"facecolor": "#e8eef4", "edgecolor": INK, "linewidth": 0.8},
        "whiskerprops": WHISKER_STYLE,
        "capprops": WHISKER_STYLE,
    }


@styled
def bands(
    positions: Mapping[str, Array],
    quartiles: Mapping[str, Array],
    *,
    xlabel: str = "",
    label: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw medians as lines with markers, and bands from the first quartile to the third around them.

    Parameters
    ----------
    positions
        Horizontal positions by name, ``(k,)``.
    quartiles
        Quartiles at these positions by name, ``(k, 3)``; NaN where there are none.
    xlabel, label
        Labels of the horizontal and of the vertical axis.
    ax
        Axes to draw into; by default, those of a new figure.

    Returns
    -------
    Axes
        The axes with the bands.

    Examples
    --------
    >>> ax = bands({"E2": np.arange(2.0)}, {"E2": np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 5.0]])})
    >>> ax.lines[0].get_ydata().tolist()
    [2.0, 3.0]
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    ax = axes_or_new(ax)
    for k, name in enumerate(quartiles):
        x, (low, middle, high) = positions[name], np.asarray(quartiles[name]).T
        colour = PALETTE[k % len(PALETTE)]
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
    bins: int | Sequence[float] = COMMON_BINS,
    colours: Mapping[str, str] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw histograms of several sets of numbers over the same bins, each with an area of one.

    Parameters
    ----------
    values
        Numbers by name; there may be no name, and then the axes stay empty.
    xlabel
        Label of the horizontal axis.
    bins
        Number of bins, or their edges.
    colours
        Colours by name; by default, those of the palette in order.
    ax
        Axes to draw into; by default, those of a new figure.

    Returns
    -------
    Axes
        The axes with the histograms.

    Examples
    --------
    >>> ax = histograms({"a": np.array([0.0, 1.0, 1.0, 2.0])}, bins=2)
    >>> ax.patches[0].get_data().values.tolist()
    [0.25, 0.75]
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    ax = axes_or_new(ax)
    together = np.concatenate([np.empty(0), *values.values()])
    edges = np.histogram_bin_edges(together, bins, bin_range(together))
    for k, (name, numbers) in enumerate(values.items()):
        colour = colours[name] if colours else PALETTE[k % len(PALETTE)]
        heights, _ = np.histogram(numbers, edges, density=True)
        ax.stairs(heights, edges, color=colour, linewidth=1.2, label=name)
        ax.stairs(heights, edges, color=colour, alpha=0.12, fill=True)
    ax.set_xlabel(xlabel)
    ax.set_ylabel("density")
    return ax


@styled
def distribution(
    values: Array, *, label: str, counted: str = "nodes", zero: bool = False, ax: "Axes | None" = None
) -> "Axes":
    """Draw a histogram of one set of numbers, and a line at their median.

    Parameters
    ----------
    values
        The numbers, ``(n,)``.
    label
        What the numbers are: label of the horizontal axis.
    counted
        What has these numbers: label of the vertical axis.
    zero
        Whether to draw a line at zero.
    ax
        Axes to draw into; by default, those of a new figure.

    Returns
    -------
    Axes
        The axes with the histogram.

    Examples
    --------
    >>> ax = distribution(np.array([0.1, 0.2, 0.9]), label="distortion")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('distortion', 'nodes')
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    ax = axes_or_new(ax, 4.6, 3.2)
    bins = min(MAX_BINS, max(8, int(2.0 * np.sqrt(len(values)))))
    ax.hist(values, bins, range=bin_range(values), color=PALETTE[5], edgecolor="white", lw=0.4)
    middle = float(np.median(values))
    ax.axvline(middle, color=PALETTE[1], linewidth=1.4, label=f"median {middle:.3g}")
    if zero:
        ax.axvline(0.0, color="black", linewidth=0.6)
    ax.grid(axis="x", visible=False)
    ax.set_xlabel(label)
    ax.set_ylabel(counted)
    ax.legend()
    return ax
