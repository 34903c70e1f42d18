"""``riemap plot``: one command per figure. The figures of an embedding are in ``plot_runs``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from riemap.cli import plot_runs
from riemap.cli.arguments import GraphText, takes_read_options
from riemap.cli.figures import Out, check_figure, write_figure
from riemap.cli.inputs import open_with_edges
from riemap.cli.messages import one_of, refusing
from riemap.cli.progress import stage_progress, telling

if TYPE_CHECKING:
    from riemap.graphs import ReadOptions

LAYOUT_LOSS = "stress + 0.2*rsne(T=0.2)"
"""Loss that places the nodes of a graph in the plane: stress keeps distances, rsne keeps neighbours close."""

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

Seed: TypeAlias = Annotated[int, typer.Option(help="Seed for everything random in the figure.")]
Points: TypeAlias = Annotated[int, typer.Option(help="Number of points in each sample.")]


@app.command()
@takes_read_options
def graph(
    graph: GraphText,
    out: Out,
    reading: "ReadOptions",
    alpha: Annotated[
        float,
        typer.Option(help="Idleness α of Ollivier-Ricci curvature, from 0 to 1; the paper uses 0.999."),
    ] = 0.5,
    seed: Seed = 0,
) -> None:
    """Draw a graph whose edges and nodes are coloured by Ollivier-Ricci curvature.

    An embedding in the plane places the nodes.

    Example: riemap plot graph karate --out karate.png
    """
    with refusing():
        from riemap.curvature import ollivier_ricci
        from riemap.plots import network
        from riemap.runs import embed

        check_figure(out)
        opened = open_with_edges(graph, reading, "the figure")
        with stage_progress(opened.name) as stage:
            curvature = ollivier_ricci(opened, alpha, progress=stage("Ricci curvature")).curvature
        with telling(f"{opened.name}: placing the nodes", opened.n):
            fit = embed(opened, "E2", loss=LAYOUT_LOSS, seed=seed)
        ax = network(
            opened, fit.embedding.points[0], curvature, label=f"Ollivier-Ricci curvature, α = {alpha:g}"
        )
        write_figure(ax.figure, out)


@app.command()
@takes_read_options
def graphs(
    graphs: Annotated[
        list[str],
        typer.Argument(
            metavar="GRAPH...", help="Files of edges, names of datasets, or generators.", show_default=False
        ),
    ],
    out: Out,
    reading: "ReadOptions",
    seed: Seed = 0,
) -> None:
    """Draw degrees, sectional curvatures and δ-hyperbolicity of several graphs side by side.

    Example: riemap plot graphs karate les-miserables "tree(r=4,h=5)" --out graphs.png
    """
    with refusing():
        from riemap.curvature import delta_sampled, sectional
        from riemap.plots import summaries

        check_figure(out)
        opened = [open_with_edges(text, reading, "the figure") for text in graphs]
        with telling("computing curvature", max(g.n for g in opened)):
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
            metavar="RUN...",
            help="Folders that riemap embed wrote, or .npz files with embeddings.",
            show_default=False,
        ),
    ],
    out: Out,
    triples: Annotated[int, typer.Option(help="Number of random triangles in each embedding.")] = 10_000,
    seed: Seed = 0,
) -> None:
    """Draw the angle sums of triangles of several embeddings side by side.

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
            help="Which samples: compact (spaces S, Gr, SO), noncompact (spaces E, H, SPD), or bias (uniform "
            "samples beside samples through the exponential map)."
        ),
    ],
    out: Out,
    points: Points = 1000,
    seed: Seed = 0,
) -> None:
    """Draw random points of curved spaces, or statistics of the graphs that link close points.

    Example: riemap plot samples noncompact --out noncompact.pdf
    """
    with refusing():
        from riemap.paper import samples as drawn
        from riemap.plots import clouds, sample_panels

        check_figure(out)
        one_of("KIND", kind, (*drawn.PANELS, "bias"))
        with telling("drawing samples"):
            figure = (
                clouds(drawn.bias(points, seed))
                if kind == "bias"
                else sample_panels(drawn.panel(kind, points, seed))
            )
        write_figure(figure, out)
