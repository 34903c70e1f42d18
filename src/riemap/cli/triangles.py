"""How a space curves around the points of an embedding, for ``riemap evaluate`` and ``riemap sample``."""

from typing import TYPE_CHECKING, Any

from riemap.cli.output import new_console, new_table

if TYPE_CHECKING:
    from riemap.embeddings import Embedding
    from riemap.types import Array

MEASURE_TITLES = {"angles": "angle sum, (Σθ − π)/2π", "parallelogram": "parallelogram deviation"}
"""Names of the two measures, by their keys in the results."""

SUMMARY_HEADINGS = {
    "mean": "Mean",
    "min": "Min",
    "q25": "Q25",
    "median": "Median",
    "q75": "Q75",
    "max": "Max",
}
"""Headings of the numbers of a summary."""


def measure_triangles(embedding: "Embedding", seed: int) -> "tuple[Array, dict[str, Any]]":
    """Return the normalised angle sums of sampled triangles, and summaries of both measures."""
    from riemap.curvature import Summary
    from riemap.curvature.geodesic_triangles import DEFAULT_TRIPLES, angle_sums, parallelogram_deviations

    angles = angle_sums(embedding, seed=seed)
    medians = parallelogram_deviations(embedding, seed=seed)
    angles_summary, medians_summary = Summary.from_values(angles.values), Summary.from_values(medians.values)
    return angles.values, {
        "angles": None if angles_summary is None else angles_summary._asdict(),
        "parallelogram": None if medians_summary is None else medians_summary._asdict(),
        "triples": DEFAULT_TRIPLES,
        "degenerate": angles.degenerate,
        "seed": seed,
    }


def show_triangles(curvature: dict[str, Any]) -> None:
    """Print the summaries of :func:`measure_triangles`, one line per measure."""
    console = new_console()
    console.print()
    headings = tuple(SUMMARY_HEADINGS.values())
    table = new_table("Geodesic triangles", *headings, right=headings)
    for key, title in MEASURE_TITLES.items():
        found = curvature[key]
        table.add_row(title, *("–" if found is None else _text(found[name]) for name in SUMMARY_HEADINGS))
    console.print(table)
    count = curvature["degenerate"]
    left_out = f", without {count} degenerate triangles" if count else ""
    console.print(f"over {curvature['triples']} triples of points{left_out}")


def _text(value: float) -> str:
    return f"{value + 0.0:.4f}".replace("-0.0000", "0.0000")
