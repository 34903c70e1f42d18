"""Functions of tuples of numbers, compiled to straight-line code for the lengths they are called with.

Write a plain function of sequences of numbers, ``_f``, and let loops call ``f = unrolled(_f)``. The body runs
once for each length, when a loop that calls it is compiled, and may use any Python to decide which operations
to emit. So one text serves matrices of several sizes, and a loop over pairs holds their numbers in registers.
Python calls ``_f`` with floats or arrays.
"""

import math
from collections.abc import Callable
from typing import Any, final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_FUSED = ("contract",)  # products and sums may become one operation
_DOUBLE = ir.DoubleType()


@final
class Number:
    """A number of the loop that is being compiled; arithmetic emits instructions.

    Parameters
    ----------
    value
        What LLVM calls it.
    builder
        Where instructions are appended; ``None`` to find out only what a function returns.
    """

    def __init__(self, value: Any, builder: Any) -> None:
        self.value = value
        self.builder = builder

    def _with(self, name: str, first: Any, second: Any) -> "Number":
        if self.builder is None:
            return self
        values = [n.value if isinstance(n, Number) else _DOUBLE(float(n)) for n in (first, second)]
        return Number(getattr(self.builder, name)(*values, flags=_FUSED), self.builder)

    def __add__(self, other: Any) -> "Number":
        return self._with("fadd", self, other)

    def __radd__(self, other: Any) -> "Number":
        return self._with("fadd", other, self)

    def __sub__(self, other: Any) -> "Number":
        return self._with("fsub", self, other)

    def __rsub__(self, other: Any) -> "Number":
        return self._with("fsub", other, self)

    def __mul__(self, other: Any) -> "Number":
        return self._with("fmul", self, other)

    def __rmul__(self, other: Any) -> "Number":
        return self._with("fmul", other, self)

    def __truediv__(self, other: Any) -> "Number":
        return self._with("fdiv", self, other)

    def __rtruediv__(self, other: Any) -> "Number":
        return self._with("fdiv", other, self)

    def of(self, intrinsic: str, *others: "Number") -> "Number":
        """What an operation of LLVM on this number and others returns."""
        if self.builder is None:
            return self
        values = [n.value for n in (self, *others)]
        signature = ir.FunctionType(_DOUBLE, [_DOUBLE] * len(values))
        function = self.builder.module.declare_intrinsic(f"llvm.{intrinsic}", [_DOUBLE], signature)
        return Number(self.builder.call(function, values), self.builder)


def square_root(a: Any) -> Any:
    """The square root of a :class:`Number`, a float or an array."""
    return a.of("sqrt") if isinstance(a, Number) else np.sqrt(a)


def absolute(a: Any) -> Any:
    """The absolute value of a :class:`Number`, a float or an array."""
    return a.of("fabs") if isinstance(a, Number) else np.abs(a)


def with_sign(a: Any, b: Any) -> Any:
    """The absolute value of ``a`` with the sign of ``b``."""
    return a.of("copysign", b) if isinstance(a, Number) else np.copysign(a, b)


def sum_of(terms: Any) -> Any:
    """The sum of at least one term, which are added in this order."""
    first, *others = terms
    for term in others:
        first = first + term
    return first


def size_of(entries: Any) -> int:
    """The size of a matrix whose lower triangle has so many entries."""
    return (math.isqrt(8 * len(entries) + 1) - 1) // 2


def lower_index(p: int, q: int) -> int:
    """The number of entry ``(p, q)`` of a lower triangle, ``p >= q``, by rows: 0; 1, 2; 3, 4, 5; ..."""
    return p * (p + 1) // 2 + q


def symmetric_index(p: int, q: int) -> int:
    """The number of entry ``(p, q)`` of a symmetric matrix of which the lower triangle is kept."""
    return lower_index(max(p, q), min(p, q))


def lower_pairs(size: int) -> list[tuple[int, int]]:
    """The rows and columns of the entries of a lower triangle, in their order."""
    return [(p, q) for p in range(size) for q in range(p + 1)]


def _typed(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Return the signature of a function for arguments of these types, and what emits its instructions."""

    def on(values: Any, builder: Any) -> Any:
        given = [
            [Number(builder and builder.extract_value(v, k), builder) for k in range(len(t))]
            if isinstance(t, types.BaseTuple)
            else Number(v, builder)
            for t, v in zip(arguments, values, strict=True)
        ]
        return function(*given)

    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        found = on(values, builder)
        if isinstance(found, Number):
            return found.value
        return context.make_tuple(builder, signature.return_type, [n.value for n in found])

    found = on([None] * len(arguments), None)
    single = isinstance(found, Number)
    result = types.float64 if single else types.UniTuple(types.float64, len(found))  # type: ignore[no-untyped-call]
    return result(*arguments), lower


def unrolled(function: Callable[..., Any]) -> Any:
    """Make what compiled loops call of a function of sequences and numbers that returns either."""
    templates: dict[int, Callable[..., Any]] = {
        1: lambda context, a: _typed(function, (a,)),
        2: lambda context, a, b: _typed(function, (a, b)),
        3: lambda context, a, b, c: _typed(function, (a, b, c)),
    }
    compiled: Callable[..., Any] = intrinsic
    return compiled(templates[function.__code__.co_argcount])
