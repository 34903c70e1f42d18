"""Several spaces side by side: a table, and one sentence that says which is best and how clear that is."""

import re
import shlex
import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from riemap.cli.output import new_console, new_table

if TYPE_CHECKING:
    from riemap.metrics import Metric
    from riemap.runs import RunResult, RunSpec

    Results: TypeAlias = Mapping[str, Sequence[RunResult]]
    """The runs of each space, one for each seed."""

COLUMNS = ("f1@1", "auc", "map", "ad", "worst", "stress")
"""Metrics of the table that compares spaces."""

LENGTH_LOSSES = {"stress", "ad", "distortion"}
"""Losses, alone or in a sum, that keep lengths, so that embeddings are compared by their distortion."""

ADVISED_SEEDS = 5
"""Number of seeds to try after one: the fewest whose spread is more than a guess."""


def show_comparison(results: "Results") -> None:
    """Print a line for each space, with the best of each column marked, and the verdict."""
    from riemap.metrics import METRICS

    console = new_console()
    first = next(iter(results.values()))
    seeds = [r.spec.seed for r in first]
    said = f"seed {seeds[0]}" if len(seeds) == 1 else f"means over seeds {seeds[0]} to {seeds[-1]}"
    metrics = [m for m in METRICS if m.name in COLUMNS]
    numbers = ("Dim", *(m.name for m in metrics), "Seconds")
    table = new_table("Space", *numbers, right=numbers)
    for space, runs in results.items():
        cells = [_cell(m, space, results) for m in metrics]
        seconds = statistics.fmean(r.fit.seconds for r in runs)
        table.add_row(space, str(runs[0].fit.embedding.space.dim), *cells, f"{seconds:.1f}")
    console.print(f"{first[0].spec.graph}, {first[0].spec.loss}, {said}; * is the best of a column\n")
    console.print(table)
    sentence = verdict(results)
    if sentence:
        console.print(f"\n{sentence}", soft_wrap=True)


def _cell(metric: "Metric", space: str, results: "Results") -> str:
    means = {name: _mean(values) for name, values in _values(metric.name, results).items()}
    known = [value for value in means.values() if value is not None]
    if means[space] is None:
        return "–"
    best = max(known) if metric.best == "high" else min(known)
    return metric.text(means[space]) + ("*" if means[space] == best else " ")


def _values(metric: str, results: "Results") -> dict[str, list[float | None]]:
    return {space: [r.scores[metric] for r in runs] for space, runs in results.items()}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if len(known) == len(values) else None


def verdict(results: "Results") -> str:
    """Say which space is best by what, how clear that is over seeds, and what to run next.

    The metric is the average distortion; or the AUC for a loss that keeps the order of distances only. No
    score of distances tells which space predicts best.
    """
    from riemap.losses import Walks
    from riemap.metrics import METRICS

    spec = next(iter(results.values()))[0].spec
    if spec.loss == Walks.symbol:
        return about_prediction(spec, list(results))
    name = "ad" if LENGTH_LOSSES & set(re.findall(r"\w+", spec.loss)) else "auc"
    (metric,) = (m for m in METRICS if m.name == name)
    known: dict[str, list[float]] = {
        space: values  # type: ignore[misc]
        for space, values in _values(name, results).items()
        if None not in values
    }
    if len(known) < 2:
        return ""
    sign = -1.0 if metric.best == "high" else 1.0
    best, second = sorted(known, key=lambda space: sign * statistics.fmean(known[space]))[:2]
    a, b = known[best], known[second]
    head = f"{best} is best by {metric.title} ({name}): {_spread(metric, a)}, and {second} is next: "
    head += _spread(metric, b)
    dims = [results[space][0].fit.embedding.space.dim for space in (best, second)]
    if dims[0] > dims[1]:
        head += f", with {dims[1]} dimensions instead of {dims[0]}"
    if len(a) == 1:
        again = _command(spec, (best, second), "--seeds", str(ADVISED_SEEDS))
        return f"{head}. One seed does not tell how clear that is; next: {again}"
    if max(sign * x for x in a) < min(sign * x for x in b):
        kept = _command(results[best][0].spec, (best,), "--out", "best", "--report")
        return f"{head}. That is clear: every seed of {best} beats every seed of {second}; next: {kept}"
    more = _command(spec, (best, second), "--seeds", str(2 * len(a)))
    return f"{head}. That is not clear: their seeds overlap; next: {more}"


def about_prediction(spec: "RunSpec", spaces: Sequence[str]) -> str:
    """Say that the scores are not of predictions, and which command has those."""
    from riemap.runs.source import GraphSource
    from riemap.spaces import Space

    source = GraphSource(spec.graph) if spec.source is None else spec.source
    task = [source.text, *source.options.words()]
    words, others = ["links", *task, "--space", spaces[0]], ""
    if len(spaces) > 1:
        others = ", and so on for each space"
        if len({Space.parse(space).dim for space in spaces}) == 1:
            named = [word for space in spaces for word in ("--spaces", space)]
            words, others = ["choose", *task, *named, "--for", "links"], ""
    told = "how well the embedding" if len(spaces) == 1 else "which space best"
    return (
        f"These scores are of distances in the graph, and do not tell {told} predicts links or labels; "
        f"next: {shlex.join(['riemap', *words])}{others}"
    )


def _spread(metric: "Metric", values: Sequence[float]) -> str:
    """Mean and standard deviation over seeds."""
    text = metric.text(statistics.fmean(values))
    return text if len(values) == 1 else f"{text} ± {metric.text(statistics.stdev(values))}"


def _command(spec: "RunSpec", spaces: Sequence[str], *more: str) -> str:
    """Write the command that embeds the same graph in the same way in these spaces."""
    from riemap.runs.opening import embed_command
    from riemap.runs.source import GraphSource

    source = GraphSource(spec.graph) if spec.source is None else spec.source
    config = {**spec.as_json(), "given": {"graph": source.text, **source.options._asdict()}}
    words = shlex.split(embed_command({**config, "space": spaces[0]}))
    after = words.index("--space") + 2
    words[after:after] = [word for space in spaces[1:] for word in ("--space", space)]
    return shlex.join([*words, *more])
