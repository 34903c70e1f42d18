"""Colours of nodes: by a number on a scale, or by a group."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from riemap.plots.style import INK, PALETTE, add_colour_bar, escape_dollars
from riemap.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEFAULT_NODE_COLOUR, OTHER_GROUPS_COLOUR = PALETTE[0], "#999999"
"""Colour of nodes without a colouring, and of nodes in groups that have no colour of their own."""

MAX_COLOURED_GROUPS = len(PALETTE) - 1
"""Number of groups with a colour of their own: the largest. Black, the last colour, is kept for outlines."""

LOG_SCALE_RATIO = 8.0
"""Ratio of the largest to the smallest value above which the colour scale is logarithmic."""


@final
@dataclass(frozen=True, eq=False)
class Colouring:
    """Colours of the nodes of a graph, by a number or by a group per node. Give one of the two.

    Parameters
    ----------
    title
        Title of the colour bar or of the legend.
    values
        A number for every node, ``(n,)``.
    groups
        The name of a group for every node.
    signed
        Whether to use a diverging colour scale with zero in its middle.

    Examples
    --------
    >>> import numpy as np
    >>> Colouring("degree", np.array([1.0, 2.0, 3.0])).colours().shape
    (3, 3)
    """

    title: str
    values: Array | None = None
    groups: Sequence[str] | None = None
    signed: bool = False

    def colours(self) -> Array:
        """Compute the colour of every node.

        Returns
        -------
        Array
            Red, green and blue from 0 to 1, ``(n, 3)``.
        """
        from matplotlib.colors import to_rgb

        if self.values is not None:
            found: Array = self._scale().to_rgba(self.values)[:, :3]
            return found
        assert self.groups is not None, "a colouring has values or groups"
        known = self._group_colours()
        return np.array([to_rgb(known.get(name, OTHER_GROUPS_COLOUR)) for name in self.groups])

    def add_legend(self, axes: "list[Axes]") -> None:
        """Add a colour bar beside the axes (numbers), or a legend to their figure (groups).

        Parameters
        ----------
        axes
            Axes of one figure whose nodes have these colours.
        """
        if self.values is not None:
            add_colour_bar(self._scale(), axes, self.title, shrink=0.6, pad=0.02)
            return
        known = self._group_colours()
        assert self.groups is not None
        if set(self.groups) - known.keys():
            known["other"] = OTHER_GROUPS_COLOUR
        marks = [
            axes[0].scatter([], [], 20, colour, edgecolors=INK, linewidths=0.3) for colour in known.values()
        ]
        names, title = list(map(escape_dollars, known)), escape_dollars(self.title)
        axes[0].figure.legend(marks, names, title=title, loc="outside right center")

    def _scale(self) -> Any:
        """The colour scale. For more than 100 values it ends at the 1st and the 99th percentile."""
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import LogNorm, Normalize

        values = self.values
        assert values is not None
        many = len(values) > 100
        low, high = np.quantile(values, (0.01, 0.99)) if many else (values.min(), values.max())
        if self.signed:
            far = max(abs(low), abs(high)) or 1.0
            return ScalarMappable(Normalize(-far, far, clip=True), "RdYlBu")
        if low > 0.0 and high > LOG_SCALE_RATIO * low:
            return ScalarMappable(LogNorm(low, high, clip=True), "viridis")
        return ScalarMappable(Normalize(low, high if high > low else low + 1.0, clip=True), "viridis")

    def _group_colours(self) -> dict[str, str]:
        """The colour of each of the largest groups."""
        assert self.groups is not None
        largest = [name for name, _ in Counter(self.groups).most_common(MAX_COLOURED_GROUPS)]
        return {name: PALETTE[k] for k, name in enumerate(sorted(largest))}
