"""Our results beside published ones: row by row, which is better, and what a single run reaches."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple, final

from riemap.grids.published import Key
from riemap.grids.record import RunRecord
from riemap.grids.tables import PERCENT, better, fraction, heading, text
from riemap.grids.typeset import Piece, Sheet
from riemap.paper.tables import PRESET, PaperTable, counted
from riemap.spaces import Space

VERDICTS = ("better", "equal", "worse", "missing")

_RANKS = {"better": 1, "worse": 3}

_ROUNDING = 1e-9
"""Added to tolerances, since differences of decimal numbers are not exact in binary."""


class Best(NamedTuple):
    """The best value of a cell, the record of its run, and how it compares with the published one."""

    value: float
    record: RunRecord
    verdict: str | None  # None where nothing is published


@final
@dataclass(frozen=True)
class Line:
    """A row: what is published, our best by metric, and the one run that beats all figures, if one does."""

    graph: str
    space: str
    paper: Mapping[str, float]
    ours: Mapping[str, Best]
    single: RunRecord | None
    records: Sequence[RunRecord]  # all records that count

    @property
    def dim(self) -> int:
        """Dimension of the space."""
        return Space.parse(self.space).dim

    @property
    def seconds(self) -> float:
        """Total time of all runs of the row."""
        return sum(record["seconds"] or 0.0 for record in self.records)

    def verdict(self, metric: str) -> str | None:
        """Compare a metric: better, equal, worse or missing; ``None`` where nothing is published."""
        if metric not in self.paper:
            return None
        return self.ours[metric].verdict if metric in self.ours else "missing"


def lines(table: PaperTable, keys: Iterable[Key], records: Iterable[RunRecord]) -> list[Line]:
    """Make the rows of a table, with the best of the records that count."""
    found: dict[Key, list[RunRecord]] = {}
    for record in counted(table, records):
        found.setdefault((record["run"]["graph"], record["run"]["space"]), []).append(record)
    return [_line(table, key, found.get(key, [])) for key in keys]


def value(record: RunRecord, metric: str) -> float | None:
    """Give a score in the units of the tables."""
    found = record["scores"].get(metric)
    return None if found is None else found * (100.0 if metric in PERCENT else 1.0)


def _line(table: PaperTable, key: Key, records: Sequence[RunRecord]) -> Line:
    paper, ours = table.reference[key], {}
    for metric, tolerance in zip(table.metrics, table.tolerances, strict=True):
        best: Best | None = None
        for record in records:
            score = value(record, metric)
            if score is not None and (best is None or better(metric, score, best.value)):
                best = Best(score, record, _verdict(metric, score, paper.get(metric), tolerance))
        if best is not None:
            ours[metric] = best
    return Line(*key, paper, ours, _single(table, paper, records), records)


def _verdict(metric: str, ours: float, theirs: float | None, tolerance: float) -> str | None:
    if theirs is None:
        return None
    if abs(ours - theirs) <= tolerance + _ROUNDING:
        return "equal"
    return "better" if better(metric, ours, theirs) else "worse"


def _single(table: PaperTable, paper: Mapping[str, float], records: Sequence[RunRecord]) -> RunRecord | None:
    """The run that beats every figure of the row; of several, the one whose smallest margin is largest."""
    if len(table.metrics) == 1 or set(paper) != set(table.metrics):
        return None

    def margin(record: RunRecord) -> float:
        margins = []
        for metric, tolerance in zip(table.metrics, table.tolerances, strict=True):
            score = value(record, metric)
            if score is None or not better(metric, score, paper[metric]):
                return 0.0
            margins.append(abs(score - paper[metric]) / tolerance)
        return min(margins)

    best = max(records, key=margin, default=None)
    return best if best is not None and margin(best) > 0.0 else None


def verdicts(table: PaperTable, rows: Iterable[Line]) -> dict[str, int]:
    """Count the cells that are better, equal, worse and missing."""
    found = [row.verdict(metric) for row in rows for metric in table.metrics]
    return {word: found.count(word) for word in VERDICTS}


def facts(table: PaperTable, row: Line) -> dict[str, Any]:
    """Give a row as JSON, with fractions where the table has percent."""
    return {
        "graph": row.graph,
        "dim": row.dim,
        "space": row.space,
        "paper": {metric: fraction(metric, row.paper.get(metric)) for metric in table.metrics},
        "ours": {
            metric: fraction(metric, row.ours[metric].value if metric in row.ours else None)
            for metric in table.metrics
        },
        **{
            key: {
                metric: row.ours[metric].record["run"][key] if metric in row.ours else None
                for metric in table.metrics
            }
            for key in ("loss", "preset")
        },
    }


def single_facts(table: PaperTable, row: Line) -> dict[str, Any]:
    """Give a row that one run beats as JSON."""
    assert row.single is not None
    found = {metric: row.single["scores"].get(metric) for metric in table.metrics}
    run = row.single["run"]
    return {**facts(table, row), "ours": found, **{key: run[key] for key in ("loss", "preset", "seed")}}


def sheet(table: PaperTable, rows: Sequence[Line]) -> Sheet:
    """Lay out our best and the published figure of every metric, in groups of one graph and dimension."""
    found = []
    for row in rows:
        line = _heading(row)
        for metric in table.metrics:
            best = row.ours.get(metric)
            shown = text(metric, None if best is None else best.value, table.digits)
            rank = _RANKS.get(row.verdict(metric) or "", 0)
            line += [Piece(shown, rank), Piece(text(metric, row.paper.get(metric), table.digits))]
        found.append(((row.graph, row.dim), line))
    groups = [[line for _, line in group] for _, group in groupby(found, lambda pair: pair[0])]
    return Sheet(_header(table), groups)


def how(record: RunRecord) -> str:
    """Name the loss of a run, and its preset unless it is the default."""
    loss, preset = record["run"]["loss"], record["run"]["preset"]
    return str(loss) if preset == PRESET else f"{loss}, {preset}"


def single_sheet(table: PaperTable, rows: Iterable[Line]) -> Sheet:
    """Lay out the rows that one run beats, its values, and its loss."""
    found = []
    for row in rows:
        if row.single is not None:
            line = _heading(row)
            for metric in table.metrics:
                ours, theirs = value(row.single, metric), row.paper[metric]
                line += [Piece(text(metric, ours)), Piece(text(metric, theirs))]
            found.append([*line, Piece(how(row.single))])
    return Sheet([*_header(table), "loss"], [found])


def _header(table: PaperTable) -> list[str]:
    return [
        "graph",
        "dim",
        "space",
        *(name for metric in table.metrics for name in (heading(metric), table.source)),
    ]


def _heading(row: Line) -> list[Piece]:
    return [Piece(row.graph), Piece(str(row.dim)), Piece(row.space)]
