"""Checks of arrays that a user gives to a function; the rest of this package does not need NumPy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.specs.messages import shown
from riemap.types import Array

FLOAT64 = np.dtype(np.float64)
"""The type of all arrays of coordinates, in the byte order of this machine."""


def float_array(what: str, value: Any) -> Array:
    """Return numbers as an array of float64.

    Parameters
    ----------
    what
        What the numbers are, in the plural, for the message.
    value
        An array, or lists of numbers.

    Returns
    -------
    Array
        ``value`` itself if it is such an array.

    Raises
    ------
    InputError
        If it has something else than real numbers, or lists of different lengths.

    Examples
    --------
    >>> float_array("points", [[0, 1], [2, 3]]).shape
    (2, 2)
    """
    found = number_array(what, value)
    return found if found.dtype == FLOAT64 else found.astype(np.float64)


def number_array(what: str, value: Any) -> NDArray[Any]:
    """Return numbers as an array of whatever real type they have.

    Parameters
    ----------
    what
        What the numbers are, in the plural, for the message.
    value
        An array, or lists of numbers.

    Returns
    -------
    NDArray
        ``value`` itself if it is an array.

    Raises
    ------
    InputError
        If it has something else than real numbers, or lists of different lengths.
    """
    try:
        found = np.asarray(value)
    except ValueError:  # lists of different lengths
        found = np.empty(0, dtype=object)
    if found.dtype.kind not in "iuf":
        raise InputError(f"{what} are arrays of numbers, e.g. numpy.zeros((5, 2)), not {shown(value)}")
    return found
