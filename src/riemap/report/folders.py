"""From what is on disk to the subject of a page: a run's folder, its graph, groups of nodes, a grid."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from riemap.errors import InputError
from riemap.graphs import Dissimilarities, Graph, open_graph
from riemap.graphs.text_file import content_lines, read_file, split_fields
from riemap.grids.records import Folder
from riemap.report.run import Subject
from riemap.runs.folder import Run, load_embedding
from riemap.specs import shown

NONE = "(none)"
"""The group of nodes that a file of labels does not name."""


NAMES = {"graph", "key", "space", "loss", "preset", "optimizer", "seed"}
"""What the record of a grid's run says of it."""


def run_config(run: Path) -> dict[str, Any]:
    """The configuration in the folder of a run; nothing of an ``.npz`` file."""
    config = (Run(run).config() if run.is_dir() else None) or {}
    try:
        setting(config), embed_command(config, run)
    except (AttributeError, KeyError, TypeError):
        raise InputError(f"{run / 'config.json'} is not the configuration of a run; embed it anew") from None
    return config


def run_graph(
    run: Path,
    given: str | None,
    *,
    undirected: bool = False,
    require_connected: bool = False,
    naming: str = "riemap report {run} {graph}",
) -> Graph | Dissimilarities:
    """The graph of a run: the one that is named, or the one that the run's folder names.

    ``naming`` tells those who must name it how.
    """
    config = run_config(run)
    known = config.get("given", {})
    text = given if given is not None else known.get("graph", config.get("graph"))
    if text is None:
        raise InputError(
            f"{run} does not tell what was embedded; name the graph, "
            f"e.g. {naming.format(run=run, graph='karate')}"
        )
    if given is None:
        undirected, require_connected = known.get("undirected", False), known.get("require_connected", False)
    try:
        graph = open_graph(
            str(text), undirected=undirected, component="error" if require_connected else "largest"
        )
    except (ValueError, OSError) as error:
        if given is not None:
            raise
        raise InputError(
            f"the graph of {run} is not here ({error}); name it: {naming.format(run=run, graph='GRAPH')}"
        ) from None
    if config.get("key", graph.key) != graph.key:
        raise InputError(
            f"{shown(text)} is not the graph that was embedded in {run}, or it has changed; name that one"
        )
    return graph


def run_subject(
    run: Path,
    graph: Graph | Dissimilarities,
    command: str,
    *,
    groups: Sequence[str] | None = None,
    grid: Path | None = None,
) -> Subject:
    """What the page of a run's folder, or of an ``.npz`` file, is about."""
    config = run_config(run)
    commands = [embed_command(config, run), command] if config else [command]
    history = Run(run).history() if run.is_dir() else []
    others = [] if grid is None else grid_records(grid, graph)
    return Subject(
        load_embedding(run),
        graph,
        commands,
        setting(config),
        {key: [getattr(record, key) for record in history] for key in ("stage", "loss", "lr")}
        if history
        else None,
        groups,
        others,
    )


def setting(config: Mapping[str, Any]) -> dict[str, Any]:
    """How an embedding was trained, for the head of its page."""
    found = {key: config[key] for key in ("loss", "preset", "seed") if key in config}
    stages = config.get("plan", {}).get("stages", [])
    return {**found, "stages": [stage["loss"] for stage in stages]}


def embed_command(config: Mapping[str, Any], out: Path | str) -> str:
    """The command that makes an embedding again, of a run's configuration or of a grid's run."""
    given = config.get("given", config)
    words = ["riemap", "embed", str(given.get("graph", config.get("graph")))]
    words += ["--space", str(config.get("space")), "--loss", str(config.get("loss"))]
    if config.get("preset", "default") != "default":
        words += ["--preset", str(config["preset"])]
    for key in ("optimizer", "epochs"):
        if given.get(key) is not None:
            words += [f"--{key}", str(given[key])]
    words += ["--seed", str(config.get("seed", 0))]
    words += [f"--{key}" for key in ("undirected", "require_connected") if given.get(key)]
    return shlex.join([*words, "--out", str(out)])


def grid_records(grid: Path, graph: Graph | Dissimilarities) -> list[dict[str, Any]]:
    """The finished runs of a grid that are about the same graph."""
    same = [record for record in finished(Folder(grid)) if record["run"]["key"] == graph.key]
    if not same:
        raise InputError(f"{grid} has no finished run of {graph.name}; its pages compare runs of one graph")
    return same


def finished(folder: Folder) -> list[dict[str, Any]]:
    """The records of the runs that did not fail, each with all that a page needs of it."""
    done = [record for record in folder.records() if "error" not in record]
    for record in done:
        id, run = record.get("id"), record["run"]
        known = isinstance(id, str) and Path(id).name == id  # it names a page
        if not (known and "f1@k" in record and isinstance(run, dict) and run.keys() >= NAMES):
            raise InputError(f"{folder.path} has a record that is not one of a run: {shown(id)}; remove it")
    if not done:
        raise InputError(f"{folder.path} has no run that is done; 'riemap grid' does them")
    return done


def read_groups(path: Path, graph: Graph | Dissimilarities) -> list[str]:
    """The label of every node, from a file with a line ``node,label`` for each; some may be missing."""
    source = read_file(path, (".csv",), "labels.csv")
    places, lines = content_lines(source.lines())
    numbers = {str(label): i for i, label in enumerate(graph.labels)}
    found: dict[int, str] = {}
    for place, line in zip(places, lines, strict=True):
        fields = [field.decode() for field in split_fields(source, place, line)]
        if len(fields) != 2:
            raise source.error(place, f"{len(fields)} columns; a line is a node and its label, e.g. 'a,red'")
        node, label = fields
        if node not in numbers and place == places[0]:  # the headings
            continue
        if node not in numbers:
            example = shown(str(graph.labels[0]))
            raise source.error(place, f"no node of {graph.name} is called {shown(node)}; one is {example}")
        if numbers[node] in found:
            raise source.error(place, f"node {shown(node)} has a label already; keep one")
        found[numbers[node]] = label
    if not found:
        raise InputError(f"{source.filename} names no node; a line is a node and its label, e.g. 'a,red'")
    return [found.get(i, NONE) for i in range(graph.n)]
