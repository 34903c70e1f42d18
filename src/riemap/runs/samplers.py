"""Which pairs of nodes training sees, unless a run says so."""

from riemap import memory
from riemap.distances.walks import PAIR_BYTES, check_walks
from riemap.errors import InputError
from riemap.graphs import AnyGraph, Dissimilarities
from riemap.losses import LossLike, as_loss
from riemap.specs import expect, shown, suggestion
from riemap.training.plan import SAMPLERS, SamplerName

SAMPLER = "auto"
"""The sampler unless another is asked for: by the number of nodes."""

ALL_PAIRS_NODES = 10_000
"""Largest number of nodes for which training sees all pairs by default. On the 12,495 nodes of cit-dblp in H3
(default run, seed 0, one thread), landmarks have AD 0.0931, AUC 87.77 %, F1@1 37.7 % and mAP 51.5 % after 110
processor seconds, and all pairs 0.0922, 87.75 %, 34.4 % and 39.2 % after 179. docs/scale.md has E3, too."""

WALK_NODES = 30_000
"""Largest number of nodes for which walks between all pairs are computed by default: they take 3.6 GB."""

ALL_PAIRS_PRESET = "paper"
"""The preset that takes all pairs of a graph of any size."""


def usual_sampler(n: int, preset: str) -> SamplerName:
    """Choose which pairs of a connected graph with ``n`` nodes training sees.

    >>> usual_sampler(10_001, "default"), usual_sampler(10_001, "paper")
    ('landmarks', 'all')
    """
    return "landmarks" if n > ALL_PAIRS_NODES and preset != ALL_PAIRS_PRESET else "all"


def chosen_sampler(
    graph: AnyGraph, given: str, preset: str = "default", loss: LossLike = "both"
) -> SamplerName:
    """Choose which pairs training sees.

    Parameters
    ----------
    graph
        What to embed.
    given
        ``"all"``, ``"landmarks"``, or ``"auto"``: landmarks for a large connected graph, unless the preset
        is one for all pairs.
    preset
        Name of the preset.
    loss
        The loss. ``"walks"`` is for all pairs of a graph; ``"auto"`` means them up to 30,000 nodes.

    Returns
    -------
    str
        ``"all"`` or ``"landmarks"``.

    Raises
    ------
    InputError
        If there is no such sampler, or if the loss is ``"walks"`` and the graph has no edges, or too many
        nodes for ``"auto"``.

    Examples
    --------
    >>> from riemap.graphs import load_dataset
    >>> chosen_sampler(load_dataset("karate"), "auto")
    'all'
    """
    expect(given, str, "the name of a sampler", f"there are {SAMPLER}, {', '.join(SAMPLERS)}")
    if as_loss(loss).compares_walks:
        check_walks(graph)
        if given == SAMPLER:
            _check_few(graph)
            return "all"
    if given == SAMPLER:
        usual = usual_sampler(graph.n, preset)
        if usual == "all" or isinstance(graph, Dissimilarities) or graph.component_numbers[0] > 1:
            return "all"
        return usual
    for name in SAMPLERS:
        if given == name:
            return name
    raise InputError(
        f"no sampler is called {shown(given)}{suggestion(given, (SAMPLER, *SAMPLERS))} There are {SAMPLER}, "
        f"{', '.join(SAMPLERS)}"
    )


def _check_few(graph: AnyGraph) -> None:
    """Refuse to compute the walks of a graph with many nodes without being told so."""
    if graph.n > WALK_NODES:
        need = memory.text(PAIR_BYTES * graph.n**2)
        raise InputError(
            f"the loss walks, of --for links and --for labels, is for up to {WALK_NODES:,} nodes, and "
            f"{graph.name} has {graph.n:,}; --for both embeds it with landmarks, as 'riemap links' does, and "
            f"--sampler all computes the walks, in {need} of memory (in Python, loss='both', sampler='all')"
        )
