"""Settings of the C library's memory allocator that make training faster."""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
"""Numbers of two parameters of ``mallopt(3)``.

The first is how many free bytes at the top of the heap are returned to the system; the second is how many
allocations may have a memory mapping of their own.
"""

NEVER_TRIM = -1
"""Value of ``M_TRIM_THRESHOLD`` that returns nothing to the system."""

DEFAULT_MMAP_MAX = 1 << 16
"""glibc's value of ``M_MMAP_MAX`` when a process starts."""

DEFAULT_TRIM_THRESHOLD = 1 << 26
"""Value of ``M_TRIM_THRESHOLD``, in bytes, afterwards: the largest that glibc chooses when it adapts it."""


@contextmanager
def freed_memory_kept() -> Iterator[None]:
    """Let the process keep freed memory for later allocations, and return it to the system at the end.

    A step of training allocates and frees some arrays of all pairs. By default glibc maps each of them anew,
    and the system clears its pages one by one: for 4,000 nodes in E6 that takes longer than computing the
    distances. The settings hold for the whole process. With another C library nothing changes.
    """
    keep_freed_memory()
    try:
        yield
    finally:
        libc = _glibc()
        if libc is not None:
            libc.mallopt(M_MMAP_MAX, DEFAULT_MMAP_MAX)
            libc.mallopt(M_TRIM_THRESHOLD, DEFAULT_TRIM_THRESHOLD)
            libc.malloc_trim(0)


def keep_freed_memory() -> None:
    """Let the process keep freed memory until it ends, as :func:`freed_memory_kept` does for a while."""
    libc = _glibc()
    if libc is not None:
        libc.mallopt(M_MMAP_MAX, 0)
        libc.mallopt(M_TRIM_THRESHOLD, NEVER_TRIM)


def _glibc() -> ctypes.CDLL | None:
    """Return the C library if it is glibc."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "mallopt") else None
