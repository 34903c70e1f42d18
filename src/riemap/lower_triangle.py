"""Half the work when rows and columns are the same points: one triangle, then its mirror image.

A forward kernel visits, for ``t`` in parallel, the row and end of :func:`row_and_end`; whoever needs the rest
of the matrix calls :func:`mirror`. The lower triangle it is, since a loop that starts at zero vectorises.
"""

import numpy as np
from numba import prange

from riemap.types import Array
from riemap.vmath import inline, pair_loop


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


@pair_loop
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


@pair_loop
def scale(a: Array, factor: float, symmetric: bool) -> None:
    """Multiply in place; of a ``symmetric`` matrix, here and below, the lower triangle."""
    n, m = a.shape
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(end):
            a[i, j] *= factor


@pair_loop
def add(a: Array, b: Array, symmetric: bool) -> Array:
    """The sum, in a new array."""
    n, m = a.shape
    out = np.empty((n, m))
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(end):
            out[i, j] = a[i, j] + b[i, j]
    return out


@pair_loop
def accumulate(a: Array, factor: float, b: Array, symmetric: bool) -> None:
    """Add ``factor * b``, which ``b`` becomes, onto ``a``.

    In one loop, product and sum would be rounded once where the processor can, and elsewhere twice.
    """
    n, m = a.shape
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(end):
            b[i, j] *= factor
        for j in range(end):
            a[i, j] += b[i, j]


@pair_loop
def row_products(a: Array, b: Array, symmetric: bool) -> Array:
    """Of each row, the sum of ``a * b``: unlike BLAS, the same bytes on any number of threads."""
    n, m = a.shape
    out = np.empty(n)
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        total = 0.0
        for j in range(end):
            total += a[i, j] * b[i, j]
        out[i] = total
    return out
