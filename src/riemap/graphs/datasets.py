"""Datasets by name: the graphs of the paper, and a few small graphs that come with NetworkX.

A file is searched in the folder ``$RIEMAP_DATA``, then in the user's cache. If it is in neither, it is
downloaded into the cache. A file is used only if its SHA-256 is the registered one.
"""

import hashlib
import logging
import os
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

from riemap.errors import DownloadError, InputError
from riemap.files import cache_folder
from riemap.graphs.convert import NETWORKX_DATASETS
from riemap.graphs.dissimilarities import AnyGraph, read_dissimilarities
from riemap.graphs.downloads import download
from riemap.graphs.edge_cleaning import warn
from riemap.graphs.graph import Graph
from riemap.graphs.options import StrengthToLength, Weights
from riemap.graphs.readers import read_graph
from riemap.specs import shown, suggestion

_LOGGER = logging.getLogger(__name__)

SMALL_GRAPHS = Path(__file__).with_name("small")
"""Copies of the graphs that come with NetworkX. Importing it takes longer than reading them."""


@final
@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Description of a dataset.

    Parameters
    ----------
    name
        Name that :func:`load_dataset` takes.
    n
        Number of nodes.
    m
        Number of edges; ``None`` for a dataset of dissimilarities.
    description
        What the nodes and edges are.
    citation
        Where the data was published.
    note
        Remarks about the file.
    file, url, sha256
        Name of the file, where to download it, and its hash. Empty for a graph that comes with NetworkX.

    Examples
    --------
    >>> DATASETS["karate"].n, DATASETS["karate"].m
    (34, 78)
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


def load_dataset(
    name: str, *, weights: Weights | None = None, strength_to_length: StrengthToLength = "inverse"
) -> AnyGraph:
    """Load a dataset, and download it if necessary.

    Parameters
    ----------
    name
        A key of ``DATASETS``; ``riemap datasets`` lists them.
    weights, strength_to_length
        What to do with weights, as for :func:`read_graph`. They are not used by default: karate and
        les-miserables have some, which count meetings, and are strengths.

    Returns
    -------
    Graph | Dissimilarities
        The graph, or a matrix of dissimilarities for a dataset without edges.

    Raises
    ------
    InputError
        If there is no such dataset, or its file is not the registered one.
    OSError
        If the file cannot be downloaded.

    Examples
    --------
    >>> load_dataset("karate")
    <Graph karate: 34 nodes, 78 edges>
    """
    dataset = find_dataset(name)
    found: AnyGraph
    how: dict[str, Any] = {"weights": weights, "strength_to_length": strength_to_length}
    if not dataset.file:
        how["weights"] = weights or "ignore"
        found = replace(read_graph(SMALL_GRAPHS / f"{name}.json", **how), name=name)
    elif dataset.m is None:
        found = replace(read_dissimilarities(dataset_path(name)), name=name)
    else:
        found = replace(read_graph(dataset_path(name), **how), name=name)
    if (found.n, found.m if isinstance(found, Graph) else None) != (dataset.n, dataset.m):
        raise InputError(f"{found} should have {dataset.n} nodes and {dataset.m} edges; please report this")
    return found


def dataset_path(name: str) -> Path:
    """Find the file of a dataset, and download it if necessary.

    Parameters
    ----------
    name
        A key of ``DATASETS``.

    Returns
    -------
    Path
        Path of the file, whose SHA-256 was checked.

    Raises
    ------
    InputError
        If there is no such dataset, it has no file, or its file is not the registered one.
    OSError
        If the file cannot be downloaded.

    Examples
    --------
    >>> dataset_path("karate")
    Traceback (most recent call last):
    ...
    riemap.errors.InputError: dataset 'karate' comes with NetworkX and has no file; use it by its name
    """
    dataset = find_dataset(name)
    if not dataset.file:
        raise InputError(f"dataset '{name}' comes with NetworkX and has no file; use it by its name")
    user_path = _user_path(dataset.file)
    if user_path is None:
        return _verified_download(dataset, _cache_path(dataset.file))
    if _sha256(user_path) != dataset.sha256:
        raise InputError(
            f"{user_path} is not the file of dataset '{name}': its SHA-256 is not {dataset.sha256}; "
            "replace it, or remove it from $RIEMAP_DATA"
        )
    return user_path


def local_path(name: str) -> Path | None:
    """Find the file of a dataset on this machine, without checking or downloading it.

    Parameters
    ----------
    name
        A key of ``DATASETS``.

    Returns
    -------
    Path | None
        Path of the file; ``None`` if it is not on this machine, or the dataset has no file.

    Raises
    ------
    InputError
        If there is no such dataset.

    Examples
    --------
    >>> local_path("karate") is None  # comes with NetworkX
    True
    """
    file = find_dataset(name).file
    if not file:
        return None
    return _user_path(file) or (_cache_path(file) if _cache_path(file).is_file() else None)


def find_dataset(name: str) -> Dataset:
    """Look up a dataset.

    Parameters
    ----------
    name
        A key of ``DATASETS``.

    Returns
    -------
    Dataset
        Its description.

    Raises
    ------
    InputError
        If there is no such dataset. The message suggests the most similar name.

    Examples
    --------
    >>> find_dataset("karate").citation[:12]
    'Zachary. An '
    """
    if name not in DATASETS:
        near = suggestion(name, DATASETS)
        raise InputError(
            f"no dataset is called {shown(name)}{near} 'riemap datasets' lists them, e.g. 'power'"
        )
    return DATASETS[name]


def _user_path(file: str) -> Path | None:
    """Find a file in the folder ``$RIEMAP_DATA``."""
    folder = os.environ.get("RIEMAP_DATA")
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise InputError(f"$RIEMAP_DATA is {shown(folder)}, which is not a folder; correct it or unset it")
    path = Path(folder) / file
    return path if path.is_file() else None


def _cache_path(file: str) -> Path:
    return cache_folder() / "data" / file


def _verified_download(dataset: Dataset, path: Path) -> Path:
    """Find a file in the cache, and download it if it is missing or damaged."""
    if path.is_file():
        if _sha256(path) == dataset.sha256:
            return path
        warn(f"{path} is damaged: its SHA-256 is not that of dataset '{dataset.name}'; downloading it again")
    _LOGGER.info("downloading dataset '%s' from %s", dataset.name, dataset.url)
    try:
        download(dataset.url, path, dataset.sha256)
    except OSError as error:
        raise DownloadError(
            f"cannot download dataset '{dataset.name}' from {dataset.url}: {error}. Put {dataset.file} into "
            "a folder and set $RIEMAP_DATA to it, or use a dataset that needs no network: "
            f"{', '.join(NETWORKX_DATASETS)}"
        ) from None
    _LOGGER.info("dataset '%s' is now in %s", dataset.name, path)
    return path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _registry() -> dict[str, Dataset]:
    """Read the descriptions in ``datasets.toml``."""
    known = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

    def dataset(name: str, *, cite: list[str], path: str = "", **facts: Any) -> Dataset:
        citation = " ".join(known["citations"][key] for key in cite)
        place = {"file": path.rpartition("/")[2], "url": known["public"] + path} if path else {}
        return Dataset(name=name, citation=citation, **place, **facts)

    return {name: dataset(name, **entry) for name, entry in known["datasets"].items()}


DATASETS = _registry()
"""Description of each dataset, by name."""
