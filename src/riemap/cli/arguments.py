"""Arguments that several verbs take, each spelled and explained once."""

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer


def known_graphs(begun: str) -> list[str]:
    """List the datasets that begin like this, for a shell to complete; where none does, it offers files."""
    from riemap.graphs import DATASETS

    return [name for name in DATASETS if name.startswith(begun)]


GraphText: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="GRAPH",
        help="A file of edges, a dataset such as karate, or a generator such as 'tree(r=4,h=5)'.",
        show_default=False,
        autocompletion=known_graphs,
    ),
]
Undirected: TypeAlias = Annotated[
    bool,
    typer.Option("--undirected", help="Accept a directed graph, and ignore the directions of its edges."),
]
Components: TypeAlias = Annotated[
    str,
    typer.Option(
        help="For a graph that is not connected: take its largest component, keep it whole, or require a "
        "connected one: largest, keep or require."
    ),
]
Weights: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="What the weights of edges are: lengths, strengths, or ignore. Without a choice they are taken "
        "for lengths, with a warning.",
        show_default=False,
    ),
]
StrengthToLength: TypeAlias = Annotated[
    str, typer.Option(help="How a strength w becomes a length: inverse, 1/w; or log, 1 + ln(w_max/w).")
]
WeightColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--weight-column",
        metavar="NAME",
        help="The column, or attribute of edges, that holds the weights.",
        show_default=False,
    ),
]
NodeLabels: TypeAlias = Annotated[
    str,
    typer.Option(help="What names a node of a file in which nodes have both: its label or its id."),
]
READ_OPTIONS: dict[str, tuple[Any, Any]] = {
    "undirected": (Undirected, False),
    "components": (Components, "largest"),
    "weights": (Weights, None),
    "strength_to_length": (StrengthToLength, "inverse"),
    "weight": (WeightColumn, None),
    "node_labels": (NodeLabels, "label"),
}
"""The type and the default of each option that says how a graph is read."""
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
RunPath: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        help="A folder that riemap embed wrote, or an .npz file with an embedding.",
        show_default=False,
    ),
]
Force: TypeAlias = Annotated[
    bool,
    typer.Option("--force", help="Accept another graph than the one that was embedded, with the same nodes."),
]
Labels: TypeAlias = Annotated[
    Path | None,
    typer.Option(help="Colour nodes by labels from a CSV file with lines node,label.", show_default=False),
]
Workers: TypeAlias = Annotated[
    int, typer.Option(min=1, help="Number of processes, at most one for each core; they share the cores.")
]
RetryFailed: TypeAlias = Annotated[
    bool, typer.Option("--retry-failed", help="Do the runs that failed once more.")
]
Ray: TypeAlias = Annotated[
    str,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Do the runs on the Ray cluster at this address, such as 127.0.0.1:6379, or auto.",
        show_default=False,
    ),
]
RayForOneRun: TypeAlias = Annotated[
    str,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Share a run with landmarks out to the Ray cluster at this address: 127.0.0.1:6379, or auto.",
        show_default=False,
    ),
]
Budget: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="MINUTES",
        min=0.0,
        help="Begin only runs that are likely to be done after this many minutes.",
        show_default=False,
    ),
]
TableFormat: TypeAlias = Annotated[
    str, typer.Option("--format", help="Format of the table: text, markdown, csv or latex.")
]
SpaceTexts: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--space", "-s", help="The space to embed in, such as H3 or 'H2 x S2'; several are compared."
    ),
]
LossText: TypeAlias = Annotated[
    str | None,
    typer.Option(help="What to minimise instead of the loss of --for, such as stress.", show_default=False),
]
Aim: TypeAlias = Annotated[
    str,
    typer.Option(
        "--for",
        help="What matters: rank, which nodes are near each node; distance, how far they are; both; or the "
        "prediction of links or labels, for which nodes are near if random walks connect them.",
    ),
]
Preset: TypeAlias = Annotated[
    str,
    typer.Option(
        help="How to train: default; steady, for large graphs with hubs in few dimensions; or paper."
    ),
]
Time: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="How long training may take, such as 60s, 5m or 2h; chooses the number of epochs.",
        show_default=False,
    ),
]
Sampler: TypeAlias = Annotated[
    str,
    typer.Option(
        help="Which pairs of nodes training sees: all; landmarks, for large graphs; or auto, by the number "
        "of nodes."
    ),
]
OptimizerText: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Replaces the preset's optimizer, as in 'radam(lr=0.05)'.", show_default=False),
]
Epochs: TypeAlias = Annotated[
    int | None, typer.Option(help="Replaces the preset's number of epochs.", show_default=False)
]
TrainingSeed: TypeAlias = Annotated[
    int, typer.Option(help="Seed for starting points and batches; the same seed gives the same result.")
]
RunOut: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="A folder for the run; with several spaces, it gets a folder for each.", show_default=False
    ),
]
CheckpointEvery: TypeAlias = Annotated[
    int, typer.Option(min=1, help="Number of epochs between two checkpoints in that folder.")
]
Resume: TypeAlias = Annotated[bool, typer.Option("--resume", help="Continue the run in that folder.")]
WithReport: TypeAlias = Annotated[
    bool, typer.Option("--report", help="Write a page about the run, report.html, into that folder.")
]


def takes_read_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say how a graph is read; it gets them as one argument, ``reading``."""
    own = inspect.signature(command)
    parameters = {name: p for name, p in own.parameters.items() if name != "reading"}
    for name, (kind, default) in READ_OPTIONS.items():
        parameters[name] = inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind
        )

    @functools.wraps(command)
    def wrapped(**given: Any) -> None:
        from riemap.graphs import ReadOptions

        reading = ReadOptions(**{name: given.pop(name) for name in READ_OPTIONS})
        command(**given, reading=reading)

    ordered = sorted(parameters.values(), key=lambda p: p.name == "as_json")  # --json comes last
    keyword_only = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in ordered]
    wrapped.__signature__ = own.replace(parameters=keyword_only)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in keyword_only}
    return wrapped
