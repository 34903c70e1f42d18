"""Curvatures for ``riemap describe``: computed with progress on stderr, and formatted as a table."""

from typing import TYPE_CHECKING, Any

from riemap.cli.progress import stage_progress, telling
from riemap.cli.triangles import SUMMARY_HEADINGS

if TYPE_CHECKING:
    from riemap.graphs import AnyGraph


def curvature_facts(
    graph: "AnyGraph", alpha: float, seed: int, exact: bool
) -> dict[str, dict[str, Any] | None]:
    """Compute every curvature that is shown. Those that need edges are ``None`` for dissimilarities."""
    from riemap.curvature import delta_exact, delta_sampled, ollivier_ricci, sectional
    from riemap.distances import shortest_paths
    from riemap.graphs import Graph

    with telling(f"{graph.name}: computing the distances between all {graph.n} nodes", graph.n):
        distances = shortest_paths(graph)
    facts: dict[str, dict[str, Any] | None] = {"delta": None, "ricci": None, "sectional": None}
    with stage_progress(graph.name) as stage:
        if isinstance(graph, Graph):
            ricci = ollivier_ricci(graph, alpha, distances=distances, progress=stage("Ricci curvature"))
            facts["ricci"] = {"alpha": alpha, "limit": alpha == 1.0, **ricci.summary._asdict()}
            found = sectional(graph, seed=seed, distances=distances, progress=stage("sectional curvature"))
            if found.summary is not None:
                sizes = {"pairs": len(found.values), "drawn_at": len(found.sampled_nodes), "seed": seed}
                facts["sectional"] = {**found.summary._asdict(), **sizes}
        delta = delta_sampled(graph, seed=seed, distances=distances)
        facts["delta"] = {
            "mean": delta.mean,
            "se": delta.se,
            "max": delta.max,
            "exact": delta_exact(graph, distances=distances, progress=stage("exact δ")) if exact else None,
            "samples": delta.samples,
            "seed": seed,
            "up_to" if delta.ranges else "values": delta.values.tolist(),
            "counts": delta.counts.tolist(),
        }
    return facts


def curvature_lines(facts: dict[str, Any]) -> list[str]:
    """Format the facts of a graph and its curvatures as lines of text."""
    delta, ricci, sectional = facts["delta"], facts["ricci"], facts["sectional"]
    text = f"δ-hyperbolicity  mean {delta['mean']:.4f} ± {delta['se']:.4f}, "
    text += f"largest {delta['max']:g} of {delta['samples']:,} random quadruples"
    rows = [text + ("" if delta["exact"] is None else f", {delta['exact']:g} of all quadruples")]
    if "m" not in facts:
        return [*rows, "Ricci and sectional curvatures need a graph; dissimilarities have no edges"]
    limit = "limit α → 1" if ricci["limit"] else f"α = {ricci['alpha']:g}"
    table = [(f"Ricci, {limit}", ricci), ("sectional", sectional)]
    width = max(len(name) for name, _ in table)
    rows += ["", " " * width + "".join(f"{name:>9}" for name in SUMMARY_HEADINGS)]
    for name, values in table:
        numbers = ("-" if values is None else f"{values[key]:.4f}" for key in SUMMARY_HEADINGS)
        rows.append(f"{name:{width}}" + "".join(f"{number:>9}" for number in numbers))
    if sectional is not None and sectional["drawn_at"]:
        count = sectional["drawn_at"]
        rows.append(f"sectional: {count} nodes have so many neighbours that pairs of them were sampled")
    return rows
