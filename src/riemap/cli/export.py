"""``riemap export``: write an embedding in the formats of other programs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from riemap.cli.arguments import Force, RunPath, takes_read_options
from riemap.cli.inputs import open_graph_of, with_edges
from riemap.cli.messages import one_of, refusing
from riemap.cli.progress import telling
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.embeddings import Embedding
    from riemap.graphs import Graph, ReadOptions

EXPORT_FORMATS = ("csv", "tsv", "word2vec", "graphml")
"""Values of ``--format``."""


Format: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="FORMAT",
        help="Format to write: csv; tsv, two files for the TensorFlow embedding projector; word2vec, in "
        "its text format; or graphml, with the edges.",
    ),
]
ExportOut: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="File to write, or for tsv a folder. By default, results go to stdout; tsv needs a folder.",
        show_default=False,
    ),
]
StoredPoints: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--points",
        help="Write the coordinates of the points as they are stored. By default, Euclidean vectors are "
        "written: tangent coordinates at the Fréchet mean.",
    ),
]
EdgesGraph: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="GRAPH",
        help="For graphml: the graph that was embedded; needed for an .npz file, and if the graph has moved.",
        show_default=False,
    ),
]
SafeCsv: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="Put ' before labels that a spreadsheet could read as formulas; for csv.",
    ),
]


@takes_read_options
def export(
    run: RunPath,
    reading: "ReadOptions",
    format: Format = "csv",
    out: ExportOut = None,
    points: StoredPoints = False,
    graph: EdgesGraph = None,
    safe_csv: SafeCsv = False,
    force: Force = False,
) -> None:
    """Write an embedding in a format that other programs read.

    Example: riemap export karate-h2 --format csv --out karate-h2.csv
    """
    with refusing():
        from riemap.runs import load_embedding

        _check(format, out, graph)
        if safe_csv and format != "csv":
            raise InputError(f"--safe-csv is for the format csv, not {format}; leave it out")
        embedding = load_embedding(run)
        opened = None
        if format == "graphml":
            usage = "riemap export {run} --format graphml --graph {graph}"
            opened = with_edges(open_graph_of(run, graph, reading, usage, force), "graphml")
        with telling(f"writing {embedding.n} nodes as {format}", embedding.n):
            files = _files(embedding, format, opened, points, safe_csv)
        if out is None:
            typer.echo(files[""], nl=False)
        else:
            _write(files, out)


def _check(format: str, out: Path | None, graph: str | None) -> None:
    """Refuse options that do not fit together, before anything is computed."""
    from riemap.files import check_destination

    one_of("--format", format, EXPORT_FORMATS)
    if format != "graphml" and graph is not None:
        raise InputError(f"{format} cannot hold the edges of a graph; leave out --graph")
    if format == "tsv" and out is None:
        names = "vectors.tsv and metadata.tsv"
        raise InputError(f"tsv writes two files, {names}; name a folder for them, e.g. --out folder")
    if out is not None and format != "tsv":
        check_destination(out, f"embedding.{format}")
    elif out is not None and out.exists() and not out.is_dir():
        raise InputError(f"{out} is not a folder; tsv writes two files and needs one, e.g. --out folder")


def _files(
    embedding: "Embedding", format: str, graph: "Graph | None", points: bool, safe_csv: bool
) -> dict[str, bytes]:
    """Contents of the files to write, by their names in the folder; a single file has the name ``""``."""
    from riemap.exports import as_csv, as_graphml, as_projector, as_word2vec, table

    if graph is not None:
        return {"": as_graphml(embedding, graph, points=points)}
    rows = table(embedding, points=points)
    if format == "tsv":
        return dict(zip(("vectors.tsv", "metadata.tsv"), as_projector(rows), strict=True))
    return {"": as_csv(rows, safe=safe_csv) if format == "csv" else as_word2vec(rows)}


def _write(files: dict[str, bytes], out: Path) -> None:
    from riemap.files import written_whole

    for name, data in files.items():
        path = out / name if name else out
        with written_whole(path) as file:
            file.write(data)
        typer.echo(f"riemap: wrote {path}", err=True)
