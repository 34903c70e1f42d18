"""Tasks in grids: spelling, runs, records, tables, executors, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import parsed, run, toml

import riemap
from riemap.errors import InputError
from riemap.graphs import load_dataset
from riemap.grids import task_runs, worker
from riemap.grids.grid import grid
from riemap.grids.outcomes import Outcome
from riemap.grids.record import checked_record, compacted, older_engine
from riemap.grids.records import GridFolder
from riemap.grids.worker import attempt
from riemap.runs import RunSpec
from riemap.runs.engine import engine_hash
from riemap.tasks.task import TASK_METRICS, Labels, Links, as_task

pytestmark = pytest.mark.usefixtures("one_thread")

TASK_GRID: dict[str, Any] = {
    "graphs": ["karate"],
    "spaces": ["E2", "H2"],
    "tasks": ["links(validation=0.1)", "labels(file=clubs.csv)"],
    "seeds": [0, 1],
    "epochs": 5,
}


@pytest.fixture
def clubs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The club of every member, in a file of the working directory."""
    monkeypatch.chdir(tmp_path)
    graph = load_dataset("karate")
    lines = zip(graph.labels, graph.attributes["club"], strict=True)  # type: ignore[union-attr]
    Path("clubs.csv").write_text("".join(f"{node},{club}\n" for node, club in lines))
    return tmp_path


@pytest.mark.parametrize(
    ("text", "task"),
    [
        (" links ", Links()),
        ("links(test=0.10, validation=0.1)", Links(validation=0.1)),
        ("labels( file = a/b.csv )", Labels("a/b.csv")),
        ("labels(train=20,file=b.csv,per_class=true)", Labels("b.csv", train=20.0, per_class=True)),
    ],
)
def test_a_task_has_one_spelling(text: str, task: Any) -> None:
    assert as_task(text) == task
    assert as_task(str(task)) == task
    assert str(as_task(str(task))) == str(task)


def test_other_labels_and_other_options_are_other_runs(clubs: Path) -> None:
    def only(task: str) -> RunSpec:
        return grid({**TASK_GRID, "spaces": ["H2"], "seeds": [0], "tasks": [task]})[0]

    one = only("labels(file=clubs.csv)")
    assert only(f"labels( file={clubs / 'clubs.csv'}, train=0.3)").id == one.id, "the same labels"
    assert str(clubs) not in json.dumps(only(f"labels(file={clubs / 'clubs.csv'})").as_json())
    assert only("labels(file=clubs.csv,train=0.4)").id != one.id
    assert only("links(validation=0.1)").id != only("links(validation=0.2)").id
    text = Path("clubs.csv").read_text()
    Path("clubs.csv").write_text(text.replace("Officer", "Mr. Hi", 1))
    assert only("labels(file=clubs.csv)").id != one.id
    again = RunSpec.from_json(json.loads(json.dumps(one.as_json())), one.source, "clubs.csv")
    assert again == one
    assert str(one) == "karate in H2, labels(file=clubs.csv), seed 0"


def test_tasks_multiply_spaces_and_seeds_but_no_losses(clubs: Path) -> None:
    both = {**TASK_GRID, "tasks": ["embed", "links(validation=0.1)"], "losses": ["stress", "ad"]}
    runs = grid(both)
    assert [r.task is None for r in runs].count(True) == 2 * 2 * 2
    assert [r.task is None for r in runs].count(False) == 2 * 2
    plain = grid({key: value for key, value in both.items() if key != "tasks"})
    assert [r.id for r in runs if r.task is None] == [r.id for r in plain], "records of old grids are found"


