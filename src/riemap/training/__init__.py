"""From a graph to an embedding: one line, or the same pieces by hand."""

from riemap.errors import DivergedError
from riemap.training.fit import Callback, Fit, Stop, fit
from riemap.training.plan import PRESETS, Plan, Stage, default_plan, paper_plan, preset_plan, steady_plan
from riemap.training.state import EpochRecord
from riemap.training.trainer import TrainingWarning

__all__ = [
    "PRESETS",
    "Callback",
    "DivergedError",
    "EpochRecord",
    "Fit",
    "Plan",
    "Stage",
    "Stop",
    "TrainingWarning",
    "default_plan",
    "fit",
    "paper_plan",
    "preset_plan",
    "steady_plan",
]
