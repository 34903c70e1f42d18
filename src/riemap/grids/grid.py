"""A grid: lists in a TOML file, and their product, which is the runs to do.

.. code-block:: toml

    graphs = ["karate", "tree(r=2,h=5)"]
    spaces = ["E2", "H2"]
    losses = ["stress", "rsne(T=0.02)"]
    seeds = [0, 1, 2]
    epochs = 500

A file names things and executes nothing. Everything in it is resolved before anything is computed.
"""

import hashlib
import itertools
import json
import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, final

from riemap.errors import InputError
from riemap.graphs import Component, Dissimilarities, Graph, open_graph
from riemap.losses import as_loss
from riemap.optim import as_optimizer
from riemap.spaces import Space
from riemap.specs import shown, suggestion
from riemap.training.embed_graph import LOSS, check_dimension, planned

MOST = 100_000
"""Runs of the largest grid; more is a slip of the keyboard."""

LISTS: dict[str, list[Any]] = {
    "graphs": ["karate"],
    "spaces": ["E2", "H2"],
    "losses": [LOSS],
    "presets": ["default"],
    "optimizers": ["radam(lr=0.05)"],
    "seeds": [0],
}
"""The lists of a grid, each by an example, which for losses, presets and seeds is what holds if left out."""

OPTIONS: dict[str, Any] = {"epochs": 500, "undirected": True, "require_connected": True}
"""What holds for all runs, each by an example; see ``riemap embed``."""


class GraphSource(NamedTuple):
    """How a graph is opened: the text that names it, and what to do if it is directed or in pieces."""

    text: str
    undirected: bool = False
    require_connected: bool = False

    def open(self) -> Graph | Dissimilarities:
        """The graph."""
        component: Component = "error" if self.require_connected else "largest"
        return open_graph(self.text, undirected=self.undirected, component=component)


@final
@dataclass(frozen=True)
class Run:
    """One embedding to be made, with every name in its one spelling."""

    source: GraphSource
    graph: str
    key: str
    space: str
    loss: str
    preset: str
    optimizer: str | None
    epochs: int | None
    seed: int
    plan: str  # all that these names stand for, as JSON

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "Run":
        """The run that ``asdict`` took apart."""
        return cls(**{**found, "source": GraphSource(*found["source"])})

    @property
    def id(self) -> str:
        """Readable, and told apart by what the run really does: the graph's content, the plan, the seed."""
        facts = [self.graph, self.key, self.space, self.seed, json.loads(self.plan)]
        digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
        words = re.sub(r"[^A-Za-z0-9.=^]+", "-", f"{self.graph} {self.space} {self.loss}").strip("-.")
        return f"{words[:60]}-s{str(self.seed)[:12]}-{digest[:12]}"

    def __str__(self) -> str:
        how = f"{self.preset}, {self.optimizer}" if self.optimizer else self.preset
        return f"{self.source.text} in {self.space}, {self.loss}, {how}, seed {self.seed}"

    def as_json(self) -> dict[str, Any]:
        """The spec as it stands in a record; where the graph's file lies is nobody's business."""
        found = {**asdict(self), "plan": json.loads(self.plan)}
        del found["source"]
        return found


def read_grid(path: Path) -> tuple[Run, ...]:
    """The runs of a grid's file, in the order of its lists, graphs outermost."""
    try:
        with path.open("rb") as file:
            found = tomllib.load(file)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path.name} is not TOML: {error}") from None
    try:
        return grid(found)
    except ValueError as error:
        raise InputError(f"{path.name}: {error}") from None


def grid(found: Mapping[str, Any]) -> tuple[Run, ...]:
    """The product of the lists, resolved.

    >>> [run.space for run in grid({"graphs": ["karate"], "spaces": [" H2", "E1 x E1"]})]
    ['H2', 'E1^2']
    """
    _check(found)
    count = math.prod(len(found.get(name, [0])) for name in LISTS)
    if count > MOST:
        raise InputError(f"the lists make {count:,} runs, and at most {MOST:,} are accepted; split the grid")
    spaces = _spelled("spaces", found, lambda text: str(Space.parse(text)))
    losses = _spelled("losses", found, lambda text: str(as_loss(text)))
    presets = _spelled("presets", found, str.strip)
    seeds = _spelled("seeds", found, int)
    optimizers: list[Any] = [None]
    if "optimizers" in found:
        optimizers = _spelled("optimizers", found, lambda text: str(as_optimizer(text)))
    runs: list[Run] = []
    named: dict[str, str] = {}
    for text in _spelled("graphs", found, str.strip):
        source = GraphSource(text, found.get("undirected", False), found.get("require_connected", False))
        names = itertools.product(spaces, losses, presets, optimizers)
        runs += _runs(source, names, found.get("epochs"), seeds)
        name = runs[-1].graph
        if name in named:  # by which records and tables would tell them apart
            raise InputError(f"graphs: {shown(named[name])} and {shown(text)} are both called {shown(name)}")
        named[name] = text
    return tuple(runs)


def _runs(source: GraphSource, names: Any, epochs: int | None, seeds: list[int]) -> Iterator[Run]:
    """The runs of one graph, which is opened to see that it is there, and how large."""
    graph = source.open()
    for space, loss, preset, optimizer in names:
        check_dimension(graph, Space.parse(space))
        plan = json.dumps(planned(loss, preset, optimizer, epochs, graph.n).as_json())
        for seed in seeds:
            yield Run(source, graph.name, graph.key, space, loss, preset, optimizer, epochs, seed, plan)


def _check(found: Mapping[str, Any]) -> None:
    """Refuse keys that mean nothing, and values of the wrong kind."""
    known = [*LISTS, *OPTIONS]
    for key in found:
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
    """The entries of a list in their one spelling, no two of which may be the same."""
    seen: dict[Any, Any] = {}
    for value in found.get(name, LISTS[name]):
        spelled = spell(value)
        if spelled in seen:
            raise InputError(f"{name}: {shown(seen[spelled])} and {shown(value)} are the same; keep one")
        seen[spelled] = value
    return list(seen)


def _example(name: str) -> str:
    return f"{name} = {json.dumps((LISTS | OPTIONS)[name])}"
