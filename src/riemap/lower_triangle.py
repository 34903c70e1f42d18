"""Symmetric matrices of pairs, of which only the lower triangle is computed.

Where rows and columns are the same points, a forward loop visits for each ``t``, in parallel, the row and the
end given by :func:`row_and_end`. :func:`mirror` fills in the upper triangle where it is needed. The lower
triangle is the one computed because its rows start at column zero, and such loops vectorise best.

A parameter called ``out`` is written to; so is one called ``scratch``, whose contents are then of no use.
With ``symmetric=True`` a function reads and writes lower triangles only.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from riemap.loops import inline, pair_loop, task_loop
from riemap.threads import Part, begin
from riemap.types import Array

LINE = 8
"""Numbers in a cache line."""

TRANSPOSED_TILE = 16
"""Rows and columns of the tiles in which a matrix is added to its transpose: 2 kB of numbers."""

FEW_PAIRS = 1 << 13
"""Largest matrix that NumPy mirrors and scales: 90 rows. It takes up to 6 microseconds more than a loop of
ours, which takes 0.1 to 0.2 seconds to compile in the first run."""


@inline
def row_and_end(t: int, n: int, m: int, symmetric: bool) -> tuple[int, int]:
    """Return the row of an ``(n, m)`` matrix to do as number ``t``, and the column where it ends.

    In a triangle short and long rows alternate, so that threads with equal numbers of rows have equal work.
    """
    i: int = np.int64(t)  # type: ignore[assignment]  # the index of a parallel loop is unsigned
    if not symmetric:
        return i, m
    i = i // 2 if i % 2 == 0 else n - 1 - i // 2
    return i, i + 1


def stride(n: int) -> int:
    """Return how many numbers to allocate for a row of ``n`` that loops read beside many others.

    Rows a multiple of 512 bytes apart share few sets of the first-level cache and evict each other.
    """
    return n + 8 if n % 64 == 0 else n


def mirror(out: Array, lower: Array) -> None:
    """Write the lower triangle of ``lower`` onto the upper one of ``out``; they may be the same array."""
    if out.size <= FEW_PAIRS:
        np.copyto(out.T, lower, where=_below_diagonal(len(out), -1))
        return
    _mirror(len(out) // LINE + 1, out, lower)


@lru_cache(maxsize=16)
def _below_diagonal(n: int, k: int) -> NDArray[np.bool_]:
    """Return which entries of ``(n, n)`` are on the diagonal number ``k``, which is 0 or -1, or below it."""
    return np.tri(n, k=k, dtype=np.bool_)


@task_loop
def _mirror(part: Part, out: Array, lower: Array) -> None:
    """Write one cache line of the upper triangle at a time; the last task has the rows that fill none."""
    n = out.shape[0]
    lines = n // LINE
    start, stop = begin(part)
    for t in range(start, stop):
        first, filled = LINE * lines, 0
        if np.int64(t) < lines:
            first = filled = LINE * row_and_end(t, lines, lines, True)[0]
        for j in range(filled):
            for k in range(LINE):
                out[j, first + k] = lower[first + k, j]
        for i in range(first, min(first + LINE, n)):
            for j in range(filled, i):
                out[j, i] = lower[i, j]


def plus_transpose(a: Array, out: Array) -> None:
    """Write ``a + aᵀ`` to ``out``, another array.

    The work is done in square tiles that fit into the first-level cache: a tile and its mirror image are read
    and written row by row. For 512 rows this takes 80 microseconds, and NumPy takes 1,000.
    """
    _plus_transpose(len(a) // TRANSPOSED_TILE + 1, a, out)


@task_loop
def _plus_transpose(part: Part, a: Array, out: Array) -> None:
    """Do the tiles of these rows; the last task has the rows that fill no tile."""
    n, side = a.shape[0], np.uint64(TRANSPOSED_TILE)
    tiles = n // TRANSPOSED_TILE
    numbers, sums = a.reshape(-1), out.reshape(-1)
    tile = np.empty(TRANSPOSED_TILE * TRANSPOSED_TILE)
    start, stop = begin(part)
    for t in range(start, stop):
        if np.int64(t) == tiles:
            for i in range(TRANSPOSED_TILE * tiles, n):
                for j in range(i + 1):
                    out[j, i] = out[i, j] = a[i, j] + a[j, i]
            continue
        i = TRANSPOSED_TILE * row_and_end(t, tiles, tiles, True)[0]
        for j in range(0, i + TRANSPOSED_TILE, TRANSPOSED_TILE):
            for m in range(side):  # unsigned: no test for indices that count from the end
                row = np.uint64((i + np.int64(m)) * n + j)
                for k in range(side):
                    tile[m * side + k] = numbers[row + k]
            for k in range(side):
                row = np.uint64((j + np.int64(k)) * n + i)
                for m in range(side):
                    both = tile[m * side + k] + numbers[row + m]
                    tile[m * side + k] = both
                    sums[row + m] = both
            if i == j:
                continue
            for m in range(side):
                row = np.uint64((i + np.int64(m)) * n + j)
                for k in range(side):
                    sums[row + k] = tile[m * side + k]


def scale(out: Array, factor: float, symmetric: bool) -> None:
    """Multiply ``out`` by ``factor``."""
    if out.size <= FEW_PAIRS:
        np.multiply(out, factor, out=out, where=_below_diagonal(len(out), 0) if symmetric else True)
        return
    _scale(len(out), out, factor, symmetric)


@pair_loop
def _scale(part: Part, out: Array, factor: float, symmetric: bool) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(end):
            out[i, j] *= factor


def add(a: Array, b: Array, symmetric: bool) -> Array:
    """Return ``a + b`` as a new array."""
    out = np.empty(a.shape)
    _add(len(a), a, b, symmetric, out)
    return out


@pair_loop
def _add(part: Part, a: Array, b: Array, symmetric: bool, out: Array) -> None:
    n, m = a.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(end):
            out[i, j] = a[i, j] + b[i, j]


def accumulate(out: Array, factor: float, scratch: Array, symmetric: bool) -> None:
    """Add ``factor * scratch`` to ``out``; ``scratch`` is multiplied in place."""
    if out.size <= FEW_PAIRS:
        where = _below_diagonal(len(out), 0) if symmetric else True
        np.multiply(scratch, factor, out=scratch, where=where)
        np.add(out, scratch, out=out, where=where)
        return
    _accumulate(len(out), out, factor, scratch, symmetric)


@pair_loop
def _accumulate(part: Part, out: Array, factor: float, scratch: Array, symmetric: bool) -> None:
    """With product and sum in one loop, a processor with fused operations would round once, others twice."""
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(end):
            scratch[i, j] *= factor
        for j in range(end):
            out[i, j] += scratch[i, j]


def row_products(a: Array, b: Array, symmetric: bool) -> Array:
    """Return the sum of ``a * b`` over each row, ``(n,)``.

    Unlike BLAS this gives the same bytes on any number of threads.
    """
    out = np.empty(len(a))
    _row_products(len(a), a, b, symmetric, out)
    return out


@pair_loop
def _row_products(part: Part, a: Array, b: Array, symmetric: bool, out: Array) -> None:
    n, m = a.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        total = 0.0
        for j in range(end):
            total += a[i, j] * b[i, j]
        out[i] = total
