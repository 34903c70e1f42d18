"""``riemap paper``: the paper's figures, the grids behind them, and ours beside them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers import kept_records as kept
from helpers import paper_record as record
from helpers import run

import riemap
from riemap.graphs import DATASETS
from riemap.grids.budget import Budget, estimate
from riemap.grids.outcomes import Outcome, RunOutcome
from riemap.grids.queue import always
from riemap.grids.records import GridFolder
from riemap.losses import as_loss
from riemap.paper import tables as paper
from riemap.paper import versus_published
from riemap.paper.tables import RULE, TABLES, PaperTable, counted, paper_runs, selected
from riemap.runs.spec import RunSpec
from riemap.spaces import Space

# --- the figures --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rows", "cells"),
    [("table5", 108, 324), ("table6", 35, 91), ("table7", 18, 54), ("ad10", 18, 18), ("gu2019", 27, 54)],
)
def test_every_figure_is_there(name: str, rows: int, cells: int) -> None:
    reference = TABLES[name].reference
    assert len(reference) == rows
    assert sum(map(len, reference.values())) == cells
    for graph, space in reference:
        assert graph in DATASETS
        assert str(Space.parse(space)) == space


def test_some_figures() -> None:
    """As they are printed; the names are ours."""
    assert TABLES["table5"].reference["california", "E3"] == {"f1@1": 15.97, "auc": 77.99, "ad": 0.2297}
    assert TABLES["table5"].reference["power", "SPD4"] == {"f1@1": 79.36, "auc": 95.59, "ad": 0.033}
    assert TABLES["table6"].reference["cat-cortex", "Gr(2,4)"] == {"ad": 0.129}
    assert TABLES["table7"].reference["web-edu", "Stein3 x Gr(3,5)"] == {
        "f1@1": 69.76,
        "auc": 96.24,
        "ad": 0.073,
    }
    assert TABLES["ad10"].reference["facebook", "S5 x H5"] == {"ad": 0.0346}
    assert TABLES["gu2019"].reference["power", "H2^2 x E2 x S2^2"] == {"ad": 0.0380, "map": 81.52}


# --- the grids ----------------------------------------------------------------------------------------


def test_rows_by_name() -> None:
    table = TABLES["table6"]
    assert len(selected(table)) == 35
    assert selected(table, ["bunny-fine", "cat-cortex"], [" S2", "Gr(1, 3)"]) == [
        ("bunny-fine", "S2"),
        ("bunny-fine", "Gr(1,3)"),
        ("cat-cortex", "S2"),
        ("cat-cortex", "Gr(1,3)"),
    ]


def test_the_grid_behind_a_table(paper_graph: Any) -> None:
    """Every loss for every row; small graphs first, few dimensions before many."""
    paper_graph("cat-cortex")
    keys = selected(TABLES["table6"], ["sphere-mesh", "cat-cortex"], ["S4", "S2"])
    runs = paper_runs(TABLES["table6"], keys, seeds=[0, 7])
    assert [(r.graph, r.space) for r in runs[:: 2 * len(RULE)]] == [
        ("cat-cortex", "S2"),
        ("cat-cortex", "S4"),
        ("sphere-mesh", "S2"),
        ("sphere-mesh", "S4"),
    ]
    assert len(runs) == 4 * 2 * len(RULE)
    assert {r.loss for r in runs} == {str(as_loss(text)) for text in RULE}
    assert {(r.preset, r.optimizer, r.epochs) for r in runs} == {("default", None, None)}


def test_tables_with_curvature_to_run_away_into_try_two_presets(paper_graph: Any) -> None:
    """The second counts where it is asked for, as it is today, and nowhere else."""
    paper_graph("power")
    table = TABLES["table5"]
    runs = paper_runs(table, [("power", "H3")])
    assert [r.preset for r in runs] == ["default"] * len(RULE) + ["steady"] * len(RULE)
    records = [{"run": json.loads(json.dumps(run.as_json())), "scores": {}} for run in runs]
    assert counted(table, records) == records
    assert counted(table._replace(presets=("default",)), records) == records[: len(RULE)]
    records[-1]["run"]["plan"] = records[0]["run"]["plan"]
    assert counted(table, records) == records[:-1]


def test_a_table_may_ask_for_longer_runs(paper_graph: Any) -> None:
    """Those count where they are asked for, and nowhere else."""
    paper_graph("power")
    table = TABLES["ad10"]
    usual, longer = paper_runs(table, [("power", "E10")])
    assert [run.epochs for run in (usual, longer)] == [None, 4000]
    records = [{"run": json.loads(json.dumps(run.as_json())), "scores": {}} for run in (usual, longer)]
    assert counted(table, records) == records
    assert counted(TABLES["table5"], records) == records[:1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--graphs", "bunny"],
            "table6 has no graph 'bunny'; did you mean 'bunny-fine'? It has sphere-mesh, bunny-fine, ",
        ),
        (["--graphs", "power"], "table6 has no graph 'power'. It has sphere-mesh"),
        (["--spaces", "H3"], "table6 has no space 'H3'. It has S2, Gr(1,3)"),
        (["--spaces", "Q3"], "no manifold is called 'Q'"),
        (["--spaces", "Gr(1,3"], "parentheses do not match"),
        (["--seeds", "0,-1"], "--seeds is not '0,-1'; give whole numbers from 0 up, e.g. 0,1,2"),
        (["--format", "txt"], "--format is not 'txt'; did you mean 'text'?"),
        (["--check", "--graphs", "cat-cortex"], "has no record of these"),
    ],
)
def test_refused(
    options: list[str], message: str, tmp_path: Path, paper_graph: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    paper_graph("cat-cortex")
    assert run("paper", "table6", "--out", str(tmp_path), *options) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


# --- ours beside the paper's --------------------------------------------------------------------------

BUNNY = ("bunny-fine", "S2")  # the paper: 88.12, 89.61, 0.146


def line(*records: dict[str, Any], table: PaperTable = TABLES["table6"]) -> versus_published.Line:
    (found,) = versus_published.lines(table, [BUNNY], records)
    return found


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((88.23, 89.72, 0.1449), ["better"] * 3),
        ((88.22, 89.51, 0.147), ["equal"] * 3),
        ((88.01, 89.50, 0.1471), ["worse"] * 3),
        ((88.3, None, 0.1), ["better", "missing", "better"]),
    ],
)
def test_tolerances(scores: tuple[Any, ...], expected: list[str]) -> None:
    found = line(record(*BUNNY, "ad", *scores))
    assert [found.verdict(metric) for metric in ("f1@1", "auc", "ad")] == expected


def test_where_the_paper_has_no_figure() -> None:
    (found,) = versus_published.lines(
        TABLES["table6"], [("cat-cortex", "S2")], [record("cat-cortex", "S2", "ad", 1, 2, 0.3)]
    )
    assert [found.verdict(metric) for metric in ("f1@1", "auc", "ad")] == [None, None, "worse"]
    assert versus_published.verdicts(TABLES["table6"], [found]) == {
        "better": 0,
        "equal": 0,
        "worse": 1,
        "missing": 0,
    }
    assert found.single is None


def test_the_best_by_metric_and_its_loss() -> None:
    found = line(
        record(*BUNNY, "ad", 80.0, 85.0, 0.12),
        record(*BUNNY, RULE[0], 90.0, 80.0, 0.3),
        record(*BUNNY, RULE[1], 85, 95, 0.2),
    )
    told = versus_published.facts(TABLES["table6"], found)
    assert told == {
        "graph": "bunny-fine",
        "dim": 2,
        "space": "S2",
        "paper": pytest.approx({"f1@1": 0.8812, "auc": 0.8961, "ad": 0.146}),
        "ours": pytest.approx({"f1@1": 0.9, "auc": 0.95, "ad": 0.12}),
        "loss": {"f1@1": str(as_loss(RULE[0])), "auc": str(as_loss(RULE[1])), "ad": "ad"},
        "preset": {"f1@1": "default", "auc": "default", "ad": "default"},
    }
    assert found.single is None


def test_one_run_that_beats_all() -> None:
    """Strictly; of several, the one that does so by the largest least margin."""
    close, clear = record(*BUNNY, RULE[2], 88.2, 99.0, 0.1), record(*BUNNY, RULE[2], 89.0, 90.5, 0.14, seed=1)
    assert line(close).single == close
    assert line(close, clear).single == clear
    assert line(record(*BUNNY, RULE[2], 88.12, 99.0, 0.1)).single is None


def test_records_that_do_not_count() -> None:
    """Of a loss that is not in the rule, of another plan, of a failure, and of another table."""
    base = record(*BUNNY, "ad", 90.0, 90.0, 0.1)
    assert line(base).ours
    older = {**base, "run": {**base["run"], "plan": {**base["run"]["plan"], "radius": 0.5}}}
    failed = {key: value for key, value in base.items() if key != "scores"} | {"error": {}}
    for other in (
        record(*BUNNY, "distortion", 90.0, 90.0, 0.1),
        older,
        failed,
        record("bunny-fine", "S3", "ad", 9, 9, 9),
    ):
        assert not line(other).ours


def test_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept(
        tmp_path,
        record(*BUNNY, "ad", 88.0, 95.0, 0.12),
        record("bunny-fine", "Gr(1,3)", "ad", 90.0, 95.0, 0.12),
    )
    told = ["paper", "table6", "--graphs", "bunny-fine", "--spaces", "S2,Gr(1,3),S3", "--out", str(tmp_path)]
    assert run(*told, "--show") == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "graph       dim  space    f1@1 %   paper   auc %   paper      ad   paper",
        "bunny-fine    2  S2        88.00-  88.12   95.00*  89.61   0.120*  0.146",
        "bunny-fine    2  Gr(1,3)   90.00*  85.06   95.00*  85.95   0.120*  0.146",
        "",
        "bunny-fine    3  S3            –   94.96       –   96.86       –   0.062",
        "",
        "of 9 cells: 5 better, 0 equal, 1 worse, 3 missing; * is better than the figure beside it, - worse",
    ]
    assert err == ""
    assert run(*told, "--show", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert list(rows) == ["rows", "engine"]
    assert rows["engine"] == {"current": 2, "older": 0}
    assert [row["space"] for row in rows["rows"]] == ["S2", "Gr(1,3)", "S3"]
    assert rows["rows"][0]["ours"] == pytest.approx({"f1@1": 0.88, "auc": 0.95, "ad": 0.12})
    assert rows["rows"][2]["ours"] == {"f1@1": None, "auc": None, "ad": None}
    assert run(*told, "--single") == 0
    assert "bunny-fine    2  Gr(1,3)   90.00   85.06" in (out := capsys.readouterr().out)
    assert "of 3 rows, 1 have a run that beats" in out
    assert "S2" not in out
    assert run(*told, "--show", "--format", "markdown") == 0
    assert "| bunny-fine | 2 | S2 | _88.00_ | 88.12 | **95.00** |" in capsys.readouterr().out


def test_records_that_do_not_count_are_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of other rows are nobody's business."""
    other = record("power", "E3", "distortion", 1, 1, 1)
    kept(tmp_path, record(*BUNNY, "ad", 88.0, 95.0, 0.12), record(*BUNNY, "distortion", 1, 1, 1), other)
    assert run("paper", "table6", "--graphs", "bunny-fine", "--out", str(tmp_path), "--show", "--json") == 0
    out, err = capsys.readouterr()
    assert len(json.loads(out)["rows"]) == 7
    assert err.startswith("riemap: 1 of 2 records do not count: ")


