"""Open a graph by one text, as the command line does: a file, a dataset, or a generator spec."""

from pathlib import Path
from typing import Any

from riemap.errors import InputError
from riemap.graphs.convert import as_graph
from riemap.graphs.datasets import DATASETS, load_dataset
from riemap.graphs.dissimilarities import AnyGraph, Dissimilarities, read_dissimilarities
from riemap.graphs.edge_cleaning import warn
from riemap.graphs.generators import GENERATORS, generate
from riemap.graphs.graph import Graph
from riemap.graphs.options import Components, NodeLabels, ReadOptions, StrengthToLength, Weights
from riemap.graphs.readers import read_graph
from riemap.specs import shown, suggestion


def open_graph(
    text: str,
    *,
    undirected: bool = False,
    components: Components = "largest",
    weights: Weights | None = None,
    strength_to_length: StrengthToLength = "inverse",
    weight: str | None = None,
    node_labels: NodeLabels = "label",
) -> AnyGraph:
    """Open a file, load a dataset, or generate a graph, in this order of preference.

    Parameters
    ----------
    text
        Path of a file (``power.edges.gz``), name of a dataset (``karate``), or spec of a generator
        (``tree(r=4,h=5)``). A ``.npy`` file holds dissimilarities.
    undirected, components, weights, strength_to_length, weight, node_labels
        As for :func:`read_graph`. The weights of a dataset are strengths, and are not used by default.

    Returns
    -------
    Graph | Dissimilarities
        The graph, or the dissimilarities of a ``.npy`` file or dataset without edges.

    Raises
    ------
    InputError
        If the text names no file, dataset or generator, or what it names is not a valid graph.
    OSError
        If the file cannot be opened or the dataset cannot be downloaded.

    Examples
    --------
    >>> open_graph("tree(r=2,h=3)")
    <Graph tree(r=2,h=3): 15 nodes, 14 edges>
    """
    options = ReadOptions(undirected, components, weights, strength_to_length, weight, node_labels)
    options.check()
    if _is_file(text):
        if ".npy" in Path(text.lower()).suffixes:
            return _without_weights(read_dissimilarities(text), options)
        return read_graph(text, **options._asdict())
    if text in DATASETS:
        return load_dataset(text, weights=weights, strength_to_length=strength_to_length)
    if "(" in text or text in GENERATORS:
        return _without_weights(generate(text, components=components), options)
    raise InputError(
        f"no file, dataset or generator is called {shown(text)}{suggestion(text, [*DATASETS, *GENERATORS])} "
        "'riemap datasets' lists the datasets; a generator is spelled like 'tree(r=4,h=5)'"
    )


def take_graph(
    graph: Any,
    *,
    weights: Weights | None = None,
    strength_to_length: StrengthToLength = "inverse",
    components: Components = "largest",
) -> AnyGraph:
    """Take a graph in any form: one of ours, a text or path to open, or an object of another library.

    Parameters
    ----------
    graph
        A graph, or anything that :func:`open_graph` or :func:`as_graph` makes one of.
    weights, strength_to_length, components
        As for :func:`read_graph`. The weights of one of our graphs are lengths.

    Returns
    -------
    Graph | Dissimilarities
        The graph.

    Raises
    ------
    TypeError
        If it is none of these.
    InputError
        If it is not a valid graph, or if its weights are lengths already and another choice is given.

    Examples
    --------
    >>> take_graph([("a", "b"), ("b", "c")])
    <Graph list: 3 nodes, 2 edges>
    """
    options = ReadOptions(components=components, weights=weights, strength_to_length=strength_to_length)
    options.check()
    if isinstance(graph, Graph) and graph.weights is None:
        return _without_weights(graph, options)
    if isinstance(graph, Graph | Dissimilarities):
        if weights not in (None, "lengths"):
            raise InputError(
                f"weights={weights!r} comes too late: the weights of {graph.name} are lengths already; make "
                f"the choice where the graph is made, e.g. as_graph(frame, weights={weights!r})"
            )
        return graph
    take = open_graph if isinstance(graph, str | Path) else as_graph
    given = str(graph) if isinstance(graph, Path) else graph
    return take(given, weights=weights, strength_to_length=strength_to_length, components=components)


def _without_weights(graph: AnyGraph, options: ReadOptions) -> AnyGraph:
    """Say that a choice about weights has no effect."""
    if options.weights == "strengths":
        warn(f"{graph.name}: there are no weights, so weights='strengths' changes nothing")
    return graph


def _is_file(text: str) -> bool:
    try:
        path = Path(text)
        return path.exists() and not path.is_dir()
    except (OSError, ValueError):  # the text is too long or has characters that are not allowed in a path
        return False
