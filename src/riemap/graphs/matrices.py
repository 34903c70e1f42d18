"""Adjacency matrices in files: MatrixMarket ``.mtx`` and SciPy's ``.npz``."""

import io
import zipfile

import numpy as np

from riemap.errors import InputError
from riemap.graphs.graph import check_nodes
from riemap.graphs.raw_edges import Arcs, matrix_arcs
from riemap.graphs.text_file import TextFile, content_lines, number, refuse_bomb
from riemap.specs import shown

HEADER = "the first line is e.g. '%%MatrixMarket matrix coordinate real symmetric'"


def read_mtx(source: TextFile) -> Arcs:
    """Coordinates, with or without weights; nodes are called by their row numbers, from 1."""
    lines = source.lines()
    weighted, symmetric = _mtx_header(source, lines[0])
    places, entries = content_lines(lines)
    if not entries:
        raise InputError(f"{source.file} ends before its line of sizes, e.g. '3 3 2'")
    n, count = _mtx_sizes(source, places.pop(0), entries.pop(0))
    if len(entries) != count:
        raise InputError(f"{source.file} promises {count} entries and has {len(entries)}; is it cut short?")
    check_nodes(n, count, source.file)
    ends = np.empty((count, 2), dtype=np.int64)
    weights = np.ones(count)
    accepted = f"an entry is 'i j{' w' * weighted}' with 1 <= i, j <= {n}, e.g. '2 1{' 2.5' * weighted}'"
    for k, entry in enumerate(entries):
        try:
            i, j, *rest = entry.split()
            if len(rest) != weighted or not 1 <= int(i) <= n or not 1 <= int(j) <= n:
                raise ValueError
            ends[k] = int(i), int(j)
            weights[k] = number(*rest) if weighted else 1.0
        except ValueError:
            raise source.error(places[k], f"{shown(entry)} is not an entry; {accepted}") from None
    return Arcs(
        ends - 1,
        weights if weighted else None,
        range(1, n + 1),
        lambda i: f"line {places[i]}",
        "once" if symmetric else "twice",
    )


def _mtx_header(source: TextFile, line: bytes) -> tuple[bool, bool]:
    """Whether entries have weights, and whether only one triangle is listed."""
    match line.lower().split():
        case [b"%%matrixmarket", b"matrix", b"coordinate", field, symmetry] if field in (
            b"real",
            b"integer",
            b"pattern",
        ) and symmetry in (b"general", b"symmetric"):
            return field != b"pattern", symmetry == b"symmetric"
    raise source.error(
        1,
        f"{shown(line)} is not the header of a sparse real matrix; {HEADER}, "
        "where 'integer', 'pattern' and 'general' are accepted too",
    )


def _mtx_sizes(source: TextFile, place: int, line: bytes) -> tuple[int, int]:
    try:
        rows, columns, count = (int(field) for field in line.split())
    except ValueError:
        rows = columns = count = -1
    if rows < 1 or rows != columns or count < 0:
        raise source.error(place, f"{shown(line)} is not 'n n entries' of a square matrix, e.g. '3 3 2'")
    return rows, count


def read_npz(source: TextFile) -> Arcs:
    """What :func:`scipy.sparse.save_npz` wrote; nodes are called by their row numbers, from 0."""
    from scipy.sparse import load_npz

    example = "scipy.sparse.save_npz('graph.npz', adjacency) writes one"
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except Exception as error:
        raise InputError(
            f"{source.file} is not a whole .npz file: {shown(str(error), 80)}; {example}"
        ) from None
    refuse_bomb(size, len(source.data), source.file)
    # Bytes that are not a matrix make SciPy, NumPy and zipfile raise a dozen types of exception.
    try:
        matrix = load_npz(io.BytesIO(source.data))
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
    except Exception as error:
        raise InputError(
            f"{source.file} holds no sparse matrix: {shown(str(error), 80)}; {example}"
        ) from None
    return matrix_arcs(matrix, source.file)
