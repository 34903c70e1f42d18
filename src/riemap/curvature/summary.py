"""Summary statistics of curvatures, and the checks of arguments that all curvatures share."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from riemap.errors import InputError
from riemap.graphs.dissimilarities import Dissimilarities
from riemap.graphs.graph import Graph
from riemap.types import Array

ProgressCallback: TypeAlias = Callable[[float], None]
"""Function that is called with the fraction of the work done, from 0 to 1."""


class Summary(NamedTuple):
    """Mean, standard deviation, extremes and quartiles of some values.

    Parameters
    ----------
    mean, std
        Mean and standard deviation (division by the number of values).
    min, q25, median, q75, max
        Smallest value, quartiles and largest value.
    """

    mean: float
    std: float
    min: float
    q25: float
    median: float
    q75: float
    max: float

    @classmethod
    def from_values(cls, values: Array) -> "Summary | None":
        """Summarise an array of values.

        Parameters
        ----------
        values
            ``(k,)``.

        Returns
        -------
        Summary or None
            ``None`` if there are no values.

        Examples
        --------
        >>> Summary.from_values(np.array([1.0, 2.0, 6.0])).median
        2.0
        """
        if len(values) == 0:
            return None
        quartiles = (float(q) for q in np.quantile(values, (0.0, 0.25, 0.5, 0.75, 1.0)))
        return cls(float(values.mean()), float(values.std()), *quartiles)


def require_edges(graph: Graph, what: str) -> None:
    """Raise an error unless ``graph`` is a graph; ``what`` names the curvature in the message."""
    if isinstance(graph, Dissimilarities):
        raise InputError(
            f"{graph.name}: {what} needs a graph, and dissimilarities have no edges; δ works without edges"
        )
    if not isinstance(graph, Graph):
        given = type(graph).__name__
        raise TypeError(f"{what} needs a Graph, not {given}; read_graph, load_dataset and as_graph make one")
