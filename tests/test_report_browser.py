"""Reports in Chromium draw, respond to mouse and keyboard, send no requests, and have readable text.

Without Chromium these tests are skipped, or fail if ``RIEMAP_BROWSER=required`` is set.
"""

import json
import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser, Tab, found
from graph_helpers import placed
from helpers import SCRIPT_LABEL

from riemap import Graph, embed, generate, load_dataset, predict_labels, predict_links, shortest_paths
from riemap.grids.grid import grid
from riemap.grids.records import GridFolder
from riemap.grids.worker import attempt
from riemap.report import Subject, labels_page, leaderboard_page, links_page, run_page

SPACES = ["H2", "H3", "S2", "Stein2", "Gr(2,4)", "H3 x S2"]
LARGEST_PAGE_BYTES = 6_000_000
"""Upper bound on the size of a page of 5,000 nodes: it opens at once and can be sent by mail."""

TESTS = (Path(__file__).parent / "page.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    command = found()
    if command is None:
        if os.environ.get("RIEMAP_BROWSER") == "required":
            pytest.fail("no Chromium, which RIEMAP_BROWSER=required asks for")
        pytest.skip("no Chromium; Debian's package is called chromium")
    with Browser(command) as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write one page for each space."""
    path = tmp_path_factory.mktemp("pages")
    graph = load_dataset("les-miserables")
    for space in SPACES:
        fit = embed(graph, space, epochs=40)
        history = {key: [getattr(r, key) for r in fit.history] for key in ("stage", "loss", "lr")}
        setting = {"loss": "stress", "preset": "default", "seed": 0}
        other = {"run": {"space": "E2", "loss": "ad", "seed": 1}, "dim": 2, "scores": {"auc": 0.5}}
        subject = Subject(fit.embedding, graph, ["riemap report run"], setting, history, others=[other])
        (path / f"{space}.html").write_text(run_page(subject), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of a grid and a page that it links to."""
    path = tmp_path_factory.mktemp("grid")
    results = GridFolder(path / "results")
    lists = {"graphs": ["karate", "cycle(n=9)"], "spaces": ["E2", "H2", "S2"], "seeds": [0, 1], "epochs": 20}
    runs = grid(lists)
    results.begin([run.id for run in runs])
    for run in runs:
        attempt(results, run, 0)
    links = dict.fromkeys((run.id for run in runs), "one.html")
    (path / "one.html").write_text("<title>one</title>")
    page = leaderboard_page("results", results.records(), 0, links, ["riemap report results"])
    (path / "board.html").write_text(page, encoding="utf-8")
    return path / "board.html"


def opened(browser: Browser, path: Path, **more: Any) -> Tab:
    """Open a page and add the functions of ``page.js`` to it."""
    tab = browser.tab(**more)
    tab.open(path)
    tab.evaluate(TESTS)
    tab.frame()
    return tab


def ask(tab: Tab, name: str, *arguments: Any) -> Any:
    """Call a function of ``page.js`` and return its result."""
    return tab.evaluate(f"test.{name}({', '.join(map(json.dumps, arguments))})")


# --- every page -------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", SPACES)
def test_a_page_draws_itself_and_asks_for_nothing(browser: Browser, folder: Path, space: str) -> None:
    tab = opened(browser, folder / f"{space}.html")
    assert tab.errors() == []
    assert tab.requests() == [(folder / f"{space}.html").resolve().as_uri()]
    count = 2 if space in ("Stein2", "H3 x S2") else 1
    for layer, least in (("edges", 2000), ("nodes", 1000), ("marks", 30)):
        inked = ask(tab, "inked", layer)
        assert len(inked) == count
        bare = int(layer == "edges" and space == "Stein2")  # ellipses have no edges
        assert sum(pixels < least for pixels in inked) == bare, (layer, inked)
    assert ask(tab, "count", "svg") >= 8
    assert ask(tab, "count", "svg") == ask(tab, "count", "svg[aria-label]:has(path, rect)")
    tab.close()


def test_a_leaderboard_draws_itself_and_asks_for_nothing(browser: Browser, board: Path) -> None:
    tab = opened(browser, board)
    assert tab.errors() == []
    assert tab.requests() == [board.resolve().as_uri()]
    assert ask(tab, "count", "#rows tbody tr") == 12
    assert ask(tab, "count", "#overlay path.curve") == 4
    tab.close()


@pytest.mark.usefixtures("one_thread")
def test_a_page_of_predictions_draws_itself_and_asks_for_nothing(browser: Browser, tmp_path: Path) -> None:
    """Names are not code there either, and texts have enough contrast in both themes."""
    names = [SCRIPT_LABEL, *map(str, range(1, 81))]
    grid9 = generate("grid(n=9,d=2)")
    graph = Graph.from_edges(grid9.edges(), labels=names, name=SCRIPT_LABEL)
    classes = [SCRIPT_LABEL if k % 9 < 5 else "right" for k in range(80)] + [None]
    pages = {
        "links": links_page(predict_links(graph, "H2", epochs=5, predict=90), [SCRIPT_LABEL]),
        "labels": labels_page(predict_labels(graph, classes, "H2", epochs=5), [SCRIPT_LABEL]),
    }
    for name, page in pages.items():
        path = tmp_path / f"{name}.html"
        path.write_text(page, encoding="utf-8")
        tab = opened(browser, path)
        assert tab.errors() == []
        assert tab.requests() == [path.resolve().as_uri()]
        assert ask(tab, "count", "#views svg circle") >= 81
        assert ask(tab, "count", "#score-cards svg circle") == ask(tab, "count", "#score-cards tbody tr") >= 5
        assert ask(tab, "count", "#predicted-cards tbody tr") == (90 if name == "links" else 1)
        assert tab.evaluate("typeof window.hurt") == "undefined"
        assert ask(tab, "count", "img") == 0
        for _ in range(2):
            assert ask(tab, "contrast")["found"] == []
            tab.evaluate("document.getElementById('theme').click()")
            tab.frame()
        tab.close()
        phone = opened(browser, path, width=360, height=740)
        assert phone.evaluate("document.documentElement.scrollWidth") == 360
        phone.close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", [*SPACES, "board"])
def test_text_can_be_read(browser: Browser, folder: Path, board: Path, name: str, dark: bool) -> None:
    """All texts have enough contrast, in the theme of the system and in the other one."""
    tab = opened(browser, board if name == "board" else folder / f"{name}.html", dark=dark)
    for theme in ("dark", "light") if dark else ("light", "dark"):
        assert tab.evaluate("document.documentElement.dataset.theme") == theme
        result = ask(tab, "contrast")
        assert result["seen"] > 100
        assert result["found"] == []
        tab.evaluate("document.getElementById('theme').click()")
        tab.frame()
    tab.close()


@pytest.mark.parametrize("name", ["Stein2", "H3 x S2", "board"])
def test_a_phone_is_wide_enough(browser: Browser, folder: Path, board: Path, name: str) -> None:
    tab = opened(browser, board if name == "board" else folder / f"{name}.html", width=360, height=740)
    assert tab.evaluate("document.documentElement.scrollWidth") == 360
    assert tab.evaluate("[...document.querySelectorAll('.stage')].every((s) => s.clientWidth > 280)")
    heights = (
        "[...document.querySelectorAll('button, select, input[type=search]')].map((b) => b.offsetHeight)"
    )
    assert min(tab.evaluate(heights)) >= 24
    tab.close()


# --- nodes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", ["H2", "H3", "Stein2"])
def test_a_click_shows_what_is_near_in_both(browser: Browser, folder: Path, space: str) -> None:
    """A click on a node lists its nearest nodes in the space and in the graph."""
    graph, tab = load_dataset("les-miserables"), opened(browser, folder / f"{space}.html")
    nodes = ask(tab, "clear")
    node = nodes[len(nodes) // 2]
    tab.click(*ask(tab, "where", node))
    assert ask(tab, "text", "#node h3") == str(graph.labels[node])
    in_space, in_graph = ask(tab, "near")
    fit = embed(graph, space, epochs=40).embedding
    assert in_space == [str(label) for label, _ in fit.nearest(graph.labels[node], k=10)]
    hops = shortest_paths(graph)[node]
    order = [int(hops[i]) for i in fit.row_numbers(in_graph)]
    assert order == sorted(hops.tolist())[1:11]
    tab.evaluate("document.querySelector('#node ol button').click()")
    assert ask(tab, "text", "#node h3") == in_space[0]
    tab.close()


def test_the_pointer_over_a_node_shows_its_scores(browser: Browser, folder: Path) -> None:
    tab = opened(browser, folder / "H2.html")
    tab.move(*ask(tab, "where", tab.evaluate("riemap.model.hubs[0]")))
    assert not tab.evaluate("document.getElementById('tip').hidden")
    tip = ask(tab, "text", "#tip")
    assert tip.startswith("Valjean")
    assert all(word in tip for word in ("degree 36", "distortion", "F1 of its neighbours", "Ricci curvature"))
    tab.move(5, 5)
    assert tab.evaluate("document.getElementById('tip').hidden")
    tab.close()


def test_the_search_box_works_by_keyboard(browser: Browser, folder: Path) -> None:
    tab = opened(browser, folder / "H3.html")
    tab.evaluate("document.getElementById('search').focus()")
    tab.type("the")
    assert ask(tab, "texts", "#found li") == [
        "Thenardier",  # it starts with the text, the others contain it
        "MmeThenardier",
        "MotherInnocent",
        "MotherPlutarch",
    ]
    tab.key("ArrowDown", "Enter")
    assert ask(tab, "text", "#node h3") == "MmeThenardier"
    assert tab.evaluate("document.getElementById('found').hidden")
    tab.evaluate("document.getElementById('search').value = ''")
    tab.type("valj")
    tab.key("Enter")
    assert ask(tab, "text", "#node h3") == "Valjean"
    tab.close()


@pytest.mark.parametrize("space", ["H3", "S2", "Stein2"])
def test_the_search_finds_nodes_that_are_not_drawn(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, space: str
) -> None:
    """It selects the nearest node that is drawn, and says so; pale dots show the nodes that are not drawn."""
    monkeypatch.setattr("riemap.report.run.LARGEST_DRAWN", 10)
    monkeypatch.setattr("riemap.report.drawn_nodes.DRAWN_NODES", 20)
    monkeypatch.setattr("riemap.report.drawn_nodes.DRAWN_HUBS", 5)
    graph = load_dataset("les-miserables")
    embedding = placed(space, graph)
    path = tmp_path / "large.html"
    path.write_text(run_page(Subject(embedding, graph, [])), encoding="utf-8")
    tab = opened(browser, path)
    drawn = tab.evaluate("riemap.model.labels")
    hidden = next(label for label in graph.labels if label not in drawn)
    assert tab.evaluate("riemap.scenes[0].cloud.length") == 3 * (graph.n - 20)
    tab.evaluate("document.getElementById('search').focus()")
    for name in (hidden, drawn[7]):
        tab.evaluate("document.getElementById('search').value = ''")
        tab.type(name)
        tab.until("!document.getElementById('found').hidden")
        tab.key("Enter")
        nearest = min(drawn, key=lambda other: (embedding.distances([name], [other])[0, 0], other != name))
        assert ask(tab, "text", "#node h3") == nearest
        assert ("is not drawn" in ask(tab, "text", "#node")) == (name == hidden)
    assert "The search finds all nodes" in ask(tab, "text", "#map")
    assert (tab.errors(), tab.requests()) == ([], [path.resolve().as_uri()])
    tab.close()


@pytest.mark.parametrize("space", ["H2", "H3", "S2", "Stein2"])
def test_a_picture_turns_and_starts_over(browser: Browser, folder: Path, space: str) -> None:
    """Keys and the mouse move a picture, and 0 resets it."""
    tab = opened(browser, folder / f"{space}.html")
    start = ask(tab, "screen")
    tab.evaluate("riemap.scenes[0].stage.focus()")
    for key in ("ArrowLeft", "ArrowUp", "+", "-"):
        before = ask(tab, "screen")
        tab.key(key)
        tab.frame()
        assert np.abs(np.subtract(before, ask(tab, "screen"))).max() > 1.0, key
    x, y = ask(tab, "where", 0)
    before = ask(tab, "screen")
    tab.drag(x + 40, y + 40, x + 90, y + 20)
    tab.frame()
    assert np.abs(np.subtract(before, ask(tab, "screen"))).max() > 1.0
    tab.key("0")
    tab.frame()
    np.testing.assert_allclose(ask(tab, "screen"), start, atol=0.5)
    chosen = tab.evaluate("riemap.model.chosen")
    tab.key("n")
    assert tab.evaluate("riemap.model.chosen") == chosen + 1
    tab.key("Escape")
    assert tab.evaluate("riemap.model.chosen") is None
    assert tab.errors() == []
    tab.close()


def test_the_disk_moves_without_stretching(browser: Browser, folder: Path) -> None:
    """Dragging is an isometry of the hyperbolic plane, and the dragged node follows the pointer.

    It is a node near the middle: one at the rim follows only as far as the page moves points.
    """
    tab = opened(browser, folder / "H2.html")

    def distances() -> Any:
        p = np.array(ask(tab, "disk", 40))
        room = 1.0 - np.sum(p**2, axis=1)
        return np.arccosh(1.0 + 2.0 * np.sum((p[:, None] - p) ** 2, axis=-1) / (room[:, None] * room))

    before, node = distances(), int(np.linalg.norm(ask(tab, "disk", 40), axis=1).argmin())
    for right, down in ((70, -40), (-90, -50), (40, 120)):
        x, y = ask(tab, "where", node)
        tab.drag(x, y, x + right, y + down)
        tab.frame()
        assert ask(tab, "where", node) == pytest.approx((x + right, y + down), abs=2.0)
    near = before < 3.0  # beyond this, the error of single precision is visible
    np.testing.assert_allclose(distances()[near], before[near], atol=0.02)
    tab.close()


@pytest.mark.parametrize("space", ["H2", "H3", "S2"])
def test_edges_are_geodesics(browser: Browser, folder: Path, space: str) -> None:
    """The points of an edge are on the shortest path between its ends, at short steps."""
    tab = opened(browser, folder / f"{space}.html")
    chains = [np.array(chain) for chain in ask(tab, "chains", 60)]
    assert max(len(chain) for chain in chains) > 2
    for chain in chains:
        steps = [_far(space, a, b) for a, b in pairwise(chain)]
        assert sum(steps) == pytest.approx(_far(space, chain[0], chain[-1]), rel=1e-3, abs=1e-5)
        assert max(steps) < 0.5
    tab.close()


def _far(space: str, a: Any, b: Any) -> float:
    """Return the distance between two points of the Poincaré ball, or of the unit sphere."""
    gap = float(np.sum((a - b) ** 2))
    if space == "S2":
        return float(2.0 * np.arcsin(0.5 * np.sqrt(gap)))
    return float(np.arccosh(1.0 + 2.0 * gap / ((1.0 - a @ a) * (1.0 - b @ b))))


def test_colours_follow_the_choice(browser: Browser, folder: Path) -> None:
    tab = opened(browser, folder / "S2.html")
    seen = set()
    for mode in ("degree", "distortion", "ricci", "hops"):
        ask(tab, "set", "colour", mode)
        seen.add(json.dumps(tab.evaluate("riemap.model.fill")))
    assert len(seen) == 4
    hops = tab.evaluate("Array.from(riemap.model.hops(0))")
    np.testing.assert_array_equal(hops, shortest_paths(load_dataset("les-miserables"))[0])
    tab.close()


# --- the leaderboard --------------------------------------------------------------------------------


def test_a_leaderboard_sorts_filters_and_links(browser: Browser, board: Path) -> None:
    """Enter on a heading sorts, and ``aria-sort`` tells the order. A filter and links work."""
    tab = opened(browser, board)
    heads = [text.split(" ")[0] for text in ask(tab, "texts", "#rows th")]
    for name, first in (("ad", False), ("f1@1", True)):
        for reverse in (first, not first):
            tab.evaluate(f"document.querySelector('[data-key=\"{name}\"]').focus()")
            tab.key("Enter")
            values = [float(text.strip("%")) for text in ask(tab, "column", heads.index(name))]
            assert values == sorted(values, reverse=reverse)
            order = "descending" if reverse else "ascending"
            assert tab.evaluate("document.activeElement.closest('th').ariaSort") == order
    ask(tab, "set", "filter-graph", "karate")
    assert set(ask(tab, "column", heads.index("graph"))) == {"karate"}
    assert ask(tab, "text", "#count") == "6 of 12 runs"
    tab.evaluate(
        "document.querySelectorAll('#rows tbody input').forEach((box) => box.checked || box.click())"
    )
    assert ask(tab, "count", "#overlay path.curve") >= 6
    link = tab.evaluate("document.querySelector('#rows tbody a').href")
    assert link == (board.parent / "one.html").resolve().as_uri()
    assert tab.errors() == []
    tab.close()


# --- security and size ---------------------------------------------------------------------------------


def test_no_script_of_a_name_runs(browser: Browser, tmp_path: Path) -> None:
    """A script in a label, graph, file name, group, loss or command does not run."""
    graph = Graph.from_edges(
        [(0, 1), (1, 2), (2, 3)], labels=[SCRIPT_LABEL, "b", "c", "d"], name=SCRIPT_LABEL
    )
    setting = {"loss": SCRIPT_LABEL, "stages": [SCRIPT_LABEL]}
    history = {"stage": [0, 0], "loss": [2.0, 1.0], "lr": [1.0, 0.5]}
    subject = Subject(
        placed("H2", graph), graph, [SCRIPT_LABEL], setting, history, [SCRIPT_LABEL, "b", "c", "d"]
    )
    path = tmp_path / "<img src=x onerror=window.hurt=1>.html"
    path.write_text(run_page(subject), encoding="utf-8")
    tab = opened(browser, path)
    tab.evaluate("document.getElementById('search').focus()")
    tab.type("script")
    tab.key("Enter")
    tab.move(*ask(tab, "where", 0))
    assert ask(tab, "text", "#node h3") == ask(tab, "text", "#tip b") == SCRIPT_LABEL
    assert tab.evaluate("document.title").startswith(SCRIPT_LABEL[:20])
    assert tab.evaluate("typeof window.hurt") == "undefined"
    assert ask(tab, "count", "img") == 0
    assert tab.errors() == []
    tab.close()


def test_no_script_of_a_grid_runs(browser: Browser, board: Path, tmp_path: Path) -> None:
    record = GridFolder(board.parent / "results").records()[0]
    record = {
        **record,
        "run": {**record["run"], "graph": SCRIPT_LABEL, "loss": SCRIPT_LABEL, "space": SCRIPT_LABEL},
    }
    path = tmp_path / "board.html"
    links = {record["id"]: "javascript:window.hurt=1"}
    path.write_text(leaderboard_page(SCRIPT_LABEL, [record], 0, links, [SCRIPT_LABEL]), encoding="utf-8")
    tab = opened(browser, path)
    tab.evaluate("document.querySelector('#rows tbody a').click()")
    tab.frame()
    assert tab.evaluate("typeof window.hurt") == "undefined"
    assert ask(tab, "count", "img") == 0
    tab.close()


def test_the_policy_stops_other_scripts_and_requests(browser: Browser, folder: Path) -> None:
    """The content security policy stops a script that was added to the page, and any request."""
    tab = opened(browser, folder / "H2.html")
    tab.evaluate(
        "(() => { const script = document.createElement('script'); script.textContent = 'window.hurt = 1';"
        " document.body.append(script) })()"
    )
    assert tab.evaluate("typeof window.hurt") == "undefined"
    violated = (
        "new Promise((tell) => {"
        " document.addEventListener('securitypolicyviolation', (event) => tell(event.effectiveDirective));"
        " fetch('https://example.org').catch(() => setTimeout(() => tell('not by the policy'), 1000)) })"
    )
    assert tab.evaluate(violated) == "connect-src"
    tab.close()


def test_five_thousand_nodes_fit_and_answer(browser: Browser, tmp_path: Path) -> None:
    """The page is small enough, draws its edges, and finds the node under the pointer."""
    graph = generate("watts-strogatz(n=5000,k=6,p=0.1)")
    path = tmp_path / "large.html"
    path.write_text(run_page(Subject(placed("H2", graph), graph, [])), encoding="utf-8")
    assert path.stat().st_size < LARGEST_PAGE_BYTES
    tab = opened(browser, path)
    assert tab.errors() == []
    assert ask(tab, "inked", "edges")[0] > 50_000
    tab.move(*ask(tab, "where", ask(tab, "clear")[0]))
    assert not tab.evaluate("document.getElementById('tip').hidden")
    tab.close()
