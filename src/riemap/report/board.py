"""The page of a grid: its runs in one table, and their F1@k curves in one picture."""

from collections.abc import Mapping, Sequence
from typing import Any

import riemap
from riemap.grids.record import RunRecord, finite
from riemap.metrics import METRICS
from riemap.report.document import document


def board_page(
    title: str,
    records: Sequence[RunRecord],
    failed: int,
    links: Mapping[str, str],
    commands: Sequence[str],
) -> str:
    """The whole page, as HTML.

    Parameters
    ----------
    title
        What the grid is called.
    records
        Of its runs that are done.
    failed
        How many others failed.
    links
        Where the page of a run is, by its id, for the runs that have one.
    commands
        That make the page again.
    """
    data = {
        "title": title,
        "version": riemap.__version__,
        "commands": list(commands),
        "metrics": [{"name": m.name, "title": m.title, "best": m.best} for m in METRICS],
        "failed": failed,
        "rows": [_row(record, links.get(record["id"])) for record in records],
    }
    return document("board.html", ("board.js",), f"{title}: leaderboard", finite(data))


def _row(record: RunRecord, link: str | None) -> dict[str, Any]:
    run = record["run"]
    return {
        "link": link,
        **{key: run[key] for key in ("graph", "space", "loss", "preset", "optimizer", "seed")},
        "dim": record["dim"],
        "seconds": record.get("seconds"),
        "scores": record["scores"],
        "f1@k": [round(value, 4) for value in record["f1@k"]],
    }
