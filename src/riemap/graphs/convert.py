"""Convert graphs of other libraries. Only SciPy is imported; others are recognised by their attributes."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.graphs.convert_tables import (
    edges_of_dict,
    edges_of_frame,
    edges_of_pairs,
    weights_of_objects,
)
from riemap.graphs.edge_cleaning import check_nodes, warn
from riemap.graphs.graph import Graph
from riemap.graphs.node_names import unknown_weight
from riemap.graphs.options import Components, ReadOptions, StrengthToLength, Weights
from riemap.graphs.raw_edges import Listing, RawEdges, edges_of_matrix
from riemap.specs import shown

NETWORKX_DATASETS = {
    "karate": "karate_club_graph",
    "les-miserables": "les_miserables_graph",
    "davis": "davis_southern_women_graph",
    "florentine": "florentine_families_graph",
}
"""Name of the NetworkX function that returns the graph, for each dataset that comes with NetworkX."""

STRENGTH_DATASETS = {(34, 78): "karate", (77, 254): "les-miserables"}
"""Datasets of NetworkX whose weights are strengths, by their numbers of nodes and edges."""


def as_graph(
    obj: Any,
    *,
    name: str | None = None,
    undirected: bool = False,
    components: Components = "largest",
    weights: Weights | None = None,
    strength_to_length: StrengthToLength = "inverse",
    weight: str | None = None,
) -> Graph:
    """Convert a table, a list of edges, or a graph of another library.

    Parameters
    ----------
    obj
        A NetworkX or igraph graph; a square SciPy sparse matrix or NumPy array, whose entries are weights of
        edges; a pandas or polars data frame or an Arrow table, with columns such as ``source``, ``target``
        and ``weight``; a list of tuples ``(u, v)`` or ``(u, v, w)``; a dict from each node to its neighbours;
        an object with an ``edge_index``, as in PyTorch Geometric; or a :class:`Graph`, which is returned
        unchanged. Nodes keep their labels.
    name
        Name of the graph; by default the ``name`` of the object, or the name of its type.
    undirected
        Ignore the directions of a directed graph. By default a directed graph is an error.
    components
        For a disconnected graph: take its ``"largest"`` component, ``"keep"`` it whole, or ``"require"`` a
        connected one; see :func:`read_graph`.
    weights
        What the weights are: ``"lengths"``, ``"strengths"``, or something to ``"ignore"``. Without a choice
        they are taken for lengths, with a warning. The weights of NetworkX's karate club and
        Les Misérables are known to be strengths, and are then ignored, as in the datasets of these names.
    strength_to_length
        How a strength w becomes a length: ``"inverse"`` is 1/w, and ``"log"`` is 1 + ln(w_max / w).
    weight
        Name of the column or edge attribute that holds the weights; by default ``weight`` (``edge_weight``,
        or an ``edge_attr`` with one axis, for an object with an ``edge_index``).

    Returns
    -------
    Graph
        The undirected graph.

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
    own = None if hasattr(obj, "columns") else getattr(obj, "name", None)  # a column of a frame may be "name"
    graph_name = name or own or type(obj).__name__
    graph_name = graph_name if isinstance(graph_name, str) and graph_name.isprintable() else shown(graph_name)
    options = ReadOptions(undirected, components, weights, strength_to_length, weight)
    options.check()
    if weights is None and weight is None and (known := _strength_dataset(obj)) is not None:
        warn(
            f"{graph_name}: ignored its weights, which are strengths, as dataset '{known}' does; "
            "weights='strengths' makes lengths of them"
        )
        options = options._replace(weights="ignore")
    return _converter(obj)(obj, graph_name, options).to_graph(graph_name, options)


