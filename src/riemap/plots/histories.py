"""The course of training: loss and learning rate by epoch."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from riemap.plots.style import PALETTE, axes_or_new, right_axis, styled
from riemap.training.state import EpochRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STAGE_COLOURS = (PALETTE[0], PALETTE[2], PALETTE[3], PALETTE[6])
"""Colours of the losses of successive stages; ``PALETTE[1]`` is the learning rate's."""


@styled
def history(
    records: Sequence[EpochRecord], *, losses: Sequence[str] = (), ax: "Axes | None" = None
) -> "Axes":
    """Draw the loss (left axis) and the learning rate (right axis) of every epoch, with a line per stage.

    Parameters
    ----------
    records
        The history of a fit, e.g. ``fit.history``.
    losses
        Names of the stages' losses, for the legend; "stage 1", "stage 2", … by default.
    ax
        Axes to draw into; by default, those of a new figure.

    Returns
    -------
    Axes
        The axes with the losses.

    Examples
    --------
    >>> from riemap.training.state import EpochRecord
    >>> records = [EpochRecord(k, 0, 1.0 / (k + 1), 0.1, 0.0) for k in range(5)]
    >>> ax = history(records, losses=["stress"])
    >>> ax.get_xlabel(), ax.get_yscale()
    ('epoch', 'log')
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    ax = axes_or_new(ax, 5.4, 3.4)
    stage = np.array([record.stage for record in records])
    loss, lr = (np.array([getattr(record, key) for record in records]) for key in ("loss", "lr"))
    epoch = np.arange(1, len(records) + 1)
    right = right_axis(ax, "learning rate", PALETTE[1])
    right.plot(epoch, lr, color=PALETTE[1], linewidth=1.0, linestyle=(0, (4, 2)))
    right.set_ylim(0.0, None)
    stages = np.unique(stage)
    for k, colour in zip(stages, STAGE_COLOURS * len(stages), strict=False):
        chosen = stage == k
        name = losses[k] if k < len(losses) else f"stage {k + 1}"
        ax.plot(epoch[chosen], loss[chosen], color=colour, linewidth=1.4, label=name)
        if k > stages[0]:
            ax.axvline(epoch[chosen][0] - 0.5, color="#bbbbbb", linewidth=0.6)
    if (loss > 0.0).all():
        ax.set_yscale("log")
    ax.set_xlabel("epoch")
    ax.set_ylabel("loss")
    ax.legend()
    return ax
