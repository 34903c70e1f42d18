"""``riemap embed``: place the nodes of a graph in a space."""

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from riemap.cli.arguments import (
    AsJson,
    CheckpointEvery,
    Epochs,
    GraphText,
    LossText,
    OptimizerText,
    Preset,
    Resume,
    RunOut,
    SpaceTexts,
    TrainingSeed,
    WithReport,
    takes_read_options,
)
from riemap.cli.evaluate import show_scores
from riemap.cli.inputs import opening
from riemap.cli.messages import refusing
from riemap.cli.output import new_console, new_table, print_json
from riemap.cli.progress import progress
from riemap.cli.report import write_run
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.distances import DistanceMatrix
    from riemap.graphs import AnyGraph, ReadOptions
    from riemap.runs import RunFolder, RunResult, RunSpec

COLUMNS = ("f1@1", "auc", "map", "ad", "worst", "stress")
"""Metrics of the table that compares spaces."""


@takes_read_options
def embed(
    graph: GraphText,
    space: SpaceTexts,
    reading: "ReadOptions",
    loss: LossText = "stress",
    preset: Preset = "default",
    optimizer: OptimizerText = None,
    epochs: Epochs = None,
    seed: TrainingSeed = 0,
    out: RunOut = None,
    checkpoint_every: CheckpointEvery = 100,
    resume: Resume = False,
    report: WithReport = False,
    as_json: AsJson = False,
) -> None:
    """Embed a graph in a space, and say how faithful the result is.

    Example: riemap embed karate --space H2 --out karate-h2
    """
    with refusing():
        from riemap.runs import GraphSource, RunFolder, RunSpec
        from riemap.training import Stop

        if resume and out is None:
            raise InputError("which run? --resume needs --out, the folder of the run to continue")
        if report and out is None:
            raise InputError("--report is written into the folder of the run; name one, e.g. --out run")
        source = GraphSource(graph, reading)
        with opening(graph):
            opened = source.open()
        choice: Any = {"loss": loss, "preset": preset, "optimizer": optimizer, "epochs": epochs, "seed": seed}
        specs = [RunSpec.of(opened, text, **choice, source=source) for text in space]
        results: list[RunResult] = []
        for text, spec in zip(space, specs, strict=True):
            path = out if out is None or len(space) == 1 else out / _folder_name(text)
            folder = None
            if path is not None:
                folder = RunFolder(path, resume=resume, checkpoint_every=checkpoint_every)
            known = results[-1].distances if results else None
            results.append(_done(spec, folder, opened, known, quiet=as_json))
            if results[-1].fit.stop is Stop.INTERRUPTED:
                break
            if report and path is not None:
                _write_report(path, results[-1])
        _show(results, as_json)
    if results[-1].fit.stop is Stop.INTERRUPTED:
        raise typer.Exit(130)


def _done(
    spec: "RunSpec",
    folder: "RunFolder | None",
    graph: "AnyGraph",
    distances: "DistanceMatrix | None",
    quiet: bool,
) -> "RunResult":
    """Do a run in this process, and show the progress."""
    from riemap.runs import execute
    from riemap.training import training_process

    title = f"{spec.graph} in {spec.space}"
    with (
        training_process(graph.n) as interrupted,
        progress(title, spec.total_epochs, graph.n, quiet) as callback,
    ):
        return execute(
            spec,
            folder,
            graph=graph,
            distances=distances,
            callbacks=(callback,),
            interrupted=interrupted,
        )


def _folder_name(space: str) -> str:
    return re.sub(r"[^\w.-]+", "-", space).strip("-")


def _write_report(folder: Path, result: "RunResult") -> None:
    """Write the page of a run with the distances and scores that are known already."""
    page = folder / "report.html"
    command = shlex.join(["riemap", "report", str(folder), "-o", str(page)])
    known = {"distances": result.distances, "scores": result.scores}
    write_run(folder, result.graph, page, command, **known)


def _show(results: "list[RunResult]", as_json: bool) -> None:
    first, facts = results[0], [result.as_json() for result in results]
    if as_json:
        found = facts[0] if len(results) == 1 else {"graph": first.spec.graph, "runs": facts}
        print_json(found)
    elif len(results) > 1:
        _compare(first.spec.graph, facts)
    else:
        head = f"{first.spec.graph} in {first.spec.space} ({facts[0]['dim']} dimensions)"
        typer.echo(f"{head}, {first.spec.loss}, seed {first.spec.seed}")
        typer.echo(f"{len(first.fit.history)} epochs in {first.fit.seconds:.1f} s: {first.fit.stop.value}\n")
        show_scores(first.scores)


def _compare(name: str, results: list[dict[str, Any]]) -> None:
    """Print one line for each space; the best of each column is marked."""
    from riemap.metrics import METRICS

    console = new_console()
    metrics = [m for m in METRICS if m.name in COLUMNS]
    numbers = ("Dim", *(m.name for m in metrics), "Seconds")
    table = new_table("Space", *numbers, right=numbers)
    for result in results:
        cells = [_cell(m, result, results) for m in metrics]
        table.add_row(result["space"], str(result["dim"]), *cells, f"{result['seconds']:.1f}")
    console.print(f"{name}, {results[0]['loss']}, seed {results[0]['seed']}; * is the best of a column\n")
    console.print(table)


def _cell(metric: Any, result: dict[str, Any], results: list[dict[str, Any]]) -> str:
    value = result["scores"][metric.name]
    known = [r["scores"][metric.name] for r in results if r["scores"][metric.name] is not None]
    if value is None:
        return "–"
    best = max(known) if metric.best == "high" else min(known)
    return f"{value:.4f}" + ("*" if value == best else " ")
