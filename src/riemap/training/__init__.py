"""From a graph to an embedding: one line, or the same pieces by hand."""

from riemap.training.entry import embed
from riemap.training.epochs import DivergedError, TrainingWarning
from riemap.training.loop import Callback, Fit, Stop, fit
from riemap.training.plan import PRESETS, Plan, Stage, default_plan, paper_plan, preset_plan, steady_plan
from riemap.training.state import Record

__all__ = [
    "PRESETS",
    "Callback",
    "DivergedError",
    "Fit",
    "Plan",
    "Record",
    "Stage",
    "Stop",
    "TrainingWarning",
    "default_plan",
    "embed",
    "fit",
    "paper_plan",
    "preset_plan",
    "steady_plan",
]
