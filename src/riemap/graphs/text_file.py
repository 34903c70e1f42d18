"""A file's bytes, decompressed and checked, and how to say which line of it is wrong."""

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

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

# Lists of edges shrink by a factor of 5 to 20. What grows beyond both bounds was made to fill the memory.
BOMB_MIN_BYTES = 2**28
BOMB_MIN_RATIO = 200


class TextFile(NamedTuple):
    """A file: its decompressed bytes, its name in messages, its name and extension as a graph."""

    data: bytes
    filename: str
    name: str
    extension: str

    def error(self, line: int, problem: str) -> InputError:
        """The error to raise for a line, counted from one."""
        return InputError(f"{self.filename}, line {line}: {problem}")

    def lines(self) -> list[bytes]:
        """The lines of a text in UTF-8, without their ends."""
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
    """Read a file whose extension, but for a compression, is one of ``extensions``."""
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
            f"{filename} is not a whole {compression} file: {reason}; compress it anew"
        ) from None
    return b"".join(parts)


def refuse_bomb(size: int, packed: int, filename: str) -> None:
    """Refuse what expands beyond all reason."""
    if size > BOMB_MIN_BYTES and size > BOMB_MIN_RATIO * packed:
        raise InputError(
            f"{filename} expands from {packed:,} to over {size:,} bytes, more than {BOMB_MIN_RATIO}-fold; "
            "if that is meant, decompress it first"
        )


def content_lines(lines: Iterable[bytes]) -> tuple[list[int], list[bytes]]:
    """The numbers of the lines that are neither blank nor a comment (``#``, ``%``), and these lines."""
    stripped = [line.strip() for line in lines]
    places = [i for i, line in enumerate(stripped, 1) if line and line[0] not in b"#%"]
    return places, [stripped[i - 1] for i in places]


def split_fields(file: TextFile, place: int, line: bytes) -> list[bytes]:
    """The fields of a line between commas, which quotes protect."""
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
    """A decimal number as other programs write it: ``float`` alone would also read ``1_000``."""
    if b"_" in token:
        raise ValueError
    return float(token)


def is_number(token: bytes) -> bool:
    """Whether :func:`parse_number` can read it."""
    try:
        parse_number(token)
    except ValueError:
        return False
    return True
