"""Where files are kept, and how they are written so that none is ever seen half done."""

import glob
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

_ABANDONED = 24 * 3600.0
"""Seconds after which a file in the making was certainly given up by a process that was killed."""


def cache_folder() -> Path:
    """``$RIEMAP_CACHE``, or the place that the system has for files that can be had again."""
    named = os.environ.get("RIEMAP_CACHE")
    if named:
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("riemap")


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Write a file beside its place and rename it onto it: one sees the old file, or all of the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=_prefix(path), suffix=".part")
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


def _prefix(path: Path) -> str:
    """How the file in the making is called; cut, so that its name is no longer than a name may be."""
    return f".{path.name[:50]}."


def _umask() -> int:
    """The user's mask; a temporary file is private to its owner, the finished one is like any other."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _sweep(path: Path) -> None:
    """Remove what processes left of this file that were killed while writing it."""
    for part in path.parent.glob(f"{glob.escape(_prefix(path))}*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > _ABANDONED:
                part.unlink()
