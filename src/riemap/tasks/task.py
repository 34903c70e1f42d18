"""What is predicted in a graph, spelled as a text: ``links``, ``labels(file=clubs.csv,train=20)``."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, TypeAlias, final

from riemap.checked_json import checksum_of
from riemap.errors import InputError
from riemap.graphs import AnyGraph, Graph
from riemap.metrics.comparison import Comparison
from riemap.metrics.registry import Metric
from riemap.spaces import Space
from riemap.specs import resolve, spell, value_text
from riemap.tasks.label_predictor import LabelPredictor
from riemap.tasks.label_results import LabelTrial, label_trial
from riemap.tasks.labelling import labels_of
from riemap.tasks.link_predictor import LinkPredictor
from riemap.tasks.link_results import LinkTrial, link_trial
from riemap.tasks.splits import split_edges, split_nodes

Classes: TypeAlias = Sequence[str | None]
"""The label of each node, ``None`` where it is unknown; empty for links."""


@final
@dataclass(frozen=True)
class Links:
    """Hidden edges are predicted.

    Parameters
    ----------
    test, validation
        Shares of the edges to score with, and to choose and calibrate the model with.

    Examples
    --------
    >>> str(Links(test=0.2)), as_task("links(test=0.2)") == Links(test=0.2)
    ('links(test=0.2)', True)
    """

    symbol: ClassVar[str] = "links"

    test: float = 0.10
    validation: float = 0.05

    def __str__(self) -> str:
        return _spelled(self)

    def classes(self, graph: AnyGraph) -> Classes:
        """Refuse a graph without enough edges; links need no labels.

        Parameters
        ----------
        graph
            The graph.

        Returns
        -------
        tuple
            It is empty.

        Raises
        ------
        InputError
            If the graph has no edges, or too few.
        """
        split_edges(_with_edges(graph, self), test=self.test, validation=self.validation)
        return ()

    def trial(
        self, graph: Graph, classes: Classes, space: Space, seed: int, **options: Any
    ) -> tuple[LinkTrial, LinkPredictor]:
        """Split, embed, predict and score once; see :func:`riemap.tasks.link_trial`."""
        return link_trial(graph, space, seed, test=self.test, validation=self.validation, **options)


@final
@dataclass(frozen=True)
class Labels:
    """Hidden labels of nodes are predicted.

    Parameters
    ----------
    file
        A CSV file with lines ``node,label``.
    train, validation
        Shares of the labels to train with, and to choose the model with; numbers of nodes from one on.
    per_class
        Whether ``train`` is a number of nodes with each label.

    Examples
    --------
    >>> str(Labels("clubs.csv", train=20, per_class=True))
    'labels(file=clubs.csv,train=20,per_class=true)'
    """

    symbol: ClassVar[str] = "labels"

    file: str
    train: float = 0.3
    validation: float = 0.1
    per_class: bool = False

    def __str__(self) -> str:
        return _spelled(self)

    @property
    def split(self) -> dict[str, Any]:
        """Arguments of :func:`riemap.tasks.split_nodes`."""
        return {"train": self.train, "validation": self.validation, "per_class": self.per_class}

    def classes(self, graph: AnyGraph) -> Classes:
        """Read the labels of a graph, and refuse those that cannot be split.

        Parameters
        ----------
        graph
            The graph.

        Returns
        -------
        tuple of str or None
            The label of each node.

        Raises
        ------
        InputError
            If the file cannot be read, a node is unknown, or there are too few labels.
        """
        with_edges = _with_edges(graph, self)
        try:
            found = labels_of(with_edges, Path(self.file))
        except OSError as error:
            raise InputError(f"{self}: {self.file}: {error.strerror or error}") from None
        split_nodes(found, seed=0, **self.split)
        return tuple(found)

    def trial(
        self, graph: Graph, classes: Classes, space: Space, seed: int, **options: Any
    ) -> tuple[LabelTrial, LabelPredictor]:
        """Split, embed, predict and score once; see :func:`riemap.tasks.label_trial`."""
        return label_trial(graph, classes, space, seed, split=self.split, **options)


Task: TypeAlias = Links | Labels

TASKS: Mapping[str, Callable[..., Task]] = {"links": Links, "labels": Labels}
"""All tasks, by name."""


def as_task(text: str) -> Task:
    """Read a task from its spelling.

    Parameters
    ----------
    text
        ``"links"``, ``"labels(file=FILE)"``, or with more arguments.

    Returns
    -------
    Links or Labels
        The task.

    Raises
    ------
    InputError
        If there is no such task, or an argument is missing or wrong.

    Examples
    --------
    >>> as_task("labels(file=clubs.csv)")
    Labels(file='clubs.csv', train=0.3, validation=0.1, per_class=False)
    """
    return resolve(text, TASKS, what="task", example="links")()


def checksum_of_classes(classes: Classes) -> str:
    """Compute a checksum of the labels of all nodes, which decide a result; empty if there are none."""
    return checksum_of(repr(tuple(classes)).encode()) if classes else ""


def _spelled(task: "Task") -> str:
    """Spell a task with all arguments that differ from their defaults."""
    given = {f.name: getattr(task, f.name) for f in fields(task)}
    changed = [f.name for f in fields(task) if given[f.name] != f.default]
    return spell(task.symbol, {name: value_text(given[name]) for name in changed})


def _with_edges(graph: AnyGraph, task: "Task") -> Graph:
    if not isinstance(graph, Graph):
        raise InputError(
            f"{graph.name} is a matrix of dissimilarities, which has no edges; {task.symbol} needs a graph"
        )
    return graph


def not_from_distances(compared: Comparison) -> None:
    """Return nothing: predictions have no score that follows from distances alone."""


def _score(name: str, title: str) -> Metric:
    return Metric(name, title, "high", not_from_distances, percent=True)


TASK_METRICS: tuple[Metric, ...] = (
    _score("links.auc", "ROC AUC of hidden links"),
    _score("links.ap", "average precision of hidden links"),
    _score("links.distance", "ROC AUC by distance alone"),
    _score("labels.accuracy", "accuracy of hidden labels"),
    _score("labels.f1", "macro-F1 of hidden labels"),
    _score("labels.f1_rarer", "F1 of the rarer of two labels"),
)
"""Scores of predictions, as records and tables name them."""


def trial_scores(trial: LinkTrial | LabelTrial) -> dict[str, float]:
    """Return the scores of a trial by the names of :data:`TASK_METRICS`.

    Parameters
    ----------
    trial
        What :func:`riemap.tasks.link_trial` or :func:`riemap.tasks.label_trial` found.

    Returns
    -------
    dict
        The value of each score.
    """
    if isinstance(trial, LinkTrial):
        own = {f"links.{name}": value for name, value in trial.scores.items()}
        return {**own, "links.distance": trial.distance["auc"]}
    return {f"labels.{name}": value for name, value in trial.scores.items()}
