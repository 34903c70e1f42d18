"""The cache folder, and the one rule by which riemap writes to a path.

A regular file is replaced atomically. A symbolic link is followed, and the file that it points to is written.
A device, a FIFO, and whatever stdout or stderr goes to are written to as a stream. Anything else is refused.
"""

import glob
import io
import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from riemap.errors import InputError

__all__ = ["cache_folder", "check_destination", "is_stream", "written_whole"]

ABANDONED_PART_SECONDS = 24 * 3600.0
"""Age in seconds at which an unfinished file is removed. No write takes a day, so its process was killed."""


def cache_folder() -> Path:
    """Return the folder for downloads and stored distances.

    Returns
    -------
    Path
        ``$RIEMAP_CACHE`` if it is set; otherwise the usual folder of the system, e.g. ``~/.cache/riemap``.
        The folder may not exist yet.

    Examples
    --------
    >>> isinstance(cache_folder(), Path)
    True
    """
    from_environment = os.environ.get("RIEMAP_CACHE")
    if from_environment:
        return Path(from_environment)
    from platformdirs import user_cache_path

    return user_cache_path("riemap")


def is_stream(path: Path) -> bool:
    """Tell whether a path is written to as a stream: a device, a FIFO, or what stdout or stderr goes to.

    Parameters
    ----------
    path
        The path, which need not exist.

    Returns
    -------
    bool
        False for regular files, for folders, and if nothing is there.

    Examples
    --------
    >>> is_stream(Path(os.devnull)), is_stream(Path("scores.txt"))
    (True, False)
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    return any(kind(mode) for kind in (stat.S_ISCHR, stat.S_ISBLK, stat.S_ISFIFO)) or _standard(path) > 0


def check_destination(path: Path, example: str = "results") -> None:
    """Refuse a path that :func:`written_whole` cannot write to; commands call this before they compute.

    Parameters
    ----------
    path
        The path, which need not exist.
    example
        Name of a file for the message.

    Raises
    ------
    InputError
        If something is there that is neither a file nor a stream, such as a folder or a socket.

    Examples
    --------
    >>> check_destination(Path("scores.txt"))
    """
    if not path.exists() or path.is_file() or is_stream(path):
        return
    kind = "folder" if path.is_dir() else "socket" if path.is_socket() else "special file"
    raise InputError(f"{path} is a {kind}; name a file, e.g. {path / example if path.is_dir() else example}")


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Write a file atomically: other processes see the old file or the complete new one.

    The bytes go to a temporary file in the same folder, which is renamed at the end. After an exception the
    temporary file is removed and the old file stays. A symbolic link stays a link, and the file that it
    points to is replaced. A stream (see :func:`is_stream`) gets all bytes at the end, and none after an
    exception.

    Parameters
    ----------
    path
        Path of the file. Its folder is created if necessary.

    Yields
    ------
    IO[bytes]
        The temporary file, open for reading and writing.

    Raises
    ------
    InputError
        If the path is a folder, a socket, or anything else that cannot be written to.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "new" / "scores.txt"
    ...     with written_whole(path) as file:
    ...         _ = file.write(b"0.97")
    ...     path.read_text()
    '0.97'
    """
    check_destination(path)
    try:
        with _stream(path) if is_stream(path) else _replacement(path) as file:
            yield file
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)  # a full disk, say, of which the system does not tell the file
        raise


@contextmanager
def _replacement(path: Path) -> Iterator[IO[bytes]]:
    """Write to a temporary file that replaces the file, or the one that the link points to, in the end."""
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned_parts(target)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=_part_prefix(target), suffix=".part")
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


@contextmanager
def _stream(path: Path) -> Iterator[IO[bytes]]:
    """Collect the bytes in memory, and write them to the stream in the end.

    Figures and archives are written with seeks, which a FIFO does not have. stdout and stderr are not opened
    again: that would begin a file anew to which they have been redirected.
    """
    buffer = io.BytesIO()
    yield buffer
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    number = _standard(path)
    with os.fdopen(os.dup(number), "wb") if number else path.open("wb") as file:
        file.write(buffer.getbuffer())


def _standard(path: Path) -> int:
    """The number of the standard stream, stdout or stderr, that goes to a path; 0 if neither does."""
    for number in (1, 2):
        with suppress(OSError):
            if os.path.samestat(os.fstat(number), path.stat()):
                return number
    return 0


def _part_prefix(path: Path) -> str:
    """Start of the name of the temporary file. It is cut, since systems limit the length of a name."""
    return f".{path.name[:50]}."


def _umask() -> int:
    """Return the user's file mask. The final file gets the usual permissions; a temporary one is private."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _remove_abandoned_parts(path: Path) -> None:
    """Remove temporary files of this path that killed processes left behind."""
    for part in path.parent.glob(f"{glob.escape(_part_prefix(path))}*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > ABANDONED_PART_SECONDS:
                part.unlink()
