"""How commands open the graph that the user names."""

from typing import TYPE_CHECKING

from riemap.cli.progress import telling
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.graphs import AnyGraph, Graph


def open_component(text: str, *, undirected: bool, require_connected: bool) -> "AnyGraph":
    """Open a graph; keep its largest component, or refuse several components if ``require_connected``."""
    from riemap.graphs import open_graph

    with telling(f"opening {text}"):
        return open_graph(text, undirected=undirected, component="error" if require_connected else "largest")


def open_with_edges(text: str, *, undirected: bool, purpose: str) -> "Graph":
    """Open a graph, and refuse a matrix of dissimilarities because ``purpose`` needs edges."""
    from riemap.graphs import Graph, open_graph

    with telling(f"opening {text}"):
        opened = open_graph(text, undirected=undirected)
    if not isinstance(opened, Graph):
        raise InputError(
            f"{opened.name} is a matrix of dissimilarities, which has no edges; {purpose} needs a graph"
        )
    return opened
