"""Which pairs of nodes training sees, unless a run says so."""

from riemap.errors import InputError
from riemap.graphs import AnyGraph, Dissimilarities
from riemap.specs import expect, shown, suggestion
from riemap.training.plan import SAMPLERS, SamplerName

SAMPLER = "auto"
"""The sampler unless another is asked for: by the number of nodes."""

ALL_PAIRS_NODES, WEIGHTED_ALL_PAIRS_NODES = 30_000, 15_000
"""Largest number of nodes for which training sees all pairs by default, without weights and with weights.
Their distances take 0.9 and 1.8 GB."""


def chosen_sampler(graph: AnyGraph, given: str) -> SamplerName:
    """Choose which pairs training sees.

    Parameters
    ----------
    graph
        What to embed.
    given
        ``"all"``, ``"landmarks"``, or ``"auto"``: landmarks for a connected graph that is too large for all
        pairs.

    Returns
    -------
    str
        ``"all"`` or ``"landmarks"``.

    Raises
    ------
    InputError
        If there is no such sampler.

    Examples
    --------
    >>> from riemap.graphs import load_dataset
    >>> chosen_sampler(load_dataset("karate"), "auto")
    'all'
    """
    expect(given, str, "the name of a sampler", f"there are {SAMPLER}, {', '.join(SAMPLERS)}")
    if given == SAMPLER:
        if isinstance(graph, Dissimilarities) or graph.component_numbers[0] > 1:
            return "all"
        most = ALL_PAIRS_NODES if graph.weights is None else WEIGHTED_ALL_PAIRS_NODES
        return "landmarks" if graph.n > most else "all"
    for name in SAMPLERS:
        if given == name:
            return name
    raise InputError(
        f"no sampler is called {shown(given)}{suggestion(given, (SAMPLER, *SAMPLERS))} There are {SAMPLER}, "
        f"{', '.join(SAMPLERS)}"
    )
