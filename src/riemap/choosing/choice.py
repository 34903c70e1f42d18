"""The answer: which spaces fit, how sure that is, and why."""

import math
import statistics
from dataclasses import dataclass, field
from typing import Any, final

from riemap.choosing.comparisons import Board
from riemap.choosing.prediction import TASK_METRICS
from riemap.choosing.search import SearchEnd
from riemap.metrics.registry import Metric

CLOSE = 0.1
"""Share of its score by which Euclidean space may be worse for curvature not to matter."""


@final
@dataclass(frozen=True)
class Standing:
    """How a space did.

    Parameters
    ----------
    space, dim, numbers
        The space, its dimension, and how many numbers a point takes.
    mean, se
        Mean score of what is held out, over seeds, and its standard error; ``None`` without enough trials.
    runs, epochs, seconds
        Number and length of its longest trials, and the seconds of one of them.
    difference, difference_se
        Mean of how much worse it is than the best space with the same seeds, and its standard error.
    told_apart
        Whether it is clearly worse than the best space.
    note
        Why it has no score, if it has none.
    """

    space: str
    dim: int
    numbers: int
    mean: float | None
    se: float | None
    runs: int
    epochs: int
    seconds: float | None
    difference: float | None
    difference_se: float | None
    told_apart: bool
    note: str = ""


@final
@dataclass(frozen=True)
class Choice:
    """Which spaces fit a graph best, and how sure that is.

    Parameters
    ----------
    graph, dim, metric
        Name of the graph, dimension of the spaces, and the metric that decided.
    best
        The best space, and all that cannot be told apart from it.
    ranking
        How each space did, the best first.
    why
        Measured facts; see ``docs/choose.md``.
    stop
        Why the search ended.
    seconds, budget
        Seconds that were used and allowed.
    needed_minutes
        Estimate of the minutes that a whole answer needs; ``None`` if this is one.
    baseline, flat
        The Euclidean space, or the first one that was named; and whether it is Euclidean.
    nodes, sampled
        Number of nodes that were used, and whether they are a sample of a larger graph.
    trial_nodes
        Number of these that each trial draws: those that it embeds, and those that it places afterwards.

    Examples
    --------
    >>> from riemap import choose
    >>> choice = choose("tree(r=2,h=3)", spaces="E2,H2", seeds=3)
    >>> choice.best
    ('H2',)
    """

    graph: str
    dim: int
    metric: Metric = field(repr=False)
    best: tuple[str, ...]
    ranking: tuple[Standing, ...] = field(repr=False)
    stop: SearchEnd
    seconds: float
    budget: float
    baseline: str
    flat: bool
    nodes: int
    sampled: bool
    trial_nodes: int
    needed_minutes: float | None = None
    why: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def curvature_matters(self) -> bool | None:
        """Whether Euclidean space is clearly worse than the best; ``False`` if it is about as good.

        ``None`` if it was not compared, if the search ended before that is known, or if it is worse by more
        than a tenth of its score, but not clearly: then more seeds are needed.
        """
        found = [s for s in self.ranking if s.space == self.baseline]
        if not self.flat or not found or found[0].mean is None:
            return None
        if found[0].told_apart:
            return True
        close = (found[0].difference or 0.0) <= CLOSE * abs(found[0].mean)
        return False if close and self.stop is SearchEnd.FINISHED else None

    @property
    def held_out(self) -> str:
        """What was held out and scored: ``"links"``, ``"labels"``, or ``"pairs"`` of nodes."""
        return self.metric.name if self.metric.name in TASK_METRICS else "pairs"

    @property
    def verdict(self) -> str:
        """The answer in a few sentences, each from numbers in :attr:`ranking`."""
        return " ".join(_sentences(self))

    def as_json(self) -> dict[str, Any]:
        """Give the answer as JSON has it.

        Returns
        -------
        dict
            Values of types that JSON has.
        """
        return {
            "graph": self.graph,
            "dim": self.dim,
            "metric": self.metric.name,
            "held_out": self.held_out,
            "best": list(self.best),
            "complete": self.stop is SearchEnd.FINISHED,
            "stop": self.stop.value,
            "verdict": self.verdict,
            "curvature_matters": self.curvature_matters,
            "needed_minutes": self.needed_minutes,
            "seconds": round(self.seconds, 3),
            "budget": self.budget,
            "baseline": self.baseline,
            "nodes": self.nodes,
            "sampled": self.sampled,
            "trial_nodes": self.trial_nodes,
            "ranking": [vars(standing) for standing in self.ranking],
            "why": self.why,
        }


