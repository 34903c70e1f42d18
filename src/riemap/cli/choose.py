"""``riemap choose``: which space fits a graph, and how sure that is."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from riemap.cli.arguments import AsJson, GraphText, takes_read_options
from riemap.cli.inputs import opening
from riemap.cli.messages import refusing
from riemap.cli.output import new_console, new_table, print_json
from riemap.cli.progress import LINE_SECONDS, telling
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.choosing.choice import Choice, Standing
    from riemap.choosing.search import Search
    from riemap.choosing.trial_record import Trial
    from riemap.graphs import ReadOptions

    TrialTold: TypeAlias = Callable[[Trial, Search], None]

Dim: TypeAlias = Annotated[
    int | None,
    typer.Option(help="Intrinsic dimension of the spaces; by default that of --spaces.", show_default=False),
]
ForMetric: TypeAlias = Annotated[
    str,
    typer.Option(
        "--for",
        help="What decides: ad, auc, f1@1 or map of held-out pairs, or predicted links or labels.",
    ),
]
KnownLabels: TypeAlias = Annotated[
    Path | None,
    typer.Option("--labels", help="For labels: a CSV file with lines node,label.", show_default=False),
]
Spaces: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--spaces",
        "-s",
        help="Spaces to compare, such as 'E3,H3,S2 x E1'; by default all of the dimension.",
        show_default=False,
    ),
]
TimeBudget: TypeAlias = Annotated[str, typer.Option(help="Time that may be used, such as 90s, 10m or 1h.")]
PlanSeeds: TypeAlias = Annotated[int, typer.Option(help="Number of seeds of the last trials, at least 2.")]
OnRay: TypeAlias = Annotated[
    str,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Do the trials on the Ray cluster at this address: 127.0.0.1:6379, or auto.",
        show_default=False,
    ),
]
ChoiceOut: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="A folder that keeps every trial; the same command continues there.", show_default=False
    ),
]


@takes_read_options
def choose(
    graph: GraphText,
    reading: "ReadOptions",
    dim: Dim = None,
    metric: ForMetric = "ad",
    spaces: Spaces = None,
    budget: TimeBudget = "10m",
    seeds: PlanSeeds = 5,
    labels: KnownLabels = None,
    out: ChoiceOut = None,
    ray: OnRay = "",
    as_json: AsJson = False,
) -> None:
    """Find the spaces that fit a graph best, on pairs held out of the loss, and say how sure that is.

    Example: riemap choose karate --dim 2
    """
    with refusing():
        from riemap.choosing.choose_space import answer
        from riemap.choosing.question import asked
        from riemap.choosing.search import SearchEnd
        from riemap.runs import GraphSource
        from riemap.training.interrupts import deferred_interrupts
        from riemap.training.malloc import freed_memory_kept

        if dim is None and spaces is None:
            raise InputError(
                "of which dimension? --dim 3 compares all spaces of three dimensions, and --spaces E3,H3,S3 "
                "compares these"
            )
        source = GraphSource(graph, reading)
        with opening(graph):
            opened = source.open()
        given: Any = {"metric": metric, "spaces": spaces, "budget": budget, "seeds": seeds, "labels": labels}
        question = asked(opened, dim, **given, source=source)
        with (
            freed_memory_kept(),
            deferred_interrupts() as interrupted,
            _progress(opened.name, opened.n, as_json) as told,
        ):
            found = answer(question, out, told, interrupted, ray)
        if as_json:
            print_json(found.as_json())
        else:
            _show(found)
            _tell_next(found, [graph, *reading.words()], labels, out, everything=spaces is None)
    if found.stop is SearchEnd.INTERRUPTED:
        raise typer.Exit(130)


@contextmanager
def _progress(name: str, nodes: int, quiet: bool) -> "Iterator[TrialTold]":
    """Give a function to call after every trial, which shows the best space so far and the time left."""
    if quiet:
        yield lambda trial, search: None
        return
    with telling(f"{name}: computing distances, or in a trial", nodes) as postpone:
        last = time.monotonic() - LINE_SECONDS
        count = 0

        def told(trial: "Trial", search: "Search") -> None:
            nonlocal last, count
            count += 1
            postpone()
            if time.monotonic() - last < (LINE_SECONDS if not sys.stderr.isatty() else 1.0):
                return
            last = time.monotonic()
            record, best = trial.record, search.board.best()
            left = max(search.until - time.monotonic(), 0.0)
            typer.echo(
                f"{name}: trial {count}, {record['space']}, seed {record['seed']}, {record['epochs']} of "
                f"{search.full} epochs; best so far {best}; at most {left:.0f} s left",
                err=True,
            )

        yield told


def _show(choice: "Choice") -> None:
    """Print the table of all spaces, the verdict, and the facts."""
    console = new_console(soft_wrap=True)
    numbers = ("Dim", "Numbers", choice.metric.name, "±", "worse by", "± ", "Runs", "Epochs", "Seconds")
    table = new_table("Space", *numbers, "", right=numbers)
    for standing in choice.ranking:
        table.add_row(*_row(choice, standing))
    nodes = f"{choice.nodes:,} nodes" + (" drawn from the graph" if choice.sampled else "")
    if choice.trial_nodes < choice.nodes:
        nodes += f", {choice.trial_nodes} in each trial"
    console.print(
        f"{choice.graph}, {nodes}; {choice.metric.title} of held-out {choice.held_out}; "
        "* cannot be told apart from the best\n"
    )
    console.print(table)
    console.print(f"\n{choice.verdict}\n")
    for sentence in choice.why.get("sentences", []):
        console.print(f"- {sentence}")


def _row(choice: "Choice", standing: "Standing") -> tuple[str, ...]:
    text = choice.metric.text
    mark = "*" if standing.space in choice.best else ""
    seconds = "–" if standing.seconds is None else f"{standing.seconds:.2f}"
    return (
        standing.space + mark,
        str(standing.dim),
        str(standing.numbers),
        text(standing.mean),
        text(standing.se),
        text(standing.difference),
        text(standing.difference_se),
        str(standing.runs),
        str(standing.epochs),
        seconds,
        standing.note,
    )


def _tell_next(
    choice: "Choice", graph: list[str], labels: Path | None, out: Path | None, everything: bool
) -> None:
    """Say on stderr what is kept, and what to do next."""
    import shlex

    from riemap.choosing import duplicates

    same = ", ".join(f"{a} is {b}" for a, b in duplicates(choice.dim).items())
    if same and everything:
        typer.echo(f"riemap: each geometry is compared once: {same}", err=True)
    if out is not None:
        typer.echo(
            f"riemap: {out} keeps all trials; the same command, or a larger --budget, continues", err=True
        )
    if choice.best:
        space = ["--space", choice.best[0]]
        commands = {
            "pairs": ["embed", *graph, *space, "--out", "best", "--report"],
            "links": ["links", *graph, *space],
            "labels": ["labels", *graph, str(labels), *space],
        }
        typer.echo(f"riemap: next: {shlex.join(['riemap', *commands[choice.held_out]])}", err=True)
