"""One trial: embed the known nodes in a space, place the held-out ones, and score the pairs of these."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from riemap.choosing.splits import Problem, Split, induced
from riemap.choosing.trial_record import OutOfTime, Trial, TrialRecord
from riemap.embeddings import Embedding
from riemap.errors import DivergedError
from riemap.graphs import Graph
from riemap.kernel_cache import working_seconds
from riemap.metrics import METRICS
from riemap.metrics.comparison import Comparison
from riemap.runs.spec import LOSS, PRESET, planned
from riemap.spaces import Space
from riemap.training import Trainer, TrainingWarning, place
from riemap.types import Array

THIRDS = ("near", "middle", "far")
"""Names of the thirds of the held-out pairs by their distance in the graph."""


def full_epochs(problem: Problem) -> int:
    """Number of epochs of the whole plan: for the known nodes of a problem, or for a prediction."""
    if problem.task is not None:
        return problem.task.epochs
    return planned(LOSS, PRESET, None, None, len(problem.split(0).known)).epochs


def run_trial(
    problem: Problem, space: Space, seed: int, epochs: int | None, stop: Callable[[], bool]
) -> Trial:
    """Do one trial.

    Parameters
    ----------
    problem
        The distances to fit.
    space
        The space.
    seed
        Seed of the split, and of training.
    epochs
        Number of epochs; ``None`` takes the whole plan.
    stop
        Is asked before each epoch; by returning ``True``, it ends the trial.

    Returns
    -------
    Trial
        The scores of held-out pairs. A space in which training diverges has none.

    Raises
    ------
    OutOfTime
        If ``stop`` ended the trial.
    """
    if problem.task is not None:
        return problem.task.trial(space, seed, epochs, stop)
    began = working_seconds()
    split = problem.split(seed)
    known = problem.distances[np.ix_(split.known, split.known)]
    plan = planned(LOSS, PRESET, None, epochs, len(split.known))
    trainer = Trainer(_known_graph(problem, split), space, plan, known)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrainingWarning)  # a lower learning rate is part of the default
            state = trainer.init(seed, interrupted=stop)
            while state.epoch < plan.epochs and not trainer.converged(state):
                if stop():
                    raise OutOfTime
                state = trainer.step(state)
        embedding = _placed(problem, split, trainer.embedding(state), float(known.max()))
        facts = _scored(problem, split, embedding, float(known.max()))
    except DivergedError:
        embedding, facts = None, {"scores": {}, "curve": [], "distortion": []}
    record = {"space": str(space), "seed": seed, "epochs": plan.epochs}
    seconds = round(working_seconds() - began, 4)
    return Trial(TrialRecord(**record, seconds=seconds, **facts), embedding)  # type: ignore[typeddict-item]


def _known_graph(problem: Problem, split: Split) -> Graph:
    """A graph of the known nodes, which gives the trainer their number and labels; distances are given."""
    if problem.edges is not None:
        return induced(problem.edges, split.known)
    none = np.zeros(0, np.int32)
    labels = tuple(problem.labels[i] for i in split.known.tolist())
    return Graph(np.zeros(len(split.known) + 1, np.int64), none, None, labels, problem.graph.name)


def _placed(problem: Problem, split: Split, known: Embedding, maximum: float) -> Embedding:
    """Add the held-out nodes to the embedding of the known ones, by their distances to the anchors."""
    where = np.searchsorted(split.known, split.anchors)
    anchors = tuple(x[where] for x in known.points)
    lengths = problem.distances[np.ix_(split.held_out, split.anchors)] / maximum
    new = place(known.space, anchors, known.log_scales, np.square(lengths))
    old_rows, new_rows = (np.searchsorted(split.nodes, part) for part in (split.known, split.held_out))
    points = tuple(np.empty((len(split.nodes), *m.shape)) for m in known.space.factors)
    for whole, old, added in zip(points, known.points, new, strict=True):
        whole[old_rows], whole[new_rows] = old, added
    labels = tuple(problem.labels[i] for i in split.nodes.tolist())
    return Embedding(known.space, points, known.log_scales, labels)


def _scored(problem: Problem, split: Split, embedding: Embedding, maximum: float) -> dict[str, Any]:
    """Score the pairs of held-out nodes with each other and with the known nodes that are no anchors."""
    columns = np.concatenate([split.held_out, split.scored])
    rows = np.arange(len(split.held_out))
    lengths = problem.distances[np.ix_(split.held_out, columns)]
    points = tuple(x[np.searchsorted(split.nodes, columns)] for x in embedding.points)
    held = tuple(x[: len(rows)] for x in points)
    sqdist = embedding.space.pairwise(held, points, embedding.log_scales)
    edges = None if problem.edges is None else induced(problem.edges, columns)
    compared = Comparison(rows, lengths, sqdist.__getitem__, maximum, edges)
    curve = _curve(compared)
    scores = {m.name: _finite(m.compute(compared)) for m in METRICS if m.name not in ("f1@1", "auc")}
    known = [f1 for f1 in curve if f1 is not None]
    scores["f1@1"] = curve[0]
    scores["auc"] = float(np.mean(np.convolve(known, (0.5, 0.5), "valid"))) if len(known) > 1 else curve[0]
    return {"scores": scores, "curve": curve, "distortion": _by_third(lengths, sqdist, maximum)}


def _curve(compared: Comparison) -> list[float | None]:
    """F1@k of every layer; ``None`` for a layer on which no held-out pair is."""
    ranking = compared.ranking
    pairs = zip(ranking.f1.tolist(), ranking.counts.tolist(), strict=True)
    return [f1 / count if count else None for f1, count in pairs]


def _by_third(lengths: Any, sqdist: Array, maximum: float) -> list[float]:
    """Average distortion of near, middle and far pairs, in three parts of nearly equal size."""
    others = np.arange(lengths.shape[1]) != np.arange(len(lengths))[:, None]
    g = lengths[others] / maximum
    error = np.abs(np.sqrt(np.maximum(sqdist[others], 0.0)) / g - 1.0)
    order = np.argsort(g, kind="stable")
    return [float(error[part].mean()) for part in np.array_split(order, len(THIRDS))]


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
