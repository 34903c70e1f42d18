"""Checks of numbers and objects that a user gives to a function."""

import math
from numbers import Integral, Real
from types import UnionType

from riemap.errors import InputError
from riemap.specs.messages import shown

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
