"""A distribution of curvatures in seven numbers, and the checks that every measure of curvature shares."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from riemap.errors import InputError
from riemap.graphs.dissimilarities import Dissimilarities
from riemap.graphs.graph import Graph
from riemap.types import Array

Progress: TypeAlias = Callable[[float], None]
"""Is told how much of the work is done, from 0 to 1."""


class Summary(NamedTuple):
    """Mean, standard deviation and quartiles of some values."""

    mean: float
    std: float
    min: float
    q25: float
    median: float
    q75: float
    max: float

    @classmethod
    def of(cls, values: Array) -> "Summary | None":
        """``None`` where there are no values.

        >>> Summary.of(np.array([1.0, 2.0, 6.0])).median
        2.0
        """
        if len(values) == 0:
            return None
        quartiles = (float(q) for q in np.quantile(values, (0.0, 0.25, 0.5, 0.75, 1.0)))
        return cls(float(values.mean()), float(values.std()), *quartiles)


def need_edges(graph: Graph, what: str) -> None:
    """Refuse what has no edges."""
    if isinstance(graph, Dissimilarities):
        raise InputError(
            f"{graph.name}: {what} needs a graph, and dissimilarities have no edges; δ needs none"
        )
    if not isinstance(graph, Graph):
        given = type(graph).__name__
        raise TypeError(f"a graph is read by read_graph, load_dataset or as_graph, not {given}")


def checked_count(name: str, value: int, least: int, example: int) -> int:
    """A whole number that is not too small."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name}={value!r} is not a whole number from {least} up, e.g. {name}={example}")
    return int(value)
