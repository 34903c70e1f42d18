"""How commands open the graph that the user names."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riemap.cli.progress import telling
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.graphs import AnyGraph, Graph, ReadOptions


SLOW_FILE_BYTES = 1 << 20
"""Size in bytes of a file from which on reading takes more than a moment, so that the user is told."""


def opening(text: str) -> AbstractContextManager[Any]:
    """Say that a graph is being opened if that takes long. Small files and datasets are there at once."""
    slow = text.endswith(")") or (Path(text).is_file() and Path(text).stat().st_size > SLOW_FILE_BYTES)
    return telling(f"opening {text}") if slow else nullcontext()


def open_any(text: str, reading: "ReadOptions") -> "AnyGraph":
    """Open a graph."""
    from riemap.runs.source import GraphSource

    with opening(text):
        return GraphSource(text, reading).open()


def open_graph_of(
    run: Path, text: str | None, reading: "ReadOptions", usage: str, force: bool = False
) -> "AnyGraph":
    """Open the graph of a run: the one that the user names, else the one that its folder names."""
    from riemap.runs.opening import run_graph
    from riemap.runs.source import GraphSource

    given = None if text is None else GraphSource(text, reading)
    with opening(text or ""):
        return run_graph(run, given, usage=usage, force=force)


def open_with_edges(text: str, reading: "ReadOptions", purpose: str) -> "Graph":
    """Open a graph, and refuse a matrix of dissimilarities because ``purpose`` needs edges."""
    return with_edges(open_any(text, reading), purpose)


def with_edges(opened: "AnyGraph", purpose: str) -> "Graph":
    """Return a graph, and refuse a matrix of dissimilarities because ``purpose`` needs edges."""
    from riemap.graphs import Graph

    if not isinstance(opened, Graph):
        raise InputError(
            f"{opened.name} is a matrix of dissimilarities, which has no edges; {purpose} needs a graph"
        )
    return opened
