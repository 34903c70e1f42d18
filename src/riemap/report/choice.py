"""The page of a choice: the answer, all spaces with error bars, their curves, and the best map beside E's."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

import riemap
from riemap.choosing import ChoiceFolder
from riemap.choosing.question import choice_metric
from riemap.choosing.trial_record import TrialRecord
from riemap.errors import InputError
from riemap.graphs import AnyGraph, Graph
from riemap.metrics import METRICS
from riemap.report.document import document
from riemap.report.still_maps import MAP_CAPTION, still_maps

CHOICE_SECTIONS = {
    "answer": "Answer",
    "spaces": "Spaces",
    "curves": "Curves",
    "maps": "Maps",
    "again": "Again",
}
"""Links at the top of the page: the id of each section, and the text of its link."""

SHOWN_CURVES = 6
"""Number of spaces whose F1@k curves are drawn, the best first: as many as there are colours."""

TURNING = f"{MAP_CAPTION} The page of a run turns them."
"""What is said below a map."""


def choice_page(folder: ChoiceFolder, graph: AnyGraph | None, commands: Sequence[str]) -> str:
    """Build the page of a choice.

    Parameters
    ----------
    folder
        The folder that :func:`riemap.choose` wrote.
    graph
        The graph, for the edges on the maps; ``None`` leaves them out.
    commands
        Commands that make the page again, to show at its end.

    Returns
    -------
    str
        The page as HTML.

    Raises
    ------
    InputError
        If the folder has no answer yet, or is damaged.
    """
    answer, question = folder.answer(), folder.question()
    if answer is None or question is None:
        raise InputError(
            f"{folder.path} has no answer yet; 'riemap choose GRAPH --out {folder.path}' makes one"
        )
    metric = choice_metric(question["metric"])
    shown = [answer["ranking"][0]["space"], answer["baseline"]]
    found = {space: folder.embedding(space) for space in dict.fromkeys(shown)}
    edges = graph if isinstance(graph, Graph) else None
    data = {
        "version": riemap.__version__,
        "commands": list(commands),
        "metrics": [m.as_json() for m in METRICS],
        "metric": metric.as_json(),
        "answer": answer,
        "curves": _curves(folder.trials(), [row["space"] for row in answer["ranking"]]),
        "maps": [m for e in found.values() if e is not None for m in still_maps(e, edges, TURNING)],
    }
    title = f"{answer['graph']}: which space fits?"
    return document("choice.html", ("still_map.js", "choice.js"), CHOICE_SECTIONS, title, data)


def _curves(records: list[TrialRecord], spaces: list[str]) -> list[dict[str, Any]]:
    """Mean F1@k over the seeds of the longest trials, up to the first layer that a seed does not have."""
    longest = max((r["epochs"] for r in records), default=0)
    found = []
    for space in spaces[:SHOWN_CURVES]:
        curves = [
            r["curve"] for r in records if r["space"] == space and r["epochs"] == longest and r["curve"]
        ]
        values: list[float] = []
        for layer in zip(*curves, strict=False):
            known = [value for value in layer if value is not None]
            if len(known) < len(layer):
                break
            values.append(round(fmean(known), 4))
        if values:
            found.append({"name": space, "values": values})
    return found
