"""Records of a grid as a table: a row for every graph and space, in groups of one graph and dimension.

Values are compared as they are shown: two that round to the same text are equal.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, final

import numpy as np

from riemap.errors import InputError
from riemap.grids.record import RunRecord
from riemap.grids.task_runs import EMBED
from riemap.metrics import METRICS
from riemap.specs import shown, suggestion
from riemap.tasks.task import TASK_METRICS

Choice: TypeAlias = Literal["mean", "best"]
CHOICES: tuple[Choice, ...] = ("mean", "best")

DEFAULT_METRICS = ("f1@1", "auc", "ad")
"""Metrics of a table unless others are asked for: those of the paper's tables."""

TASK_DEFAULTS = ("links.auc", "links.ap", "labels.accuracy", "labels.f1")
"""Scores of predictions in a table unless others are asked for; those that no run has are left out."""

ALL_METRICS = (*METRICS, *TASK_METRICS)
"""What a record may have scores of."""

PERCENT = {m.name for m in ALL_METRICS if m.percent}
"""Metrics that are shown in percent, with two digits; others are shown with three."""

_HIGH = {m.name for m in ALL_METRICS if m.best == "high"}


class Cell(NamedTuple):
    """One value of a table, as it is shown: in percent, if it is a fraction."""

    value: float | None
    deviation: float | None  # standard deviation over seeds, for a mean of several
    loss: str
    runs: int


@final
@dataclass(frozen=True)
class Row:
    """A graph in a space, and what was predicted from its embedding."""

    graph: str
    dim: int
    space: str
    cells: Mapping[str, Cell]
    task: str = EMBED

    @property
    def group(self) -> tuple[str, int, str]:
        """Graph, dimension and task; rows are compared with those of the same group."""
        return self.graph, self.dim, self.task


def check_metrics(names: Iterable[str]) -> tuple[str, ...]:
    """Refuse unknown metrics, and drop repeated ones."""
    known = [m.name for m in ALL_METRICS]
    for name in names:
        if name not in known:
            raise InputError(
                f"no metric is called {shown(name)}{suggestion(name, known)} There are {', '.join(known)}"
            )
    return tuple(dict.fromkeys(names))


def default_metrics(records: Iterable[RunRecord]) -> tuple[str, ...]:
    """Return the columns of a table unless others are asked for.

    Parameters
    ----------
    records
        Records of a grid.

    Returns
    -------
    tuple of str
        Metrics of embeddings if there is one, and the scores of predictions that were made.
    """
    done = [record for record in records if "error" not in record]
    embedded = not done or any("task" not in record["run"] for record in done)
    scored = {name for record in done for name in record["scores"]}
    return (*(DEFAULT_METRICS if embedded else ()), *(name for name in TASK_DEFAULTS if name in scored))


def digits(metric: str) -> int:
    """Number of digits of a metric after the decimal point."""
    return 2 if metric in PERCENT else 3


def text(metric: str, value: float | None, more: int = 0) -> str:
    """Format a value as tables show it, or with more digits.

    >>> text("ad", 0.14), text("auc", 95.724), text("ad", None)
    ('0.140', '95.72', '–')
    """
    return "–" if value is None else f"{value:.{digits(metric) + more}f}"


def heading(metric: str) -> str:
    """Name of a metric with its unit, as the head of a column.

    >>> heading("auc"), heading("ad")
    ('auc %', 'ad')
    """
    return f"{metric} %" if metric in PERCENT else metric


def fraction(metric: str, value: float | None) -> float | None:
    """Turn a value as tables show it into a fraction, as JSON has it.

    >>> fraction("auc", 95.0), fraction("ad", 0.14)
    (0.95, 0.14)
    """
    return value / 100.0 if value is not None and metric in PERCENT else value


def better(metric: str, a: float, b: float) -> bool:
    """Whether value ``a`` of a metric is better than ``b``."""
    return a > b if metric in _HIGH else a < b


def rows(records: Iterable[RunRecord], metrics: Sequence[str], by: Choice) -> list[Row]:
    """Make a row for every graph, space and task of which a run is finished.

    Parameters
    ----------
    records
        Records of a grid; failed runs are left out.
    metrics
        The columns.
    by
        ``"best"`` takes, for each metric separately, the best of all losses and seeds. ``"mean"`` takes the
        mean over seeds of the loss (with preset and optimizer) whose mean is best; it has no value where one
        of its seeds has none.

    Returns
    -------
    list of Row
        Rows of one graph are together, in order of their dimensions.
    """
    found: dict[tuple[str, int, str, str], list[RunRecord]] = defaultdict(list)
    for record in records:
        if "error" not in record:
            run = record["run"]
            found[run["graph"], record["dim"], run["space"], run.get("task", EMBED)].append(record)
    graphs, tasks = (list(dict.fromkeys(key[k] for key in found)) for k in (0, 3))
    table = [
        Row(graph, dim, space, {metric: _cell(metric, runs, by) for metric in metrics}, task)
        for (graph, dim, space, task), runs in found.items()
    ]
    return sorted(table, key=lambda row: (graphs.index(row.graph), tasks.index(row.task), row.dim))


def _cell(metric: str, runs: Sequence[RunRecord], by: Choice) -> Cell:
    """The best of the runs, or of their means over seeds."""
    parts: dict[str, list[RunRecord]] = defaultdict(list)
    for number, run in enumerate(runs):
        parts[str(number) if by == "best" else str(run["run"]["plan"])].append(run)
    cells = [_mean(metric, part) for part in parts.values()]
    sign = -1.0 if metric in _HIGH else 1.0
    return min(cells, key=lambda cell: math.inf if cell.value is None else sign * cell.value)


def _mean(metric: str, runs: Sequence[RunRecord]) -> Cell:
    values = [run["scores"].get(metric) for run in runs]
    loss = runs[0]["run"]["loss"]
    if None in values:
        return Cell(None, None, loss, len(runs))
    numbers = np.array(values) * (100.0 if metric in PERCENT else 1.0)
    deviation = float(np.std(numbers, ddof=1)) if len(numbers) > 1 else None
    return Cell(float(np.mean(numbers)), deviation, loss, len(runs))


def ranks(table: Sequence[Row], metric: str) -> list[int]:
    """Rank the rows of each group: 1 is the best, 2 the second best, 0 any other; a single row has rank 0."""
    groups: dict[tuple[str, int, str], list[float]] = defaultdict(list)
    for row in table:
        if row.cells[metric].value is not None:
            groups[row.group].append(_rounded(metric, row))
    found = []
    for row in table:
        values = groups[row.group]
        order = sorted(set(values), reverse=metric in _HIGH)[:2] if len(values) > 1 else []
        known = row.cells[metric].value is not None and _rounded(metric, row) in order
        found.append(order.index(_rounded(metric, row)) + 1 if known else 0)
    return found


def _rounded(metric: str, row: Row) -> float:
    return float(text(metric, row.cells[metric].value))
