"""Size limits and argument checks of the graph generators."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.memory import require
from riemap.specs import shown

NodesAndEdges: TypeAlias = tuple[int, NDArray[np.int64]]
"""What a generator returns: the number of nodes, and the edges as an ``(m, 2)`` array of node numbers."""

MAX_GENERATED_NODES = 2_000_000
"""Largest number of nodes of a generated graph. Distances between all of so many nodes would take 4 TB."""

MAX_GENERATED_EDGES = 20_000_000
"""Largest number of edges of a generated graph. An edge takes 16 bytes, so this is 320 MB."""

MAX_NETWORKX_EDGES = 2_000_000
"""Largest number of edges of a graph that NetworkX makes. It takes 500 bytes per edge, so this is 1 GB."""


def check_at_least(low: int, **values: int) -> None:
    """Raise an error for an argument, passed by its name, that is less than ``low``."""
    for key, value in values.items():
        if value < low:
            raise InputError(
                f"{key}={shown(value, 30)} is too small; {key} must be at least {shown(low, 30)}"
            )


def check_probability(**values: float) -> None:
    """Raise an error for an argument, passed by its name, that is not between 0 and 1."""
    for key, value in values.items():
        if not 0.0 <= value <= 1.0:
            raise InputError(f"{key}={value} is not a probability; {key} must be between 0 and 1")


def check_size(n: int, m: int, max_edges: int = MAX_GENERATED_EDGES) -> None:
    """Raise an error if a graph of ``n`` nodes and ``m`` edges would be too large."""
    if n > MAX_GENERATED_NODES or m > max_edges:
        raise InputError(
            f"the graph would be too large; at most {MAX_GENERATED_NODES:,} nodes and "
            f"{max_edges:,} edges are accepted"
        )
    # Measured: up to 110 bytes per edge to sort and join the edges, and 500 if NetworkX makes them.
    bytes_per_edge = 500 if max_edges == MAX_NETWORKX_EDGES else 110
    require(100 * n + bytes_per_edge * m, f"{n:,} nodes and {m:,} edges", "generate fewer")
