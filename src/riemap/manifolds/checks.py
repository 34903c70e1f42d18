"""Checks of the arrays that the methods of a manifold take."""

import functools
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from riemap.errors import InputError
from riemap.manifolds.blocks import writeable
from riemap.specs import whole_number
from riemap.specs.arrays import FLOAT64, float_array
from riemap.types import Array

if TYPE_CHECKING:
    from riemap.manifolds.base import Manifold

CHECKED_METHODS = frozenset(
    {"project", "to_tangent", "inner", "exp", "log", "transport", "sqdist", "sectional"}
    | {"retract", "move", "sqdist_grad"}
)
"""Methods whose arguments are all arrays of shape ``(..., *shape)``."""


def checking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Make a method take lists, and refuse what is not an array of points or tangents of the manifold.

    Arrays that need no conversion cost less than a microsecond.
    """

    @functools.wraps(method)
    def checked(self: "Manifold", *arrays: Array, **named: Array) -> Any:
        shape = self.shape
        for a in (*arrays, *named.values()) if named else arrays:
            if type(a) is not np.ndarray or a.dtype is not FLOAT64 or a.shape[-len(shape) :] != shape:
                arrays = tuple(_converted(self, b) for b in arrays)
                named = {name: _converted(self, b) for name, b in named.items()}
                break
        return method(self, *arrays, **named)

    return checked


def _converted(m: "Manifold", x: Any) -> Array:
    found = float_array(f"points and tangents of {m}", x)
    if found.shape[-len(m.shape) :] != m.shape:
        last = ", ".join(map(str, m.shape))
        raise InputError(f"points and tangents of {m} have shape (..., {last}), not {found.shape}")
    return found


def check_sizes(m: "Manifold") -> None:
    """Raise an :class:`InputError` for a size that is not a whole number; NumPy's become Python's."""
    for field in fields(m):  # type: ignore[arg-type]  # every manifold is a dataclass
        size = whole_number(field.name, getattr(m, field.name), example=max(m.least_size, 2), what="size")
        object.__setattr__(m, field.name, size)


def checked_points(m: "Manifold", x: Any) -> Array:
    """Return points in the form that compiled loops index without checks.

    Raises
    ------
    InputError
        If ``x`` does not have the shape ``(n, *shape)``.
    """
    is_plain = type(x) is np.ndarray and x.dtype is FLOAT64  # then the name of the space is not needed
    found = x if is_plain else float_array(f"points of {m}", x)
    if found.ndim != 1 + len(m.shape) or found.shape[1:] != m.shape:
        raise InputError(f"points of {m} have shape (n, {', '.join(map(str, m.shape))}), not {found.shape}")
    return writeable(found)
