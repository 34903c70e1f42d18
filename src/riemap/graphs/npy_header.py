"""The header of a NumPy file that a user gives, read and checked before anything is allocated.

Any header that NumPy reads is accepted, since other programs write such files too. For files that riemap has
written, :mod:`riemap.npy_header` accepts one form only.
"""

import math
from typing import IO, Any

import numpy as np

_HEADER_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
"""Function that reads the header, by the version of the format. A later one is for named fields only."""


def npy_header(stream: IO[bytes], size: int) -> tuple[tuple[int, ...], "np.dtype[Any]"]:
    """Read the header of an array, and check that the array fills the rest of the file.

    Parameters
    ----------
    stream
        The file, at its beginning. It is left after the header.
    size
        Size of the file in bytes.

    Returns
    -------
    tuple of int, and dtype
        Shape and type of the array.

    Raises
    ------
    ValueError
        If this is not the header of an array without Python objects, or its size is not that of the file.

    Examples
    --------
    >>> import io
    >>> stream = io.BytesIO()
    >>> np.save(stream, np.ones((2, 3)))
    >>> size = stream.tell()
    >>> _ = stream.seek(0)
    >>> npy_header(stream, size)
    ((2, 3), dtype('float64'))
    """
    version = np.lib.format.read_magic(stream)  # type: ignore[no-untyped-call]
    if version not in _HEADER_READERS:
        raise ValueError(f"version {version[0]}.{version[1]} of the format is not accepted")
    shape, _, dtype = _HEADER_READERS[version](stream)  # type: ignore[no-untyped-call]
    if dtype.hasobject:
        raise ValueError("it holds Python objects, not numbers")
    if min(shape, default=0) < 0:
        raise ValueError(f"its shape {shape} is negative")
    declared, found = math.prod(shape) * dtype.itemsize, size - stream.tell()
    if declared != found:
        raise ValueError(f"its header declares {declared:,} bytes of numbers, and {found:,} follow")
    return shape, dtype
