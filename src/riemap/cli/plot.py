"""``riemap plot``: figures, a command each."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from riemap.cli import plot_runs
from riemap.cli.arguments import GraphText, Undirected
from riemap.cli.figures import Out, check_figure, write_figure
from riemap.cli.messages import refusing
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.graphs import Graph

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Draw a figure. Example: riemap plot embedding karate-h2 --out karate-h2.pdf",
)
for draw in (
    plot_runs.embedding,
    plot_runs.f1,
    plot_runs.distances,
    plot_runs.distortion,
    plot_runs.curvature,
    plot_runs.history,
):
    app.command()(draw)

Seed: TypeAlias = Annotated[int, typer.Option(help="Of everything that is drawn at random.")]
Points: TypeAlias = Annotated[int, typer.Option(help="Points of each sample.")]


@app.command()
def graph(
    graph: GraphText,
    out: Out,
    alpha: Annotated[
        float, typer.Option(help="What share of a walk stays where it is; the paper takes 0.999.")
    ] = 0.5,
    seed: Seed = 0,
    undirected: Undirected = False,
) -> None:
    """Draw a graph, its edges and nodes coloured by Ollivier-Ricci curvature.

    Nodes are placed by an embedding in the plane. Example: riemap plot graph karate --out karate.png
    """
    with refusing():
        from riemap.curvature import ollivier_ricci
        from riemap.plots import network
        from riemap.runs import embed

        check_figure(out)
        opened = _graph(graph, undirected)
        curvature = ollivier_ricci(opened, alpha).curvature
        fit = embed(opened, "E2", loss=LAYOUT, seed=seed)
        ax = network(
            opened, fit.embedding.points[0], curvature, label=f"Ollivier-Ricci curvature, α = {alpha:g}"
        )
        write_figure(ax.figure, out)


LAYOUT = "stress + 0.2*rsne(T=0.2)"
"""Places the nodes of a graph in the plane."""


@app.command()
def graphs(
    graphs: Annotated[
        list[str],
        typer.Argument(
            metavar="GRAPH...", help="Files of edges, datasets or generators.", show_default=False
        ),
    ],
    out: Out,
    seed: Seed = 0,
    undirected: Undirected = False,
) -> None:
    """Compare graphs: degrees, sectional curvatures, δ-hyperbolicity.

    Example: riemap plot graphs karate les-miserables "tree(r=4,h=5)" --out graphs.png
    """
    with refusing():
        from riemap.curvature import delta_sampled, sectional
        from riemap.plots import summaries

        check_figure(out)
        opened = [_graph(text, undirected) for text in graphs]
        curvatures = {g.name: sectional(g, seed=seed).values for g in opened}
        deltas = {g.name: delta_sampled(g, seed=seed) for g in opened}
        write_figure(
            summaries(
                {g.name: g.degrees.astype(float) for g in opened},
                curvatures,
                {name: (delta.mean, delta.max) for name, delta in deltas.items()},
            ),
            out,
        )


@app.command()
def angles(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...", help="Folders that riemap embed made, or embeddings.", show_default=False
        ),
    ],
    out: Out,
    triples: Annotated[int, typer.Option(help="Triangles to look at in each.")] = 10_000,
    seed: Seed = 0,
) -> None:
    """Compare embeddings by the sums of angles in their triangles.

    Example: riemap plot angles karate-h2 karate-s2 --out angles.png
    """
    with refusing():
        from riemap.curvature.geodesic_triangles import angle_sums
        from riemap.plots import boxes
        from riemap.runs import load_embedding

        check_figure(out)
        values = {}
        for run in runs:
            embedding = load_embedding(run)
            values[f"{run.stem} ({embedding.space})"] = angle_sums(embedding, triples, seed=seed).values
        ax = boxes(values, label="normalised sum of angles")
        ax.axhline(0.0, color="black", linewidth=0.6, zorder=0.5)
        write_figure(ax.figure, out)


@app.command()
def samples(
    kind: Annotated[
        str,
        typer.Argument(
            help="compact (S, Gr, SO), noncompact (E, H, SPD), or bias: what sampling through the "
            "exponential map does."
        ),
    ],
    out: Out,
    points: Points = 1000,
    seed: Seed = 0,
) -> None:
    """Draw random points of curved spaces, and what graphs of close ones look like.

    Example: riemap plot samples noncompact --out noncompact.pdf
    """
    with refusing():
        from riemap.paper import samples as drawn
        from riemap.plots import clouds, panels
        from riemap.specs import shown, suggestion

        check_figure(out)
        if kind == "bias":
            write_figure(clouds(drawn.bias(points, seed)), out)
            return
        if kind not in drawn.PANELS:
            known = (*drawn.PANELS, "bias")
            raise InputError(
                f"no samples are called {shown(kind)}{suggestion(kind, known)} There are {', '.join(known)}"
            )
        write_figure(panels(drawn.panel(kind, points, seed)), out)


def _graph(text: str, undirected: bool) -> "Graph":
    from riemap.graphs import Graph, open_graph

    opened = open_graph(text, undirected=undirected)
    if not isinstance(opened, Graph):
        raise InputError(f"{opened.name} is a matrix of dissimilarities, and no graph with edges to draw")
    return opened
