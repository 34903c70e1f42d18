"""Points known only by how far apart they are: no graph, just a matrix."""

import hashlib
import io
import math
import os
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, final

import numpy as np

from riemap.errors import InputError
from riemap.graphs.graph import SPAN, Graph, Labels
from riemap.graphs.text_file import TextFile, content_lines, is_number, load, number, split
from riemap.specs import shown
from riemap.types import Array


@final
@dataclass(frozen=True, eq=False, repr=False)
class Dissimilarities:
    """A symmetric matrix of positive dissimilarities, zero on the diagonal.

    It stands wherever a graph does, except where edges are needed.
    """

    matrix: Array
    labels: Labels
    name: str

    def __post_init__(self) -> None:
        _check(self.matrix, self.name)
        if len(self.labels) != len(self.matrix) or len(set(self.labels)) < len(self.labels):
            raise InputError(f"{self.name}: {len(self.matrix)} points need as many labels, all different")
        frozen = self.matrix.view()
        frozen.flags.writeable = False
        object.__setattr__(self, "matrix", frozen)

    def __repr__(self) -> str:
        return f"<Dissimilarities {self.name}: {self.n} points>"

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.matrix)

    @cached_property
    def key(self) -> str:
        """SHA-256 of the matrix."""
        return hashlib.sha256(b"riemap dissimilarities 1" + self.matrix.tobytes()).hexdigest()


AnyGraph: TypeAlias = Graph | Dissimilarities
"""Whatever can be embedded: a graph, or a matrix of dissimilarities."""


def _check(matrix: Array, name: str) -> None:
    """Refuse a matrix that is not symmetric and positive off its zero diagonal."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.dtype != np.float64:
        raise InputError(f"{name}: dissimilarities are a square matrix of numbers, not {matrix.shape}")
    if len(matrix) < 2:
        raise InputError(f"{name}: there is {len(matrix)} point; dissimilarities need at least two")
    for wrong, what in (
        (~np.isfinite(matrix), "is not a finite number"),
        (matrix < 0.0, "is negative"),
        ((matrix != 0.0) & np.eye(len(matrix), dtype=bool), "is on the diagonal and is not zero"),
        (matrix != matrix.T, "differs from its mirror image"),
        ((matrix == 0.0) & ~np.eye(len(matrix), dtype=bool), "is zero between two different points"),
    ):
        if wrong.any():
            i, j = (int(k) for k in np.argwhere(wrong)[0])
            raise InputError(
                f"{name}: entry ({i}, {j}), {matrix[i, j]:g}, {what}; "
                "dissimilarities are symmetric, positive, and zero on the diagonal"
            )
    least = float(matrix[~np.eye(len(matrix), dtype=bool)].min())
    if not least > SPAN * float(matrix.max()):
        raise InputError(f"{name}: numbers from {least:g} to {matrix.max():g} are too far apart to compare")


def read_dissimilarities(path: str | os.PathLike[str]) -> Dissimilarities:
    """Read dissimilarities from a file.

    A square matrix, or its upper triangle row by row in one dimension (the order of
    :func:`scipy.spatial.distance.squareform`), as ``.npy`` or as text: ``.csv``, ``.tsv`` or ``.txt``, before
    which may stand ``.gz``, ``.bz2`` or ``.xz``. A matrix in a text may have a first row of labels, a first
    column of labels, or both; otherwise points are called 0, 1, 2, ….

    Parameters
    ----------
    path
        The file; the result is named after it.

    Raises
    ------
    InputError
        If the file does not hold dissimilarities; the message is one line and says where and why.
    OSError
        If the file cannot be opened.
    """
    source = load(path, (".npy", ".csv", ".tsv", ".txt"), "distances.npy")
    values, labels = _read_npy(source) if source.extension == ".npy" else _read_text(source)
    matrix = values if values.ndim == 2 else _square(values, source.file)
    return Dissimilarities(matrix, tuple(range(len(matrix))) if labels is None else labels, source.name)


def _read_npy(source: TextFile) -> tuple[Array, Labels | None]:
    stream = io.BytesIO(source.data)
    try:
        values = np.load(stream, allow_pickle=False)
    except Exception as error:  # damaged headers make NumPy raise a dozen types of exception
        reason = shown(str(error), 80)
        raise InputError(f"{source.file} is not a whole .npy file: {reason}; numpy.save writes one") from None
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iuf" or values.ndim not in (1, 2):
        given = f"{values.dtype}{values.shape}" if isinstance(values, np.ndarray) else "an archive"
        raise InputError(f"{source.file}: dissimilarities are numbers in one or two dimensions, not {given}")
    if stream.read(1):
        raise InputError(
            f"{source.file} goes on after its array of {values.size} numbers; numpy.save writes one"
        )
    return np.ascontiguousarray(values, dtype=np.float64), None


def _read_text(source: TextFile) -> tuple[Array, Labels | None]:
    """Tell rows and columns of labels by the shape of the table, and by the first cell if it is square."""
    places, lines = content_lines(source.lines())
    comma = bool(lines) and b"," in lines[0]
    table = [split(source, i, line) if comma else line.split() for i, line in zip(places, lines, strict=True)]
    if not table:
        raise InputError(f"{source.file} holds no numbers; a row of dissimilarities is e.g. '0,1.5,2'")
    for i, row in zip(places, table, strict=True):
        if len(row) != len(table[0]):
            raise source.error(i, f"{len(row)} columns, but line {places[0]} has {len(table[0])}")
    rows, columns = len(table), len(table[0])
    if 1 in (rows, columns):
        return _numbers(source, places, table).ravel(), None
    both = rows == columns and not is_number(table[0][0])
    header, labelled = both or rows == columns + 1, both or columns == rows + 1
    names = [row[0] for row in table] if labelled else table[0] if header else None
    body = [row[labelled:] for row in table[header:]]
    if len(body) != len(body[0]):
        raise InputError(f"{source.file}: {rows} rows of {columns} columns are not a square matrix")
    if both and table[0][1:] != [row[0] for row in table[1:]]:
        raise source.error(
            places[0], "the labels of the columns are not those of the rows, in the same order"
        )
    labels = None if names is None else tuple(name.decode() for name in names[both:])
    return _numbers(source, places[header:], body), labels


def _numbers(source: TextFile, places: list[int], table: list[list[bytes]]) -> Array:
    values = np.empty((len(table), len(table[0])))
    for i, row in enumerate(table):
        for j, cell in enumerate(row):
            try:
                values[i, j] = number(cell)
            except ValueError:
                raise source.error(places[i], f"{shown(cell)} is not a number, e.g. 1.5") from None
    return values


def _square(condensed: Array, file: str) -> Array:
    from scipy.spatial.distance import squareform

    n = (1 + math.isqrt(1 + 8 * len(condensed))) // 2
    if n < 2 or n * (n - 1) // 2 != len(condensed):
        raise InputError(
            f"{file}: {len(condensed)} numbers are not the n(n-1)/2 of a triangle, e.g. {n * (n + 1) // 2}"
        )
    return squareform(condensed, checks=False)
