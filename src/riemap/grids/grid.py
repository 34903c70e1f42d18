"""A grid: lists in a TOML file, and their product, which is the runs to do.

.. code-block:: toml

    graphs = ["karate", "tree(r=2,h=5)"]
    spaces = ["E2", "H2"]
    losses = ["stress", "rsne(T=0.02)"]
    seeds = [0, 1, 2]
    epochs = 500
    tasks = ["embed", "links", "labels(file=clubs.csv)"]

A file names things and executes nothing. Everything in it is resolved before anything is computed.
"""

import itertools
import json
import math
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from riemap.errors import InputError
from riemap.graphs import AnyGraph
from riemap.grids.task_runs import EMBED, spelled_task, task_source, task_spec
from riemap.losses import as_loss
from riemap.optim import as_optimizer
from riemap.runs.source import GraphSource
from riemap.runs.spec import LOSS, PRESET, RunSpec
from riemap.spaces import Space
from riemap.specs import shown, suggestion

MOST_RUNS = 100_000
"""Number of runs of the largest grid that is accepted; a larger one is probably a typing error."""

LISTS: dict[str, list[Any]] = {
    "graphs": ["karate"],
    "spaces": ["E2", "H2"],
    "losses": [LOSS],
    "presets": [PRESET],
    "optimizers": ["radam(lr=0.05)"],
    "tasks": [EMBED, "links(validation=0.1)"],
    "seeds": [0],
}
"""The lists of a grid, each with an example; for losses, presets and seeds the example is the default."""

OPTIONS: dict[str, Any] = {
    "epochs": 500,
    "undirected": True,
    "components": "require",
    "weights": "strengths",
    "strength_to_length": "log",
    "weight": "count",
    "node_labels": "id",
}
"""Options that hold for all runs of a grid, each with an example; ``riemap embed`` explains them."""

EMBED_LISTS = ("losses", "presets", "optimizers")
"""Lists that decide how the task ``embed`` trains; other tasks have a plan of their own."""

RENAMED = {"whole": "components", "require_connected": "components", "symmetrise": "undirected"}
"""Earlier names of options, and what they are called now."""


def read_grid(path: Path) -> tuple[RunSpec, ...]:
    """Read the runs of a grid from a TOML file.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    tuple of RunSpec
        The runs, in the order of the lists; graphs are outermost.

    Raises
    ------
    InputError
        If the file is not TOML, or something in it cannot be understood.
    """
    try:
        with path.open("rb") as file:
            found = tomllib.load(file)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path.name} is not TOML: {error}") from None
    try:
        return grid(found)
    except InputError as error:
        raise InputError(f"{path.name}: {error}") from None


def grid(found: Mapping[str, Any]) -> tuple[RunSpec, ...]:
    """Make the runs of a grid: the product of its lists.

    Parameters
    ----------
    found
        The lists and options of a grid's file.

    Returns
    -------
    tuple of RunSpec
        The runs, in the order of the lists; graphs are outermost.

    Raises
    ------
    InputError
        If something cannot be understood.

    Examples
    --------
    >>> [run.space for run in grid({"graphs": ["karate"], "spaces": [" H2", "E1 x E1"]})]
    ['H2', 'E1^2']
    """
    _check(found)
    count = math.prod(len(found.get(name, [0])) for name in LISTS)
    if count > MOST_RUNS:
        raise InputError(
            f"the lists make {count:,} runs, and at most {MOST_RUNS:,} are accepted; split the grid"
        )
    tasks = _spelled("tasks", found, spelled_task) if "tasks" in found else [EMBED]
    _check_tasks(found, tasks)
    choices = [
        _spelled("spaces", found, lambda text: str(Space.parse(text))),
        _spelled("losses", found, lambda text: str(as_loss(text))),
        _spelled("presets", found, str.strip),
        _spelled("optimizers", found, lambda text: str(as_optimizer(text)))
        if "optimizers" in found
        else [None],
    ]
    seeds = _spelled("seeds", found, int)
    runs: list[RunSpec] = []
    named: dict[str, str] = {}
    for text in _spelled("graphs", found, str.strip):
        source = GraphSource.from_json({**found, "graph": text})
        runs += _runs(source, choices, tasks, found.get("epochs"), seeds)
        name = runs[-1].graph
        if name in named:  # records and tables tell graphs apart by name
            raise InputError(f"graphs: {shown(named[name])} and {shown(text)} are both called {shown(name)}")
        named[name] = text
    return tuple(runs)


