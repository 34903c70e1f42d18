"""Input that is a matrix of dissimilarities between points, instead of a graph with edges."""

import hashlib
import io
import math
import os
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from riemap.errors import InputError
from riemap.graphs.compression import LESS_MEMORY
from riemap.graphs.edge_cleaning import MIN_LENGTH_RATIO
from riemap.graphs.graph import Graph, Labels
from riemap.graphs.npy_header import npy_header
from riemap.graphs.text_file import TextFile, content_lines, is_number, parse_number, read_file, split_fields
from riemap.memory import require
from riemap.specs import expect, shown
from riemap.specs.arrays import number_array
from riemap.types import Array


@final
@dataclass(frozen=True, eq=False, repr=False)
class Dissimilarities:
    """A symmetric matrix of positive dissimilarities, zero on the diagonal.

    Functions that need only distances take it in place of a graph.

    Parameters
    ----------
    matrix
        ``(n, n)`` dissimilarities. They are copied, so that later changes of the array do not matter.
    labels
        Label of each point.
    name
        Name of the points in messages and results.

    Raises
    ------
    InputError
        If the matrix is not symmetric, finite, zero on the diagonal and positive elsewhere, or the labels do
        not match the points.

    Examples
    --------
    >>> Dissimilarities(np.array([[0.0, 1.5], [1.5, 0.0]]), ("a", "b"), "pair")
    <Dissimilarities pair: 2 points>
    """

    matrix: Array
    labels: Labels
    name: str

    def __post_init__(self) -> None:
        expect(self.name, str, "a name", "e.g. 'towns'")
        expect(self.labels, Iterable, "a sequence of labels", "e.g. ('a', 'b')")
        matrix, labels = _own(self.matrix, self.name), tuple(self.labels)
        _check(matrix, self.name)
        hashable = all(isinstance(label, Hashable) for label in labels)
        if len(labels) != len(matrix) or not hashable or len(set(labels)) < len(labels):
            raise InputError(f"{self.name}: {len(matrix)} points need as many labels, all different")
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "labels", labels)

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
"""Anything that has distances between its nodes: a graph, or a matrix of dissimilarities."""


def check_graph(graph: object) -> None:
    """Raise a ``TypeError`` for what is neither a graph nor dissimilarities."""
    expect(graph, Graph | Dissimilarities, "a graph", "it is read by read_graph, load_dataset or as_graph")


def _own(matrix: ArrayLike, name: str) -> Array:
    """Return a matrix of numbers as read-only float64, copied unless nothing else can write into it."""
    found = number_array("dissimilarities", matrix)
    if found.ndim != 2 or found.shape[0] != found.shape[1]:
        raise InputError(
            f"{name}: dissimilarities are a square matrix of numbers, not {found.dtype}{found.shape}"
        )
    ours = found.dtype == np.float64 and found.flags.owndata and found.flags.c_contiguous
    if not ours or found.flags.writeable:
        found = np.array(found, dtype=np.float64, order="C")
        found.flags.writeable = False
    return found


def _check(matrix: Array, name: str) -> None:
    """Check that a matrix is symmetric, zero on the diagonal and positive elsewhere."""
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
    smallest = float(matrix[~np.eye(len(matrix), dtype=bool)].min())
    if not smallest > MIN_LENGTH_RATIO * float(matrix.max()):
        raise InputError(
            f"{name}: numbers from {smallest:g} to {matrix.max():g} are too far apart to compare"
        )


def read_dissimilarities(path: str | os.PathLike[str]) -> Dissimilarities:
    r"""Read dissimilarities from a file.

    The file holds a square matrix, or its upper triangle row by row in one dimension (the order of
    :func:`scipy.spatial.distance.squareform`). It is a NumPy file (``.npy``) or a text file (``.csv``,
    ``.tsv`` or ``.txt``), and may be compressed (``.npy.gz``, ``.csv.bz2``, ``.txt.xz``). A matrix in a text
    file may have a first row of labels, a first column of labels, or both; without them the labels are
    0, 1, 2, ….

    Parameters
    ----------
    path
        Path of the file. Its name without extensions becomes the name of the result.

    Returns
    -------
    Dissimilarities
        The checked matrix with its labels.

    Raises
    ------
    InputError
        If the file does not hold dissimilarities. The message is one line and says where and why.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "towns.csv"
    ...     _ = path.write_text("Rome,Oslo\n0,2000\n2000,0\n")
    ...     read_dissimilarities(path)
    <Dissimilarities towns: 2 points>
    """
    file = read_file(path, (".npy", ".csv", ".tsv", ".txt"), "distances.npy")
    values, labels = _read_npy(file) if file.extension == ".npy" else _read_text(file)
    matrix = values if values.ndim == 2 else _square(values, file.filename)
    matrix.flags.writeable = False
    return Dissimilarities(matrix, tuple(range(len(matrix))) if labels is None else labels, file.name)


