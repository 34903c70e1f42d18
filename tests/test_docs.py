"""The code of the documentation runs, its commands are spelled right, and its examples work."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from commands import shown_lines, spelled
from conftest import ROOT

import riemap
from riemap.losses import RowBlock
from riemap.metrics.scores import compare

mpl.use("Agg")

PAGES = sorted(p for p in (ROOT / "docs").glob("*.md") if ".template" not in p.name)
every_page = pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.stem)


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture(autouse=True)
def quickly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run each test in an empty folder, with 100 epochs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("riemap.training.presets.MOST_EPOCHS", 100)
    monkeypatch.setattr("riemap.training.presets.FEWEST_EPOCHS", 100)
    yield
    plt.close("all")


def executed(page: Path) -> dict[str, Any]:
    """Run the code of a page, from its first block to its last, and return the names it defines."""
    names: dict[str, Any] = {"__name__": page.stem}
    for code in blocks(page):
        exec(compile(code, str(page), "exec"), names)
    return names


@every_page
def test_commands_are_spelled_right(page: Path) -> None:
    """Commands in blocks parse, and so do those in sentences unless they have ``…`` or ``|``."""
    text = page.read_text(encoding="utf-8")
    inline = [line for line in re.findall(r"`(riemap [^`\n]+)`", text) if "…" not in line and "|" not in line]
    lines = shown_lines(text)
    assert lines or inline or page.stem in ("benchmarks", "api", "how-it-works")
    for line in lines + inline:
        spelled(line, whole=line in lines)


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda page: page.stem)
def test_code_runs(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    executed(page)
    capsys.readouterr()


def test_pages_are_linked_and_pictures_are_there() -> None:
    nav = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(nav) == [p.name for p in PAGES]
    for page in [*PAGES, ROOT / "README.md"]:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text) + re.findall(r'<img src="([^"]+)"', text):
            assert (page.parent / target).is_file(), f"{page.name}: {target}"


# --- the worked example -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("extended"))
        return executed(ROOT / "docs" / "extend.md")


def test_the_manifold_obeys_the_laws(extended: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Log inverts exp, transport keeps norms, gradients are derivatives, short distances are accurate."""
    m, rng = extended["Positive"](2), np.random.default_rng(0)
    x, y = m.random(rng, 20), m.random(rng, 20)
    u = 0.1 * m.to_tangent(x, rng.standard_normal(x.shape))
    np.testing.assert_allclose(m.log(x, m.exp(x, u)), u, rtol=1e-10)
    np.testing.assert_allclose(m.norm(y, m.transport(x, y, u)), m.norm(x, u), rtol=1e-10)
    np.testing.assert_allclose(m.sqdist(x, y), m.norm(x, m.log(x, y)) ** 2, rtol=1e-10)
    h = 1e-6
    slope = (m.sqdist(m.exp(x, h * u), y) - m.sqdist(m.exp(x, -h * u), y)) / (2 * h)
    np.testing.assert_allclose(slope, m.inner(x, m.sqdist_grad(x, y), u), rtol=1e-5, atol=1e-8)
    near = m.exp(x, 1e-8 * u)
    np.testing.assert_allclose(np.sqrt(m.sqdist(x, near)), 1e-8 * m.norm(x, u), rtol=1e-5)
    monkeypatch.setitem(riemap.spaces.spelling._SYMBOLS, "Pos", extended["Positive"])
    assert riemap.Space.parse("Pos2 x H2").dim == 4
    assert str(riemap.Space.parse("Pos2")) == "Pos2"


def test_the_weights_of_the_loss_are_its_derivatives(extended: dict[str, Any]) -> None:
    loss, rng = extended["Sammon"](), np.random.default_rng(0)
    target, sqdist = (np.abs(a + a.T) * (1 - np.eye(6)) + 0.1 for a in rng.uniform(size=(2, 6, 6)))
    for matrix in (target, sqdist):
        np.fill_diagonal(matrix, 0.0)
    value, weights = loss(target, sqdist)
    both = np.empty_like(weights)
    none = np.empty((0, 6))
    assert loss.rows(RowBlock(target, sqdist), statistics=none, both_ends=True, out=both) == value
    np.testing.assert_allclose(both, weights + weights.T)
    for i, j in ((0, 1), (4, 2)):
        moved = sqdist.copy()
        moved[i, j] += 1e-6
        assert (loss(target, moved)[0] - value) / 1e-6 == pytest.approx(weights[i, j], rel=1e-4)
    blocks = [RowBlock(target[k : k + 3], sqdist[k : k + 3], k) for k in (0, 3)]
    halves = [loss.rows(b, statistics=none, both_ends=False, out=np.empty((3, 6))) for b in blocks]
    assert sum(halves) == pytest.approx(value)
    assert loss(target, target)[0] == pytest.approx(0.0)


def test_the_metric_counts_pairs(extended: dict[str, Any]) -> None:
    """One of the three pairs on a line is within a tenth of its distance."""
    graph = riemap.generate("path(n=3)")
    points = np.array([[0.0], [0.54], [1.3]])  # the graph's own distances are 1/2 and 1
    line = riemap.Embedding(riemap.Space.parse("E1"), (points,), np.zeros(1), graph.labels)
    assert extended["within_a_tenth"](compare(line, graph)) == pytest.approx(1 / 3)


# --- examples and docstrings ------------------------------------------------------------------------

SAYS = {
    "01_own_graph": r"14 nodes, average distortion 0\.0\d\d\n(Bilbo|Merry|Gandalf|Pippin|Sam) ",
    "02_compare_spaces": r"(?s)tree.*S2.*cycle.*S2  0\.00",
    "03_custom_loss": r"stress +average distortion .*\nrelative +average distortion ",
    "04_classify_nodes": r"E2  \d\d%.*\nH2  \d\d%.*\nS2  \d\d%",
}


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_examples_run(path: Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)
    assert re.match(SAYS[path.stem], done.stdout), done.stdout
    assert done.stderr == ""
    assert len(path.read_text(encoding="utf-8").splitlines()) < 40


def test_docstrings_become_markdown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from docs_math import readable

    found = readable(
        "See :func:`~riemap.embed`, :math:`x_1`.\n\n.. math::\n    a^2\n    + b\n\nEnd.\n\n>>> 1 + 1\n2"
    )
    assert "`riemap.embed`" in found
    assert found.count("<math") == 2
    assert ":math:" not in found
    assert ".. math" not in found
    assert found.endswith("```pycon\n>>> 1 + 1\n2\n```")
    assert "End." in found
