"""``riemap links``: how well an embedding predicts held-out edges, and which edges are likely missing."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from riemap.cli.arguments import AsJson, GraphText, takes_read_options
from riemap.cli.inputs import open_with_edges
from riemap.cli.messages import refusing
from riemap.cli.output import print_json
from riemap.cli.task_output import (
    PredictionsOut,
    TaskEpochs,
    TaskSeed,
    TaskSeeds,
    TaskSpace,
    TaskTarget,
    show_predictions,
    show_scores,
    task_progress,
    write_predictions,
)
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.graphs import ReadOptions

HEADINGS = ("Source", "Target", "Probability")
"""Columns of predicted links."""


@takes_read_options
def links(
    graph: GraphText,
    reading: "ReadOptions",
    space: TaskSpace = "H10",
    predict: Annotated[
        int, typer.Option(min=0, metavar="COUNT", help="Predict this many missing links, the likeliest.")
    ] = 0,
    test: Annotated[float, typer.Option(help="Share of the edges to score with.")] = 0.10,
    validation: Annotated[
        float, typer.Option(help="Share of the edges to choose and calibrate the model with.")
    ] = 0.05,
    seeds: TaskSeeds = 1,
    seed: TaskSeed = 0,
    target: TaskTarget = "auto",
    epochs: TaskEpochs = None,
    out: PredictionsOut = None,
    as_json: AsJson = False,
) -> None:
    """Hide some edges, predict them from an embedding of the others, and compare with baselines.

    Example: riemap links karate --space H2 --validation 0.1 --predict 5
    """
    with refusing():
        from riemap.files import check_destination
        from riemap.tasks import predict_links

        if out is not None:
            check_destination(out, "links.csv")
            if not predict:
                raise InputError("--out is the file of predicted links; say how many, e.g. --predict 100")
        opened = open_with_edges(graph, reading, "predicting links")
        given: Any = {
            "test": test,
            "validation": validation,
            "seeds": seeds,
            "seed": seed,
            "predict": predict,
        }
        with task_progress(opened, as_json) as progress:
            found = predict_links(opened, space, target=target, epochs=epochs, **given, **progress)
        if out is not None:
            write_predictions(out, HEADINGS, found.predicted)
    facts = found.as_json()
    if as_json:
        print_json(facts)
        return
    typer.echo(f"held-out links of {found.graph}, {found.space} ({facts['dim']} dimensions), in percent\n")
    own = {f"riemap, {found.space}": facts, f"distance in {found.space} alone": facts["distance"]}
    show_scores(facts, {"auc": "ROC AUC", "ap": "Average precision"}, own)
    if found.predicted and out is None:
        show_predictions(HEADINGS, found.predicted)
