"""The header of a NumPy array in a file that riemap has written, read without allocating what it declares.

Only the form that NumPy writes is accepted. :mod:`riemap.graphs.npy_header` is for files of users.
"""

import math
import re
from typing import IO, Any, NamedTuple

import numpy as np

from riemap.errors import InputError

NPY_MAGIC = b"\x93NUMPY\x01\x00"
"""First bytes of an array in version 1.0 of NumPy's format, which NumPy writes for plain arrays."""

_HEADER = re.compile(
    rb"\{'descr': '([<>|][biufU][1-9][0-9]{0,8})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:[0-9]{1,18}(?:,|(?:, [0-9]{1,18}){1,9}))?)\), \} *\n"
)
"""What NumPy writes for an array of numbers or texts. Arrays of Python objects never match."""


class NpyHeader(NamedTuple):
    """The header of an array: its type, its shape, whether columns come first, and its own size in bytes."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool
    size: int

    @property
    def data_bytes(self) -> int:
        """Size in bytes of the data that follow the header."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_npy_header(file: IO[bytes]) -> NpyHeader:
    """Read the header of an array of numbers or texts, and leave the file after it.

    Parameters
    ----------
    file
        A file at the beginning of an array.

    Returns
    -------
    NpyHeader
        The type and the shape. Nothing of that size has been allocated.

    Raises
    ------
    InputError
        If there is no such header.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> np.save(file, np.zeros((3, 2)))
    >>> _ = file.seek(0)
    >>> read_npy_header(file)
    NpyHeader(dtype=dtype('float64'), shape=(3, 2), fortran=False, size=128)
    """
    begin = file.read(len(NPY_MAGIC) + 2)
    length = int.from_bytes(begin[len(NPY_MAGIC) :], "little")
    text = file.read(length)
    match = _HEADER.fullmatch(text)
    if not begin.startswith(NPY_MAGIC) or match is None:
        raise InputError("it has no NumPy array of numbers or texts where one is expected")
    try:
        dtype = np.dtype(match[1].decode())
    except TypeError:
        raise InputError(f"it has an array of the unknown type {match[1].decode()}") from None
    shape = tuple(int(size) for size in match[3].split(b",") if size.strip())
    return NpyHeader(dtype, shape, match[2] == b"True", len(begin) + length)
