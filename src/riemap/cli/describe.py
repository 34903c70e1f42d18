"""``riemap describe``: size, degrees, distances and curvature of a graph."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from riemap.cli.arguments import AsJson, GraphText, takes_read_options
from riemap.cli.inputs import open_any
from riemap.cli.messages import refusing
from riemap.cli.output import new_console, print_json
from riemap.cli.progress import stage_progress, telling
from riemap.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.console import Console

    from riemap.distances import SampledSpread
    from riemap.graphs import AnyGraph, ReadOptions

MAX_HISTOGRAM_LINES = 20
"""Most lines of a histogram, so that it fits a terminal; with more values, neighbouring ones share a line."""

HISTOGRAM_LABEL_WIDTH = 8
"""Characters of the first column of a histogram."""

LARGEST_FULLY_DESCRIBED = 25_000
"""Number of nodes up to which distances between all pairs are counted: about fifteen seconds on two cores."""

LARGEST_FULLY_DESCRIBED_WEIGHTED = 5_000
"""The same for graphs with weights, whose shortest paths take longer."""

DEFAULT_SOURCES, MIN_DEFAULT_SOURCES = 512, 16
"""Most and fewest nodes from which the distances in larger graphs are counted: as many as are searched at
once, and as many as a standard error needs."""

SAMPLED_PAIRS, SAMPLED_PAIRS_WEIGHTED = 1 << 27, 1 << 24
"""Number of distances to count in larger graphs, without and with weights: 134 of a million nodes are
searched from in 10 s, and 16 by weighted paths in 30 s."""


@takes_read_options
def describe(
    graph: GraphText,
    reading: "ReadOptions",
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
    sources: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Count the distances from this many random nodes; by default, all nodes of graphs up to "
            "25,000 nodes (5,000 with weights), and 16 to 512 of larger ones.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Seed for the random nodes and samples of curvature. [default: 0]", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the size of a graph, its degrees, the distances between its nodes, and its curvature.

    Example: riemap describe karate --curvature
    """
    with refusing():
        if not curvature and (exact or alpha is not None or (seed is not None and sources is None)):
            raise InputError("--alpha, --exact and --seed are options of --curvature; add --curvature")

        opened = open_any(graph, reading)
        facts, sampled = _graph_facts(opened, sources, seed or 0)
        if curvature:
            from riemap.cli.curvature import curvature_facts, sampled_curvature_facts

            share = 0.5 if alpha is None else alpha
            if sampled is None or fully_described(opened):
                facts |= curvature_facts(opened, share, seed or 0, exact)
            elif exact:
                raise InputError(
                    f"--exact looks at all quadruples, and {opened.n} nodes are too many; leave it out"
                )
            else:
                facts |= sampled_curvature_facts(opened, share, seed or 0, sampled)
    if as_json:
        print_json(facts)
    else:
        _show(facts)


