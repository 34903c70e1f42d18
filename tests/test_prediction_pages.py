"""The page of predicted links and labels: what is in it, that names are no code, and the option --report."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import SCRIPT_LABEL, run

from riemap import Graph, predict_labels, predict_links
from riemap.report import labels_page, links_page, predictions

pytestmark = pytest.mark.usefixtures("one_thread")

N = 60
GROUPS = ["left"] * 30 + ["right"] * 30


def groups(first: str = "0") -> Graph:
    """Two groups of thirty nodes, with few edges between them; the first node has a name of its own."""
    rng = np.random.default_rng(1)
    i, j = np.triu_indices(N, 1)
    joined = rng.random(len(i)) < np.where((i < 30) == (j < 30), 0.3, 0.02)
    labels = [first, *map(str, range(1, N))]
    return Graph.from_edges(np.column_stack([i, j])[joined], labels=labels, name="groups", components="keep")


def data(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


@pytest.fixture(scope="module")
def links() -> Any:
    shares: Any = {"test": 0.2, "validation": 0.2}
    return predict_links(groups(), "H2", seeds=2, predict=4, epochs=10, **shares)


def test_the_page_of_links_tells_what_was_missed_and_what_was_wrong(links: Any) -> None:
    found = data(links_page(links, ["riemap links"]))
    hidden = links.hidden
    assert [row["name"] for row in found["scores"]][:2] == ["riemap, H2", "distance in H2 alone"]
    assert found["scores"][0]["auc"] == links.as_json()["auc"]
    joined = hidden.exists == 1
    assert found["counts"]["joined"] == joined.sum() == (~joined).sum() == found["counts"]["others"]
    assert found["counts"]["missed"] == np.sum(joined & (hidden.probability <= 0.5)) > 0
    assert found["counts"]["alarms"] == np.sum(~joined & (hidden.probability > 0.5)) > 0
    assert {name: sum(counts) for name, counts in found["chances"]["counts"].items()} == {
        "joined": joined.sum(),
        "not joined": joined.sum(),
    }
    numbers = {label: i for i, label in enumerate(hidden.train.labels)}
    hidden_edges = {frozenset(pair) for pair in hidden.pairs[joined].tolist()}
    missed = [(frozenset({numbers[a], numbers[b]}), chance) for a, b, chance, *_ in found["missed"]]
    assert all(pair in hidden_edges and chance <= 0.5 for pair, chance in missed)
    assert [chance for _, chance in missed] == sorted(chance for _, chance in missed)
    alarms = [(frozenset({numbers[a], numbers[b]}), chance) for a, b, chance, *_ in found["alarms"]]
    assert all(pair not in hidden_edges and chance > 0.5 for pair, chance in alarms)
    a, b, _, _, common, *degrees = found["missed"][0]
    rows = [
        hidden.train.indices[hidden.train.indptr[k] : hidden.train.indptr[k + 1]]
        for k in (numbers[a], numbers[b])
    ]
    assert common == len(np.intersect1d(*rows))
    assert degrees == [len(row) for row in rows]
    assert [row[:2] for row in found["predicted"]] == [[str(x) for x in one[:2]] for one in links.predicted]
    (picture,) = found["maps"]
    assert len(picture["marks"]["predicted"]) == 8
    assert len(picture["marks"]["missed"]) == 2 * len(found["missed"])


def test_hidden_links_are_those_of_the_first_seed(links: Any) -> None:
    hidden, trial = links.hidden, links.trials[0]
    from riemap.tasks.scores import roc_auc

    assert roc_auc(hidden.exists == 1, hidden.probability) == pytest.approx(trial.scores["auc"])
    assert roc_auc(hidden.exists == 1, -hidden.distance) == trial.distance["auc"]


def test_the_page_of_labels_tells_which_are_wrong() -> None:
    given = [None, *GROUPS[1:]]
    found = predict_labels(groups(), given, "H2", epochs=10)
    facts, hidden = data(labels_page(found, ["riemap labels"])), found.hidden
    truth = np.array([given[i] for i in hidden.nodes])
    wrong = truth != hidden.predicted
    assert facts["counts"] == {"nodes": len(truth), "wrong": wrong.sum()}
    assert 1.0 - wrong.mean() == pytest.approx(found.trials[0].scores["accuracy"])
    confusion = facts["confusion"]
    assert sorted(confusion["labels"]) == ["left", "right"]
    assert np.sum(confusion["counts"]) == len(truth)
    assert np.trace(confusion["counts"]) == np.sum(~wrong)
    assert {row[0] for row in facts["mistakes"]} == {str(i) for i in hidden.nodes[wrong]}
    assert all(row[1] != row[2] for row in facts["mistakes"])
    assert [row[0] for row in facts["predicted"]] == ["0"]
    assert data(labels_page(found, [], predict=False))["predicted"] == []
    assert sorted(facts["maps"][0]["rings"]) == sorted(hidden.nodes[wrong].tolist())
    assert facts["groups"][0] == ""


def test_many_labels_are_counted_together() -> None:
    truth = np.array([f"label {k}" for k in range(30)] + ["label 0"])
    found = predictions._confusion(truth, np.roll(truth, 1))
    assert len(found["labels"]) == predictions.LISTED_LABELS + 1
    assert (found["labels"][0], found["labels"][-1]) == ("label 0", "others")
    assert np.sum(found["counts"]) == 31


def test_a_large_graph_has_no_map(links: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predictions, "LARGEST_MAP", 10)
    assert data(links_page(links, []))["maps"] == []


def test_names_are_data_and_no_code() -> None:
    graph = groups(SCRIPT_LABEL)
    found = predict_labels(graph, [SCRIPT_LABEL, *GROUPS[1:]], "H2", epochs=5)
    shares: Any = {"test": 0.2, "validation": 0.2}
    for page in (
        labels_page(found, [SCRIPT_LABEL]),
        links_page(predict_links(graph, "H2", epochs=5, predict=5, **shares), [SCRIPT_LABEL]),
    ):
        assert page.count("<script") == 2
        assert data(page)["commands"] == [SCRIPT_LABEL]


def test_the_command_of_a_page_makes_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.edges").write_text("".join(f"{a} {b}\n" for a, b in groups().edges().tolist()))
    Path("l.csv").write_text("".join(f"{k},{GROUPS[k]}\n" for k in range(1, N)))
    quick = ("--space", "H2", "--epochs", "5", "--report", "page.html")
    links = ("links", "g.edges", "--test", "0.2", "--validation", "0.2", "--predict", "3", "--seed", "2")
    for words in ((*links, *quick), ("labels", "g.edges", "l.csv", "--predict", "--train", "0.4", *quick)):
        assert run(*words) == 0
        first = Path("page.html").read_text()
        (command,) = data(first)["commands"]
        Path("page.html").unlink()
        assert run(*shlex.split(command)[1:]) == 0
        assert Path("page.html").read_text() == first


def test_a_page_that_cannot_be_written_is_refused_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("links", "karate", "--report", "page.csv") == 2
    assert capsys.readouterr().err == "riemap: page.csv is not an .html file, e.g. --report page.html\n"
    folder = tmp_path / "page.html"
    folder.mkdir()
    assert run("labels", "karate", "none.csv", "--report", str(folder)) == 2
    assert "page.html" in capsys.readouterr().err
