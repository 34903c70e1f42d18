"""``riemap evaluate``: how faithful an embedding is."""

import json
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from riemap.cli.arguments import AsJson, GraphText, RequireConnected, Undirected
from riemap.cli.messages import refusing
from riemap.cli.triangles import measured, show_measured

if TYPE_CHECKING:
    from riemap.metrics import Scores


def evaluate(
    embedding: Annotated[
        Path,
        typer.Argument(
            metavar="EMBEDDING", help="An embedding, the .npz file that riemap saved.", show_default=False
        ),
    ],
    graph: GraphText,
    sources: Annotated[
        int | None,
        typer.Option(
            help="Score what this many nodes see, drawn at random; all by default up to 10,000 nodes."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of that draw, and of triangles.")] = 0,
    curvature: Annotated[
        bool, typer.Option("--curvature", help="Show how the space curves around the nodes, by triangles.")
    ] = False,
    undirected: Undirected = False,
    require_connected: RequireConnected = False,
    as_json: AsJson = False,
) -> None:
    """Compare the distances of an embedding with those of its graph.

    Example: riemap evaluate karate-h2.npz karate
    """
    with refusing():
        from riemap.graphs import open_graph
        from riemap.metrics import evaluate as score
        from riemap.runs import load_embedding

        loaded = load_embedding(embedding)
        opened = open_graph(
            graph, undirected=undirected, component="error" if require_connected else "largest"
        )
        started = time.perf_counter()
        scores = score(loaded, opened, sources=sources, seed=seed)
        seconds = time.perf_counter() - started
        curved = measured(loaded, seed)[1] if curvature else None
    if as_json:
        facts = {"graph": opened.name, "space": str(loaded.space), "dim": loaded.space.dim}
        facts |= {"loss": None, "seconds": round(seconds, 3), **scores.as_json()}
        facts |= {} if curved is None else {"curvature": curved}
        typer.echo(json.dumps(facts, allow_nan=False, ensure_ascii=False))
    else:
        typer.echo(f"{opened.name} in {loaded.space} ({loaded.space.dim} dimensions)")
        show_scores(scores)
        if curved is not None:
            show_measured(curved)


def show_scores(scores: "Scores") -> None:
    """Every metric, and F1@k layer by layer."""
    from rich.console import Console
    from rich.table import Table

    from riemap.metrics import METRICS

    console = Console(highlight=False, markup=False, emoji=False)
    if scores.sources < scores.n:
        console.print(f"estimated from {scores.sources} of {scores.n} nodes, ± one standard error")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("Metric")
    table.add_column("Value", justify="right")
    table.add_column("Best", justify="right")
    table.add_column("What it is")
    for m in METRICS:
        best = "1" if m.best == "high" or m.extreme else "0"
        table.add_row(m.name, _value(scores[m.name], scores.errors.get(m.name)), best, m.title)
    console.print(table)
    console.print()
    curve = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("k", "F1@k", "Pairs"):
        curve.add_column(name, justify="right")
    curve.add_column("")
    for k, f1, pairs in _thinned(scores):
        curve.add_row(k, f"{f1:.4f}", str(pairs), "█" * round(24 * f1) or "▏")
    console.print(curve)


def _value(value: float | None, error: float | None) -> str:
    if value is None:
        return "–"
    text = "∞" if math.isinf(value) else f"{value:.4f}" if value < 1000.0 else f"{value:.4g}"
    return text if error is None else f"{text} ± {error:.4f}"


def _thinned(scores: "Scores", most: int = 20) -> list[tuple[str, float, int]]:
    """The curve in at most so many lines: the first layers, and every so many of the others."""
    step = -(-len(scores.layers) // most)
    rows = zip(scores.f1_curve, scores.layers, strict=True)
    return [(str(k + 1), f1, pairs) for k, (f1, pairs) in enumerate(rows) if k % step == 0]
