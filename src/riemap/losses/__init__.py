"""What an embedding should minimise: of (target, sqdist), and of nothing else."""

import re
from collections.abc import Callable
from typing import TypeAlias

from riemap.errors import InputError
from riemap.losses.base import Loss
from riemap.losses.lengths import AverageDistortion, Distortion, Stress
from riemap.losses.neighbourhood import Neighbourhood
from riemap.losses.rsne import RSNE
from riemap.losses.schedule import Schedule
from riemap.losses.sums import Custom, Sum
from riemap.specs import resolve, shown, split
from riemap.types import Array

__all__ = ["LOSSES", "RSNE", "Custom", "Loss", "LossLike", "Schedule", "Sum", "as_loss"]

LOSSES: tuple[type[Loss], ...] = (RSNE, Stress, Distortion, AverageDistortion, Neighbourhood)

LossLike: TypeAlias = str | Loss | Callable[[Array, Array], tuple[float, Array]]

_FACTOR = re.compile(r"\s*([0-9][0-9.]*(?:[eE][+-]?[0-9]+)?)\s*\*(.*)", re.DOTALL)


def as_loss(given: LossLike) -> Loss:
    """A loss from its spelling, or from any function of (target, sqdist).

    >>> str(as_loss("rsne(T=0.5->0.01) + 0.3 * ad"))
    'rsne(T=0.5->0.01) + 0.3*ad'
    """
    if isinstance(given, Loss):
        return given
    if not isinstance(given, str):
        if not callable(given):
            raise TypeError(
                f"a loss is a text such as 'rsne(T=0.02)' or a function, not {type(given).__name__}"
            )
        return Custom(given)
    try:
        parts = split(given, "+")
    except ValueError as error:
        raise InputError(
            f"cannot read the loss {shown(given)}: {error}; e.g. 'rsne(T=0.02) + 0.3*ad'"
        ) from None
    terms = [_term(part) for part in parts]
    return terms[0][1] if len(terms) == 1 and terms[0][0] == 1.0 else Sum(tuple(terms))


def _term(text: str) -> tuple[float, Loss]:
    match = _FACTOR.fullmatch(text)
    factor, rest = (match[1], match[2]) if match else ("1", text)
    registry = {loss.symbol: loss for loss in LOSSES}
    try:
        return float(factor), resolve(rest.strip(), registry, what="loss", example="rsne(T=0.02)")()
    except ValueError as error:
        if float.__name__ in str(error):
            raise InputError(f"cannot read the factor {factor!r} in loss {text!r}; e.g. '0.3*ad'") from None
        raise
