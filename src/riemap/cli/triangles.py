"""How a space curves around points, as ``evaluate`` and ``sample`` show it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riemap.embeddings import Embedding
    from riemap.types import Array

TITLES = {"angles": "angle sum, (Σθ − π)/2π", "parallelogram": "parallelogram deviation"}

SHOWN = {"mean": "Mean", "min": "Min", "q25": "Q25", "median": "Median", "q75": "Q75", "max": "Max"}
"""Numbers of a summary, and their headings."""


def measured(embedding: "Embedding", seed: int) -> "tuple[Array, dict[str, Any]]":
    """Normalised sums of angles over sampled triples, and their summary with that of the medians."""
    from riemap.curvature import Summary
    from riemap.curvature.geodesic_triangles import TRIPLES, angle_sums, parallelogram_deviations

    angles = angle_sums(embedding, seed=seed)
    medians = parallelogram_deviations(embedding, seed=seed)
    angles_summary, medians_summary = Summary.of(angles.values), Summary.of(medians.values)
    return angles.values, {
        "angles": None if angles_summary is None else angles_summary._asdict(),
        "parallelogram": None if medians_summary is None else medians_summary._asdict(),
        "triples": TRIPLES,
        "degenerate": angles.degenerate,
        "seed": seed,
    }


def show_measured(curvature: dict[str, Any]) -> None:
    """A line for each of the two measures."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False, emoji=False)
    console.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("Of geodesic triangles")
    for name in SHOWN:
        table.add_column(SHOWN[name], justify="right")
    for key, title in TITLES.items():
        found = curvature[key]
        table.add_row(title, *("–" if found is None else _text(found[name]) for name in SHOWN))
    console.print(table)
    left_out = f", {curvature['degenerate']} without three sides left out" if curvature["degenerate"] else ""
    console.print(f"over {curvature['triples']} triples of points{left_out}")


def _text(value: float) -> str:
    return f"{value + 0.0:.4f}".replace("-0.0000", "0.0000")
