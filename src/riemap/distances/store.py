"""Store distance matrices on disk: one file per graph, named by the graph's key.

A file is a NumPy ``.npy`` file followed by a checksum of the graph's key and of all bytes before it. Whenever
a file is opened, its header, its size, its checksum and its values are verified before the matrix is mapped
into memory. The checksum is no signature: whoever can write to the folder can store other distances. Files
are written atomically, so that a reader never sees a part of one. If several processes write the same file,
all write the same bytes, and the last one stays.
"""

import logging
import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from riemap.distances.hops import COUNT_TYPES
from riemap.errors import InputError
from riemap.files import cache_folder, written_whole
from riemap.graphs.edge_cleaning import warn
from riemap.graphs.graph import Graph
from riemap.npy_header import NpyHeader, read_npy_header

STORE_MAGIC = b"riemap-1"
"""Bytes before the checksum at the end of a file. The digit is the version of the format."""

STORE_TRAILER_BYTES = len(STORE_MAGIC) + 4
"""Size in bytes of what follows the matrix: the magic bytes and the CRC-32."""

CHECKSUM_CHUNK_BYTES = 1 << 22
"""Bytes that are read at once for the checksum: large enough for full speed, small beside any matrix."""

LARGEST_STORE_BYTES = 2 << 30
"""Most bytes that the store keeps, 2 GiB: the distances of some hundred graphs like those of the paper. The
files that were not used for longest are removed, but never the newest, even if it alone is larger."""

_LOGGER = logging.getLogger(__name__)


@final
class Landmarked(NamedTuple):
    """Which distances of a graph are stored, if not all: those from its nodes to some landmarks.

    Parameters
    ----------
    landmarks, seed
        Number of landmarks, and the seed that chooses them.
    part
        The range of them to which there are distances, if not all.
    """

    landmarks: int
    seed: int
    part: range | None = None

    @property
    def columns(self) -> int:
        """Number of landmarks to which there are distances."""
        return self.landmarks if self.part is None else len(self.part)

    @property
    def name(self) -> str:
        """What the file's name has after the graph's key."""
        part = "" if self.part is None else f"-{self.part.start}-{self.part.stop}"
        return f"-{self.landmarks}-{self.seed}{part}"


def load(graph: Graph, landmarks: Landmarked | None = None) -> NDArray[Any] | None:
    """Open the stored distances of a graph. A damaged file is ignored with a :class:`GraphWarning`.

    Parameters
    ----------
    graph
        The graph.
    landmarks
        Which distances: to so many landmarks, chosen by this seed; ``None`` for those between all nodes.

    Returns
    -------
    NDArray | None
        The read-only matrix, mapped into memory; ``None`` if no valid file is stored.
    """
    path = _path(graph, landmarks)
    try:
        _check_regular(path)
        with path.open("rb") as file:
            header = _header(file, graph, landmarks)
            _verify(file, header, graph)
            with suppress(OSError):  # somebody else's file: it then counts as unused
                os.utime(path)
            return _memory_map(file, header)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        warn(f"{graph.name}: the distances kept in {path} are damaged ({error}); computing them again")
        return None


def save(graph: Graph, matrix: NDArray[Any], landmarks: Landmarked | None = None) -> NDArray[Any]:
    """Store the distances of a graph. A failure is a :class:`GraphWarning`, not an error.

    Parameters
    ----------
    graph
        The graph.
    matrix
        Its distances.
    landmarks
        Which distances they are, as for :func:`load`.

    Returns
    -------
    NDArray
        The stored matrix, mapped into memory; or ``matrix`` if it could not be stored.
    """
    path = _path(graph, landmarks)
    try:
        _check_regular(path)
        _write(path, graph, matrix)
        _LOGGER.info("%s: stored the distances in %s", graph.name, path)
        _make_room(path)
        with path.open("rb") as file:
            return _memory_map(file, _header(file, graph, landmarks))
    except (OSError, ValueError) as error:
        warn(f"{graph.name}: cannot keep the distances in {path.parent} ({error}); they stay in memory")
        return matrix


