"""``fit``: the epochs of a plan, until all are done, the loss stops improving, or something stops the run."""

import functools
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, final

import numpy as np

from riemap.distances.paths import DistanceMatrix
from riemap.embeddings import Embedding
from riemap.embeddings.html_table import html_table
from riemap.graphs import AnyGraph, Graph
from riemap.kernel_cache import working_seconds
from riemap.spaces import Space
from riemap.specs import checked_seed, expect, whole_number
from riemap.training.checkpoint import load_checkpoint, save_checkpoint
from riemap.training.plan import Plan
from riemap.training.state import EpochRecord, EpochReport, TrainingState
from riemap.training.trainer import Trainer, never
from riemap.training.workers import Workers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from riemap.metrics import Scores
    from riemap.training.added_nodes import AddedNodes

Callback: TypeAlias = Callable[[EpochReport], object]
"""A function that is called after every epoch. The run stops if it returns ``False`` or a :class:`Stop`."""


_LOGGER = logging.getLogger(__name__)


class Stop(Enum):
    """Why training ended; the value is the sentence to show."""

    FINISHED = "all epochs are done"
    PLATEAU = "the loss stopped improving"
    CALLBACK = "a callback asked to stop"
    INTERRUPTED = "it was interrupted"
    TIME = "the time is over"


@final
@dataclass(frozen=True, repr=False)
class Fit:
    """The result of training.

    Parameters
    ----------
    embedding
        The best embedding of the last stage.
    history
        One record an epoch.
    stop
        Why training ended.
    plan
        The plan that was followed.
    seconds
        Duration of the call, including the distances in the graph.
    graph
        What was embedded.
    known_scores
        Scores that are known already.
    """

    embedding: Embedding
    history: tuple[EpochRecord, ...]
    stop: Stop
    plan: Plan
    seconds: float
    graph: AnyGraph
    known_scores: "Scores | None" = field(default=None, compare=False)

    @cached_property
    def scores(self) -> "Scores":
        """How faithful the embedding is; computed when it is first asked for, and then kept."""
        from riemap.metrics import evaluate

        return self.known_scores or evaluate(self.embedding, self.graph)

    def add(self, edges: Any) -> "AddedNodes":
        """Put new nodes into the embedding by their edges, without moving the others.

        Parameters
        ----------
        edges
            As for :meth:`riemap.Embedding.add`.

        Returns
        -------
        AddedNodes
            The new embedding, and how well the new nodes fit.
        """
        return self.embedding.add(edges, self.graph)

    def plot(self, *, names: int = 0) -> "Figure":
        """Draw the embedding, with nodes coloured by their number of neighbours.

        Parameters
        ----------
        names
            How many nodes to name, as for :func:`riemap.plots.embedding`.

        Returns
        -------
        Figure
            A figure of Matplotlib, which ``pip install 'riemap[plot]'`` brings.
        """
        import riemap

        colouring = None
        if isinstance(self.graph, Graph):
            colouring = riemap.plots.Colouring("degree", self.graph.degrees.astype(float))
        return riemap.plots.embedding(self.embedding, self.graph, colouring=colouring, names=names)

    def __repr__(self) -> str:
        return (
            f"<Fit of {self.graph.name} in {self.embedding.space}: {len(self.history)} epochs in "
            f"{self.seconds:.1f} s, {self.stop.value}>"
        )

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        return html_table(
            f"{self.graph.name} in {self.embedding.space}",
            dimensions=self.embedding.space.dim,
            loss=self.plan.stages[-1].loss,
            final=f"{self.history[-1].loss:.6g}" if self.history else "–",
            epochs=f"{len(self.history)} of {self.plan.epochs}, in {self.seconds:.1f} s",
            stop=self.stop.value,
        )


