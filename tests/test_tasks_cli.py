"""``riemap links`` and ``riemap labels``: output, JSON, files and messages."""

import csv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from helpers import parsed, run

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A graph of two groups, and the group of most of its nodes."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    i, j = np.triu_indices(40, 1)
    joined = rng.random(len(i)) < np.where((i < 20) == (j < 20), 0.35, 0.02)
    pairs = np.column_stack([i, j])[joined].tolist()
    Path("groups.edges").write_text("".join(f"n{a} n{b}\n" for a, b in pairs))
    labels = [f"n{k},{'red' if k < 20 else 'blue'}\n" for k in range(3, 40)]
    Path("labels.csv").write_text("node,label\n" + "".join(labels))
    return tmp_path


QUICK = ("--space", "H2", "--epochs", "10")


def test_links_are_scored_and_predicted(groups: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("links", "groups.edges", *QUICK, "--test", "0.2", "--validation", "0.2", "--seeds", "2")
    assert run(*given, "--predict", "3", "--json") == 0
    facts = parsed(capsys.readouterr().out)
    assert set(facts) >= {"auc", "ap", "distance", "baselines", "predicted"}
    assert set(facts["auc"]) == {"mean", "se"}
    assert facts["seeds"] == 2
    assert facts["auc"]["mean"] > 0.6
    assert set(facts["baselines"]["Adamic-Adar"]) == {"auc", "ap"}
    assert len(facts["predicted"]) == 3
    assert run(*given, "--predict", "3", "--out", "links.csv") == 0
    told = capsys.readouterr()
    assert "riemap, H2" in told.out
    assert f"{100 * facts['auc']['mean']:.1f} ± {100 * facts['auc']['se']:.1f}" in told.out
    assert "wrote links.csv" in told.err
    rows = list(csv.DictReader(Path("links.csv").read_text().splitlines()))
    assert [row["source"] for row in rows] == [link["source"] for link in facts["predicted"]]
    assert float(rows[0]["probability"]) == pytest.approx(facts["predicted"][0]["probability"], rel=1e-5)


def test_labels_are_scored_and_predicted(groups: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("labels", "groups.edges", "labels.csv", *QUICK)
    assert run(*given, "--json", "--predict") == 0
    facts = parsed(capsys.readouterr().out)
    assert set(facts) >= {"accuracy", "f1", "baselines", "predicted"}
    assert facts["accuracy"]["mean"] > 0.7
    assert facts["accuracy"]["se"] is None
    assert sorted(one["node"] for one in facts["predicted"]) == ["n0", "n1", "n2"]
    assert {one["label"] for one in facts["predicted"]} == {"red"}
    assert run(*given, "--predict") == 0
    told = capsys.readouterr().out
    assert "label propagation" in told
    assert "n0" in told
    assert run(*given, "--predict", "--out", "found.csv") == 0
    assert Path("found.csv").read_text().startswith("node,label,probability\nn")


def test_an_interrupted_prediction_ends_at_once(groups: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is noted while training runs, and the next epoch or stage ends the command."""

    @contextmanager
    def pressed(nodes: int) -> Iterator[Callable[[], bool]]:
        yield lambda: True

    monkeypatch.setattr("riemap.training.training_process", pressed)
    assert run("links", "groups.edges", *QUICK, "--test", "0.2", "--validation", "0.2") == 130
    assert run("labels", "groups.edges", "labels.csv", *QUICK) == 130


def test_names_with_markup_stay_text(groups: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A page shows them, and a table prints them, as they are."""
    odd = ["</script><script>alert(1)</script>", "[bold]Zoë[/bold]", "名前, 'é'"]
    names = [*odd, *(f"n{k}" for k in range(3, 40))]
    lines = [line.split() for line in Path("groups.edges").read_text().splitlines()]
    numbers = [[int(node[1:]) for node in line] for line in lines]
    with Path("odd.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["source", "target"], *([names[a], names[b]] for a, b in numbers)])
    with Path("odd-labels.csv").open("w", encoding="utf-8", newline="") as file:
        rows = [[name, "<i>röd</i>" if k < 20 else "blå"] for k, name in enumerate(names) if k != 1]
        csv.writer(file).writerows([["node", "label"], *rows])
    assert run("labels", "odd.csv", "odd-labels.csv", *QUICK, "--predict", "--report", "labels.html") == 0
    assert "[bold]Zoë[/bold]" in capsys.readouterr().out
    shares = ("--test", "0.2", "--validation", "0.2")
    assert run("links", "odd.csv", *QUICK, *shares, "--predict", "700", "--report", "links.html") == 0
    assert run("links", "odd.csv", *QUICK, *shares, "--predict", "700", "--out", "links.csv") == 0
    for page in ("labels.html", "links.html"):
        text = Path(page).read_text(encoding="utf-8")
        assert "<script>alert" not in text
        assert "<i>röd" not in text
    with Path("links.csv").open(encoding="utf-8", newline="") as file:
        predicted = list(csv.DictReader(file))
    assert set(odd) <= {row[end] for row in predicted for end in ("source", "target")}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["links", "path(n=9)"], "path(n=9) has 8 edges, and test=0.1 of them are 1; a score needs 4"),
        (["links", "karate", "--test", "2"], "test=2 is not a share of the edges"),
        (["links", "karate", "--out", "x.csv"], "say how many, e.g. --predict 100"),
        (["links", "karate", "--space", "Q3"], "cannot read factor 'Q3'"),
        (["links", "karate", "--space", "H40"], "take fewer dimensions than nodes"),
        (["links", "karate", "--space", "H2", "--target", "hops"], "'hops' is not one of auto"),
        (["labels", "groups.edges", "missing.csv"], "missing.csv"),
        (["labels", "groups.edges", "one.csv"], "groups has 1 different label"),
        (["labels", "groups.edges", "unknown.csv"], "no node of groups is called 'n99'"),
        (["labels", "groups.edges", "two.csv"], "2 nodes with a label do not give"),
        (["labels", "groups.edges", "labels.csv", "--out", "x.csv"], "add --predict"),
        (["labels", "groups.edges", "."], ". is a folder, not a file"),
        (["labels", "groups.edges", "labels.csv", "--train", "0.99"], "take smaller parts"),
    ],
)
def test_bad_input_is_one_message(
    groups: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("one.csv").write_text("n1,red\nn2,red\n")
    Path("unknown.csv").write_text("n1,red\nn99,blue\n")
    Path("two.csv").write_text("n1,red\nn2,blue\n")
    assert run(*arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert message in told.err
    assert told.err.count("\n") == 1