def remove_parts(graph: Graph, landmarks: Landmarked) -> None:
    """Remove the parts of stored distances to landmarks, once all of them are stored.

    Parameters
    ----------
    graph, landmarks
        Which distances, as for :func:`load`.
    """
    path = _path(graph, landmarks)
    for part in path.parent.glob(f"{path.stem}-*.npy"):
        with suppress(OSError):
            part.unlink()


def _path(graph: Graph, landmarks: Landmarked | None) -> Path:
    return cache_folder() / "distances" / f"{graph.key}{landmarks.name if landmarks else ''}.npy"


def _make_room(newest: Path) -> None:
    """Remove the files that were not used for longest until the others are small enough in all."""
    found = []
    for path in newest.parent.glob("*.npy"):
        with suppress(FileNotFoundError):  # removed by another process
            facts = path.stat()
            found.append((facts.st_mtime_ns, facts.st_size, path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= LARGEST_STORE_BYTES:
            return
        if path != newest:
            path.unlink(missing_ok=True)
            total -= size
            _LOGGER.info("removed %s: the store of distances is full", path)


def _check_regular(path: Path) -> None:
    """Refuse a pipe or a device, whose bytes would be waited for."""
    if path.exists() and not path.is_file():
        raise InputError("it is not a file")


def _write(path: Path, graph: Graph, matrix: NDArray[Any]) -> None:
    with written_whole(path) as file:
        np.save(file, matrix, allow_pickle=False)
        size = file.tell()
        file.seek(0)
        checksum = zlib.crc32(graph.key.encode())
        for chunk in _chunks(file, size):
            checksum = zlib.crc32(chunk, checksum)
        file.write(STORE_MAGIC + checksum.to_bytes(4, "little"))


def _header(file: IO[bytes], graph: Graph, landmarks: Landmarked | None) -> NpyHeader:
    """Read the header; refuse another shape or type than the graph's, and a file that is not as large."""
    header = read_npy_header(file)
    lengths = np.float64 if landmarks is None else np.float32
    types: tuple[type, ...] = COUNT_TYPES if graph.weights is None else (lengths,)
    shape = (graph.n, graph.n if landmarks is None else landmarks.columns)
    if header.shape != shape or header.dtype not in types or header.fortran:
        expected = " or ".join(np.dtype(kind).name for kind in types)
        raise InputError(
            f"it has type {header.dtype} and shape {header.shape}; expected {expected} and {shape}"
        )
    if os.fstat(file.fileno()).st_size != header.size + header.data_bytes + STORE_TRAILER_BYTES:
        raise InputError("the file is cut short, or too long")
    return header


def _verify(file: IO[bytes], header: NpyHeader, graph: Graph) -> None:
    """Verify the checksum of a file, and that its values can be distances of the graph."""
    file.seek(0)
    found = zlib.crc32(file.read(header.size), zlib.crc32(graph.key.encode()))
    largest = graph.n - 1 if graph.weights is None else np.finfo(np.float64).max
    possible = True
    for chunk in _chunks(file, header.data_bytes):
        found = zlib.crc32(chunk, found)
        values = np.frombuffer(chunk, header.dtype)
        possible = possible and bool(values.min() >= 0 and values.max() <= largest)  # false for NaN
    if file.read() != STORE_MAGIC + found.to_bytes(4, "little"):
        raise InputError("its checksum is wrong")
    if not possible:
        raise InputError(f"it has numbers that are not distances between {graph.n} nodes")


def _chunks(file: IO[bytes], size: int) -> Iterator[bytes]:
    """Read the next bytes of a file piece by piece."""
    while size > 0:
        chunk = file.read(min(size, CHECKSUM_CHUNK_BYTES))
        if not chunk:
            raise InputError("the file is cut short")
        yield chunk
        size -= len(chunk)


def _memory_map(file: IO[bytes], header: NpyHeader) -> NDArray[Any]:
    """Map the matrix of a valid file into memory."""
    return np.asarray(np.memmap(file, header.dtype, "r", header.size, header.shape))
