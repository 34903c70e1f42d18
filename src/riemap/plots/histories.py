"""How training went."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from riemap.plots.style import COLOURS, new_axes, styled
from riemap.training.state import EpochRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@styled
def history(
    records: Sequence[EpochRecord], *, losses: Sequence[str] = (), ax: "Axes | None" = None
) -> "Axes":
    """Loss (left axis) and rate (right axis) of every epoch; a stage with another loss has another line.

    Parameters
    ----------
    records
        What happened in every epoch.
    losses
        Names of the losses of the stages.
    """
    ax = new_axes(ax, 5.4, 3.4)
    stage = np.array([record.stage for record in records])
    loss, lr = (np.array([getattr(record, key) for record in records]) for key in ("loss", "lr"))
    epoch = np.arange(1, len(records) + 1)
    right = ax.twinx()
    right.plot(epoch, lr, color=COLOURS[1], linewidth=1.0, linestyle=(0, (4, 2)))
    right.set_ylabel("learning rate", color=COLOURS[1])
    right.tick_params(axis="y", colors=COLOURS[1])
    right.set_ylim(0.0, None)
    right.grid(visible=False)
    ax.set_zorder(right.get_zorder() + 1)
    ax.patch.set_visible(False)
    stages = np.unique(stage)
    for k, colour in zip(
        stages, (COLOURS[0], COLOURS[2], COLOURS[3], COLOURS[6]) * len(stages), strict=False
    ):
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
