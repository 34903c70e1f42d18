"""``riemap paper table5`` and the others: do its runs, show ours beside the paper's, check them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

import riemap
from riemap.cli.arguments import AsJson, Budget, Ray, RetryFailed, TableFormat, Workers
from riemap.cli.messages import one_of, refusing
from riemap.cli.output import print_json
from riemap.cli.paper_records import DEFAULT_FOLDER, PaperRecords, shown_records
from riemap.cli.runs import compute, interrupted, tell_older_engine
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.grids.published import Key
    from riemap.grids.record import RunRecord
    from riemap.grids.records import GridFolder
    from riemap.paper.tables import PaperTable
    from riemap.runs import RunSpec


def table(
    context: typer.Context,
    graphs: Annotated[
        str, typer.Option(help="Only rows of these graphs, as in csphd,power.", show_default=False)
    ] = "",
    spaces: Annotated[
        str, typer.Option(help="Only rows of these spaces, as in 'H3,Gr(1,3)'.", show_default=False)
    ] = "",
    seeds: Annotated[str, typer.Option(help="Seeds of the runs, as in 0,1,2.")] = "0",
    budget: Budget = None,
    workers: Workers = 1,
    ray: Ray = "",
    out: PaperRecords = None,
    retry_failed: RetryFailed = False,
    show: Annotated[bool, typer.Option("--show", help="Show the results so far, and do no run.")] = False,
    single: Annotated[
        bool,
        typer.Option("--single", help="Show only rows where a single run beats all figures of the paper."),
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Do recorded runs again, and compare the scores.")
    ] = False,
    form: TableFormat = "text",
    as_json: AsJson = False,
) -> None:
    """Do the runs of a table that are not done yet, small graphs first; or show, or check, what is done."""
    failed = 0
    try:
        with refusing():
            from riemap.grids.records import GridFolder
            from riemap.grids.typeset import FORMATS
            from riemap.paper.tables import TABLES, paper_runs, selected

            one_of("--format", form, FORMATS)
            chosen, folder = TABLES[str(context.info_name)], GridFolder(out or DEFAULT_FOLDER, compact=True)
            keys = selected(chosen, _names(graphs), _names(spaces))
            if show or single:
                _show(chosen, keys, shown_records(out)[0], single, form, as_json)
                return
            runs = paper_runs(chosen, keys, _seeds(seeds))
            if check:
                failed = _check(folder, runs, workers, as_json)
            else:
                failed = _run(folder, runs, workers, ray, budget, retry_failed, as_json)
    except KeyboardInterrupt:
        interrupted()
    raise typer.Exit(1 if failed else 0)


def _names(text: str) -> list[str]:
    from riemap.specs import split

    return [name.strip() for name in split(text, ",") if name.strip()]


def _seeds(text: str) -> list[int]:
    from riemap.specs import shown

    names = _names(text)
    if not names or not all(name.isdecimal() and len(name) < 10 for name in names):
        raise InputError(f"--seeds is not {shown(text)}; give whole numbers from 0 up, e.g. 0,1,2")
    return [int(name) for name in names]


def _run(
    folder: "GridFolder",
    runs: "list[RunSpec]",
    workers: int,
    ray: str,
    budget: float | None,
    retry: bool,
    as_json: bool,
) -> int:
    """Do the runs there is time for, and count those that failed."""
    computed = compute(folder, runs, workers, retry=retry, quiet=as_json, minutes=budget, ray=ray)
    records = [folder.record(run) for run in runs]
    failed = [record for record in records if record is not None and "error" in record]
    left = [run for run, record in zip(runs, records, strict=True) if record is None]
    done = len(runs) - len(left) - len(failed)
    if as_json:
        facts = {"runs": len(runs), "done": done, "failed": len(failed), "computed": computed}
        print_json({**facts, "remain": [run.id for run in left]})
    else:
        rest = f"; {len(left)} remain, the next of them {left[0]}" if left else ""
        typer.echo(f"{done} of {len(runs)} runs are done{rest}")
    if failed:
        error = failed[0]["error"]
        why = f"{failed[0]['id']} ({error['type']}: {error['message']})"
        typer.echo(
            f"riemap: {len(failed)} runs failed, such as {why}; --retry-failed does them again", err=True
        )
    return len(failed)


def _show(
    table: "PaperTable",
    keys: "Sequence[Key]",
    known: "Sequence[RunRecord]",
    single: bool,
    form: str,
    as_json: bool,
) -> None:
    from riemap.grids.typeset import FORMATS
    from riemap.paper import versus_published
    from riemap.paper.tables import counted

    records = [r for r in known if (r["run"]["graph"], r["run"]["space"]) in set(keys)]
    rows = versus_published.lines(table, keys, records)
    others = len(records) - len(counted(table, records))
    if others:
        typer.echo(
            f"riemap: {others} of {len(records)} records do not count: they failed, or have another loss, or "
            "would be trained in another way today",
            err=True,
        )
    engines = tell_older_engine(counted(table, records), "; --check does some again")
    beaten = [row for row in rows if row.single is not None]
    if as_json:
        facts = (
            [versus_published.single_facts(table, r) for r in beaten]
            if single
            else [versus_published.facts(table, r) for r in rows]
        )
        print_json({"rows": facts, "engine": engines})
        return
    if single:
        typer.echo(FORMATS[form](versus_published.single_sheet(table, beaten)))
        said = f"of {len(rows)} rows, {len(beaten)} have a run that beats all figures of the paper at once"
    else:
        typer.echo(FORMATS[form](versus_published.sheet(table, rows)))
        found = versus_published.verdicts(table, rows)
        counts = ", ".join(f"{count} {word}" for word, count in found.items())
        said = f"of {sum(found.values())} cells: {counts}; * is better than the figure beside it, - worse"
    typer.echo(f"\n{said}", err=form != "text")


def _check(folder: "GridFolder", runs: "list[RunSpec]", workers: int, as_json: bool) -> int:
    """Do recorded runs again, and count those whose scores differ too much."""
    from riemap.grids.recheck import check

    recorded = [(run, record) for run in runs if (record := folder.record(run)) is not None]
    known = [run for run, record in recorded if "scores" in record]
    if not known:
        raise InputError(f"{folder.path} has no record of these {len(runs)} runs; do them without --check")
    versions = {record["version"] for _, record in recorded if "scores" in record} - {riemap.__version__}
    if versions:
        typer.echo(
            f"riemap: this is {riemap.__version__}, and some records are of {', '.join(versions)}", err=True
        )
    found, wrong = {}, 0
    for run, differences, confirmed in check(folder, known, workers):
        found[run.id] = list(differences)
        wrong += not confirmed
        said = "close: " if differences and confirmed else ""
        if not as_json:
            typer.echo(f"{run}: {said}{'; '.join(differences) or 'the same'}")
    same = sum(not differences for differences in found.values())
    if as_json:
        print_json({"checked": len(found), "same": same, "different": wrong, "runs": found})
    else:
        close = len(found) - same - wrong
        typer.echo(
            f"{len(found)} runs done again: {same} the same to six digits, {close} close, "
            f"{wrong} with another result"
        )
    return wrong
