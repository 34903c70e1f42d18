"""What a grid records about one run: its scores, or the error that it ended with."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

import numpy as np

import riemap
from riemap.checked_json import check_entries
from riemap.curvature.geodesic_triangles import angle_sums
from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.grids.machine import machine_facts
from riemap.runs import RunResult, RunSpec
from riemap.runs.engine import engine_hash
from riemap.runs.entries import SpecEntries
from riemap.spaces import Space
from riemap.specs import shown
from riemap.tasks.label_results import LabelTrial
from riemap.tasks.link_results import LinkTrial
from riemap.tasks.task import trial_scores
from riemap.training.fit import Fit

TASK_SOURCES = ("tasks",)
"""Packages of riemap on which predictions depend, besides those on which embeddings do."""

ANGLE_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Recorded quantiles of the angle sums: whiskers, box and median of a box plot."""


class Failure(TypedDict):
    """Why a run failed: the type of the exception and its message."""

    type: str
    message: str


class AngleEntries(TypedDict):
    """How an embedding curves: mean and quantiles of the normalised angle sums of triangles."""

    mean: float
    quantiles: list[float]


class LossEntries(TypedDict):
    """How the loss went in the last stage; ``None`` where it was not finite."""

    epochs: int
    first: float | None
    last: float | None
    best: float | None


RunRecord = TypedDict(
    "RunRecord",
    {
        "id": str,
        "version": str,
        "engine": str | None,  # hash of the code that made it; None if that is not known
        "attempt": NotRequired[int],  # 1 for the first record of a run, 2 after it was done again, ...
        "run": SpecEntries,
        "dim": int,
        "machine": dict[str, Any],
        "seconds": float | None,
        "warnings": NotRequired[list[str]],
        "error": NotRequired[Failure],  # of a failed run, which has nothing of what follows
        "n": NotRequired[int],
        "sources": NotRequired[int],
        "scores": NotRequired[dict[str, float | None]],
        "f1@k": NotRequired[list[float]],
        "layers": NotRequired[list[int]],
        "standard_errors": NotRequired[dict[str, float | None]],
        "angles": NotRequired[AngleEntries | None],
        "history": NotRequired[LossEntries],
        "stop": NotRequired[str],
        "model": NotRequired[str],  # of a run that predicts something: the model that was chosen
        "embedding_checksum": NotRequired[str],  # of the embedding in the folder of the grid, if it is there
    },
)
RunRecord.__doc__ = (
    """The record of a run: one line of a file of records, as JSON has it, without its checksum."""
)

SUCCESS_ENTRIES = ("scores", "f1@k")
"""Entries that every run has that did not fail and predicts nothing."""

TASK_ENTRIES = ("scores", "model")
"""Entries that every run has that did not fail and predicts something."""


def success(result: RunResult, threads: int) -> RunRecord:
    """Make the record of a run that is done; the caller adds ``seconds`` and ``warnings``."""
    found = {
        **_heading(result.spec, threads),
        **result.scores.as_json(),
        "angles": angles(result.fit.embedding),
        "history": loss_summary(result.fit),
        "stop": result.fit.stop.value,
    }
    return cast(RunRecord, found)


def task_success(spec: RunSpec, n: int, trial: LinkTrial | LabelTrial, threads: int) -> RunRecord:
    """Make the record of a run that predicted something; the caller adds ``seconds`` and ``warnings``."""
    found = {**_heading(spec, threads), "n": n, "scores": trial_scores(trial), "model": trial.model}
    return cast(RunRecord, found)


def failure(spec: RunSpec, threads: int, kind: str, message: str) -> RunRecord:
    """Make the record of a run that failed.

    Parameters
    ----------
    spec
        The run.
    threads
        Number of its threads.
    kind, message
        Type of the exception, and its message in one line.

    Returns
    -------
    RunRecord
        A record with an ``error`` and without scores.
    """
    found = {**_heading(spec, threads), "error": {"type": kind, "message": message}, "seconds": None}
    return cast(RunRecord, found)


def _heading(spec: RunSpec, threads: int) -> dict[str, Any]:
    return {
        "id": spec.id,
        "version": riemap.__version__,
        "engine": engine_hash() if spec.task is None else engine_hash(*TASK_SOURCES),
        "run": spec.as_json(),
        "dim": Space.parse(spec.space).dim,
        "machine": machine_facts(threads),
    }


def loss_summary(fit: Fit) -> dict[str, Any]:
    """Summarise how the loss went in the last stage; an earlier stage may have another loss."""
    last = [record.loss for record in fit.history if record.stage == fit.history[-1].stage]
    return {"epochs": len(fit.history), "first": last[0], "last": last[-1], "best": min(last)}


def angles(embedding: Embedding) -> dict[str, Any] | None:
    """Summarise how an embedding curves: mean and quantiles of the normalised angle sums of triangles."""
    values = angle_sums(embedding).values if embedding.n > 2 else np.empty(0)
    if len(values) == 0:
        return None
    return {"mean": float(values.mean()), "quantiles": np.quantile(values, ANGLE_QUANTILES).tolist()}


def checked_record(found: Mapping[str, Any]) -> RunRecord:
    """Check that a JSON object is the record of a run.

    Parameters
    ----------
    found
        What a line of a file of records holds.

    Returns
    -------
    RunRecord
        The same object.

    Raises
    ------
    InputError
        If an entry is missing, or of another type. The message names it.
    """
    check_entries(found, RunRecord)
    id = found["id"]
    if not id or Path(id).name != id:  # it names files
        raise InputError(f"{shown(id)} is not the id of a run")
    needed = TASK_ENTRIES if "task" in found["run"] else SUCCESS_ENTRIES
    if missing := [name for name in needed if "error" not in found and name not in found]:
        raise InputError(f"its {missing[0]} is missing, and it has no error")
    return cast(RunRecord, found)


def older_engine(records: Iterable[RunRecord]) -> int:
    """Count the records that were made by other code than today's, or by code that is not known."""
    sources = {True: TASK_SOURCES, False: ()}
    return sum(record.get("engine") != engine_hash(*sources["task" in record["run"]]) for record in records)


def finite(value: Any) -> Any:
    """Replace every number that is infinite or NaN by ``None``, since JSON has neither.

    >>> finite({"loss": [1.0, float("nan")]})
    {'loss': [1.0, None]}
    """
    if isinstance(value, Mapping):
        return {key: finite(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def compacted(record: Mapping[str, Any]) -> dict[str, Any]:
    """Shorten a record: fewer digits, and nothing that the graph alone tells.

    >>> compacted({"scores": {"ad": 0.12345678901, "map": None}, "f1@k": [0.123456], "layers": [7]})
    {'scores': {'ad': 0.123456789, 'map': None}, 'f1@k': [0.1235]}
    """
    found = {key: value for key, value in record.items() if key != "layers"}
    if "scores" in found:
        found["scores"] = {
            name: None if value is None else float(f"{value:.9g}") for name, value in found["scores"].items()
        }
    if "f1@k" in found:
        found["f1@k"] = [None if value is None else round(value, 4) for value in found["f1@k"]]
    if angles := found.get("angles"):
        found["angles"] = {
            "mean": round(angles["mean"], 5),
            "quantiles": [round(value, 5) for value in angles["quantiles"]],
        }
    return found
