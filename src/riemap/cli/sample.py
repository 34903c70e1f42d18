"""``riemap sample``: random points of a space, and the graphs that link points that are close."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from riemap.cli.arguments import AsJson
from riemap.cli.messages import refusing
from riemap.cli.output import new_console, new_table, print_json
from riemap.cli.progress import stage_progress, telling
from riemap.cli.triangles import measure_triangles, show_triangles
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.embeddings import Embedding
    from riemap.graphs import Graph
    from riemap.random_graphs import ThresholdGraph
    from riemap.types import Array

MAX_THRESHOLDS = 1000
"""Most thresholds, each of which gives a graph: finer steps than a figure can show."""

MAX_PAIRS_PER_NODE = 500
"""Most pairs of neighbours per node for sectional curvature; nodes of dense graphs have many thousands."""

QUARTILE_NAMES = ("q25", "median", "q75")
"""Suffixes of the columns that hold quartiles."""

THRESHOLD_COLUMNS = (
    "threshold",
    "edges",
    *(f"degree_{q}" for q in QUARTILE_NAMES),
    "nodes",
    *(f"sectional_{q}" for q in QUARTILE_NAMES),
)
"""Columns of summary.csv. The last four describe the largest component, the others all points."""


SpaceText: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="SPACE", help="Space to draw points from, such as H3 or 'H2 x S2'.", show_default=False
    ),
]
Radius: TypeAlias = Annotated[
    float | None,
    typer.Option(
        help="Radius of the ball to draw from, 1 by default. Uniform points of a compact space need none."
    ),
]
How: TypeAlias = Annotated[
    str,
    typer.Option(
        help="How to draw points: uniform, by volume; or exp, the exponential map of uniform tangents."
    ),
]
Thresholds: TypeAlias = Annotated[
    int, typer.Option(help="Number of distance thresholds, each of which gives a graph.")
]


def sample(
    space: SpaceText,
    out: Annotated[Path, typer.Option(help="New folder for the results.", show_default=False)],
    n: Annotated[int, typer.Option("--n", help="Number of points.")] = 1000,
    radius: Radius = None,
    how: How = "uniform",
    thresholds: Thresholds = 10,
    seed: Annotated[
        int, typer.Option(help="Seed for all random numbers; the same seed gives the same files.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Draw random points from a space, and show degrees and curvature of the graphs that link close points.

    Writes three files into a new folder: points.npz, angles.csv (normalised angle sums of triangles) and
    summary.csv (a line per threshold).

    Example: riemap sample H3 --radius 5 --out h3
    """
    with refusing():
        from riemap.random_graphs import check_memory, is_compact, sample

        if n < 3:
            raise InputError(f"n={n} points are too few for a triangle; give 3 or more, e.g. 1000")
        if not 1 <= thresholds <= MAX_THRESHOLDS:
            raise InputError(
                f"--thresholds is not {thresholds}; it is a number from 1 to {MAX_THRESHOLDS}, e.g. 10"
            )
        check_memory(n)
        if out.exists():
            raise InputError(f"{out} exists already; name a new folder")
        with telling(f"drawing {n} points of {space}"):
            points = sample(space, n, radius, how, seed)
        rows = _threshold_rows(points, thresholds, radius, seed)
        sums, curvature = measure_triangles(points, seed)
        _write(out, points, sums, rows)
        ball = how == "exp" or not is_compact(points.space)
    facts = {"space": str(points.space), "dim": points.space.dim, "n": n, "how": how}
    facts |= {"radius": (radius or 1.0) if ball else None, "seed": seed}
    facts |= {"curvature": curvature, "thresholds": rows}
    if as_json:
        print_json(facts)
    else:
        _show(facts, out)


def _threshold_rows(points: "Embedding", count: int, radius: float | None, seed: int) -> list[dict[str, Any]]:
    """A row of the table for each of ``count`` distance thresholds."""
    from riemap.random_graphs import distance_matrix, threshold_graphs, thresholds

    distances, rows = distance_matrix(points), []
    levels = thresholds(points, distances, count, radius)
    with stage_progress(f"{points.n} points of {points.space}") as stage:
        told = stage("graphs of close points")
        for linked in threshold_graphs(distances, levels):
            rows.append(_row(linked, seed))
            told(len(rows) / count)
    return rows


def _sectional(graph: "Graph", seed: int) -> "Array":
    """Sectional curvatures at all nodes of a graph, for random pairs of neighbours where there are many."""
    from riemap.curvature import sectional

    return sectional(graph, pairs=MAX_PAIRS_PER_NODE, seed=seed).values


def _row(linked: "ThresholdGraph", seed: int) -> dict[str, Any]:
    import numpy as np

    def quartiles(name: str, values: Any) -> dict[str, float | None]:
        found = None if values is None else np.quantile(values, (0.25, 0.5, 0.75)).tolist()
        return {f"{name}_{q}": None if found is None else found[i] for i, q in enumerate(QUARTILE_NAMES)}

    curvature = None if linked.component is None else _sectional(linked.component, seed)
    degrees, sectional = quartiles("degree", linked.degrees), quartiles("sectional", curvature)
    row = {
        "threshold": linked.threshold,
        "edges": linked.edges,
        "nodes": linked.nodes,
        **degrees,
        **sectional,
    }
    return {column: row[column] for column in THRESHOLD_COLUMNS}


def _write(out: Path, points: "Embedding", sums: "Array", rows: list[dict[str, Any]]) -> None:
    points.save(out / "points.npz")
    _write_text(out / "angles.csv", ["angle_sum", *map(repr, sums.tolist())])
    lines = [",".join("" if v is None else repr(v) for v in row.values()) for row in rows]
    _write_text(out / "summary.csv", [",".join(THRESHOLD_COLUMNS), *lines])


def _write_text(path: Path, lines: list[str]) -> None:
    from riemap.files import written_whole

    with written_whole(path) as file:
        file.write(("\n".join(lines) + "\n").encode())


def _show(facts: dict[str, Any], out: Path) -> None:
    console = new_console()
    title = f"{facts['n']} points of {facts['space']} ({facts['dim']} dimensions), {facts['how']}"
    console.print(f"{title}, seed {facts['seed']}")
    show_triangles(facts["curvature"])
    console.print()
    headings = ("Nearer than", "Edges", "Degree", "(quartiles)", "Nodes", "Sectional", "(quartiles)")
    table = new_table(*headings, right=headings)
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
        f"\nNodes and sectional curvature describe the largest component. Files: {out}", soft_wrap=True
    )


def _median(row: dict[str, Any], name: str, form: str) -> tuple[str, str]:
    low, middle, high = (row[f"{name}_{q}"] for q in QUARTILE_NAMES)
    return ("–", "") if middle is None else (f"{middle:{form}}", f"{low:{form}} to {high:{form}}")
