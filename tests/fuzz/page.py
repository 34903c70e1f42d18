"""The table of a campaign, for the terminal and for docs/reliability.md."""

import datetime
from collections.abc import Sequence
from pathlib import Path

import riemap
from fuzz.campaign import Tally
from fuzz.verdict import Outcome
from riemap.grids.machine import machine_facts

BEGIN, END = "<!-- fuzz -->", "<!-- end of fuzz -->"
"""Lines of the page between which the table stands."""

LIBRARIES = {"Python": "python", "NumPy": "numpy", "Numba": "numba"}
"""What a result may depend on, by the names of the facts about the machine."""


def table(tallies: Sequence[Tally]) -> str:
    """A Markdown table with a row for each attack, and the sums."""
    headings = ["attack", "cases", *(outcome.value for outcome in Outcome)]
    rows = [[t.attack.name, t.cases, *(t.counts[outcome] for outcome in Outcome)] for t in tallies]
    rows.append(["**all**", *(sum(column) for column in zip(*(row[1:] for row in rows), strict=True))])
    cells = [headings, *([f"{c:,}" if isinstance(c, int) else str(c) for c in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
    lines = [_line(row, widths) for row in cells]
    marks = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([lines[0], _line(marks, widths), *lines[1:]])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cells[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(cells[1:], widths[1:], strict=True))]
    return "| " + " | ".join(padded) + " |"


def notes(tallies: Sequence[Tally]) -> str:
    """How much of what can be counted was tried."""
    return "\n".join(
        f"{t.attack.name}: {min(t.cases, t.whole)} of {t.whole} file operations" for t in tallies if t.whole
    )


def heading(seed: int, minutes: float) -> str:
    """When, with which version, on which machine."""
    facts, today = machine_facts(1), datetime.datetime.now(datetime.UTC).date().isoformat()
    libraries = ", ".join(f"{name} {facts[key]}" for name, key in LIBRARIES.items())
    machine = f"{facts['platform']}, {facts['cores']} cores"
    command = f"`make fuzz MINUTES={minutes:g} SEED={seed}`"
    return f"{command}, {today}, riemap {riemap.__version__}; {machine}, {libraries}:"


def write(page: Path, seed: int, minutes: float, tallies: Sequence[Tally]) -> None:
    """Put the table into the page, in the place of the one before."""
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    parts = [BEGIN, heading(seed, minutes), table(tallies), notes(tallies), END]
    page.write_text(before + "\n\n".join(filter(None, parts)) + after, encoding="utf-8")
