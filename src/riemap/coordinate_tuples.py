"""Coordinates of one point as a tuple, for compiled loops over pairs.

The type of a tuple tells the compiler how many coordinates there are. A loop over the second point then holds
all differences and sums of a pair in registers, where a loop for any number of coordinates would go over the
pairs once for every two of them. A point with many coordinates is taken in pieces of equal length
(:func:`no_coordinates`), since registers are few.

Points are arrays with a row for each coordinate and a column for each point (:func:`by_coordinate`).
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from riemap import aligned
from riemap.types import Array

PIECE = 8
"""Largest number of coordinates that are in registers together; there are 32 registers."""

_FUSED, _REORDERED = ("contract",), ("contract", "reassoc")  # what the compiler may do with operations


def no_coordinates(size: int) -> tuple[float, ...]:
    """Return zeros for a piece of a point with so many coordinates.

    Parameters
    ----------
    size
        The number of coordinates, or the number of rows that :func:`padded` returns for it.

    Returns
    -------
    tuple of float
        The sums of no terms. Its type is what loops are compiled for.
    """
    return (0.0,) * -(-size // -(-size // PIECE))


def padded(size: int) -> int:
    """Return the number of rows for so many coordinates: the next multiple of the length of a piece."""
    piece = len(no_coordinates(size))
    return -(-size // piece) * piece


def by_coordinate(x: Array) -> Array:
    """Arrange vectors ``(n, size)`` in rows by coordinate; rows of zeros fill the last piece."""
    return aligned.by_coordinate(x, padded(x.shape[1]))


def _typed_coordinates(typing: Any, x: Any, k: Any, i: Any, piece: Any) -> Any:
    """Return the coordinates of point ``i`` from number ``k`` on, as many as ``piece`` has."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, k, i, _ = arguments
        return _tuple(context, builder, signature, _load(context, builder, signature, 0, x, k, i))

    return piece(x, types.int64, types.int64, piece), lower


def _typed_differences(typing: Any, a: Any, y: Any, k: Any, j: Any, sign: Any) -> Any:
    """Return ``a - sign * y_j`` for the coordinates ``a`` from number ``k`` on."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, y, k, j, sign = arguments
        terms = [
            builder.fsub(number, builder.fmul(sign, other, flags=_FUSED), flags=_FUSED)
            for number, other in zip(
                _numbers(builder, a), _load(context, builder, signature, 1, y, k, j), strict=True
            )
        ]
        return _tuple(context, builder, signature, terms)

    return a(a, y, types.int64, types.int64, types.float64), lower


def _typed_square(typing: Any, a: Any) -> Any:
    """Return the sum of the squares."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first, *others = _numbers(builder, arguments[0])
        total = builder.fmul(first, first, flags=_FUSED)
        for number in others:
            total = builder.fadd(total, builder.fmul(number, number, flags=_FUSED), flags=_FUSED)
        return total

    return types.float64(a), lower


def _typed_plus(typing: Any, sums: Any, factor: Any, terms: Any) -> Any:
    """Return ``sums + factor * terms``; the loop around it may add up in another order."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sums, factor, terms = arguments
        found = [
            builder.fadd(total, builder.fmul(factor, term, flags=_REORDERED), flags=_REORDERED)
            for total, term in zip(_numbers(builder, sums), _numbers(builder, terms), strict=True)
        ]
        return _tuple(context, builder, signature, found)

    return sums(sums, types.float64, terms), lower


def _typed_put(typing: Any, x: Any, k: Any, i: Any, numbers: Any) -> Any:
    """Write coordinates of point ``i`` from number ``k`` on."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, k, i, numbers = arguments
        array = context.make_array(signature.args[0])(context, builder, x)
        width = builder.extract_value(array.shape, 1)
        for row, number in enumerate(_numbers(builder, numbers)):
            place = builder.add(builder.mul(width, builder.add(k, k.type(row))), i)
            builder.store(number, builder.gep(array.data, [place]), align=8)
        return context.get_dummy_value()

    return types.void(x, types.int64, types.int64, numbers), lower


coordinates: Any = intrinsic(_typed_coordinates)
put: Any = intrinsic(_typed_put)
differences: Any = intrinsic(_typed_differences)
square: Any = intrinsic(_typed_square)
plus: Any = intrinsic(_typed_plus)


def _numbers(builder: Any, values: ir.Value) -> list[Any]:
    return [builder.extract_value(values, k) for k in range(values.type.count)]


def _tuple(context: Any, builder: Any, signature: Any, numbers: list[Any]) -> Any:
    return context.make_tuple(builder, signature.return_type, numbers)


def _load(context: Any, builder: Any, signature: Any, at: int, rows: Any, k: Any, column: Any) -> list[Any]:
    """Load a column of argument number ``at``, from row ``k`` on, as many numbers as the result has."""
    array = context.make_array(signature.args[at])(context, builder, rows)
    width = builder.extract_value(array.shape, 1)
    places = [
        builder.add(builder.mul(width, builder.add(k, k.type(row))), column)
        for row in range(len(signature.return_type))
    ]
    return [builder.load(builder.gep(array.data, [place]), align=8) for place in places]
