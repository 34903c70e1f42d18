"""Helpers that several test modules share."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from riemap.cli import main
from riemap.graphs import DATASETS
from riemap.grids.grid import grid
from riemap.grids.outcomes import Outcome
from riemap.grids.records import GridFolder
from riemap.grids.worker import attempt
from riemap.losses import as_loss
from riemap.runs.engine import engine_hash
from riemap.runs.spec import planned
from riemap.spaces import Space

TINY: dict[str, Any] = {
    "graphs": ["cycle(n=7)"],
    "spaces": ["E2", "S2"],
    "losses": ["stress", "ad"],
    "seeds": [0, 1],
    "epochs": 6,
}
"""A grid of eight runs that take well under a second each."""


def run(*arguments: str) -> int:
    """Run the command line in this process and return its exit code."""
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    return int(stop.value.code or 0)


def program(*arguments: str, before: str = "") -> list[str]:
    """Return the command that runs the command line in a process of its own, after the code ``before``."""
    return [sys.executable, "-c", f"{before}\nfrom riemap.cli import main\nmain({list(arguments)!r})"]


def parsed(text: str) -> dict[str, Any]:
    """Parse one line of JSON; NaN and infinities, which JSON does not have, are errors."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    assert text.count("\n") == 1
    return json.loads(text, parse_constant=refuse)


SCRIPT_LABEL = "</script><script>window.hurt = 1</script><img src=x onerror='window.hurt = 1'>&\u2028"
"""A label that runs a script in any page that does not escape it."""


def toml(folder: Path, entries: dict[str, Any] | None = None) -> Path:
    """Write the file of a grid, of ``TINY`` by default, and return its path."""
    path = folder / "grid.toml"
    entries = TINY if entries is None else entries
    path.write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in entries.items()))
    return path


def done_in_process(path: Path) -> Path:
    """Do all runs of the grid ``TINY`` in this process, and return the folder."""
    folder, runs = GridFolder(path), grid(TINY)
    folder.begin([r.id for r in runs])
    assert {attempt(folder, r, 0) for r in runs} == {Outcome.DONE}
    return folder.path


def record_of(graph: str, space: str, loss: str, scores: dict[str, Any], **more: Any) -> Any:
    """Return the record of a run with these scores; ``more`` replaces entries of it or of its run."""
    run = {"graph": graph, "key": graph, "space": space, "loss": loss, "preset": "default"}
    run |= {"optimizer": None, "epochs": None, "seed": 0, "plan": {"stages": [{"loss": loss}]}}
    run |= {key: more.pop(key) for key in run.keys() & more.keys()}
    found = {
        "id": f"{graph}-{space}-{loss}-{run['preset']}-{run['seed']}".replace("/", "-"),
        "version": "0.1.0",
    }
    found |= {
        "engine": engine_hash(),
        "run": run,
        "dim": Space.parse(space).dim,
        "machine": {},
        "seconds": 10.0,
    }
    return {**found, "scores": scores, "f1@k": [], **more}


def paper_record(
    graph: str, space: str, loss: str, f1: Any, auc: Any, ad: Any, seed: int = 0, preset: str = "default"
) -> Any:
    """Return the record of a run of the paper's grids, with scores in the units of its tables."""
    loss = str(as_loss(loss))
    plan = json.loads(json.dumps(planned(loss, preset, None, None, DATASETS[graph].n).as_json()))
    scores = {"f1@1": f1 and f1 / 100, "auc": auc and auc / 100, "ad": ad}
    return record_of(graph, space, loss, scores, seed=seed, preset=preset, plan=plan)


def kept_records(folder: Path, *records: Any) -> Path:
    """Write records into a compact folder, and return its path."""
    for number, one in enumerate(records):
        GridFolder(folder, compact=True).write({**one, "id": f"run{number}"})
    return folder
