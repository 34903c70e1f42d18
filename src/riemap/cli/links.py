"""``riemap links``: how well an embedding predicts held-out edges, and which edges are likely missing."""

from typing import TYPE_CHECKING, Annotated, Any

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
    report: TaskReport = None,
    as_json: AsJson = False,
) -> None:
    """Hide some edges, predict them from an embedding of the others, and compare with baselines.

    Example: riemap links karate --space H2 --validation 0.1 --predict 5
    """
    with refusing():
        from riemap.report import links_page
        from riemap.tasks import predict_links

        how_many = "--out is the file of predicted links; say how many, e.g. --predict 100"
        check_files(out, report, "links.csv", "" if predict else how_many)
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
        if report is not None:
            options = {**given, "space": space, "target": target, "epochs": epochs}
            write_page(report, links_page(found, [task_command("links", [graph], reading, options, report)]))
    facts = found.as_json()
    if as_json:
        print_json(facts)
        return
    typer.echo(f"held-out links of {found.graph}, {found.space} ({facts['dim']} dimensions), in percent\n")
    own = {f"riemap, {found.space}": facts, f"distance in {found.space} alone": facts["distance"]}
    show_scores(facts, {"auc": "ROC AUC", "ap": "Average precision"}, own)
    if found.predicted and out is None:
        show_predictions(HEADINGS, found.predicted)
