"""``riemap paper fig2`` and ``fig3``: from records to axes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import kept_records as kept
from helpers import paper_record as record
from helpers import run

from riemap.graphs import load_dataset
from riemap.paper import figures
from riemap.plots import angle_boxes, f1_curves

COMMAND = ["paper", "fig3", "--out", "{}/records", "-o", "{}/drawn/fig.png"]


def hot(graph: str, space: str, curve: list[float]) -> dict[str, Any]:
    return record(graph, space, figures.HOT, 1, 1, 1) | {"f1@k": curve}


def curved(graph: str, space: str, loss: str, f1: float, ad: float, mean: float) -> dict[str, Any]:
    quantiles = [mean - 0.2, mean - 0.1, mean, mean + 0.1, mean + 0.2]
    return record(graph, space, loss, f1, 90.0, ad) | {"angles": {"mean": mean, "quantiles": quantiles}}


def test_curves(paper_graph: Any) -> None:
    """Runs of other losses and plans are not drawn; a cycle has as many pairs at every hop but the last."""
    paper_graph("cycle")
    old = hot("cycle", "S6", [0.1])
    old["run"] = {**old["run"], "plan": {}}
    others = [record("cycle", "H6", "ad", 1, 1, 1), old]
    found = figures.curves([hot("tree", "E6", [0.5]), hot("cycle", "E6", [0.5, 0.75]), *others])
    assert list(found) == ["cycle", "tree"]
    assert {graph: list(curves.f1) for graph, curves in found.items()}["cycle"] == ["E6"]
    assert found["cycle"].f1["E6"].tolist() == [0.5, 0.75]
    assert len(found["cycle"].pairs) == 500
    np.testing.assert_allclose(found["cycle"].pairs[:499], 2 / 999)
    np.testing.assert_allclose([curves.pairs.sum() for curves in found.values()], 1.0)
    tree = found["tree"].pairs
    assert tree[0] == pytest.approx(load_dataset("tree").m / (1365 * 1364 / 2))


def test_runs_of_figure_2(paper_graph: Any) -> None:
    paper_graph("tree")
    runs = figures.synthetic_runs()
    assert len({r.id for r in runs}) == 28
    assert {r.loss for r in runs} == {figures.HOT}


def test_the_best_embedding_by_each_metric() -> None:
    """In three dimensions only."""
    found = figures.angles(
        [
            curved("csphd", "H3", "ad", 50.0, 0.1, -0.1),
            curved("csphd", "H3", "rsne(T=0.2->0.02)", 60.0, 0.2, -0.4),
            curved("csphd", "H6", "ad", 60.0, 0.1, -0.3),
            record("csphd", "E3", "ad", 60.0, 0.1, 0.1),
        ]
    )
    assert {metric: list(graphs) for metric, graphs in found.items()} == {"f1@1": ["csphd"], "ad": ["csphd"]}
    assert list(found["ad"]["csphd"]) == ["H3"]
    assert (found["f1@1"]["csphd"]["H3"].mean, found["ad"]["csphd"]["H3"].mean) == (-0.4, -0.1)


def test_drawn(paper_graph: Any) -> None:
    paper_graph("cycle")
    drawn = f1_curves(figures.curves([hot("cycle", "E6", [0.5, 0.75]), hot("tree", "H6", [0.5, 0.75, 1.0])]))
    lines = {ax.get_title(): ax.get_lines() for ax in drawn.axes if ax.get_title()}
    assert {name: len(found) for name, found in lines.items()} == {"cycle": 1, "tree": 1}
    assert lines["tree"][0].get_xdata().tolist() == [1, 2, 3]
    assert lines["tree"][0].get_color() != lines["cycle"][0].get_color()
    assert [text.get_text() for text in drawn.legends[0].get_texts()] == ["E6", "H6"]
    boxes = angle_boxes(figures.angles([curved("csphd", space, "ad", 1, 1, -0.2) for space in ("H3", "E3")]))
    assert [ax.get_title() for ax in boxes.axes] == ["best by F1@1", "best by average distortion"]
    assert [text.get_text() for text in boxes.legends[0].get_texts()] == ["E3", "H3"]


def test_the_commands(tmp_path: Path, paper_graph: Any, capsys: pytest.CaptureFixture[str]) -> None:
    paper_graph("cycle")
    kept(tmp_path / "records", hot("cycle", "E6", [0.5]), curved("csphd", "H3", "ad", 50.0, 0.1, -0.1))
    told = [word.format(tmp_path) for word in COMMAND]
    assert run(*told) == 0
    assert capsys.readouterr() == ("", f"riemap: wrote {tmp_path}/drawn/fig.png\n")
    (tmp_path / "drawn" / "fig.png").unlink()
    told[1] = "fig2"
    assert run(*told, "--show") == 0
    assert "riemap: 27 of 28 runs are not done, and not drawn" in capsys.readouterr().err
    assert (tmp_path / "drawn" / "fig.png").is_file()


@pytest.mark.parametrize("name", ["fig2", "fig3"])
def test_figures_are_drawn_anywhere_and_nothing_is_trained(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paper_graph: Any
) -> None:
    paper_graph("cycle-of-trees")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("riemap.cli.paper.compute", None)
    assert run("paper", name, "-o", "figure.png") == 0
    assert [path.name for path in tmp_path.iterdir()] == ["figure.png"]
    assert run("paper", "fig2", "-o", "figure.png", "--workers", "2") == 2


@pytest.mark.parametrize(("name", "message"), [("fig2", "no run of figure 2"), ("fig3", "no run of table 5")])
def test_nothing_to_draw(
    name: str, message: str, tmp_path: Path, paper_graph: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    paper_graph("cycle")
    told = ["paper", name, "--out", str(tmp_path), *(["--show"] if name == "fig2" else [])]
    assert run(*told, "-o", str(tmp_path / "a.png")) == 2
    assert message in capsys.readouterr().err
    assert run(*told, "-o", str(tmp_path / "a.txt")) == 2
    assert "a.txt is not a .png, .svg or .pdf file, e.g. --figure a.png" in capsys.readouterr().err