def describe_graph(graph: "AnyGraph", sources: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Compute what ``riemap describe`` shows, except curvature."""
    return _graph_facts(graph, sources, seed)[0]


def _graph_facts(
    graph: "AnyGraph", sources: int | None, seed: int
) -> "tuple[dict[str, Any], SampledSpread | None]":
    """The facts of a graph, and the distances from some nodes if not all were searched from."""
    import numpy as np

    from riemap.distances import sampled_spread, spread
    from riemap.graphs import Graph

    drawn = _drawn(graph, sources, seed)
    what = f"{graph.name}: searching from {graph.n if drawn is None else len(drawn)} nodes"
    with telling(what, graph.n), stage_progress(graph.name) as stage:
        sampled = None if drawn is None else sampled_spread(graph, drawn, stage("distances"))
        found = spread(graph, progress=stage("distances")) if sampled is None else sampled.spread
    lengths, counts, mean, exact = found
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
        if graph.component_numbers[0] > 1:
            facts["components"] = graph.component_numbers[0]
        if graph.attributes:
            facts["attributes"] = list(graph.attributes)
    facts |= {
        "diameter": lengths[-1].item(),
        "mean_distance": mean,
        "distances": {"values" if exact else "up_to": lengths.tolist(), "pairs": counts.tolist()},
    }
    if sampled is not None:
        facts |= {"sources": len(sampled.among), "seed": seed, "sampled": True}
        # Python's int where lengths are hop counts, as elsewhere
        facts["diameter"] = type(facts["diameter"])(sampled.longest)
        if len(sampled.among) > 1:
            facts["mean_distance_se"] = sampled.mean_se
            facts["distances"]["share_se"] = sampled.share_se.tolist()
    return facts, sampled


def fully_described(graph: "AnyGraph") -> bool:
    """Whether the distances between all nodes are counted, unless the user asks for some."""
    from riemap.graphs import Graph

    if not isinstance(graph, Graph):  # a matrix has all distances
        return True
    return graph.n <= (LARGEST_FULLY_DESCRIBED if graph.weights is None else LARGEST_FULLY_DESCRIBED_WEIGHTED)


def _drawn(graph: "AnyGraph", sources: int | None, seed: int) -> "NDArray[np.int64] | None":
    """Draw the nodes whose distances are counted; ``None`` for all nodes. Say first if it will take long."""
    import numpy as np

    from riemap.graphs import Graph
    from riemap.specs import checked_seed

    checked_seed(seed)
    weighted = not isinstance(graph, Graph) or graph.weights is not None
    small = fully_described(graph)
    pairs = SAMPLED_PAIRS_WEIGHTED if weighted else SAMPLED_PAIRS
    default = min(max(pairs // graph.n, MIN_DEFAULT_SOURCES), DEFAULT_SOURCES)
    if sources is None:
        sources = graph.n if small else default
    if not small:
        more = "" if sources > default else f"; --sources {graph.n} takes them all"
        long = ", which may take long; Ctrl-C stops it" if sources > default else ""
        typer.echo(
            f"riemap: counting the distances from {min(sources, graph.n)} of {graph.n} nodes{long}{more}",
            err=True,
        )
    if sources >= graph.n:
        return None
    return np.random.default_rng(seed).choice(graph.n, sources, replace=False)


def _show(facts: dict[str, Any]) -> None:
    console = new_console(soft_wrap=True)
    kind = "points" if "m" not in facts else "nodes"
    size = f"{facts['n']} {kind}" + (f", {facts['m']} edges" if "m" in facts else ", no edges")
    unit = " hops" if facts.get("weighted") is False else ""
    lines = [(facts["graph"], size + (", weighted" if facts.get("weighted") else ""))]
    if facts.get("components", 1) > 1:
        lines.append(("components", f"{facts['components']}; the longest distance is between two of them"))
    if "degree" in facts:
        d = facts["degree"]
        spread = f"{d['min']} to {d['max']}, median {d['median']:g}, mean {d['mean']:.2f}"
        lines.append(("degree", spread))
    sampled = "sources" in facts
    lines.append(("diameter", f"{'at least ' if sampled else ''}{facts['diameter']:g}{unit}"))
    error = f" ± {facts['mean_distance_se']:.2f}" if "mean_distance_se" in facts else ""
    lines.append(("mean distance", f"{facts['mean_distance']:.2f}{error}{unit}"))
    if "attributes" in facts:
        lines.append(("attributes", ", ".join(facts["attributes"])))
    width = max(len(heading) for heading, _ in lines[1:])
    console.print(f"{lines[0][0]}: {lines[0][1]}", style="bold")
    for heading, text in lines[1:]:
        console.print(f"{heading:{width}}  {text}")
    distances, delta = facts["distances"], facts.get("delta")
    counted = f"pairs of {kind}" + (f", from {facts['sources']} random {kind}" if sampled else "")
    _histogram(console, "hops" if unit else "distance", counted, distances, distances["pairs"])
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
