"""Outcomes of the runs of a grid."""

from enum import Enum
from typing import NamedTuple

from riemap.runs.spec import RunSpec


class Outcome(Enum):
    """The outcome of a run; the value is the word that is shown."""

    DONE = "done"
    """The run is done and recorded."""

    FAILED = "failed"
    """The run failed, which is recorded."""

    FOUND = "found"
    """Another process has recorded the run meanwhile."""

    HELD = "held"
    """Another process does the run now."""

    LEFT = "left"
    """The run was not begun, for lack of time."""


class RunOutcome(NamedTuple):
    """A run that is accounted for."""

    run: RunSpec
    outcome: Outcome
