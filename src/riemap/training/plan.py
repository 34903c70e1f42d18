"""Plans of training: a sequence of stages, each with its loss, its number of epochs and its learning rate."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, final, get_args

from riemap.errors import InputError
from riemap.losses import Loss
from riemap.losses.sums import coarse_and_fine
from riemap.optim import Optimizer
from riemap.specs import expect, finite_number, shown, whole_number

ScheduleName: TypeAlias = Literal["constant", "cosine", "plateau"]
SCHEDULES: tuple[ScheduleName, ...] = get_args(ScheduleName)
"""The ways in which a learning rate can change during a stage."""

SamplerName: TypeAlias = Literal["all", "landmarks"]
SAMPLERS: tuple[SamplerName, ...] = get_args(SamplerName)
"""The ways to choose the pairs that training sees."""

InitialisationName: TypeAlias = Literal["ball", "layout"]
INITIALISATIONS: tuple[InitialisationName, ...] = get_args(InitialisationName)
"""Where the points can be at the start."""

WaitName: TypeAlias = Literal["none", "hyperbolic", "all"]
WAITS: tuple[WaitName, ...] = get_args(WaitName)
"""Which scales a stage leaves where they are."""

RAMP_EPOCHS = 20
"""Epochs in which the cosine schedule rises to its full learning rate.

