"""Embeddings as ``.npz`` files, without pickle."""

import json
import math
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riemap import memory
from riemap.checked_npz import arrays_checksum, read_arrays, write_arrays
from riemap.errors import InputError
from riemap.graphs.graph import Labels
from riemap.spaces import Points, Space
from riemap.specs import shown
from riemap.types import Array

if TYPE_CHECKING:
    from riemap.embeddings.embedding import Embedding

LABEL_BYTES = 20
"""Bytes of memory for each byte of the labels in a file: a short text takes this much as a Python object."""


def write_embedding(e: "Embedding", path: Path) -> None:
    """Write an embedding to a file, which is replaced once the new one is complete."""
    write_arrays(path, _arrays(e))


def embedding_checksum(e: "Embedding") -> str:
    """Compute the checksum of the file of an embedding, by which another file tells it from others.

    Parameters
    ----------
    e
        The embedding.

    Returns
    -------
    str
        Sixteen hexadecimal digits; the same before the embedding is saved and after it is loaded.
    """
    return arrays_checksum(_arrays(e))


def check_recorded(e: "Embedding", path: Path, checksum: str | None, where: str) -> None:
    """Refuse an embedding that is not the one whose checksum was recorded in another file.

    Parameters
    ----------
    e, path
        The embedding, and the file that it was read from.
    checksum, where
        The recorded checksum, and the file with it, for the message; earlier versions recorded none.

    Raises
    ------
    InputError
        If the checksum is another one.
    """
    if checksum not in (None, embedding_checksum(e)):
        raise InputError(
            f"{path} does not match its checksum in {where}, so it was edited or is of another run; "
            "restore it from a copy, or make it again"
        )


def _arrays(e: "Embedding") -> dict[str, NDArray[Any]]:
    """The arrays of the file by name."""
    encoded = [_encoded(label) for label in e.labels]
    if len({_decoded(label) for label in encoded}) < e.n:
        raise InputError("two nodes have labels that a file cannot tell apart; give them numbers or texts")
    labels = json.dumps(encoded, ensure_ascii=False)
    text = np.frombuffer(labels.encode("utf-8", "surrogatepass"), np.uint8)
    arrays = {"space": np.array(str(e.space)), "labels": text, "log_scales": e.log_scales}
    return {**arrays, **{f"points{k}": x for k, x in enumerate(e.points)}}


def read_embedding(path: Path, make: "Callable[..., Embedding]") -> "Embedding":
    """Read the fields of an embedding from a file, and ``make`` one from them."""
    try:
        return make(*_fields(read_arrays(path)))
    except InputError as error:
        raise InputError(f"{path} is not an embedding saved by riemap, an .npz file: {error}") from None


def _fields(arrays: Mapping[str, NDArray[Any]]) -> tuple[Space, Points, Array, Labels]:
    """Space, points, log-scales and labels; the embedding checks the types and shapes of the points."""
    name = _named(arrays, "space")
    if name.ndim != 0 or name.dtype.kind != "U":
        raise InputError("its array space is not a text")
    space = Space.parse(str(name[()]))
    points = tuple(_named(arrays, f"points{k}") for k in range(len(space.factors)))
    return space, points, _named(arrays, "log_scales"), _labels(_named(arrays, "labels"))


def _named(arrays: Mapping[str, NDArray[Any]], name: str) -> NDArray[Any]:
    if name not in arrays:
        raise InputError(f"it has no array called {name}")
    return arrays[name]


def _labels(text: NDArray[Any]) -> Labels:
    """The labels from their JSON text."""
    memory.require(LABEL_BYTES * text.nbytes, "the labels of the embedding", "use a machine with more memory")
    try:
        labels = json.loads(text.tobytes().decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"its labels are not JSON: {shown(str(error), 100)}") from None
    if not isinstance(labels, list):
        raise InputError(f"its labels are {shown(labels)} instead of a list")
    return tuple(_decoded(label) for label in labels)


def _encoded(label: Hashable) -> Any:
    """A label as a JSON value: tuples become lists, and values that JSON does not have become text."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, tuple):
        return [_encoded(part) for part in label]
    if isinstance(label, float) and not math.isfinite(label):
        return str(label)
    return label if isinstance(label, str | int | float | None) else str(label)


def _decoded(label: Any) -> Hashable:
    if isinstance(label, dict):
        raise InputError(
            f"its label {shown(label)} is an object; labels are texts, numbers and lists of them"
        )
    return tuple(_decoded(part) for part in label) if isinstance(label, list) else label
