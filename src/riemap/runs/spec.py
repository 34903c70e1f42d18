"""What decides the result of a run: a graph, a space, a plan and a seed, each in its one spelling."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, NamedTuple, final

from riemap.errors import InputError
from riemap.graphs import AnyGraph
from riemap.losses import LossLike, as_loss
from riemap.optim import Optimizer, as_optimizer
from riemap.runs.samplers import ALL_PAIRS_PRESET, SAMPLER, chosen_sampler
from riemap.runs.source import GraphSource, TaskSource
from riemap.spaces import Space
from riemap.specs import checked_seed, first_difference, whole_number
from riemap.training.landmark_plans import landmark_plan
from riemap.training.plan import Plan, SamplerName
from riemap.training.presets import preset_plan

LOSS = "both"
"""The loss unless another is asked for: good at ranks and at distances."""

PRESET = "default"
"""The preset unless another is asked for."""


class Setup(NamedTuple):
    """The objects that the names in a :class:`RunSpec` stand for: a space, and a plan of training.

    A user's own manifold, loss or optimizer is not found by its name, and has to be given as an object.
    """

    space: Space
    plan: Plan


@final
@dataclass(frozen=True)
class RunSpec:
    """Everything that decides the result of a run; two specs with the same :attr:`id` give the same bytes.

    Parameters
    ----------
    graph, key
        Name of the graph, and a hash of its content.
    space, loss, preset, optimizer, epochs, seed
        As :func:`riemap.embed` takes them, each as it prints itself. ``None`` leaves the choice of the
        optimizer, or of the number of epochs, to the preset.
    plan
        All stages, rates and schedules that loss, preset, optimizer and epochs stand for, as JSON text.
    source
        How the graph is opened; ``None`` for a graph that was made in memory. It does not decide the result.
    task
        What is predicted from the embedding; ``None`` if the embedding itself is the result.

    Examples
    --------
    >>> spec = RunSpec.of(GraphSource("karate").open(), "H2", epochs=40)
    >>> spec.space, spec.loss, spec.seed, spec.total_epochs
    ('H2', 'ad + 0.5*edges', 0, 40)
    """

    graph: str
    key: str
    space: str
    loss: str
    preset: str
    optimizer: str | None
    epochs: int | None
    seed: int
    plan: str
    source: GraphSource | None = None
    task: TaskSource | None = None

    @classmethod
    def of(
        cls,
        graph: AnyGraph,
        space: str | Space,
        *,
        loss: LossLike = LOSS,
        preset: str = PRESET,
        optimizer: str | Optimizer | None = None,
        epochs: int | None = None,
        seed: int = 0,
        sampler: str = SAMPLER,
        source: GraphSource | None = None,
    ) -> "RunSpec":
        """Spell a run in the one way, and refuse what makes no sense.

        Parameters
        ----------
        graph, source
            The graph to embed, and how it was opened.
        space, loss, preset, optimizer, epochs, seed, sampler
            As :func:`riemap.embed` takes them. The plan tells which sampler was chosen.

        Returns
        -------
        RunSpec
            The run.

        Raises
        ------
        InputError
            If a name is unknown, the seed negative, or the space as large as the graph.
        """
        parsed = Space.of(space)
        check_dimension(graph, parsed)
        seed = checked_seed(seed)
        epochs = None if epochs is None else whole_number("epochs", epochs, 1, 500, "number of epochs")
        objective, chosen = as_loss(loss), None if optimizer is None else as_optimizer(optimizer)
        pairs = chosen_sampler(graph, sampler, preset, objective)
        plan = planned(objective, preset, chosen, epochs, graph.n, pairs)
        return cls(
            graph.name,
            graph.key,
            str(parsed),
            str(objective),
            preset,
            None if chosen is None else str(chosen),
            epochs,
            seed,
            json.dumps(plan.as_json()),
            source,
        )

    @classmethod
    def from_json(
        cls, found: Mapping[str, Any], source: GraphSource | None = None, labels_file: str = ""
    ) -> "RunSpec":
        """Rebuild the spec that :meth:`as_json` took apart.

        Parameters
        ----------
        found
            What :meth:`as_json` gave; other entries are ignored.
        source, labels_file
            How the graph is opened, and the file of the labels to predict, which JSON does not tell.

        Returns
        -------
        RunSpec
            An equal spec, but for its source.

        Raises
        ------
        InputError
            If an entry is missing.
        """
        names = [field.name for field in fields(cls) if field.name not in ("source", "task")]
        if missing := [name for name in names if name not in found]:
            raise InputError(f"this is not the description of a run: it has no {missing[0]}")
        given = {name: found[name] for name in names}
        task = TaskSource(found["task"], found.get("labels", ""), labels_file) if "task" in found else None
        return cls(**{**given, "plan": json.dumps(found["plan"])}, source=source, task=task)

    def as_json(self) -> dict[str, Any]:
        """Give the spec as JSON has it, without its source: where a file lies is private.

        Returns
        -------
        dict
            An entry for every field but the source; the plan as an object.
        """
        found = {**asdict(self), "plan": json.loads(self.plan)}
        del found["source"], found["task"]
        return found if self.task is None else found | self.task.as_json()

    @property
    def id(self) -> str:
        """A readable name for files and records, unique by the content of the graph, space, seed and plan."""
        facts: list[Any] = [self.graph, self.key, self.space, self.seed, json.loads(self.plan)]
        facts += [] if self.task is None else [self.task.as_json()]
        digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
        what = self.loss if self.task is None else self.task.text
        words = file_name(f"{self.graph} {self.space} {what}")
        return f"{words}-s{str(self.seed)[:12]}-{digest[:12]}"

    @property
    def sampler(self) -> SamplerName:
        """Which pairs training sees: ``"all"`` or ``"landmarks"``."""
        return "landmarks" if json.loads(self.plan).get("sampler") == "landmarks" else "all"

    @property
    def total_epochs(self) -> int:
        """Number of epochs of all stages of the plan."""
        return sum(stage["epochs"] for stage in json.loads(self.plan)["stages"])

    def setup(self, n: int) -> Setup:
        """Make the space and the plan from their names.

        Parameters
        ----------
        n
            Number of nodes of the graph.

        Returns
        -------
        Setup
            Both.

        Raises
        ------
        InputError
            If a name is not known.
        """
        plan = planned(self.loss, self.preset, self.optimizer, self.epochs, n, self.sampler)
        return Setup(Space.parse(self.space), plan)

    def with_epochs(self, epochs: int, n: int) -> "RunSpec":
        """Give the same run with another number of epochs, of a graph with ``n`` nodes.

        Returns
        -------
        RunSpec
            A spec that differs in the epochs and the plan.
        """
        plan = planned(self.loss, self.preset, self.optimizer, epochs, n, self.sampler)
        return replace(self, epochs=epochs, plan=json.dumps(plan.as_json()))

    def with_seed(self, seed: int) -> "RunSpec":
        """Give the same run from another seed.

        Returns
        -------
        RunSpec
            A spec that differs in nothing else.
        """
        return replace(self, seed=seed)

    def __str__(self) -> str:
        how = f"{self.preset}, {self.optimizer}" if self.optimizer else self.preset
        name = self.graph if self.source is None else self.source.text
        what = f"{self.loss}, {how}" if self.task is None else self.task.text
        return f"{name} in {self.space}, {what}, seed {self.seed}"


def difference(theirs: RunSpec, ours: RunSpec) -> tuple[str, Any, Any] | None:
    """Find what makes two runs different; spellings with the same plan do not count as different.

    Parameters
    ----------
    theirs, ours
        Two runs.

    Returns
    -------
    tuple or None
        The first field that differs, its value in ``theirs`` and in ``ours``; ``None`` for the same run.

    Examples
    --------
    >>> spec = RunSpec.of(GraphSource("karate").open(), "H2")
    >>> difference(spec, spec.with_seed(3))
    ('seed', 0, 3)
    """
    a, b = ({**s.as_json(), "plan": {"sampler": s.sampler, **json.loads(s.plan)}} for s in (theirs, ours))
    return None if theirs.id == ours.id else first_difference(a, b)


def planned(
    loss: LossLike,
    preset: str,
    optimizer: str | Optimizer | None,
    epochs: int | None,
    n: int,
    sampler: SamplerName = "all",
) -> Plan:
    """Make the plan of a preset for a graph of ``n`` nodes, with another optimizer if one is named."""
    plan = preset_plan(preset, as_loss(loss), n, epochs)
    if sampler == "landmarks":
        if preset == ALL_PAIRS_PRESET:
            raise InputError(
                "the preset 'paper' is a protocol for all pairs of nodes, and the sampler is 'landmarks'; "
                "take the preset 'default', or --sampler all (in Python, sampler='all')"
            )
        plan = landmark_plan(plan, n, epochs)
    return plan if optimizer is None else replace(plan, optimizer=as_optimizer(optimizer))


def check_dimension(graph: AnyGraph, space: Space) -> None:
    """Refuse a space with as many dimensions as the graph has nodes: there, embedding is no task."""
    if space.dim >= graph.n:
        raise InputError(
            f"{space} has {space.dim} dimensions and {graph.name} {graph.n} nodes; "
            f"take fewer dimensions than nodes, e.g. 'H{min(3, graph.n - 1)}'"
        )


def file_name(text: str) -> str:
    """Turn a text into at most 60 characters that every file system accepts in a name.

    >>> file_name("tree(r=2,h=5) H2 x S2")
    'tree-r=2-h=5-H2-x-S2'
    """
    return re.sub(r"[^A-Za-z0-9.=^]+", "-", text).strip("-.")[:60]
