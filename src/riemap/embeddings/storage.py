"""Embeddings as ``.npz`` files, without pickle."""

import json
import math
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from riemap.errors import InputError
from riemap.files import written_whole
from riemap.graphs.graph import Labels
from riemap.spaces import Points, Space
from riemap.specs import shown
from riemap.types import Array

if TYPE_CHECKING:
    from riemap.embeddings.embedding import Embedding


def write_embedding(e: "Embedding", path: Path) -> None:
    """Write an embedding to a file, which is replaced once the new one is complete."""
    arrays = {f"points{k}": x for k, x in enumerate(e.points)}
    encoded = [_encoded(label) for label in e.labels]
    if len({_decoded(label) for label in encoded}) < e.n:
        raise InputError("two nodes have labels that a file cannot tell apart; give them numbers or texts")
    labels = json.dumps(encoded, ensure_ascii=False)
    with written_whole(path) as file:
        np.savez(
            file,
            allow_pickle=False,
            space=np.array(str(e.space)),
            labels=np.frombuffer(labels.encode("utf-8", "surrogatepass"), np.uint8),
            log_scales=e.log_scales,
            **arrays,
        )


def read_embedding(path: Path, make: "Callable[..., Embedding]") -> "Embedding":
    """Read the fields of an embedding from a file, and ``make`` one from them.

    NumPy and zipfile raise a dozen types of exceptions for files that are not embeddings. All of them become
    an :class:`InputError`.
    """
    with path.open("rb") as raw:
        try:
            return make(*_read(raw))
        except Exception as error:
            raise InputError(
                f"{path} is not an embedding saved by riemap, an .npz file: {shown(str(error), 200)}"
            ) from None


def _read(raw: IO[bytes]) -> tuple[Space, Points, Array, Labels]:
    if raw.read(4) != b"PK\3\4":
        raise InputError("it is not a zip archive")
    raw.seek(0)
    with np.load(raw, allow_pickle=False) as file:
        space = Space.parse(str(file["space"][()]))
        points = tuple(file[f"points{k}"] for k in range(len(space.factors)))
        labels = json.loads(file["labels"].tobytes().decode("utf-8", "surrogatepass"))
        return space, points, file["log_scales"], tuple(_decoded(label) for label in labels)


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
    return tuple(_decoded(part) for part in label) if isinstance(label, list) else label
