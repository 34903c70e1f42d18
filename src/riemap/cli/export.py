"""``riemap export``: an embedding for other programs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from riemap.cli.arguments import Undirected
from riemap.cli.messages import refusing
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.embeddings import Embedding
    from riemap.graphs import Graph

FORMATS = ("csv", "tsv", "word2vec", "graphml")


def export(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="A folder that riemap embed made, or an embedding, the .npz file that riemap saved.",
            show_default=False,
        ),
    ],
    format: Annotated[
        str,
        typer.Option(
            metavar="FORMAT",
            help="csv; tsv, two files for the TensorFlow embedding projector; word2vec, its text format; "
            "or graphml, with the edges.",
        ),
    ] = "csv",
    out: Annotated[
        Path | None,
        typer.Option(
            help="Where to write: a file, or for tsv a folder. On stdout by default, except for tsv.",
            show_default=False,
        ),
    ] = None,
    points: Annotated[
        bool,
        typer.Option(
            "--points",
            help="Write points as they are stored. By default, Euclidean vectors are written: what is seen "
            "of each node from the mean.",
        ),
    ] = False,
    graph: Annotated[
        str | None,
        typer.Option(metavar="GRAPH", help="What was embedded; graphml needs its edges.", show_default=False),
    ] = None,
    undirected: Undirected = False,
) -> None:
    """Write an embedding in a format that other programs read.

    Example: riemap export karate-h2 --format csv --out karate-h2.csv
    """
    with refusing():
        from riemap.runs import load_embedding

        _check(format, out, graph)
        embedding = load_embedding(run)
        opened = None if graph is None else _graph(graph, undirected)
        files = _files(embedding, format, opened, points)
        if out is None:
            typer.echo(files[""], nl=False)
        else:
            _write(files, out)


def _check(format: str, out: Path | None, graph: str | None) -> None:
    from riemap.specs import shown, suggestion

    if format not in FORMATS:
        known = ", ".join(FORMATS)
        raise InputError(
            f"no format is called {shown(format)}{suggestion(format, FORMATS)} There are {known}"
        )
    if format == "graphml" and graph is None:
        raise InputError("graphml has edges; name the graph that was embedded, e.g. --graph karate")
    if format != "graphml" and graph is not None:
        raise InputError(f"{format} has no place for the edges of a graph; leave out --graph")
    if format == "tsv" and out is None:
        names = "vectors.tsv and metadata.tsv"
        raise InputError(f"tsv is two files, {names}; name a folder for them, e.g. --out folder")
    if out is not None and format != "tsv" and out.is_dir():
        raise InputError(f"{out} is a folder; name a file, e.g. --out {out / 'embedding'}.{format}")
    if out is not None and format == "tsv" and out.is_file():
        raise InputError(f"{out} is a file; tsv is two of them, and needs a folder")


def _graph(text: str, undirected: bool) -> "Graph":
    from riemap.graphs import Graph, open_graph

    opened = open_graph(text, undirected=undirected)
    if not isinstance(opened, Graph):
        raise InputError(f"{opened.name} is a matrix of dissimilarities, which has no edges; csv needs none")
    return opened


def _files(embedding: "Embedding", format: str, graph: "Graph | None", points: bool) -> dict[str, bytes]:
    """What to write, by the name in the folder; without a name where it is one file."""
    from riemap.exports import as_csv, as_graphml, as_projector, as_word2vec, table

    if graph is not None:
        return {"": as_graphml(embedding, graph, points=points)}
    rows = table(embedding, points=points)
    if format == "tsv":
        return dict(zip(("vectors.tsv", "metadata.tsv"), as_projector(rows), strict=True))
    return {"": as_csv(rows) if format == "csv" else as_word2vec(rows)}


def _write(files: dict[str, bytes], out: Path) -> None:
    from riemap.files import written_whole

    for name, data in files.items():
        path = out / name if name else out
        with written_whole(path) as file:
            file.write(data)
        typer.echo(f"riemap: wrote {path}", err=True)
