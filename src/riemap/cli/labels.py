"""``riemap labels``: how well an embedding predicts labels of nodes, and the labels of the others."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from riemap.cli.arguments import AsJson, GraphText, takes_read_options
from riemap.cli.inputs import open_with_edges
from riemap.cli.messages import refusing
from riemap.cli.output import print_json
from riemap.cli.report import write_page
from riemap.cli.task_output import (
    PredictionsOut,
    TaskEpochs,
    TaskReport,
    TaskSeed,
    TaskSeeds,
    TaskSpace,
    TaskTarget,
    check_files,
    show_predictions,
    show_scores,
    task_command,
    task_progress,
    write_predictions,
)

if TYPE_CHECKING:
    from riemap.graphs import ReadOptions

HEADINGS = ("Node", "Label", "Probability")
"""Columns of predicted labels."""

KnownLabels: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="LABELS",
        help="A CSV file with lines node,label; nodes that are missing, or have no label, are unknown.",
        show_default=False,
    ),
]
PredictLabels: TypeAlias = Annotated[
    bool, typer.Option("--predict", help="Predict the label of the nodes that have none.")
]
TrainShare: TypeAlias = Annotated[
    float, typer.Option(help="Share of the labels to train with, or their number from 1 on.")
]
ValidationShare: TypeAlias = Annotated[
    float, typer.Option(help="Share of the labels to choose the model with, or their number.")
]
PerClass: TypeAlias = Annotated[
    bool, typer.Option("--per-class", help="--train is a number of nodes with each label.")
]


@takes_read_options
def labels(
    graph: GraphText,
    labels: KnownLabels,
    reading: "ReadOptions",
    space: TaskSpace = "H10",
    predict: PredictLabels = False,
    train: TrainShare = 0.3,
    validation: ValidationShare = 0.1,
    per_class: PerClass = False,
    seeds: TaskSeeds = 1,
    seed: TaskSeed = 0,
    target: TaskTarget = "auto",
    epochs: TaskEpochs = None,
    out: PredictionsOut = None,
    report: TaskReport = None,
    as_json: AsJson = False,
) -> None:
    """Hide some labels of nodes, predict them from an embedding of the graph, and compare with baselines.

    Example: riemap labels my.edges labels.csv --space H10 --predict
    """
    with refusing():
        from riemap.report import labels_page
        from riemap.tasks import predict_labels

        missing = "" if predict else "--out is the file of predicted labels; add --predict"
        check_files(out, report, "predicted.csv", missing)
        opened = open_with_edges(graph, reading, "predicting labels")
        given: Any = {"train": train, "validation": validation, "per_class": per_class}
        given |= {"seeds": seeds, "seed": seed, "target": target, "epochs": epochs}
        with task_progress(opened, as_json) as progress:
            found = predict_labels(opened, labels, space, **given, **progress)
        if predict and not found.predicted:
            typer.echo("riemap: every node has a label, so there is none to predict", err=True)
        if out is not None and found.predicted:
            write_predictions(out, HEADINGS, found.predicted)
        if report is not None:
            options = {**given, "space": space, "predict": predict}
            command = task_command("labels", [graph, str(labels)], reading, options, report)
            write_page(report, labels_page(found, [command], predict))
    facts = found.as_json() | ({} if predict else {"predicted": []})
    if as_json:
        print_json(facts)
        return
    typer.echo(f"held-out labels of {found.graph}, {found.space} ({facts['dim']} dimensions), in percent\n")
    show_scores(facts, {"accuracy": "Accuracy", "f1": "Macro-F1"}, {f"riemap, {found.space}": facts})
    if predict and found.predicted and out is None:
        show_predictions(HEADINGS, found.predicted)
