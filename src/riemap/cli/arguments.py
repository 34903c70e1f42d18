"""Arguments that several verbs take, each spelled and explained once."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer


def known_graphs(begun: str) -> list[str]:
    """Names of datasets, for a shell to complete; where none begins like this, it offers files."""
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
    bool, typer.Option("--undirected", help="Take a directed graph, and forget its directions.")
]
RequireConnected: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--require-connected", help="Refuse a graph in several pieces instead of keeping the largest."
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Workers: TypeAlias = Annotated[
    int, typer.Option(min=1, help="Processes, at most one a core; they share the cores.")
]
RetryFailed: TypeAlias = Annotated[bool, typer.Option("--retry-failed", help="Do runs that failed again.")]
Ray: TypeAlias = Annotated[
    str,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Do the runs on this Ray cluster, as in 127.0.0.1:6379, or auto.",
        show_default=False,
    ),
]
Budget: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="MINUTES", min=0.0, help="Begin no run that would not be done by then.", show_default=False
    ),
]
Records: TypeAlias = Annotated[
    Path, typer.Option(help="A folder for the records; what is there is not done again.")
]
RunPath: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        help="A folder that riemap embed wrote, or an .npz file with an embedding.",
        show_default=False,
    ),
]