def _runs(
    source: GraphSource, choices: list[list[Any]], tasks: list[str], epochs: int | None, seeds: list[int]
) -> Iterator[RunSpec]:
    """The runs of one graph, which is opened to see that it exists, and how large it is."""
    graph = source.open()
    for task in tasks:
        embedded = _embed_runs if task == EMBED else partial(_task_runs, task)
        for first in embedded(graph, choices, epochs, source):
            yield from (first.with_seed(seed) for seed in seeds)


def _embed_runs(
    graph: AnyGraph, choices: list[list[Any]], epochs: int | None, source: GraphSource
) -> Iterator[RunSpec]:
    for space, loss, preset, optimizer in itertools.product(*choices):
        yield RunSpec.of(
            graph, space, loss=loss, preset=preset, optimizer=optimizer, epochs=epochs, source=source
        )


def _task_runs(
    text: str, graph: AnyGraph, choices: list[list[Any]], epochs: int | None, source: GraphSource
) -> Iterator[RunSpec]:
    task = task_source(graph, text)
    for space in choices[0]:
        yield task_spec(graph, space, task, epochs, source)


def _check_tasks(found: Mapping[str, Any], tasks: list[str]) -> None:
    """Refuse lists that no task of the grid uses."""
    unused = [name for name in EMBED_LISTS if name in found]
    if unused and EMBED not in tasks:
        raise InputError(
            f"{unused[0]} are for the task {EMBED!r}, and other tasks have a plan of their own; remove the "
            f"list, or add the task: tasks = {json.dumps([EMBED, *tasks])}"
        )


def _check(found: Mapping[str, Any]) -> None:
    """Refuse unknown keys, and values of the wrong kind."""
    known = [*LISTS, *OPTIONS]
    for key in found:
        if key in RENAMED:
            raise InputError(f"{key} is called {RENAMED[key]} now, e.g. {_example(RENAMED[key])}")
        if key not in known:
            raise InputError(
                f"no key is called {shown(key)}{suggestion(key, known)} There are {', '.join(known)}"
            )
    for name in ("graphs", "spaces"):
        if name not in found:
            raise InputError(f"{name} is missing, e.g. {_example(name)}")
    for name in LISTS.keys() & found.keys():
        _check_list(name, found[name])
    for name in OPTIONS.keys() & found.keys():
        if type(found[name]) is not type(OPTIONS[name]):
            raise InputError(f"{name} = {shown(found[name])} is not understood; write e.g. {_example(name)}")


def _check_list(name: str, values: Any) -> None:
    if not isinstance(values, list) or not values:
        raise InputError(f"{name} is a list with something in it, e.g. {_example(name)}")
    for value in values:
        if name == "seeds" and (type(value) is not int or value < 0):
            raise InputError(
                f"{shown(value)} in seeds is not a whole number from 0 up, e.g. {_example(name)}"
            )
        if name != "seeds" and not isinstance(value, str):
            raise InputError(f"{shown(value)} in {name} is not text, e.g. {_example(name)}")


def _spelled(name: str, found: Mapping[str, Any], spell: Callable[[Any], Any]) -> list[Any]:
    """The entries of a list in their one spelling; an entry that is there twice is refused."""
    seen: dict[Any, Any] = {}
    for value in found.get(name, LISTS[name]):
        spelled = spell(value)
        if spelled in seen:
            raise InputError(f"{name}: {shown(seen[spelled])} and {shown(value)} are the same; keep one")
        seen[spelled] = value
    return list(seen)


def _example(name: str) -> str:
    return f"{name} = {json.dumps((LISTS | OPTIONS)[name])}"
