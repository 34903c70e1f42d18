"""``riemap paper``: the tables and figures of the paper, and ours beside them."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from riemap.cli.arguments import Budget, Ray, Workers
from riemap.cli.figures import check_figure, write_figure
from riemap.cli.messages import refusing
from riemap.cli.paper_records import PaperRecords, shown_records
from riemap.cli.paper_tables import table
from riemap.cli.runs import compute, interrupted
from riemap.errors import InputError

TABLES = {
    "table5": "Spaces without positive curvature: eleven graphs.",
    "table6": "Compact spaces: four graphs and a matrix of dissimilarities.",
    "table7": "Products of twelve dimensions: three graphs.",
    "ad10": "Average distortion in ten dimensions, of later work: three graphs.",
    "gu2019": "Average distortion and mAP in ten dimensions, of later work: three graphs.",
}

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Do the paper's tables and figures, and show ours beside them. Example: riemap paper table6 --show",
)
for _name, _title in TABLES.items():
    _does = "Does the runs that are not done yet, small graphs first; or shows, or checks, what is done."
    _examples = f"Examples: riemap paper {_name} --budget 60; riemap paper {_name} --show"
    app.command(_name, short_help=_title, help=f"{_title}\n\n{_does}\n\n{_examples}")(table)

Figure: TypeAlias = Annotated[
    Path,
    typer.Option("--figure", "-o", help="The file to write, a .png, .svg or .pdf.", show_default=False),
]


@app.command("fig2", short_help="F1@k curves and hop counts of four synthetic graphs.")
def fig2(
    figure: Figure,
    out: PaperRecords = None,
    budget: Budget = None,
    workers: Workers = 1,
    ray: Ray = "",
    show: Annotated[bool, typer.Option("--show", help="Do no runs, even with --out.")] = False,
) -> None:
    """F1@k curves and hop counts of four synthetic graphs, by RSNE at a high temperature.

    Draws the runs that are recorded. With --out, it first does those of the 28 runs that the folder lacks,
    which takes about ten minutes.

    Examples: riemap paper fig2 -o fig2.png; riemap paper fig2 -o fig2.png --out fig2-runs --workers 2
    """
    try:
        with refusing():
            from riemap.grids.records import GridFolder
            from riemap.paper.figures import curves, synthetic_runs
            from riemap.plots import f1_curves

            check_figure(figure, "--figure")
            runs = synthetic_runs()
            if out is None and (budget is not None or ray or workers > 1):
                raise InputError(
                    "--budget, --workers and --ray do runs; name their folder, e.g. --out fig2-runs"
                )
            if out is not None and not show:
                compute(GridFolder(out, compact=True), runs, workers, minutes=budget, ray=ray)
            records, place = shown_records(out)
            found = curves(records)
            missing = len(runs) - sum(len(graph.f1) for graph in found.values())
            if missing == len(runs):
                raise InputError(f"{place} has no run of figure 2; 'riemap paper fig2 --out DIR' does them")
            if missing:
                typer.echo(f"riemap: {missing} of {len(runs)} runs are not done, and not drawn", err=True)
            write_figure(f1_curves(found), figure)
    except KeyboardInterrupt:
        interrupted()


@app.command("fig3", short_help="Sums of angles in triangles of the best embeddings of table 5.")
def fig3(figure: Figure, out: PaperRecords = None) -> None:
    """Sums of angles in triangles of the best embeddings of table 5 in three dimensions.

    Drawn from the records that 'riemap paper table5' makes. Example: riemap paper fig3 -o fig3.png
    """
    with refusing():
        from riemap.paper.figures import angles
        from riemap.plots import angle_boxes

        check_figure(figure, "--figure")
        records, place = shown_records(out)
        found = angles(records)
        if not any(found.values()):
            raise InputError(
                f"{place} has no run of table 5 in three dimensions; 'riemap paper table5' does them"
            )
        write_figure(angle_boxes(found), figure)
