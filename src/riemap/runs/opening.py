"""Open a run again: its embedding, its configuration, its graph, the command that makes it."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.graphs import AnyGraph, ReadOptions
from riemap.runs.folder import RunFolder
from riemap.runs.source import GraphSource
from riemap.runs.spec import PRESET
from riemap.specs import shown


def load_embedding(path: Path) -> Embedding:
    """Read the embedding of a run's folder, or of an ``.npz`` file.

    Parameters
    ----------
    path
        The folder or the file.

    Returns
    -------
    Embedding
        What it holds.

    Raises
    ------
    InputError
        If it holds no embedding.
    """
    return RunFolder(path).embedding() if path.is_dir() else Embedding.load(path)


def run_config(run: Path) -> dict[str, Any]:
    """Read the configuration in the folder of a run.

    Parameters
    ----------
    run
        The folder, or the ``.npz`` file of an embedding, which has no configuration.

    Returns
    -------
    dict
        What ``config.json`` holds; empty if there is none.

    Raises
    ------
    InputError
        If it is not the configuration of a run.
    """
    return (RunFolder(run).config() if run.is_dir() else None) or {}


def source_like(run: Path, text: str, options: ReadOptions) -> GraphSource:
    """Say how to open a graph that a user names beside a run.

    Parameters
    ----------
    run
        The folder of the run, or an ``.npz`` file.
    text
        The graph.
    options
        How to open it. If all are the defaults, the graph is opened as the one of the run was.

    Returns
    -------
    GraphSource
        The source.
    """
    if options == ReadOptions():
        options = ReadOptions.from_json(run_config(run).get("given", {}))
    return GraphSource(text, options)


def run_graph(
    run: Path,
    given: GraphSource | None = None,
    *,
    usage: str,
    force: bool = False,
) -> AnyGraph:
    """Open the graph of a run.

    Parameters
    ----------
    run
        The folder of the run, or an ``.npz`` file.
    given
        The graph that the user names; the one that the run's folder names if it is ``None``.
    usage
        The command that names the graph of a run, for the message to users who have to.
    force
        Accept another graph than the one that was embedded, as long as it has the same nodes.

    Returns
    -------
    Graph or Dissimilarities
        The graph that was embedded.

    Raises
    ------
    InputError
        If nothing tells which graph it was, or if the graph is another one, or has changed.
    """
    config = run_config(run)
    source = _recorded_source(config) if given is None else source_like(run, *given)
    if source is None:
        raise InputError(
            f"{run} does not tell what was embedded; name the graph, "
            f"e.g. {usage.format(run=run, graph='karate')}"
        )
    try:
        graph = source.open()
    except (InputError, OSError) as error:
        if given is not None:
            raise
        raise InputError(
            f"the graph of {run} is not here ({error}); name it: {usage.format(run=run, graph='GRAPH')}"
        ) from None
    if not force:
        _check_graph(run, config, graph)
    return graph


def _check_graph(run: Path, config: Mapping[str, Any], graph: AnyGraph) -> None:
    """Refuse a graph that is not the one of a run, or that has changed; an ``.npz`` file does not tell."""
    if config.get("key", graph.key) != graph.key:
        raise InputError(
            f"{shown(graph.name)} is not the graph that was embedded in {run}, which is "
            f"{shown(config['graph'])}, or it has changed; name that one, or add --force to take this one"
        )


def _recorded_source(config: Mapping[str, Any]) -> GraphSource | None:
    """How the graph of a run was opened, if its folder tells."""
    given = config.get("given", {})
    text = given.get("graph", config.get("graph"))
    if text is None:
        return None
    return GraphSource.from_json({**given, "graph": text})


def training_setting(config: Mapping[str, Any]) -> dict[str, Any]:
    """Select what the head of a page shows about the training: loss, preset, seed, losses of the stages.

    Parameters
    ----------
    config
        The configuration of a run, or the description of a run of a grid.

    Returns
    -------
    dict
        As much of it as is known.
    """
    found = {key: config[key] for key in ("loss", "preset", "seed") if key in config}
    stages = config.get("plan", {}).get("stages", [])
    return {**found, "stages": [stage["loss"] for stage in stages]}


def embed_command(config: Mapping[str, Any], out: Path | str | None = None) -> str:
    """Write down the command that makes an embedding again.

    Parameters
    ----------
    config
        The configuration of a run, or the description of a run of a grid.
    out
        The folder for the new run; ``None`` leaves it out.

    Returns
    -------
    str
        The command, quoted for a shell.
    """
    given = config.get("given", {})
    words = ["riemap", "embed", str(given.get("graph") or config.get("graph"))]
    words += ["--space", str(config.get("space")), "--loss", str(config.get("loss"))]
    if config.get("preset", PRESET) != PRESET:
        words += ["--preset", str(config["preset"])]
    for key in ("optimizer", "epochs"):
        if config.get(key) is not None:
            words += [f"--{key}", str(config[key])]
    if config.get("plan", {}).get("sampler") == "landmarks":
        words += ["--sampler", "landmarks"]
    words += ["--seed", str(config.get("seed", 0))]
    words += ReadOptions.from_json(given).words()
    return shlex.join(words if out is None else [*words, "--out", str(out)])
