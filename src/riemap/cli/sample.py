"""``riemap sample``: points of a space, and the graphs of those that are near each other."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riemap.cli.arguments import AsJson
from riemap.cli.messages import refusing
from riemap.cli.triangles import measured, show_measured
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.embeddings import Embedding
    from riemap.graphs import Graph
    from riemap.random_graphs import ThresholdGraph
    from riemap.types import Array

PAIRS = 500
"""Most pairs of neighbours of one node in whose directions curvature is measured; dense graphs have many."""

QUARTILES = ("q25", "median", "q75")
COLUMNS = (
    "threshold",
    "edges",
    *(f"degree_{q}" for q in QUARTILES),
    "nodes",
    *(f"sectional_{q}" for q in QUARTILES),
)
"""Of the table of thresholds. Degrees are of all points, the last four of the largest component."""


def sample(
    space: Annotated[
        str,
        typer.Argument(
            metavar="SPACE", help="Where to draw from, such as H3 or 'H2 x S2'.", show_default=False
        ),
    ],
    out: Annotated[Path, typer.Option(help="A new folder for the results.", show_default=False)],
    n: Annotated[int, typer.Option("--n", help="How many points.")] = 1000,
    radius: Annotated[
        float | None,
        typer.Option(help="Of the ball to draw from, 1 unless given; a compact space is drawn from whole."),
    ] = None,
    how: Annotated[
        str,
        typer.Option(help="uniform by volume; or exp: exponentials of tangents uniform in a ball."),
    ] = "uniform",
    thresholds: Annotated[int, typer.Option(help="At how many distances to link points.")] = 10,
    seed: Annotated[int, typer.Option(help="The same seed gives the same files.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Draw points from a space, link those that are near, and show how degrees and curvature change.

    Writes points.npz, angles.csv (normalised sums of angles of triangles of points) and summary.csv (a line
    for each threshold) to a new folder.

    Example: riemap sample H3 --radius 5 --out h3
    """
    with refusing():
        from riemap.random_graphs import check_memory, distance_matrix, is_compact, sample, threshold_graphs
        from riemap.random_graphs import thresholds as levels

        if n < 3:
            raise InputError(f"n={n} points make no triangle; give 3 or more, e.g. 1000")
        check_memory(n)
        if out.exists():
            raise InputError(f"{out} exists; name a folder that is new")
        points = sample(space, n, radius, how, seed)
        distances = distance_matrix(points)
        swept = threshold_graphs(distances, levels(points, distances, thresholds, radius))
        rows = [_row(linked, seed) for linked in swept]
        sums, curvature = measured(points, seed)
        _write(out, points, sums, rows)
        ball = how == "exp" or not is_compact(points.space)
    facts = {"space": str(points.space), "dim": points.space.dim, "n": n, "how": how}
    facts |= {
        "radius": (radius or 1.0) if ball else None,
        "seed": seed,
        "curvature": curvature,
        "thresholds": rows,
    }
    if as_json:
        typer.echo(json.dumps(facts, allow_nan=False, ensure_ascii=False))
    else:
        _show(facts, out)


def _sectional(graph: "Graph", seed: int) -> "Array":
    """Curvatures of a graph, at all nodes in the directions of some of their neighbours."""
    from riemap.curvature import sectional

    return sectional(graph, pairs=PAIRS, seed=seed).values


def _row(linked: "ThresholdGraph", seed: int) -> dict[str, Any]:
    import numpy as np

    def quartiles(name: str, values: Any) -> dict[str, float | None]:
        found = None if values is None else np.quantile(values, (0.25, 0.5, 0.75)).tolist()
        return {f"{name}_{q}": None if found is None else found[i] for i, q in enumerate(QUARTILES)}

    curvature = None if linked.component is None else _sectional(linked.component, seed)
    degrees, sectional = quartiles("degree", linked.degrees), quartiles("sectional", curvature)
    row = {
        "threshold": linked.threshold,
        "edges": linked.edges,
        "nodes": linked.nodes,
        **degrees,
        **sectional,
    }
    return {column: row[column] for column in COLUMNS}


def _write(out: Path, points: "Embedding", sums: "Array", rows: list[dict[str, Any]]) -> None:
    points.save(out / "points.npz")
    _write_text(out / "angles.csv", ["angle_sum", *map(repr, sums.tolist())])
    lines = [",".join("" if v is None else repr(v) for v in row.values()) for row in rows]
    _write_text(out / "summary.csv", [",".join(COLUMNS), *lines])


def _write_text(path: Path, lines: list[str]) -> None:
    from riemap.files import written_whole

    with written_whole(path) as file:
        file.write(("\n".join(lines) + "\n").encode())


def _show(facts: dict[str, Any], out: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False, emoji=False)
    title = f"{facts['n']} points of {facts['space']} ({facts['dim']} dimensions), {facts['how']}"
    console.print(f"{title}, seed {facts['seed']}")
    show_measured(facts["curvature"])
    console.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("Nearer than", "Edges", "Degree", "(quartiles)", "Nodes", "Sectional", "(quartiles)"):
        table.add_column(heading, justify="right")
    for row in facts["thresholds"]:
        table.add_row(
            f"{row['threshold']:.4g}",
            str(row["edges"]),
            *_median(row, "degree", "g"),
            str(row["nodes"]),
            *_median(row, "sectional", ".3f"),
        )
    console.print(table)
    console.print(
        f"\nNodes and sectional curvature are of the largest component. Files: {out}", soft_wrap=True
    )


def _median(row: dict[str, Any], name: str, form: str) -> tuple[str, str]:
    low, middle, high = (row[f"{name}_{q}"] for q in QUARTILES)
    return ("–", "") if middle is None else (f"{middle:{form}}", f"{low:{form}} to {high:{form}}")
