"""``.npz`` files that are read back: their sizes are checked before anything is allocated, and a checksum.

A file is what :func:`numpy.savez` writes: a zip archive whose members are arrays that are not compressed. The
array ``checksum`` is the checksum of the names, types, shapes and values of all others. A file without it is
read without this check, since earlier versions wrote none.
"""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from riemap import memory
from riemap.checked_json import CHECKSUM_KEY, checksum_of
from riemap.errors import InputError, NotEnoughMemoryError
from riemap.files import written_whole
from riemap.npy_header import read_npy_header
from riemap.specs import shown

ZIP_SIGNATURE = b"PK\3\4"
"""First bytes of every ``.npz`` file."""

COPIES = 2
"""Bytes of memory for each byte of a file: its arrays, and as much again while they are verified."""

READ_CHUNK_BYTES = 1 << 22
"""Bytes that are read at once: large enough for full speed, small beside any array that matters."""


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays to an ``.npz`` file with a checksum; an older file is replaced when it is complete.

    Parameters
    ----------
    path
        The file.
    arrays
        Arrays of numbers or texts by name.
    """
    found: dict[str, Any] = {**arrays, CHECKSUM_KEY: np.array(arrays_checksum(arrays))}
    with written_whole(path) as file:
        np.savez(file, allow_pickle=False, **found)


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read the arrays of an ``.npz`` file, and verify its checksum if it has one.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    dict
        The arrays by name, without the checksum.

    Raises
    ------
    InputError
        If the file is not an archive of arrays, or does not match its checksum. The message does not name it.
    NotEnoughMemoryError
        If the arrays need more memory than is free.
    """
    with path.open("rb") as file:
        try:
            return _verified(_read(file, path))
        except (InputError, NotEnoughMemoryError):
            raise
        except MemoryError:
            raise NotEnoughMemoryError(f"the arrays of {path} need more memory than is free") from None
        except Exception as error:  # zipfile raises a dozen types of exception for damaged archives
            raise InputError(f"its zip archive is damaged: {shown(str(error), 150)}") from None


def _read(file: IO[bytes], path: Path) -> dict[str, NDArray[Any]]:
    """Read all arrays, after their sizes are known to be right and to fit into memory."""
    if file.read(len(ZIP_SIGNATURE)) != ZIP_SIGNATURE:
        raise InputError("it is not a zip archive")
    size = file.seek(0, 2)
    memory.require(COPIES * size, f"the arrays of {path}", "use a machine with more memory")
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        _check_members(members, size)
        return {member.filename.removesuffix(".npy"): _array(archive, member) for member in members}


def _check_members(members: list[zipfile.ZipInfo], size: int) -> None:
    """Refuse members that are compressed, or that together are larger than the file."""
    for member in members:
        if member.compress_type != zipfile.ZIP_STORED:
            raise InputError(
                f"its array {shown(member.filename)} is compressed; riemap reads what numpy.savez writes"
            )
    if sum(member.file_size for member in members) > size:
        raise InputError("its arrays declare more bytes than the file has")


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    """Read an array whose header agrees with the size of its member."""
    with archive.open(member) as file:
        header = read_npy_header(file)
        if header.size + header.data_bytes != member.file_size:
            raise InputError(
                f"its array {shown(member.filename)} declares the shape {header.shape}, which does not fit "
                f"its {member.file_size} bytes"
            )
        data, begin = np.empty(header.data_bytes, np.uint8), 0
        while chunk := file.read(READ_CHUNK_BYTES):  # to the end, where zipfile verifies the CRC-32
            data[begin : begin + len(chunk)] = np.frombuffer(chunk, np.uint8)
            begin += len(chunk)
    if begin != len(data):
        raise InputError(f"its array {shown(member.filename)} is cut short")
    return data.view(header.dtype).reshape(header.shape, order="F" if header.fortran else "C")


def _verified(found: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays without their checksum, which has to be right."""
    given = found.pop(CHECKSUM_KEY, None)
    if given is not None and (given.ndim != 0 or str(given[()]) != arrays_checksum(found)):
        raise InputError(
            "it does not match its checksum, so it was damaged or edited after riemap wrote it; "
            "restore it from a copy, or make it again"
        )
    return found


def arrays_checksum(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Compute the checksum of names, types, shapes and values.

    Parameters
    ----------
    arrays
        Arrays of numbers or texts by name.

    Returns
    -------
    str
        Sixteen hexadecimal digits.
    """
    parts = []
    for name in sorted(arrays):
        array = np.asarray(arrays[name])
        parts.append(f"{name} {array.dtype.str} {array.shape} {checksum_of(array.tobytes())}")
    return checksum_of("\n".join(parts).encode())