def test_show_needs_neither_records_nor_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RIEMAP_DATA", str(tmp_path))
    for name, cells in {"table5": 324, "table6": 91, "table7": 54, "ad10": 18, "gu2019": 54}.items():
        assert run("paper", name, "--show", "--out", str(tmp_path / "none")) == 0
        out, err = capsys.readouterr()
        assert f"of {cells} cells: 0 better, 0 equal, 0 worse, {cells} missing" in out
        assert err.startswith(f"riemap: {tmp_path / 'none' / 'records'} has no records; without --out")


def test_show_outside_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The records of the package are shown, and the place where others were looked for is told."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RIEMAP_DATA", str(tmp_path))
    assert run("paper", "table6", "--show") == 0
    out, err = capsys.readouterr()
    assert re.search(r"of 91 cells: \d\d better, \d+ equal, \d+ worse, 0 missing", out)
    assert err.startswith(f"riemap: no records in {tmp_path / 'results' / 'paper'}; these come with riemap\n")
    assert not list(tmp_path.iterdir())
    kept(tmp_path / "results" / "paper", record(*BUNNY, "ad", 88.0, 95.0, 0.12))
    assert run("paper", "table6", "--show", "--graphs", "bunny-fine", "--spaces", "S2") == 0
    out, err = capsys.readouterr()
    assert "of 3 cells: 2 better, 0 equal, 1 worse, 0 missing" in out
    assert err == ""


