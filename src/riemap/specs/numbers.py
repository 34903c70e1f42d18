"""Checks of numbers that a user gives to a function."""

import math
from numbers import Integral, Real

from riemap.errors import InputError
from riemap.specs.messages import shown


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
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
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
        raise InputError(f"seed={seed} is negative; a seed is a whole number from 0 up, e.g. 0")
    return whole_number("seed", seed)


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
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise InputError(f"{name}={shown(value)} is not a finite number, e.g. {name}={example:g}")
    return float(value)
