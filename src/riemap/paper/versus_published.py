"""Our figures beside published ones: row by row, which is better, and what a single run comes to."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple, final

from riemap.grids.published import Key
from riemap.grids.tables import PERCENT, better, text
from riemap.grids.typeset import Piece, Sheet
from riemap.paper.tables import PRESET, PaperTable, counted
from riemap.spaces import Space

VERDICTS = ("better", "equal", "worse", "missing")

_RANKS = {"better": 1, "worse": 3}

_ROUNDING = 1e-9
"""By which a difference of decimal numbers may miss what it is."""


class Best(NamedTuple):
    """The best value of a cell, the run that it is from, and what is to be said of it."""

    value: float
    record: Mapping[str, Any]
    verdict: str | None  # None where nothing is published


@final
@dataclass(frozen=True)
class Line:
    """A row: what is published, our best by metric, and the one run that beats all of it, if one does."""

    graph: str
    space: str
    paper: Mapping[str, float]
    ours: Mapping[str, Best]
    single: Mapping[str, Any] | None
    records: Sequence[Mapping[str, Any]]  # all that count

    @property
    def dim(self) -> int:
        """Of the space."""
        return Space.parse(self.space).dim

    @property
    def seconds(self) -> float:
        """Of all its runs."""
        return sum(record["seconds"] or 0.0 for record in self.records)

    def verdict(self, metric: str) -> str | None:
        """Better, equal, worse, or missing; nothing where there is no figure to compare with."""
        if metric not in self.paper:
            return None
        return self.ours[metric].verdict if metric in self.ours else "missing"


def lines(table: PaperTable, keys: Iterable[Key], records: Iterable[Mapping[str, Any]]) -> list[Line]:
    """Rows of a table, with the best of the records that count."""
    found: dict[Key, list[Mapping[str, Any]]] = {}
    for record in counted(table, records):
        found.setdefault((record["run"]["graph"], record["run"]["space"]), []).append(record)
    return [_line(table, key, found.get(key, [])) for key in keys]


def value(record: Mapping[str, Any], metric: str) -> float | None:
    """A score in the units of the table."""
    found = record["scores"].get(metric)
    return None if found is None else found * (100.0 if metric in PERCENT else 1.0)


def _line(table: PaperTable, key: Key, records: Sequence[Mapping[str, Any]]) -> Line:
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


def _single(
    table: PaperTable, paper: Mapping[str, float], records: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """The run that beats every figure of the row, by the most where it does so by the least."""
    if len(table.metrics) == 1 or set(paper) != set(table.metrics):
        return None

    def margin(record: Mapping[str, Any]) -> float:
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
    """How many cells are better, equal, worse, and missing."""
    found = [row.verdict(metric) for row in rows for metric in table.metrics]
    return {word: found.count(word) for word in VERDICTS}


def facts(table: PaperTable, row: Line) -> dict[str, Any]:
    """A row as JSON has it."""
    return {
        "graph": row.graph,
        "dim": row.dim,
        "space": row.space,
        "paper": {metric: row.paper.get(metric) for metric in table.metrics},
        "ours": {metric: row.ours[metric].value if metric in row.ours else None for metric in table.metrics},
        **{
            key: {
                metric: row.ours[metric].record["run"][key] if metric in row.ours else None
                for metric in table.metrics
            }
            for key in ("loss", "preset")
        },
    }


def single_facts(table: PaperTable, row: Line) -> dict[str, Any]:
    """A row that one run beats, as JSON has it."""
    assert row.single is not None
    found = {metric: value(row.single, metric) for metric in table.metrics}
    run = row.single["run"]
    return {**facts(table, row), "ours": found, **{key: run[key] for key in ("loss", "preset", "seed")}}


def sheet(table: PaperTable, rows: Sequence[Line]) -> Sheet:
    """Our best and the published figure, metric by metric; a blank line before every graph and dimension."""
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


def how(record: Mapping[str, Any]) -> str:
    """The loss of a run, and its preset unless it is the usual one."""
    loss, preset = record["run"]["loss"], record["run"]["preset"]
    return str(loss) if preset == PRESET else f"{loss}, {preset}"


def single_sheet(table: PaperTable, rows: Iterable[Line]) -> Sheet:
    """The rows that one run beats, what it comes to, and its loss."""
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
    return ["graph", "dim", "space", *(name for metric in table.metrics for name in (metric, table.source))]


def _heading(row: Line) -> list[Piece]:
    return [Piece(row.graph), Piece(str(row.dim)), Piece(row.space)]
