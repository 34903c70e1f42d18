"""``riemap describe``: size, degrees, distances and curvature of a graph."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from riemap.cli.arguments import AsJson, GraphText, RequireConnected, Undirected
from riemap.cli.inputs import open_component
from riemap.cli.messages import refusing
from riemap.cli.output import new_console, print_json
from riemap.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from riemap.graphs import AnyGraph

MAX_HISTOGRAM_LINES = 20
"""Most lines of a histogram, so that it fits a terminal; with more values, neighbouring ones share a line."""

HISTOGRAM_LABEL_WIDTH = 8
"""Characters of the first column of a histogram."""


def describe(
    graph: GraphText,
    undirected: Undirected = False,
    require_connected: RequireConnected = False,
    curvature: Annotated[
        bool, typer.Option("--curvature", help="Show δ-hyperbolicity, Ricci and sectional curvatures too.")
    ] = False,
    alpha: Annotated[
        float | None,
        typer.Option(
            help="Idleness α of Ollivier-Ricci curvature, from 0 to 1; 1 is the limit α → 1. [default: 0.5]",
            show_default=False,
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Compute the largest δ over all quadruples; this may take minutes."),
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(help="Seed for the random samples of curvature. [default: 0]", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the size of a graph, its degrees, the distances between its nodes, and its curvature.

    Example: riemap describe karate --curvature
    """
    with refusing():
        if not curvature and (exact or alpha is not None or seed is not None):
            raise InputError("--alpha, --exact and --seed are options of --curvature; add --curvature")

        opened = open_component(graph, undirected=undirected, require_connected=require_connected)
        facts = describe_graph(opened)
        if curvature:
            from riemap.cli.curvature import curvature_facts

            facts |= curvature_facts(opened, 0.5 if alpha is None else alpha, seed or 0, exact)
    if as_json:
        print_json(facts)
    else:
        _show(facts)


def describe_graph(graph: "AnyGraph") -> dict[str, Any]:
    """Compute what ``riemap describe`` shows, except curvature."""
    import numpy as np

    from riemap.distances import spread
    from riemap.graphs import Graph

    lengths, counts, mean, exact = spread(graph)
    facts: dict[str, Any] = {"graph": graph.name, "n": graph.n}
    if isinstance(graph, Graph):
        degrees = graph.degrees
        facts |= {
            "m": graph.m,
            "weighted": graph.weights is not None,
            "degree": {
                "min": int(degrees.min()),
                "median": float(np.median(degrees)),
                "mean": float(degrees.mean()),
                "max": int(degrees.max()),
            },
        }
    return facts | {
        "diameter": lengths[-1].item(),
        "mean_distance": mean,
        "distances": {"values" if exact else "up_to": lengths.tolist(), "pairs": counts.tolist()},
    }


def _show(facts: dict[str, Any]) -> None:
    console = new_console(soft_wrap=True)
    kind = "points" if "m" not in facts else "nodes"
    size = f"{facts['n']} {kind}" + (f", {facts['m']} edges" if "m" in facts else ", no edges")
    unit = " hops" if facts.get("weighted") is False else ""
    lines = [(facts["graph"], size + (", weighted" if facts.get("weighted") else ""))]
    if "degree" in facts:
        d = facts["degree"]
        spread = f"{d['min']} to {d['max']}, median {d['median']:g}, mean {d['mean']:.2f}"
        lines.append(("degree", spread))
    lines.append(("diameter", f"{facts['diameter']:g}{unit}"))
    lines.append(("mean distance", f"{facts['mean_distance']:.2f}{unit}"))
    width = max(len(heading) for heading, _ in lines[1:])
    console.print(f"{lines[0][0]}: {lines[0][1]}", style="bold")
    for heading, text in lines[1:]:
        console.print(f"{heading:{width}}  {text}")
    distances, delta = facts["distances"], facts.get("delta")
    _histogram(console, "hops" if unit else "distance", f"pairs of {kind}", distances, distances["pairs"])
    if delta is not None:
        from riemap.cli.curvature import curvature_lines

        _histogram(console, "δ", "random quadruples", delta, delta["counts"])
        console.print("\n" + "\n".join(curvature_lines(facts)))


def _histogram(
    console: "Console", heading: str, counted: str, facts: dict[str, Any], counts: list[int]
) -> None:
    console.print(f"\n{heading:>{HISTOGRAM_LABEL_WIDTH}}   {counted}")
    room = max(min(console.width - HISTOGRAM_LABEL_WIDTH - 21, 24), 1)
    for label, count, share, longest in _bars(facts, counts):
        bar = "█" * round(room * longest) or "▏"
        console.print(f"{label:>{HISTOGRAM_LABEL_WIDTH}}  {count:>10}  {_percent(share):>4}  {bar}")


def _bars(facts: dict[str, Any], counts: list[int]) -> list[tuple[str, int, float, float]]:
    """Label, count, share of all, and length relative to the longest bar, for each line of a histogram."""
    values = facts.get("values")
    labels = [f"≤ {v:.4g}" for v in facts["up_to"]] if values is None else [f"{v:.4g}" for v in values]
    step = -(-len(labels) // MAX_HISTOGRAM_LINES)
    groups = [(labels[i : i + step], sum(counts[i : i + step])) for i in range(0, len(labels), step)]
    most, total = max(count for _, count in groups), sum(counts)
    return [
        (names[0] if len(names) == 1 else f"{names[0]}–{names[-1]}", count, count / total, count / most)
        for names, count in groups
    ]


def _percent(share: float) -> str:
    return "<1%" if 0.0 < share < 0.005 else f"{share:.0%}"
