"""Open a graph by one text, as the command line does: a file, a dataset, or a generator spec."""

from pathlib import Path

from riemap.errors import InputError
from riemap.graphs.datasets import DATASETS, load_dataset
from riemap.graphs.dissimilarities import AnyGraph, read_dissimilarities
from riemap.graphs.generators import GENERATORS, generate
from riemap.graphs.graph import Component
from riemap.graphs.readers import read_graph
from riemap.specs import shown, suggestion


def open_graph(text: str, *, undirected: bool = False, component: Component = "largest") -> AnyGraph:
    """Open a file, load a dataset, or generate a graph, in this order of preference.

    Parameters
    ----------
    text
        Path of a file (``power.edges.gz``), name of a dataset (``karate``), or spec of a generator
        (``tree(r=4,h=5)``). A ``.npy`` file holds dissimilarities.
    undirected
        Ignore the directions of a directed graph in a file. By default a directed graph is an error.
    component
        What to do with a disconnected graph: keep the ``"largest"`` component, or raise an ``"error"``.

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
    if _is_file(text):
        if ".npy" in Path(text.lower()).suffixes:
            return read_dissimilarities(text)
        return read_graph(text, undirected=undirected, component=component)
    if text in DATASETS:
        return load_dataset(text)
    if "(" in text or text in GENERATORS:
        return generate(text, component=component)
    raise InputError(
        f"no file, dataset or generator is called {shown(text)}{suggestion(text, [*DATASETS, *GENERATORS])} "
        "'riemap datasets' lists the datasets; a generator is spelled like 'tree(r=4,h=5)'"
    )


def _is_file(text: str) -> bool:
    try:
        path = Path(text)
        return path.exists() and not path.is_dir()
    except (OSError, ValueError):  # the text is too long or has characters that are not allowed in a path
        return False
