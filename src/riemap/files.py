"""The cache folder, and atomic writing of files."""

import glob
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

__all__ = ["cache_folder", "written_whole"]

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


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Write a file atomically: other processes see the old file or the complete new one.

    The bytes go to a temporary file in the same folder, which is renamed at the end. After an exception the
    temporary file is removed and the old file stays.

    Parameters
    ----------
    path
        Path of the file. Its folder is created if necessary.

    Yields
    ------
    IO[bytes]
        The temporary file, open for reading and writing.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "new" / "scores.txt"
    ...     with written_whole(path) as file:
    ...         _ = file.write(b"0.97")
    ...     path.read_text()
    '0.97'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned_parts(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=_part_prefix(path), suffix=".part")
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(name)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)  # a full disk, say, of which the system does not tell the file
        raise


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
