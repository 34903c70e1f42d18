"""The page of a grid: a table of its runs, and a chart of their F1@k curves."""

from collections.abc import Mapping, Sequence
from typing import Any

import riemap
from riemap.grids.record import RunRecord, finite
from riemap.grids.tables import ALL_METRICS
from riemap.grids.task_runs import EMBED
from riemap.report.document import document

LEADERBOARD_SECTIONS = {"table": "Runs", "curves": "Curves", "again": "Again"}
"""Links at the top of the page: the id of each section, and the text of its link."""


def leaderboard_page(
    title: str,
    records: Sequence[RunRecord],
    failed: int,
    links: Mapping[str, str],
    commands: Sequence[str],
) -> str:
    """Build the leaderboard of a grid.

    Parameters
    ----------
    title
        Name of the grid.
    records
        Records of its finished runs.
    failed
        Number of runs that failed.
    links
        Addresses of the runs' own pages, by the id of a run; a run may have none.
    commands
        Commands that make the page again, to show at its end.

    Returns
    -------
    str
        The page as HTML.

    Examples
    --------
    >>> page = leaderboard_page("results", [], 0, {}, ["riemap report results"])
    >>> "<title>results: leaderboard</title>" in page
    True
    """
    data = {
        "title": title,
        "version": riemap.__version__,
        "commands": list(commands),
        "metrics": [m.as_json() for m in ALL_METRICS],
        "failed": failed,
        "rows": [_row(record, links.get(record["id"])) for record in records],
    }
    scripts = ("leaderboard.js",)
    return document("leaderboard.html", scripts, LEADERBOARD_SECTIONS, f"{title}: leaderboard", finite(data))


def _row(record: RunRecord, link: str | None) -> dict[str, Any]:
    run = record["run"]
    return {
        "link": link,
        **{key: run[key] for key in ("graph", "space", "loss", "preset", "optimizer", "seed")},
        "task": run.get("task", EMBED),
        "dim": record["dim"],
        "seconds": record.get("seconds"),
        "scores": record["scores"],
        "f1@k": [round(value, 4) for value in record.get("f1@k", [])],
    }
