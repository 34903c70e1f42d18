"""A worker process: it does one run after the other, as told on stdin, and answers with a line on stdout.

It is a process of its own, so that whatever ends it costs no more than its run, and the number of its threads
can be chosen. It ends when its stdin is closed, which happens also if the process that started it is killed.
"""

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
from typing import IO, Any

from riemap import threads
from riemap.embeddings import Embedding
from riemap.graphs import AnyGraph
from riemap.grids.outcomes import Outcome
from riemap.grids.record import RunRecord, failure, success, task_success
from riemap.grids.records import GridFolder
from riemap.grids.task_runs import RunInputs, opened, task_trial
from riemap.runs import GraphSource, RunSpec, execute
from riemap.training import training_process


def attempt(folder: GridFolder, run: RunSpec, attempts: int) -> Outcome:
    """Do a run, unless another process does it or has done it; an error is recorded.

    Parameters
    ----------
    folder
        The folder of the grid.
    run
        What to do.
    attempts
        How many times the run was recorded when it was decided to do it.

    Returns
    -------
    Outcome
        The outcome of the run.
    """
    with folder.claim(run, attempts) as taken:
        if taken is not None:
            return taken
        return folder.save(*computed(run, lambda: opened(RunInputs.of(run))))


def computed(run: RunSpec, inputs: Callable[[], tuple[AnyGraph, Any]]) -> tuple[RunRecord, Embedding | None]:
    """Do a run and make its record; an error, whatever it is, makes a record of a failure.

    Parameters
    ----------
    run
        What to do.
    inputs
        Gives the graph of the run, and its distances; or its labels, if the run predicts something.

    Returns
    -------
    tuple
        The record, and the embedding if the run is done and predicts nothing.
    """
    started, embedding = time.perf_counter(), None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            graph, shared = inputs()
            with training_process(graph.n) as interrupted:
                if run.task is not None:
                    trial = task_trial(run, graph, shared, interrupted)
                    record = task_success(run, graph.n, trial, threads.count())
                else:
                    result = execute(run, graph=graph, distances=shared, interrupted=interrupted)
                    record, embedding = success(result, threads.count()), result.fit.embedding
        except Exception as error:
            record = failure(run, threads.count(), type(error).__name__, _message(error))
    record["warnings"] = [str(warning.message) for warning in caught]
    record["seconds"] = round(time.perf_counter() - started, 3)
    return record, embedding


def _message(error: Exception) -> str:
    """The message in one line, without the path of a file that it is about."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split()) or type(error).__name__


def job(folder: GridFolder, run: RunSpec, attempts: int) -> str:
    """Write down a run for a worker process to read, as one line of JSON."""
    facts = {"folder": str(folder.path), "compact": folder.compact, "attempts": attempts}
    private = {
        "source": run.source and run.source.as_json(),
        "labels_file": run.task.file if run.task else "",
    }
    return json.dumps({**facts, "run": run.as_json(), **private})


def main() -> None:
    """Be a worker process: do runs until stdin ends, and exit with code 1 and a traceback after a bug."""
    try:
        _serve()
    except Exception:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


def _serve() -> None:
    """Do the runs that come on stdin until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupted run would leave no record
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else is printed is not an answer
    jobs: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin, jobs), daemon=True).start()
    while True:
        found = json.loads(jobs.get())
        source = None if found["source"] is None else GraphSource.from_json(found["source"])
        folder = GridFolder(Path(found["folder"]), found["compact"])
        run = RunSpec.from_json(found["run"], source, found["labels_file"])
        outcome = attempt(folder, run, found["attempts"])
        answers.write(outcome.value + "\n")
        answers.flush()


def _listen(source: IO[str], jobs: "queue.SimpleQueue[str]") -> None:
    for line in source:
        jobs.put(line)
    os._exit(0)  # even in the middle of a run: nobody waits for it
