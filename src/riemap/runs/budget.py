"""A budget of time: as many epochs as fit into it, and the end of the run when it is over."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import final

from riemap.errors import InputError
from riemap.graphs import AnyGraph
from riemap.kernel_cache import working_seconds
from riemap.runs.folder import RunFolder
from riemap.runs.spec import Setup
from riemap.specs import duration
from riemap.training.fit import Callback, Stop
from riemap.training.plan import Plan
from riemap.training.starts import trial_epochs
from riemap.training.trainer import Trainer

PROBE_EPOCHS = 12
"""Epochs of a short run that tells how long an epoch of each stage takes."""

PLANNED_SHARE = 0.9
"""Share of the time that is planned for. The rest is a reserve: epochs do not all take the same time."""

FEWEST_EPOCHS, MOST_EPOCHS = 4, 10_000
"""Bounds on the number of epochs: one for each stage, and five times as many as the default has at most.

More epochs than that do not improve an embedding."""


@final
@dataclass(frozen=True)
class TimeBudget:
    """The time that training may take, from now on. The compilation of kernels does not count.

    Parameters
    ----------
    seconds
        Number of seconds.
    began
        When it began, by :func:`riemap.kernel_cache.working_seconds`.

    Examples
    --------
    >>> TimeBudget.of("1.5 min")
    TimeBudget(seconds=90.0)
    """

    seconds: float
    began: float = field(default_factory=lambda: working_seconds(), compare=False, repr=False)

    @classmethod
    def of(
        cls, given: str | float | None, epochs: int | None = None, ray: str | None = None
    ) -> "TimeBudget | None":
        """Read a time: a number of seconds, or a text such as ``"60s"``, ``"5m"`` or ``"2h"``.

        Parameters
        ----------
        given
            The time; ``None`` if there is no limit.
        epochs, ray
            What else the user asked for.

        Returns
        -------
        TimeBudget or None
            The budget, which begins now; ``None`` without a limit.

        Raises
        ------
        InputError
            If it is not a positive time, or goes with a number of epochs or a cluster.
        """
        if given is None:
            return None
        if epochs is not None:
            raise InputError(
                f"a time ({given}) and a number of epochs ({epochs}) exclude each other: give one"
            )
        if ray:
            raise InputError("a time is measured on this machine, and not on a cluster; give epochs instead")
        return cls(duration("time", given, "s"))

    @property
    def left(self) -> float:
        """Seconds until the time is over; negative afterwards."""
        return self.seconds - (working_seconds() - self.began)

    def stopping(self) -> Callback:
        """Make a callback that ends the run when the time is over.

        Returns
        -------
        callable
            Returns ``Stop.TIME`` then, and ``None`` before.
        """
        return lambda report: Stop.TIME if self.left <= 0.0 else None

    def epochs(self, graph: AnyGraph, setup: Callable[[int], Setup], folder: RunFolder | None = None) -> int:
        """Return the number of epochs that are likely to be done in time, by a short run.

        The number is what decides the result: a run with as many epochs and without a limit, which is not
        stopped either, has the same bytes.

        Parameters
        ----------
        graph
            What to embed.
        setup
            Makes the space and the plan for a number of epochs.
        folder
            The folder of the run. If it holds a run already, the number of epochs is that of the run.

        Returns
        -------
        int
            Number of epochs; at least four, and at most 10,000.
        """
        known = None if folder is None else folder.config()
        if known is not None and known["epochs"] is not None:
            return int(known["epochs"])
        pace = _Pace.of(graph, setup(PROBE_EPOCHS))
        time = PLANNED_SHARE * self.left
        low, high = FEWEST_EPOCHS, MOST_EPOCHS + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if pace.seconds(setup(middle).plan) <= time else (low, middle)
        return low


@final
@dataclass(frozen=True)
class _Pace:
    """How long the initialisation of a short run took, and an epoch of each stage."""

    start: float
    stages: tuple[float, ...]
    trial_epochs: int

    @classmethod
    def of(cls, graph: AnyGraph, setup: Setup) -> "_Pace":
        """Do a short run; the fastest epoch of a stage counts, since the first one prepares arrays."""
        trainer = Trainer(graph, setup.space, setup.plan)
        state = trainer.init()
        start, before = state.seconds, state.seconds
        found: dict[int, float] = {}
        while state.epoch < setup.plan.epochs:
            state = trainer.step(state)
            assert state.record is not None
            spent, number = state.seconds - before, state.record.stage
            found[number] = min(spent, found.get(number, spent))
            before = state.seconds
        return cls(start, tuple(found.values()), trial_epochs(trainer.plan))

    def seconds(self, plan: Plan) -> float:
        """Estimate the duration of a plan with the same stages.

        Trials of initialisations take longer if there are more epochs; the start of a large graph does not.
        """
        tried = sum(min(stage.epochs, self.trial_epochs) for stage in plan.stages)
        start = self.start * (tried / PROBE_EPOCHS if plan.sampler == "all" else 1.0)
        each = zip(plan.stages, self.stages, strict=True)
        return start + sum(stage.epochs * seconds for stage, seconds in each)
