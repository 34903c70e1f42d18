"""Make the pictures of reports in docs/images: embed graphs, write their reports, open them in a browser.

Needs Chromium and the extra dev.

Run: python tools/screenshots.py [NAME...]
"""

import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from browser import Browser, Tab, found

from riemap import embed, open_graph
from riemap.grids.grid import grid
from riemap.grids.records import GridFolder
from riemap.grids.worker import attempt
from riemap.report import Subject, leaderboard_page, run_page

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"

MAX_PICTURE_BYTES = 150_000
"""Largest size of a picture, in bytes, so that the repository stays small."""


class Shot(NamedTuple):
    """A graph in a space, and the element of its report to photograph (None: the whole window)."""

    graph: str
    space: str
    dark: bool = False
    width: int = 1200
    element: str | None = "#map"
    colour: str = "degree"


SHOTS = {
    "h2": Shot("csphd", "H2", element=None),
    "h3": Shot("les-miserables", "H3", dark=True),
    "s2": Shot("sphere-mesh(n=400)", "S2", colour="distortion"),
    "gr13": Shot("les-miserables", "Gr(1,3)"),
    "stein2": Shot("les-miserables", "Stein2"),
    "gr24": Shot("les-miserables", "Gr(2,4)", dark=True, colour="ricci"),
    "h3xs2": Shot("les-miserables", "H3 x S2", colour="hops"),
    "faithful": Shot("csphd", "H2", element="#faithfulness"),
    "curvature": Shot("csphd", "H2", dark=True, element="#curvature"),
    "phone": Shot("les-miserables", "H3", width=390, element=None),
}

GRID = {
    "graphs": ["karate", "les-miserables"],
    "spaces": ["E2", "H2", "S2", "E3", "H3", "S3", "Stein2"],
    "losses": ["stress", "rsne(T=0.02)"],
    "epochs": 400,
}


def written(shot: Shot, folder: Path) -> Path:
    """Write the report of a graph in a space, unless it exists, and return its path."""
    path = folder / f"{shot.graph} {shot.space}.html"
    if not path.exists():
        graph = open_graph(shot.graph)
        fit = embed(graph, shot.space)
        history = {key: [getattr(r, key) for r in fit.history] for key in ("stage", "loss", "lr")}
        commands = [f'riemap embed {shot.graph} --space "{shot.space}" --out run', "riemap report run"]
        setting = {"loss": "stress", "preset": "default", "seed": 0}
        path.write_text(run_page(Subject(fit.embedding, graph, commands, setting, history)), encoding="utf-8")
    return path


def board(folder: Path) -> Path:
    """Run a small grid, write its leaderboard, and return its path."""
    results, runs = GridFolder(folder / "results"), grid(GRID)
    results.begin([run.id for run in runs])
    for run in runs:
        attempt(results, run, results.attempts(run))
    links = {run.id: f"board_files/{run.id}.html" for run in runs}
    page = leaderboard_page("results", results.records(), 0, links, ["riemap report results -o board.html"])
    path = folder / "board.html"
    path.write_text(page, encoding="utf-8")
    return path


def taken(tab: Tab, name: str, element: str | None = None) -> None:
    """Save a picture of the page, with 256 colours or fewer if the file is too large."""
    raw = IMAGES / f"report-{name}.png"
    tab.screenshot(raw, element)
    image = Image.open(BytesIO(raw.read_bytes())).convert("RGB")
    for colours in (256, 128, 64):
        image.quantize(colours).save(raw, optimize=True)
        if raw.stat().st_size < MAX_PICTURE_BYTES:
            break
    print(f"{raw.relative_to(ROOT)}: {raw.stat().st_size // 1000} kB")


def main() -> None:
    """Make all pictures, or those named on the command line."""
    command, names = found(), sys.argv[1:] or [*SHOTS, "grid"]
    if command is None:
        sys.exit("Chromium was not found; on Debian, install the package chromium")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Browser(command) as browser:
        for name in names:
            shot = SHOTS.get(name, Shot("", "", element=None))
            tab = browser.tab(shot.width, 844 if shot.width < 600 else 960, shot.dark)
            tab.open(board(Path(folder)) if name == "grid" else written(shot, Path(folder)))
            if name != "grid":
                tab.evaluate(f"riemap.model.colour('{shot.colour}')")
                tab.evaluate("document.getElementById('colour').value = riemap.model.mode")
            tab.frame()
            taken(tab, name, shot.element)
            tab.close()


if __name__ == "__main__":
    main()
