"""Means and standard errors over seeds, and what is told while a prediction is computed."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from riemap.training.state import EpochReport

Told: TypeAlias = Callable[[str, float], None]
"""Is told what is done, and which share of it, from 0 to 1."""


def silent(what: str, share: float) -> None:
    """Tell nothing."""


def told_epochs(told: Told, what: str, epochs: int) -> Callable[[EpochReport], None]:
    """Return a callback for training that tells the share of the epochs that are done."""

    def callback(report: EpochReport) -> None:
        told(what, (report.epoch + 1) / epochs)

    return callback


def mean_and_error(values: Sequence[float]) -> dict[str, float | None]:
    """Mean over seeds and its standard error, which is ``None`` for one seed.

    >>> mean_and_error([0.5, 0.7])["mean"], mean_and_error([0.5])
    (0.6, {'mean': 0.5, 'se': None})
    """
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
    return {"mean": float(np.mean(values)), "se": error}


def summarised(trials: Sequence[dict[str, Any]]) -> dict[str, dict[str, float | None]]:
    """Summarise each score of several trials, given as ``{score: value}``."""
    return {name: mean_and_error([trial[name] for trial in trials]) for name in trials[0]}