def fit(
    graph: AnyGraph,
    space: Space,
    plan: Plan,
    *,
    seed: int = 0,
    callbacks: tuple[Callback, ...] = (),
    checkpoint: Path | None = None,
    every: int = 50,
    distances: DistanceMatrix | None = None,
    interrupted: Callable[[], bool] = never,
    start: Embedding | None = None,
    workers: Workers | None = None,
) -> Fit:
    """Embed a graph by a plan.

    Parameters
    ----------
    graph, space, plan, distances, workers, seed
        As for :class:`Trainer` and its method :meth:`~Trainer.init`.
    callbacks, interrupted
        Each callback is called after every epoch with an :class:`EpochReport`; the run stops if one returns
        ``False``. It also stops once ``interrupted``, which is asked between epochs, returns ``True``. Asked
        while walks are computed, this raises ``KeyboardInterrupt``.
    checkpoint, every
        A file to continue from, if it exists, and to write every so many epochs and when interrupted.
    start
        An embedding of the same nodes in the same space, whose points and scales training starts from.

    Returns
    -------
    Fit
        The best embedding, the history and why training ended.

    Raises
    ------
    InputError, DivergedError, KeyboardInterrupt
        If an argument is not accepted, or the checkpoint belongs to another run or is damaged; if the loss
        became NaN or infinite twice; if Ctrl-C is pressed, unless ``interrupted`` tells so. The checkpoint
        then has all finished epochs.

    Examples
    --------
    >>> from riemap import generate, losses, training
    >>> graph, loss = generate("path(n=5)"), losses.as_loss("stress")
    >>> fit(graph, Space.parse("H2"), training.default_plan(loss, graph.n, epochs=8)).stop.value
    'all epochs are done'
    """
    began = working_seconds()
    seed, every = checked_seed(seed), whole_number("every", every, 1, 50)
    _check_callbacks(callbacks)
    trainer = Trainer(graph, space, plan, distances, workers, interrupted)
    identity = json.dumps({"graph": graph.key, "space": str(space), "seed": seed, "plan": plan.as_json()})
    file = _CheckpointFile(checkpoint, identity, every)
    like = trainer._initial_state(tuple(np.zeros((graph.n, *m.shape)) for m in space.factors), seed)
    if (found := file.load(like)) is None:
        _LOGGER.info("%s in %s: choosing initial points", graph.name, space)
        found = trainer.init(seed, interrupted=interrupted, start=start), []
    state, history = found
    _LOGGER.info("%s in %s: training", graph.name, space)
    state, stop = _run(trainer, state, history, file, callbacks, interrupted)
    embedding = trainer.embedding(state)
    return Fit(embedding, tuple(history), stop, plan, working_seconds() - began, graph)


def _check_callbacks(callbacks: tuple[Callback, ...]) -> None:
    expect(callbacks, tuple | list, "a tuple of callbacks", "e.g. callbacks=(print,)")
    if not all(callable(callback) for callback in callbacks):
        raise TypeError("a callback is a function of the record of an epoch, e.g. callbacks=(print,)")


def _run(
    trainer: Trainer,
    state: TrainingState,
    history: list[EpochRecord],
    file: "_CheckpointFile",
    callbacks: tuple[Callback, ...],
    interrupted: Callable[[], bool],
) -> tuple[TrainingState, Stop]:
    """Run epochs until there is a reason to stop; their records are added to ``history``."""
    try:
        while (stop := _reason_to_stop(trainer, state, interrupted)) is None:
            state = trainer.step(state)
            _add_record(history, state)
            if state.epoch % file.every == 0 or state.epoch == trainer.plan.epochs:
                file.save(state, history)
            if (asked := _asked_stop(callbacks, trainer, state)) is not None:
                return state, asked
    except KeyboardInterrupt:
        _add_record(history, state)
        file.save(state, history)
        if not interrupted():
            raise
        return state, Stop.INTERRUPTED
    if stop is Stop.INTERRUPTED:
        file.save(state, history)
    return state, stop


@final
@dataclass(frozen=True)
class _CheckpointFile:
    """The checkpoint of a run, if it has one."""

    path: Path | None
    identity: str
    every: int

    def load(self, like: TrainingState) -> tuple[TrainingState, list[EpochRecord]] | None:
        """Read the state, if there is one; otherwise make the folder, which must not vanish later."""
        if self.path is None:
            return None
        if self.path.exists():
            return load_checkpoint(self.path, self.identity, like)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return None

    def save(self, state: TrainingState, history: list[EpochRecord]) -> None:
        """Write the state, but not before the first epoch: an interrupted initialisation is not complete."""
        if self.path is not None and state.epoch > 0:
            save_checkpoint(self.path, self.identity, state, history)


def _reason_to_stop(trainer: Trainer, state: TrainingState, interrupted: Callable[[], bool]) -> Stop | None:
    if state.epoch >= trainer.plan.epochs:
        return Stop.FINISHED
    if trainer.converged(state):
        return Stop.PLATEAU
    return Stop.INTERRUPTED if interrupted() else None


def _add_record(history: list[EpochRecord], state: TrainingState) -> None:
    """Add the record of the last epoch unless it is there already."""
    if state.record is not None:
        history[state.epoch - 1 :] = [state.record]


def _asked_stop(callbacks: tuple[Callback, ...], trainer: Trainer, state: TrainingState) -> Stop | None:
    """Call all callbacks, and return why the run stops, if one returned a reason or ``False``."""
    assert state.record is not None
    report = EpochReport.of(state.record, functools.partial(trainer.embedding, state))
    answers = [callback(report) for callback in callbacks]
    reasons = [answer for answer in answers if isinstance(answer, Stop)]
    return next(iter(reasons), Stop.CALLBACK if any(answer is False for answer in answers) else None)
