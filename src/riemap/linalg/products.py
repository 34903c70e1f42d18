"""Products of small matrices, for use inside compiled loops.

Sizes are arguments: where a size is a number in the calling code, no loop over it remains.
"""

from riemap.loops import inline_point
from riemap.types import Array


@inline_point
def multiply(rows: int, inner: int, columns: int, a: Array, b: Array, out: Array) -> None:
    """Write ``a b`` to ``out``, where ``a`` is ``(rows, inner)`` and ``b`` is ``(inner, columns)``."""
    for r in range(rows):
        for c in range(columns):
            total = 0.0
            for j in range(inner):
                total += a[r, j] * b[j, c]
            out[r, c] = total


@inline_point
def multiply_transposed(rows: int, inner: int, columns: int, a: Array, b: Array, out: Array) -> None:
    """Write ``aᵀ b`` to ``out``, where ``a`` is ``(inner, rows)`` and ``b`` is ``(inner, columns)``."""
    for r in range(rows):
        for c in range(columns):
            total = 0.0
            for j in range(inner):
                total += a[j, r] * b[j, c]
            out[r, c] = total


@inline_point
def square_symmetric(rows: int, inner: int, a: Array, b: Array, out: Array) -> None:
    """Write ``a bᵀ``, known to be symmetric, to ``out``, exactly symmetric; both are ``(rows, inner)``."""
    for r in range(rows):
        for c in range(r + 1):
            total = 0.0
            for j in range(inner):
                total += a[r, j] * b[c, j]
            out[r, c] = out[c, r] = total
