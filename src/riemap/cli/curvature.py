"""Curvatures for ``riemap describe``: measured, with progress on stderr, and as lines of a table."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from riemap.curvature.summary import Progress as Told
    from riemap.graphs import Dissimilarities, Graph

PATIENCE = 5.0
"""Seconds between two lines of progress where there is no terminal."""

QUARTILES = ("mean", "min", "q25", "median", "q75", "max")


def curvatures(
    graph: "Graph | Dissimilarities", alpha: float, seed: int, exact: bool
) -> dict[str, dict[str, Any] | None]:
    """Everything about curvature that is shown, as numbers; what needs edges is ``None`` without them."""
    from riemap.curvature import delta_exact, delta_sampled, ollivier_ricci, sectional
    from riemap.graphs import Graph

    facts: dict[str, dict[str, Any] | None] = {"delta": None, "ricci": None, "sectional": None}
    with _stages(graph.name) as stage:
        if isinstance(graph, Graph):
            ricci = ollivier_ricci(graph, alpha, progress=stage("Ricci curvature"))
            facts["ricci"] = {"alpha": alpha, "limit": alpha == 1.0, **ricci.summary._asdict()}
            found = sectional(graph, seed=seed, progress=stage("sectional curvature"))
            if found.summary is not None:
                sizes = {"pairs": len(found.values), "drawn_at": len(found.drawn), "seed": seed}
                facts["sectional"] = {**found.summary._asdict(), **sizes}
        delta = delta_sampled(graph, seed=seed)
        facts["delta"] = {
            "mean": delta.mean,
            "se": delta.se,
            "max": delta.max,
            "exact": delta_exact(graph, progress=stage("exact δ")) if exact else None,
            "samples": delta.samples,
            "seed": seed,
            "up_to" if delta.ranges else "values": delta.values.tolist(),
            "counts": delta.counts.tolist(),
        }
    return facts


def lines(facts: dict[str, Any]) -> list[str]:
    """The same as a table."""
    delta, ricci, sectional = facts["delta"], facts["ricci"], facts["sectional"]
    text = f"δ-hyperbolicity  mean {delta['mean']:.4f} ± {delta['se']:.4f}, "
    text += f"largest {delta['max']:g} of {delta['samples']:,} random quadruples"
    rows = [text + ("" if delta["exact"] is None else f", {delta['exact']:g} of all")]
    if "m" not in facts:
        return [*rows, "Ricci and sectional curvatures need a graph; dissimilarities have no edges"]
    limit = "limit α → 1" if ricci["limit"] else f"α = {ricci['alpha']:g}"
    table = [(f"Ricci, {limit}", ricci), ("sectional", sectional)]
    width = max(len(name) for name, _ in table)
    rows += ["", " " * width + "".join(f"{name:>9}" for name in QUARTILES)]
    for name, values in table:
        numbers = ("-" if values is None else f"{values[key]:.4f}" for key in QUARTILES)
        rows.append(f"{name:{width}}" + "".join(f"{number:>9}" for number in numbers))
    if sectional is not None and sectional["drawn_at"]:
        rows.append(f"sectional: pairs of neighbours were drawn at {sectional['drawn_at']} nodes with many")
    return rows


@contextmanager
def _stages(title: str) -> "Iterator[Callable[[str], Told]]":
    """Gives for each stage of the work a callback that shows how far it is."""
    if not sys.stderr.isatty():
        yield lambda stage: _now_and_then(f"{title}: {stage}")
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=20), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:

        def stage(name: str) -> "Told":
            task = bar.add_task(f"{title}: {name}", total=1.0)

            def callback(share: float) -> None:
                bar.update(task, completed=share)

            return callback

        yield stage


def _now_and_then(stage: str) -> "Told":
    """A line on stderr every few seconds."""
    last = time.monotonic()

    def callback(share: float) -> None:
        nonlocal last
        if share < 1.0 and time.monotonic() - last > PATIENCE:
            last = time.monotonic()
            typer.echo(f"{stage}, {share:.0%}", err=True)

    return callback
