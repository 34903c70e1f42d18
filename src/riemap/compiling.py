"""Decorators that compile functions: those that Python calls, and those that only compiled loops call.

Numba compiles every function as if both Python and C called it: with wrappers, with all optimisations, into
machine code of its own. A function that only loops call needs no wrapper and no machine code: it is linked
into the loop, and optimised again there. Numba also finds the types of an operation anew wherever it occurs,
and has passes for much that our functions do not contain. We find the types of an operation once, and leave
these passes out. So kernels compile in less time (``benchmarks/startup.py``).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, final

from numba import njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import AnnotateTypes, InlineOverloads, NativeLowering, NopythonRewrites
from numba.core.types import unliteral
from numba.core.types.functions import BaseFunction
from numba.core.untyped_passes import (
    DeadBranchPrune,
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    RewriteDynamicRaises,
    RewriteSemanticConstants,
)

_OMITTED_PASSES = {
    AnnotateTypes,
    DeadBranchPrune,
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    InlineOverloads,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    NopythonRewrites,
    RewriteDynamicRaises,
    RewriteSemanticConstants,
}
"""Passes of Numba for closures, comprehensions, constants among types, expressions of whole arrays, and
messages of errors that are put together when they are raised. A function must not need them."""

_find_signature = BaseFunction.get_call_type

_SIGNATURES: dict[tuple[Any, ...], tuple[Any, Any]] = {}
"""Signatures by the operation's ``id`` and the types of its arguments, each with the operation. Its own hash
takes long to compute."""


def _known_signature(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """Return the signature of an operation, as Numba's own method does.

    It is kept if the operation is a part of Numba's compiler. Otherwise it is a compiled function, and which
    one that is depends on the options of its caller.
    """
    key = (id(function), *args)
    if not kws and key in _SIGNATURES:
        return _SIGNATURES[key][0]
    found = _find_signature(function, context, args, kws)
    if not kws and found is not None and function.get_impl_key(found) is function.typing_key:
        _SIGNATURES[key] = found, function
    return found


@contextmanager
def _signatures_kept() -> Iterator[None]:
    """Keep signatures while a function is compiled; Numba's lock lets one thread compile at a time."""
    before = BaseFunction.get_call_type
    BaseFunction.get_call_type = _known_signature  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        BaseFunction.get_call_type = before  # type: ignore[method-assign]


class _Compiler(CompilerBase):
    """Numba's compiler, without the passes that are not needed."""

    def compile_extra(self, func: Any) -> Any:
        with _signatures_kept():
            return super().compile_extra(func)  # type: ignore[no-untyped-call]

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)  # type: ignore[no-untyped-call]
        passes.passes = [
            (self.replaced(step), text) for step, text in passes.passes if step not in _OMITTED_PASSES
        ]
        passes._finalized = False
        passes.finalize()
        return [passes]

    def replaced(self, step: Any) -> Any:
        """Return the pass to run in the place of one of Numba's."""
        return step


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
class _LinkedCompiler(_Compiler):
    """The compiler of functions that only loops call."""

    def replaced(self, step: Any) -> Any:
        return _LinkedLowering if step is NativeLowering else step


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
    return _njit(pipeline_class=_Compiler, no_cfunc_wrapper=True, **options)


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
