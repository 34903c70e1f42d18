"""Write docs/paper.md from its template, docs/paper.template.md, and the records of results/paper.

It also packs the records into the package, so that they can be shown wherever riemap is installed.

A line of the template such as `<!-- table5 -->` is replaced by the output of a function below.
Run: python tools/paper_page.py [--check]
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from riemap.files import written_whole
from riemap.grids.record import RunRecord
from riemap.grids.records import GridFolder
from riemap.grids.tables import better, text
from riemap.grids.typeset import Piece, Sheet, markdown
from riemap.losses import as_loss
from riemap.paper.records import PACKED_FILE, packed
from riemap.paper.tables import BOTH, PRESET, RULE, TABLES, PaperTable, counted
from riemap.paper.versus_published import VERDICTS, Line, lines, sheet, single_sheet, value, verdicts

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE, PAGE, RECORDS = ROOT / "docs/paper.template.md", ROOT / "docs/paper.md", ROOT / "results/paper"
PACKED = ROOT / "src/riemap/paper" / PACKED_FILE

LETTERS = {str(as_loss(loss)): letter for loss, letter in zip(RULE, "abcdefghij", strict=False)}
FIGURES = {"paper-fig2.png": "F1@k curves of four synthetic graphs", "paper-fig3.png": "Sums of angles"}


def page(template: str, records: Sequence[RunRecord]) -> str:
    """The template with every slot filled."""
    rows = {name: lines(table, list(table.reference), records) for name, table in TABLES.items()}
    slots: dict[str, Callable[[], str]] = {
        "losses": losses,
        "overview": lambda: overview(rows),
        "cost": lambda: cost(records),
        "single": lambda: markdown(single_sheet(TABLES["table5"], rows["table5"])),
        "single count": lambda: single_count(rows["table5"]),
        "worse": lambda: worse(rows),
        "presets": lambda: presets([row for name in ("table5", "table7") for row in rows[name]]),
        "figures": figures,
        **{name: partial(whole, table, rows[name]) for name, table in TABLES.items()},
    }
    filled = []
    for line in template.splitlines():
        name = line.removeprefix("<!-- ").removesuffix(" -->")
        filled.append(slots[name]() if line == f"<!-- {name} -->" else line)
    note = "<!-- Made by tools/paper_page.py from docs/paper.template.md and results/paper; do not edit. -->"
    return "\n".join([note, "", *filled]) + "\n"


def losses() -> str:
    return "\n".join(f"- **{name}** `{loss}`" for loss, name in LETTERS.items())


def letter(record: RunRecord) -> str:
    """The letter of the loss of a run; a capital if the preset is steady."""
    name = LETTERS[record["run"]["loss"]]
    return name if record["run"]["preset"] == PRESET else name.upper()


def overview(rows: Mapping[str, Sequence[Line]]) -> str:
    found = [[Piece(n), *(Piece(str(c)) for c in verdicts(TABLES[n], r).values())] for n, r in rows.items()]
    return markdown(Sheet(["table", *VERDICTS], [found]))


def whole(table: PaperTable, rows: Sequence[Line]) -> str:
    """Every cell beside the published one, with the losses of ours and the time of all runs of the row."""
    found = sheet(table, rows)
    pieces = [line for group in found.groups for line in group]
    for row, line in zip(rows, pieces, strict=True):
        used = [letter(row.ours[m].record) if m in row.ours else "–" for m in table.metrics]
        line += [Piece(" ".join(used)), Piece(f"{row.seconds:.0f}" if row.ours else "–")]
    return markdown(Sheet([*found.header, "loss", "seconds"], found.groups))


def worse(rows: Mapping[str, Sequence[Line]]) -> str:
    """The cells where ours is worse, and the best value of each loss."""
    found = []
    for name, table in TABLES.items():
        for row in rows[name]:
            for metric in table.metrics:
                if row.verdict(metric) == "worse":
                    ours = text(metric, row.ours[metric].value, table.digits)
                    theirs = text(metric, row.paper[metric], table.digits)
                    cells = (row.graph, str(row.dim), row.space, metric, ours, theirs, tried(row, metric))
                    found.append([Piece(cell) for cell in cells])
    if not found:
        return "None of the cells that are done."
    return markdown(Sheet(["graph", "dim", "space", "metric", "ours", "paper", "by loss"], [found]))


def tried(row: Line, metric: str) -> str:
    """Every loss that was tried, with its best value, and the number of seeds if there are several."""
    values: dict[str, list[float]] = {}
    for record in row.records:
        score = value(record, metric)
        if score is not None:
            values.setdefault(letter(record), []).append(score)
    pick = max if better(metric, 1.0, 0.0) else min
    return ", ".join(
        f"{name} {text(metric, pick(scores), 0)}" + (f" of {len(scores)}" if len(scores) > 1 else "")
        for name, scores in sorted(values.items(), key=lambda item: (item[0].lower(), item[0].isupper()))
    )


def presets(rows: Sequence[Line]) -> str:
    """The scores of both presets, for every loss and seed that was run with both."""
    metrics = TABLES["table5"].metrics
    found = []
    for row in rows:
        pairs: dict[tuple[str, int], dict[str, RunRecord]] = {}
        for record in row.records:
            run = record["run"]
            pairs.setdefault((LETTERS[run["loss"]], run["seed"]), {})[run["preset"]] = record
        for (name, _), pair in sorted(pairs.items()):
            if len(pair) == 2:
                line = [Piece(cell) for cell in (row.graph, str(row.dim), row.space, name)]
                for metric in metrics:
                    usual, steady = (value(pair[preset], metric) for preset in BOTH)
                    rank = int(usual is not None and steady is not None and better(metric, steady, usual))
                    line += [Piece(text(metric, usual)), Piece(text(metric, steady), rank)]
                found.append(line)
    header = ["graph", "dim", "space", "loss", *(name for metric in metrics for name in (metric, "steady"))]
    return markdown(Sheet(header, [found]))


def single_count(rows: Sequence[Line]) -> str:
    count = sum(row.single is not None for row in rows)
    return f"In **{count}** of the {len(rows)} rows of table 5, one run beats the paper's F1@1, AUC and AD."


def cost(records: Sequence[RunRecord]) -> str:
    """Time, versions and machines of the runs."""
    done = {r["id"]: r for table in TABLES.values() for r in counted(table, records)}.values()
    hours = sum(r["seconds"] or 0.0 for r in done) / 3600.0

    def all_of(key: str) -> str:
        return ", ".join(sorted({str(r["machine"][key]) for r in done}))

    if not done:
        return "No run is done yet."
    made = ", ".join(sorted({r["version"] for r in done}))
    parts = [f"{name} {all_of(name.lower())}" for name in ("Python", "NumPy", "Numba")]
    return (
        f"{len(done)} runs took {hours:.1f} hours in all, with riemap {made}, {', '.join(parts)}, on "
        f"{all_of('platform')}; threads of a run: {all_of('threads')}."
    )


def figures() -> str:
    drawn = [f"![{title}]({name})" for name, title in FIGURES.items() if (PAGE.parent / name).is_file()]
    return "\n\n".join(drawn) or "Not drawn yet."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="check that the page is up to date, and write nothing"
    )
    given = parser.parse_args()
    found = page(TEMPLATE.read_text(encoding="utf-8"), GridFolder(RECORDS, compact=True).records())
    if not given.check:
        with written_whole(PAGE) as file:
            file.write(found.encode())
        with written_whole(PACKED) as file:
            file.write(packed(RECORDS))
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != found:
        sys.exit("docs/paper.md is not what results/paper makes; run: python tools/paper_page.py")


if __name__ == "__main__":
    main()
