"""Graphs from files, by extension."""

import os
from collections.abc import Callable, Mapping

from riemap.graphs.edgelist import EDGELIST_EXTENSIONS, read_edgelist
from riemap.graphs.gml import read_gml
from riemap.graphs.graph import Component, Graph
from riemap.graphs.graphml import read_graphml
from riemap.graphs.matrices import read_mtx, read_npz
from riemap.graphs.raw_edges import RawEdges
from riemap.graphs.text_file import TextFile, read_file

READERS: Mapping[str, Callable[[TextFile], RawEdges]] = {
    **dict.fromkeys(EDGELIST_EXTENSIONS, read_edgelist),
    ".mtx": read_mtx,
    ".graphml": read_graphml,
    ".gml": read_gml,
    ".npz": read_npz,
}


def read_graph(
    path: str | os.PathLike[str], *, undirected: bool = False, component: Component = "largest"
) -> Graph:
    """Read a graph from a file.

    Lists of edges (``u v`` or ``u v w`` a line, between spaces, tabs or commas), MatrixMarket, GraphML,
    GML and SciPy's ``.npz`` are told apart by their extension, before which may stand ``.gz``, ``.bz2`` or
    ``.xz``. Nodes keep their labels: the spelling in a text, the row number in a matrix (from 1 in
    MatrixMarket, from 0 in SciPy).

    Parameters
    ----------
    path
        The file; the graph is named after it.
    undirected
        Ignore the directions of a directed graph, which is refused otherwise.
    component
        Of a disconnected graph keep the ``"largest"`` component, or raise an ``"error"``.

    Raises
    ------
    InputError
        If the file is not a graph; the message is one line and says where and why.
    OSError
        If the file cannot be opened.

    Warns
    -----
    GraphWarning
        If self-loops were dropped, parallel edges merged, or components left out.
    """
    file = read_file(path, READERS, "power.edges.gz")
    return READERS[file.extension](file).to_graph(file.name, undirected, component)
