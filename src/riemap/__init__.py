"""Embed graphs in curved spaces, score the embeddings, and show them.

Names and submodules are imported when they are first used, so that ``import riemap`` is fast and does not
load Numba. ``dir(riemap)`` lists them all.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riemap import (  # noqa: F401
        choosing,
        curvature,
        distances,
        embeddings,
        errors,
        exports,
        graphs,
        grids,
        losses,
        manifolds,
        means,
        metrics,
        optim,
        plots,
        random_graphs,
        report,
        runs,
        sklearn,
        spaces,
        tasks,
        training,
        views,
    )
    from riemap.choosing import Choice, choose
    from riemap.distances import Target, shortest_paths
    from riemap.embeddings import Embedding
    from riemap.errors import InputError
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
    from riemap.tasks import predict_labels, predict_links
    from riemap.training import Fit

__version__ = "0.1.0"
__all__ = [
    "Choice",
    "Dissimilarities",
    "Embedding",
    "Fit",
    "Graph",
    "GraphWarning",
    "InputError",
    "Scores",
    "Space",
    "Target",
    "__version__",
    "as_graph",
    "choose",
    "embed",
    "evaluate",
    "generate",
    "load_dataset",
    "open_graph",
    "predict_labels",
    "predict_links",
    "read_dissimilarities",
    "read_graph",
    "shortest_paths",
]

_MODULES = {
    "riemap.choosing": ("Choice", "choose"),
    "riemap.distances": ("Target", "shortest_paths"),
    "riemap.embeddings": ("Embedding",),
    "riemap.errors": ("InputError",),
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
    "riemap.tasks": ("predict_labels", "predict_links"),
    "riemap.training": ("Fit",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}
_SUBMODULES = (
    "choosing",
    "curvature",
    "distances",
    "embeddings",
    "errors",
    "exports",
    "graphs",
    "grids",
    "losses",
    "manifolds",
    "means",
    "metrics",
    "optim",
    "plots",
    "random_graphs",
    "report",
    "runs",
    "sklearn",
    "spaces",
    "tasks",
    "training",
    "views",
)


def __getattr__(name: str) -> object:
    if name in _SUBMODULES:
        return import_module(f"riemap.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'riemap' has no attribute {name!r}; dir(riemap) lists what it has")


def __dir__() -> list[str]:
    return sorted([*__all__, *_SUBMODULES])
