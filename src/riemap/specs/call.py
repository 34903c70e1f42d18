"""Look up specs in a registry and convert their arguments."""

import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, final

from riemap.errors import InputError
from riemap.specs.messages import shortened, shown, suggestion
from riemap.specs.spec import parse, spell, value_text

T = TypeVar("T")

_UNDERSCORE = re.compile(r"[0-9]_[0-9]")
"""Underscore inside a number, which Python would ignore; other programs read ``1_000`` as a text."""


@final
@dataclass(frozen=True)
class Call(Generic[T]):
    """A function or class with its arguments. ``call()`` calls it.

    ``str(call)`` is its spec with all arguments, including defaults, in the order of the signature.

    Parameters
    ----------
    name
        Name in the registry.
    arguments
        Converted value of each argument, by its key.
    function
        The function or class.

    Examples
    --------
    >>> call = Call("power", {"base": 2, "exp": 3}, pow)
    >>> str(call), call()
    ('power(base=2,exp=3)', 8)
    """

    name: str
    arguments: Mapping[str, object]
    function: Callable[..., T]

    def __str__(self) -> str:
        return spell(self.name, {key: value_text(value) for key, value in self.arguments.items()})

    def __call__(self) -> T:
        """Call the function with the arguments.

        Returns
        -------
        T
            What the function returns.

        Raises
        ------
        InputError
            If the function raises a ``ValueError``. The message starts with the spec.
        """
        try:
            return self.function(**self.arguments)
        except ValueError as error:
            raise InputError(f"{shortened(str(self))}: {error}") from None


def resolve(text: str, registry: Mapping[str, Callable[..., T]], *, what: str, example: str) -> Call[T]:
    """Look up the name of a spec in a registry and convert its arguments, without calling anything.

    Parameters
    ----------
    text
        The spec.
    registry
        Functions or classes by name. Their parameters are annotated with ``int``, ``float``, ``bool``,
        ``str``, or a class with a class method ``parse``.
    what
        Noun for an entry of the registry in messages, e.g. ``"generator"``.
    example
        A valid spec, for messages.

    Returns
    -------
    Call
        The function or class with the converted arguments.

    Raises
    ------
    InputError
        If the text is not a spec, the name is not in the registry, or an argument is missing, unknown or of
        the wrong type.

    Examples
    --------
    >>> def tree(r: int, h: int, ordered: bool = False): ...
    >>> str(resolve("tree(h=5, r=4)", {"tree": tree}, what="generator", example="tree(r=4,h=5)"))
    'tree(r=4,h=5,ordered=false)'
    """
    spec = parse(text)
    if spec.name not in registry:
        raise InputError(
            f"no {what} is called {shown(spec.name)}{suggestion(spec.name, registry)} "
            f"There are {', '.join(registry)}, e.g. '{example}'"
        )
    function = registry[spec.name]
    parameters = inspect.signature(function, eval_str=True).parameters
    try:
        return Call(spec.name, _convert_arguments(spec.arguments, parameters), function)
    except ValueError as error:
        usage = spell(spec.name, {key: _usage(p) for key, p in parameters.items()})
        raise InputError(f"{what} {shown(str(spec))}: {error}; it is spelled {usage}") from None


def _convert_arguments(
    arguments: Mapping[str, str], parameters: Mapping[str, inspect.Parameter]
) -> dict[str, object]:
    for key in arguments:
        if key not in parameters:
            raise InputError(f"there is no argument {shown(key, 30)}")
    missing = [k for k, p in parameters.items() if p.default is p.empty and k not in arguments]
    if missing:
        raise InputError(f"{' and '.join(missing)} must be given")
    return {
        key: _convert(key, arguments[key], p.annotation) if key in arguments else p.default
        for key, p in parameters.items()
    }


def _convert(key: str, text: str, annotation: Any) -> object:
    """Convert the text of an argument to the type of its parameter."""
    if annotation is str:
        return text
    if annotation is bool:
        if text not in ("true", "false"):
            raise InputError(f"{key}={text[:30]} is neither true nor false")
        return text == "true"
    if _UNDERSCORE.search(text):
        raise InputError(f"{key}={text[:30]} has an underscore in a number; write e.g. 1000")
    try:
        value = annotation(text) if annotation in (int, float) else annotation.parse(text)
    except ValueError as error:
        reason = "" if annotation in (int, float) else f": {shortened(str(error))}"
        raise InputError(f"{key}={text[:30]} is not {_type_name(annotation)}{reason}") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{key}={text[:30]} is not a finite number")
    return value


def _type_name(annotation: Any) -> str:
    kinds = {int: "a whole number", float: "a number"}
    return kinds.get(annotation) or f"a {annotation.__name__.lower()}"


def _usage(parameter: inspect.Parameter) -> str:
    """Text of a parameter in a usage message: its default, or ``...``."""
    return "..." if parameter.default is parameter.empty else value_text(parameter.default)
