"""Kill a process at its k-th file operation: the shim of the attack by kills.

A process that imports ``sitecustomize`` from the folder that :func:`write_shim` makes counts what it does to
files below ``$FUZZ_FOLDER``: it makes, renames, removes and opens them for writing, and every single write.
A command may add moments of its own, by :func:`ticking`.
All processes of a command count in one file, ``$FUZZ_COUNTER``. The one that does operation number
``$FUZZ_KILL`` is killed before the operation, or, if the operation is a write, when half of it is done.
"""

import io
import logging
import os
import signal
import sys
from pathlib import Path
from typing import Any

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
"""Flags of an ``open`` that may change the disk."""

TICK = "fuzz.tick"
"""Audit event that counts like a file operation."""

EVENTS = {
    "open",
    "os.mkdir",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.truncate",
    "os.chmod",
    "os.link",
    TICK,
}
"""Audit events that are file operations. Their first argument is a path, or a file descriptor."""


def write_shim(folder: Path) -> None:
    """Write the ``sitecustomize.py`` that installs the shim in every Python process that sees the folder."""
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text("from fuzz.dying import install\n\ninstall()\n")


def install() -> None:
    """Count file operations from now on, if the environment says so."""
    counter = os.environ.get("FUZZ_COUNTER")
    if counter is None:
        return
    below, last = os.environ["FUZZ_FOLDER"], int(os.environ["FUZZ_KILL"])
    file = os.open(counter, os.O_RDWR | os.O_CREAT | os.O_APPEND)

    def reached() -> bool:
        """Count an operation; whether it is the last one. Appending is atomic between processes."""
        os.write(file, b".")
        return os.lseek(file, 0, os.SEEK_CUR) == last

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in EVENTS or not isinstance(arguments[0], str | os.PathLike):
            return
        if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & WRITES):
            return
        if os.fspath(arguments[0]).startswith(below) and reached():
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(audit)
    _count_writes(below, reached)


def ticking() -> logging.Handler:
    """Make a handler that counts each message of a log as a file operation."""

    class Ticking(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            sys.audit(TICK, os.environ["FUZZ_FOLDER"])

    return Ticking()


def _count_writes(below: str, reached: Any) -> None:
    """Let files that are opened by their descriptors count each write that reaches the disk."""
    plain = os.fdopen

    class DyingFile(io.FileIO):
        def write(self, data: Any, /) -> int:
            if reached():
                super().write(memoryview(data).cast("B")[: memoryview(data).nbytes // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return super().write(data) or 0

    def fdopen(fd: int, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if "b" in mode and "w" in mode and os.readlink(f"/proc/self/fd/{fd}").startswith(below):
            return io.BufferedRandom(DyingFile(fd, "r+b"))
        return plain(fd, mode, *arguments, **options)

    os.fdopen = fdopen