def _read_npy(file: TextFile) -> tuple[Array, Labels | None]:
    stream = io.BytesIO(file.data)
    try:
        shape, dtype = npy_header(stream, len(file.data))
    except Exception as error:  # NumPy raises many types of exception for damaged headers
        reason = shown(str(error), 80)
        raise InputError(
            f"{file.filename} is not a whole .npy file: {reason}; numpy.save writes one"
        ) from None
    if dtype.kind not in "iuf" or len(shape) not in (1, 2) or len(set(shape)) != 1:
        raise InputError(
            f"{file.filename}: dissimilarities are a square matrix of numbers, or its triangle in one "
            f"dimension, not {dtype}{shape}"
        )
    n = shape[0] if len(shape) == 2 else math.isqrt(2 * shape[0]) + 1
    # The matrix, its copy and the results of the checks take up to 40 bytes per entry.
    require(40 * n**2, f"{n:,} points of {file.filename}", LESS_MEMORY)
    stream.seek(0)
    values = np.load(stream, allow_pickle=False)
    return np.ascontiguousarray(values, dtype=np.float64), None


def _read_text(file: TextFile) -> tuple[Array, Labels | None]:
    """Read a table with or without labels.

    An extra row or column holds labels. A square table has both if its first cell is not a number.
    """
    file.require_memory(30, b"\n", 150)  # a number in a list of rows takes 56 bytes, and 40 in the matrix
    places, lines = content_lines(file.lines())
    comma = bool(lines) and b"," in lines[0]
    table = [
        split_fields(file, i, line) if comma else line.split() for i, line in zip(places, lines, strict=True)
    ]
    if not table:
        raise InputError(f"{file.filename} holds no numbers; a row of dissimilarities is e.g. '0,1.5,2'")
    for i, row in zip(places, table, strict=True):
        if len(row) != len(table[0]):
            raise file.error(i, f"{len(row)} columns, but line {places[0]} has {len(table[0])}")
    rows, columns = len(table), len(table[0])
    if 1 in (rows, columns):
        return _numbers(file, places, table).ravel(), None
    labels_twice = rows == columns and not is_number(table[0][0])
    label_row, label_column = labels_twice or rows == columns + 1, labels_twice or columns == rows + 1
    names = [row[0] for row in table] if label_column else table[0] if label_row else None
    body = [row[label_column:] for row in table[label_row:]]
    if len(body) != len(body[0]):
        raise InputError(f"{file.filename}: {rows} rows of {columns} columns are not a square matrix")
    if labels_twice and table[0][1:] != [row[0] for row in table[1:]]:
        raise file.error(places[0], "the labels of the columns are not those of the rows, in the same order")
    labels = None if names is None else tuple(name.decode() for name in names[labels_twice:])
    return _numbers(file, places[label_row:], body), labels


def _numbers(file: TextFile, places: list[int], table: list[list[bytes]]) -> Array:
    values = np.empty((len(table), len(table[0])))
    for i, row in enumerate(table):
        for j, cell in enumerate(row):
            try:
                values[i, j] = parse_number(cell)
            except ValueError:
                raise file.error(places[i], f"{shown(cell)} is not a number, e.g. 1.5") from None
    return values


def _square(condensed: Array, filename: str) -> Array:
    from scipy.spatial.distance import squareform

    n = (1 + math.isqrt(1 + 8 * len(condensed))) // 2
    if n < 2 or n * (n - 1) // 2 != len(condensed):
        raise InputError(
            f"{filename}: {len(condensed)} numbers are not a triangle of n(n-1)/2 numbers, "
            f"e.g. {n * (n + 1) // 2}"
        )
    return squareform(condensed, checks=False)
