"""``fit``: the epochs of a plan, until all are done, the loss stops improving, or something stops the run."""

import functools
import html
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeAlias, final

from riemap.distances.paths import DistanceMatrix
from riemap.embeddings import Embedding
from riemap.graphs import Dissimilarities, Graph
from riemap.spaces import Space
from riemap.training.checkpoint import load_checkpoint, save_checkpoint
from riemap.training.plan import Plan
from riemap.training.state import EpochRecord, EpochReport, TrainingState
from riemap.training.trainer import Trainer, never

Callback: TypeAlias = Callable[[EpochReport], object]
"""A function that is called after every epoch. The run stops if it returns ``False``."""


class Stop(Enum):
    """Why training ended; the value is the sentence to show."""

    FINISHED = "all epochs are done"
    PLATEAU = "the loss stopped improving"
    CALLBACK = "a callback asked to stop"
    INTERRUPTED = "it was interrupted"


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
    graph_name
        Name of the graph.
    """

    embedding: Embedding
    history: tuple[EpochRecord, ...]
    stop: Stop
    plan: Plan
    seconds: float
    graph_name: str

    def __repr__(self) -> str:
        return (
            f"<Fit of {self.graph_name} in {self.embedding.space}: {len(self.history)} epochs in "
            f"{self.seconds:.1f} s, {self.stop.value}>"
        )

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        loss = f"{self.history[-1].loss:.6g}" if self.history else "–"
        rows = {
            "graph": self.graph_name,
            "space": f"{self.embedding.space} ({self.embedding.space.dim} dimensions)",
            "loss": str(self.plan.stages[-1].loss),
            "final loss": loss,
            "epochs": f"{len(self.history)} of {self.plan.epochs}, in {self.seconds:.1f} s",
            "stopped because": self.stop.value,
        }
        cells = "".join(f"<tr><th>{key}</th><td>{html.escape(text)}</td></tr>" for key, text in rows.items())
        return f"<table>{cells}</table>"


def fit(
    graph: Graph | Dissimilarities,
    space: Space,
    plan: Plan,
    *,
    seed: int = 0,
    callbacks: tuple[Callback, ...] = (),
    checkpoint: Path | None = None,
    every: int = 50,
    distances: DistanceMatrix | None = None,
    interrupted: Callable[[], bool] = never,
) -> Fit:
    """Embed a graph by a plan.

    Parameters
    ----------
    graph
        The graph or the dissimilarities to embed.
    space
        The space to embed in.
    plan
        Losses, epochs and learning rates; see :func:`riemap.training.default_plan`.
    seed
        Seed of the initial points and of the batches. The same seed gives the same bytes, on any number of
        threads.
    callbacks
        Each is called after every epoch with an :class:`EpochReport`, which has the fields of an
        :class:`EpochRecord` and gives the embedding so far. The run stops if one returns ``False``.
    checkpoint
        A file that the run continues from, if it exists, and that is kept up to date.
    every
        Number of epochs between two checkpoints.
    distances
        The matrix of :func:`riemap.shortest_paths` for this graph, if it is known already.
    interrupted
        Is asked between epochs. Once it returns ``True``, the run stops, and the checkpoint is written.

    Returns
    -------
    Fit
        The best embedding, the history and why training ended.

    Raises
    ------
    InputError
        If the checkpoint belongs to another run or is damaged.
    DivergedError
        If the loss becomes NaN or infinite again after the learning rate was lowered.
    KeyboardInterrupt
        If Ctrl-C is pressed, unless ``interrupted`` tells so. The checkpoint then has all finished epochs.

    Examples
    --------
    >>> from riemap import generate
    >>> from riemap.losses import as_loss
    >>> from riemap.training import default_plan
    >>> graph = generate("path(n=5)")
    >>> result = fit(graph, Space.parse("H2"), default_plan(as_loss("stress"), graph.n, epochs=8))
    >>> result.embedding, result.stop.value
    (<Embedding of 5 nodes in H2 (2 dimensions)>, 'all epochs are done')
    """
    began = time.perf_counter()
    trainer = Trainer(graph, space, plan, distances)
    identity = json.dumps({"graph": graph.key, "space": str(space), "seed": seed, "plan": plan.as_json()})
    file = _CheckpointFile(checkpoint, identity)
    state, history = file.load() or (trainer.init(seed, interrupted=interrupted), [])
    try:
        while (stop := _reason_to_stop(trainer, state, interrupted)) is None:
            state = trainer.step(state)
            _add_record(history, state)
            if state.epoch % every == 0 or state.epoch == plan.epochs:
                file.save(state, history)
            if not _all_continue(callbacks, trainer, state):
                stop = Stop.CALLBACK
                break
    except KeyboardInterrupt:
        _add_record(history, state)
        file.save(state, history)
        if not interrupted():
            raise
        stop = Stop.INTERRUPTED
    else:
        if stop is Stop.INTERRUPTED:
            file.save(state, history)
    seconds = time.perf_counter() - began
    return Fit(trainer.embedding(state), tuple(history), stop, plan, seconds, graph.name)


@final
@dataclass(frozen=True)
class _CheckpointFile:
    """The checkpoint of a run, if it has one."""

    path: Path | None
    identity: str

    def load(self) -> tuple[TrainingState, list[EpochRecord]] | None:
        if self.path is None or not self.path.exists():
            return None
        return load_checkpoint(self.path, self.identity)

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


def _all_continue(callbacks: tuple[Callback, ...], trainer: Trainer, state: TrainingState) -> bool:
    """Call all callbacks, and tell whether none returned ``False``."""
    assert state.record is not None
    report = EpochReport.of(state.record, functools.partial(trainer.embedding, state))
    answers = [callback(report) for callback in callbacks]
    return all(answer is not False for answer in answers)
