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
from pages import blocks, in_a_clone, run_line, run_page

import riemap
from riemap.curvature import delta_sampled, ollivier_ricci
from riemap.grids import worker
from riemap.grids.outcomes import RunOutcome
from riemap.grids.records import GridFolder
from riemap.losses import LOSSES_FOR, RowBlock
from riemap.metrics.scores import compare

mpl.use("Agg")

PAGES = sorted(p for p in (ROOT / "docs").glob("*.md") if ".template" not in p.name)
every_page = pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.stem)


PREPARED = {"graphs": ["riemap embed karate --space H2 --out karate-h2"]}
"""Commands before those of a page, which goes on with what another page has made."""

FRIENDS = "Frodo Sam\nFrodo Merry\nMerry Pippin\nFrodo Gandalf\nGandalf Bilbo\n"
"""A file of the reader's own, ``my.edges``."""


@pytest.fixture(autouse=True)
def quickly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run each test in an empty folder and in this process, with 40 epochs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("riemap.training.presets.MOST_EPOCHS", 40)
    monkeypatch.setattr("riemap.training.presets.FEWEST_EPOCHS", 40)

    def here(folder: GridFolder, runs: Any, workers: int = 1, wanted: Any = None) -> Any:
        for one in runs:
            yield RunOutcome(one, worker.attempt(folder, one, folder.attempts(one)))

    monkeypatch.setattr("riemap.grids.local_executor.execute_locally", here)
    yield
    plt.close("all")


@every_page
def test_commands_are_spelled_right(page: Path) -> None:
    """Commands in blocks parse, and so do those in sentences unless they have ``…`` or ``|``."""
    text = page.read_text(encoding="utf-8")
    inline = [line for line in re.findall(r"`(riemap [^`\n]+)`", text) if "…" not in line and "|" not in line]
    lines = shown_lines(text)
    assert lines or inline or page.stem in ("benchmarks", "api", "how-it-works")
    for line in lines + inline:
        spelled(line, whole=line in lines)


@every_page
@pytest.mark.filterwarnings("ignore::riemap.plots.PlotWarning")
def test_every_block_runs_in_the_order_of_the_page(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], paper_graph: Any
) -> None:
    """Commands, Python and files, in a folder that has the folders of a clone."""
    in_a_clone(tmp_path)
    Path("my.edges").write_text(FRIENDS)
    for line in PREPARED.get(page.stem, []):
        run_line(page, line)
    run_page(page)
    capsys.readouterr()


def test_blocks_that_are_not_run_are_few_and_say_why() -> None:
    """Only what installs, needs a cluster, takes long, or reads files that only a reader has."""
    marked = [(p.stem, b.not_run) for p in [*PAGES, ROOT / "README.md"] for b in blocks(p) if b.not_run]
    assert len(marked) <= 7, marked
    assert all(re.search("install|cluster|machines|train|files of the reader", why) for _, why in marked)


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
        return run_page(ROOT / "docs" / "extend.md")


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
    "04_classify_nodes": r"E2  [78]\d%.*\nH2  (9\d|100)%.*\nS2  [78]\d%",
    "05_predict_links": r"ROC AUC 0\.[89]\d, Adamic-Adar 0\.\d\d\n(\d+ - \d+: 0\.\d\d\n){3}by hand 0\.[89]",
    "06_predict_labels": r"accuracy 0\.[89]\d ± 0\.0\d\nmajority 0\.\d\d\n3[0-4] of 34 members",
}


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_examples_run(path: Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)
    assert re.match(SAYS[path.stem], done.stdout), done.stdout
    assert done.stderr == ""
    assert len(path.read_text(encoding="utf-8").splitlines()) < 40


def test_an_example_without_its_extra_says_so() -> None:
    """Each example that imports more than riemap names the extra, in its text and where the import fails."""
    for path in (ROOT / "examples").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        extra = re.findall(r"^ *from (sklearn|matplotlib|pandas)", text, re.MULTILINE)
        assert ('pip install "riemap[' in text) == bool(extra)
    hidden = "import sys, runpy; sys.modules['sklearn'] = None; runpy.run_path(sys.argv[1])"
    example = str(ROOT / "examples" / "04_classify_nodes.py")
    done = subprocess.run([sys.executable, "-c", hidden, example], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "This example needs scikit-learn: pip install 'riemap[sklearn]'\n"


# --- figures in the text -----------------------------------------------------------------------------


def rows_of(page: str, heading: str) -> list[list[str]]:
    """The cells of a table."""
    table = (ROOT / page).read_text(encoding="utf-8").partition(heading)[2].partition("\n\n")[0]
    return [[cell.strip(" *`") for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]


def test_the_advice_on_curvature_agrees_with_its_data() -> None:
    """The numbers of the graphs are right, and H2 is best in every row with a small δ."""
    rows = rows_of("docs/spaces.md", "| graph | mean Ricci curvature |")
    assert len(rows) == 7
    for name, ricci, delta, *distortions in rows:
        graph = riemap.open_graph(name)
        mean = ollivier_ricci(graph).curvature.mean()
        assert float(ricci.replace("−", "-")) == pytest.approx(mean, abs=0.006)
        share = delta_sampled(graph).mean / riemap.shortest_paths(graph).max()
        assert float(delta) == pytest.approx(share, abs=0.0006)
        best = min(zip(map(float, distortions), ("E2", "H2", "S2"), strict=True))[1]
        assert best == "H2" or float(delta) > 0.04
    assert "Les Misérables has a positive one" in (ROOT / "docs" / "spaces.md").read_text(encoding="utf-8")


def test_each_loss_of_the_table_is_better_than_the_default_in_something(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the table; and the scores of the sum, whose terms pull in two directions, are measured again."""
    monkeypatch.undo()
    default, *others = rows_of("docs/losses.md", "| loss | F1@1 |")
    assert default[0] == LOSSES_FOR["both"]

    def numbers(row: list[str]) -> list[float]:
        return [float(cell.strip("%")) for cell in row[1:]]

    for row in others:
        gains = [a - b for a, b in zip(numbers(row), numbers(default), strict=True)]
        better = max(*gains[:3], *(-gain for gain in gains[3:])) > 0.0
        assert better == (row[0] != "ad"), f"{row[0]}; the page says that ad gains nothing"
    scores = riemap.embed("karate", "H2", loss=others[-1][0]).scores
    measured = [100.0 * (scores[name] or 0.0) for name in ("f1@1", "auc", "map")]
    np.testing.assert_allclose(numbers(others[-1])[:3], measured, atol=1.5)
    assert numbers(others[-1])[3] == pytest.approx(scores["ad"], abs=0.01)


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_picture_has_its_loss_and_all_its_scores(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    found = re.findall(
        r"loss `([^`]+)`, the default: F1@1 ([\d.]+)%, AUC ([\d.]+)%, mAP ([\d.]+)%, "
        r"average distortion ([\d.]+)",
        text,
    )
    assert len(found) == 1
    scores = riemap.embed("les-miserables", "H2", loss=found[0][0]).scores
    measured = [100.0 * (scores[name] or 0.0) for name in ("f1@1", "auc", "map")]
    np.testing.assert_allclose([float(x) for x in found[0][1:4]], measured, atol=1.5)
    assert float(found[0][4]) == pytest.approx(scores["ad"], abs=0.01)


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
