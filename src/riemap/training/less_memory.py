"""What to do if a run on a large graph does not fit into memory."""

from collections.abc import Callable

from riemap import memory
from riemap.spaces import Space

SMALLER_SPACES = ("H10", "H5", "H3", "E2")
"""Spaces that are advised, those with more coordinates first."""


def less_memory(n: int, space: Space, needed: Callable[[Space, int], int]) -> str:
    """Say which smaller space, and how large a part of the graph, would fit.

    Parameters
    ----------
    n, space
        Number of nodes, and the space to embed them in.
    needed
        Returns the memory in bytes that so many nodes need in a space.

    Returns
    -------
    str
        The end of a message.

    Examples
    --------
    >>> less_memory(10**15, Space.parse("E2"), lambda space, n: 10**18)
    'take a machine with more memory'
    """
    free = memory.free() or 0
    fits = next((text for text in SMALLER_SPACES if needed(Space.parse(text), n) <= free), None)
    most = _most_nodes(n, lambda count: needed(space, count) <= free)
    ways = [] if fits is None else [f"a space with fewer coordinates, such as {fits}"]
    ways += [f"a part of the graph with at most {most} nodes (--sampler landmarks)"] if most else []
    return f"take {', '.join(ways)}{', or ' if ways else ''}a machine with more memory"


def _most_nodes(n: int, fits: Callable[[int], bool]) -> int:
    """Find the number of nodes below ``n`` up to which a graph fits; 0 if none does."""
    low, high = 0, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
