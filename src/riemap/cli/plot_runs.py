"""``riemap plot``: figures of an embedding, of how faithful it is, and of its training."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from riemap.cli.arguments import Force, Labels, RunPath, takes_read_options
from riemap.cli.figures import Out, check_figure, write_figure
from riemap.cli.inputs import open_graph_of
from riemap.cli.messages import one_of, refusing
from riemap.cli.progress import telling
from riemap.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from riemap.embeddings import Embedding
    from riemap.graphs import AnyGraph, ReadOptions
    from riemap.metrics.comparison import Comparison
    from riemap.plots import Colouring

NODE_COLOURS = ("degree", "distortion", "ricci", "none")

GraphOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--graph", "-g", help="The graph that was embedded, if RUN does not tell.", show_default=False
    ),
]


@takes_read_options
def embedding(
    run: RunPath,
    out: Out,
    reading: "ReadOptions",
    graph: GraphOption = None,
    colour: Annotated[
        str,
        typer.Option(
            help=f"What colours the nodes: {', '.join(NODE_COLOURS)}, or an attribute of the graph's nodes."
        ),
    ] = "degree",
    labels: Labels = None,
    origin: Annotated[
        str | None,
        typer.Option(
            "--from", help="Colour nodes by their distance from this one in the graph.", show_default=False
        ),
    ] = None,
    names: Annotated[
        int, typer.Option(min=0, help="Number of nodes to name, those with the most neighbours.")
    ] = 0,
    force: Force = False,
) -> None:
    """Draw an embedding: a disk, a ball, a globe, a cone; a picture for each factor of a product.

    Example: riemap plot embedding karate-h2 --colour ricci --out karate-h2.pdf
    """
    with refusing():
        from riemap.graphs.groups import read_groups
        from riemap.plots import embedding as drawn
        from riemap.plots.style import pyplot

        check_figure(out)
        pyplot()  # before anything is computed
        embedded, opened = _opened(run, graph, reading, force, "embedding")
        one_of("--colour", colour, (*NODE_COLOURS, *getattr(opened, "attributes", ())))
        if labels is not None and origin is not None:
            raise InputError("--labels and --from both colour the nodes; give one of them")
        if labels is not None:
            from riemap.plots import Colouring

            colouring: Colouring | None = Colouring(labels.stem, groups=read_groups(labels, opened))
        elif origin is not None:
            colouring = _distances(origin, embedded, opened)
        else:
            with telling(f"{opened.name}: computing the colours of the nodes", opened.n):
                colouring = _colouring(colour, embedded, opened)
        write_figure(drawn(embedded, opened, colouring=colouring, names=names), out, cropped=True)


@takes_read_options
def f1(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...", help="Folders of runs of one graph, or .npz files.", show_default=False
        ),
    ],
    out: Out,
    reading: "ReadOptions",
    graph: GraphOption = None,
    force: Force = False,
) -> None:
    """Draw F1@k for k = 1, 2, … hops over the share of pairs that are k hops apart.

    Example: riemap plot f1 karate-h2 karate-s2 --out f1.pdf
    """
    with refusing():
        import numpy as np

        from riemap.metrics import evaluate
        from riemap.metrics.curves import Curves
        from riemap.plots import f1_curve
        from riemap.plots.style import set_title

        check_figure(out)
        scores, name = {}, ""
        for run in runs:
            embedded, opened = _opened(run, graph, reading, force, "f1")
            if name not in ("", opened.name):
                raise InputError(f"{runs[0]} is of {name} and {run} of {opened.name}; one figure, one graph")
            name = opened.name
            space = str(embedded.space)
            with telling(f"{opened.name}: scoring {run}", opened.n):
                found = evaluate(embedded, opened)
            scores[space if space not in scores else f"{space} ({run.stem})"] = found
        layers = np.array(next(iter(scores.values())).layers, float)
        curves = Curves(
            {key: np.array(found.f1_curve) for key, found in scores.items()}, layers / layers.sum()
        )
        write_figure(set_title(f1_curve(curves), name).figure, out)


@takes_read_options
def distances(
    run: RunPath,
    out: Out,
    reading: "ReadOptions",
    graph: GraphOption = None,
    force: Force = False,
) -> None:
    """Draw distances in the graph against those in the embedding.

    Example: riemap plot distances karate-h2 --out distances.pdf
    """

    def drawn(compared: "Comparison") -> "Axes":
        from riemap.metrics.pairs import density
        from riemap.plots import distances

        hops = compared.graph is not None and compared.graph.weights is None
        return distances(density(compared), unit="hops" if hops else "lengths")

    _draw_comparison(run, out, graph, reading, force, "distances", drawn)


@takes_read_options
def distortion(
    run: RunPath,
    out: Out,
    reading: "ReadOptions",
    graph: GraphOption = None,
    force: Force = False,
) -> None:
    """Draw how many nodes have which distortion, the mean of |d/δ − 1| over their pairs.

    Example: riemap plot distortion karate-h2 --out distortion.pdf
    """

    def drawn(compared: "Comparison") -> "Axes":
        from riemap.metrics.pairs import pair_report
        from riemap.plots import distribution

        return distribution(pair_report(compared).distortion, label="mean distortion of the pairs of a node")

    _draw_comparison(run, out, graph, reading, force, "distortion", drawn)


def _draw_comparison(
    run: Path,
    out: Path,
    graph: str | None,
    reading: "ReadOptions",
    force: bool,
    verb: str,
    drawn: "Callable[[Comparison], Axes]",
) -> None:
    """Draw something about the distances of a graph and those of its embedding."""
    with refusing():
        from riemap.metrics.scores import compare
        from riemap.plots.style import set_title

        check_figure(out)
        embedded, opened = _opened(run, graph, reading, force, verb)
        with telling(f"{opened.name}: comparing distances", opened.n):
            ax = drawn(compare(embedded, opened))
        write_figure(set_title(ax, f"{opened.name} in {embedded.space}").figure, out)


@takes_read_options
def curvature(
    run: RunPath,
    out: Out,
    reading: "ReadOptions",
    graph: GraphOption = None,
    force: Force = False,
) -> None:
    """Draw how the graph curves, and the embedding: Ricci curvature of edges, sums of angles of triangles.

    Example: riemap plot curvature karate-h2 --out curvature.pdf
    """
    with refusing():
        from riemap.curvature import ollivier_ricci
        from riemap.curvature.geodesic_triangles import angle_sums
        from riemap.graphs import Graph
        from riemap.plots import curvature as drawn

        check_figure(out)
        embedded, opened = _opened(run, graph, reading, force, "curvature")
        if not isinstance(opened, Graph):
            raise InputError(f"{opened.name} is a matrix of dissimilarities; only edges have Ricci curvature")
        with telling(f"{opened.name}: computing curvature", opened.n):
            ricci, sums = ollivier_ricci(opened).curvature, angle_sums(embedded).values
        write_figure(drawn((opened.name, ricci), (f"its embedding in {embedded.space}", sums)), out)


def history(run: RunPath, out: Out) -> None:
    """Draw the loss and the learning rate of every epoch of a run.

    Example: riemap plot history karate-h2 --out history.pdf
    """
    with refusing():
        from riemap.plots import history as drawn
        from riemap.plots.style import set_title
        from riemap.runs import RunFolder, load_embedding
        from riemap.runs.opening import run_config, training_setting

        check_figure(out)
        if not run.is_dir():
            load_embedding(run)
            raise InputError(f"{run} is an embedding, which has no history; name the folder of its run")
        records = RunFolder(run).history()
        if not records:
            raise InputError(f"{run} holds no history.csv; 'riemap embed GRAPH --out {run}' puts one there")
        config = run_config(run)
        ax = drawn(records, losses=training_setting(config)["stages"])
        title = f"{config.get('graph', run.stem)} in {config.get('space', '?')}"
        write_figure(set_title(ax, title).figure, out)


def _opened(
    run: Path, graph: str | None, reading: "ReadOptions", force: bool, verb: str
) -> "tuple[Embedding, AnyGraph]":
    from riemap.runs import load_embedding

    embedded = load_embedding(run)
    opened = open_graph_of(run, graph, reading, f"riemap plot {verb} {{run}} --graph {{graph}}", force)
    return embedded.aligned_to(opened), opened


def _distances(node: str, embedded: "Embedding", graph: "AnyGraph") -> "Colouring":
    """Colour nodes by their distance from one of them in the graph."""
    from riemap.distances import shortest_paths
    from riemap.graphs import Graph
    from riemap.plots import Colouring

    (number,) = embedded.row_numbers([node])
    unit = "hops" if isinstance(graph, Graph) and graph.weights is None else "distance"
    return Colouring(f"{unit} from {node}", shortest_paths(graph)[number].astype(float))


def _colouring(colour: str, embedded: "Embedding", graph: "AnyGraph") -> "Colouring | None":
    from riemap.graphs import Graph
    from riemap.plots import Colouring

    if colour == "none":
        return None
    if colour not in NODE_COLOURS:
        from riemap.graphs.groups import attribute_values

        found = attribute_values(graph, colour)
        return Colouring(colour, groups=found) if isinstance(found, list) else Colouring(colour, found)
    if colour == "distortion" or not isinstance(graph, Graph):
        from riemap.metrics.pairs import pair_report
        from riemap.metrics.scores import compare

        return Colouring("distortion", pair_report(compare(embedded, graph)).distortion)
    if colour == "ricci":
        from riemap.curvature import ollivier_ricci

        return Colouring("Ollivier-Ricci curvature", ollivier_ricci(graph).node_means, signed=True)
    return Colouring("degree", graph.degrees.astype(float))
