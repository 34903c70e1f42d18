"""How commands open the graph that the user names."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riemap.cli.progress import telling
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.graphs import AnyGraph, Graph


SLOW_FILE_BYTES = 1 << 20
"""Size in bytes of a file from which on reading takes more than a moment, so that the user is told."""


def opening(text: str) -> AbstractContextManager[Any]:
    """Say that a graph is being opened if that takes long. Small files and datasets are there at once."""
    slow = text.endswith(")") or (Path(text).is_file() and Path(text).stat().st_size > SLOW_FILE_BYTES)
    return telling(f"opening {text}") if slow else nullcontext()


def open_component(text: str, *, undirected: bool, require_connected: bool) -> "AnyGraph":
    """Open a graph; keep its largest component, or refuse several components if ``require_connected``."""
    from riemap.graphs import open_graph

    with opening(text):
        return open_graph(text, undirected=undirected, component="error" if require_connected else "largest")


def open_with_edges(text: str, *, undirected: bool, purpose: str) -> "Graph":
    """Open a graph, and refuse a matrix of dissimilarities because ``purpose`` needs edges."""
    from riemap.graphs import Graph, open_graph

    with opening(text):
        opened = open_graph(text, undirected=undirected)
    if not isinstance(opened, Graph):
        raise InputError(
            f"{opened.name} is a matrix of dissimilarities, which has no edges; {purpose} needs a graph"
        )
    return opened
