"""``riemap embed`` with several spaces or seeds: the table, the folders, and the sentence at the end."""

import re
from pathlib import Path
from typing import Any

import pytest
from commands import spelled
from helpers import run

from riemap.cli.comparison import verdict
from riemap.graphs import ReadOptions
from riemap.metrics import METRICS, Scores
from riemap.runs import GraphSource, RunSpec
from riemap.training import presets

GRAPH = GraphSource("karate").open()


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presets, "MOST_EPOCHS", 40)
    monkeypatch.setattr(presets, "FEWEST_EPOCHS", 40)


class Made:
    """A run with a given score."""

    def __init__(self, space: str, seed: int, metric: str, value: float | None, loss: str) -> None:
        source = GraphSource("karate", ReadOptions(undirected=True))
        self.spec = RunSpec.of(GRAPH, space, seed=seed, loss=loss, source=source)
        self.scores = Scores({m.name: value if m.name == metric else 0.5 for m in METRICS}, (), (), 34, 34)
        self.fit = self
        self.embedding = self
        self.space = self.spec.setup(34).space


def said(values: dict[str, list[float | None]], loss: str = "stress", metric: str = "ad") -> str:
    made: Any = {s: [Made(s, k, metric, v, loss) for k, v in enumerate(row)] for s, row in values.items()}
    return verdict(made)


def test_one_seed_tells_the_best_and_asks_for_more() -> None:
    sentence = said({"E2": [0.3], "H2": [0.1], "S2": [0.2]})
    assert sentence.startswith(
        "H2 is best by average distortion (ad): 0.1000, and S2 is next: 0.2000. One seed"
    )
    command = sentence.rpartition("next: ")[2]
    assert (
        command == "riemap embed karate --space H2 --space S2 --loss stress --seed 0 --undirected --seeds 5"
    )
    assert spelled(command) == "riemap embed"


def test_a_clear_margin_is_one_that_every_seed_has() -> None:
    clear = said({"E2": [0.30, 0.28], "H2": [0.10, 0.14]})
    assert "H2 is best by average distortion (ad): 0.1200 ± 0.0283, and E2 is next: 0.2900 ± 0.0141" in clear
    assert "That is clear: every seed of H2 beats every seed of E2" in clear
    assert spelled(clear.rpartition("next: ")[2]) == "riemap embed"
    overlapping = said({"E2": [0.30, 0.12], "H2": [0.10, 0.14]})
    assert "That is not clear: their seeds overlap" in overlapping
    assert overlapping.endswith("--seeds 4")
    assert "clear: every" not in said({"E2": [0.2, 0.2], "H2": [0.2, 0.2]})


def test_a_loss_that_keeps_no_lengths_is_compared_by_auc() -> None:
    sentence = said({"E2": [0.7], "H2": [0.9]}, loss="rsne(T=0.02)", metric="auc")
    assert sentence.startswith("H2 is best by area under F1@k (auc): 90.00%, and E2 is next: 70.00%.")


def test_more_dimensions_are_told() -> None:
    assert ", with 2 dimensions instead of 4." in said({"H2": [0.2], "H2 x S2": [0.1]})
    assert "dimensions" not in said({"H2": [0.1], "H2 x S2": [0.2]})


def test_scores_that_are_not_defined_are_not_compared() -> None:
    assert said({"H2": [0.2], "E2": [None]}) == ""


def test_several_seeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "many"
    assert (
        run("embed", "karate", "-s", "E2", "-s", "H2", "--seed", "3", "--seeds", "2", "--out", str(out)) == 0
    )
    shown, told = capsys.readouterr()
    assert "karate, ad + 0.5*edges, means over seeds 3 to 4; * is the best of a column" in shown
    assert re.search(r"(E2|H2) is best by average distortion \(ad\): 0\.\d+ ± 0\.\d+, and", shown)
    assert sorted(str(p.relative_to(out)) for p in out.glob("*/*")) == [
        "E2/seed-3",
        "E2/seed-4",
        "H2/seed-3",
        "H2/seed-4",
    ]
    assert told.endswith(f"riemap: wrote 4 runs into {out}\n")


def test_seeds_of_one_space_have_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("embed", "karate", "-s", "E2", "--seeds", "2") == 0
    shown, told = capsys.readouterr()
    assert "is best by" not in shown
    assert len(shown.splitlines()) == 4
    assert told.endswith("riemap: the embeddings are not kept; --out DIR keeps them\n")


def test_a_product_tells_the_share_of_each_factor(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("embed", "karate", "-s", "H2 x E1") == 0
    shown = capsys.readouterr().out
    shares = [int(x) for x in re.findall(r"(\d+)%", re.findall(r"share of the squared.*", shown)[0])]
    assert len(shares) == 2
    assert sum(shares) == pytest.approx(100, abs=1)
    assert run("embed", "karate", "-s", "H2") == 0
    assert "share of" not in capsys.readouterr().out


def test_json_is_quiet_about_where(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("embed", "karate", "-s", "H2", "-s", "E2", "--json") == 0
    assert capsys.readouterr().err == ""
