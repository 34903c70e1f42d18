"""Trials by prediction: spaces compete to predict held-out links, or held-out labels of nodes."""

import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

from riemap.choosing.trial_record import OutOfTime, Trial, TrialRecord
from riemap.errors import DivergedError, InputError
from riemap.graphs import AnyGraph, Graph
from riemap.metrics.comparison import Comparison
from riemap.metrics.registry import Metric
from riemap.spaces import Space
from riemap.specs import shown
from riemap.tasks.embedding import planned_epochs
from riemap.tasks.label_results import label_trial
from riemap.tasks.labelling import Labelling, labels_of
from riemap.tasks.link_results import link_trial
from riemap.tasks.splits import split_edges, split_nodes

LABEL_SPLIT: dict[str, Any] = {"train": 0.3, "validation": 0.1}
"""Shares of the labels to train with, and to choose the model with; the others are scored."""


def _not_from_distances(compared: Comparison) -> None:
    """Predictions have no score that follows from distances alone."""


TASK_METRICS: dict[str, Metric] = {
    "links": Metric("links", "ROC AUC", "high", _not_from_distances, percent=True),
    "labels": Metric("labels", "accuracy", "high", _not_from_distances, percent=True),
}
"""What decides, by what is predicted."""

_SCORES = {"links": "auc", "labels": "accuracy"}
"""Names of these scores in the results of :mod:`riemap.tasks`."""


class PredictionTask(NamedTuple):
    """What is predicted in a graph, and how well a space does it.

    Parameters
    ----------
    name
        ``"links"`` or ``"labels"``.
    graph
        The graph.
    classes
        The label of each node, ``None`` where it is unknown; not for links.
    """

    name: str
    graph: Graph
    classes: tuple[str | None, ...] = ()

    @property
    def epochs(self) -> int:
        """Number of epochs of the whole plan."""
        return planned_epochs(self.graph)

    def as_json(self) -> dict[str, Any]:
        """Give all on which trials depend, but for the graph: of the labels, their checksum."""
        labels = hashlib.sha256(repr(self.classes).encode()).hexdigest()
        return {"task": self.name, "epochs": self.epochs, "labels": labels}

    def trial(self, space: Space, seed: int, epochs: int | None, stop: Callable[[], bool]) -> Trial:
        """Do one trial; see :func:`riemap.choosing.trials.run_trial`."""
        training: Any = {"epochs": epochs, "interrupted": stop, "baselines": False}
        embedding = None
        record = TrialRecord(
            space=str(space),
            seed=seed,
            epochs=self.epochs if epochs is None else epochs,
            seconds=0.0,
            scores={},
            curve=[],
            distortion=[],
        )
        try:
            done, model = (
                link_trial(self.graph, space, seed, **training)
                if self.name == "links"
                else label_trial(self.graph, self.classes, space, seed, split=LABEL_SPLIT, **training)
            )
            record["scores"] = {self.name: done.scores[_SCORES[self.name]], **done.scores}
            record["seconds"], embedding = round(done.seconds, 4), model.embedding_
        except DivergedError:
            pass  # it has no scores
        except KeyboardInterrupt:
            if not stop():
                raise
            raise OutOfTime from None
        return Trial(record, embedding)


def prediction_task(name: str, graph: AnyGraph, labels: Labelling | None) -> PredictionTask | None:
    """Check what is to be predicted.

    Parameters
    ----------
    name
        What decides.
    graph
        The graph.
    labels
        As for :func:`riemap.predict_labels`.

    Returns
    -------
    PredictionTask or None
        The task; ``None`` if a metric of distances decides.

    Raises
    ------
    InputError
        If labels are missing or not asked for, or if there are too few edges or labels.
    """
    if labels is not None and name != "labels":
        raise InputError(f"labels were given, but {name} decides; --for labels predicts them")
    if name not in TASK_METRICS:
        return None
    if not isinstance(graph, Graph):
        raise InputError(
            f"{graph.name} is a matrix of dissimilarities, which has no edges; {name} needs a graph"
        )
    if name == "links":
        split_edges(graph)
        return PredictionTask(name, graph)
    if labels is None:
        raise InputError(f"which labels of {shown(graph.name)}? Name a CSV file, e.g. --labels labels.csv")
    classes = labels_of(graph, labels)
    split_nodes(classes, seed=0, **LABEL_SPLIT)
    return PredictionTask(name, graph, tuple(classes))
