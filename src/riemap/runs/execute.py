"""Do a run: open the graph, train, score, and write the folder if there is one."""

import json
from collections.abc import Callable, Sequence

from riemap.distances import DistanceMatrix, shortest_paths
from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.graphs import AnyGraph
from riemap.metrics.scores import LARGEST_FULLY_SCORED
from riemap.runs.folder import RunFolder
from riemap.runs.result import RunResult
from riemap.runs.samplers import SAMPLER, chosen_sampler
from riemap.runs.spec import RunSpec, Setup
from riemap.specs import first_difference
from riemap.training.fit import Callback, Stop, fit
from riemap.training.plan import Plan
from riemap.training.trainer import never
from riemap.training.workers import Workers

CHECKPOINT_NODES = 10**7
"""Number of nodes that are moved between two checkpoints of a large graph: a minute of processor time."""


def execute(
    spec: RunSpec,
    folder: RunFolder | None = None,
    *,
    graph: AnyGraph | None = None,
    distances: DistanceMatrix | None = None,
    setup: Setup | None = None,
    callbacks: Sequence[Callback] = (),
    interrupted: Callable[[], bool] = never,
    start: Embedding | None = None,
    workers: Workers | None = None,
) -> RunResult:
    """Do a run, or read the folder of one that is finished.

    The command line, :func:`riemap.embed` and the workers of a grid all do their runs with this function.

    Parameters
    ----------
    spec, folder
        What to do, and where to keep it. A run with a checkpoint in the folder is continued.
    graph, distances
        The graph, if it is open already, and the distances between all its nodes, if they are known. They are
        not needed if the plan has landmarks; if it compares walks, they are for the scores alone.
    setup
        The space and the plan, for a manifold or a loss of the user's own; made from their names otherwise.
    callbacks, interrupted, start, workers
        As for :func:`riemap.training.fit`.

    Returns
    -------
    RunResult
        What training gave. An interrupted run is not finished, and keeps its checkpoint.

    Raises
    ------
    InputError
        If the graph or the plan is not what ``spec`` says, or if the folder holds something else.

    Examples
    --------
    >>> from riemap import generate
    >>> graph = generate("path(n=9)")
    >>> execute(RunSpec.of(graph, "E2", epochs=10), graph=graph).fit.embedding
    <Embedding of 9 nodes in E2 (2 dimensions)>
    """
    if folder is not None:
        folder.check(spec)
    opened = _opened(spec) if graph is None else graph
    _check("key of the graph", spec.key, opened.key, spec)
    space, plan = spec.setup(opened.n) if setup is None else setup
    _check("plan", json.loads(spec.plan), json.loads(json.dumps(plan.as_json())), spec)
    if folder is not None and folder.finished:
        return folder.result(spec, opened, plan, distances)
    if plan.sampler == "landmarks":
        distances = None
    elif distances is None and (not plan.compares_walks or opened.n <= LARGEST_FULLY_SCORED):
        distances = shortest_paths(opened)
    if folder is not None:
        folder.begin(spec)
    try:
        trained = fit(
            opened,
            space,
            plan,
            seed=spec.seed,
            callbacks=tuple(callbacks),
            checkpoint=None if folder is None else folder.checkpoint,
            every=1 if folder is None else checkpoint_rounds(plan, opened.n, folder.checkpoint_every),
            distances=None if plan.compares_walks else distances,
            interrupted=interrupted,
            start=start,
            workers=workers,
        )
    except (InputError, MemoryError, KeyboardInterrupt):
        if folder is not None:
            folder.undo_begin()
        raise
    result = RunResult(spec, trained, opened, distances)
    if folder is not None and trained.stop is not Stop.INTERRUPTED:
        folder.end(result)
    return result


def checkpoint_rounds(plan: Plan, n: int, asked: int) -> int:
    """Return the number of epochs between two checkpoints; fewer on a large graph, whose rounds take long.

    >>> from riemap.losses import as_loss
    >>> from riemap.training import default_plan, landmark_plan
    >>> plan = default_plan(as_loss("stress"), 10**6)
    >>> checkpoint_rounds(plan, 10**6, 100), checkpoint_rounds(landmark_plan(plan, 10**6), 10**6, 100)
    (100, 10)
    """
    return asked if plan.sampler == "all" else max(min(asked, CHECKPOINT_NODES // n), 1)


def needed_distances(graph: AnyGraph) -> DistanceMatrix | None:
    """Compute the distances that runs on a graph have in common.

    Parameters
    ----------
    graph
        The graph.

    Returns
    -------
    NDArray or None
        Distances between all nodes; ``None`` for a large graph, which is trained with landmarks.
    """
    return None if chosen_sampler(graph, SAMPLER) == "landmarks" else shortest_paths(graph)


def _opened(spec: RunSpec) -> AnyGraph:
    if spec.source is None:
        raise InputError(f"the run does not tell where {spec.graph} is; give the graph to execute()")
    return spec.source.open()


def _check(name: str, specified: object, found: object, spec: RunSpec) -> None:
    """Refuse a graph or a plan that is not what the run was specified with."""
    differs = first_difference(specified, found, name)
    if differs is not None:
        field, before, now = differs
        raise InputError(
            f"{spec.graph} in {spec.space} is another run by now: the {field} was {before!r}, and is {now!r}"
        )
