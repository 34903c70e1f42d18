"""Colours of nodes: by a number on a scale, or by a group."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from riemap.plots.style import COLOURS, INK, plain
from riemap.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLAIN, OTHER = COLOURS[0], "#999999"

GROUPS = len(COLOURS) - 1
"""Groups that have a colour of their own: the largest; the last colour, black, is that of outlines."""

WIDE = 8.0
"""Ratio of the largest number to the smallest from which the scale is logarithmic."""


@final
@dataclass(frozen=True, eq=False)
class Colouring:
    """What colours the nodes.

    Parameters
    ----------
    title
        Of the scale.
    values
        A number a node.
    groups
        Or a name a node.
    signed
        Whether the scale has a middle, zero.
    """

    title: str
    values: Array | None = None
    groups: Sequence[str] | None = None
    signed: bool = False

    def colours(self) -> Array:
        """Red, green and blue of every node, ``(n, 3)``."""
        from matplotlib.colors import to_rgb

        if self.values is not None:
            found: Array = self._scale().to_rgba(self.values)[:, :3]
            return found
        assert self.groups is not None, "a colouring has values or groups"
        known = self._known()
        return np.array([to_rgb(known.get(name, OTHER)) for name in self.groups])

    def key(self, axes: "list[Axes]") -> None:
        """Put a colour bar beside the axes, or a legend into the first of them."""
        if self.values is not None:
            bar = axes[0].figure.colorbar(self._scale(), ax=axes, shrink=0.6, aspect=25, pad=0.02)
            bar.set_label(self.title)
            bar.outline.set_visible(False)
            return
        known = self._known()
        assert self.groups is not None
        if set(self.groups) - known.keys():
            known["other"] = OTHER
        marks = [
            axes[0].scatter([], [], 20, colour, edgecolors=INK, linewidths=0.3) for colour in known.values()
        ]
        axes[0].figure.legend(
            marks, list(map(plain, known)), title=plain(self.title), loc="outside right center"
        )

    def _scale(self) -> Any:
        """Beyond its ends is one in fifty values at most, which would take all the colours."""
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import LogNorm, Normalize

        assert self.values is not None
        low, high = (
            np.quantile(self.values, (0.01, 0.99))
            if len(self.values) > 100
            else (
                self.values.min(),
                self.values.max(),
            )
        )
        if self.signed:
            far = max(abs(low), abs(high)) or 1.0
            return ScalarMappable(Normalize(-far, far, clip=True), "RdYlBu")
        if low > 0.0 and high > WIDE * low:
            return ScalarMappable(LogNorm(low, high, clip=True), "viridis")
        return ScalarMappable(Normalize(low, high if high > low else low + 1.0, clip=True), "viridis")

    def _known(self) -> dict[str, str]:
        assert self.groups is not None
        largest = [name for name, _ in Counter(self.groups).most_common(GROUPS)]
        return {name: COLOURS[k] for k, name in enumerate(sorted(largest))}
