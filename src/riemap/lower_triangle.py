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
from riemap.tiles import TILE, add_both, add_transposed, transpose_tile
from riemap.types import Array

BAND = 2 * TILE
"""Number of rows that are mirrored together. What NumPy allocates starts 16 bytes after a cache line, so that
a row of a tile is in two lines; with two tiles side by side, two of three lines are read once."""

FEW_PAIRS = 1 << 13
"""Largest matrix that NumPy mirrors and scales: 90 rows. It takes up to 6 microseconds more than a loop of
ours, which takes 0.1 to 0.2 seconds to compile in the first run."""


@inline
def row_and_end(t: int, n: int, m: int, symmetric: bool) -> tuple[int, int]:
    """Return the row of an ``(n, m)`` matrix to do as number ``t``, and the column where it ends.

    The first row comes first, then the last, the second, the last but one, and so on. Then threads with equal
    numbers of rows have equal work in a triangle. Other loops take the rows in the same order, so that a
    thread reads what it has written. In a virtual machine whose two cores were far apart, E3 and S3 took 1.5
    times as long if gradients took their rows in another order.
    """
    i: int = np.int64(t)  # type: ignore[assignment]  # the index of a parallel loop is unsigned
    i = i // 2 if i % 2 == 0 else n - 1 - i // 2
    return i, i + 1 if symmetric else m


@inline
def row_and_line_end(t: int, n: int, m: int, symmetric: bool) -> tuple[int, int]:
    """As :func:`row_and_end`, but rows of the triangle end with a whole vector, if there are so many columns.

    For loops that may write right of the diagonal. One by one, the pairs that fill no vector, four on
    average, would take as long as four vectors.
    """
    i, end = row_and_end(t, n, m, symmetric)
    return i, min(m, (end + TILE - 1) // TILE * TILE)


def mirror(out: Array, lower: Array) -> None:
    """Write the lower triangle of ``lower`` onto the upper one of ``out``; they may be the same array."""
    if out.size <= FEW_PAIRS:
        np.copyto(out.T, lower, where=_below_diagonal(len(out), -1))
        return
    _mirror(len(out) // BAND + 1, out, lower)


@lru_cache(maxsize=16)
def _below_diagonal(n: int, k: int) -> NDArray[np.bool_]:
    """Return which entries of ``(n, n)`` are on the diagonal number ``k``, which is 0 or -1, or below it."""
    return np.tri(n, k=k, dtype=np.bool_)


@task_loop
def _mirror(part: Part, out: Array, lower: Array) -> None:
    bands = len(out) // BAND
    start, stop = begin(part)
    for t in range(start, stop):
        _mirror_band(out, lower, _band(t, bands))


@inline
def _band(t: int, bands: int) -> int:
    """Return the first row of band number ``t``; the last task has the rows that fill no band."""
    i: int = np.int64(t)  # type: ignore[assignment]
    return BAND * (i if i == bands else row_and_end(i, bands, bands, True)[0])


@inline
def _mirror_band(out: Array, lower: Array, first: int) -> None:
    """Write the rows of a band right of the diagonal, in tiles where there are whole ones.

    A thread writes no rows of another one, as in :func:`_add_band`.
    """
    n = len(out)
    last, tiled = min(first + BAND, n), n // BAND * BAND
    numbers, image = lower.reshape(-1), out.reshape(-1)
    for j in range(last, tiled, TILE):
        for i in range(first, last, TILE):
            transpose_tile(numbers, j * n + i, image, i * n + j, n)
    for i in range(first, last):
        for j in range(i + 1, min(last, tiled)):
            out[i, j] = lower[j, i]
        for j in range(max(i + 1, tiled), n):
            out[i, j] = lower[j, i]


ORDERED, LOWER, WHOLE = range(3)
"""How weights of pairs are given: for ordered pairs, so that both ends have the sum of two weights; as the
lower triangle of such sums; or as the whole symmetric matrix of such sums."""


def spread_weights(w: Array, given: int, sqdist: Array, saved: Array, out: Array) -> Array:
    """Write the whole symmetric matrix of the weights of both ends to ``out``, and mirror ``saved``.

    All that a gradient needs before its loop is done in one pass over the matrices, since for cheap distances
    each pass takes as long as that loop.

    Parameters
    ----------
    w
        The weights, ``(n, n)``. Must be ``out`` itself unless they are ``ORDERED``.
    given
        ``ORDERED``, ``LOWER`` or ``WHOLE``.
    sqdist
        Squared distances; the lower triangle is read.
    saved
        Some symmetric matrices, ``(count, n, n)``; the upper triangles are written.
    out
        Where to write the weights.

    Returns
    -------
    For each row of the lower triangle, the sum of weights times squared distances, ``(n,)``.
    """
    if out.size <= FEW_PAIRS:
        if given == ORDERED:
            np.add(w, w.T, out=out)
        elif given == LOWER:
            mirror(out, out)
        for matrix in saved:
            mirror(matrix, matrix)
        return row_products(out, sqdist, True)
    sums = np.empty(len(out))
    _spread_weights(len(out) // BAND + 1, w, given, sqdist, saved, out, sums)
    return sums


@task_loop
def _spread_weights(
    part: Part, w: Array, given: int, sqdist: Array, saved: Array, out: Array, sums: Array
) -> None:
    n = len(out)
    bands = n // BAND
    start, stop = begin(part)
    for t in range(start, stop):
        first = _band(t, bands)
        if given == ORDERED:
            _add_band(out, w, first, start, stop)
        if given == LOWER:
            _mirror_band(out, out, first)
        for k in range(len(saved)):
            _mirror_band(saved[k], saved[k], first)
        for i in range(first, min(first + BAND, n)):
            total = 0.0
            for j in range(i + 1):
                total += out[i, j] * sqdist[i, j]
            sums[i] = total


@inline
def _add_band(out: Array, w: Array, first: int, start: int, stop: int) -> None:
    """Write ``w + wᵀ`` to the rows of a band, in tiles where there are whole ones.

    A tile and its mirror image are written together if both are in bands of this thread, ``start`` to
    ``stop``. A thread writes no rows of another one: that thread would have to fetch them from this core.
    """
    n = len(out)
    bands = n // BAND
    last, tiled = min(first + BAND, n), 0 if first == BAND * bands else BAND * bands
    numbers, both = w.reshape(-1), out.reshape(-1)
    for band in range(0, tiled, BAND):
        turn = _turn(band // BAND, bands)
        is_mine = np.int64(start) <= turn and turn < np.int64(stop)  # indices of parallel loops are unsigned
        if is_mine and band > first:
            continue
        for j in range(band, band + BAND, TILE):
            for i in range(first, last, TILE):
                if is_mine:
                    add_both(numbers, i * n + j, j * n + i, both, n)
                else:
                    add_transposed(numbers, i * n + j, j * n + i, both, n)
    for i in range(first, last):
        for j in range(tiled, n):
            out[i, j] = w[i, j] + w[j, i]


@inline
def _turn(i: int, n: int) -> int:
    """Return as which number :func:`row_and_end` gives row ``i`` of ``n``."""
    return 2 * i if 2 * i < n else 2 * (n - i) - 1


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
