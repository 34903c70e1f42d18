"""``riemap report``: a run, or a grid, as a page for the browser."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from riemap.cli.arguments import Force, Labels, takes_read_options
from riemap.cli.inputs import open_graph_of
from riemap.cli.messages import refusing
from riemap.cli.progress import SLOW_NODES, telling
from riemap.cli.runs import tell_missing
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.distances import DistanceMatrix
    from riemap.graphs import AnyGraph, ReadOptions
    from riemap.grids.record import RunRecord
    from riemap.grids.records import GridFolder

ReportRun: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        help="A folder that riemap embed, grid or choose made, or an embedding, an .npz file.",
        show_default=False,
    ),
]
GraphTexts: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="GRAPH",
        help="The graph that was embedded; needed for an .npz file, and if the graph has moved.",
        show_default=False,
    ),
]
PageOut: TypeAlias = Annotated[Path, typer.Option("--out", "-o", help="The page to write, an .html file.")]
OtherRuns: TypeAlias = Annotated[
    Path | None, typer.Option(help="Compare with the runs in the folder of a grid.", show_default=False)
]
RunPages: TypeAlias = Annotated[
    bool, typer.Option("--pages/--no-pages", help="For a grid, write a page for each run as well.")
]


@takes_read_options
def report(
    run: ReportRun,
    reading: "ReadOptions",
    graphs: GraphTexts = None,
    out: PageOut = Path("report.html"),
    labels: Labels = None,
    grid: OtherRuns = None,
    pages: RunPages = True,
    force: Force = False,
) -> None:
    """Write one HTML page, complete in itself, that shows an embedding and how faithful it is.

    The page of a grid is a leaderboard; beside it, in a folder named after it, is a page for each run.

    Example: riemap report karate-h2 -o karate-h2.html
    """
    with refusing():
        from riemap.files import is_stream
        from riemap.grids.records import GridFolder

        _check(run, out)
        named = graphs or []
        if (run / "grid.json").is_file():
            if labels is not None or grid is not None:
                raise InputError("--labels and --grid are for the page of one run, and this is a grid")
            if pages and is_stream(out):
                raise InputError(
                    f"the pages of the runs need a folder beside the page, and {out} is a stream; "
                    "add --no-pages, or name a file, e.g. -o report.html"
                )
            _grid(GridFolder(run), named, out, pages, reading)
            return
        if (run / "question.json").is_file():
            if labels is not None or grid is not None:
                raise InputError("--labels and --grid are for the page of one run, and this is a choice")
            _choice(run, named, out, reading)
            return
        if len(named) > 1:
            raise InputError(f"a run has one graph, and {len(named)} are named; only a grid has several")
        from riemap.graphs.groups import read_groups

        text = named[0] if named else None
        graph = open_graph_of(run, text, reading, "riemap report {run} {graph}", force)
        groups = None if labels is None else read_groups(labels, graph)
        words = ["riemap", "report", str(run), *named, "-o", str(out)]
        words += [] if labels is None else ["--labels", str(labels)]
        words += [] if grid is None else ["--grid", str(grid)]
        words += reading.words() + ["--force"] * force
        write_run(run, graph, out, shlex.join(words), groups=groups, grid=grid)


def write_run(run: Path, graph: "AnyGraph", out: Path, command: str, **more: Any) -> None:
    """Write the page of a run, and say so."""
    from riemap.report import run_page
    from riemap.report.subjects import run_subject

    if graph.n > SLOW_NODES:
        typer.echo(f"riemap: looking at the pairs of {graph.n} nodes, and at how they curve", err=True)
    with telling(f"{graph.name}: making the page", graph.n):
        page = run_page(run_subject(run, graph, command, **more))
    write_page(out, page)


def _check(run: Path, out: Path) -> None:
    """Refuse a run that is not there, or a name that is not a page's, before anything is computed."""
    if not run.exists():
        raise InputError(f"there is no {run}; 'riemap embed karate --space H2 --out {run}' would make a run")
    check_page(out, "-o")


def check_page(out: Path, option: str) -> None:
    """Refuse a name that is not a page's."""
    from riemap.files import check_destination, is_stream

    if out.suffix.lower() not in (".html", ".htm") and not is_stream(out):
        raise InputError(f"{out} is not an .html file, e.g. {option} {out.stem or 'report'}.html")
    check_destination(out, "report.html")


def _grid(folder: "GridFolder", named: list[str], out: Path, pages: bool, reading: "ReadOptions") -> None:
    """Write a leaderboard, and the pages that it links to."""
    from riemap.report import leaderboard_page

    records, done = folder.records(), folder.finished()
    tell_missing(folder, records)
    words = ["riemap", "report", str(folder.path), *named, "-o", str(out)]
    command = shlex.join([*words, *reading.words(), *["--no-pages"] * (not pages)])
    links = _pages(folder, done, named, out, reading, command) if pages else {}
    failed = len(records) - len(done)
    beside = f" and {len(links)} pages in {_beside(out)}" if links else ""
    write_page(out, leaderboard_page(folder.path.resolve().name, done, failed, links, [command]), beside)


