"""The subject of a page, from the folder of a run or the file of an embedding."""

from collections.abc import Sequence
from pathlib import Path

from riemap.distances import DistanceMatrix
from riemap.graphs import AnyGraph
from riemap.graphs.groups import own_groups
from riemap.grids.records import GridFolder
from riemap.metrics import Scores
from riemap.report.run import Subject
from riemap.runs import RunFolder, load_embedding
from riemap.runs.opening import embed_command, run_config, training_setting


def run_subject(
    run: Path,
    graph: AnyGraph,
    command: str,
    *,
    groups: Sequence[str] | None = None,
    grid: Path | None = None,
    distances: DistanceMatrix | None = None,
    scores: Scores | None = None,
) -> Subject:
    """Collect what the page of a run shows.

    Parameters
    ----------
    run
        The folder of the run, or an ``.npz`` file.
    graph, command
        The graph that was embedded, and the command that makes the page.
    groups
        A group for every node, to colour by; by default an attribute of the graph's nodes, if there is one.
    grid
        The folder of a grid whose runs are compared with this one.
    distances, scores
        Distances of the graph and scores of the embedding, if they are known already.

    Returns
    -------
    Subject
        The argument of :func:`riemap.report.run_page`.

    Raises
    ------
    InputError
        If the folder is damaged, or the grid has no run of the graph.
    """
    config = run_config(run)
    history = RunFolder(run).history() if run.is_dir() else []
    curves = {key: [getattr(record, key) for record in history] for key in ("stage", "loss", "lr")}
    return Subject(
        load_embedding(run),
        graph,
        [embed_command(config, run), command] if config else [command],
        training_setting(config),
        history=curves if history else None,
        groups=own_groups(graph) if groups is None else groups,
        others=[] if grid is None else GridFolder(grid).finished(graph),
        distances=distances,
        scores=scores,
    )
