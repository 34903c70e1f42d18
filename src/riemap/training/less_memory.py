"""What to do if a run on a large graph does not fit into memory."""

from collections.abc import Callable

from riemap import memory
from riemap.spaces import Space

SMALLER_SPACES = ("H10", "H5", "H3", "E2")
"""Spaces that are advised, those with more coordinates first."""


def less_memory(n: int, space: Space, needed: Callable[[Space], int]) -> str:
    """Say which smaller space, and how large a part of the graph, would fit.

    Parameters
    ----------
    n, space
        Number of nodes, and the space to embed them in.
    needed
        Returns the memory in bytes that the nodes need in a space.

    Returns
    -------
    str
        The end of a message.

    Examples
    --------
    >>> less_memory(10**15, Space.parse("E2"), lambda space: 10**18).split(", or ")[1]
    'a machine with more memory'
    """
    free = memory.free() or 0
    fits = next((text for text in SMALLER_SPACES if needed(Space.parse(text)) <= free), None)
    smaller = "" if fits is None else f"a space with fewer coordinates, such as {fits}, "
    most = free * n // needed(space)
    return f"take {smaller}a part of the graph with at most {most} nodes, or a machine with more memory"
