"""Square tiles of matrices, transposed in the registers of the processor.

A compiled loop that reads rows and writes columns, or the reverse, takes one number at a time, and the
compiler makes no vectors of it. These functions read and write whole rows of a tile. They are for compiled
loops: a matrix is given as its numbers in one row (``a.reshape(-1)``), and a tile by the index of its first
number. ``width`` is the number of columns of all matrices.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

TILE = 8
"""Rows and columns of a tile; a row is one cache line."""

_ROW = ir.VectorType(ir.DoubleType(), TILE)
_ORDER = ir.VectorType(ir.IntType(32), TILE)


def _typed_transpose_tile(typing: Any, a: Any, at: Any, out: Any, out_at: Any, width: Any) -> Any:
    """Write the transpose of a tile of ``a`` to ``out``."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, at, out, out_at, width = arguments
        source, target = (_data(context, builder, signature, k, v) for k, v in ((0, a), (2, out)))
        tile = _load(builder, _row_places(builder, source, at, width))
        _store(builder, _transposed(builder, tile), _row_places(builder, target, out_at, width))
        return context.get_dummy_value()

    return types.void(a, types.int64, out, types.int64, types.int64), lower


def _typed_add_transposed(typing: Any, a: Any, at: Any, mirrored: Any, out: Any, width: Any) -> Any:
    """Write ``a + aᵀ`` to the tile ``at`` of ``out``; its mirror image is the tile ``mirrored``."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _sum_with_image(context, builder, signature, arguments)
        return context.get_dummy_value()

    return types.void(a, types.int64, types.int64, out, types.int64), lower


def _typed_add_both(typing: Any, a: Any, at: Any, mirrored: Any, out: Any, width: Any) -> Any:
    """As :func:`_typed_add_transposed`, but write the mirror image, too."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        both, target = _sum_with_image(context, builder, signature, arguments)
        _, _, mirrored, _, width = arguments
        _store(builder, _transposed(builder, both), _row_places(builder, target, mirrored, width))
        return context.get_dummy_value()

    return types.void(a, types.int64, types.int64, out, types.int64), lower


def _sum_with_image(context: Any, builder: Any, signature: Any, arguments: Any) -> tuple[list[Any], Any]:
    """Write a tile of ``a + aᵀ``; returns its rows and the address of ``out``."""
    a, at, mirrored, out, width = arguments
    source, target = (_data(context, builder, signature, k, v) for k, v in ((0, a), (3, out)))
    image = _transposed(builder, _load(builder, _row_places(builder, source, mirrored, width)))
    tile = _load(builder, _row_places(builder, source, at, width))
    both = [builder.fadd(x, y) for x, y in zip(tile, image, strict=True)]
    _store(builder, both, _row_places(builder, target, at, width))
    return both, target


transpose_tile: Any = intrinsic(_typed_transpose_tile)
add_transposed: Any = intrinsic(_typed_add_transposed)
add_both: Any = intrinsic(_typed_add_both)


def _data(context: Any, builder: Any, signature: Any, k: int, array: Any) -> Any:
    """Return the address of the first number of argument ``k``."""
    return context.make_array(signature.args[k])(context, builder, array).data


def _row_places(builder: Any, data: Any, at: Any, width: Any) -> list[Any]:
    """Return the addresses of the rows of a tile."""
    places = [builder.add(at, builder.mul(width, width.type(r))) for r in range(TILE)]
    return [builder.bitcast(builder.gep(data, [place]), _ROW.as_pointer()) for place in places]


def _load(builder: Any, places: list[Any]) -> list[Any]:
    return [builder.load(place, align=8) for place in places]


def _store(builder: Any, rows: list[Any], places: list[Any]) -> None:
    for row, place in zip(rows, places, strict=True):
        builder.store(row, place, align=8)


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """Transpose a tile: exchange single numbers, then pairs, then fours across the diagonal."""
    rows, step = list(rows), 1
    while step < TILE:
        upper = [k - step + TILE if k & step else k for k in range(TILE)]
        lower = [k + TILE if k & step else k + step for k in range(TILE)]
        for r in range(TILE):
            if not r & step:
                pair = rows[r], rows[r + step]
                rows[r] = builder.shuffle_vector(*pair, ir.Constant(_ORDER, upper))
                rows[r + step] = builder.shuffle_vector(*pair, ir.Constant(_ORDER, lower))
        step *= 2
    return rows
