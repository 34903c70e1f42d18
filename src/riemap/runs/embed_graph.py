"""``riemap.embed``: a graph and a space in, an embedding out."""

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from riemap import threads
from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.graphs import AnyGraph, Graph, ReadOptions, take_graph
from riemap.graphs.options import StrengthToLength, Weights
from riemap.losses import LossLike
from riemap.optim import Optimizer
from riemap.runs.budget import TimeBudget
from riemap.runs.cluster import workers_for
from riemap.runs.execute import execute
from riemap.runs.folder import RunFolder
from riemap.runs.samplers import SAMPLER, chosen_sampler
from riemap.runs.source import GraphSource
from riemap.runs.spec import LOSS, PRESET, RunSpec, Setup, planned
from riemap.spaces import Space
from riemap.specs import expect, whole_number
from riemap.training.fit import Callback, Fit
from riemap.training.plan import Plan
from riemap.training.state import EpochReport

LOG_LINES = 10
"""Number of lines about the epochs of a run in the log: enough to see the loss fall."""

_LOGGER = logging.getLogger(__name__)


def embed(
    graph: Any,
    space: str | Space,
    *,
    weights: Weights | None = None,
    strength_to_length: StrengthToLength = "inverse",
    loss: LossLike = LOSS,
    preset: str = PRESET,
    optimizer: str | Optimizer | None = None,
    epochs: int | None = None,
    time: str | float | None = None,
    seed: int = 0,
    sampler: str = SAMPLER,
    callbacks: tuple[Callback, ...] = (),
    out: str | Path | None = None,
    resume: bool = False,
    start: Embedding | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    ray: str | None = None,
) -> Fit:
    """Embed the nodes of a graph in a space.

    Parameters
    ----------
    graph
        A graph, or anything that :func:`as_graph` or :func:`open_graph` makes one of.
    space
        Where to embed, such as ``"H3"`` or ``"H2 x S2"``.
    weights, strength_to_length
        What the weights of edges are: ``"lengths"``, ``"strengths"``, or something to ``"ignore"``; and how a
        strength w becomes a length: ``"inverse"`` is 1/w, and ``"log"`` is 1 + ln(w_max / w). See
        :func:`read_graph`. A :class:`Graph` has lengths already.
    loss
        What to minimise. By aim: ``"rank"``, which nodes are near each node; ``"distance"``, how far they
        are; ``"both"``; ``"links"`` or ``"labels"``, which are predicted from the embedding: random walks
        connect near nodes, and distances in the graph do not count. By name: ``"stress"``,
        ``"ad + 0.5*edges"``. Or a function of (target, sqdist) that gives a value and its derivatives with
        respect to sqdist.
    preset
        How to train: ``"default"``; ``"steady"``, which learns the scales late and slowly; or ``"paper"``,
        the protocol of the paper.
    optimizer, epochs
        Replace those of the preset, such as ``"radam(lr=0.05)"`` and ``500``.
    time
        How long training may take: a number of seconds, or a text such as ``"5m"``. A short run chooses the
        number of epochs, which ``fit.plan.epochs`` tells.
    seed
        Seed for the starting points and the batches. The same seed gives the same bytes.
    sampler
        Which pairs training sees: ``"all"``; ``"landmarks"``, pairs with 1,024 of the nodes and pairs of
        nodes near each other; or ``"auto"``, landmarks for more than 10,000 nodes. For links and labels all
        pairs, and ``"auto"`` is for at most 30,000 nodes.
    callbacks
        Each is called after every epoch with its record; one that returns ``False`` ends the run.
    out, resume
        A folder for the run, as ``riemap embed --out`` writes it; whether to continue a run that is there.
    start
        An embedding of the same nodes in the same space to start from, such as that of an earlier version of
        the graph, or of another loss. Only the last stage of the preset is done, which minimises the loss.
    n_jobs
        Number of threads; -1 is one for each core. ``None`` leaves the number as it is.
    verbose
        Whether to write lines about the training to stderr. They also go to the logger ``riemap``.
    ray
        Address of a Ray cluster, such as ``"127.0.0.1:6379"`` or ``"auto"``, on which to do a run with
        landmarks. The embedding has the same bytes as without one.

    Returns
    -------
    Fit
        The embedding, its scores, the history of the training, and why it ended.

    Raises
    ------
    InputError
        If the graph, the space or a name cannot be read, if the folder holds something else, if ``start``
        does not fit, or if ``ray`` is no cluster or the run takes all pairs of nodes.

    Examples
    --------
    >>> fit = embed("karate", "H2", epochs=40)
    >>> fit.embedding, fit.stop.value
    (<Embedding of 34 nodes in H2 (2 dimensions)>, 'all epochs are done')
    >>> better = embed("karate", "H2", epochs=40, start=fit.embedding)
    >>> better.scores["ad"] < fit.scores["ad"]
    True
    """
    expect(callbacks, tuple | list, "a tuple of callbacks", "e.g. callbacks=(print,)")
    folder = _folder(out, resume, start)
    opened, source = _opened(graph, weights, strength_to_length)
    where = Space.of(space)
    choice: dict[str, Any] = {"loss": loss, "preset": preset, "optimizer": optimizer, "epochs": epochs}
    budget = TimeBudget.of(time, epochs, ray)
    pairs = chosen_sampler(opened, sampler, preset, loss)

    def setup(count: int | None) -> Setup:
        plan = planned(**{**choice, "epochs": count}, n=opened.n, sampler=pairs)
        return Setup(where, plan if start is None else _last_stage(plan, count))

    if budget is not None:
        with _threads(n_jobs):
            choice["epochs"] = budget.epochs(opened, setup, folder)
    spec = RunSpec.of(opened, where, **choice, seed=seed, sampler=sampler, source=source)
    plan = setup(choice["epochs"]).plan
    if start is not None:
        spec = replace(spec, plan=json.dumps(plan.as_json()))
    with _threads(n_jobs), _lines_on_stderr(verbose), workers_for([spec], ray) as workers:
        if workers is not None and isinstance(opened, Graph):
            _LOGGER.info("%s", workers.needs(opened, where))
        told = _log_epochs(f"{opened.name} in {where}", plan.epochs)
        called = (told, *callbacks) if budget is None else (told, *callbacks, budget.stopping())
        ready = Setup(where, plan)
        result = execute(
            spec, folder, graph=opened, setup=ready, callbacks=called, start=start, workers=workers
        )
    return result.fit if folder is None else replace(result.fit, known_scores=result.scores)


