"""``riemap evaluate``: how faithful an embedding is to its graph."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from riemap.cli.arguments import AsJson, Force, RunPath, takes_read_options
from riemap.cli.inputs import open_graph_of
from riemap.cli.messages import refusing
from riemap.cli.output import new_console, new_table, print_json
from riemap.cli.progress import telling
from riemap.cli.triangles import measure_triangles, show_triangles

if TYPE_CHECKING:
    from riemap.graphs import ReadOptions
    from riemap.metrics import Scores

MAX_CURVE_LINES = 20
"""Most lines of the F1@k curve, so that it fits a terminal; a longer curve skips layers at equal steps."""


@takes_read_options
def evaluate(
    run: RunPath,
    reading: "ReadOptions",
    graph: Annotated[
        str | None,
        typer.Argument(
            metavar="GRAPH",
            help="The graph that was embedded; needed for an .npz file, and if the graph has moved.",
            show_default=False,
        ),
    ] = None,
    sources: Annotated[
        int | None,
        typer.Option(
            help="Estimate the scores from this many random nodes; by default, all nodes of graphs up to "
            "10,000 nodes, and 64 to 2,000 of larger ones."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for drawing the nodes and the triangles.")] = 0,
    curvature: Annotated[
        bool,
        typer.Option(
            "--curvature", help="Show how the space curves around the nodes, measured on random triangles."
        ),
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Score how well the distances of an embedding match those of its graph.

    Example: riemap evaluate karate-h2
    """
    with refusing():
        from riemap.metrics import evaluate as score
        from riemap.runs import load_embedding

        loaded = load_embedding(run)
        opened = open_graph_of(run, graph, reading, "riemap evaluate {run} {graph}", force)
        started = time.perf_counter()
        with telling(f"{opened.name}: scoring {opened.n} nodes", opened.n):
            scores = score(loaded, opened, sources=sources, seed=seed)
        seconds = time.perf_counter() - started
        curved = measure_triangles(loaded, seed)[1] if curvature else None
    if as_json:
        facts = {"graph": opened.name, "space": str(loaded.space), "dim": loaded.space.dim}
        facts |= {"loss": None, "seconds": round(seconds, 3), **scores.as_json()}
        facts |= {} if curved is None else {"curvature": curved}
        print_json(facts)
    else:
        typer.echo(f"{opened.name} in {loaded.space} ({loaded.space.dim} dimensions)")
        show_scores(scores)
        if curved is not None:
            show_triangles(curved)


def show_scores(scores: "Scores") -> None:
    """Print a table of all metrics, and a table of F1@k by layer."""
    from riemap.metrics import METRICS

    console = new_console()
    if scores.sources < scores.n:
        console.print(f"estimated from {scores.sources} of {scores.n} nodes, ± one standard error")
    table = new_table("Metric", "Value", "Best", "What it is", right=("Value", "Best"))
    for m in METRICS:
        best = "100%" if m.percent else "1" if m.best == "high" or m.extreme else "0"
        error = scores.errors.get(m.name)
        value = m.text(scores[m.name]) + ("" if error is None else f" ± {m.text(error)}")
        table.add_row(m.name, value, best, m.title)
    console.print(table)
    console.print()
    curve = new_table("k", "F1@k", "Pairs", "", right=("k", "F1@k", "Pairs"))
    for k, f1, pairs in _curve_rows(scores):
        curve.add_row(k, f"{f1:.2%}", str(pairs), "█" * round(24 * f1) or "▏")
    console.print(curve)


def _curve_rows(scores: "Scores") -> list[tuple[str, float, int]]:
    """Layer, F1@k and number of pairs, for at most ``MAX_CURVE_LINES`` layers at equal steps."""
    step = -(-len(scores.layers) // MAX_CURVE_LINES)
    rows = zip(scores.f1_curve, scores.layers, strict=True)
    return [(str(k + 1), f1, pairs) for k, (f1, pairs) in enumerate(rows) if k % step == 0]
