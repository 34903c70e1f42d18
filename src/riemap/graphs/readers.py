"""Read graphs from files; the extension decides the format."""

import os
from collections.abc import Callable, Mapping

from riemap.graphs.columnar import read_columnar
from riemap.graphs.dot import read_dot
from riemap.graphs.edgelist import EDGELIST_EXTENSIONS, read_edgelist
from riemap.graphs.gexf import read_gexf
from riemap.graphs.gml import read_gml
from riemap.graphs.graph import Graph
from riemap.graphs.graphml import read_graphml
from riemap.graphs.json_graph import read_json
from riemap.graphs.matrices import read_mtx, read_npz
from riemap.graphs.neighbour_lists import read_adjlist, read_metis
from riemap.graphs.options import Components, NodeLabels, ReadOptions, StrengthToLength, Weights
from riemap.graphs.pajek import read_pajek
from riemap.graphs.raw_edges import RawEdges
from riemap.graphs.text_file import TextFile, read_file

READERS: Mapping[str, Callable[[TextFile, ReadOptions], RawEdges]] = {
    **dict.fromkeys(EDGELIST_EXTENSIONS, read_edgelist),
    ".mtx": read_mtx,
    ".graphml": read_graphml,
    ".gml": read_gml,
    ".npz": read_npz,
    ".gexf": read_gexf,
    ".json": read_json,
    ".net": read_pajek,
    ".graph": read_metis,
    ".metis": read_metis,
    ".adjlist": read_adjlist,
    ".dot": read_dot,
    ".gv": read_dot,
    ".parquet": read_columnar,
    ".feather": read_columnar,
}
"""Function that reads a file, by extension. Adding an entry adds a format."""


def read_graph(
    path: str | os.PathLike[str],
    *,
    undirected: bool = False,
    components: Components = "largest",
    weights: Weights | None = None,
    strength_to_length: StrengthToLength = "inverse",
    weight: str | None = None,
    node_labels: NodeLabels = "label",
) -> Graph:
    r"""Read a graph from a file.

    The formats are edge lists (one edge per line, ``u v`` or ``u v w``, separated by spaces, tabs, commas or
    semicolons), tables with a heading (``source,target,weight``, in any order, with any other columns),
    JSON with nodes and links, GraphML, GEXF, GML, Pajek, METIS, adjacency lists, DOT, MatrixMarket, SciPy's
    ``.npz``, and with pyarrow Parquet and Feather. The extension decides the format, and the file may be
    compressed (``.edges.gz``, ``.gml.bz2``, ``.mtx.xz``). Nodes keep the labels of the file; in a matrix
    these are the row numbers, from 1 in MatrixMarket and from 0 in SciPy.

    Parameters
    ----------
    path
        Path of the file. Its name without extensions becomes the name of the graph.
    undirected
        Ignore the directions of a directed graph. By default a directed graph is an error.
    components
        For a disconnected graph: take its ``"largest"`` component, ``"keep"`` it whole, or ``"require"`` a
        connected one. Nodes of different components are as far apart as the longest distance within one, plus
        the longest edge.
    weights
        What the weights are: ``"lengths"``, ``"strengths"``, or something to ``"ignore"``. Without a choice
        they are taken for lengths, with a warning.
    strength_to_length
        How a strength w becomes a length: ``"inverse"`` is 1/w, and ``"log"`` is 1 + ln(w_max / w).
    weight
        Name of the column or edge attribute that holds the weights, if it is not a usual one.
    node_labels
        Name nodes by their ``"label"`` where all have a different one, or by their ``"id"``.

    Returns
    -------
    Graph
        The undirected graph.

    Raises
    ------
    InputError
        If the file is not a valid graph. The message is one line and says where and why.
    OSError
        If the file cannot be opened.

    Warns
    -----
    GraphWarning
        If self-loops were dropped, parallel edges merged, or components left out, and if what the file means
        had to be guessed: whether its first line is a heading, and whether its weights are lengths.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "friends.edges"
    ...     _ = path.write_text("Ann Bob\nBob Cid\n")
    ...     read_graph(path)
    <Graph friends: 3 nodes, 2 edges>
    """
    options = ReadOptions(undirected, components, weights, strength_to_length, weight, node_labels)
    options.check()
    file = read_file(path, READERS, "power.edges.gz")
    return READERS[file.extension](file, options).to_graph(file.name, options)
