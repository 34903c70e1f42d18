"""Arrays that start at the beginning of a cache line.

A processor with wide vectors loads a whole cache line at a time. A vector that is in two lines takes two
loads. NumPy's arrays start 16 bytes after a line does, and the gradient of H6, which mostly loads, took a
quarter longer with them.
"""

import math

import numpy as np

from riemap.types import Array

LINE = 8
"""Numbers in a cache line."""

PAGE_BYTES = 4096
"""Bytes of a page of memory."""


def on_cache_lines(shape: tuple[int, ...], offset: int = 0) -> Array:
    """Return an empty array that starts ``offset`` bytes after a page does, a multiple of 64."""
    size = math.prod(shape)
    memory = np.empty(size + PAGE_BYTES // 8)
    start = (offset - memory.__array_interface__["data"][0]) % PAGE_BYTES // 8
    return memory[start : start + size].reshape(shape)


def coordinate_rows(count: int, n: int) -> Array:
    """Return zeros, ``(count, at least n)``: rows of ``n`` numbers that loops read side by side.

    Each row starts on a cache line. Rows a multiple of 512 bytes apart would share few sets of the
    first-level cache and evict each other.
    """
    width = -(-n // LINE) * LINE
    out = on_cache_lines((count, width + LINE if width % 64 == 0 else width))
    out.fill(0.0)
    return out


def by_coordinate(x: Array, count: int | None = None) -> Array:
    """Arrange vectors ``(n, size)`` in rows by coordinate; rows of zeros follow up to number ``count``."""
    n, size = x.shape
    out = coordinate_rows(count or size, n)
    out[:size, :n] = x.T
    return out
