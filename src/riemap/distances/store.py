"""Store distance matrices on disk: one file per graph, named by the graph's key.

A file is a NumPy ``.npy`` file followed by a checksum, which is verified whenever the file is opened. NumPy
can map it into memory. Files are written atomically, so that a reader never sees a part of one. If several
processes write the same file, all write the same bytes, and the last one stays.
"""

import logging
import os
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.files import cache_folder, written_whole
from riemap.graphs.edge_cleaning import warn
from riemap.graphs.graph import Graph

STORE_MAGIC = b"riemap-1"
"""Bytes before the checksum at the end of a file. The digit is the version of the format."""

STORE_TRAILER_BYTES = len(STORE_MAGIC) + 4
"""Size in bytes of what follows the matrix: the magic bytes and the CRC-32."""

CHECKSUM_CHUNK_BYTES = 1 << 22
"""Bytes that are read at once for the checksum: large enough for full speed, small beside any matrix."""

_LOGGER = logging.getLogger(__name__)


def load(graph: Graph) -> NDArray[Any] | None:
    """Open the stored distances of a graph. A damaged file is ignored with a :class:`GraphWarning`.

    Parameters
    ----------
    graph
        The graph.

    Returns
    -------
    NDArray | None
        The read-only matrix, mapped into memory; ``None`` if no valid file is stored.
    """
    path = _path(graph)
    try:
        with path.open("rb") as file:
            return _open(file, graph)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        warn(f"{graph.name}: the distances kept in {path} are damaged ({error}); computing them again")
        return None


def save(graph: Graph, matrix: NDArray[Any]) -> NDArray[Any]:
    """Store the distances of a graph. A failure is a :class:`GraphWarning`, not an error.

    Parameters
    ----------
    graph
        The graph.
    matrix
        Its distances.

    Returns
    -------
    NDArray
        The stored matrix, mapped into memory; or ``matrix`` if it could not be stored.
    """
    path = _path(graph)
    try:
        _write(path, graph, matrix)
        _LOGGER.info("%s: stored the distances in %s", graph.name, path)
        with path.open("rb") as file:
            return _memory_map(file)
    except (OSError, ValueError) as error:
        warn(f"{graph.name}: cannot keep the distances in {path.parent} ({error}); they stay in memory")
        return matrix


def _path(graph: Graph) -> Path:
    return cache_folder() / "distances" / f"{graph.key}.npy"


def _write(path: Path, graph: Graph, matrix: NDArray[Any]) -> None:
    with written_whole(path) as file:
        np.save(file, matrix, allow_pickle=False)
        checksum = _checksum(file, file.tell(), graph)
        file.write(STORE_MAGIC + checksum.to_bytes(4, "little"))


def _open(file: IO[bytes], graph: Graph) -> NDArray[Any]:
    """Verify the checksum of a file, and map its matrix into memory."""
    size = os.fstat(file.fileno()).st_size - STORE_TRAILER_BYTES
    if size <= 0:
        raise InputError("the file is cut short")
    found = _checksum(file, size, graph)
    if file.read() != STORE_MAGIC + found.to_bytes(4, "little"):
        raise InputError("its checksum is wrong")
    return _memory_map(file)


def _checksum(file: IO[bytes], size: int, graph: Graph) -> int:
    """Compute the CRC-32 of the graph's key and the first ``size`` bytes, and leave the file after them."""
    file.seek(0)
    value = zlib.crc32(graph.key.encode())
    while size > 0:
        chunk = file.read(min(size, CHECKSUM_CHUNK_BYTES))
        if not chunk:
            raise InputError("the file is cut short")
        value = zlib.crc32(chunk, value)
        size -= len(chunk)
    return value


def _memory_map(file: IO[bytes]) -> NDArray[Any]:
    """Map the matrix of a valid file into memory."""
    file.seek(0)
    np.lib.format.read_magic(file)  # type: ignore[no-untyped-call]
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)  # type: ignore[no-untyped-call]
    return np.asarray(np.memmap(file, dtype, "r", file.tell(), shape))
