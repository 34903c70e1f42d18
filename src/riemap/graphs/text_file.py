"""Reading input files: decompression, checks of the text, and messages that name the line."""

import bz2
import csv
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterable, Mapping
from io import BufferedIOBase, BytesIO
from pathlib import Path
from typing import IO, NamedTuple

from riemap.errors import InputError
from riemap.specs import shown

DECOMPRESSORS: Mapping[str, Callable[[IO[bytes]], BufferedIOBase]] = {
    ".gz": lambda raw: gzip.GzipFile(fileobj=raw),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}
"""Functions that open a compressed stream, by the extension of the file."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Three bytes that some editors put before UTF-8 text."""

BOMB_MIN_BYTES = 2**28
"""Decompressed size in bytes up to which any compression ratio is accepted: 256 MB fit into memory."""

BOMB_MIN_RATIO = 200
"""Largest accepted compression ratio beyond that size. Edge lists shrink by a factor of 5 to 20, so a ratio
of 200 means a file that was made to fill the memory (a decompression bomb)."""


class TextFile(NamedTuple):
    r"""A file that was read and decompressed.

    Parameters
    ----------
    data
        The decompressed bytes.
    filename
        Printable name of the file, for messages.
    name
        The file name without extensions, used as the name of the graph.
    extension
        The extension in lower case, without that of a compression.

    Examples
    --------
    >>> file = TextFile(b"a b\nb c\n", "my.edges", "my", ".edges")
    >>> file.lines()
    [b'a b', b'b c']
    >>> file.error(2, "a column is empty")
    InputError('my.edges, line 2: a column is empty')
    """

    data: bytes
    filename: str
    name: str
    extension: str

    def error(self, line: int, problem: str) -> InputError:
        """Make the error to raise for a problem in one line.

        Parameters
        ----------
        line
            Number of the line, counted from one.
        problem
            What is wrong there.

        Returns
        -------
        InputError
            The error, not yet raised.
        """
        return InputError(f"{self.filename}, line {line}: {problem}")

    def lines(self) -> list[bytes]:
        """Split the text into lines.

        Returns
        -------
        list[bytes]
            The lines in UTF-8, without line ends.

        Raises
        ------
        InputError
            If the bytes are not UTF-8 text.
        """
        try:
            self.data.decode()
            wrong = self.data.find(b"\0")
        except UnicodeDecodeError as error:
            wrong = error.start
        if wrong >= 0:
            raise self.error(
                len(self.data[: wrong + 1].splitlines()),
                f"byte 0x{self.data[wrong]:02x} is not UTF-8 text; save the file as UTF-8, "
                "or, if it is compressed, let its name end in .gz, .bz2 or .xz",
            )
        return self.data.removeprefix(BYTE_ORDER_MARK).splitlines()


def read_file(path: str | os.PathLike[str], extensions: Iterable[str], example: str) -> TextFile:
    """Read and decompress a file.

    Parameters
    ----------
    path
        Path of the file.
    extensions
        Accepted extensions. The extension of a compression may follow.
    example
        A valid file name, for messages.

    Returns
    -------
    TextFile
        The decompressed bytes and the parts of the name.
    """
    path = Path(path)
    filename = path.name if path.name.isprintable() else ascii(path.name)[1:-1]
    stem, compression = os.path.splitext(filename)
    if compression.lower() not in DECOMPRESSORS:
        stem, compression = filename, ""
    name, extension = os.path.splitext(stem)
    if path.is_dir():
        raise InputError(f"{filename} is a folder, not a file, e.g. {example}")
    if extension.lower() not in extensions:
        raise InputError(
            f"{filename} has the extension {extension!r}; accepted are {' '.join(extensions)}, "
            f"each also with .gz, .bz2 or .xz, e.g. {example}"
        )
    data = path.read_bytes()
    if compression:
        data = _decompress(data, compression.lower(), filename)
    if not data.removeprefix(BYTE_ORDER_MARK).strip():
        raise InputError(f"{filename} is empty")
    return TextFile(data, filename, name, extension.lower())


def _decompress(packed: bytes, compression: str, filename: str) -> bytes:
    parts: list[bytes] = []
    size = 0
    try:
        with DECOMPRESSORS[compression](BytesIO(packed)) as stream:
            while part := stream.read(2**20):
                parts.append(part)
                size += len(part)
                refuse_bomb(size, len(packed), filename)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        reason = shown(str(error), 80)
        raise InputError(
            f"{filename} is not a whole {compression} file: {reason}; compress it again"
        ) from None
    return b"".join(parts)


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


def content_lines(lines: Iterable[bytes]) -> tuple[list[int], list[bytes]]:
    """Select the lines that are neither blank nor a comment (``#`` or ``%``).

    Parameters
    ----------
    lines
        All lines of a file.

    Returns
    -------
    tuple[list[int], list[bytes]]
        Their line numbers, counted from one, and the lines without surrounding space.
    """
    stripped = [line.strip() for line in lines]
    places = [i for i, line in enumerate(stripped, 1) if line and line[0] not in b"#%"]
    return places, [stripped[i - 1] for i in places]


def split_fields(file: TextFile, place: int, line: bytes) -> list[bytes]:
    """Split a line at commas, except inside quotes.

    Parameters
    ----------
    file
        The file, for messages.
    place
        Number of the line, counted from one.
    line
        The line.

    Returns
    -------
    list[bytes]
        The fields without quotes and surrounding space.
    """
    if b'"' not in line:
        return [field.strip() for field in line.split(b",")]
    try:
        (fields,) = csv.reader([line.decode()], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError) as error:
        raise file.error(
            place, f"{shown(line)} has unreadable quotes ({error}); write e.g. '\"Rome, Italy\",Oslo'"
        ) from None
    return [field.strip(" \t").encode() for field in fields]


def parse_number(token: bytes) -> float:
    """Read a decimal number. Unlike ``float``, refuse underscores (``1_000``), which only Python reads."""
    if b"_" in token:
        raise ValueError
    return float(token)


def is_number(token: bytes) -> bool:
    """Whether :func:`parse_number` accepts a token."""
    try:
        parse_number(token)
    except ValueError:
        return False
    return True
