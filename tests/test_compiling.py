"""Functions that only loops call: they are compiled into the loops, and loops around them vectorise."""

import gc
import operator
import platform
import re
from typing import Any

import numpy as np
import pytest
from numba.core.errors import TypingError
from numba.core.types.functions import BaseFunction

from riemap import compiling
from riemap.compiling import for_loops_only, for_python
from riemap.kernel_cache import compile_clock
from riemap.loops import RowLoop, _loop
from riemap.manifolds.grassmann import pair_loops, pair_loops4, pair_loops36
from riemap.manifolds.hyperbolic import pair_loops as hyperbolic
from riemap.manifolds.rotations import quaternion_pairs
from riemap.manifolds.spd import affine_pairs_small, bures_pairs3, stein_pairs_small


@for_loops_only(forceinline=True)
def _power(x: float, count: int) -> float:
    result = 1.0
    for _ in range(count):
        result *= x
    return result


@for_python()
def _powers(x: Any) -> Any:
    return _power(x, 2), _power(x, 3)


def test_a_function_is_compiled_once_for_all_constants() -> None:
    assert _powers(3.0) == (9.0, 27.0)
    assert len(_power.overloads) == 1  # type: ignore[attr-defined]


def test_python_cannot_call_a_function_that_is_for_loops_only() -> None:
    _powers(3.0)
    with pytest.raises(TypeError):
        _power(3.0, 2)


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_rests_while_a_kernel_is_compiled(enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    try:
        before = compile_clock.kernels
        for_python()(lambda x: x + 1)(1)
        assert compile_clock.kernels > before
        assert gc.isenabled() == enabled
    finally:
        gc.enable()


def test_the_types_of_an_operation_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """But those of a function that Numba compiles for its caller's options are found for each caller."""
    found, find = [], compiling._find_signature

    def counted(function: Any, *args: Any) -> Any:
        found.append(function.typing_key)
        return find(function, *args)

    monkeypatch.setattr(compiling, "_find_signature", counted)
    for options in ({}, {"error_model": "numpy"}):
        found.clear()
        assert for_python(**options)(lambda x, y: x * y * min(x, y) * x * y)(2.0, 3.0) == 72.0
        assert found.count(operator.mul) <= 1
        assert min in found


def test_numba_is_left_as_it_is() -> None:
    with pytest.raises(TypingError):
        for_python()(lambda x: x.nothing)(1.0)
    assert BaseFunction.get_call_type is compiling._find_signature


PART, SQUARE, CUBE, FLAG = np.zeros(8, np.int64), np.ones((8, 8)), np.ones((8, 8, 8)), True
VECTORISED: dict[str, tuple[RowLoop, tuple[Any, ...]]] = {
    "H": (hyperbolic._forward_rows, (SQUARE, SQUARE, FLAG, SQUARE, SQUARE, (0.0, 0.0))),
    "SPD2": (affine_pairs_small._forward2_rows, (SQUARE, SQUARE, FLAG, SQUARE, SQUARE)),
    "Stein2": (stein_pairs_small._forward2_rows, (SQUARE, SQUARE, FLAG, SQUARE, SQUARE)),
    "SO4": (quaternion_pairs._forward4_rows, (SQUARE, SQUARE, FLAG, SQUARE, SQUARE, SQUARE)),
    "BW3": (bures_pairs3._forward_rows, (CUBE, CUBE, CUBE, FLAG, *4 * [SQUARE])),
    "Gr(3,6)": (pair_loops36._forward_rows, (CUBE, SQUARE, SQUARE, CUBE, FLAG, *4 * [SQUARE])),
    "Gr(4,8)": (
        pair_loops4._forward_rows,
        (CUBE, np.ones((32, 8)), np.ones((32, 8)), CUBE, (0.0,) * 32, FLAG, *5 * [SQUARE]),
    ),
    "Gr(2,n)": (pair_loops._forward2_rows, (SQUARE, SQUARE, FLAG, SQUARE)),
}


@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="reads x86-64 assembly")
@pytest.mark.parametrize("name", VECTORISED)
def test_loops_with_such_functions_vectorise(name: str) -> None:
    """A loop over pairs multiplies several numbers at once."""
    loop, arguments = VECTORISED[name]
    kernel = _loop(loop.kernel.py_func)  # compiled here, since code that was loaded cannot be inspected
    kernel._compiler._customize_flags = loop.kernel._compiler._customize_flags
    kernel.compile(tuple(map(kernel.typeof_pyval, (PART, *arguments))))
    assembly = "\n".join(kernel.inspect_asm().values())
    packed, single = (
        len(re.findall(rf"\bv(mul|fn?m(add|sub)\d{{3}}){kind}\b", assembly)) for kind in ("pd", "sd")
    )
    assert packed > max(10, single // 4)  # the rest of a row takes single numbers
