"""Runs of a grid that predict something from an embedding: how they are planned, opened and scored."""

import functools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from riemap.distances import DistanceMatrix
from riemap.errors import InputError
from riemap.graphs import AnyGraph, Graph
from riemap.runs import GraphSource, RunSpec
from riemap.runs.execute import needed_distances
from riemap.runs.source import TaskSource
from riemap.runs.spec import PRESET, check_dimension
from riemap.spaces import Space
from riemap.specs import shown
from riemap.tasks.embedding import planned_epochs, uses_walks
from riemap.tasks.label_results import LabelTrial
from riemap.tasks.link_results import LinkTrial
from riemap.tasks.task import Classes, Labels, Task, as_task, checksum_of_classes

EMBED = "embed"
"""The task of an ordinary run: its embedding is the result."""


def spelled_task(text: str) -> str:
    """Return the one spelling of a task; it is :data:`EMBED` for an ordinary run."""
    return EMBED if text.strip() == EMBED else str(as_task(text))


def task_source(graph: AnyGraph, text: str) -> TaskSource:
    """Read what a task needs, and refuse what is impossible.

    Parameters
    ----------
    graph
        The graph.
    text
        The task as it is spelled.

    Returns
    -------
    TaskSource
        The task without the folder of its file, and the checksum of its labels.

    Raises
    ------
    InputError
        If there are too few edges or labels, or if the labels are not those of this graph.
    """
    task = as_task(text)
    checksum = checksum_of_classes(task.classes(graph))
    if not isinstance(task, Labels):
        return TaskSource(str(task))
    return TaskSource(str(replace(task, file=Path(task.file).name)), checksum, task.file)


def task_spec(
    graph: AnyGraph, space: str, task: TaskSource, epochs: int | None, source: GraphSource
) -> RunSpec:
    """Plan a run that predicts something, with seed 0.

    Parameters
    ----------
    graph, source
        The graph, and how it was opened.
    space, task, epochs
        Where to embed, what to predict, and the number of epochs; ``None`` takes that of the tasks.

    Returns
    -------
    RunSpec
        The run. Its loss is what is embedded: ``"walks"``, or ``"landmarks"`` of a large graph.

    Raises
    ------
    InputError
        If the space has as many dimensions as the graph has nodes.
    """
    assert isinstance(graph, Graph), "tasks refuse others"
    check_dimension(graph, Space.parse(space))
    target = "walks" if uses_walks(graph, "auto") else "landmarks"
    stage = {"loss": target, "epochs": planned_epochs(graph, epochs=epochs)}
    plan = json.dumps({"sampler": target, "stages": [stage]})
    return RunSpec(graph.name, graph.key, space, target, PRESET, None, epochs, 0, plan, source, task)


class RunInputs(NamedTuple):
    """How to open what a run needs; runs with equal inputs share them."""

    graph: GraphSource
    task: TaskSource | None

    @classmethod
    def of(cls, run: RunSpec) -> "RunInputs":
        """Return the inputs of a run."""
        return cls(run.source or GraphSource(run.graph), run.task)

    def open(self) -> tuple[AnyGraph, "DistanceMatrix | Classes | None"]:
        """Open the graph, and compute its distances or read its labels.

        Returns
        -------
        tuple
            The graph, and what its runs have in common.
        """
        graph = self.graph.open()
        return graph, needed_distances(graph) if self.task is None else _task(self.task).classes(graph)


@functools.lru_cache(maxsize=1)
def opened(inputs: RunInputs) -> tuple[AnyGraph, "DistanceMatrix | Classes | None"]:
    """Open the inputs of a run, which are most often those of the run before."""
    return inputs.open()


def _task(source: TaskSource) -> Task:
    """The task with the path of its file."""
    task = as_task(source.text)
    return replace(task, file=source.file) if isinstance(task, Labels) else task


def task_trial(
    run: RunSpec, graph: AnyGraph, classes: Classes, interrupted: Callable[[], bool]
) -> LinkTrial | LabelTrial:
    """Do a run that predicts something, without baselines.

    Parameters
    ----------
    run
        The run.
    graph, classes
        The graph, and the label of each node if labels are predicted.
    interrupted
        As for :func:`riemap.training.fit`.

    Returns
    -------
    LinkTrial or LabelTrial
        Its scores.

    Raises
    ------
    InputError
        If the graph or the labels are no longer those of the run.
    """
    assert run.task is not None, "the caller looks"
    given: dict[str, Any] = {"graph": (run.key, graph.key)}
    given["labels"] = run.task.labels, checksum_of_classes(classes)
    for name, (before, now) in given.items():
        if before != now:
            raise InputError(f"the {name} of {shown(run.graph)} changed since the grid began; start it again")
    assert isinstance(graph, Graph), "the grid refuses others"
    task = as_task(run.task.text)
    options: Any = {"epochs": run.epochs, "interrupted": interrupted, "baselines": False}
    return task.trial(graph, classes, Space.parse(run.space), run.seed, **options)[0]
