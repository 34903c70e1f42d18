"""Curvatures for ``riemap describe``: computed with progress on stderr, and formatted as a table."""

from typing import TYPE_CHECKING, Any

from riemap.cli.progress import stage_progress, telling
from riemap.cli.triangles import SUMMARY_HEADINGS

if TYPE_CHECKING:
    from riemap.curvature import Hyperbolicity
    from riemap.distances import SampledSpread
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
        largest = delta_exact(graph, distances=distances, progress=stage("exact δ")) if exact else None
        facts["delta"] = _delta_facts(delta, largest)
    return facts


def sampled_curvature_facts(
    graph: "AnyGraph", alpha: float, seed: int, found: "SampledSpread"
) -> dict[str, dict[str, Any] | None]:
    """Estimate curvatures of a large graph: Ricci of random edges, and δ of quadruples of the sources."""
    from riemap.curvature import delta_among, ricci_sampled
    from riemap.graphs import Graph

    assert isinstance(graph, Graph), "dissimilarities have all distances"
    with stage_progress(graph.name) as stage:
        ricci = ricci_sampled(graph, alpha, seed=seed, progress=stage("Ricci curvature of random edges"))
    sizes = {"edges": len(ricci.edges), "seed": seed, "sampled": True}
    spread = ricci.summary
    se = {"se": spread.std / len(ricci.edges) ** 0.5}
    delta = delta_among(found.among, seed=seed, hops=graph.weights is None)
    return {
        "delta": {**_delta_facts(delta, None), "nodes": len(found.among)},
        "ricci": {"alpha": alpha, "limit": alpha == 1.0, **spread._asdict(), **se, **sizes},
        "sectional": None,
    }


def _delta_facts(delta: "Hyperbolicity", exact: float | None) -> dict[str, Any]:
    return {
        "mean": delta.mean,
        "se": delta.se,
        "max": delta.max,
        "exact": exact,
        "samples": delta.samples,
        "seed": delta.seed,
        "up_to" if delta.ranges else "values": delta.values.tolist(),
        "counts": delta.counts.tolist(),
    }


def curvature_lines(facts: dict[str, Any]) -> list[str]:
    """Format the facts of a graph and its curvatures as lines of text."""
    delta, ricci, sectional = facts["delta"], facts["ricci"], facts["sectional"]
    text = f"δ-hyperbolicity  mean {delta['mean']:.4f} ± {delta['se']:.4f}, "
    text += f"largest {delta['max']:g} of {delta['samples']:,} random quadruples"
    text += f" of {delta['nodes']} random nodes" if "nodes" in delta else ""
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
    if "edges" in ricci:
        rows.append(
            f"Ricci: of {ricci['edges']} random edges; the standard error of the mean is {ricci['se']:.4f}"
        )
        rows.append("sectional: not computed, since it needs the distances between all nodes")
    if sectional is not None and sectional["drawn_at"]:
        count = sectional["drawn_at"]
        rows.append(f"sectional: {count} nodes have so many neighbours that pairs of them were sampled")
    return rows
