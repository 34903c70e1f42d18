"""``riemap.choose``: which space fits a graph, and how sure that is."""

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from riemap.choosing.candidates import is_flat, stored_numbers
from riemap.choosing.choice import Choice, standings
from riemap.choosing.evidence import embedding_facts, gains, graph_facts
from riemap.choosing.executors import Executor, executor
from riemap.choosing.folder import ChoiceFolder
from riemap.choosing.question import CHOICE_METRICS, DEFAULT_BUDGET, DEFAULT_SEEDS, Question, asked
from riemap.choosing.reasons import reasons
from riemap.choosing.search import Search, SearchEnd
from riemap.choosing.splits import Problem
from riemap.choosing.trial_record import Trial, TrialRecord
from riemap.embeddings import Embedding
from riemap.graphs import take_graph
from riemap.runs.source import GraphSource
from riemap.spaces import Space
from riemap.tasks.labelling import Labelling
from riemap.training.trainer import never

EVIDENCE_SHARE, LONGEST_EVIDENCE_SECONDS = 0.05, 5.0
"""Part of the budget that is kept for the facts beside the answer, and the most seconds of it."""

NEED_MARGIN = 1.25
"""Factor of the estimated time that an answer needs: spaces that are given up late cost some more."""


def choose(
    graph: Any,
    dim: int | None = None,
    *,
    metric: str = CHOICE_METRICS[0],
    spaces: str | Sequence[str | Space] | None = None,
    budget: str | float = DEFAULT_BUDGET,
    seeds: int = DEFAULT_SEEDS,
    out: str | Path | None = None,
    labels: Labelling | None = None,
    ray: str = "",
) -> Choice:
    """Find the spaces of one dimension that fit a graph best, and say how sure that is.

    All candidates get short trials, the better part longer ones, and the last few the whole plan with several
    seeds. Scores are those of pairs that were held out of the loss.

    Parameters
    ----------
    graph
        A graph, or anything that :func:`as_graph` or :func:`open_graph` makes one of.
    dim
        Intrinsic dimension of the spaces; 6 by default, or that of ``spaces``.
    metric
        What decides: ``"ad"`` (average distortion), ``"auc"``, ``"f1@1"`` or ``"map"`` of held-out pairs; or
        how well held-out ``"links"`` or ``"labels"`` are predicted, as by :func:`riemap.predict_links`.
    spaces
        Spaces to compare, such as ``"E3,H3,S2 x E1"``; by default all of this dimension, each geometry once.
    budget
        Time that may be used, such as ``"90s"``, ``"10m"`` or ``"1h"``; a number is minutes.
    seeds
        Number of seeds of the whole plan.
    out
        A folder that keeps every trial. The same call continues a search that was interrupted, and a larger
        budget or more seeds continue one that has ended.
    labels
        Labels of nodes, as for :func:`riemap.predict_labels`, if they decide.
    ray
        Address of a Ray cluster that does the trials, such as ``"127.0.0.1:6379"`` or ``"auto"``.

    Returns
    -------
    Choice
        The best space and all that cannot be told apart from it, how each space did, and why.

    Raises
    ------
    InputError
        If the graph, a space or an option cannot be read, if the graph has too few nodes, if the folder
        holds something else, or if there is no such cluster.

    Examples
    --------
    >>> choice = choose("cycle(n=60)", spaces="E1,S1", seeds=3)
    >>> choice.best, choice.curvature_matters
    (('S1',), True)
    """
    source = GraphSource(str(graph)) if isinstance(graph, str | Path) else None
    question = asked(
        take_graph(graph),
        dim,
        metric=metric,
        spaces=spaces,
        budget=budget,
        seeds=seeds,
        source=source,
        labels=labels,
    )
    return answer(question, None if out is None else Path(out), ray=ray)


def answer(
    question: Question,
    out: Path | None = None,
    told: Callable[[Trial, Search], None] = lambda trial, search: None,
    interrupted: Callable[[], bool] = never,
    ray: str = "",
) -> Choice:
    """Answer a question, in a folder if one is given.

    Parameters
    ----------
    question
        What is asked.
    out
        The folder, which may hold the trials of an earlier search.
    told
        Is called after each trial.
    interrupted
        Ends the search by returning ``True``.
    ray
        Address of a Ray cluster; without it, trials are done on this machine.

    Returns
    -------
    Choice
        The answer; the answer so far if the search was interrupted.
    """
    problem = Problem(question.graph, question.task, question.metric.name)
    folder = None if out is None else ChoiceFolder(out)
    with (
        nullcontext() if folder is None else folder.begun(question.as_json(problem)),
        executor(problem, ray) as where,
    ):
        return _Session(question, problem, folder, told, interrupted, where).answer()


