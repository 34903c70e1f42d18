"""The loop: epochs of a plan, until it ends, the loss stands still, or somebody stops it."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeAlias, final

import numba

from riemap.distances import DistanceMatrix
from riemap.embeddings import Embedding
from riemap.graphs import Dissimilarities, Graph
from riemap.spaces import Space
from riemap.training.interrupts import noted_interrupts
from riemap.training.malloc import kept_pages
from riemap.training.plan import Plan
from riemap.training.state import EpochRecord, TrainingState
from riemap.training.trainer import Trainer

ALONE = 150
"""Nodes up to which a second thread gains nothing, and where other work has the cores makes all wait."""

Callback: TypeAlias = Callable[[EpochRecord], object]
"""Is told of every epoch; returning ``False`` stops the run."""


class Stop(Enum):
    """Why training ended."""

    FINISHED = "all epochs are done"
    PLATEAU = "the loss stopped improving"
    CALLBACK = "a callback asked to stop"
    INTERRUPTED = "it was interrupted"


@final
@dataclass(frozen=True)
class Fit:
    """What training gives: the best embedding, how it went, and why it ended."""

    embedding: Embedding
    history: tuple[EpochRecord, ...]
    stop: Stop
    plan: Plan
    seconds: float


@kept_pages()
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
) -> Fit:
    """Embed a graph by a plan.

    Parameters
    ----------
    graph
        What to embed.
    space
        Where to.
    plan
        How; see :func:`riemap.training.plan.default_plan`.
    seed
        Of the starting points and the batches. The same seed gives the same bytes, on any number of threads.
    callbacks
        Each is called after every epoch with its :class:`EpochRecord`, and may stop the run by returning
        ``False``.
    checkpoint
        A file to go on from, if it is there, and to keep up to date.
    every
        Epochs between two checkpoints.
    distances
        Distances between all nodes, if they are known already; computed otherwise.
    """
    started = time.perf_counter()
    run = Trainer(graph, space, plan, seed, distances)
    identity = json.dumps({"graph": graph.key, "space": str(space), "seed": seed, "plan": plan.as_json()})
    stop = Stop.FINISHED
    with _threads(run.target.n), noted_interrupts() as interrupted:
        if checkpoint is not None and checkpoint.exists():
            state = TrainingState.load(checkpoint, identity)
            run.started -= state.history[-1].seconds if state.history else 0.0
        else:
            state = run.start(interrupted)
        try:
            while state.epoch < plan.epochs:
                if run.stands_still(state):  # also one that a checkpoint brought here
                    stop = Stop.PLATEAU
                    break
                if interrupted():
                    raise KeyboardInterrupt
                done, state = state.epoch, run.epoch(state)
                if state.epoch == done:
                    continue  # back to the best points
                if checkpoint is not None and (state.epoch % every == 0 or state.epoch == plan.epochs):
                    state.save(checkpoint, identity)
                if False in [callback(state.history[-1]) is not False for callback in callbacks]:
                    stop = Stop.CALLBACK
                    break
        except KeyboardInterrupt:
            stop = Stop.INTERRUPTED
            if checkpoint is not None and state.epoch:  # a start that was cut short is not the start
                state.save(checkpoint, identity)
    embedding = run.embedding(state)
    return Fit(embedding, tuple(state.history), stop, plan, time.perf_counter() - started)


@contextmanager
def _threads(nodes: int) -> Iterator[None]:
    """As many as there are, or one for few nodes; the results are the same."""
    before = numba.get_num_threads()
    numba.set_num_threads(1 if nodes <= ALONE else before)
    try:
        yield
    finally:
        numba.set_num_threads(before)
