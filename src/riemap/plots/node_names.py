"""Names beside the nodes of a picture, placed so that none covers another or is cut at the edge."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from riemap.plots.style import escape_dollars
from riemap.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME_GAP = 4.0
"""Distance of a name from the middle of its node, in points: just outside of the dot."""

SIDES = (
    (1.0, 0.0, "left", "center"),
    (-1.0, 0.0, "right", "center"),
    (0.0, 1.0, "center", "bottom"),
    (0.0, -1.0, "center", "top"),
    (0.8, 0.8, "left", "bottom"),
    (-0.8, 0.8, "right", "bottom"),
    (0.8, -0.8, "left", "top"),
    (-0.8, -0.8, "right", "top"),
)
"""Where a name may be, in the order in which places are tried: the direction, and how the text is aligned."""


class PlotWarning(UserWarning):
    """Something that was asked for is not in the figure. The message says what."""


def draw_names(ax: "Axes", places: Array, names: Mapping[int, str]) -> int:
    """Write names with a white rim beside their nodes; return how many found a place.

    The layout of the figure must be complete, since a place is free if the text covers no earlier one and is
    inside of the axes. Of the free places of a name, the first is taken.
    """
    from matplotlib.patheffects import withStroke
    from matplotlib.transforms import Bbox

    inside, taken = ax.get_window_extent().padded(1.0), list[Bbox]()
    rim = [withStroke(linewidth=2.5, foreground="white")]
    for i, name in names.items():
        for x, y, across, along in SIDES:
            text = ax.annotate(
                escape_dollars(name),
                (places[i, 0], places[i, 1]),
                (NAME_GAP * x, NAME_GAP * y),
                textcoords="offset points",
                ha=across,
                va=along,
                fontsize=8,
                path_effects=rim,
            )
            box = text.get_window_extent()
            fits = inside.x0 <= box.x0 and box.x1 <= inside.x1 and inside.y0 <= box.y0 and box.y1 <= inside.y1
            if fits and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
            text.remove()
    return len(taken)