def test_a_grid_is_done_once_by_processes_and_shown(clubs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(toml(clubs, TASK_GRID))
    assert run("grid", file, "--out", "out", "--workers", "2", "--json") == 0
    facts = parsed(capsys.readouterr().out)
    assert (facts["done"], facts["computed"]) == (8, 8)
    assert run("grid", file, "--out", "out", "--json") == 0
    assert parsed(capsys.readouterr().out)["computed"] == 0
    records = GridFolder(Path("out")).records()
    links, labels = records[0], records[-1]
    assert set(links["scores"]) == {"links.auc", "links.ap", "links.distance"}
    assert set(labels["scores"]) == {"labels.accuracy", "labels.f1", "labels.f1_rarer"}
    assert {*links["scores"], *labels["scores"]} == {metric.name for metric in TASK_METRICS}
    assert labels["model"]
    assert not Path("out/embeddings").exists()
    # What the command of a single task finds with the same seed is what the record has.
    found = riemap.predict_labels("karate", "clubs.csv", "H2", seed=1, epochs=5)
    assert found.trials[0].scores["accuracy"] == labels["scores"]["labels.accuracy"]
    assert run("table", "out", "--by", "mean") == 0
    table = capsys.readouterr().out
    assert table.splitlines()[0].split() == [
        *["graph", "dim", "space", "task", "links.auc", "%", "links.ap", "%"],
        *["labels.accuracy", "%", "labels.f1", "%"],
    ]
    assert "labels(file=clubs.csv)" in table
    assert " ± " in table
    assert run("table", "out", "--json", "-m", "links.distance") == 0
    rows = parsed(capsys.readouterr().out)["rows"]
    assert [(row["space"], row["task"][:5]) for row in rows] == [
        ("E2", "links"),
        ("H2", "links"),
        ("E2", "label"),
        ("H2", "label"),
    ]
    best = max(
        r["scores"]["links.distance"]
        for r in records
        if r["run"]["space"] == "E2" and "links.auc" in r["scores"]
    )
    assert rows[0]["ours"] == {"links.distance": pytest.approx(best)}
    assert rows[2]["ours"] == {"links.distance": None}
    assert run("table", "out", "--format", "csv", "--by", "mean") == 0
    assert capsys.readouterr().out.startswith("graph,dim,space,task,links.auc,links.auc sd,")


def test_labels_that_changed_meanwhile_fail_that_run(clubs: Path) -> None:
    runs = grid({**TASK_GRID, "spaces": ["E2"], "seeds": [0], "tasks": ["labels(file=clubs.csv)"]})
    folder = GridFolder(clubs / "out")
    folder.begin([r.id for r in runs])
    Path("clubs.csv").write_text(Path("clubs.csv").read_text().replace("Officer", "Mr. Hi", 1))
    task_runs.opened.cache_clear()
    assert attempt(folder, runs[0], 0) is Outcome.FAILED
    (failed,) = folder.records()
    assert failed["error"]["message"].startswith("the labels of 'karate' changed since the grid began")


def test_records_of_predictions_are_checked_and_know_their_code(clubs: Path) -> None:
    one = grid({**TASK_GRID, "tasks": ["links(validation=0.1)"]})[0]
    record, embedding = worker.computed(one, lambda: (load_dataset("karate"), ()))
    assert embedding is None
    assert checked_record(record) is record
    assert record["engine"] == engine_hash("tasks") != engine_hash()
    assert older_engine([record]) == 0
    assert older_engine([{**record, "engine": engine_hash()}]) == 1
    assert compacted(record)["scores"].keys() == record["scores"].keys()
    with pytest.raises(InputError, match="its model is missing"):
        checked_record({key: value for key, value in record.items() if key != "model"})
    moved = replace(one, key="other")
    failed, _ = worker.computed(moved, lambda: (load_dataset("karate"), ()))
    assert "the graph of 'karate' changed" in failed["error"]["message"]


BAD = {
    "[1]": "1 in tasks is not text",
    "[]": "tasks is a list with something in it, e.g. tasks = [",
    '["link"]': "no task is called 'link'; did you mean 'links'?",
    '["labels"]': "file must be given; it is spelled labels(file=...,train=0.3",
    '["links(shares=1)"]': "there is no argument 'shares'",
    '["links", "links(test=0.1)"]': "'links' and 'links(test=0.1)' are the same",
    '["links(test=2)"]': "test=2 is not a share of the edges",
    '["links(test=0.01)"]': "a score needs 4",
    '["labels(file=none.csv)"]': "none.csv",
    '["labels(file=one.csv)"]': "karate has 1 different label",
    '["labels(file=other.csv)"]': "no node of karate is called 'x'",
    '["labels(file=clubs.csv,train=0.99)"]': "take smaller parts",
    '["links(validation=0.1)"]\nlosses = ["ad"]': "losses are for the task 'embed'",
}


@pytest.mark.parametrize("tasks", BAD)
def test_bad_tasks_are_one_message(tasks: str, clubs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("one.csv").write_text("1,a\n2,a\n")
    Path("other.csv").write_text("2,b\nx,a\n")
    Path("grid.toml").write_text(f'graphs = ["karate"]\nspaces = ["E2"]\ntasks = {tasks}\n')
    assert run("grid", "grid.toml", "--out", "out") == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("riemap: grid.toml: ")
    assert BAD[tasks] in told.err
    assert told.err.count("\n") == 1
    assert not Path("out").exists()


def test_dissimilarities_have_no_links(clubs: Path) -> None:
    Path("d.csv").write_text("0,1,2\n1,0,1\n2,1,0\n")
    with pytest.raises(InputError, match=r"a matrix of dissimilarities, which has no edges; links needs a"):
        task_runs.task_source(riemap.read_dissimilarities(Path("d.csv")), "links")
