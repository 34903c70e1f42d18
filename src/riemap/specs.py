"""One spelling for everything that has a name and arguments: ``tree(r=4,h=5)``, ``rsne(T=0.5->0.01)``.

The same text is the argument of the command line, the entry of a grid and the name in results.
:func:`parse` reads it, :func:`resolve` looks the name up in a registry and converts the arguments as the
annotations of what it finds there say.
"""

import difflib
import inspect
import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, final

from riemap.errors import InputError

T = TypeVar("T")

MAX_LENGTH = 1000
"""How many characters a spec may have; more is a slip of the keyboard."""

_WHOLE = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)(?:\((.*)\))?")
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_VALUE = re.compile(r"[!-<>-~]+")  # printable ASCII but space and the equals sign


@final
@dataclass(frozen=True)
class Spec:
    """A name and its arguments, as text.

    >>> spec = parse(" rsne( T = 0.5 -> 0.01 )")
    >>> spec.name, spec.arguments, str(spec)
    ('rsne', {'T': '0.5->0.01'}, 'rsne(T=0.5->0.01)')
    """

    name: str
    arguments: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return _spelled(self.name, self.arguments)


@final
@dataclass(frozen=True)
class Call(Generic[T]):
    """Something of a registry with the arguments for it; calling it makes the thing.

    Its text has every argument, also those left out, in the order of the signature.
    """

    name: str
    arguments: Mapping[str, object]
    function: Callable[..., T]

    def __str__(self) -> str:
        return _spelled(self.name, {key: value_text(value) for key, value in self.arguments.items()})

    def __call__(self) -> T:
        """Make the thing; what it finds wrong with its arguments is reported with the spec in front."""
        try:
            return self.function(**self.arguments)
        except ValueError as error:
            raise InputError(f"{self}: {error}") from None


def parse(text: str) -> Spec:
    """Read ``name`` or ``name(key=value, ...)``; values may hold balanced parentheses."""
    if not isinstance(text, str):
        raise TypeError(f"a spec is text such as 'tree(r=4,h=5)', not {type(text).__name__}")
    try:
        return _parse(text)
    except ValueError as error:
        raise InputError(
            f"cannot read {shown(text)}: {error}; it is spelled name(key=value,...), e.g. 'tree(r=4,h=5)'"
        ) from None