def _choice(run: Path, named: list[str], out: Path, reading: "ReadOptions") -> None:
    """Write the page of a choice; its maps have edges if the graph can be opened."""
    from riemap.choosing import ChoiceFolder
    from riemap.report import choice_page
    from riemap.runs.source import GraphSource

    folder = ChoiceFolder(run)
    question = folder.question() or {}
    sources = [GraphSource(text, reading) for text in named[:1]]
    if not sources and question.get("given"):
        sources = [GraphSource.from_json(question["given"])]
    graph = None
    for source in sources:
        try:
            graph = source.open()
        except (InputError, OSError) as error:
            typer.echo(f"riemap: the maps have no edges: {error}", err=True)
    if graph is not None and graph.key != question.get("key"):
        raise InputError(f"{graph.name} is not the graph of {run}; name that one, or none")
    command = shlex.join(["riemap", "report", str(run), *named, "-o", str(out), *reading.words()])
    write_page(out, choice_page(folder, graph, [command]))


def _beside(out: Path) -> Path:
    return out.with_name(f"{out.stem}_files")


def _pages(
    folder: "GridFolder",
    done: "list[RunRecord]",
    named: list[str],
    out: Path,
    reading: "ReadOptions",
    command: str,
) -> dict[str, str]:
    """Write a page for every run whose graph can be opened, and give their places by id."""
    from riemap.graphs import open_graph

    opened = {graph.key: (text, graph) for text in named for graph in [open_graph(text, **reading._asdict())]}
    links: dict[str, str] = {}
    for name, key in dict.fromkeys((r["run"]["graph"], r["run"]["key"]) for r in done):
        found = opened.get(key) or _by_name(name, key)
        if found is None:
            typer.echo(
                f"riemap: no pages for the runs of {name}: its file is not known here; name it after "
                f"{folder.path}",
                err=True,
            )
            continue
        links |= _pages_of(folder, [r for r in done if r["run"]["key"] == key], *found, out, command)
    return links


def _by_name(name: str, key: str) -> "tuple[str, AnyGraph] | None":
    """Open a dataset or a generator's graph; a record does not tell where a file is."""
    from riemap.graphs import open_graph

    try:
        graph = open_graph(name)
    except (InputError, OSError):
        return None
    return (name, graph) if graph.key == key else None


def _pages_of(
    folder: "GridFolder",
    records: "list[RunRecord]",
    text: str,
    graph: "AnyGraph",
    out: Path,
    command: str,
) -> dict[str, str]:
    """Write the pages of one graph, whose distances and curvature are computed once."""
    from riemap.embeddings.storage import check_recorded
    from riemap.report import Subject, run_page
    from riemap.report.curvatures import graph_curvatures
    from riemap.runs import load_embedding
    from riemap.runs.opening import embed_command, training_setting

    links = {}
    with telling(f"{graph.name}: computing distances and curvature", graph.n):
        distances = _distances(graph)
        curvatures = graph_curvatures(graph, distances)
    for number, record in enumerate(records, 1):
        file = folder.embedding(record["id"])
        if not file.is_file():
            continue
        run, embedding = record["run"], load_embedding(file)
        check_recorded(embedding, file, record.get("embedding_checksum"), "the record of its run")
        subject = Subject(
            embedding,
            graph,
            [embed_command({**run, "graph": text}, record["id"]), command],
            training_setting(run),
            others=records,
            curvatures=curvatures,
            distances=distances,
        )
        page = _beside(out) / f"{record['id']}.html"
        _write(page, run_page(subject))
        links[record["id"]] = f"{page.parent.name}/{page.name}"
        typer.echo(f"{graph.name}: page {number} of {len(records)}", err=True)
    return links


def _distances(graph: "AnyGraph") -> "DistanceMatrix | None":
    """Distances between all nodes, unless there are so many that pages show only a sample."""
    from riemap.distances import shortest_paths
    from riemap.metrics.scores import LARGEST_FULLY_SCORED

    return shortest_paths(graph) if graph.n <= LARGEST_FULLY_SCORED else None


def write_page(out: Path, page: str, beside: str = "") -> None:
    """Write a page, and say so."""
    _write(out, page)
    typer.echo(f"riemap: wrote {out}{beside}", err=True)


def _write(out: Path, page: str) -> None:
    from riemap.files import written_whole

    with written_whole(out) as file:
        file.write(page.encode())
