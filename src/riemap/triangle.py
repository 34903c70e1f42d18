"""Half the work when rows and columns are the same points: one triangle, then its mirror image.

A forward kernel visits, for ``t`` in parallel, the row and end of :func:`row_and_end`, and finishes
with :func:`mirror`. The lower triangle it is, since a loop that starts at zero vectorises.
"""

import numpy as np
from numba import prange

from riemap.types import Array
from riemap.vmath import inline, kernel


@inline
def row_and_end(t: int, n: int, m: int, symmetric: bool) -> tuple[int, int]:
    """The row to do as number ``t``, and where it ends.

    Of a triangle, short and long rows alternate, so that equal shares of ``t`` are equal work.
    """
    i: int = np.int64(t)  # type: ignore[assignment]  # the index of a parallel loop is unsigned
    if not symmetric:
        return i, m
    i = i // 2 if i % 2 == 0 else n - 1 - i // 2
    return i, i + 1


@inline
def stride(n: int) -> int:
    """How many numbers to leave for a row of ``n`` that kernels read beside many others.

    Rows a multiple of 512 bytes apart fall into few sets of the first-level cache and evict each other.
    """
    return n + 8 if n % 64 == 0 else n


@kernel
def mirror(a: Array, b: Array) -> None:
    """Write the lower triangle of ``b`` onto the upper one of ``a``, one cache line at a time."""
    n = a.shape[0]
    lines = n // 8
    for t in prange(lines):
        i = 8 * row_and_end(t, lines, lines, True)[0]
        for j in range(i):
            line = a[j, i : i + 8]
            for k in range(8):
                line[k] = b[i + k, j]
        for k in range(8):
            for j in range(k):
                a[i + j, i + k] = b[i + k, i + j]
    for i in range(8 * lines, n):
        for j in range(i):
            a[j, i] = b[i, j]
