"""F1@k of several embeddings of one graph, for a figure."""

from collections.abc import Mapping
from typing import NamedTuple

from riemap.types import Array


class Curves(NamedTuple):
    """F1@k of embeddings of one graph.

    ``f1`` has an array for each name, with F1@k for k = 1, 2, …; ``pairs`` is the share of the pairs of
    nodes that are k hops apart.
    """

    f1: Mapping[str, Array]
    pairs: Array
