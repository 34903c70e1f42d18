"""Training: from a graph to an embedding.

:func:`riemap.embed` is the one-line interface, :func:`fit` follows a plan, and :class:`Trainer` runs single
epochs.
"""

from riemap.errors import DivergedError
from riemap.training.added_nodes import AddedNodes, add_nodes
from riemap.training.epoch import TrainingWarning
from riemap.training.fit import Callback, Fit, Stop, fit
from riemap.training.landmark_plans import landmark_plan
from riemap.training.objective import LossGradient, Objective
from riemap.training.placement import place
from riemap.training.plan import Plan, Stage
from riemap.training.presets import PRESETS, default_plan, paper_plan, preset_plan, steady_plan
from riemap.training.process import training_process
from riemap.training.sampled_objective import SampledObjective
from riemap.training.state import EpochRecord, EpochReport, TrainingState
from riemap.training.trainer import Trainer

__all__ = [
    "PRESETS",
    "AddedNodes",
    "Callback",
    "DivergedError",
    "EpochRecord",
    "EpochReport",
    "Fit",
    "LossGradient",
    "Objective",
    "Plan",
    "SampledObjective",
    "Stage",
    "Stop",
    "Trainer",
    "TrainingState",
    "TrainingWarning",
    "add_nodes",
    "default_plan",
    "fit",
    "landmark_plan",
    "paper_plan",
    "place",
    "preset_plan",
    "steady_plan",
    "training_process",
]
