"""Graphs by name: those of the paper, and a few small ones that need no network.

A file is looked for in the folder ``$RIEMAP_DATA``, then in the user's cache, and downloaded into the cache
when it is in neither. Wherever it comes from, it is used only if its SHA-256 is the registered one.
"""

import hashlib
import os
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

from riemap.errors import DownloadError, InputError
from riemap.files import cache_folder
from riemap.graphs.dissimilarities import Dissimilarities, read_dissimilarities
from riemap.graphs.downloads import download
from riemap.graphs.graph import Graph, warn
from riemap.graphs.readers import read_graph
from riemap.specs import shown, suggestion


@final
@dataclass(frozen=True, kw_only=True)
class Dataset:
    """What is known of a dataset before it is read; ``m`` is ``None`` where there are only distances.

    ``file``, ``url`` and ``sha256`` are empty for a graph that comes with NetworkX.
    """

    name: str
    n: int
    m: int | None = None
    description: str
    citation: str
    note: str = ""
    file: str = ""
    url: str = ""
    sha256: str = ""


def load_dataset(name: str) -> Graph | Dissimilarities:
    """Read a dataset by its name; ``DATASETS`` and ``riemap datasets`` list them.

    >>> load_dataset("karate")
    <Graph karate: 34 nodes, 78 edges>
    """
    dataset = find_dataset(name)
    found: Graph | Dissimilarities
    if not dataset.file:
        found = _bundled(name)
    elif dataset.m is None:
        found = replace(read_dissimilarities(dataset_path(name)), name=name)
    else:
        found = replace(read_graph(dataset_path(name)), name=name)
    if (found.n, found.m if isinstance(found, Graph) else None) != (dataset.n, dataset.m):
        raise InputError(f"{found} should have {dataset.n} nodes and {dataset.m} edges; please report this")
    return found


def dataset_path(name: str) -> Path:
    """Path of a dataset's file, which is downloaded if it is not on this machine yet."""
    dataset = find_dataset(name)
    if not dataset.file:
        raise InputError(f"dataset '{name}' comes with NetworkX and has no file; use it by its name")
    given = _given(dataset.file)
    if given is None:
        return _cached(dataset, _cache_path(dataset.file))
    if _sha256(given) != dataset.sha256:
        raise InputError(
            f"{given} is not the file of dataset '{name}': its SHA-256 is not {dataset.sha256}; "
            "replace it, or take it out of $RIEMAP_DATA"
        )
    return given


def local_path(name: str) -> Path | None:
    """Path of a dataset's file if it is on this machine, unchecked."""
    file = find_dataset(name).file
    if not file:
        return None
    return _given(file) or (_cache_path(file) if _cache_path(file).is_file() else None)


def find_dataset(name: str) -> Dataset:
    """Entry of ``DATASETS``; a wrong name is refused with the nearest right one."""
    if name not in DATASETS:
        near = suggestion(name, DATASETS)
        raise InputError(
            f"no dataset is called {shown(name)}{near} 'riemap datasets' lists them, e.g. 'power'"
        )
    return DATASETS[name]


def _given(file: str) -> Path | None:
    folder = os.environ.get("RIEMAP_DATA")
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise InputError(f"$RIEMAP_DATA is {shown(folder)}, which is not a folder; correct it or unset it")
    path = Path(folder) / file
    return path if path.is_file() else None


def _cache_path(file: str) -> Path:
    return cache_folder() / "data" / file


def _cached(dataset: Dataset, path: Path) -> Path:
    """Path of the file in the cache, downloaded if it is missing or damaged."""
    if path.is_file():
        if _sha256(path) == dataset.sha256:
            return path
        warn(f"{path} is damaged: its SHA-256 is not that of dataset '{dataset.name}'; downloading it again")
    try:
        download(dataset.url, path, dataset.sha256)
    except OSError as error:
        raise DownloadError(
            f"cannot download dataset '{dataset.name}' from {dataset.url}: {error}. Put {dataset.file} into "
            f"a folder and name that in $RIEMAP_DATA, or use what needs no network: {', '.join(_BUNDLED)}"
        ) from None
    return path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_BUNDLED = {
    "karate": "karate_club_graph",
    "les-miserables": "les_miserables_graph",
    "davis": "davis_southern_women_graph",
    "florentine": "florentine_families_graph",
}


def _bundled(name: str) -> Graph:
    """A graph that NetworkX has; its weights, being strengths and not lengths, are left out."""
    import networkx as nx

    graph = getattr(nx, _BUNDLED[name])()
    number = {node: i for i, node in enumerate(graph)}
    edges = [(number[u], number[v]) for u, v in graph.edges]
    return Graph.from_edges(edges, labels=list(graph), name=name)


def _registry() -> dict[str, Dataset]:
    known = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

    def dataset(name: str, *, cite: list[str], path: str = "", **facts: Any) -> Dataset:
        citation = " ".join(known["citations"][key] for key in cite)
        place = {"file": path.rpartition("/")[2], "url": known["public"] + path} if path else {}
        return Dataset(name=name, citation=citation, **place, **facts)

    return {name: dataset(name, **entry) for name, entry in known["datasets"].items()}


DATASETS = _registry()
