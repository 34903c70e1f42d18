"""Reading input files: lines, fields and numbers, and messages that name the line."""

import csv
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from riemap.errors import InputError
from riemap.graphs.compression import DECOMPRESSORS, LESS_MEMORY, decompress, read_bytes
from riemap.graphs.edge_cleaning import counted, warn
from riemap.memory import require
from riemap.specs import shown

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Three bytes that some editors put before UTF-8 text."""

TEXT_MIN_FACTOR, BINARY_MIN_FACTOR = 10, 3
"""Least memory to parse a file of text, and one of arrays, as multiples of its size. It is required while a
file is read, and each reader then checks what its format needs."""

WHOLE_NUMBER = re.compile(rb"0|[1-9][0-9]{0,17}")
"""Label that becomes an integer. ``007`` does not match: it stays a text, different from ``7``."""

DECIMAL_COMMA = re.compile(rb"[+-]?[0-9]+,[0-9]+")
"""Number as spreadsheets of many countries write it, beside semicolons or tabs."""

_LABEL_AFTER_SIGN = re.compile(rb"\s*[#%][^\s#%]")
"""Start of a comment that could be a label: no space follows its first sign."""


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

    def require_memory(self, bytes_per_byte: int, item: bytes, bytes_per_item: int) -> None:
        """Check that there is enough memory to parse the file, before anything is allocated.

        Parameters
        ----------
        bytes_per_byte
            Memory for each byte of the file.
        item, bytes_per_item
            A byte of which each occurrence needs more memory, and how much.

        Raises
        ------
        MemoryError
            If there is not enough.
        """
        need = bytes_per_byte * len(self.data) + bytes_per_item * self.data.count(item)
        require(need, f"{len(self.data):,} bytes of {self.filename}", LESS_MEMORY)

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
        MemoryError
            If there is not enough memory for them.
        """
        self.require_memory(
            TEXT_MIN_FACTOR, b"\n", 150
        )  # measured: 11 bytes of memory per byte in lines of 20 bytes
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
    filename = path.name or str(path)  # "." and "/" have no name
    filename = filename if filename.isprintable() else ascii(filename)[1:-1]
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
    factor = BINARY_MIN_FACTOR if extension.lower() in (".npy", ".npz") else TEXT_MIN_FACTOR
    data = read_bytes(path, filename, 1 if compression else factor)
    if compression:
        data = decompress(data, compression.lower(), filename, factor)
    content = data.removeprefix(BYTE_ORDER_MARK)
    if not content or content.isspace():
        raise InputError(f"{filename} is empty")
    return TextFile(data, filename, name, extension.lower())


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


def warn_of_hidden_lines(file: TextFile, lines: Sequence[bytes], separator: bytes | None, width: int) -> None:
    """Emit a warning if a comment looks like a line of content, whose first label starts with ``#`` or ``%``.

    Parameters
    ----------
    file
        The file, for the message.
    lines
        All lines of the file.
    separator
        What separates columns; ``None`` for white space.
    width
        Number of columns of the lines that are not comments.
    """
    if b"#" not in file.data and b"%" not in file.data:
        return  # most files have no comments, and looking at each line takes time
    hidden = [
        place
        for place, line in enumerate(lines, 1)
        if _LABEL_AFTER_SIGN.match(line)
        and len(line.partition(b"{")[0].rstrip(b" \t,").split(separator)) == width
    ]
    if hidden:
        count, example = counted(len(hidden), "line"), shown(lines[hidden[0] - 1].strip())
        warn(
            f"{file.filename}: took {count} for comments, e.g. line {hidden[0]}, {example};"
            " a label that starts with '#' or '%' needs quotes and commas, e.g. '\"#a\",b'"
        )


def split_fields(file: TextFile, place: int, line: bytes, separator: bytes = b",") -> list[bytes]:
    """Split a line at separators, except inside quotes.

    Parameters
    ----------
    file
        The file, for messages.
    place
        Number of the line, counted from one.
    line
        The line.
    separator
        A comma, a semicolon or a tab.

    Returns
    -------
    list[bytes]
        The fields without quotes and surrounding space.
    """
    if b'"' not in line:
        return [field.strip() for field in line.split(separator)]
    try:
        (fields,) = csv.reader(
            [line.decode()], delimiter=separator.decode(), skipinitialspace=True, strict=True
        )
    except (csv.Error, ValueError) as error:
        reason = shown(str(error))[1:-1]
        raise file.error(
            place, f"{shown(line)} has unreadable quotes ({reason}); write e.g. '\"Rome, Italy\",Oslo'"
        ) from None
    return [field.strip(" \t").encode() for field in fields]


def parse_number(token: bytes) -> float:
    """Read a decimal number. Unlike ``float``, refuse underscores (``1_000``), which only Python reads."""
    if b"_" in token:
        raise ValueError
    return float(token)


def parse_whole_number(token: bytes) -> int:
    """Read a whole number from 0 up. Unlike ``int``, refuse everything but the digits 0 to 9."""
    if not token.isdigit():
        raise ValueError
    return int(token)


def is_number(token: bytes) -> bool:
    """Whether :func:`parse_number` accepts a token."""
    try:
        parse_number(token)
    except ValueError:
        return False
    return True


def is_weight(token: bytes) -> bool:
    """Whether a token is a number, perhaps with a decimal comma."""
    return is_number(token) or DECIMAL_COMMA.fullmatch(token) is not None
