"""``riemap describe``: what a graph is like."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riemap.cli.arguments import AsJson, GraphText, RequireConnected, Undirected
from riemap.cli.messages import refusing
from riemap.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from riemap.graphs import Dissimilarities, Graph

BARS = 20
"""Most lines of a histogram; more distances than that are taken together."""

LABEL = 8
"""Width of the first column of it."""


def describe(
    graph: GraphText,
    undirected: Undirected = False,
    require_connected: RequireConnected = False,
    curvature: Annotated[
        bool, typer.Option("--curvature", help="Add δ-hyperbolicity, Ricci and sectional curvatures.")
    ] = False,
    alpha: Annotated[
        float | None,
        typer.Option(
            help="Ricci curvature: the share of mass that stays, 0 to 1; 1 is the limit. [default: 0.5]",
            show_default=False,
        ),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Find the largest δ of all quadruples; this may take minutes.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(help="Of what is drawn at random for curvatures. [default: 0]", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show how large a graph is, its degrees, how far its nodes are from each other, and how curved it is.

    Example: riemap describe karate --curvature
    """
    with refusing():
        if not curvature and (exact or alpha is not None or seed is not None):
            raise InputError("--alpha, --exact and --seed are about curvature; add --curvature")

        from riemap.graphs import open_graph

        opened = open_graph(
            graph, undirected=undirected, component="error" if require_connected else "largest"
        )
        facts = describe_graph(opened)
        if curvature:
            from riemap.cli.curvature import curvatures

            facts |= curvatures(opened, 0.5 if alpha is None else alpha, seed or 0, exact)
    if as_json:
        typer.echo(json.dumps(facts, allow_nan=False, ensure_ascii=False))
    else:
        _show(facts)


def describe_graph(graph: "Graph | Dissimilarities") -> dict[str, Any]:
    """Everything that is shown, as numbers."""
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
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
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
        from riemap.cli.curvature import lines as rows

        _histogram(console, "δ", "random quadruples", delta, delta["counts"])
        console.print("\n" + "\n".join(rows(facts)))


def _histogram(console: "Console", heading: str, of: str, facts: dict[str, Any], counts: list[int]) -> None:
    console.print(f"\n{heading:>{LABEL}}   {of}")
    room = max(min(console.width - LABEL - 21, 24), 1)
    for label, count, share, longest in _bars(facts, counts):
        bar = "█" * round(room * longest) or "▏"
        console.print(f"{label:>{LABEL}}  {count:>10}  {_percent(share):>4}  {bar}")


def _bars(facts: dict[str, Any], counts: list[int]) -> list[tuple[str, int, float, float]]:
    """Label, number, share, and length against the longest, of each line of the histogram."""
    values = facts.get("values")
    labels = [f"≤ {v:.4g}" for v in facts["up_to"]] if values is None else [f"{v:.4g}" for v in values]
    step = -(-len(labels) // BARS)
    groups = [(labels[i : i + step], sum(counts[i : i + step])) for i in range(0, len(labels), step)]
    most, total = max(count for _, count in groups), sum(counts)
    return [
        (names[0] if len(names) == 1 else f"{names[0]}–{names[-1]}", count, count / total, count / most)
        for names, count in groups
    ]


def _percent(share: float) -> str:
    return "<1%" if 0.0 < share < 0.005 else f"{share:.0%}"