# --- what is done -------------------------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, paper_graph: Any) -> Iterator[None]:
    """A rule of two losses, and plans of eight epochs; other processes would not know of either."""
    from riemap.grids import local_executor, recheck, worker
    from riemap.training import presets

    paper_graph("cat-cortex")
    monkeypatch.setitem(TABLES, "table6", TABLES["table6"]._replace(losses=("ad", "stress")))
    monkeypatch.setattr(presets, "MOST_EPOCHS", 8)
    monkeypatch.setattr(presets, "FEWEST_EPOCHS", 8)

    def here(folder: GridFolder, runs: Any, workers: int = 1, wanted: Any = always) -> Any:
        for one in runs:
            outcome = worker.attempt(folder, one, folder.attempts(one)) if wanted(one) else Outcome.LEFT
            yield RunOutcome(one, outcome)

    monkeypatch.setattr(local_executor, "execute_locally", here)
    monkeypatch.setattr(recheck, "execute_locally", here)
    paper._plan.cache_clear()
    yield
    paper._plan.cache_clear()


ROWS = ["paper", "table6", "--graphs", "cat-cortex", "--spaces", "S2,S3"]


@pytest.mark.usefixtures("quick")
def test_do_show_and_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*ROWS, "--out", str(tmp_path), "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "runs": 4,
        "done": 4,
        "failed": 0,
        "computed": 4,
        "remain": [],
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == ["locks", "records"], "no points"
    assert list((tmp_path / "locks").iterdir()) == []
    (path,) = (tmp_path / "records").iterdir()
    assert path.name == "cat-cortex.jsonl"
    assert path.read_text().count("\n") == 4
    assert path.stat().st_size < 8000
    assert run(*ROWS, "--out", str(tmp_path)) == 0
    assert capsys.readouterr().out == "4 of 4 runs are done\n"
    assert run(*ROWS, "--out", str(tmp_path), "--show", "--json") == 0
    assert None not in [row["ours"]["ad"] for row in json.loads(capsys.readouterr().out)["rows"]]
    assert run(*ROWS, "--out", str(tmp_path), "--check") == 0
    counts = "4 runs done again: 4 the same to six digits, 0 close, 0 with another result\n"
    assert capsys.readouterr().out.endswith(counts)
    first, *others = path.read_text().splitlines()
    found = {key: value for key, value in json.loads(first).items() if key != "checksum"}

    def recorded(factor: float) -> None:
        other = {**found["scores"], "ad": found["scores"]["ad"] * factor}
        path.write_text("\n".join([json.dumps({**found, "scores": other}), *others]) + "\n")

    recorded(1.00001)
    assert run(*ROWS, "--out", str(tmp_path), "--check") == 0
    out = capsys.readouterr().out
    assert "3 the same to six digits, 1 close, 0 with" in out
    assert ": close: ad is " in out
    recorded(1.05)
    before = riemap.__version__
    monkeypatch.setattr(riemap, "__version__", "9.9")
    assert run(*ROWS, "--out", str(tmp_path), "--check", "--json") == 1
    out, err = capsys.readouterr()
    assert f"riemap: this is 9.9, and some records are of {before}" in err
    told = json.loads(out)
    assert (told["checked"], told["same"], told["different"]) == (4, 3, 1)
    assert told["runs"][found["id"]][0].startswith("ad is ")


