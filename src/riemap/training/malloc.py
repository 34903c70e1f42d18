"""Memory that a step frees, kept for the next step."""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

TRIM_THRESHOLD, MMAP_MAX = -1, -4
"""Parameters of ``mallopt(3)``: free memory at the top of the heap that is given back, and the most
allocations that are mapped by themselves."""


@contextmanager
def kept_pages() -> Iterator[None]:
    """Take large arrays from the heap, which keeps what is freed, and give that back at the end.

    A step makes and frees some arrays of all pairs. Each would be mapped anew, and the system would clear its
    pages one by one: for 4,000 nodes in E6 that takes longer than the distances themselves. Only glibc can be
    told; elsewhere nothing changes.
    """
    libc = _glibc()
    if libc is None:
        yield
        return
    libc.mallopt(MMAP_MAX, 0)
    libc.mallopt(TRIM_THRESHOLD, -1)  # none is given back
    try:
        yield
    finally:
        libc.mallopt(MMAP_MAX, 1 << 16)  # what it was
        libc.mallopt(TRIM_THRESHOLD, 1 << 26)  # where glibc's own rule, from 128 kB up, ends
        libc.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    """The C library, if it is the one that can be told."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "mallopt") else None
