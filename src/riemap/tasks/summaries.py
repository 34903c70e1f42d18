"""Means and standard errors over seeds, and what is told while a prediction is computed."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from riemap.spaces import Space
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


class TaskTrial(Protocol):
    """What the trials of links and of labels have in common: scores of one seed, and those of baselines."""

    @property
    def model(self) -> str:
        """The model that was chosen."""

    @property
    def scores(self) -> dict[str, float]:
        """Scores on what was held out."""

    @property
    def baselines(self) -> dict[str, dict[str, float]]:
        """The same scores of each baseline."""

    @property
    def seconds(self) -> float:
        """Duration, without the baselines."""


def trial_facts(graph: str, space: str, trials: Sequence[TaskTrial]) -> dict[str, Any]:
    """Summarise the trials of a task as JSON has them."""
    return {
        "graph": graph,
        "space": space,
        "dim": Space.parse(space).dim,
        "seeds": len(trials),
        **summarised([trial.scores for trial in trials]),
        "models": [trial.model for trial in trials],
        "baselines": {
            name: summarised([trial.baselines[name] for trial in trials]) for name in trials[0].baselines
        },
        "seconds": float(np.mean([trial.seconds for trial in trials])),
    }
