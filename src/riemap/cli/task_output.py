"""What ``riemap links`` and ``riemap labels`` have in common: options, progress and tables."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from riemap.cli.messages import one_line
from riemap.cli.output import new_console, new_table
from riemap.cli.progress import stage_progress, telling

if TYPE_CHECKING:
    from riemap.cli.progress import ShareDone
    from riemap.graphs import Graph, ReadOptions

LISTED_PREDICTIONS = 20
"""Most predictions that are printed; ``--out`` and ``--json`` have all of them."""

TaskSpace: TypeAlias = Annotated[
    str, typer.Option("--space", "-s", help="The space to embed in, such as H10 or 'H5 x S5'.")
]
TaskSeeds: TypeAlias = Annotated[
    int, typer.Option(min=1, help="Number of seeds, from --seed on; means and standard errors are over them.")
]
TaskSeed: TypeAlias = Annotated[int, typer.Option(help="First seed, for the split and the embedding.")]
TaskEpochs: TypeAlias = Annotated[
    int | None, typer.Option(help="Number of epochs of each embedding.", show_default=False)
]
TaskTarget: TypeAlias = Annotated[
    str,
    typer.Option(
        help="What is embedded: walks, between all pairs; landmarks, distances in the largest component of "
        "a large graph; or auto, walks up to 30,000 nodes."
    ),
]
PredictionsOut: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A CSV file for the predictions.", show_default=False),
]


TaskReport: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="PAGE",
        help="An .html page that shows the predictions, and where they are wrong.",
        show_default=False,
    ),
]


def check_files(out: Path | None, report: Path | None, example: str, missing: str) -> None:
    """Refuse files that cannot be written before anything is computed; ``missing`` is what --out needs."""
    from riemap.cli.report import check_page
    from riemap.errors import InputError
    from riemap.files import check_destination

    if out is not None:
        check_destination(out, example)
        if missing:
            raise InputError(missing)
    if report is not None:
        check_page(report, "--report")


@contextmanager
def task_progress(graph: "Graph", quiet: bool) -> Iterator[dict[str, Any]]:
    """Give the arguments ``told`` and ``interrupted`` of a prediction, and show its progress."""
    from riemap.training import training_process

    with (
        training_process(graph.n) as interrupted,
        telling(f"{graph.name}: predicting", graph.n) as postpone,
        stage_progress(graph.name) as stage,
    ):
        shown: dict[str, ShareDone] = {}

        def told(what: str, share: float) -> None:
            if interrupted():
                raise KeyboardInterrupt
            if not quiet:
                postpone()
                if what not in shown:
                    shown[what] = stage(what)
                shown[what](share)

        try:
            yield {"told": told, "interrupted": interrupted}
        except KeyboardInterrupt:
            raise typer.Exit(130) from None


def task_command(
    verb: str, words: list[str], reading: "ReadOptions", options: dict[str, Any], report: Path
) -> str:
    """Return the command that makes a page again; options that are off or not given are left out."""
    import shlex

    given = ["riemap", verb, *words, *reading.words()]
    for name, value in options.items():
        if value is not None and value is not False and value != 0:
            given += [f"--{name.replace('_', '-')}", *([] if value is True else [f"{value}"])]
    return shlex.join([*given, "--report", str(report)])


def score_text(score: dict[str, Any]) -> str:
    """A mean in percent, with its standard error if there is one."""
    error = "" if score["se"] is None else f" ± {100 * score['se']:.1f}"
    return f"{100 * score['mean']:.1f}{error}"


def show_scores(facts: dict[str, Any], names: dict[str, str], own: dict[str, dict[str, Any]]) -> None:
    """Print a table of our scores and those of the baselines, in percent."""
    from rich.text import Text

    table = new_table("", *names.values(), right=tuple(names.values()))
    for title, scores in {**own, **facts["baselines"]}.items():
        table.add_row(Text(title), *(score_text(scores[name]) for name in names))
    new_console().print(table)
    if "node2vec" not in facts["baselines"]:
        typer.echo("riemap: node2vec is left out: it needs gensim; pip install gensim brings it", err=True)


def show_predictions(headings: tuple[str, ...], rows: Sequence[tuple[Any, ...]]) -> None:
    """Print the first predictions; the last column is a probability."""
    from rich.text import Text

    typer.echo("")
    table = new_table(*headings, right=headings[-1:])
    for row in rows[:LISTED_PREDICTIONS]:
        table.add_row(*(Text(one_line(str(cell))) for cell in row[:-1]), f"{row[-1]:.3f}")
    new_console().print(table)
    if len(rows) > LISTED_PREDICTIONS:
        typer.echo(f"… and {len(rows) - LISTED_PREDICTIONS} more; --out FILE writes all of them")


def write_predictions(path: Path, headings: tuple[str, ...], rows: Sequence[tuple[Any, ...]]) -> None:
    """Write predictions as comma-separated values."""
    import csv
    import io

    from riemap.files import written_whole

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([heading.lower() for heading in headings])
    writer.writerows((*row[:-1], f"{row[-1]:.6g}") for row in rows)
    with written_whole(path) as file:
        file.write(text.getvalue().encode())
    typer.echo(f"riemap: wrote {path}", err=True)
