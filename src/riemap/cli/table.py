"""``riemap table``: the runs of a grid side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from riemap.cli.arguments import AsJson, TableFormat
from riemap.cli.messages import one_of, refusing
from riemap.cli.output import print_json
from riemap.cli.runs import tell_missing, tell_older_engine
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.grids.published import Reference
    from riemap.grids.tables import Row


Metrics: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        help="A column, or several as in f1@1,auc,ad (the default); of predictions links.auc,labels.f1.",
        show_default=False,
    ),
]
Against: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="A CSV file of published figures: graph, dim, space and metrics; or space and graphs.",
        show_default=False,
    ),
]


def table(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a grid.", show_default=False)],
    metric: Metrics = None,
    by: Annotated[
        str, typer.Option(help="The best of all losses and seeds, or the mean over seeds of the best loss.")
    ] = "best",
    form: TableFormat = "text",
    against: Against = None,
    as_json: AsJson = False,
) -> None:
    """Compare spaces, graph by graph and dimension by dimension.

    The best of a group has a *, and the second best a +.

    Example: riemap table my-grid --by mean --format latex
    """
    with refusing():
        from riemap.grids import tables, typeset
        from riemap.grids.published import counts, read_reference
        from riemap.grids.records import GridFolder

        one_of("--by", by, tables.CHOICES)
        one_of("--format", form, typeset.FORMATS)
        named = [name.strip() for text in metric or () for name in text.split(",")]
        metrics = tables.check_metrics(named)
        grid = GridFolder(folder)
        records = grid.records()
        metrics = metrics or tables.default_metrics(records)
        reference = None if against is None else read_reference(against, metrics)
        rows = tables.rows(records, metrics, "mean" if by == "mean" else "best")
        if not rows:
            raise InputError(f"{folder} has no finished run; 'riemap grid' does them")
        counted = None if reference is None else counts(rows, metrics, reference)
        tell_missing(grid, records)
    failed = sum("error" in record for record in records)
    if failed:
        typer.echo(f"riemap: {failed} of {len(records)} runs failed and are not in the table", err=True)
    engines = tell_older_engine(records)
    if as_json:
        found = {
            "by": by,
            "rows": _rows(rows, reference),
            "engine": engines,
            **({} if counted is None else {"against": counted}),
        }
        print_json(found)
        return
    typer.echo(typeset.FORMATS[form](typeset.sheet(rows, metrics, reference)))
    if counted is not None:
        said = ", ".join(f"{count} {word}" for word, count in counted.items())
        typer.echo(f"\nof {sum(counted.values())} cells: {said}", err=form != "text")


def _rows(rows: "list[Row]", reference: "Reference | None") -> list[dict[str, Any]]:
    """Give the rows as JSON, with fractions where the table has percent."""
    from riemap.grids.tables import fraction

    found = []
    for row in rows:
        facts: dict[str, Any] = {"graph": row.graph, "dim": row.dim, "space": row.space, "task": row.task}
        facts["ours"] = {metric: fraction(metric, cell.value) for metric, cell in row.cells.items()}
        facts["sd"] = {metric: fraction(metric, cell.deviation) for metric, cell in row.cells.items()}
        facts["loss"] = {metric: cell.loss for metric, cell in row.cells.items()}
        if reference is not None:
            published = reference.get((row.graph, row.space), {})
            facts["reference"] = {metric: fraction(metric, value) for metric, value in published.items()}
        found.append(facts)
    return found