class _Session:
    """One search, with what it remembers of earlier ones in the same folder."""

    def __init__(
        self,
        question: Question,
        problem: Problem,
        folder: ChoiceFolder | None,
        told: Callable[[Trial, Search], None],
        interrupted: Callable[[], bool],
        where: Executor,
    ) -> None:
        self.question, self.problem, self.folder, self._told = question, problem, folder, told
        before = folder.answer() if folder is not None else None
        self.spent = 0.0 if before is None else float(before["seconds"])
        self.began = time.monotonic()
        self.records: list[TrialRecord] = [] if folder is None else folder.trials()
        self.embeddings: dict[str, Embedding] = {}
        kept = min(EVIDENCE_SHARE * question.seconds, LONGEST_EVIDENCE_SECONDS)
        self.search = Search(
            problem,
            question.spaces,
            question.metric,
            question.seeds,
            question.seconds - self.spent - kept,
            known=self.records,
            told=self.told,
            interrupted=interrupted,
            executor=where,
        )

    def told(self, trial: Trial) -> None:
        """Keep a trial, and the answer so far."""
        self.records.append(trial.record)
        first = trial.record["epochs"] == self.search.full and trial.record["seed"] == 0
        if first and trial.embedding is not None:
            self.embeddings[trial.record["space"]] = trial.embedding
        if self.folder is not None:
            self.folder.save(self.records, trial, first)
            self.folder.write_answer(self.choice(SearchEnd.INTERRUPTED).as_json())
        self._told(trial, self.search)

    def answer(self) -> Choice:
        """Do the search, and collect the facts."""
        stop = self.search.run()
        why = {} if stop is SearchEnd.INTERRUPTED else self.why()
        found = self.choice(stop, why)
        if self.folder is not None:
            self.folder.write_answer(found.as_json())
        return found

    def choice(self, stop: SearchEnd, why: dict[str, Any] | None = None) -> Choice:
        """Make the answer from the trials so far."""
        q, board, search = self.question, self.search.board, self.search
        ranking = standings(board, {str(s): (s.dim, stored_numbers(s)) for s in q.spaces}, search.slow)
        best = [s.space for s in ranking if s.mean is not None and not s.told_apart]
        seconds = self.spent + time.monotonic() - self.began
        needed = None
        if stop is not SearchEnd.FINISHED:
            needed = NEED_MARGIN * max(seconds + search.missing_seconds(), q.seconds) / 60.0
        return Choice(
            graph=q.graph.name,
            dim=q.dim,
            metric=q.metric,
            best=tuple(best),
            ranking=tuple(ranking),
            stop=stop,
            seconds=seconds,
            budget=q.seconds,
            baseline=search.baseline,
            flat=is_flat(search.spaces[search.baseline]),
            nodes=self.problem.n if q.task is None else q.graph.n,
            sampled=self.problem.sampled and q.task is None,
            trial_nodes=len(self.problem.split(0).nodes) if q.task is None else q.graph.n,
            needed_minutes=None if needed is None else round(needed, 2),
            why=why or {},
        )

    def in_time(self) -> bool:
        """Whether the budget is not used up."""
        return self.spent + time.monotonic() - self.began < self.question.seconds

    def why(self) -> dict[str, Any]:
        """Measure the graph, the best embedding, and which pairs it improves."""
        facts = graph_facts(self.problem, self.in_time)
        best, baseline = self.search.board.best(), self.search.baseline
        if best is not None:
            embedding = self.embeddings.get(best)
            if embedding is None and self.folder is not None:
                embedding = self.folder.embedding(best)
            if embedding is not None and self.in_time():
                facts["embedding"] = embedding_facts(embedding)
            facts["gain"] = gains(self.records, self.search.board, best, baseline)
        facts["sentences"] = reasons(facts, best, baseline)
        return facts