def _strength_dataset(obj: Any) -> str | None:
    """Recognise a graph of NetworkX whose weights are strengths, by its nodes, edges and weights."""
    if not hasattr(obj, "is_multigraph"):
        return None
    name = STRENGTH_DATASETS.get((obj.number_of_nodes(), obj.number_of_edges()))
    if name is None:
        return None
    import networkx as nx

    known = getattr(nx, NETWORKX_DATASETS[name])()
    edges = {(frozenset((u, v)), w) for u, v, w in known.edges(data="weight")}
    try:
        same = {(frozenset((u, v)), w) for u, v, w in obj.edges(data="weight")} == edges
    except TypeError:  # a weight that cannot be hashed
        return None
    return name if same else None


Converter: TypeAlias = Callable[[Any, str, ReadOptions], RawEdges]
"""A function from an object, its name and the options to its edges."""


def _converter(obj: Any) -> Converter:
    """Choose the function that converts an object."""
    from scipy.sparse import issparse

    if isinstance(obj, np.ndarray) or issparse(obj):
        return lambda matrix, name, _: edges_of_matrix(matrix, name)
    if isinstance(obj, dict):
        return edges_of_dict
    if isinstance(obj, list | tuple):
        return edges_of_pairs
    choices: tuple[tuple[str, Converter], ...] = (
        ("is_multigraph", _from_networkx),
        ("get_edgelist", _from_igraph),
        ("edge_index", _from_edge_index),
        ("to_pydict", edges_of_frame),  # an Arrow table
        ("columns", edges_of_frame),  # a frame of pandas or polars
    )
    for attribute, converter in choices:
        if hasattr(obj, attribute):
            return converter
    raise TypeError(
        f"cannot take a graph from {type(obj).__name__}; accepted are graphs of NetworkX and igraph, square "
        "SciPy sparse matrices and NumPy arrays, frames of pandas and polars, Arrow tables, lists of tuples, "
        "dicts of lists, and objects with an edge_index, e.g. as_graph([('a', 'b'), ('b', 'c')])"
    )


def _from_networkx(graph: Any, name: str, options: ReadOptions) -> RawEdges:
    index = {label: i for i, label in enumerate(graph)}
    edges = list(graph.edges(data=options.weight or "weight"))
    if options.weight is not None and all(weight is None for _, _, weight in edges):
        known = dict.fromkeys(str(key) for _, _, data in graph.edges(data=True) for key in data)
        raise unknown_weight(options, list(known), name)
    place = lambda i: f"edge {shown(edges[i][:2])}"  # noqa: E731
    return RawEdges(
        np.array([(index[u], index[v]) for u, v, _ in edges], dtype=np.int64).reshape(-1, 2),
        weights_of_objects([weight for _, _, weight in edges], place, name, options),
        list(index),
        place,
        "directed" if graph.is_directed() else "once",
        attributes=_node_attributes([data for _, data in graph.nodes(data=True)]),
    )


def _node_attributes(nodes: list[dict[Any, Any]]) -> dict[str, list[Any]]:
    """The values of each attribute that has a text for a name; ``None`` where a node has none."""
    names = dict.fromkeys(key for data in nodes for key in data if isinstance(key, str))
    return {key: [data.get(key) for data in nodes] for key in names}


def _from_igraph(graph: Any, name: str, options: ReadOptions) -> RawEdges:
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    labels = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
    attribute, known = options.weight or "weight", graph.es.attributes()
    if options.weight is not None and attribute not in known:
        raise unknown_weight(options, known, name)
    weights = graph.es[attribute] if attribute in known else [None] * len(ends)
    place = lambda i: f"edge {shown(tuple(labels[node] for node in ends[i]))}"  # noqa: E731
    listing: Listing = "directed" if graph.is_directed() else "once"
    attributes = {key: graph.vs[key] for key in graph.vs.attributes() if key != "name"}
    lengths = weights_of_objects(weights, place, name, options)
    return RawEdges(ends, lengths, labels, place, listing, attributes=attributes)


def _from_edge_index(data: Any, name: str, options: ReadOptions) -> RawEdges:
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
    weights = getattr(data, options.weight or "edge_weight", None)
    if weights is None and options.weight is not None:
        raise unknown_weight(options, [key for key in vars(data) if key != "edge_index"], name)
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
