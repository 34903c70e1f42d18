"""The tables of [Cruceru2021], and the grids behind them.

The figures of the paper, and those of [Shevkunov2021] and [Gu2019] at ten dimensions, are in ``data/``, as
they were published; mAP is in percent. The graph of cities of [Gu2019] is not at hand. A table has a row for
every graph and space. As in the paper, it shows for each metric the best of a few losses, which are the same
for every graph and space.

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021.
[Gu2019] Gu, Sala, Gunel, Ré. Learning mixed-curvature representations in product spaces. ICLR 2019.
[Shevkunov2021] Shevkunov, Prokhorenkova. Overlapping spaces for compact graph representations. NeurIPS 2021.
"""

import itertools
import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from riemap.errors import InputError
from riemap.graphs import DATASETS
from riemap.grids.grid import grid
from riemap.grids.published import Key, Reference, read_reference
from riemap.grids.record import RunRecord
from riemap.losses import LOSSES_FOR, as_loss
from riemap.runs.samplers import usual_sampler
from riemap.runs.spec import RunSpec, planned
from riemap.spaces import Space
from riemap.specs import first_difference, shown, suggestion

RULE = (
    "rsne(T=0.2->0.0003)",  # nearest neighbours: F1@1
    "rsne(T=0.2->0.02)",  # all layers: AUC
    "stress + 0.2*rsne(T=1)",  # the same, where lengths help
    "ad",  # lengths: AD
    "ad + 0.05*rsne(T=0.2->0.003,same_temperature=true)",  # one embedding for all three
    "ad + 0.01*rsne(T=0.2->0.003,same_temperature=true)",  # the same, where lengths are the harder part
    "rsne(T=0.2->0.006)",  # between the first two: nearest neighbours and layers of small worlds
    LOSSES_FOR["both"],  # the default
    LOSSES_FOR["rank"],  # the default with more weight on nearest neighbours
)
"""Losses with which every graph is embedded in every space."""

PRESET = "default"
"""The preset of all runs; tables with spaces of negative curvature try ``steady`` as well, since there the
scales can run away."""


class PaperTable(NamedTuple):
    """A published table, and the losses with which we reproduce it."""

    name: str
    title: str
    metrics: tuple[str, ...] = ("f1@1", "auc", "ad")
    losses: tuple[str, ...] = RULE
    tolerances: tuple[float, ...] = (0.1, 0.1, 0.001)  # largest differences that count as equal, by metric
    digits: int = 0  # digits more than tables usually have
    source: str = "paper"  # heading of the published figures
    epochs: tuple[int | None, ...] = (None,)  # numbers of epochs to try; None is the preset's
    presets: tuple[str, ...] = (PRESET,)

    @property
    def reference(self) -> Reference:
        """The published figures, in their order."""
        return _reference(self.name, self.metrics)


BOTH = (PRESET, "steady")
"""Presets of the tables with spaces of negative curvature."""

TABLES = {
    table.name: table
    for table in (
        PaperTable("table5", "Table 5 of the paper: spaces without positive curvature", presets=BOTH),
        PaperTable("table6", "Table 6 of the paper: compact spaces"),
        PaperTable("table7", "Table 7 of the paper: products", presets=BOTH),
        PaperTable(
            "ad10",
            "Average distortion in ten dimensions",
            ("ad",),
            ("ad",),
            (0.0,),
            digits=1,
            source="others",
            epochs=(None, 4000),
        ),
        PaperTable(
            "gu2019",
            "Average distortion and mAP in ten dimensions",
            ("ad", "map"),
            ("ad", LOSSES_FOR["both"], LOSSES_FOR["rank"]),
            (5e-5, 5e-3),  # half of the last published digit
            digits=1,
            source="others",
        ),
    )
}


@cache
def _reference(name: str, metrics: tuple[str, ...]) -> Reference:
    return read_reference(Path(__file__).with_name("data") / f"{name}.csv", metrics)


def selected(table: PaperTable, graphs: Sequence[str] = (), spaces: Sequence[str] = ()) -> list[Key]:
    """Select the rows of a table, all or those of some graphs and spaces, in the order of the table."""
    keys = list(table.reference)
    _check(table, "graph", graphs, (graph for graph, _ in keys))
    spelled = [str(Space.parse(text)) for text in spaces]
    _check(table, "space", spelled, (space for _, space in keys))
    found = [key for key in keys if key[0] in (graphs or [key[0]]) and key[1] in (spelled or [key[1]])]
    if not found:
        raise InputError(f"{table.name} has none of these graphs in any of these spaces")
    return found


def _check(table: PaperTable, what: str, given: Iterable[str], known: Iterable[str]) -> None:
    names = list(dict.fromkeys(known))
    for name in given:
        if name not in names:
            near = suggestion(name, names)
            raise InputError(f"{table.name} has no {what} {shown(name)}{near} It has {', '.join(names)}")


def paper_runs(table: PaperTable, keys: Iterable[Key], seeds: Sequence[int] = (0,)) -> list[RunSpec]:
    """Make the runs for some rows of a table; small graphs come first, and of a graph few dimensions."""
    wanted: dict[str, list[str]] = {}
    for graph, space in keys:
        wanted.setdefault(graph, []).append(space)
    runs: list[RunSpec] = []
    for graph in sorted(wanted, key=lambda name: DATASETS[name].n):
        spaces = sorted(wanted[graph], key=lambda text: Space.parse(text).dim)
        lists = {"graphs": [graph], "spaces": spaces, "losses": list(table.losses), "seeds": list(seeds)}
        for preset, epochs in itertools.product(table.presets, table.epochs):
            runs += grid({**lists, "presets": [preset]} | ({"epochs": epochs} if epochs else {}))
    return runs


def counted(table: PaperTable, records: Iterable[RunRecord]) -> list[RunRecord]:
    """Select the records that count in a table: finished runs of its rows, losses and today's plans."""
    losses = {str(as_loss(text)) for text in table.losses}
    return [
        record
        for record in records
        if (record["run"]["graph"], record["run"]["space"]) in table.reference
        and record["run"]["loss"] in losses
        and record["run"]["epochs"] in table.epochs
        and record["run"]["preset"] in table.presets
        and is_current(record)
    ]


def is_current(record: RunRecord) -> bool:
    """Whether a run of a dataset is done, and would have the same plan today."""
    run = record["run"]
    if "error" in record:
        return False
    today = _plan(run["loss"], run["preset"], run["epochs"], DATASETS[run["graph"]].n)
    return first_difference(run["plan"], today) is None


@cache
def _plan(loss: str, preset: str, epochs: int | None, n: int) -> Any:
    return json.loads(json.dumps(planned(loss, preset, None, epochs, n, usual_sampler(n, preset)).as_json()))
