"""``riemap embed``: place the nodes of a graph in a space."""

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from riemap.cli.arguments import (
    Aim,
    AsJson,
    CheckpointEvery,
    Epochs,
    GraphText,
    LossText,
    OptimizerText,
    Preset,
    RayForOneRun,
    Resume,
    RunOut,
    Sampler,
    SpaceTexts,
    Time,
    TrainingSeed,
    WithReport,
    takes_read_options,
)
from riemap.cli.comparison import about_prediction, show_comparison
from riemap.cli.evaluate import show_scores
from riemap.cli.inputs import opening
from riemap.cli.messages import refusing
from riemap.cli.output import print_json
from riemap.cli.progress import progress
from riemap.cli.report import write_run
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.distances import DistanceMatrix
    from riemap.graphs import AnyGraph, ReadOptions
    from riemap.runs import RunFolder, RunResult, RunSpec, TimeBudget
    from riemap.training.workers import Workers

Seeds: TypeAlias = Annotated[
    int,
    typer.Option(min=1, help="Number of seeds, from --seed on; the table of several spaces has their means."),
]


@takes_read_options
def embed(
    graph: GraphText,
    reading: "ReadOptions",
    space: SpaceTexts = None,
    aim: Aim = "both",
    loss: LossText = None,
    preset: Preset = "default",
    optimizer: OptimizerText = None,
    epochs: Epochs = None,
    time: Time = None,
    seed: TrainingSeed = 0,
    seeds: Seeds = 1,
    sampler: Sampler = "auto",
    ray: RayForOneRun = "",
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
        from riemap.runs import GraphSource, RunSpec, TimeBudget

        spaces = _checked(graph, space, out, resume, report)
        source = GraphSource(graph, reading)
        with opening(graph):
            opened = source.open()
        choice: Any = {
            "loss": _loss(aim, loss),
            "preset": preset,
            "optimizer": optimizer,
            "epochs": epochs,
            "seed": seed,
            "sampler": sampler,
        }
        specs = [RunSpec.of(opened, text, **choice, source=source) for text in dict.fromkeys(spaces)]
        specs = [spec.with_seed(seed + k) for spec in specs for k in range(seeds)]
        kept = partial(_folder, out, resume, checkpoint_every, several=(len(specs) > seeds, seeds > 1))
        with _on_cluster(ray, specs, opened, quiet=as_json) as workers:
            runs = _runs(specs, kept, partial(TimeBudget.of, time, epochs, ray), opened, workers, as_json)
            results = [_reported(result, folder, report) for result, folder in runs]
        _show(results, as_json)
        if not as_json:
            _tell_where(out, results)
    if _interrupted(results[-1]):
        raise typer.Exit(130)


def _runs(
    specs: "Sequence[RunSpec]",
    kept: "Callable[[RunSpec], RunFolder | None]",
    begun: "Callable[[], TimeBudget | None]",
    graph: "AnyGraph",
    workers: "Workers | None",
    quiet: bool,
) -> "Iterator[tuple[RunResult, RunFolder | None]]":
    """Do the runs, until one is interrupted; all have the same distances, which the first one computes."""
    distances = None
    for spec in specs:
        folder = kept(spec)
        spec, budget = _in_time(spec, folder, graph, begun(), quiet)
        result = _done(spec, folder, (graph, distances), workers, budget, quiet)
        distances = result.distances
        yield result, folder
        if _interrupted(result):
            return


def _interrupted(result: "RunResult") -> bool:
    from riemap.training import Stop

    return result.fit.stop is Stop.INTERRUPTED


def _loss(aim: str, loss: str | None) -> str:
    """Return the loss that was asked for by itself, or by what it is for."""
    from riemap.losses import LOSSES_FOR

    if aim not in LOSSES_FOR:
        raise InputError(f"--for {aim}: what matters is one of {', '.join(LOSSES_FOR)}; e.g. --for rank")
    if loss is None:
        return aim
    if aim != "both":
        raise InputError(
            f"--for {aim} and --loss {loss} exclude each other: --for {aim} is --loss '{LOSSES_FOR[aim]}'"
        )
    return loss


def _checked(graph: str, spaces: list[str] | None, out: Path | None, resume: bool, report: bool) -> list[str]:
    """Return the spaces, or refuse misspelt ones and options that do not go together."""
    from riemap.spaces import Space

    if resume and out is None:
        raise InputError("which run? --resume needs --out, the folder of the run to continue")
    if report and out is None:
        raise InputError("--report is written into the folder of the run; name one, e.g. --out run")
    if not spaces:
        raise InputError(
            f"which space? riemap embed {shlex.quote(graph)} --space H2 takes the hyperbolic plane, and "
            "-s E2 -s H2 -s S2 compares it with the Euclidean plane and the sphere; "
            "'riemap spaces' lists all spaces"
        )
    for text in spaces:
        Space.parse(text)  # before a large graph is read
    return spaces


def _in_time(
    spec: "RunSpec",
    folder: "RunFolder | None",
    graph: "AnyGraph",
    budget: "TimeBudget | None",
    quiet: bool,
) -> "tuple[RunSpec, TimeBudget | None]":
    """Return the run with as many epochs as its time allows, and the budget that it has begun to spend."""
    from riemap.training import training_process

    if budget is None:
        return spec, None
    with training_process(graph.n):
        epochs = budget.epochs(graph, lambda count: spec.with_epochs(count, graph.n).setup(graph.n), folder)
    if not quiet:
        typer.echo(f"riemap: {epochs} epochs of {spec.graph} in {spec.space} fit into the time", err=True)
    return spec.with_epochs(epochs, graph.n), budget


def _done(
    spec: "RunSpec",
    folder: "RunFolder | None",
    given: "tuple[AnyGraph, DistanceMatrix | None]",
    workers: "Workers | None",
    budget: "TimeBudget | None",
    quiet: bool,
) -> "RunResult":
    """Do a run on a graph, whose distances may be known, and show the progress."""
    from riemap.runs import execute
    from riemap.training import training_process

    title = f"{spec.graph} in {spec.space}"
    with (
        training_process(given[0].n) as interrupted,
        progress(title, spec.total_epochs, given[0].n, quiet) as callback,
    ):
        result = execute(
            spec,
            folder,
            graph=given[0],
            distances=given[1],
            callbacks=(callback,) if budget is None else (callback, budget.stopping()),
            interrupted=interrupted,
            workers=workers,
        )
        _ = result.scores  # while progress is shown; they are kept
        return result


@contextmanager
def _on_cluster(
    address: str, specs: "Sequence[RunSpec]", graph: "AnyGraph", quiet: bool
) -> "Iterator[Workers | None]":
    """Join a cluster if its address is given, and say how much memory the runs need there."""
    from riemap.graphs import Graph
    from riemap.runs.cluster import workers_for
    from riemap.spaces import Space

    with (
        redirect_stdout(sys.stderr if address else sys.stdout),  # Ray prints on stdout when a worker dies
        workers_for(specs, address) as workers,
    ):
        if workers is not None and isinstance(graph, Graph) and not quiet:
            typer.echo(f"riemap: {workers.needs(graph, Space.parse(specs[0].space))}", err=True)
        yield workers


def _folder(
    out: Path | None, resume: bool, checkpoint_every: int, spec: "RunSpec", several: tuple[bool, bool]
) -> "RunFolder | None":
    """Folder of a run; each of several spaces, and each of several seeds, has a folder of its own."""
    from riemap.runs import RunFolder

    if out is None:
        return None
    spaces, seeds = several
    path = out / re.sub(r"[^\w.-]+", "-", spec.space).strip("-") if spaces else out
    path = path / f"seed-{spec.seed}" if seeds else path
    return RunFolder(path, resume=resume, checkpoint_every=checkpoint_every)


def _reported(result: "RunResult", folder: "RunFolder | None", report: bool) -> "RunResult":
    """Write the page of a run with the distances and scores that are known already, if it is wanted."""
    if report and folder is not None and not _interrupted(result):
        page = folder.path / "report.html"
        command = shlex.join(["riemap", "report", str(folder.path), "-o", str(page)])
        known = {"distances": result.distances, "scores": result.scores}
        write_run(folder.path, result.graph, page, command, **known)
    return result


def _tell_where(out: Path | None, results: "list[RunResult]") -> None:
    """Say on stderr where the results are, or that they are not kept."""
    one = len(results) == 1
    if out is None:
        kept = "the embedding is not kept; --out DIR keeps it"
        said = kept if one else "the embeddings are not kept; --out DIR keeps them"
    elif _interrupted(results[-1]):
        said = f"{out} keeps what is done; the same command with --resume continues"
    elif one:
        said = f"wrote {out}; 'riemap report {out}' makes a page about it"
    else:
        said = f"wrote {len(results)} runs into {out}"
    typer.echo(f"riemap: {said}", err=True)


def _show(results: "list[RunResult]", as_json: bool) -> None:
    from riemap.losses import Walks

    first, facts = results[0], [result.as_json() for result in results]
    if as_json:
        found = facts[0] if len(results) == 1 else {"graph": first.spec.graph, "runs": facts}
        print_json(found)
    elif len(results) > 1:
        spaces = dict.fromkeys(r.spec.space for r in results)
        show_comparison({space: [r for r in results if r.spec.space == space] for space in spaces})
    else:
        head = f"{first.spec.graph} in {first.spec.space} ({facts[0]['dim']} dimensions)"
        typer.echo(f"{head}, {first.spec.loss}, seed {first.spec.seed}")
        typer.echo(f"{len(first.fit.history)} epochs in {first.fit.seconds:.1f} s: {first.fit.stop.value}\n")
        _show_shares(first)
        show_scores(first.scores)
        if first.spec.loss == Walks.symbol:
            typer.echo(f"\n{about_prediction(first.spec, [first.spec.space])}")


def _show_shares(result: "RunResult") -> None:
    """Print how much each factor of a product contributes to the distances."""
    factors, shares = result.fit.embedding.space.factors, result.fit.embedding.shares()
    if len(factors) > 1:
        parts = ", ".join(f"{m} {share:.0%}" for m, share in zip(factors, shares, strict=True))
        typer.echo(f"share of the squared distances: {parts}\n")
