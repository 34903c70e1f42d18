"""Checks of arrays that a user gives to a function; the rest of this package does not need NumPy."""

from typing import Any

import numpy as np

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
    if isinstance(value, np.ndarray) and value.dtype == FLOAT64:
        return value
    try:
        found = np.asarray(value)
    except ValueError:  # lists of different lengths
        found = np.empty(0, dtype=object)
    if found.dtype.kind not in "iuf":
        raise InputError(f"{what} are arrays of numbers, e.g. numpy.zeros((5, 2)), not {shown(value)}")
    return found.astype(np.float64)
