"""Sentences about the measured facts; each has the numbers that it is about, and nothing else."""

import math
from typing import Any


def reasons(facts: dict[str, Any], best: str | None, baseline: str) -> list[str]:
    """Write a sentence for each fact.

    Parameters
    ----------
    facts
        What :mod:`riemap.choosing.evidence` measured.
    best, baseline
        The best space, if there is one, and the space that it is compared with.

    Returns
    -------
    list of str
        The sentences.
    """
    said = []
    if delta := facts.get("delta"):
        said.append(
            f"δ of four nodes is {delta['mean']:.3g} ± {delta['se']:.1g} on average, "
            f"{delta['mean_over_diameter']:.1%} of the largest distance; it is 0 in a tree."
        )
    said += _growth(facts["growth"])
    if ricci := facts.get("ricci"):
        said.append(
            f"Ricci curvature of edges is {ricci['mean']:.2f} ± {ricci['se']:.2f} on average, "
            f"and negative for {ricci['negative']:.0%} of them."
        )
    if sectional := facts.get("sectional"):
        said.append(f"Sectional curvature at nodes is {sectional['mean']:.2f} on average.")
    if embedding := facts.get("embedding"):
        said += _embedding(embedding)
    if (gain := facts.get("gain")) and best is not None:
        parts = [f"{name} pairs {v[baseline]:.3f} → {v[best]:.3f}" for name, v in gain.items()]
        said.append(f"Average distortion of held-out pairs, from {baseline} to {best}: {', '.join(parts)}.")
    return said


def _growth(growth: dict[str, Any]) -> list[str]:
    if growth["exponent"] is None:
        return []
    first, last = (f"{growth['nodes'][k]:g} nodes at radius {growth['radius'][k]:g}" for k in (0, -1))
    return [
        f"Balls hold {first} and {last} on average; between them, "
        f"the number grows like the radius to the power {growth['exponent']:.2f}."
    ]


def _embedding(facts: dict[str, Any]) -> list[str]:
    said = []
    if angles := facts.get("angles"):
        side = "more" if angles["mean"] > 0.0 else "less"
        if abs(angles["mean"]) > 2.0 * angles["se"]:
            said.append(
                f"Angles of triangles of nodes in {facts['space']} sum to {abs(angles['mean']):.2f} {side} "
                f"than π ({math.degrees(abs(angles['mean'])):.0f} degrees) on average."
            )
        else:
            said.append(f"Angles of triangles of nodes in {facts['space']} sum to π on average.")
    if shares := facts.get("shares"):
        parts = ", ".join(f"{part['factor']} {part['share']:.0%}" for part in shares)
        said.append(f"Share of each factor in the squared distances: {parts}.")
    return said
