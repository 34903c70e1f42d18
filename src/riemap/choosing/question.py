"""What is asked: the graph, the spaces, the metric and the time, all checked."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import riemap
from riemap.choosing.candidates import candidate_spaces, named_spaces
from riemap.choosing.prediction import TASK_METRICS, PredictionTask, prediction_task
from riemap.choosing.splits import Problem, check_size
from riemap.errors import InputError
from riemap.graphs import AnyGraph, Dissimilarities
from riemap.metrics import METRICS
from riemap.metrics.registry import Metric
from riemap.runs.source import GraphSource
from riemap.runs.spec import LOSS, PRESET, check_dimension, planned
from riemap.spaces import Space
from riemap.specs import duration, expect, shown, suggestion, whole_number
from riemap.tasks.labelling import Labelling

CHOICE_METRICS = ("ad", "auc", "f1@1", "map", *TASK_METRICS)
"""What can decide, the default first. It is the one that tells spaces apart with the fewest pairs."""

DEFAULT_DIM, DEFAULT_BUDGET, DEFAULT_SEEDS = 6, "10m", 5
"""What is asked unless the user says otherwise."""


class Question(NamedTuple):
    """What is asked, with everything checked."""

    graph: AnyGraph
    dim: int
    metric: Metric
    spaces: tuple[Space, ...]
    seeds: int
    seconds: float
    source: GraphSource | None = None
    task: PredictionTask | None = None

    def as_json(self, problem: Problem) -> dict[str, Any]:
        """Give all on which trials depend, as JSON has it."""
        if self.task is not None:
            plan = self.task.as_json()
        else:
            plan = planned(LOSS, PRESET, None, None, len(problem.split(0).known)).as_json()
        return {
            "version": riemap.__version__,
            "graph": self.graph.name,
            "key": self.graph.key,
            "dim": self.dim,
            "metric": self.metric.name,
            "spaces": [str(space) for space in self.spaces],
            "plan": plan,
            "given": {} if self.source is None else self.source.as_json(),
        }


def asked(
    graph: AnyGraph,
    dim: int | None,
    *,
    metric: str,
    spaces: str | Sequence[str | Space] | None,
    budget: str | float,
    seeds: int,
    source: GraphSource | None = None,
    labels: Labelling | None = None,
) -> Question:
    """Check what :func:`choose` is given."""
    if dim is not None:
        dim = whole_number("dim", dim, 1, 3, "number of dimensions")
    if spaces is None:
        found = candidate_spaces(DEFAULT_DIM if dim is None else dim)
    else:
        found = named_spaces(spaces, dim)
    chosen = _metric(metric, graph)
    task = prediction_task(metric, graph, labels)
    if task is None:
        check_size(Problem(graph, metric=metric), found[0].dim)
    else:
        check_dimension(graph, found[0])
    seeds = whole_number("seeds", seeds, 2, DEFAULT_SEEDS, "number of seeds")
    return Question(graph, found[0].dim, chosen, found, seeds, duration("budget", budget, "m"), source, task)


def _metric(name: str, graph: AnyGraph) -> Metric:
    expect(name, str, "the name of a metric", f"there are {', '.join(CHOICE_METRICS)}")
    if name not in CHOICE_METRICS:
        raise InputError(
            f"no metric to choose by is called {shown(name)}{suggestion(name, CHOICE_METRICS)} "
            f"There are {', '.join(CHOICE_METRICS)}"
        )
    if name == "map" and isinstance(graph, Dissimilarities):
        raise InputError(
            f"{graph.name} is a matrix of dissimilarities, which has no edges; map needs a graph"
        )
    return choice_metric(name)


def choice_metric(name: str) -> Metric:
    """Return the metric with this name, of distances or of predictions."""
    (found,) = (m for m in (*METRICS, *TASK_METRICS.values()) if m.name == name)
    return found
