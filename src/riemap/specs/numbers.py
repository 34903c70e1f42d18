"""Checks of numbers and objects that a user gives to a function."""

import math
import re
from numbers import Integral, Real
from types import UnionType

from riemap.errors import InputError
from riemap.specs.messages import shown

UNIT_SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
"""Seconds in each unit that a time can be given in."""

_DURATION = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)\s*", re.ASCII)

LARGEST_COUNT = 2**63 - 1
"""Largest whole number that compiled loops hold."""


def whole_number(
    name: str, value: object, least: int = 0, example: int = 0, what: str = "whole number"
) -> int:
    """Check a whole number, of Python or of NumPy.

    Parameters
    ----------
    name
        Name of the argument, for the message.
    value
        What was given. A boolean is not a number.
    least
        The smallest number that is accepted.
    example
        A number for the message.
    what
        What the number is, for the message, such as "number of epochs".

    Returns
    -------
    int
        The number.

    Raises
    ------
    InputError
        If the value is not a whole number, or is below ``least``.

    Examples
    --------
    >>> whole_number("epochs", 500, least=1, example=500)
    500
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= int(value) <= LARGEST_COUNT:
        raise InputError(f"{name}={shown(value)} is not a {what} from {least} up, e.g. {name}={example}")
    return int(value)


def checked_seed(seed: object) -> int:
    """Check a seed, which is a whole number from 0 up, of any size.

    Parameters
    ----------
    seed
        What was given.

    Returns
    -------
    int
        The seed.

    Raises
    ------
    InputError
        If it is something else. ``None`` is not a seed: a result could not be repeated.
    """
    if isinstance(seed, Integral) and seed < 0:
        raise InputError(f"seed={shown(seed)} is negative; a seed is a whole number from 0 up, e.g. 0")
    if isinstance(seed, bool) or not isinstance(seed, Integral):
        raise InputError(f"seed={shown(seed)} is not a whole number from 0 up, e.g. seed=0")
    return int(seed)


def finite_number(name: str, value: object, example: float) -> float:
    """Check a number, of Python or of NumPy, that is neither NaN nor infinite.

    Parameters
    ----------
    name
        Name of the argument, for the message.
    value
        What was given. A boolean is not a number.
    example
        A number for the message.

    Returns
    -------
    float
        The number.

    Raises
    ------
    InputError
        If the value is not such a number.

    Examples
    --------
    >>> finite_number("radius", 2, example=0.5)
    2.0
    """
    try:
        number = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    except OverflowError:  # a whole number that is larger than every float
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{name}={shown(value)} is not a finite number, e.g. {name}={example:g}")
    return number


def expect(value: object, kind: type | UnionType, what: str, example: str) -> None:
    """Check that an argument is an object of some class.

    Parameters
    ----------
    value
        What was given.
    kind
        The class, or several.
    what
        What the argument is, for the message, such as "a graph".
    example
        Where such an object comes from, as the end of a sentence.

    Raises
    ------
    TypeError
        If it is something else.

    Examples
    --------
    >>> expect("H2", str, "a space", "Space.parse('H2') makes one")
    """
    if not isinstance(value, kind):
        raise TypeError(f"{what} was expected, not {type(value).__name__}; {example}")


def duration(name: str, given: object, unit: str) -> float:
    """Read a time.

    Parameters
    ----------
    name
        What it is, for the message.
    given
        A text such as ``"90s"``, ``"10m"``, ``"10min"`` or ``"1h"``, or a number.
    unit
        The unit of a number, and of a text that names none.

    Returns
    -------
    float
        Seconds.

    Raises
    ------
    InputError
        If it is not a positive time.

    Examples
    --------
    >>> duration("time", "1.5 min", "s"), duration("budget", 2, "m")
    (90.0, 120.0)
    """
    found = None
    if isinstance(given, str):
        match = _DURATION.fullmatch(given)
        if match is not None and (match[2] or unit) in UNIT_SECONDS:
            found = float(match[1]) * UNIT_SECONDS[match[2] or unit]
    else:
        found = finite_number(name, given, 10.0) * UNIT_SECONDS[unit]
    if found is None or not 0.0 < found < math.inf:
        raise InputError(f"the {name} is {shown(given)}; give a positive time, e.g. '90s', '10m' or '1h'")
    return found