def _sentences(choice: Choice) -> list[str]:
    if not choice.best:
        return [f"There is no answer yet: {choice.stop.value}.", *_need(choice)]
    first, metric = choice.ranking[0], choice.metric
    said = [
        f"{first.space} is best by {metric.title} ({metric.name}) of held-out {choice.held_out}: "
        f"{_score(choice, first)}."
    ]
    others = choice.best[1:]
    if choice.curvature_matters is False and first.space != choice.baseline:
        said.append(f"{choice.baseline} cannot be told apart from it: curvature does not matter here.")
        others = tuple(s for s in others if s != choice.baseline)
    if others:
        so_far = "" if choice.stop is SearchEnd.FINISHED else " so far"
        said.append(f"{', '.join(others)} cannot be told apart from it{so_far}.")
    flat = [s for s in choice.ranking if s.space == choice.baseline in others]
    if flat and choice.flat and choice.stop is SearchEnd.FINISHED:
        said.append(f"{choice.baseline} is worse by {_gap(choice, flat[0])}: more seeds may tell.")
    worse = [s for s in choice.ranking[1:] if s.told_apart and s.difference is not None]
    if not choice.best[1:] and worse:
        nearest = min(worse, key=lambda s: s.difference or 0.0)
        said.append(f"That is clear: the nearest, {nearest.space}, is worse by {_gap(choice, nearest)}.")
    return [*said, *_need(choice)]


def _score(choice: Choice, standing: Standing) -> str:
    text = choice.metric.text(standing.mean)
    if standing.se is None:
        return f"{text}, one run"
    return f"{text} ± {choice.metric.text(standing.se)} over {standing.runs} runs"


def _gap(choice: Choice, standing: Standing) -> str:
    return (
        f"{choice.metric.text(standing.difference)} ± {choice.metric.text(standing.difference_se)} "
        f"with the same seeds"
    )


def _need(choice: Choice) -> list[str]:
    if choice.stop is SearchEnd.FINISHED:
        return []
    if choice.stop is SearchEnd.INTERRUPTED:
        return ["This is the answer so far: it was interrupted."]
    minutes = choice.needed_minutes
    needed = "" if minutes is None else f"; at least {minutes:.3g} minutes are needed"
    return [f"The budget is too small to tell all spaces apart{needed}."]


def standings(board: Board, spaces: dict[str, tuple[int, int]], slow: set[str]) -> list[Standing]:
    """Rank all spaces: the best first, then by how much worse they are, those without a score last.

    Parameters
    ----------
    board
        All scores.
    spaces
        Dimension and number of stored numbers of each space.
    slow
        Spaces that were too slow for the budget.

    Returns
    -------
    list of Standing
        One for each space.
    """
    best = board.best()
    found = [_standing(board, space, *facts, best, slow) for space, facts in spaces.items()]
    return sorted(found, key=lambda s: (s.space != best, s.difference is None, s.difference or 0.0))


def _standing(board: Board, space: str, dim: int, numbers: int, best: str | None, slow: set[str]) -> Standing:
    epochs = 0 if space in board.diverged else board.level(space)
    values = list(board.values(space, epochs).values())
    times = board.seconds.get(space, {}).get(epochs, [])
    pair = board.difference(space, best) if best is not None and epochs else None
    gap = None if pair is None else pair[0]
    note = (
        "training diverged" if space in board.diverged else "too slow for the budget" if space in slow else ""
    )
    note = note or ("" if values else "not tried")
    return Standing(
        space,
        dim,
        numbers,
        statistics.fmean(values) if values else None,
        statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None,
        len(values),
        epochs,
        round(statistics.fmean(times), 4) if times else None,
        None if gap is None else gap.mean,
        gap.se if gap is not None and space != best and math.isfinite(gap.se) else None,
        best is not None and board.is_worse(space, best),
        note,
    )
