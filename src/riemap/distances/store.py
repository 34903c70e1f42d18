"""Distance matrices on disk: one file a graph, named by its content, checked whenever it is opened.

A file is an ordinary ``.npy`` followed by a checksum, so any NumPy can map it. It is written beside its place
and renamed onto it: whoever looks sees a whole file or none, and of several processes that make the same one
the last wins with the same bytes.
"""

import os
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.files import cache_folder, written_whole
from riemap.graphs.graph import Graph, warn

STORE_MAGIC = b"riemap-1"
STORE_TRAILER_BYTES = len(STORE_MAGIC) + 4
CHECKSUM_CHUNK_BYTES = 1 << 22


def load(graph: Graph) -> NDArray[Any] | None:
    """The stored matrix of a graph, mapped into memory; ``None`` if there is none that is whole."""
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
    """Keep a matrix; give back what is on disk, or the matrix itself, with a warning, if that fails."""
    path = _path(graph)
    try:
        _write(path, graph, matrix)
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
    size = os.fstat(file.fileno()).st_size - STORE_TRAILER_BYTES
    if size <= 0:
        raise InputError("the file is cut short")
    found = _checksum(file, size, graph)
    if file.read() != STORE_MAGIC + found.to_bytes(4, "little"):
        raise InputError("its checksum is wrong")
    return _memory_map(file)


def _checksum(file: IO[bytes], size: int, graph: Graph) -> int:
    """CRC-32 of the graph's key and the first ``size`` bytes; leaves the file behind them."""
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
    """The matrix in a file that is known to be whole."""
    file.seek(0)
    np.lib.format.read_magic(file)  # type: ignore[no-untyped-call]
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)  # type: ignore[no-untyped-call]
    return np.asarray(np.memmap(file, dtype, "r", file.tell(), shape))
