"""What a worker does: one run after the other, as it is told on stdin, and a line on stdout about each.

A process of its own, so that whatever ends it costs no more than its run, and the number of its threads can
be chosen. It ends when its stdin does, which the system sees to if the process that started it is gone.
"""

import functools
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import numba

from riemap.errors import InputError
from riemap.grids.grid import GraphSource, Run
from riemap.grids.records import Folder, machine

if TYPE_CHECKING:
    from riemap.embeddings import Embedding
    from riemap.graphs import Dissimilarities, Graph
    from riemap.training import Fit

    Opened: TypeAlias = Graph | Dissimilarities

DONE, FAILED, FOUND, HELD, LEFT = "done", "failed", "found", "held", "left"
"""What can be said of a run: all is there; it failed, and that is recorded; another process did it meanwhile;
or is at it now; or it was not begun, for want of time."""

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Of the sums of angles: whiskers, box and median of a box plot."""


def attempt(folder: Folder, run: Run, replaces: str) -> str:
    """Do a run, unless another process is at it or has done it; what goes wrong is recorded.

    Parameters
    ----------
    folder
        Of the grid.
    run
        What to do.
    replaces
        The stamp of a failed record that is to be done again; empty if there was none.
    """
    with folder.claim(run.id) as ours:
        if not ours:
            return HELD
        if folder.stamp(run.id) != replaces:
            return FOUND
        found, embedding = computed(run, lambda: _opened(run.source))
        if embedding is not None and not folder.compact:
            embedding.save(folder.embedding(run.id))
        folder.write(run.id, found)
        return FAILED if "error" in found else DONE


def computed(run: Run, opened: "Callable[[], Opened]") -> "tuple[dict[str, Any], Embedding | None]":
    """The record of a run and its embedding; or a record of what went wrong.

    Parameters
    ----------
    run
        What to do.
    opened
        The run's graph.
    """
    started, embedding = time.perf_counter(), None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", UserWarning)
        try:
            found, embedding = _result(run, opened())
        except Exception as error:  # whatever it is, it is accounted for, and the other runs go on
            found = failure(run, numba.get_num_threads(), type(error).__name__, _message(error))
    found["warnings"] = [str(warning.message) for warning in said]
    return {**found, "seconds": round(time.perf_counter() - started, 3)}, embedding


def failure(run: Run, threads: int, kind: str, message: str) -> dict[str, Any]:
    """The record of a run that came to nothing."""
    return {**_heading(run, threads), "error": {"type": kind, "message": message}}


def _heading(run: Run, threads: int) -> dict[str, Any]:
    import riemap
    from riemap.spaces import Space

    return {
        "id": run.id,
        "version": riemap.__version__,
        "run": run.as_json(),
        "dim": Space.parse(run.space).dim,
        "machine": machine(threads),
    }


def _result(run: Run, graph: "Opened") -> "tuple[dict[str, Any], Embedding]":
    """Train and score."""
    from riemap.metrics import evaluate
    from riemap.spaces import Space
    from riemap.training import fit, training_process
    from riemap.training.embed_graph import planned

    if graph.key != run.key:
        raise InputError(f"{run.graph} is not what it was when the grid began")
    plan = planned(run.loss, run.preset, run.optimizer, run.epochs, graph.n)
    with training_process(graph.n) as interrupted:
        result = fit(graph, Space.parse(run.space), plan, seed=run.seed, interrupted=interrupted)
    scores = evaluate(result.embedding, graph)
    found = {
        **_heading(run, numba.get_num_threads()),
        **scores.as_json(),
        "angles": angles(result.embedding),
        "history": summary(result),
        "stop": result.stop.value,
    }
    return found, result.embedding


def summary(result: "Fit") -> dict[str, Any]:
    """How the loss went in the last stage; that of an earlier one may be another loss."""
    last = [record.loss for record in result.history if record.stage == result.history[-1].stage]
    return {"epochs": len(result.history), "first": last[0], "last": last[-1], "best": min(last)}


def angles(embedding: "Embedding") -> dict[str, Any] | None:
    """How the embedding curves: mean and quantiles of the normalised sums of angles in its triangles."""
    import numpy as np

    from riemap.curvature.geodesic_triangles import angle_sums

    values = angle_sums(embedding).values if embedding.n > 2 else np.empty(0)
    if len(values) == 0:
        return None
    return {"mean": float(values.mean()), "quantiles": np.quantile(values, QUANTILES).tolist()}


@functools.lru_cache(maxsize=1)
def _opened(source: GraphSource) -> "Opened":
    return source.open()


def _message(error: Exception) -> str:
    """In one line; without the file's name if it is about one."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split()) or type(error).__name__


def main() -> None:
    """Take runs from stdin until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a run that is interrupted has no record
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else is printed is not an answer
    jobs: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin, jobs), daemon=True).start()
    while True:
        job = json.loads(jobs.get())
        folder = Folder(Path(job["folder"]), job["compact"])
        answer = attempt(folder, Run.from_json(job["run"]), job["replaces"])
        answers.write(answer + "\n")
        answers.flush()


def _listen(source: IO[str], jobs: "queue.SimpleQueue[str]") -> None:
    for line in source:
        jobs.put(line)
    os._exit(0)  # in the middle of a run, too: nobody waits for it


if __name__ == "__main__":
    try:
        main()
    except Exception:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
