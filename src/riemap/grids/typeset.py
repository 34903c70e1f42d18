"""Tables as text: aligned for reading, Markdown, CSV, LaTeX."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

from riemap.grids.published import Reference
from riemap.grids.tables import Row, heading, ranks, text
from riemap.grids.task_runs import EMBED

MARKS = {0: " ", 1: "*", 2: "+", 3: "-"}
"""Marks in a plain text, by rank: 1 is the best of a group, 2 the second best, 3 worse than published."""

LEFT = {"graph", "space", "task", "loss", "table", "metric"}
"""Columns of words, which are aligned on the left; numbers are aligned on the right."""

_LATEX = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "±": r"$\pm$",
}


class Piece(NamedTuple):
    """A field of a table: its text, and for a value of ours its rank in the group."""

    text: str
    rank: int = 0


class Sheet(NamedTuple):
    """A table of texts: headings, groups of lines, and the number of columns before the values."""

    header: list[str]
    groups: list[list[list[Piece]]]
    words: int = 3


def sheet(table: Sequence[Row], metrics: Sequence[str], reference: Reference | None = None) -> Sheet:
    """Turn the rows of a table into texts.

    Parameters
    ----------
    table
        The rows.
    metrics
        The columns.
    reference
        Published figures, which stand to the right of ours.

    Returns
    -------
    Sheet
        Headings and lines, for one of :data:`FORMATS`.
    """
    tasks = any(row.task != EMBED for row in table)
    words = ["graph", "dim", "space", *["task"] * tasks]
    header = list(words)
    for metric in metrics:
        header += [heading(metric)] if reference is None else [heading(metric), f"{heading(metric)} ref"]
    places = {metric: ranks(table, metric) for metric in metrics}
    lines = []
    for number, row in enumerate(table):
        line = [Piece(row.graph), Piece(str(row.dim)), Piece(row.space), *[Piece(row.task)] * tasks]
        for metric in metrics:
            line.append(Piece(_value(row, metric), places[metric][number]))
            if reference is not None:
                line.append(Piece(text(metric, reference.get((row.graph, row.space), {}).get(metric))))
        lines.append((row.group, line))
    groups = [[line for _, line in group] for _, group in groupby(lines, lambda pair: pair[0])]
    return Sheet(header, groups, len(words))


def _value(row: Row, metric: str) -> str:
    cell = row.cells[metric]
    shown = text(metric, cell.value)
    return shown if cell.deviation is None else f"{shown} ± {text(metric, cell.deviation)}"


def plain(table: Sheet) -> str:
    """Align the columns; the best of a group has a ``*``, the second best a ``+``."""
    groups = [
        [[p.text + (MARKS[p.rank] if k >= table.words else "") for k, p in enumerate(line)] for line in group]
        for group in table.groups
    ]
    header = [name + (" " if k >= table.words else "") for k, name in enumerate(table.header)]
    widths = [
        max(map(len, column)) for column in zip(header, *(line for g in groups for line in g), strict=True)
    ]

    def aligned(line: list[str]) -> str:
        sides = (str.ljust if name in LEFT else str.rjust for name in table.header)
        return "  ".join(
            side(field, width) for side, field, width in zip(sides, line, widths, strict=True)
        ).rstrip()

    return "\n\n".join("\n".join(map(aligned, group)) for group in [[header, *groups[0]], *groups[1:]])


def markdown(table: Sheet) -> str:
    """Write a Markdown table; the best of a group is bold, the second best underlined."""
    marked = _marked(table, _markdown_escaped, "**{}**", "<u>{}</u>", "_{}_")
    lines = [
        list(map(_markdown_escaped, table.header)),
        ["---" if name in LEFT else "--:" for name in table.header],
    ]
    return "\n".join(
        f"| {' | '.join(line)} |" for line in [*lines, *(line for group in marked for line in group)]
    )


def latex(table: Sheet) -> str:
    """Write a LaTeX ``tabular`` that needs no package; the best of a group is bold, the second underlined."""
    marked = _marked(table, latex_escaped, r"\textbf{{{}}}", r"\underline{{{}}}", r"\emph{{{}}}")
    groups = ["\n".join(f"{' & '.join(line)} \\\\" for line in group) for group in marked]
    header = " & ".join(map(latex_escaped, table.header)) + r" \\"
    body = "\n\\hline\n".join([header, *groups])
    columns = "".join("l" if name in LEFT else "r" for name in table.header)
    return f"\\begin{{tabular}}{{{columns}}}\n\\hline\n{body}\n\\hline\n\\end{{tabular}}"


def comma_separated(table: Sheet) -> str:
    """Write CSV without marks and units; a deviation has its own column, and a missing value is empty."""
    lines = [[p.text for p in line] for group in table.groups for line in group]
    values = range(table.words, len(table.header))
    split = [k for k in values if any(" ± " in line[k] for line in lines)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [name.replace(" %", "") for name in table.header]
    for line, is_heading in [(names, True), *((line, False) for line in lines)]:
        fields: list[str] = []
        for k, field in enumerate(line):
            value, _, deviation = field.partition(" ± ") if k in values else (field, "", "")
            fields.append("" if value == "–" and k in values else value)
            fields += [f"{field} sd" if is_heading else deviation] if k in split else []
        writer.writerow(fields)
    return out.getvalue().removesuffix("\n")


FORMATS: dict[str, Callable[[Sheet], str]] = {
    "text": plain,
    "markdown": markdown,
    "csv": comma_separated,
    "latex": latex,
}


def _marked(table: Sheet, escaped: Callable[[str], str], *forms: str) -> list[list[list[str]]]:
    marks = ("{}", *forms)
    return [
        [[marks[p.rank].format(escaped(p.text)) for p in line] for line in group] for group in table.groups
    ]


def latex_escaped(given: str) -> str:
    r"""Escape all characters of a text that mean something to LaTeX.

    >>> print(latex_escaped("H3^2_100%"))
    H3\textasciicircum{}2\_100\%
    """
    return "".join(_LATEX.get(c, c) for c in given)


def _markdown_escaped(given: str) -> str:
    return re.sub(r"([\\`*_|<>\[\]~])", r"\\\1", given)
