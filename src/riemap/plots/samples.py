"""What random points of curved spaces look like, and the graphs of those that are close."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from riemap.plots.distributions import bands, histograms
from riemap.plots.style import COLOURS, FAINT, figure, styled
from riemap.random_graphs import Sweep
from riemap.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


FLAT = 1e-9
"""Sums of angles that differ by less differ by rounding errors."""


@styled
def panels(columns: Sequence[tuple[str, Mapping[str, Sweep]]]) -> "Figure":
    """Three rows: degrees and curvatures against the threshold, and angles; a column a dimension."""
    drawn, axes = figure(3, len(columns), 3.1 * len(columns), 7.6)
    for top, middle in axes[:2].T:
        middle.sharex(top)
    for k, (title, sweeps) in enumerate(columns):
        thresholds = {name: sweep.thresholds for name, sweep in sweeps.items()}
        near = "link below distance"
        bands(thresholds, {n: s.degrees for n, s in sweeps.items()}, xlabel=near, ax=axes[0, k])
        bands(thresholds, {n: s.curvatures for n, s in sweeps.items()}, xlabel=near, ax=axes[1, k])
        curved = {n: s.angles for n, s in sweeps.items() if np.ptp(s.angles) > FLAT}
        colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(sweeps)}
        histograms(curved, xlabel="normalised sum of angles", colours=colours, ax=axes[2, k])
        for name in sweeps.keys() - curved.keys():  # all in one place
            axes[2, k].axvline(0.0, color=colours[name], linewidth=1.5)
        axes[0, k].set_title(title)
        axes[0, k].legend()
        axes[1, k].axhline(0.0, color="black", linewidth=0.6)
        axes[2, k].set_ylabel("")
    for row, label in enumerate(("degree", "sectional curvature of the graph", "density")):
        axes[row, 0].set_ylabel(label)
    return drawn


@styled
def clouds(samples: Mapping[str, Array]) -> "Figure":
    """Points of the unit ball or sphere, ``(n, 3)``, each sample in axes of its own."""
    count = len(samples)
    drawn, axes = figure(1, count, 2.9 * count, 3.1, subplot_kw={"projection": "3d"})
    for k, (title, points) in enumerate(samples.items()):
        cloud(points, colour=COLOURS[k // 2 % len(COLOURS)], ax=axes[0, k])
        axes[0, k].set_title(title, y=0.95)
    return drawn


@styled
def cloud(points: Array, *, colour: str = COLOURS[0], ax: "Axes | None" = None) -> "Axes":
    """Points in the unit ball, with the sphere around them; what is farther away is paler."""
    space: Any = ax or figure(1, 1, 3.2, 3.2, subplot_kw={"projection": "3d"})[1][0, 0]
    around = np.linspace(0.0, 2.0 * np.pi, 60)
    for height in np.linspace(-0.75, 0.75, 4):
        r = np.sqrt(1.0 - height**2)
        space.plot(r * np.cos(around), r * np.sin(around), height, color=FAINT, linewidth=0.5)
    for turn in np.linspace(0.0, np.pi, 4, endpoint=False):
        x, y = np.cos(around) * np.cos(turn), np.cos(around) * np.sin(turn)
        space.plot(x, y, np.sin(around), color=FAINT, linewidth=0.5)
    space.scatter(*points.T, s=5, color=colour, depthshade=True, linewidths=0)
    space.set_box_aspect((1, 1, 1), zoom=1.2)
    space.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(-1, 1))
    space.set_axis_off()
    return space
