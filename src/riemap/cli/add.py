"""``riemap add``: put new nodes into a finished embedding by their edges."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from riemap.cli.arguments import AsJson, Force, RunPath, takes_read_options
from riemap.cli.inputs import open_graph_of, opening
from riemap.cli.messages import one_line, refusing
from riemap.cli.output import new_console, new_table, print_json
from riemap.cli.progress import telling

if TYPE_CHECKING:
    from riemap.graphs import AnyGraph, ReadOptions
    from riemap.runs import GraphSource
    from riemap.training import AddedNodes

LISTED_NODES = 10
"""Largest number of new nodes that are listed, those with the largest distortion first."""


NewEdges: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="EDGES",
        help="A file with the edges of the new nodes. It may also hold edges of the embedded graph.",
        show_default=False,
    ),
]
KnownGraph: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="GRAPH",
        help="The graph that was embedded; the folder of a run tells it by itself.",
        show_default=False,
    ),
]


@takes_read_options
def add(
    run: RunPath,
    edges: NewEdges,
    reading: "ReadOptions",
    graph: KnownGraph = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="An .npz file for the embedding with the new nodes. RUN itself is not changed.",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Put new nodes into an embedding by their edges, without moving the others, and say how well they fit.

    Example: riemap add karate-h2 new.edges --out karate-h2-new.npz
    """
    with refusing():
        from riemap.files import check_destination
        from riemap.runs import load_embedding
        from riemap.runs.opening import source_like

        if out is not None:
            check_destination(out, "embedding.npz")
        embedding = load_embedding(run)
        known = open_graph_of(run, graph, reading, "riemap add {run} EDGES --graph {graph}", force)
        new = _new_edges(source_like(run, edges, reading))
        with telling(f"{known.name}: placing new nodes", known.n):
            added = embedding.add(new, known)
        if out is not None:
            added.embedding.save(out)
            typer.echo(f"riemap: wrote {out}", err=True)
    if as_json:
        print_json(_facts(added))
    else:
        _show(added)


def _new_edges(source: "GraphSource") -> "AnyGraph":
    """Open the edges with all components, since the known nodes connect them."""
    with opening(source.text):
        return source._replace(options=source.options._replace(components="keep")).open()


def _facts(added: "AddedNodes") -> dict[str, object]:
    return {
        "graph": added.graph.name,
        "space": str(added.embedding.space),
        "nodes": added.embedding.n,
        "ad": added.ad,
        "known_ad": added.known_distortion,
        "added": [
            {"node": str(label), "ad": float(distortion)}
            for label, distortion in zip(added.nodes, added.distortion, strict=True)
        ],
    }


def _show(added: "AddedNodes") -> None:
    """Print how well the new nodes fit, and which of them fit worst."""
    from rich.text import Text

    count = len(added.nodes)
    typer.echo(f"{added.graph.name} in {added.embedding.space}: {count} new of {added.embedding.n} nodes")
    typer.echo(f"average distortion of new nodes {added.ad:.4f}, of known nodes {added.known_distortion:.4f}")
    worst = added.distortion.argsort(kind="stable")[::-1][:LISTED_NODES]
    table = new_table("Node" if count <= LISTED_NODES else "Worst nodes", "Distortion", right=("Distortion",))
    for i in worst:
        table.add_row(Text(one_line(str(added.nodes[i]))), f"{added.distortion[i]:.4f}")
    new_console().print(table)
