"""Convert graphs of other libraries. Only SciPy is imported; others are recognised by their attributes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.graphs.edge_cleaning import check_nodes
from riemap.graphs.graph import Component, Graph
from riemap.graphs.raw_edges import Listing, RawEdges, edges_of_matrix, weights_of_all_or_none
from riemap.specs import shown


def as_graph(
    obj: Any, *, name: str | None = None, undirected: bool = False, component: Component = "largest"
) -> Graph:
    """Convert a graph of another library.

    Parameters
    ----------
    obj
        A NetworkX graph; an igraph graph; a square SciPy sparse matrix or NumPy array, whose entries are
        lengths of edges; an object with an ``edge_index``, as in PyTorch Geometric; or a :class:`Graph`,
        which is returned unchanged. Nodes keep their labels. The attribute ``weight`` of an edge is its
        length (``edge_weight``, or an ``edge_attr`` with one axis, for an object with an ``edge_index``).
    name
        Name of the graph; by default the ``name`` of the object, or the name of its type.
    undirected
        Ignore the directions of a directed graph. By default a directed graph is an error.
    component
        What to do with a disconnected graph: keep the ``"largest"`` component, or raise an ``"error"``.

    Returns
    -------
    Graph
        The connected, undirected graph.

    Raises
    ------
    TypeError
        If the object is none of these.
    InputError
        If it is not a valid graph: directed, without edges, or with weights that are not positive.

    Examples
    --------
    >>> import numpy as np
    >>> as_graph(np.array([[0, 2], [2, 0]]), name="pair")
    <Graph pair: 2 nodes, 1 edges, weighted>
    """
    if isinstance(obj, Graph):
        return obj
    graph_name = name or getattr(obj, "name", None) or type(obj).__name__
    graph_name = graph_name if isinstance(graph_name, str) and graph_name.isprintable() else shown(graph_name)
    return _converter(obj)(obj, graph_name).to_graph(graph_name, undirected, component)


def _converter(obj: Any) -> Callable[[Any, str], RawEdges]:
    """Choose the function that converts an object."""
    from scipy.sparse import issparse

    if isinstance(obj, np.ndarray) or issparse(obj):
        return edges_of_matrix
    for attribute, converter in (
        ("is_multigraph", _from_networkx),
        ("get_edgelist", _from_igraph),
        ("edge_index", _from_edge_index),
    ):
        if hasattr(obj, attribute):
            return converter
    raise TypeError(
        f"cannot take a graph from {type(obj).__name__}; accepted are graphs of NetworkX and igraph, square "
        "SciPy sparse matrices and NumPy arrays, and objects with an edge_index, "
        "e.g. as_graph(networkx.path_graph(3))"
    )


def _from_networkx(graph: Any, name: str) -> RawEdges:
    index = {label: i for i, label in enumerate(graph)}
    edges = list(graph.edges(data="weight"))
    place = lambda i: f"edge {shown(edges[i][:2])}"  # noqa: E731
    return RawEdges(
        np.array([(index[u], index[v]) for u, v, _ in edges], dtype=np.int64).reshape(-1, 2),
        _lengths([weight for _, _, weight in edges], place, name),
        list(index),
        place,
        "directed" if graph.is_directed() else "once",
    )


def _from_igraph(graph: Any, name: str) -> RawEdges:
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    labels = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
    weights = graph.es["weight"] if "weight" in graph.es.attributes() else [None] * len(ends)
    place = lambda i: f"edge {shown(tuple(labels[node] for node in ends[i]))}"  # noqa: E731
    listing: Listing = "directed" if graph.is_directed() else "once"
    return RawEdges(ends, _lengths(weights, place, name), labels, place, listing)


def _from_edge_index(data: Any, name: str) -> RawEdges:
    index = _as_array(data.edge_index)
    if index.ndim != 2 or len(index) != 2 or index.dtype.kind not in "iu":
        raise InputError(
            f"{name}: edge_index is a (2, m) array of node numbers, not {index.dtype}{index.shape}"
        )
    top = int(index.max(initial=-1))
    n = getattr(data, "num_nodes", None)
    n = top + 1 if n is None else int(n)
    if index.min(initial=0) < 0 or top >= n:
        raise InputError(f"{name}: edge_index runs from {index.min()} to {top}, but nodes from 0 to {n - 1}")
    check_nodes(n, index.shape[1], name)
    weights = getattr(data, "edge_weight", None)
    if weights is None:
        weights = getattr(data, "edge_attr", None)
        weights = None if weights is None or weights.ndim != 1 else weights
    if weights is not None:
        weights = _as_array(weights).astype(np.float64)
        if weights.shape != index.shape[1:]:
            raise InputError(f"{name}: {weights.shape} weights for {index.shape[1]} edges in edge_index")
    return RawEdges(index.T.astype(np.int64), weights, range(n), "edge_index[:, {}]".format, "twice")


def _as_array(values: Any) -> NDArray[Any]:
    """Convert a tensor, on any device, or an array-like object."""
    return np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)


def _lengths(values: list[Any], place: Callable[[int], str], name: str) -> NDArray[np.float64] | None:
    """Convert weights to floats. Texts are refused, although ``float`` would read them."""
    lengths: list[float | None] = []
    for i, value in enumerate(values):
        try:
            if isinstance(value, str | bytes):
                raise TypeError
            lengths.append(None if value is None else float(value))
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"{name}, {place(i)}: weight {shown(value)} is not a positive number, e.g. 2.5"
            ) from None
    return weights_of_all_or_none(lengths, place, name)