def resolve(text: str, registry: Mapping[str, Callable[..., T]], *, what: str, example: str) -> Call[T]:
    """Find what a spec names and convert its arguments, without calling it yet.

    Parameters
    ----------
    text
        The spec.
    registry
        What there is, by name: functions or classes whose parameters are annotated ``int``, ``float``,
        ``bool`` or ``str``, or with a class that reads itself by a class method ``parse``.
    what
        What the things of the registry are called in messages: ``"generator"``.
    example
        A right spec, for the message about a wrong name.

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
        return Call(spec.name, _converted(spec.arguments, parameters), function)
    except ValueError as error:
        usage = _spelled(spec.name, {key: _usage(p) for key, p in parameters.items()})
        raise InputError(f"{what} {shown(str(spec))}: {error}; it is spelled {usage}") from None


def first_difference(theirs: Any, ours: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """Find the first field in which two descriptions differ.

    Parameters
    ----------
    theirs, ours
        Values as JSON has them: dictionaries, lists, texts, numbers, booleans, ``None``. A field that is left
        out counts as ``None``.
    path
        The name of what is compared, if it is itself a field of something.

    Returns
    -------
    tuple of str, value and value, or None
        The path of the field and both its values, in full; ``None`` if there is no difference.

    Examples
    --------
    >>> first_difference({"seed": 0, "plan": {"stages": [{"epochs": 12}]}},
    ...                  {"seed": 0, "plan": {"stages": [{"epochs": 13}]}})
    ('plan.stages[0].epochs', 12, 13)
    """
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        keys = dict.fromkeys([*ours, *theirs])
        parts = [(f"{path}.{key}" if path else str(key), theirs.get(key), ours.get(key)) for key in keys]
    elif isinstance(theirs, list) and isinstance(ours, list):
        pairs = enumerate(itertools.zip_longest(theirs, ours))
        parts = [(f"{path}[{i}]", a, b) for i, (a, b) in pairs]
    else:
        return None if theirs == ours else (path, theirs, ours)
    differences = (first_difference(a, b, name) for name, a, b in parts)
    return next((found for found in differences if found is not None), None)


def split(text: str, separator: str) -> list[str]:
    """Split at a separator of one character, except inside parentheses.

    >>> split("lr=0.01,betas=(0.9,0.999)", ",")
    ['lr=0.01', 'betas=(0.9,0.999)']
    """
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            break
        if character == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    if depth != 0:
        raise InputError("its parentheses do not match")
    return parts


def shown(value: object, width: int = 60) -> str:
    r"""What was given, as one short line, whatever it holds.

    >>> shown("two\nlines")
    "'two\\nlines'"
    """
    text = repr(value.decode(errors="replace") if isinstance(value, bytes) else value)
    text = text if text.isprintable() else ascii(text)[1:-1]
    return text if len(text) <= width else text[: width - 1] + "…"


def suggestion(name: str, names: Iterable[str]) -> str:
    """``; did you mean 'tree'?`` where a name comes close, otherwise a full stop.

    >>> suggestion("tre", ["tree", "cycle"])
    "; did you mean 'tree'?"
    """
    # difflib takes time in the square of the length, and no name is that long.
    known = {known[:60].lower(): known for known in names}
    near = difflib.get_close_matches(name[:60].lower(), known, n=1)
    return f"; did you mean {shown(known[near[0]])}?" if near else "."


def _parse(text: str) -> Spec:
    if len(text) > MAX_LENGTH:
        raise InputError(f"it has {len(text)} characters, and at most {MAX_LENGTH} are accepted")
    if not text.strip():
        raise InputError("it is empty")
    match = _WHOLE.fullmatch(re.sub(r"\s*(->|[(),=])\s*", r"\1", text.strip()))
    if match is None:
        raise InputError("it is not a name with arguments in parentheses")
    name, inside = match.groups()
    arguments: dict[str, str] = {}
    for part in split(inside, ",") if inside else []:
        key, equals, value = part.partition("=")
        if not (equals and _KEY.fullmatch(key) and _VALUE.fullmatch(value)):
            raise InputError(f"{shown(part, 30)} is not an argument")
        if key in arguments:
            raise InputError(f"{key} is given twice")
        arguments[key] = value
    return Spec(name, arguments)


def _converted(
    arguments: Mapping[str, str], parameters: Mapping[str, inspect.Parameter]
) -> dict[str, object]:
    for key in arguments:
        if key not in parameters:
            raise InputError(f"there is no argument {shown(key, 30)}")
    missing = [k for k, p in parameters.items() if p.default is p.empty and k not in arguments]
    if missing:
        raise InputError(f"{' and '.join(missing)} must be given")
    return {
        key: _value(key, arguments[key], p.annotation) if key in arguments else p.default
        for key, p in parameters.items()
    }


def _value(key: str, text: str, annotation: Any) -> object:
    """What a text means where a parameter of this type is wanted."""
    if annotation is str:
        return text
    if annotation is bool:
        if text not in ("true", "false"):
            raise InputError(f"{key}={text[:30]} is neither true nor false")
        return text == "true"
    try:
        value = annotation(text) if annotation in (int, float) else annotation.parse(text)
    except ValueError as error:
        said = "" if annotation in (int, float) else f": {error}"
        raise InputError(f"{key}={text[:30]} is not {_kind(annotation)}{said}") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{key}={text[:30]} is not a finite number")
    return value


def _kind(annotation: Any) -> str:
    kinds = {int: "a whole number", float: "a number"}
    return kinds.get(annotation) or f"a {annotation.__name__.lower()}"


def _usage(parameter: inspect.Parameter) -> str:
    return "..." if parameter.default is parameter.empty else value_text(parameter.default)


def value_text(value: object) -> str:
    """The text that a value is read back from, to the last digit."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).removesuffix(".0").replace("e+", "e") if isinstance(value, float) else str(value)


def _spelled(name: str, arguments: Mapping[str, str]) -> str:
    inside = ",".join(f"{key}={value}" for key, value in arguments.items())
    return f"{name}({inside})" if inside else name
