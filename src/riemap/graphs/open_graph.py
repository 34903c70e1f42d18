"""A graph as the command line takes it: a file, a dataset, or the spec of a generator."""

from pathlib import Path

from riemap.errors import InputError
from riemap.graphs.datasets import DATASETS, load_dataset
from riemap.graphs.dissimilarities import Dissimilarities, read_dissimilarities
from riemap.graphs.generators import GENERATORS, generate
from riemap.graphs.graph import Component, Graph
from riemap.graphs.readers import read_graph
from riemap.specs import shown, suggestion


def open_graph(
    text: str, *, undirected: bool = False, component: Component = "largest"
) -> Graph | Dissimilarities:
    """Open the file of that name; failing that, make the graph of that spec, or load that dataset.

    Parameters
    ----------
    text
        ``power.edges.gz``, ``tree(r=4,h=5)`` or ``karate``. A ``.npy`` file holds dissimilarities.
    undirected, component
        What to do with a graph that is directed or in several pieces; see :func:`read_graph`.

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
    except (OSError, ValueError):  # too long for a name, or with characters that no name has
        return False
