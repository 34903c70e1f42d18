"""``riemap.embed``: a graph and a space in, an embedding out."""

from pathlib import Path
from typing import Any

from riemap.errors import InputError
from riemap.graphs import AnyGraph, take_graph
from riemap.losses import LossLike
from riemap.optim import Optimizer
from riemap.runs.execute import execute
from riemap.runs.folder import RunFolder
from riemap.runs.source import GraphSource
from riemap.runs.spec import LOSS, PRESET, RunSpec, Setup, planned
from riemap.spaces import Space
from riemap.training.fit import Callback, Fit


def embed(
    graph: Any,
    space: str | Space,
    *,
    loss: LossLike = LOSS,
    preset: str = PRESET,
    optimizer: str | Optimizer | None = None,
    epochs: int | None = None,
    seed: int = 0,
    callbacks: tuple[Callback, ...] = (),
    out: str | Path | None = None,
    resume: bool = False,
) -> Fit:
    """Embed the nodes of a graph in a space.

    Parameters
    ----------
    graph
        A graph, or anything that :func:`as_graph` or :func:`open_graph` makes one of.
    space
        Where to embed, such as ``"H3"`` or ``"H2 x S2"``.
    loss
        What to minimise: ``"stress"``, ``"ad"``, ``"rsne(T=0.02)"``, ``"rsne(T=0.1) + 0.3*ad"``, or a
        function of (target, sqdist) that gives a value and its derivatives with respect to sqdist.
    preset
        How to train: ``"default"``; ``"steady"``, which learns the scales late and slowly; or ``"paper"``,
        the protocol of the paper.
    optimizer, epochs
        Replace those of the preset, such as ``"radam(lr=0.05)"`` and ``500``.
    seed
        Seed for the starting points and the batches. The same seed gives the same bytes.
    callbacks
        Each is called after every epoch with its record; one that returns ``False`` ends the run.
    out, resume
        A folder for the run, as ``riemap embed --out`` writes it; whether to continue a run that is there.

    Returns
    -------
    Fit
        The embedding, the history of the training, and why it ended.

    Raises
    ------
    InputError
        If the graph, the space or a name cannot be read, or if the folder holds something else.

    Examples
    --------
    >>> fit = embed("karate", "H2", epochs=40)
    >>> fit.embedding, fit.stop.value
    (<Embedding of 34 nodes in H2 (2 dimensions)>, 'all epochs are done')
    """
    if resume and out is None:
        raise InputError("resume=True needs the folder of the run to continue, e.g. out='karate-h2'")
    opened, source = _opened(graph)
    where = Space.parse(space) if isinstance(space, str) else space
    choice: dict[str, Any] = {"loss": loss, "preset": preset, "optimizer": optimizer, "epochs": epochs}
    spec = RunSpec.of(opened, where, **choice, seed=seed, source=source)
    setup = Setup(where, planned(**choice, n=opened.n))
    folder = None if out is None else RunFolder(Path(out), resume=resume)
    return execute(spec, folder, graph=opened, setup=setup, callbacks=callbacks).fit


def _opened(graph: Any) -> tuple[AnyGraph, GraphSource | None]:
    return take_graph(graph), GraphSource(str(graph)) if isinstance(graph, str | Path) else None
