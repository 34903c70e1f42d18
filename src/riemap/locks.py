"""Locks between processes, by files: held until they are released, or until the process ends in any way.

POSIX systems lock a file by ``fcntl``, Windows by ``msvcrt``. The file is removed when its lock is released.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

POLL_SECONDS = 0.005
"""Time between two attempts to take a lock that another process holds; it is held for milliseconds."""


@contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Take a lock for the length of a ``with`` block, or find that another process has it.

    Parameters
    ----------
    path
        The file to lock, which is created, with its folder, and removed in the end.

    Yields
    ------
    bool
        Whether the lock is ours.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    file = _opened_and_locked(path)
    if file is None:
        yield False
        return
    try:
        yield True
    finally:
        _release(file, path)


@contextmanager
def wait_for_lock(path: Path) -> Iterator[None]:
    """Take a lock for the length of a ``with`` block, as soon as no other process has it."""
    while True:
        with try_lock(path) as ours:
            if ours:
                yield
                return
        time.sleep(POLL_SECONDS)


def remove_stale_locks(folder: Path) -> None:
    """Remove the files of locks that nobody holds; a process that is killed while it holds one leaves it."""
    for path in folder.glob("*"):
        with try_lock(path):
            pass


def _opened_and_locked(path: Path) -> IO[bytes] | None:
    """The open file, or ``None`` if another process has the lock."""
    while True:
        try:
            file = path.open("a+b")
        except PermissionError:  # Windows: the holder is removing it right now
            if _posix() is not None:
                raise
            return None
        if not _lock(file):
            file.close()
            return None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        file.close()  # the holder removed this file after we had opened it; a new one is at its place


def _release(file: IO[bytes], path: Path) -> None:
    """Remove the file, and with it the lock."""
    if _posix() is not None:
        path.unlink(missing_ok=True)  # while we hold it, so that nobody else's is removed
        file.close()
    else:
        file.close()  # Windows removes no open file: this fails, rightly, if somebody has opened it since
        with suppress(OSError):
            path.unlink()


def _lock(file: IO[bytes]) -> bool:
    """Lock an open file without waiting; whether that succeeded."""
    posix = _posix()
    if posix is not None:
        try:
            posix.flock(file, posix.LOCK_EX | posix.LOCK_NB)
        except BlockingIOError:
            return False
        return True
    windows: Any = import_module("msvcrt")
    file.seek(0)
    try:
        windows.locking(file.fileno(), windows.LK_NBLCK, 1)
    except OSError:
        return False
    return True


def _posix() -> Any:
    """The module ``fcntl``, or ``None`` on Windows."""
    try:
        return import_module("fcntl")
    except ImportError:
        return None
