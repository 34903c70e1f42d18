"""Graphs in curved spaces: embed, measure, explain, show.

Names are imported when they are first used, so that ``import riemap`` and ``riemap --help`` do not wait
for the compiler behind the kernels.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riemap.distances import Target, shortest_paths
    from riemap.embeddings import Embedding
    from riemap.graphs import (
        Dissimilarities,
        Graph,
        GraphWarning,
        as_graph,
        generate,
        load_dataset,
        open_graph,
        read_dissimilarities,
        read_graph,
    )
    from riemap.metrics import Scores, evaluate
    from riemap.runs import embed
    from riemap.spaces import Space
    from riemap.training import Fit

__version__ = "0.1.0"
__all__ = [
    "Dissimilarities",
    "Embedding",
    "Fit",
    "Graph",
    "GraphWarning",
    "Scores",
    "Space",
    "Target",
    "__version__",
    "as_graph",
    "embed",
    "evaluate",
    "generate",
    "load_dataset",
    "open_graph",
    "read_dissimilarities",
    "read_graph",
    "shortest_paths",
]

_MODULES = {
    "riemap.distances": ("Target", "shortest_paths"),
    "riemap.embeddings": ("Embedding",),
    "riemap.graphs": (
        "Dissimilarities",
        "Graph",
        "GraphWarning",
        "as_graph",
        "generate",
        "load_dataset",
        "open_graph",
        "read_dissimilarities",
        "read_graph",
    ),
    "riemap.metrics": ("Scores", "evaluate"),
    "riemap.runs": ("embed",),
    "riemap.spaces": ("Space",),
    "riemap.training": ("Fit",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'riemap' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
