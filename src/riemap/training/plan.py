"""How to train: stages, one after the other, each with its loss and its schedule.

``--preset paper`` is the protocol of [Cruceru2020, app. F] with the details of its authors' code; ``--preset
default`` is ours, and what measurement supports (``benchmarks/quality.py``). ``--preset steady`` is for where
that lets the scales run away.

References
----------
[Cruceru2020] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph embeddings.
    2020.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, final

from riemap.errors import InputError
from riemap.losses import RSNE, Loss, Schedule
from riemap.optim import Optimizer, RAdam
from riemap.optim.radam import Betas
from riemap.specs import shown, suggestion

ScheduleName: TypeAlias = Literal["constant", "cosine", "plateau"]

RAMP_EPOCHS = 20
"""Epochs in which a cosine schedule reaches its full rate.

The averages of an optimizer need some to settle.
"""

DEFAULT_PAIRS = 6e9
"""Pairs that the default looks at in all; larger graphs get fewer epochs, between the next two numbers."""
FEWEST_EPOCHS, MOST_EPOCHS = 400, 2000

ALL_PAIRS_NODES, BATCH_NODES = 1448, 512
"""Most nodes of which the default takes all pairs in every step; and how many it takes of more."""


@final
@dataclass(frozen=True)
class Stage:
    """Some epochs with one loss.

    Parameters
    ----------
    loss
        What is minimised; a schedule in it runs over these epochs.
    epochs
        How many.
    lr_factor
        Factor of the learning rate.
    schedule
        Of the rate: constant; falling to zero like a cosine; or a tenth whenever the loss has not improved
        for 50 epochs.
    scales
        Whether the scales of the factors are learned.
    rescale
        Begin by giving all distances the one factor that suits the loss best, and forget the optimizer's
        averages.
    batch
        Nodes in a step, all pairs of which are looked at; all of the graph's if ``None``.
    """

    loss: Loss
    epochs: int
    lr_factor: float = 1.0
    schedule: ScheduleName = "constant"
    scales: bool = True
    rescale: bool = False
    batch: int | None = None

    def lr_factor_at(self, epoch: int) -> float:
        """Of the learning rate, in an epoch of this stage; a plateau's comes from how the loss went."""
        if self.schedule != "cosine":
            return self.lr_factor
        ramp = min(1.0, (epoch + 1) / min(RAMP_EPOCHS, max(self.epochs // 4, 1)))
        return self.lr_factor * ramp * 0.5 * (1.0 + math.cos(math.pi * epoch / self.epochs))


@final
@dataclass(frozen=True)
class Plan:
    """Everything that decides the result, but for the graph, the space and the seed."""

    stages: tuple[Stage, ...]
    optimizer: Optimizer
    scale_lr: float
    radius: float = 0.1  # of the ball in which points start

    @property
    def epochs(self) -> int:
        """Of all stages."""
        return sum(stage.epochs for stage in self.stages)

    @property
    def unfolds(self) -> bool:
        """Whether the first stage is there to unfold the graph; a burn-in is too slow for that."""
        return len(self.stages) > 1 and self.stages[0].lr_factor >= 1.0

    def stage(self, epoch: int) -> tuple[int, Stage, int]:
        """Number and stage of an epoch, and how many epochs of that stage came before."""
        for number, stage in enumerate(self.stages):
            if epoch < stage.epochs:
                return number, stage, epoch
            epoch -= stage.epochs
        raise IndexError(f"the plan has {self.epochs} epochs")

    def as_json(self) -> dict[str, object]:
        """The plan as it is written into a run's folder."""
        return {
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
                }
                for s in self.stages
            ],
        }


def default_plan(loss: Loss, n: int, epochs: int | None = None) -> Plan:
    """A quarter of the work at a temperature that unfolds the graph as a whole, the rest with the loss.

    Started at a point, losses that compare lengths end in a crumpled embedding, which in a curved space does
    not use the curvature. RSNE at a high temperature does not have this trouble, and its result is a start
    for any loss.

    A step looks at all pairs while there are few. Of a larger graph it takes those of some nodes, which are
    as good a sample of lengths as any, and many more steps in the time; but not for a loss that looks for
    nearest neighbours, which a sample does not hold.
    """
    some = BATCH_NODES if n > ALL_PAIRS_NODES else None
    batch = None if loss.needs_near_pairs else some
    unfold = _epochs(0.25, n, some) if epochs is None else epochs // 4
    last = _epochs(0.75, n, batch) if epochs is None else epochs - unfold
    first = Stage(RSNE(Schedule(0.2, 0.2)), unfold, _batch_lr_factor(some), "cosine", batch=some)
    rest = Stage(loss, last, _batch_lr_factor(batch), "cosine", rescale=loss.least_at_target, batch=batch)
    return Plan((first, rest) if unfold else (rest,), RAdam(0.1, Betas(0.9, 0.99)), scale_lr=0.1)


def steady_plan(loss: Loss, n: int, epochs: int | None = None) -> Plan:
    """The default, but scales are one until the graph is unfolded, and learned at a tenth of the rate then.

    In few dimensions of negative curvature, a large graph with hubs unfolds into ever more curvature: the
    scale falls until neighbours far out, whose distances are differences of large ones, hardly move any more.
    """
    plan = default_plan(loss, n, epochs)
    held = [replace(stage, scales=False) for stage in plan.stages[:-1]]
    return replace(plan, stages=(*held, plan.stages[-1]), scale_lr=plan.scale_lr / 10.0)


def _epochs(share: float, n: int, batch: int | None) -> int:
    """How many come to this share of the work, within bounds."""
    pairs = 0.5 * n * (n if batch is None else batch)
    return int(share * min(max(DEFAULT_PAIRS / pairs, FEWEST_EPOCHS), MOST_EPOCHS))


def _batch_lr_factor(batch: int | None) -> float:
    """Of a stage: what a step misses, the next ones see, so that longer ones pay."""
    return 1.0 if batch is None else 3.0


def paper_plan(loss: Loss, n: int, epochs: int | None = None) -> Plan:
    """RAdam at 0.01, batches of 512 nodes, 40 epochs of burn-in, then 3,000 or until the rate is 1e-5."""
    epochs = 3040 if epochs is None else epochs
    each = min(10, epochs // 5)  # fewer than ten only where there are hardly more than forty in all
    heated = _heated(loss) if each else []
    burn_in = [Stage(hot, each, lr_factor=0.1, scales=False, batch=BATCH_NODES) for hot in heated]
    last = Stage(loss, epochs - 4 * each, schedule="plateau", batch=BATCH_NODES)
    return Plan((*burn_in, last), RAdam(0.01), scale_lr=0.01)


def _heated(loss: Loss) -> list[Loss]:
    """The loss at four, three, two times and at its temperature, where it has one."""
    if not isinstance(loss, RSNE):
        return [loss] * 4
    return [replace(loss, T=Schedule(k * loss.T.start, k * loss.T.end)) for k in (4, 3, 2, 1)]


PRESETS: dict[str, Callable[[Loss, int, int | None], Plan]] = {
    "default": default_plan,
    "steady": steady_plan,
    "paper": paper_plan,
}


def preset_plan(preset: str, loss: Loss, n: int, epochs: int | None = None) -> Plan:
    """The plan of a preset for a graph of ``n`` nodes."""
    if preset not in PRESETS:
        raise InputError(
            f"no preset is called {shown(preset)}{suggestion(preset, PRESETS)} There are {', '.join(PRESETS)}"
        )
    if epochs is not None and epochs < 1:
        raise InputError(f"epochs={epochs} is not a number of epochs, e.g. 500")
    return PRESETS[preset](loss, n, epochs)
