"""Decorators that compile functions: those that Python calls, and those that only compiled loops call.

Numba compiles every function as if both Python and C called it: with wrappers, with all optimisations, into
machine code of its own. A function that only loops call needs no wrapper and no machine code: it is linked
into the loop, and optimised again there. So kernels compile in less time (``benchmarks/startup.py``).
"""

from collections.abc import Callable
from typing import Any, TypeVar, final

from numba import njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering
from numba.core.types import unliteral


@final
class _LinkedLibrary(JITCodeLibrary):
    """The code of a function, to be linked into its callers, and optimised there."""

    simplified = True

    def _optimize_final_module(self) -> None:
        if self.simplified:
            super()._optimize_final_module()  # type: ignore[no-untyped-call]

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[no-untyped-call]
@final
class _LinkedLowering(NativeLowering):
    """Writes the code of a function, and makes no machine code of it."""

    _name = "linked_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)  # type: ignore[no-untyped-call]
        state.library.simplified = state.func_id.func not in _NOT_SIMPLIFIED
        state.flags.no_compile = True
        super().run_pass(state)  # type: ignore[no-untyped-call]
        # Numba tells compiled functions apart by what Python would call, which has to be a built-in function.
        # This one is bound to an object of its own, and raises a TypeError.
        callable_by_python = (_ for _ in ()).throw
        state.targetctx.insert_user_function(callable_by_python, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=callable_by_python)
        return True


@final
class _LinkedCompiler(CompilerBase):
    """Numba's compiler, with the pass above in the place of its own."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)  # type: ignore[no-untyped-call]
        passes.passes = [
            (_LinkedLowering if step is NativeLowering else step, text) for step, text in passes.passes
        ]
        passes._finalized = False
        passes.finalize()
        return [passes]


Function = TypeVar("Function", bound=Callable[..., Any])

_any: Callable[[Any], Any] = unliteral

_njit: Callable[..., Any] = njit  # Numba's types do not know the options without wrappers


def for_python(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Make a decorator for a function that Python calls.

    Parameters
    ----------
    options
        Options of ``numba.njit``.

    Returns
    -------
    Callable
        The decorator.
    """
    return _njit(no_cfunc_wrapper=True, **options)


_NOT_SIMPLIFIED: set[Callable[..., Any]] = set()
"""Functions that are optimised only as parts of their loops."""


def for_loops_only(*, simplified: bool = True, **options: Any) -> Callable[[Function], Function]:
    """Make a decorator for a function that only compiled loops call.

    Parameters
    ----------
    simplified
        Optimise the function by itself first. Otherwise a loop over pairs around it might not vectorise; a
        loop over single points need not, and compiles faster without.
    options
        Options of ``numba.njit``.

    Returns
    -------
    Callable
        The decorator. What it returns cannot be called from Python.
    """
    without = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    decorator = _njit(pipeline_class=_LinkedCompiler, **without, **options)

    def decorated(function: Function) -> Function:
        if not simplified:
            _NOT_SIMPLIFIED.add(function)
        return _for_any_constant(decorator(function))

    return decorated


def _for_any_constant(function: Any) -> Any:
    """Have a function compiled once for all constants that it is called with, and not once for each."""
    template_for = function.get_call_template

    def template_for_any(args: Any, kws: Any) -> Any:
        return template_for([_any(a) for a in args], {name: _any(a) for name, a in kws.items()})

    function.get_call_template = template_for_any
    return function