@pytest.mark.usefixtures("quick")
def test_no_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*ROWS, "--out", str(tmp_path), "--budget", "0") == 0
    assert capsys.readouterr().out.startswith(
        "0 of 4 runs are done; 4 remain, the next of them cat-cortex in S2, "
    )
    assert not (tmp_path / "records").exists()


def test_time_for_one_more(tmp_path: Path) -> None:
    """By the mean of the most similar runs; unknown ones are begun while there is time."""
    now = [0.0]
    budget = Budget(GridFolder(kept(tmp_path), compact=True), 1.0, lambda: now[0])

    def wanted(graph: str, space: str, loss: str) -> bool:
        return budget.allows(RunSpec(graph, "", space, loss, "default", None, None, 0, "{}"))

    assert wanted("bunny-fine", "S2", "ad")
    records = [record("bunny-fine", "S2", "ad", 1, 1, 1) | {"seconds": seconds} for seconds in (20.0, 40.0)]
    records.append(record("bunny-fine", "S3", "stress", 1, 1, 1) | {"seconds": 300.0})
    kept(tmp_path, *records)
    now[0] = 29.0
    assert wanted("bunny-fine", "S2", "ad")
    assert wanted("bunny-fine", "S4", "ad"), "the same loss"
    assert not wanted("bunny-fine", "S3", "stress")
    assert not wanted("bunny-fine", "S3", "distortion"), "the same graph: 120 s"
    assert wanted("power", "S3", "stress"), "nothing is known"
    kept(tmp_path, *records, record("bunny-fine", "S3", "ad", 1, 1, 1) | {"seconds": 300.0})
    assert wanted("bunny-fine", "S2", "ad"), "the same space"
    assert not wanted("bunny-fine", "S4", "ad")
    now[0] = 31.0
    assert not wanted("bunny-fine", "S2", "ad")
    now[0] = 60.0
    assert not wanted("power", "S3", "stress")


def test_a_failed_run_tells_nothing_of_time() -> None:
    one = RunSpec("bunny-fine", "", "S2", "ad", "default", None, None, 0, "{}")
    assert estimate(one, [record(*BUNNY, "ad", 1, 1, 1) | {"seconds": None}]) is None
