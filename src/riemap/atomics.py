"""Integers that compiled loops of several threads read and write while others do."""

import platform
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _typed_store(typing: Any, address: Any, value: Any) -> Any:
    """Write an integer to an address, unless that is zero."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, value = arguments
        with builder.if_then(builder.icmp_signed("!=", address, address.type(0))):
            cell = builder.inttoptr(address, address.type.as_pointer())
            builder.store_atomic(value, cell, "release", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), lower


def _typed_load(typing: Any, address: Any) -> Any:
    """Read the integer at an address."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (address,) = arguments
        return builder.load_atomic(builder.inttoptr(address, address.type.as_pointer()), "acquire", 8)

    return types.int64(types.int64), lower


def _typed_relax(typing: Any) -> Any:
    """Tell the processor that this thread spins, so that the other thread of the same core runs faster."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if platform.machine().lower() in ("x86_64", "amd64"):
            pause = ir.FunctionType(ir.VoidType(), [])
            builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", (), pause), [])
        return context.get_dummy_value()

    return types.void(), lower


store: Any = intrinsic(_typed_store)
load: Any = intrinsic(_typed_load)
relax: Any = intrinsic(_typed_relax)
