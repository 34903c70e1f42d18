"""Reading the bytes of a file, compressed or not, without filling the memory."""

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Mapping
from io import BufferedIOBase, BytesIO
from pathlib import Path
from typing import IO

from riemap.errors import InputError
from riemap.memory import require
from riemap.specs import shown

DECOMPRESSORS: Mapping[str, Callable[[IO[bytes]], BufferedIOBase]] = {
    ".gz": lambda raw: gzip.GzipFile(fileobj=raw),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}
"""Functions that open a compressed stream, by the extension of the file."""

BOMB_MIN_BYTES = 2**28
"""Decompressed size in bytes up to which any compression ratio is accepted: 256 MB fit into memory."""

BOMB_MIN_RATIO = 200
"""Largest accepted compression ratio beyond that size. Edge lists shrink by a factor of 5 to 20, so a ratio
of 200 means a file that was made to fill the memory (a decompression bomb)."""

READ_BYTES = 2**20
"""Bytes that are read at a time: 1 MB, after which we look again how much memory is free."""

LESS_MEMORY = "use a part of the data, or a machine with more memory"
"""What to do about a file that is too large for the memory; the end of messages about it."""


def read_bytes(path: Path, filename: str, factor: int) -> bytes:
    """Read a file as it is.

    Parameters
    ----------
    path
        Path of the file.
    filename
        Name of the file, for messages.
    factor
        Least memory to parse the file, as a multiple of its size.

    Returns
    -------
    bytes
        Its bytes.

    Raises
    ------
    MemoryError
        If there is not enough memory for them.
    """
    with path.open("rb") as stream:
        _require(os.fstat(stream.fileno()).st_size, filename, factor)
        return _read_all(stream, filename, factor)


def _read_all(
    stream: IO[bytes] | BufferedIOBase, filename: str, factor: int, packed: int | None = None
) -> bytes:
    """Read a stream to its end, if it fits into memory. ``packed`` is the size of a compressed file."""
    content = BytesIO()
    while part := stream.read(READ_BYTES):
        content.write(part)
        _require(content.tell(), filename, factor)
        if packed is not None:
            refuse_bomb(content.tell(), packed, filename)
    return content.getvalue()


def _require(size: int, filename: str, factor: int) -> None:
    require(factor * size, f"{size:,} bytes of {filename}", LESS_MEMORY)


def decompress(packed: bytes, compression: str, filename: str, factor: int) -> bytes:
    """Decompress the bytes of a file.

    Parameters
    ----------
    packed
        The compressed bytes.
    compression
        A key of ``DECOMPRESSORS``.
    filename
        Name of the file, for messages.
    factor
        Least memory to parse the file, as a multiple of its decompressed size.

    Returns
    -------
    bytes
        The decompressed bytes.

    Raises
    ------
    InputError
        If they are damaged, or a decompression bomb.
    MemoryError
        If there is not enough memory for them.
    """
    try:
        with DECOMPRESSORS[compression](BytesIO(packed)) as stream:
            return _read_all(stream, filename, factor, len(packed))
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        reason = shown(str(error), 80)
        raise InputError(
            f"{filename} is not a whole {compression} file: {reason}; compress it again"
        ) from None


def refuse_bomb(size: int, packed: int, filename: str) -> None:
    """Raise an error for a decompression bomb.

    Parameters
    ----------
    size
        Decompressed size in bytes, so far.
    packed
        Compressed size in bytes.
    filename
        Name of the file, for the message.
    """
    if size > BOMB_MIN_BYTES and size > BOMB_MIN_RATIO * packed:
        raise InputError(
            f"{filename} expands from {packed:,} to over {size:,} bytes, more than {BOMB_MIN_RATIO}-fold; "
            "if this is intended, decompress it first"
        )
