"""Time the report of 5,000 nodes in a browser without a screen.

Run: python benchmarks/report.py

Nodes are at random points. These are slower to draw than a good embedding, because edges are longer. ``first
view`` is the time from the start of loading until all edges are drawn, and ``all`` until the charts are drawn
too. ``hover`` is the time from a movement of the pointer until the tooltip shows, through the DevTools
protocol. ``turn`` is the mean time of a frame over thirty frames of rotation.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from browser import Browser, Tab, found
from timing import header, seconds

from riemap import Embedding, Graph, Space, generate
from riemap.report import Subject, run_page

CASES = [
    ("watts-strogatz(n=5000,k=6,p=0.1)", "H2"),
    ("watts-strogatz(n=5000,k=6,p=0.1)", "H3"),
    ("watts-strogatz(n=5000,k=6,p=0.1)", "Stein2"),
    ("barabasi-albert(n=5000,m=20)", "H2"),
    ("barabasi-albert(n=5000,m=20)", "H3"),
]

TURN = """
(async () => {
  const [scene] = riemap.scenes, frame = () => new Promise(requestAnimationFrame), start = performance.now();
  for (let k = 0; k < 30; k++) {
    scene.turn = scene.turn.slice();
    scene.change();
    await frame();
  }
  return (performance.now() - start) / 30;
})()
"""


def placed(graph: Graph, space: str) -> Embedding:
    """Place the nodes at random points."""
    where = Space.parse(space)
    points = where.random(np.random.default_rng(0), graph.n)
    return Embedding(where, points, np.zeros(len(where.factors)), graph.labels)


def hover(tab: Tab) -> float:
    """Return the median time, in seconds, from a movement of the pointer until the tooltip shows."""
    spots = tab.evaluate(
        "(() => { const s = riemap.scenes[0]; s.stage.scrollIntoView({block: 'center', behavior: 'instant'});"
        " const b = s.stage.getBoundingClientRect(); return Array.from({length: 15}, (_, i) =>"
        " [b.x + s.screen[3 * i], b.y + s.screen[3 * i + 1]]) })()"
    )
    times = []
    for x, y in spots:
        tab.move(1, 1)
        tab.until("document.getElementById('tip').hidden")
        start = time.perf_counter()
        tab.move(x, y)
        tab.until("!document.getElementById('tip').hidden")
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def measured(browser: Browser, path: Path, text: str, space: str) -> str:
    """Measure one case, and return its line of the table."""
    graph = generate(text)
    subject = Subject(placed(graph, space), graph, [])
    written = seconds(lambda: path.write_text(run_page(subject), encoding="utf-8"))
    tab = browser.tab()
    tab.open(path)
    ready, whole = (tab.evaluate(f"document.documentElement.dataset.{key}") for key in ("ready", "complete"))
    cells = [text, space, graph.m, f"{written:.1f} s", f"{path.stat().st_size / 1e6:.1f} MB", f"{ready} ms"]
    cells += [f"{whole} ms", f"{1e3 * hover(tab):.0f} ms", f"{tab.evaluate(TURN):.0f} ms"]
    tab.close()
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Print the table, one line per case."""
    command = found()
    if command is None:
        sys.exit("Chromium was not found; on Debian, install the package chromium")
    print(header())
    print("| graph | space | edges | written in | size | first view | all | hover | turn |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name, Browser(command) as browser:
        for text, space in CASES:
            print(measured(browser, Path(name) / "page.html", text, space), flush=True)


if __name__ == "__main__":
    main()