def _folder(out: str | Path | None, resume: bool, start: Embedding | None) -> RunFolder | None:
    """Return the folder of the run, if it has one."""
    if out is None:
        if resume:
            raise InputError("resume=True needs the folder of the run to continue, e.g. out='karate-h2'")
        return None
    if start is not None:
        raise InputError(
            "start= and out= exclude each other: the folder of a run holds all that decides its result, and "
            "not where it started; keep the result by fit.embedding.save('karate-h2.npz')"
        )
    return RunFolder(Path(out), resume=resume)


def _last_stage(plan: Plan, epochs: int | None) -> Plan:
    """Keep the stage that minimises the loss; those before it unfold a graph from points close together."""
    last = plan.stages[-1]
    return replace(plan, stages=(last if epochs is None else replace(last, epochs=epochs),))


def _threads(n_jobs: int | None) -> AbstractContextManager[None]:
    """Use this many threads in kernels, and restore the number afterwards."""
    if n_jobs is None:
        return nullcontext()
    n_jobs = threads.CORES if n_jobs == -1 else whole_number("n_jobs", n_jobs, 1, 2, "number of threads")
    return threads.limited(min(n_jobs, threads.CORES))


@contextmanager
def _lines_on_stderr(wanted: bool) -> Iterator[None]:
    """Write what riemap logs to stderr for a while."""
    logger = logging.getLogger("riemap")
    level, handler = logger.level, logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("riemap: %(message)s"))
    if wanted:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        if wanted:
            logger.removeHandler(handler)
            logger.setLevel(level)


def _log_epochs(title: str, epochs: int) -> Callback:
    """Return a callback that logs a line now and then."""
    every = max(epochs // LOG_LINES, 1)

    def told(report: EpochReport) -> None:
        done = report.epoch + 1
        if done % every == 0 or done == epochs:
            _LOGGER.info("%s: epoch %d of %d, loss %.4g", title, done, epochs, report.loss)

    return told


def _opened(
    graph: Any, weights: Weights | None, strength_to_length: StrengthToLength
) -> tuple[AnyGraph, GraphSource | None]:
    """Return the graph, and how to open it again if it is named by a text."""
    opened = take_graph(graph, weights=weights, strength_to_length=strength_to_length)
    options = ReadOptions(weights=weights, strength_to_length=strength_to_length)
    return opened, GraphSource(str(graph), options) if isinstance(graph, str | Path) else None
