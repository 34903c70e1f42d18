"""Random points of curved spaces, and statistics of the graphs that link points that are close."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from riemap.plots.distributions import bands, histograms
from riemap.plots.style import FAINT, PALETTE, new_figure, styled
from riemap.random_graphs import Sweep
from riemap.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


FLAT_ANGLE_SUM = 1e-9
"""Normalised angle sums below this are zero up to rounding: the space is flat."""


@styled
def sample_panels(columns: Sequence[tuple[str, Mapping[str, Sweep]]]) -> "Figure":
    """Draw degrees and curvatures by threshold, and angle sums, in three rows with a column per dimension.

    Parameters
    ----------
    columns
        For each column its title, and the sweeps of samples by the name of their space, as
        :func:`riemap.paper.samples.panel` returns them.

    Returns
    -------
    Figure
        A figure with three rows of axes.

    Examples
    --------
    >>> quartiles = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]])
    >>> sweep = Sweep(np.array([0.5, 1.0]), quartiles, quartiles, np.array([-0.2, -0.1]))
    >>> figure = sample_panels([("dimension 2", {"H2": sweep})])
    >>> len(figure.axes)
    3
    >>> import matplotlib.pyplot as plt
    >>> plt.close(figure)
    """
    figure, axes = new_figure(3, len(columns), 3.1 * len(columns), 7.6)
    for column, (title, sweeps) in zip(axes.T, columns, strict=True):
        column[1].sharex(column[0])
        _sample_column(column, title, sweeps)
    for row, label in enumerate(("degree", "sectional curvature of the graph", "density")):
        axes[row, 0].set_ylabel(label)
    return figure


def _sample_column(axes: Any, title: str, sweeps: Mapping[str, Sweep]) -> None:
    """Draw the three axes of one dimension."""
    thresholds = {name: sweep.thresholds for name, sweep in sweeps.items()}
    xlabel = "link below distance"
    bands(thresholds, {n: s.degrees for n, s in sweeps.items()}, xlabel=xlabel, ax=axes[0])
    bands(thresholds, {n: s.curvatures for n, s in sweeps.items()}, xlabel=xlabel, ax=axes[1])
    curved = {n: s.angles for n, s in sweeps.items() if np.any(np.abs(s.angles) > FLAT_ANGLE_SUM)}
    colours = {name: PALETTE[i % len(PALETTE)] for i, name in enumerate(sweeps)}
    histograms(curved, xlabel="normalised sum of angles", colours=colours, ax=axes[2])
    for name in sweeps.keys() - curved.keys():  # all angle sums are zero: a line instead of a histogram
        axes[2].axvline(0.0, color=colours[name], linewidth=1.5)
    axes[0].set_title(title)
    axes[0].legend()
    axes[1].axhline(0.0, color="black", linewidth=0.6)
    axes[2].set_ylabel("")


@styled
def clouds(samples: Mapping[str, Array]) -> "Figure":
    """Draw samples of points in the unit ball or on the unit sphere, side by side.

    Parameters
    ----------
    samples
        Points by title, ``(n, 3)``. Successive pairs of samples have the same colour.

    Returns
    -------
    Figure
        A figure with three-dimensional axes for each sample.

    Examples
    --------
    >>> figure = clouds({"uniform": np.zeros((5, 3)), "exp": np.zeros((5, 3))})
    >>> [ax.get_title() for ax in figure.axes]
    ['uniform', 'exp']
    >>> import matplotlib.pyplot as plt
    >>> plt.close(figure)
    """
    count = len(samples)
    figure, axes = new_figure(1, count, 2.9 * count, 3.1, subplot_kw={"projection": "3d"})
    for k, (title, points) in enumerate(samples.items()):
        cloud(points, colour=PALETTE[k // 2 % len(PALETTE)], ax=axes[0, k])
        axes[0, k].set_title(title, y=0.95)
    return figure


@styled
def cloud(points: Array, *, colour: str = PALETTE[0], ax: "Axes | None" = None) -> "Axes":
    """Draw points in the unit ball, with parallels and meridians of its boundary. Far points are paler.

    Parameters
    ----------
    points
        Points of the unit ball, ``(n, 3)``.
    colour
        Colour of the points.
    ax
        Three-dimensional axes to draw into; by default, those of a new figure.

    Returns
    -------
    Axes
        The three-dimensional axes.

    Examples
    --------
    >>> ax = cloud(np.zeros((5, 3)))
    >>> ax.name
    '3d'
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    space: Any = ax or new_figure(1, 1, 3.2, 3.2, subplot_kw={"projection": "3d"})[1][0, 0]
    around = np.linspace(0.0, 2.0 * np.pi, 60)
    for height in np.linspace(-0.75, 0.75, 4):
        r = np.sqrt(1.0 - height**2)
        space.plot(r * np.cos(around), r * np.sin(around), height, color=FAINT, linewidth=0.5)
    for angle in np.linspace(0.0, np.pi, 4, endpoint=False):
        x, y = np.cos(around) * np.cos(angle), np.cos(around) * np.sin(angle)
        space.plot(x, y, np.sin(around), color=FAINT, linewidth=0.5)
    space.scatter(*points.T, s=5, color=colour, depthshade=True, linewidths=0)
    space.set_box_aspect((1, 1, 1), zoom=1.2)
    space.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(-1, 1))
    space.set_axis_off()
    return space
