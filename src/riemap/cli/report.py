"""``riemap report``: a run, or a grid, as a page for the browser."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riemap.cli.arguments import RequireConnected, Undirected
from riemap.cli.messages import refusing
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.graphs import Dissimilarities, Graph
    from riemap.grids.records import Folder


MANY = 1500
"""Nodes of a graph whose page takes more than a moment."""


def report(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="A folder that riemap embed or riemap grid made, or an embedding, an .npz file.",
            show_default=False,
        ),
    ],
    graphs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GRAPH",
            help="What was embedded: for an .npz file, and where a folder's graphs have moved.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write, an .html file.")] = Path(
        "report.html"
    ),
    labels: Annotated[
        Path | None,
        typer.Option(help="Colour nodes by a label: CSV with lines node,label.", show_default=False),
    ] = None,
    grid: Annotated[
        Path | None,
        typer.Option(help="Compare with the runs of a grid, by its folder.", show_default=False),
    ] = None,
    pages: Annotated[
        bool, typer.Option("--pages/--no-pages", help="Of a grid: a page for each run, too.")
    ] = True,
    undirected: Undirected = False,
    require_connected: RequireConnected = False,
) -> None:
    """Write one HTML page, complete in itself, that shows an embedding and how faithful it is.

    The page of a grid is a leaderboard; beside it, in a folder named after it, is a page for each run.

    Example: riemap report karate-h2 -o karate-h2.html
    """
    with refusing():
        from riemap.grids.records import Folder

        _check(run, out)
        named = graphs or []
        if (run / "grid.json").is_file():
            if labels is not None or grid is not None:
                raise InputError("--labels and --grid are for the page of one run, and this is a grid")
            _grid(Folder(run), named, out, pages, undirected)
            return
        if len(named) > 1:
            raise InputError(f"a run has one graph, and {len(named)} are named; only a grid has several")
        from riemap.report.folders import read_groups, run_graph

        graph = run_graph(
            run, named[0] if named else None, undirected=undirected, require_connected=require_connected
        )
        groups = None if labels is None else read_groups(labels, graph)
        words = ["riemap", "report", str(run), *named, "-o", str(out)]
        words += [] if labels is None else ["--labels", str(labels)]
        words += [] if grid is None else ["--grid", str(grid)]
        words += ["--undirected"] * undirected + ["--require-connected"] * require_connected
        write_run(run, graph, out, shlex.join(words), groups=groups, grid=grid)


def write_run(run: Path, graph: "Graph | Dissimilarities", out: Path, command: str, **more: Any) -> None:
    """Write the page of a run, and say so."""
    from riemap.report import run_page
    from riemap.report.folders import run_subject

    if graph.n > MANY:
        typer.echo(f"riemap: looking at the pairs of {graph.n} nodes, and at how they curve", err=True)
    _write(out, run_page(run_subject(run, graph, command, **more)))
    typer.echo(f"riemap: wrote {out}", err=True)


def _check(run: Path, out: Path) -> None:
    """Before anything is computed."""
    if not run.exists():
        raise InputError(f"there is no {run}; 'riemap embed karate --space H2 --out {run}' would make a run")
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{out} is not an .html file, e.g. -o {out.stem or 'report'}.html")
    if out.is_dir():
        raise InputError(f"{out} is a folder; name a file, e.g. -o {out / 'report.html'}")


def _grid(folder: "Folder", named: list[str], out: Path, pages: bool, undirected: bool) -> None:
    """Write a leaderboard, and the pages that it links to."""
    from riemap.report import leaderboard_page
    from riemap.report.folders import finished

    done = finished(folder)
    words = ["riemap", "report", str(folder.path), *named, "-o", str(out)]
    command = shlex.join([*words, *["--undirected"] * undirected, *["--no-pages"] * (not pages)])
    links = _pages(folder, done, named, out, undirected, command) if pages else {}
    failed = len(folder.records()) - len(done)
    _write(out, leaderboard_page(folder.path.resolve().name, done, failed, links, [command]))
    beside = f" and {len(links)} pages in {_beside(out)}" if links else ""
    typer.echo(f"riemap: wrote {out}{beside}", err=True)


def _beside(out: Path) -> Path:
    return out.with_name(f"{out.stem}_files")


def _pages(
    folder: "Folder",
    done: list[dict[str, Any]],
    named: list[str],
    out: Path,
    undirected: bool,
    command: str,
) -> dict[str, str]:
    """A page for every run whose graph is at hand; where they are, seen from the leaderboard."""
    from riemap.graphs import open_graph

    opened = {
        graph.key: (text, graph) for text in named for graph in [open_graph(text, undirected=undirected)]
    }
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


def _by_name(name: str, key: str) -> "tuple[str, Graph | Dissimilarities] | None":
    """A dataset, or a generator's graph; a file is known by what it holds, and not by where it lies."""
    from riemap.graphs import open_graph

    try:
        graph = open_graph(name)
    except (ValueError, OSError):
        return None
    return (name, graph) if graph.key == key else None


def _pages_of(
    folder: "Folder",
    records: list[dict[str, Any]],
    text: str,
    graph: "Graph | Dissimilarities",
    out: Path,
    command: str,
) -> dict[str, str]:
    """The pages of one graph, whose curvature is measured once."""
    from riemap.report import Subject, run_page
    from riemap.report.curvatures import graph_curvatures
    from riemap.report.folders import embed_command, setting
    from riemap.runs.folder import load_embedding

    links, curvatures = {}, graph_curvatures(graph)
    for number, record in enumerate(records, 1):
        file = folder.embedding(record["id"])
        if not file.is_file():
            continue
        run = record["run"]
        subject = Subject(
            load_embedding(file),
            graph,
            [embed_command({**run, "graph": text}, record["id"]), command],
            setting(run),
            others=records,
            curvatures=curvatures,
        )
        page = _beside(out) / f"{record['id']}.html"
        _write(page, run_page(subject))
        links[record["id"]] = f"{page.parent.name}/{page.name}"
        typer.echo(f"{graph.name}: page {number} of {len(records)}", err=True)
    return links


def _write(out: Path, page: str) -> None:
    from riemap.files import written_whole

    with written_whole(out) as file:
        file.write(page.encode())