The optimizer's averages of gradients need some epochs to settle.
"""


@final
@dataclass(frozen=True)
class Stage:
    """A number of epochs with one loss.

    Parameters
    ----------
    loss
        The loss to minimise. If its temperature has a schedule, it runs over these epochs.
    epochs
        Number of epochs.
    lr_factor
        Factor of the optimizer's learning rate.
    schedule
        How the learning rate changes: ``"constant"``; ``"cosine"``, which rises quickly and falls to zero
        like a cosine; or ``"plateau"``, which takes a tenth whenever the loss has not improved for 50 epochs.
    scales
        Whether the scales of the factors are learned.
    waits
        Which scales stay where they are: ``"none"``; those of ``"hyperbolic"`` factors, whose curvature is
        negative everywhere; or ``"all"``, these and those of factors with a ``waiting_log_scale``. Scales
        that wait in the first stage start where they wait.
    hyperbolic_rate
        Factor of the learning rate of the scales of hyperbolic factors.
    scaled_lr
        Whether the learning rate of points is a length in units of the target: in each factor that is not
        compact, it is divided by the square root of the scale, within the bounds of 1 and 16 times.
    rescale
        Begin by multiplying all distances by the factor that gives the smallest loss, and reset the
        optimizer's averages.
    batch
        Number of nodes in a batch; a step takes all pairs within it. ``None`` takes all pairs of the graph.

    Raises
    ------
    InputError
        If a number is not positive, or there is no such schedule.
    """

    loss: Loss
    epochs: int
    lr_factor: float = 1.0
    schedule: ScheduleName = "constant"
    scales: bool = True
    rescale: bool = False
    batch: int | None = None
    waits: WaitName = "none"
    hyperbolic_rate: float = 1.0
    scaled_lr: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.loss, Loss):
            raise InputError(
                f"the loss of a stage is {shown(self.loss)}; riemap.losses.as_loss('stress') makes one"
            )
        object.__setattr__(self, "epochs", whole_number("epochs", self.epochs, 1, 100))
        if self.batch is not None:
            object.__setattr__(self, "batch", whole_number("batch", self.batch, 1, 512))
        if self.waits not in WAITS:
            raise InputError(f"waits={shown(self.waits)} of a stage is not one of {', '.join(WAITS)}")
        if not 0.0 <= finite_number("hyperbolic_rate", self.hyperbolic_rate, 0.1) <= 1.0:
            raise InputError(f"hyperbolic_rate={self.hyperbolic_rate:g} of a stage is not between 0 and 1")
        if not finite_number("lr_factor", self.lr_factor, 1.0) > 0.0:
            raise InputError(f"lr_factor={self.lr_factor:g} of a stage is not positive, e.g. 0.1")
        if not isinstance(self.schedule, str) or self.schedule not in SCHEDULES:
            raise InputError(
                f"schedule={shown(self.schedule)} of a stage is not one of {', '.join(SCHEDULES)}"
            )

    @cached_property
    def loss_changes(self) -> bool:
        """Whether the loss is another one at the end of the stage."""
        return self.loss.at_progress(0.0) != self.loss.at_progress(1.0)

    def lr_factor_at(self, epoch: int) -> float:
        """Return the factor of the learning rate in one epoch.

        Parameters
        ----------
        epoch
            Number of the epoch within this stage, from 0.

        Returns
        -------
        float
            The factor. Reductions on a plateau depend on the loss and are not part of it.
        """
        if self.schedule != "cosine":
            return self.lr_factor
        ramp = min(1.0, (epoch + 1) / min(RAMP_EPOCHS, max(self.epochs // 4, 1)))
        return self.lr_factor * ramp * 0.5 * (1.0 + math.cos(math.pi * epoch / self.epochs))


@final
@dataclass(frozen=True)
class Plan:
    """Everything that decides the result besides the graph, the space and the seed.

    Parameters
    ----------
    stages
        What is done, in this order.
    optimizer
        Moves the points.
    scale_lr
        Learning rate of the log-scales.
    radius
        Typical distance of the initial points from the origin.
    sampler
        Which pairs training sees: ``"all"``, in batches or not; or ``"landmarks"``, for a large graph: pairs
        with some of the nodes, the landmarks, and pairs within balls. An epoch is then a round, in which each
        node has one step against landmarks. The numbers ``batch`` of the stages do not matter then.
    initialisation
        Where points start: ``"ball"``, random points around the origin; or ``"layout"``, the coordinates of
        classical scaling, for few nodes and in spaces with a compact factor.

    Raises
    ------
    InputError
        If there is no stage, a number is not positive and finite, or landmarks go with the loss ``walks``.

    Examples
    --------
    >>> from riemap.losses import as_loss
    >>> from riemap.optim import RAdam
    >>> plan = Plan((Stage(as_loss("stress"), 100), Stage(as_loss("ad"), 50)), RAdam(0.1), scale_lr=0.1)
    >>> plan.epochs
    150
    """

    stages: tuple[Stage, ...]
    optimizer: Optimizer
    scale_lr: float
    radius: float = 0.1
    sampler: SamplerName = "all"
    initialisation: InitialisationName = "ball"

    def __post_init__(self) -> None:
        expect(self.stages, Iterable, "a sequence of stages", "e.g. (Stage(as_loss('stress'), 100),)")
        object.__setattr__(self, "stages", tuple(self.stages))
        if not self.stages or not all(isinstance(stage, Stage) for stage in self.stages):
            raise InputError(f"a plan is made of one or more stages, not of {shown(self.stages)}")
        if not isinstance(self.optimizer, Optimizer):
            raise InputError(
                f"the optimizer of a plan is {shown(self.optimizer)}, not one such as RAdam(lr=0.05)"
            )
        if self.sampler not in SAMPLERS:
            raise InputError(f"sampler={shown(self.sampler)} of a plan is not one of {', '.join(SAMPLERS)}")
        if self.sampler == "landmarks" and self.compares_walks:
            raise InputError(
                "the loss walks, of --for links and --for labels, takes all pairs of nodes, and the sampler "
                "is landmarks; take --sampler all, or another loss, e.g. --for both (in Python, "
                "sampler='all', or loss='both')"
            )
        if self.initialisation not in INITIALISATIONS:
            given, known = shown(self.initialisation), ", ".join(INITIALISATIONS)
            raise InputError(f"initialisation={given} of a plan is not one of {known}")
        for name in ("scale_lr", "radius"):
            if not finite_number(name, getattr(self, name), 0.1) > 0.0:
                raise InputError(f"{name}={getattr(self, name):g} of a plan is not positive, e.g. 0.1")

    @property
    def epochs(self) -> int:
        """Number of epochs of all stages together."""
        return sum(stage.epochs for stage in self.stages)

    @property
    def unfolds(self) -> bool:
        """Whether the first of several stages has the full learning rate, and so can unfold the graph.

        A burn-in at a tenth of the rate cannot.
        """
        return len(self.stages) > 1 and self.stages[0].lr_factor >= 1.0

    @property
    def compares_walks(self) -> bool:
        """Whether a stage has the loss ``walks``; all stages then compare walks, and not distances."""
        return any(stage.loss.compares_walks for stage in self.stages)

    @property
    def refines(self) -> bool:
        """Whether the last loss has a term that only puts near pairs in order, such as ``edges``."""
        coarse, _ = coarse_and_fine(self.stages[-1].loss)
        return coarse is not self.stages[-1].loss

    def stage(self, epoch: int) -> tuple[int, Stage, int]:
        """Find the stage of an epoch.

        Parameters
        ----------
        epoch
            Number of the epoch, from 0.

        Returns
        -------
        tuple of int, Stage and int
            Number of the stage, from 0; the stage; and the number of the epoch within it, from 0.

        Raises
        ------
        IndexError
            If the plan has fewer epochs.
        """
        for number, stage in enumerate(self.stages):
            if epoch < stage.epochs:
                return number, stage, epoch
            epoch -= stage.epochs
        raise IndexError(f"the plan has {self.epochs} epochs")

    def as_json(self) -> dict[str, object]:
        """Return the plan as JSON, as it is written into the folder of a run.

        Returns
        -------
        dict
            Texts and numbers from which equal plans can be told from different ones.
        """
        more: dict[str, object] = {} if self.sampler == "all" else {"sampler": self.sampler}
        if self.initialisation != "ball":
            more["initialisation"] = self.initialisation
        return {
            **more,
            "optimizer": str(self.optimizer),
            "scale_lr": self.scale_lr,
            "radius": self.radius,
            "stages": [
                {
                    "loss": str(s.loss),
                    "epochs": s.epochs,
                    "lr_factor": s.lr_factor,
                    "schedule": s.schedule,
                    "scales": s.scales,
                    "rescale": s.rescale,
                    "batch": s.batch,
                    **({} if s.waits == "none" else {"waits": s.waits}),
                    **({} if s.hyperbolic_rate == 1.0 else {"hyperbolic_rate": s.hyperbolic_rate}),
                    **({"scaled_lr": True} if s.scaled_lr else {}),
                }
                for s in self.stages
            ],
        }
