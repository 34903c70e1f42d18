"""The command line: one file a verb, each thin. Results go to stdout, messages to stderr."""

import atexit
import gc
import itertools
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

import riemap
from riemap.cli import (
    add,
    cache,
    choose,
    datasets,
    describe,
    embed,
    evaluate,
    export,
    grid,
    labels,
    links,
    nearest,
    output,
    paper,
    plot,
    report,
    sample,
    spaces,
    table,
)

HELP = """Graphs in curved spaces: embed, measure, explain, show.

\b
Start here:
  riemap embed karate --space H2 --out karate-h2   embed a small graph
  riemap report karate-h2 -o karate-h2.html        see it in a browser
  riemap choose my.edges --dim 3                   which space fits yours?

Every command has an example: riemap COMMAND --help"""

app = typer.Typer(name="riemap", rich_markup_mode=None, pretty_exceptions_enable=False)
app.command("embed")(embed.embed)
app.command("choose")(choose.choose)
app.command("describe")(describe.describe)
app.command("evaluate")(evaluate.evaluate)
app.command("nearest")(nearest.nearest)
app.command("add")(add.add)
app.command("links")(links.links)
app.command("labels")(labels.labels)
app.command("report")(report.report)
app.command("grid")(grid.grid)
app.command("table")(table.table)
app.add_typer(paper.app, name="paper")
app.command("export")(export.export)
app.command("sample")(sample.sample)
app.add_typer(plot.app, name="plot")
app.command("datasets")(datasets.datasets)
app.command("spaces")(spaces.spaces)
app.add_typer(cache.app, name="cache")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"riemap {riemap.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True, help=HELP)
def _riemap(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


RENAMED = {
    "--whole": "--components require",
    "--require-connected": "--components require",
    "--symmetrise": "--undirected",
}
"""Earlier spellings of options, and what they are called now."""

COLLECTED_OBJECTS = 50_000
"""How many more objects than before make Python's garbage collector look for those of no use; by default 700.
A short run imports 170,000 that stay, and looking through them again and again took a tenth of its time."""


def _collect_rarely() -> None:
    """Keep the garbage collector from objects that stay as long as the process, also when it ends."""
    gc.set_threshold(COLLECTED_OBJECTS)
    atexit.register(gc.freeze)  # otherwise Python looks at each of them once more before it exits


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit; with code 2, and one message on stderr, after bad input."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    for word in itertools.takewhile(lambda word: word != "--", given):
        if word in RENAMED:
            typer.echo(f"riemap: {word} is called {RENAMED[word]} now", err=True)
            sys.exit(2)
    _collect_rarely()
    output.never_fail_to_encode()
    with output.full_disk_told():
        app(given, prog_name="riemap")
