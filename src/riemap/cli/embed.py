"""``riemap embed``: place the nodes of a graph in a space."""

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riemap.cli.arguments import AsJson, GraphText, RequireConnected, Undirected
from riemap.cli.evaluate import show_scores
from riemap.cli.messages import refusing
from riemap.cli.progress import progress
from riemap.cli.report import write_run
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.graphs import Dissimilarities, Graph
    from riemap.metrics import Scores
    from riemap.training import Fit

COLUMNS = ("f1@1", "auc", "map", "ad", "worst", "stress")
"""Metrics of the table that compares spaces."""


def embed(
    graph: GraphText,
    space: Annotated[
        list[str],
        typer.Option("--space", "-s", help="Where to, such as H3 or 'H2 x S2'; several are compared."),
    ],
    loss: Annotated[str, typer.Option(help="What to minimise, such as 'rsne(T=0.02) + 0.3*ad'.")] = "stress",
    preset: Annotated[
        str,
        typer.Option(
            help="How to train: default; steady, for large graphs with hubs in few dimensions; or paper."
        ),
    ] = "default",
    optimizer: Annotated[
        str | None,
        typer.Option(help="Instead of the preset's, such as 'radam(lr=0.05)'.", show_default=False),
    ] = None,
    epochs: Annotated[int | None, typer.Option(help="Instead of the preset's.", show_default=False)] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same embedding.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            help="A folder for the run; with several spaces, for a folder of each.", show_default=False
        ),
    ] = None,
    checkpoint_every: Annotated[
        int, typer.Option(min=1, help="Epochs between two checkpoints in that folder.")
    ] = 100,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in that folder.")] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Write a page about it, report.html, into that folder.")
    ] = False,
    undirected: Undirected = False,
    require_connected: RequireConnected = False,
    as_json: AsJson = False,
) -> None:
    """Embed a graph in a space, and say how faithful the result is.

    Example: riemap embed karate --space H2 --out karate-h2
    """
    with refusing():
        from riemap.graphs import open_graph

        if resume and out is None:
            raise InputError("which run? --resume needs --out, the folder of the run to go on with")
        if report and out is None:
            raise InputError("--report is written into the folder of the run; name one, e.g. --out run")
        given = {"graph": graph, "undirected": undirected, "require_connected": require_connected}
        given |= {"optimizer": optimizer, "epochs": epochs}
        opened = open_graph(
            graph, undirected=undirected, component="error" if require_connected else "largest"
        )
        results = []
        for text in space:
            folder = (
                out if out is None or len(space) == 1 else out / re.sub(r"[^\w.-]+", "-", text).strip("-")
            )
            job = _Job(opened, text, loss, preset, given, seed, folder)
            results.append(job.run(checkpoint_every, resume, quiet=as_json))
            if results[-1]["stop"] == "it was interrupted":
                break
            if report and folder is not None:
                write_run(folder, opened, folder / "report.html", shlex.join(_report_command(folder)))
        _show(opened, results, as_json)
    if results[-1]["stop"] == "it was interrupted":
        raise typer.Exit(130)


def _report_command(folder: Path) -> list[str]:
    return ["riemap", "report", str(folder), "-o", str(folder / "report.html")]


class _Job:
    """One graph, one space, and how to go about it."""

    def __init__(
        self,
        graph: "Graph | Dissimilarities",
        space: str,
        loss: str,
        preset: str,
        given: dict[str, Any],
        seed: int,
        folder: Path | None,
    ) -> None:
        from riemap.runs.folder import Run
        from riemap.spaces import Space
        from riemap.training.embed_graph import check_dimension, planned

        self.graph, self.space, self.seed = graph, Space.parse(space), seed
        check_dimension(graph, self.space)
        self.plan = planned(loss, preset, given["optimizer"], given["epochs"], graph.n)
        self.loss = self.plan.stages[-1].loss
        self.folder = None if folder is None else Run(folder)
        self.preset, self.given = preset, given

    def run(self, every: int, resume: bool, quiet: bool) -> dict[str, Any]:
        """Train, score, and write the run's folder; or read the folder of one that is finished."""
        from riemap.metrics import evaluate
        from riemap.training import fit, training_process

        if self.folder is not None:
            self.folder.begin(self.config(), resume)
            if self.folder.finished:
                return self.folder.scores()
        with (
            training_process(self.graph.n) as interrupted,
            progress(f"{self.graph.name} in {self.space}", self.plan.epochs, quiet) as callback,
        ):
            result = fit(
                self.graph,
                self.space,
                self.plan,
                seed=self.seed,
                callbacks=(callback,),
                checkpoint=None if self.folder is None else self.folder.checkpoint,
                every=every,
                interrupted=interrupted,
            )
        scores = self.facts(result, evaluate(result.embedding, self.graph))
        if self.folder is not None and result.stop.name != "INTERRUPTED":
            self.folder.end(result, scores)
        return scores

    def config(self) -> dict[str, Any]:
        """Everything that decides the result, and how it was spelled."""
        import riemap

        return {
            "graph": self.graph.name,
            "key": self.graph.key,
            "space": str(self.space),
            "loss": str(self.loss),
            "preset": self.preset,
            "seed": self.seed,
            "plan": self.plan.as_json(),
            "version": riemap.__version__,
            "given": self.given,
        }

    def facts(self, result: "Fit", scores: "Scores") -> dict[str, Any]:
        """What is printed, and written beside the embedding."""
        return {
            "graph": self.graph.name,
            "space": str(self.space),
            "dim": self.space.dim,
            "loss": str(self.loss),
            "preset": self.preset,
            "seed": self.seed,
            "epochs": len(result.history),
            "stop": result.stop.value,
            "seconds": round(result.seconds, 3),
            **scores.as_json(),
        }


def _show(graph: "Graph | Dissimilarities", results: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        found = results[0] if len(results) == 1 else {"graph": graph.name, "runs": results}
        typer.echo(json.dumps(found, allow_nan=False, ensure_ascii=False))
        return
    from riemap.metrics import Scores

    first = results[0]
    if len(results) > 1:
        _compare(graph.name, results)
        return
    typer.echo(
        f"{graph.name} in {first['space']} ({first['dim']} dimensions), {first['loss']}, seed {first['seed']}"
    )
    typer.echo(f"{first['epochs']} epochs in {first['seconds']:.1f} s: {first['stop']}\n")
    show_scores(Scores.from_json(first))


def _compare(name: str, results: list[dict[str, Any]]) -> None:
    """One line a space, the best of each column in bold and marked."""
    from rich.console import Console
    from rich.table import Table

    from riemap.metrics import METRICS

    console = Console(highlight=False, markup=False, emoji=False)
    metrics = [m for m in METRICS if m.name in COLUMNS]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("Space")
    for heading in ("Dim", *(m.name for m in metrics), "Seconds"):
        table.add_column(heading, justify="right")
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
