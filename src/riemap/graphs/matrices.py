"""Read adjacency matrices: MatrixMarket (``.mtx``) and SciPy's sparse matrices (``.npz``)."""

import io
import zipfile

import numpy as np

from riemap.errors import InputError
from riemap.graphs.compression import LESS_MEMORY, refuse_bomb
from riemap.graphs.edge_cleaning import check_nodes
from riemap.graphs.npy_header import npy_header
from riemap.graphs.options import ReadOptions
from riemap.graphs.raw_edges import RawEdges, edges_of_matrix
from riemap.graphs.text_file import TextFile, content_lines, parse_number, parse_whole_number
from riemap.memory import require
from riemap.specs import shown

MTX_HEADER_USAGE = "the first line is e.g. '%%MatrixMarket matrix coordinate real symmetric'"
"""A valid first line, for messages."""


def read_mtx(file: TextFile, options: ReadOptions) -> RawEdges:
    """Read a MatrixMarket file in coordinate format. The labels are the row numbers, counted from 1."""
    lines = file.lines()
    weighted, symmetric = _mtx_header(file, lines[0])
    places, entries = content_lines(lines)
    if not entries:
        raise InputError(f"{file.filename} ends before its line of sizes, e.g. '3 3 2'")
    n, count = _mtx_sizes(file, places.pop(0), entries.pop(0))
    if len(entries) != count:
        raise InputError(f"{file.filename} declares {count} entries but has {len(entries)}; is it cut short?")
    check_nodes(n, count, file.filename)
    ends = np.empty((count, 2), dtype=np.int64)
    weights = np.ones(count)
    accepted = f"an entry is 'i j{' w' * weighted}' with 1 <= i, j <= {n}, e.g. '2 1{' 2.5' * weighted}'"
    for k, entry in enumerate(entries):
        try:
            i, j, *rest = entry.split()
            row, column = parse_whole_number(i), parse_whole_number(j)
            if len(rest) != weighted or not 1 <= row <= n or not 1 <= column <= n:
                raise ValueError
            ends[k] = row, column
            weights[k] = parse_number(*rest) if weighted else 1.0
        except ValueError:
            raise file.error(places[k], f"{shown(entry)} is not an entry; {accepted}") from None
    return RawEdges(
        ends - 1,
        weights if weighted else None,
        range(1, n + 1),
        lambda i: f"line {places[i]}",
        "once" if symmetric else "twice",
    )


def _mtx_header(file: TextFile, line: bytes) -> tuple[bool, bool]:
    """Return whether entries have weights, and whether only one triangle is listed."""
    match line.lower().split():
        case [b"%%matrixmarket", b"matrix", b"coordinate", field, symmetry] if field in (
            b"real",
            b"integer",
            b"pattern",
        ) and symmetry in (b"general", b"symmetric"):
            return field != b"pattern", symmetry == b"symmetric"
    raise file.error(
        1,
        f"{shown(line)} is not the header of a sparse real matrix; {MTX_HEADER_USAGE}, "
        "where 'integer', 'pattern' and 'general' are accepted too",
    )


def _mtx_sizes(file: TextFile, place: int, line: bytes) -> tuple[int, int]:
    """Return the number of nodes and the number of entries."""
    try:
        rows, columns, count = map(parse_whole_number, line.split())
    except ValueError:
        rows = columns = count = -1
    if rows < 1 or rows != columns or count < 0:
        raise file.error(place, f"{shown(line)} is not 'n n entries' of a square matrix, e.g. '3 3 2'")
    return rows, count


def read_npz(file: TextFile, options: ReadOptions) -> RawEdges:
    """Read a file of :func:`scipy.sparse.save_npz`. The labels are the row numbers, counted from 0."""
    from scipy.sparse import load_npz

    example = "scipy.sparse.save_npz('graph.npz', adjacency) writes one"
    try:
        with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
            refuse_bomb(size, len(file.data), file.filename)
            require(3 * size, f"{size:,} bytes in {file.filename}", LESS_MEMORY)
            for member in archive.infolist():
                with archive.open(member) as stream:
                    npy_header(stream, member.file_size)
    except (InputError, MemoryError):
        raise
    except Exception as error:
        raise InputError(
            f"{file.filename} is not a whole .npz file: {shown(str(error), 80)}; {example}"
        ) from None
    # SciPy, NumPy and zipfile raise many types of exception for bytes that are not a matrix.
    try:
        matrix = load_npz(io.BytesIO(file.data))
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
    except Exception as error:
        raise InputError(
            f"{file.filename} holds no sparse matrix: {shown(str(error), 80)}; {example}"
        ) from None
    return edges_of_matrix(matrix, file.filename)
