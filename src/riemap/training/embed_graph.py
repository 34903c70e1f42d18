"""``riemap.embed``: a graph and a space in, an embedding out."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from riemap.errors import InputError
from riemap.graphs import Dissimilarities, Graph, as_graph, open_graph
from riemap.losses import LossLike, as_loss
from riemap.optim import Optimizer, as_optimizer
from riemap.spaces import Space
from riemap.training.fit import Callback, Fit, fit
from riemap.training.plan import Plan
from riemap.training.presets import preset_plan

LOSS = "stress"
"""The loss unless another is asked for: good at ranks and at distances, best at neither."""


def embed(
    graph: Any,
    space: str | Space,
    *,
    loss: LossLike = LOSS,
    preset: str = "default",
    optimizer: str | Optimizer | None = None,
    epochs: int | None = None,
    seed: int = 0,
    callbacks: tuple[Callback, ...] = (),
) -> Fit:
    """Embed the nodes of a graph in a space.

    Parameters
    ----------
    graph
        A graph, whatever :func:`as_graph` makes one of, or a text: a file, a dataset, or a generator's spec.
    space
        Such as ``"H3"`` or ``"H2 x S2"``.
    loss
        What to minimise: ``"stress"``, ``"ad"``, ``"rsne(T=0.02)"``, ``"rsne(T=0.1) + 0.3*ad"``, or a
        function of (target, sqdist) that gives a value and its slopes in sqdist.
    preset
        ``"default"``; ``"steady"``, which learns scales late and slowly; or ``"paper"`` for its protocol.
    optimizer
        Instead of the preset's, such as ``"radam(lr=0.05)"``.
    epochs
        Instead of as many as the preset has.
    seed
        The same seed gives the same embedding, to the byte.
    callbacks
        Called after every epoch with its record; returning ``False`` ends the run.

    Examples
    --------
    >>> fit = embed("karate", "H2", epochs=40)
    >>> fit.embedding, fit.stop.value
    (<Embedding of 34 nodes in H2 (2 dimensions)>, 'all epochs are done')
    """
    opened = _opened(graph)
    where = Space.parse(space) if isinstance(space, str) else space
    check_dimension(opened, where)
    plan = planned(loss, preset, optimizer, epochs, opened.n)
    return fit(opened, where, plan, seed=seed, callbacks=callbacks)


def planned(
    loss: LossLike, preset: str, optimizer: str | Optimizer | None, epochs: int | None, n: int
) -> Plan:
    """The plan of a preset for a graph of ``n`` nodes, with another optimizer if one is named."""
    plan = preset_plan(preset, as_loss(loss), n, epochs)
    return plan if optimizer is None else replace(plan, optimizer=as_optimizer(optimizer))


def _opened(graph: Any) -> Graph | Dissimilarities:
    if isinstance(graph, Graph | Dissimilarities):
        return graph
    return open_graph(str(graph)) if isinstance(graph, str | Path) else as_graph(graph)


def check_dimension(graph: Graph | Dissimilarities, space: Space) -> None:
    """Refuse a space in which a graph of this size fits without any effort."""
    if space.dim >= graph.n:
        raise InputError(
            f"{space} has {space.dim} dimensions and {graph.name} {graph.n} nodes; "
            "take fewer dimensions than nodes, e.g. 'H3'"
        )
